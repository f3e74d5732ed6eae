//! The engine.

use std::os::unix::net::UnixStream;
use std::process::Child;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use evcxr::{CommandContext, EvalContext};

use super::assistant::Shared;
use super::edited::Edit;
use super::event::{Bundle, Event, Failure, Outcome};
use super::gone::Gone;
use super::holes::Holes;
use super::impls::{Impls, NAME};
use super::interrupt::Control;
use super::pump::Pump;
use super::section::{Kind, Section, sections};
use super::session::Session;
use super::warm::Warm;
use super::{Assistant, Error, Interrupter, Result, fault, generated};
use crate::toolkit::Toolkit;

/// What every session begins with.
pub(super) const PRELUDE: &str = "use roborm::prelude::*;";
/// What prints on standard error after what was printed before it. By name: what comes with all that is in a module would
/// not be told from what every crate has.
const PRINTING: &str = "use roborm::cell::printing::{dbg, eprint, eprintln};";
/// The same for an engine, whose cells rust-analyzer is not to read: see [`generated::UNREAD`].
pub(super) fn prelude() -> String {
    format!("{}\n{PRELUDE} {PRINTING}", generated::UNREAD)
}
/// How long the process that runs cells may take to start.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);
/// The commands of evcxr that make sense here; those of roborm come first where names are the same.
const OF_EVCXR: [&str; 11] =
    [":dep", ":vars", ":clear", ":type", ":t", ":types", ":opt", ":explain", ":last_error_json", ":show_deps", ":env"];

const QUESTIONS: &str =
    "`?show`, `?DataFrame::lazy`, `?:spot`: the name of an item, a method with its type, or a command";

/// Evaluates cells.
pub struct Engine {
    // In the order in which they must go: evcxr waits for the process that runs cells, which ends when evcxr hangs up.
    pub(super) context: CommandContext,
    pub(super) process: Arc<Mutex<Child>>,
    pub(super) work: Option<UnixStream>,
    pub(super) pump: Arc<Pump>,
    pub(super) control: Arc<Control>,
    pub(super) shared: Arc<Shared>,
    pub(super) toolkit: Toolkit,
    _warm: Option<Warm>,
    pub(super) session: Session,
    /// The source of the cell whose chart brought what draws charts: it brings it again.
    carrier: Option<String>,
    /// evcxr knows that a cell may end at a `?`.
    pub(super) allows_question: bool,
    pub(super) gone: Gone,
    pub(super) impls: Impls,
    /// What stands in the Rust that is compiled, and was not typed.
    pub(super) heads: Vec<Edit>,
    /// The number of the next cell, where cells have numbers.
    number: Option<u64>,
    pub(super) columns: Option<usize>,
    /// The piece of a cell that was compiled last ran, whatever it came to.
    pub(super) ran: bool,
    /// The process died by it.
    pub(super) died: bool,
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
        context.execute(&prelude()).map_err(failed)?;
        let process = context.process_handle();
        control.watch(Arc::clone(&process));
        // It has run a cell, so it is there; here that may be known later.
        pump.wait_for_questions(PATIENCE);
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
            impls: Impls::default(),
            heads: Vec::new(),
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
        let number = self.number.take();
        self.gone.begin(None);
        self.revive_if_dead();
        self.gone.begin(number);
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
                Err(mut found) => {
                    if section.kind != Kind::Rust {
                        found.traceback.extend(not_run(&sections[at + 1..]));
                    }
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
        let items = self.context.defined_item_names().filter(|name| !name.starts_with(NAME));
        self.shared.set_variables(variables, items);
        match failure {
            Some(failure) => Outcome::Failed(failure.bounded()),
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
            // Which commands there are.
            Kind::Command if section.text == ":" => self.command(":help"),
            Kind::Command => {
                let name = section.text.split_whitespace().next().unwrap_or_default();
                if OF_EVCXR.contains(&name) { self.of_evcxr(&section.text) } else { self.command(&section.text) }
            }
            Kind::Question if section.text.is_empty() => Err(fault::plain(
                "Error",
                "`?` asks what something is, and there is nothing behind it",
                Some(QUESTIONS),
            )),
            Kind::Question => match self.shared.explain(&section.text) {
                Some(found) => Ok(Some(Bundle::of_texts(&found.plain, &found.markdown))),
                None => {
                    let near = self.shared.near(&section.text);
                    let help = match near.split_last() {
                        None => QUESTIONS.to_owned(),
                        Some((only, [])) => format!("did you mean `{only}`?"),
                        Some((last, others)) => format!("did you mean `{}` or `{last}`?", others.join("`, `")),
                    };
                    Err(fault::plain("Error", &format!("nothing is known of `{}`", section.text), Some(&help)))
                }
            },
        }
    }
}

/// A word on what stands behind a command that failed.
fn not_run(sections: &[Section]) -> Option<String> {
    let commands = sections.iter().filter(|section| section.kind == Kind::Command);
    let commands: Vec<String> =
        commands.map(|it| format!("`{}`", it.text.lines().next().unwrap_or_default())).collect();
    let rust = sections.iter().any(|section| section.kind == Kind::Rust).then_some("the Rust of the cell");
    let what: Vec<&str> = commands.iter().map(String::as_str).chain(rust).collect();
    (!what.is_empty()).then(|| fault::note(&format!("not run: {}", what.join(", "))))
}

/// A failure of what was interrupted.
pub(super) fn interrupted(message: &str) -> Failure {
    fault::plain("Interrupted", message, None)
}
