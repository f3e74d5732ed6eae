//! The engine.

use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::Child;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use evcxr::{CommandContext, EvalCallbacks, EvalContext, EvalOutputs};
use roborm_wire::cell::{Done, Failed, Work};
use roborm_wire::{receive, send};

use super::assistant::Shared;
use super::cell::{Edited, Kind, Rust, Section, sections};
use super::complete::{is_unfinished, torn};
use super::defined::Defined;
use super::event::{Bundle, Event, Failure, Outcome};
use super::gone::{End, Gone, Piece};
use super::holes::Holes;
use super::interrupt::{Control, What};
use super::pump::Pump;
use super::session::Session;
use super::warm::Warm;
use super::{Assistant, Error, Interrupter, Result, fault, front, loss};
use crate::toolkit::Toolkit;

/// What every session begins with.
pub(super) const PRELUDE: &str = "use roborm::prelude::*;";
/// How long the process that runs cells may take to start.
const PATIENCE: Duration = Duration::from_secs(30);
/// The commands of evcxr that make sense here; those of roborm come first where names are the same.
const OF_EVCXR: [&str; 11] =
    [":dep", ":vars", ":clear", ":type", ":t", ":types", ":opt", ":explain", ":last_error_json", ":show_deps", ":env"];

/// Evaluates cells.
pub struct Engine {
    // In the order in which they must go: evcxr waits for the process that runs cells, which ends when evcxr hangs up.
    pub(super) context: CommandContext,
    process: Arc<Mutex<Child>>,
    work: Option<UnixStream>,
    pump: Arc<Pump>,
    pub(super) control: Arc<Control>,
    shared: Arc<Shared>,
    toolkit: Toolkit,
    _warm: Option<Warm>,
    session: Session,
    /// The source of the cell whose chart brought what draws charts: it brings it again.
    carrier: Option<String>,
    /// evcxr knows that a cell may end at a `?`.
    allows_question: bool,
    gone: Gone,
    /// The number of the next cell, where cells have numbers.
    number: Option<u64>,
    columns: Option<usize>,
    /// The piece of a cell that was compiled last ran, whatever it came to.
    ran: bool,
    /// The process died by it.
    died: bool,
    pub(super) holes: Holes,
}

impl Engine {
    /// Starts an evaluator; `events` is called from one thread at a time, in the order in which things happen.
    ///
    /// # Errors
    /// The toolkit is not whole, or the process that runs cells cannot be started.
    pub fn start(toolkit: &Toolkit, events: impl Fn(Event) + Send + Sync + 'static) -> Result<Self> {
        let session = Session::new()?;
        let warm = Warm::start(toolkit, &session.files);
        let events: super::pump::Events = Arc::new(events);
        let control = Arc::new(Control::new(session.files.stop()));
        let pump = Pump::start(&session.files, Arc::clone(&events), Arc::clone(&control))?;
        let failed = |error: evcxr::Error| {
            Error::new(format!("the evaluator cannot start: {error}"))
                .with_help("install the kernel anew: cargo xtask kernel")
        };
        let child = session.child(toolkit);
        let (context, outputs) =
            session.surround(toolkit, || EvalContext::with_subprocess_command(child)).map_err(failed)?;
        for (is_out, lines) in [(true, outputs.stdout), (false, outputs.stderr)] {
            let events = Arc::clone(&events);
            // evcxr waits until what it passed on is taken. Little comes here: what a process says before it is set up.
            let pass_on = move || {
                for line in lines {
                    events(if is_out { Event::Stdout(line + "\n") } else { Event::Stderr(line + "\n") });
                }
            };
            std::thread::Builder::new()
                .name("roborm-evcxr".to_owned())
                .spawn(pass_on)
                .map_err(|error| Error::io("cannot start a thread", &error))?;
        }
        let mut context = CommandContext::with_eval_context(context);
        context.execute(PRELUDE).map_err(failed)?;
        let process = context.process_handle();
        control.watch(Arc::clone(&process));
        let shared = Arc::new(Shared::new(Arc::clone(&pump), toolkit));
        pump.end();
        let toolkit = toolkit.clone();
        let holes = Holes::read(&session.files.types());
        Ok(Self {
            context,
            process,
            work: None,
            pump,
            control,
            shared,
            toolkit,
            _warm: warm,
            session,
            carrier: None,
            allows_question: false,
            gone: Gone::default(),
            number: None,
            columns: None,
            ran: false,
            died: false,
            holes,
        })
    }

    /// Runs a whole cell: Rust, `:commands`, `?item`. All events of the cell have been told of when it returns.
    pub fn run(&mut self, source: &str) -> Outcome {
        let carries = self.carrier.as_deref().is_none_or(|carrier| carrier == source);
        self.pump.begin(carries);
        self.control.begin();
        self.gone.begin(self.number.take());
        let mut value = None;
        let mut failure = None;
        let sections = sections(source);
        for (at, section) in sections.iter().enumerate() {
            if self.control.is_interrupted() {
                failure = Some(interrupted("interrupted; the rest of the cell was not run"));
                break;
            }
            // evcxr takes its own faults for a reason to end.
            let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.section(section, source)));
            let done = done.unwrap_or_else(|_| {
                Err(fault::plain(
                    "Error",
                    "the evaluator came to a fault of its own in this cell",
                    Some("variables of earlier cells are kept; please report the cell"),
                ))
            });
            match done {
                // Of Rust, what the cell ends in is its value; what was asked for in between is shown.
                Ok(Some(found)) if section.kind != Kind::Rust && at + 1 < sections.len() => self.pump.show(found),
                Ok(found) => value = found,
                Err(found) => {
                    failure = Some(found);
                    break;
                }
            }
        }
        self.control.end();
        let heard = self.pump.end();
        if carries && Pump::carried(&heard) {
            self.carrier = Some(source.to_owned());
        }
        let variables = self.variables();
        let variables = variables.iter().map(|(name, of)| (name.as_str(), of.as_str()));
        self.shared.set_variables(variables, self.context.defined_item_names());
        match failure {
            Some(failure) => Outcome::Failed(failure),
            None => Outcome::Done(value),
        }
    }

    /// The number that the next cell has for whoever reads it.
    pub fn set_number(&mut self, number: u64) {
        self.number = Some(number);
    }

    /// Characters that a line of text may have in what is shown from now on; `None`: no limit is known.
    pub fn set_columns(&mut self, columns: Option<usize>) {
        self.columns = columns;
        self.pump.set_columns(columns);
    }

    /// What stops the cell that runs.
    pub fn interrupter(&self) -> Interrupter {
        Interrupter::new(Arc::clone(&self.control))
    }

    /// What answers completion and documentation.
    pub fn assistant(&self) -> Assistant {
        Assistant::new(Arc::clone(&self.shared))
    }

    /// The variables and their types.
    pub fn variables(&self) -> Vec<(String, String)> {
        let all = self.context.variables_and_types();
        let mut all: Vec<_> = all.map(|(name, of)| (name.to_owned(), self.holes.filled(of))).collect();
        all.sort();
        all
    }

    fn section(&mut self, section: &Section, cell: &str) -> Result<Option<Bundle>, Failure> {
        match section.kind {
            Kind::Rust => self.remembered(section, cell),
            Kind::Command => {
                let name = section.text.split_whitespace().next().unwrap_or_default();
                if OF_EVCXR.contains(&name) { self.of_evcxr(&section.text) } else { self.command(&section.text) }
            }
            Kind::Shell => self.of_evcxr(&section.text),
            Kind::Question => match self.shared.explain(&section.text) {
                Some(found) => Ok(Some(Bundle::of_texts(&found.plain, &found.markdown))),
                None => Err(fault::plain(
                    "Error",
                    &format!("nothing is known of `{}`", section.text),
                    Some(
                        "`?show`, `?DataFrame::lazy`, `?:spot`: the name of an item, a method with its type, or a command",
                    ),
                )),
            },
        }
    }

    /// A command, which the process that runs cells runs.
    fn command(&mut self, line: &str) -> Result<Option<Bundle>, Failure> {
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
            Ok(Done::Failed { message, help, .. }) => Err(fault::plain("Error", &message, help.as_deref())),
            Err(_) => Err(self.revive()),
        }
    }

    fn ask(&mut self, work: &Work) -> std::io::Result<Done> {
        let gone = || std::io::Error::from(std::io::ErrorKind::BrokenPipe);
        if self.work.is_none() {
            self.work = self.pump.work(PATIENCE);
        }
        let stream = self.work.as_mut().ok_or_else(gone)?;
        send(stream, work)?;
        receive(stream)?.ok_or_else(gone)
    }

    /// The process died while it ran a command: evcxr does not know yet. Makes it start another.
    fn revive(&mut self) -> Failure {
        let status = self.process.lock().unwrap_or_else(PoisonError::into_inner).wait().ok();
        let why = status.map_or_else(|| "ended".to_owned(), |status| reason(&status.to_string(), status.signal()));
        // A cell that does nothing finds the process gone, and evcxr starts another.
        let _ = self.context.execute("();");
        self.lost(&why)
    }

    /// The process that runs cells is gone, and everything in it.
    fn lost(&mut self, why: &str) -> Failure {
        self.work = None;
        self.died = true;
        self.pump.lost();
        let was_killed = self.control.take_killed();
        let lost = loss::told(&self.shared.names_of_variables(), &self.session.files.kept());
        if was_killed {
            fault::plain(
                "Interrupted",
                &format!("the code did not stop when it was interrupted, and was killed\n{lost}"),
                Some("code that asks `interrupted()` now and then, or awaits, stops and keeps its variables"),
            )
        } else {
            fault::plain("Died", &format!("the process that runs cells {why}\n{lost}"), None)
        }
    }

    /// A command of evcxr's own.
    fn of_evcxr(&mut self, line: &str) -> Result<Option<Bundle>, Failure> {
        if let Some(rest) = line.strip_prefix(":dep")
            && let Some(carried) = self.carried(rest)
        {
            return Err(carried);
        }
        self.control.enter(What::Build);
        let result = self.context.execute(line);
        self.control.leave();
        if line.starts_with(":clear") {
            // evcxr forgot all it knew, and the process is another.
            self.allows_question = false;
            self.work = None;
            self.pump.lost();
            self.gone.forget();
            self.shared.forget();
            if let Err(error) = self.context.execute(PRELUDE) {
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

    /// Rust; what it defines and what becomes of variables by it is remembered.
    fn remembered(&mut self, section: &Section, cell: &str) -> Result<Option<Bundle>, Failure> {
        let defined = Defined::by(&section.text);
        let before = self.variables();
        let outdated = self.gone.outdated(&defined, &before);
        if !outdated.is_empty() {
            self.outdate(outdated.clone());
        }
        (self.ran, self.died) = (false, false);
        let done = self.rust(section, cell);
        if !outdated.is_empty() {
            // Those that the cell did not mention are still there; a cell that does finds them gone.
            let left: String = self
                .variables()
                .iter()
                .filter(|(name, _)| outdated.contains(name))
                .map(|(name, _)| format!("&{name},"))
                .collect();
            if self.ran && !left.is_empty() {
                let _ = self.context.execute(&format!("let _ = ({left});"));
                self.pump.end_of_section();
            }
            self.outdate(Vec::new());
        }
        let names = |variables: Vec<(String, String)>| variables.into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        let end = match &done {
            Ok(_) => End::Whole,
            Err(_) if self.died => End::Lost,
            Err(_) if self.ran => End::Early,
            Err(_) => End::Never,
        };
        let piece = Piece { source: &section.text, defined: &defined, before: &names(before), outdated: &outdated };
        for note in self.gone.over(&piece, &names(self.variables()), end) {
            self.pump.note(&note);
        }
        if self.ran || end == End::Whole {
            self.shared.define(defined.entries);
        }
        done.map_err(|failure| self.gone.explain(failure))
    }

    /// Tells the process that runs cells which variables are of types that the next cell defines anew.
    fn outdate(&mut self, names: Vec<String>) {
        // Where the process is gone, so are the variables.
        let _ = self.ask(&Work { line: String::new(), columns: None, outdated: names });
    }

    /// Rust.
    fn rust(&mut self, section: &Section, cell: &str) -> Result<Option<Bundle>, Failure> {
        if let Some((line, column)) = torn(&section.text) {
            let message = "a bracket is closed that is not open, or another than is open";
            let place = format!("line {}, column {column}", line + section.line);
            let mut failure = fault::plain("Error", message, None);
            failure.message = format!("{message} ({place})");
            failure.traceback.push(format!("  --> {place}"));
            return Err(failure);
        }
        if is_unfinished(&section.text) {
            return Err(fault::plain("Error", "a string or a comment is not closed", None));
        }
        let rust = Rust::read(&section.text);
        if let Some((line, column)) = rust.too_deep() {
            let failure = fault::plain(
                "Error",
                "operators, brackets or calls are nested too deeply to be compiled",
                Some("make several statements of it, or a loop"),
            );
            return Err(fault::at(failure, cell, line + section.line, column));
        }
        if rust.has_question && !self.allows_question {
            // evcxr learns by a cell that fails; the front fails this one at once. See `front::QUESTION`.
            self.allows_question = self.context.execute(front::QUESTION).is_ok();
            self.pump.end_of_section();
        }
        // evcxr counts lines from the first of what it is given.
        let placed = |edited: &Edited| format!("{}{}", "\n".repeat(section.line), edited.text);
        let mut done = None;
        if let Some(holes) = self.open_holes(&rust.written()) {
            let edited = rust.edited(&holes);
            done = self.quickly(&placed(&edited)).map(|result| (result, edited));
        }
        let (result, edited) = match done {
            Some(done) => done,
            // The long way: it has the better errors, and takes what the short one does not.
            None => {
                let types = self.types(&rust, section, cell)?;
                let holes = self.open_holes(&types).unwrap_or(types);
                let edited = rust.edited(&holes);
                let text = placed(&edited);
                let result = match self.quickly(&text) {
                    Some(result) => result,
                    None => {
                        if let Some(failure) = self.of_check(section, cell) {
                            return Err(failure);
                        }
                        // A check finds nothing wrong: it is what becomes of the cell that does not compile.
                        self.control.enter(What::Rust);
                        let result = self.context.execute_with_callbacks(&text, &mut EvalCallbacks::default());
                        self.control.leave();
                        result
                    }
                };
                (result, edited)
            }
        };
        self.holes.refresh();
        let heard = self.pump.end_of_section();
        self.ran = result.is_ok();
        match (result, heard.failed) {
            (Err(evcxr::Error::SubprocessTerminated(message)), _) => {
                let message = message.trim().trim_start_matches("Subprocess terminated with status: ").to_owned();
                Err(self.lost(&reason(&message, None)))
            }
            (_, Some(failed)) => Err(self.failed(failed, section, &edited, cell)),
            (Ok(_), None) => Ok(heard.result),
            (Err(error), None) => match self.better(&error, edited.is_changed(), section, cell) {
                Some(failure) => Err(failure),
                None => Err(self.failure(error, cell, section.line, Some(&edited))),
            },
        }
    }

    /// Runs Rust that is expected to compile. `None`: it does not, and nothing was run.
    fn quickly(&mut self, text: &str) -> Option<Result<EvalOutputs, evcxr::Error>> {
        self.control.enter(What::Rust);
        self.session.files.set_quick(true);
        let result = self.context.execute_with_callbacks(text, &mut EvalCallbacks::default());
        let has_failed = self.session.files.has_failed();
        self.session.files.set_quick(false);
        self.control.leave();
        (!has_failed).then_some(result)
    }

    /// Names for the types of what the cell binds, for rustc to fill in what is not known of them.
    fn open_holes(&mut self, written: &[String]) -> Option<Vec<String>> {
        (!written.is_empty()).then(|| self.holes.open(written).ok()).flatten()
    }

    pub(super) fn failure(&mut self, error: evcxr::Error, cell: &str, line: usize, edited: Option<&Edited>) -> Failure {
        let back = |at: usize, column: usize| match edited {
            Some(edited) => edited.back(at.saturating_sub(line), column),
            None => column,
        };
        match error {
            evcxr::Error::CompilationErrors(errors) => fault::compilation(&errors, cell, &back),
            evcxr::Error::SubprocessTerminated(message) => self.lost(&reason(message.trim(), None)),
            evcxr::Error::TypeRedefinedVariablesLost(names) => fault::plain(
                "Error",
                &format!("types were defined anew; variables of the old ones are lost: {}", names.join(", ")),
                None,
            ),
            evcxr::Error::Message(message) => fault::plain("Error", self.holes.filled(message.trim()).as_str(), None),
        }
    }

    fn failed(&self, failed: Failed, section: &Section, edited: &Edited, cell: &str) -> Failure {
        match failed {
            Failed::Interrupted => interrupted("interrupted; the variables of earlier cells are kept"),
            Failed::Error { message, help, place } => {
                let failure = fault::plain("Error", &message, help.as_deref());
                self.placed(failure, place, section, edited, cell)
            }
            Failed::Panic { message, place } => {
                self.placed(fault::plain("Panic", &message, None), place, section, edited, cell)
            }
        }
    }

    /// A failure with the place where it happened: in the cell, or in some other file.
    fn placed(
        &self,
        failure: Failure,
        place: Option<(String, u32, u32)>,
        section: &Section,
        edited: &Edited,
        cell: &str,
    ) -> Failure {
        let Some((file, line, column)) = place else { return failure };
        if !file.ends_with("lib.rs") || !file.contains("target/build") {
            return fault::elsewhere(failure, &format!("{file}, line {line}"));
        }
        match self.in_cell(line as usize, column as usize, edited) {
            Some((line, column)) => fault::at(failure, cell, line + section.line, column),
            None => failure,
        }
    }

    /// A place of what was compiled last, as a line of the section (from 1) and a column of it.
    fn in_cell(&self, line: usize, column: usize, edited: &Edited) -> Option<(usize, usize)> {
        let compiled = self.context.last_source().ok()?;
        let column = compiled.lines().nth(line.checked_sub(1)?).map_or(column, |text| self.holes.back(text, column));
        let (at, column) = edited.place_of(&compiled, line, column)?;
        Some((at, edited.back(at, column)))
    }
}

fn interrupted(message: &str) -> Failure {
    fault::plain("Interrupted", message, None)
}

/// How a process ended, in words.
fn reason(message: &str, signal: Option<i32>) -> String {
    let signals = [
        (11, "SIGSEGV", "was stopped by a segmentation fault"),
        (6, "SIGABRT", "aborted"),
        (9, "SIGKILL", "was killed (by the system for want of memory, or by hand)"),
        (7, "SIGBUS", "was stopped by a bus error"),
        (4, "SIGILL", "was stopped by an illegal instruction"),
        (8, "SIGFPE", "was stopped by an arithmetic fault"),
    ];
    for (number, name, words) in signals {
        if signal == Some(number) || message.contains(name) {
            return words.to_owned();
        }
    }
    match message.rsplit_once("exit status: ") {
        Some((_, code)) => format!("exited with status {}", code.trim()),
        None => format!("ended ({})", message.lines().last().unwrap_or_default()),
    }
}
