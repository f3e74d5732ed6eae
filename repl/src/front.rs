//! Runs what is typed, line by line, in one session.

use std::sync::Arc;

use roborm::command::{Answer, Current, Interrupts, Line, Session, Unparsed};
use roborm::display::{self, Terminal};
use roborm::study::Cancel;
use roborm::{Error, Result};

use crate::engine::{Commands, Engine};
use crate::tour::Tour;
use crate::{help, lines, speak};

/// The session of a prompt or of a script.
pub struct Front {
    session: Session,
    engine: Box<dyn Engine>,
    /// At a prompt Ctrl-C ends a command, not the program.
    interrupts: Option<Interrupts>,
    tour: Tour,
}

/// What a line came to.
pub enum Done {
    /// It is done, with an exit status.
    Line(u8),
    /// The session is over.
    Quit,
}

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
        Self { session, engine: Box::new(Commands), interrupts, tour: Tour::default() }
    }

    /// What is open.
    pub fn current(&self) -> &Current {
        &self.session.current
    }

    /// What runs lines that are no commands.
    pub fn engine(&self) -> &dyn Engine {
        &*self.engine
    }

    /// An empty line at the prompt: the next step of the tour, where one is under way.
    pub fn step(&mut self) -> Done {
        match self.tour.command() {
            Some(command) => {
                speak::print(&format!("{command}\n"), 0);
                self.run(command, "")
            }
            None => Done::Line(0),
        }
    }

    /// Runs one line and shows what it came to; `place` says in an error where it stands.
    pub fn run(&mut self, line: &str, place: &str) -> Done {
        let outcome = match lines::is_command(line) {
            true => self.command(line, place),
            false => self.engine.eval(line).map(|answer| Outcome::Answer(answer, false)),
        };
        let status = match outcome {
            Ok(Outcome::Quit) => return Done::Quit,
            Ok(Outcome::Told(status)) => status,
            Ok(Outcome::Answer(answer, json)) => {
                speak::answer(&answer, json, &Terminal::stdout());
                if answer.status != 0 && !place.is_empty() {
                    speak::complain(&format!("error: {place}: not done, exit status {}", answer.status));
                }
                answer.status
            }
            Err(error) => {
                let error = if place.is_empty() { error } else { error.at(place) };
                speak::fail(&error);
                error.exit_status()
            }
        };
        if status == 0
            && let Some(text) = self.tour.after(line)
        {
            speak::print(&text, 0);
        }
        Done::Line(status)
    }

    fn command(&mut self, line: &str, place: &str) -> Result<Outcome> {
        // A backslash at the end of a line joins it with the next, as in shells; shlex would see an empty word there.
        let Some(words) = shlex::split(&line.replace("\\\n", "")) else {
            return Err(Error::usage("a quotation is not closed").with_help("end it with the same sign"));
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
        match Line::parse_lasting(words) {
            Ok(command) => {
                let json = command.json();
                Ok(Outcome::Answer(self.work(command, line)?, json))
            }
            Err(Unparsed::Help(help)) => {
                speak::print(&help, 0);
                Ok(Outcome::Told(0))
            }
            Err(Unparsed::Usage(wrong)) => {
                let wrong = wrong.trim_end();
                match (place, wrong.strip_prefix("error: ")) {
                    ("", _) | (_, None) => speak::complain(wrong),
                    (place, Some(wrong)) => speak::complain(&format!("error: {place}: {wrong}")),
                }
                Ok(Outcome::Told(2))
            }
        }
    }

    fn work(&mut self, command: Line, typed: &str) -> Result<Answer> {
        // One that was stopped stops everything after it.
        self.session.cancel = Cancel::new();
        self.session.progress = Arc::from(display::progress(&Terminal::stderr()));
        typed.clone_into(&mut self.session.typed);
        match &self.interrupts {
            Some(interrupts) => interrupts.run(&mut self.session, move |session| command.run(session)),
            None => command.run(&self.session),
        }
    }
}
