//! Runs what is typed, line by line, in one session.

use std::sync::Arc;

use roborm::Error;
use roborm::command::{Answer, Current, Interrupts, Line, Session, Unparsed};
use roborm::display::{self, Terminal};
use roborm::study::Cancel;

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
        let result = if lines::is_command(line) {
            self.command(line, place)
        } else {
            Ok(Some(self.engine.eval(line).map(|answer| (answer, false))))
        };
        let status = match result {
            Ok(None) => return Done::Quit,
            Ok(Some(Ok((answer, json)))) => {
                speak::answer(&answer, json, &Terminal::stdout());
                if answer.status != 0 && !place.is_empty() {
                    speak::complain(&format!("error: {place}: not done, exit status {}", answer.status));
                }
                answer.status
            }
            Ok(Some(Err(error))) => {
                let error = if place.is_empty() { error } else { error.at(place) };
                speak::fail(&error);
                error.exit_status()
            }
            Err(status) => status,
        };
        if status == 0
            && let Some(text) = self.tour.after(line)
        {
            speak::print(&text, 0);
        }
        Done::Line(status)
    }

    /// A command: nothing where it ends the session, else its answer and whether that is wanted as JSON; as an error the
    /// exit status of what the grammar has told already.
    fn command(&mut self, line: &str, place: &str) -> Result<Option<Result<(Answer, bool), Error>>, u8> {
        let Some(mut words) = shlex::split(line) else {
            return Ok(Some(Err(Error::usage("a quotation is not closed").with_help("end it with the same sign"))));
        };
        // `: spot` is as good as `:spot`.
        let name = match words.first().map(|word| word.trim_start_matches(':').to_owned()) {
            Some(name) if !name.is_empty() => {
                words.remove(0);
                name
            }
            _ if words.len() > 1 => {
                words.remove(0);
                words.remove(0)
            }
            _ => return Ok(Some(Err(Error::usage("no command after the colon").with_help("`:help` lists them")))),
        };
        let text = |text: String| Ok(Some(Ok((Answer::default().say(text), false))));
        match name.as_str() {
            "quit" | "exit" | "q" => return Ok(None),
            "help" | "h" => return Ok(Some(help::answer(&words).map(|answer| (answer, false)))),
            "tour" => return text(self.tour.start(self.interrupts.is_some(), &words)),
            _ => {}
        }
        let names = help::names();
        if !names.contains(&name) {
            return Ok(Some(Err(Line::unknown(&name, names.iter().map(String::as_str)))));
        }
        words.insert(0, name);
        match Line::parse_lasting(words) {
            Ok(command) => Ok(Some(self.work(&command, line).map(|answer| (answer, command.json())))),
            Err(Unparsed::Help(help)) => {
                speak::print(&help, 0);
                Err(0)
            }
            Err(Unparsed::Usage(wrong)) => {
                let wrong = wrong.trim_end();
                match (place, wrong.strip_prefix("error: ")) {
                    ("", _) | (_, None) => speak::complain(wrong),
                    (place, Some(wrong)) => speak::complain(&format!("error: {place}: {wrong}")),
                }
                Err(2)
            }
        }
    }

    fn work(&mut self, command: &Line, typed: &str) -> Result<Answer, Error> {
        // One that was stopped stops everything after it.
        self.session.cancel = Cancel::new();
        self.session.progress = Arc::from(display::progress(&Terminal::stderr()));
        typed.clone_into(&mut self.session.typed);
        if let Some(interrupts) = &self.interrupts {
            interrupts.watch(&self.session.cancel);
        }
        let result = command.run(&self.session);
        if let Some(interrupts) = &self.interrupts {
            interrupts.rest();
        }
        result
    }
}
