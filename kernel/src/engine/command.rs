//! The commands of a cell: those of roborm, which the process that runs cells runs, and evcxr's own.

use roborm_wire::cell::{Done, Work};
use roborm_wire::{receive, send};

use super::event::{Bundle, Failure};
use super::fault;
use super::impls::Impls;
use super::interrupt::What;
use super::run::{Engine, PATIENCE, interrupted, prelude};

impl Engine {
    /// A command, which the process that runs cells runs.
    pub(super) fn command(&mut self, line: &str) -> Result<Option<Bundle>, Failure> {
        self.control.enter(What::Command);
        let done = self.ask(&Work { line: line.to_owned(), columns: self.columns, outdated: Vec::new() });
        let interrupted_it = self.control.leave();
        match done {
            Ok(Done::Ended { status: 0 }) => Ok(None),
            Ok(Done::Ended { status: 130 }) => Err(interrupted("interrupted; what was paid for is in the ledger")),
            Ok(Done::Ended { .. }) if interrupted_it => Err(interrupted(
                "interrupted; what was paid for is in the ledger, and the same command goes on from there",
            )),
            Ok(Done::Ended { status }) => {
                Err(fault::plain("Error", &format!("`{line}` did not do all of its work (exit status {status})"), None))
            }
            Ok(Done::Failed { message, help, .. }) => {
                // A variable that was handed to the command is not there: it may be known what became of it.
                match message.strip_prefix("no variable ").and_then(|name| self.gone.fate(name)) {
                    Some((fate, help)) => Err(fault::plain("Error", &format!("the variable {fate}"), Some(help))),
                    None => Err(fault::plain("Error", &message, help.as_deref())),
                }
            }
            Err(_) => Err(self.revive()),
        }
    }

    pub(super) fn ask(&mut self, work: &Work) -> std::io::Result<Done> {
        let gone = || std::io::Error::from(std::io::ErrorKind::BrokenPipe);
        if self.work.is_none() {
            self.work = self.pump.work(PATIENCE);
        }
        let stream = self.work.as_mut().ok_or_else(gone)?;
        send(stream, work)?;
        receive(stream)?.ok_or_else(gone)
    }

    /// A command of evcxr's own.
    pub(super) fn of_evcxr(&mut self, line: &str) -> Result<Option<Bundle>, Failure> {
        if let Some(rest) = line.strip_prefix(":dep")
            && let Some(carried) = self.carried(rest)
        {
            return Err(carried);
        }
        self.control.enter(What::Build);
        let mut result = self.context.execute(line);
        if result.is_ok() && line.strip_prefix(":dep").is_some_and(is_of_a_folder) {
            // Of a line that it knows evcxr builds nothing, and a folder may have changed: what is wrong with it now is to
            // be told here, not by the next cell.
            if let Err(error) = self.context.execute("();") {
                result = Err(error);
            }
            self.pump.end_of_section();
        }
        let interrupted_it = self.control.leave();
        if line.starts_with(":clear") {
            // evcxr forgot all it knew, and the process is another.
            self.allows_question = false;
            self.work = None;
            self.pump.lost();
            self.pump.wait_for_questions(PATIENCE);
            self.gone.forget();
            self.impls = Impls::default();
            self.shared.forget();
            if let Err(error) = self.context.execute(&prelude()) {
                return Err(self.failure(error, line, 0, None));
            }
        }
        match result {
            Ok(outputs) => {
                let mut bundle = Bundle::default();
                for (mime, content) in outputs.content_by_mime_type {
                    bundle.data.insert(mime, self.holes.filled(&content).into());
                }
                Ok((!bundle.data.is_empty()).then_some(bundle))
            }
            Err(_) if interrupted_it && line.starts_with(":dep") => Err(fault::plain(
                "Interrupted",
                "interrupted: the crate is not added",
                Some("the same line goes on with what was built so far"),
            )),
            Err(_) if interrupted_it => Err(interrupted("interrupted")),
            Err(error) => Err(self.failure(error, line, 0, None)),
        }
    }

    /// `:dep` of a crate that is in the toolkit: a second copy would have types of its own.
    fn carried(&self, rest: &str) -> Option<Failure> {
        let name = rest.trim().split([' ', '=', '@', '{']).next().unwrap_or_default();
        // A path to a crate is a crate of the user's own, whatever its name.
        if rest.contains("path") || name.is_empty() || name.contains('/') || !self.toolkit.recorded().carries(name) {
            return None;
        }
        let name = name.replace('-', "_");
        let help = format!("use it as it is: `use {name}::…;`");
        Some(fault::plain(
            "Error",
            &format!("{name} is part of the toolkit: a second copy of it would have types of its own"),
            Some(&help),
        ))
    }
}

/// Whether what stands behind `:dep` is a crate in a folder.
fn is_of_a_folder(rest: &str) -> bool {
    rest.contains("path") || rest.trim_start().starts_with(['.', '/'])
}
