//! The Rust of a cell: compiled, run, and what is said of how it fails.

use evcxr::{EvalCallbacks, EvalOutputs};
use roborm_wire::cell::{Failed, Work};

use super::bounds::{DEEP, LESS_DEEP, excess};
use super::cell::Rust;
use super::complete::torn;
use super::defined::Defined;
use super::edited::Edited;
use super::event::{Bundle, Failure};
use super::gone::{End, Piece};
use super::interrupt::What;
use super::loss::reason;
use super::places::{Place, Places};
use super::refused::{self, Refused};
use super::run::{Engine, interrupted};
use super::section::Section;
use super::{fault, front};

/// What an interrupt comes to while rustc is at work.
pub(super) const COMPILED: &str = "interrupted while it was compiled: nothing of it was run";

impl Engine {
    /// Rust; what it defines and what becomes of variables by it is remembered.
    pub(super) fn remembered(&mut self, section: &Section, cell: &str) -> Result<Option<Bundle>, Failure> {
        if let Some(excess) = excess(&section.text) {
            let before = &section.text[..excess.at];
            let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
            let line = before.matches('\n').count() + 1;
            let failure = fault::plain("Error", &excess.message, Some(excess.help));
            return Err(fault::at(failure, cell, line + section.line, column));
        }
        let mut defined = Defined::by(&section.text);
        let before = self.variables();
        let outdated = self.gone.outdated(&defined, &before);
        // What the cell binds anew goes first: told of it only by the cell, evcxr would take the new one for the old.
        let (anew, outdated): (Vec<String>, Vec<String>) =
            outdated.into_iter().partition(|name| defined.bindings.contains(name));
        self.let_go(&anew);
        if !outdated.is_empty() {
            self.outdate(outdated.clone());
        }
        (self.ran, self.died) = (false, false);
        self.gone.define(&defined);
        let done = self.rust(section, cell);
        if !outdated.is_empty() {
            // Those that the cell did not mention are still there; a cell that does finds them gone.
            if self.ran {
                self.let_go(&outdated);
            }
            self.outdate(Vec::new());
        }
        let outdated = [anew, outdated].concat();
        let names = |variables: Vec<(String, String)>| variables.into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        let end = match &done {
            Ok(_) => End::Whole,
            Err(_) if self.died => End::Lost,
            Err(_) if self.ran => End::Early,
            Err(_) => End::Never,
        };
        let piece = Piece {
            source: &section.text,
            line: section.line,
            defined: &defined,
            before: &names(before),
            outdated: &outdated,
        };
        for note in self.gone.over(&piece, &names(self.variables()), end) {
            self.pump.note(&note);
        }
        if self.ran || end == End::Whole {
            self.shared.define(std::mem::take(&mut defined.entries));
        }
        done.map_err(|failure| {
            let mut failure = self.gone.explain(failure, &defined);
            failure.traceback.extend(refused::meant(&section.text).map(|meant| fault::help(&meant)));
            // What shows values is none of the cell's business.
            let is_ours = |line: &&str| line.contains("which is required by") && line.contains("roborm::cell::");
            for said in failure.traceback.iter_mut().filter(|said| said.lines().any(|line| is_ours(&line))) {
                *said = said.lines().filter(|line| !is_ours(line)).collect::<Vec<_>>().join("\n");
            }
            failure
        })
    }

    /// Drops those of these variables that are there, by code that knows them as they were.
    fn let_go(&mut self, names: &[String]) {
        let left = self.variables().into_iter().filter(|(name, _)| names.contains(name));
        let left: String = left.map(|(name, _)| format!("&{name},")).collect();
        if !left.is_empty() {
            self.outdate(names.to_vec());
            // It fails, since none of them is there any more: so evcxr learns it.
            let _ = self.context.execute(&format!("let _ = ({left});"));
            self.pump.end_of_section();
            self.outdate(Vec::new());
        }
    }

    /// Tells the process that runs cells which variables are of types that the next cell defines anew.
    fn outdate(&mut self, names: Vec<String>) {
        // Where the process is gone, so are the variables.
        let _ = self.ask(&Work { line: String::new(), columns: None, outdated: names });
    }

    /// Rust.
    fn rust(&mut self, section: &Section, cell: &str) -> Result<Option<Bundle>, Failure> {
        let refuse = |it: Refused| {
            let failure = fault::plain("Error", &it.message, Some(&it.help));
            Err(fault::at(failure, cell, it.line + section.line, it.column))
        };
        if let Some(refused) = refused::foreign(&section.text) {
            return refuse(refused);
        }
        if let Some((message, line, column)) = torn(&section.text) {
            return Err(fault::at(fault::plain("Error", &message, None), cell, line + section.line, column));
        }
        let rust = Rust::read(&section.text);
        if let Some((line, column)) = rust.too_deep() {
            let failure = fault::plain("Error", DEEP, Some(LESS_DEEP));
            return Err(fault::at(failure, cell, line + section.line, column));
        }
        if let Some((expected, line, column)) = rust.expected() {
            let failure = fault::plain("Error", &format!("the code ends too early: {expected}"), None);
            return Err(fault::at(failure, cell, line + section.line, column));
        }
        if let Some(failure) = self.of_syntax(&rust, section, cell) {
            return Err(failure);
        }
        if let Some(refused) = refused::of(&section.text) {
            return refuse(refused);
        }
        let (heads, plan) = rust.heads(&self.impls);
        self.heads = heads;
        if rust.has_question && !self.allows_question {
            // evcxr learns by a cell that fails; the front fails this one at once. See `front::QUESTION`.
            self.allows_question = self.context.execute(front::QUESTION).is_ok();
            self.pump.end_of_section();
        }
        let heads = self.heads.clone();
        // evcxr counts lines from the first of what it is given.
        let placed = |edited: &Edited| format!("{}{}", "\n".repeat(section.line), edited.text);
        let mut done = None;
        if let Some(holes) = self.open_holes(&rust.written()) {
            let edited = rust.edited(&holes, &heads);
            self.set_places(section, &edited);
            done = self.quickly(&placed(&edited)).map(|result| (result, edited));
        }
        let (result, edited) = match done {
            Some(done) => done,
            // The long way: it has the better errors, and takes what the short one does not.
            None => {
                let types = self.types(&rust, section, cell)?;
                let holes = self.open_holes(&types).unwrap_or(types);
                let edited = rust.edited(&holes, &heads);
                self.set_places(section, &edited);
                let text = placed(&edited);
                let result = match self.quickly(&text) {
                    Some(result) => result,
                    None => {
                        if let Some(failure) = self.of_check(section, cell) {
                            return Err(failure);
                        }
                        if self.control.is_interrupted() {
                            return Err(interrupted(COMPILED));
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
        if self.ran {
            self.impls = plan.impls;
            for gone in plan.gone {
                self.pump
                    .note(&format!("note: {gone} is no more: this cell takes the place of the one that defined it"));
            }
        }
        match (result, heard.failed) {
            (Err(evcxr::Error::SubprocessTerminated(message)), _) => {
                let message = message.trim().trim_start_matches("Subprocess terminated with status: ").to_owned();
                let ran = self.control.has_run();
                let mut failure = self.lost(&reason(&message, None));
                if !ran {
                    failure.traceback.push(fault::help("this cell was not run; run it again"));
                }
                Err(failure)
            }
            (_, Some(failed)) => Err(self.failed(failed, cell)),
            (Ok(_), None) => Ok(heard.result),
            (Err(error), None) => {
                // First: it goes by what was compiled last, which the check replaces.
                let failure = self.failure(error.clone(), cell, section.line, Some(&edited));
                if self.session.files.is_refused() {
                    // A check shows nothing, and finds nothing wrong. What shows a value is none of the cell's own code.
                    let has_place = failure.traceback.iter().any(|line| line.contains("-->"));
                    return Err(match rust.shown().filter(|_| !has_place) {
                        Some((line, column)) => fault::at(failure, cell, line + section.line, column),
                        None => failure,
                    });
                }
                Err(self.better(&error, edited.is_changed(), section, cell).unwrap_or(failure))
            }
        }
    }

    /// Has what the piece prints of places in it told as those of the cell.
    fn set_places(&mut self, section: &Section, edited: &Edited) {
        let (cell, origins) = self.gone.origins();
        self.pump.set_places(Places {
            cell,
            line: section.line,
            compiled: self.session.files.cells().join("src/lib.rs"),
            edited: edited.clone(),
            holes: self.holes.clone(),
            origins,
        });
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
            evcxr::Error::CompilationErrors(errors) => match edited {
                Some(edited) => {
                    let exact = |at: usize, column: usize| {
                        let (at, column) = self.in_cell(at, column, edited)?;
                        Some((at + line, column))
                    };
                    self.compilation(&errors, cell, &back, Some(&exact))
                }
                None => self.compilation(&errors, cell, &back, None),
            },
            evcxr::Error::SubprocessTerminated(message) => self.lost(&reason(message.trim(), None)),
            evcxr::Error::TypeRedefinedVariablesLost(names) => fault::plain(
                "Error",
                &format!("types were defined anew; variables of the old ones are lost: {}", names.join(", ")),
                None,
            ),
            evcxr::Error::Message(_) if self.control.is_interrupted() => interrupted(COMPILED),
            evcxr::Error::Message(message) => fault::plain("Error", self.holes.filled(message.trim()).as_str(), None),
        }
    }

    fn failed(&self, failed: Failed, cell: &str) -> Failure {
        match failed {
            Failed::Interrupted => interrupted("interrupted; the variables of earlier cells are kept"),
            Failed::Error { message, help, place } => {
                let failure = fault::plain("Error", &message, help.as_deref());
                self.placed(failure, place, cell)
            }
            Failed::Panic { message, place } => {
                let help = message.contains("start a runtime from within a runtime").then_some(
                    "what is awaited runs on a runtime already: say `.await` there, in the place of `block_on(…)`, or \
                     `wait(…)` in a function that is not `async`; no runtime has to be made",
                );
                self.placed(fault::plain("Panic", &message, help), place, cell)
            }
        }
    }

    /// A failure with the place where it happened: in the cell, or in some other file.
    fn placed(&self, failure: Failure, place: Option<(String, u32, u32)>, cell: &str) -> Failure {
        let Some((file, line, column)) = place else { return failure };
        if !Places::is_file(&file) {
            return fault::elsewhere(failure, &file, line as usize);
        }
        let (line, column) = (line as usize, column as usize);
        match self.pump.place(line, column) {
            Some(Place::Earlier { item, origin, column, text }) => {
                let cell = origin.cell.map_or_else(|| "an earlier cell".to_owned(), |cell| format!("cell {cell}"));
                fault::earlier(failure, &format!("line {} of {cell}, in `{item}`", origin.line), &text, column)
            }
            Some(Place::Here { line, column }) => fault::at(failure, cell, line, column),
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
