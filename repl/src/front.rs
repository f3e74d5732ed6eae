//! Runs what is typed, line by line, in one session.

use std::fmt;
use std::sync::Arc;

use roborm::command::{self, Answer, Current, Interrupts, Line, Session, Unparsed};
use roborm::display::{self, Terminal};
use roborm::study::Cancel;
use roborm::{Error, Result};
use tempfile::TempDir;

use crate::engine::{self, Ended, Engine, Handed, Show};
use crate::tour::Tour;
use crate::{help, lines, speak};

/// The session of a prompt or of a script.
pub struct Front {
    session: Session,
    engine: Engine,
    /// At a prompt Ctrl-C ends a command, not the program.
    interrupts: Option<Interrupts>,
    tour: Tour,
}

/// Where a line stands.
#[derive(Clone, Copy, Default)]
pub struct Place<'a> {
    /// The script; empty at the prompt.
    pub name: &'a str,
    /// The line, from 1.
    pub line: usize,
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, line {}", self.name, self.line)
    }
}

/// What a line came to.
pub enum Done {
    /// It is done, with an exit status.
    Line(u8),
    /// The session is over.
    Quit,
}

/// The words of a command, and the folder of the files among them.
type Taken = (Vec<String>, Option<TempDir>);

/// What a line came to, before it is shown.
enum Outcome {
    /// An answer, and whether it is wanted as JSON.
    Answer(Answer, bool),
    /// Everything is said; the exit status.
    Told(u8),
    Quit,
}

impl Front {
    /// For a prompt.
    pub fn of_prompt() -> Self {
        Self::new(Session::default(), Some(Interrupts::catch()))
    }

    /// For a script: Ctrl-C ends it.
    pub fn of_script() -> Self {
        Self::new(Session { owns_interrupts: true, ..Session::default() }, None)
    }

    fn new(session: Session, interrupts: Option<Interrupts>) -> Self {
        Self { session, engine: Engine::idle(), interrupts, tour: Tour::default() }
    }

    /// What is open.
    pub fn current(&self) -> &Current {
        &self.session.current
    }

    /// What runs lines that are no commands.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// An empty line at the prompt: the next step of the tour, where one is under way.
    pub fn step(&mut self) -> Done {
        match self.tour.command() {
            Some(command) => {
                speak::say(command);
                self.run(command, &Place::default())
            }
            None => Done::Line(0),
        }
    }

    /// Runs what stands in one line or goes on in more, and shows what it came to; `place` says in an error where that is.
    pub fn run(&mut self, line: &str, place: &Place<'_>) -> Done {
        let outcome = match asked(line) {
            // What a command is for is known here.
            Some(name) => help::answer(&name).map(|answer| Outcome::Answer(answer, false)),
            None if lines::is_command(line) && !is_for_engine(line) => self.command(line, place),
            None => self.rust(line, place),
        };
        let status = match outcome {
            Ok(Outcome::Quit) => return Done::Quit,
            Ok(Outcome::Told(status)) => status,
            Ok(Outcome::Answer(answer, json)) => {
                let written = speak::answer(&answer, json, &Terminal::stdout());
                if answer.status != 0 && !place.name.is_empty() {
                    speak::complain(&format!("error: {place}: not done, exit status {}", answer.status));
                }
                written
            }
            Err(error) => {
                if error.is_interrupted() {
                    speak::over_the_key();
                }
                let error = if place.name.is_empty() { error } else { error.at(place) };
                speak::fail(&error);
                error.exit_status()
            }
        };
        if status == 0
            && let Some(text) = self.tour.after(line)
        {
            speak::say(&text);
        }
        Done::Line(status)
    }

    fn command(&mut self, line: &str, place: &Place<'_>) -> Result<Outcome> {
        // A backslash at the end of a line joins it with the next, as in shells; shlex would see an empty word there.
        let Some(words) = shlex::split(&line.replace("\\\n", "")) else {
            return Err(command::not_closed(line));
        };
        // `: spot` is as good as `:spot`.
        let mut words: Vec<String> = words.into_iter().skip_while(|word| word == ":").collect();
        let Some(name) = words.first_mut() else {
            return Err(Error::usage("no command after the colon").with_help("`:help` lists them"));
        };
        *name = name.trim_start_matches(':').to_owned();
        match words.split_first() {
            Some((name, _)) if ["quit", "exit", "q"].contains(&name.as_str()) => return Ok(Outcome::Quit),
            Some((name, rest)) if name == "help" => return Ok(Outcome::Answer(help::answer(rest)?, false)),
            Some((name, rest)) if name == "tour" => {
                let text = self.tour.start(self.interrupts.is_some(), rest);
                return Ok(Outcome::Answer(Answer::default().say(text), false));
            }
            Some((name, _)) => {
                let names = help::names();
                if !names.contains(name) {
                    return Err(Line::unknown(name, names.iter().map(String::as_str)));
                }
            }
            None => {}
        }
        let (words, _folder) = match self.handed(words)? {
            Ok(handed) => handed,
            Err(ended) => return Ok(told(ended, place)),
        };
        match Line::parse_lasting_in(words, Terminal::stdout().width()) {
            Ok(command) => {
                let json = command.json();
                Ok(Outcome::Answer(self.work(command, line)?, json))
            }
            Err(Unparsed::Help(help)) => Ok(Outcome::Told(speak::say(&help))),
            Err(Unparsed::Usage(wrong)) => {
                let wrong = wrong.trim_end();
                match wrong.strip_prefix("error: ").filter(|_| !place.name.is_empty()) {
                    None => speak::complain(wrong),
                    Some(wrong) => speak::complain(&format!("error: {place}: {wrong}")),
                }
                Ok(Outcome::Told(2))
            }
        }
    }

    /// The words of a command with those of variables (`$scores`) as what the command takes for them; what lies in the
    /// folder lasts as long as that.
    fn handed(&self, mut words: Vec<String>) -> Result<std::result::Result<Taken, Ended>> {
        let names: Vec<String> = words.iter().filter_map(|word| variable(word)).map(str::to_owned).collect();
        if names.is_empty() {
            return Ok(Ok((words, None)));
        }
        let folder = tempfile::Builder::new()
            .prefix("roborm-prompt-")
            .tempdir()
            .map_err(|error| Error::io("cannot make a folder for temporary files", &error))?;
        match self.engine.hand(&names, folder.path(), self.interrupts.as_ref())? {
            Handed::Failed(ended) => Ok(Err(ended)),
            Handed::Words(taken) => {
                for word in &mut words {
                    if let Some(stands) = variable(word).and_then(|name| taken.get(name)) {
                        stands.clone_into(word);
                    }
                }
                Ok(Ok((words, Some(folder))))
            }
        }
    }

    /// Rust, and what is said to the engine itself.
    fn rust(&mut self, source: &str, place: &Place<'_>) -> Result<Outcome> {
        let out = Terminal::stdout();
        // The engine counts lines from the first of what it is given; in a script they are those of the script.
        let above = "\n".repeat(place.line.saturating_sub(1));
        // What is asked is answered in prose.
        let is_question = source.trim_start().starts_with('?');
        let mut show = if is_question { Show::prose_on(&out) } else { Show::on(&out) };
        let source = format!("{above}{source}");
        match self.engine.run(&source, &self.session.current, &mut show, self.interrupts.as_ref()) {
            Ok(ended) => Ok(told(ended, place)),
            Err(error) => Err(mistaken(source.trim(), error)),
        }
    }

    fn work(&mut self, command: Line, typed: &str) -> Result<Answer> {
        // One that was stopped stops everything after it.
        self.session.cancel = Cancel::new();
        self.session.progress = Arc::from(display::progress(&Terminal::stderr()));
        // In one line, however it was typed.
        self.session.typed = typed.replace("\\\n", "");
        match &self.interrupts {
            Some(interrupts) => interrupts.run(&mut self.session, move |session| command.run(session)),
            None => command.run(&self.session),
        }
    }
}

/// What the engine says of cells, in the words of a prompt.
fn in_lines(said: &str) -> String {
    const WORDS: [(&str, &str); 6] = [
        ("run the cell again that makes it", "run the line again that makes it"),
        ("a cell that takes", "a line that takes"),
        ("a cell keeps variables", "a line keeps variables"),
        ("at the top of a cell", "at the top of a line"),
        ("at the top of the cell", "at the top of the line"),
        ("the rest of the cell", "the rest of the line"),
    ];
    WORDS.iter().fold(said.to_owned(), |said, (cell, line)| said.replace(cell, line))
}

/// Says how a piece of Rust ended.
fn told(ended: Ended, place: &Place<'_>) -> Outcome {
    let (status, message, traceback) = match ended {
        Ended::Done(status) => return Outcome::Told(status),
        Ended::Failed { status, message, traceback } => (status, in_lines(&message), traceback),
    };
    // The engine speaks to notebooks, too, where lines are cells.
    let traceback: Vec<String> = traceback.iter().map(|line| in_lines(line)).collect();
    let err = Terminal::stderr();
    if status == Error::interrupted("").exit_status() {
        speak::over_the_key();
    }
    let mut lines = traceback.as_slice();
    if !place.name.is_empty() {
        lines = lines.get(1..).unwrap_or_default();
        speak::complain(&format!("error: {}", placed(&message, place)));
    }
    speak::say_error(&engine::lines_for(lines, &err));
    Outcome::Told(status)
}

/// Whether a command is for the engine: those of evcxr.
fn is_for_engine(line: &str) -> bool {
    const OF_ENGINE: [&str; 9] = ["dep", "vars", "clear", "type", "types", "opt", "explain", "show_deps", "env"];
    let mut words = line.trim_start().trim_start_matches([':', ' ']).split_whitespace();
    words.next().is_some_and(|name| OF_ENGINE.contains(&name))
}

/// What `?` asks of commands: `?:spot` of one, `?` alone of all.
fn asked(line: &str) -> Option<Vec<String>> {
    let about = line.trim().strip_prefix('?')?.trim_start_matches('?').trim();
    match about.strip_prefix(':') {
        None => about.is_empty().then(Vec::new),
        Some(name) => Some(name.split_whitespace().take(1).map(str::to_owned).collect()),
    }
}

/// The name of the variable of Rust that a word stands for.
fn variable(word: &str) -> Option<&str> {
    word.strip_prefix('$').filter(|name| name.starts_with(|letter: char| letter == '_' || letter.is_alphabetic()))
}

/// Where there is no engine, a line may be a command without its colon.
fn mistaken(line: &str, error: Error) -> Error {
    let first = line.split_whitespace().next().unwrap_or_default();
    match error.is_usage() && help::names().iter().any(|name| name == first) {
        true => error.with_help(format!("did you mean `:{line}`?")),
        false => error,
    }
}

/// `cannot find value (line 3, column 5)`, told with the script that this is a line of.
fn placed(message: &str, place: &Place<'_>) -> String {
    let at = message.strip_suffix(')').and_then(|message| message.rsplit_once(" (line "));
    match at {
        Some((message, at)) => format!("{}, line {at}: {message}", place.name),
        None => format!("{place}: {message}"),
    }
}
