//! What rustc says of a cell without compiling it: the types of its variables, and its errors in the places of what was
//! typed.

use evcxr::CompilationError;

use super::cell::Rust;
use super::earlier::Items;
use super::edited::{Edit, Edited};
use super::event::Failure;
use super::includes;
use super::interrupt::What;
use super::run::{Engine, interrupted};
use super::rust::COMPILED;
use super::section::Section;
use super::{Result, fault, types};

impl Engine {
    /// The types of what the cell binds without one: asked of rustc itself, which names them in its complaints about a
    /// trait that nothing has. Its other complaints are the cell's own errors.
    pub(super) fn types(&mut self, rust: &Rust<'_>, section: &Section, cell: &str) -> Result<Vec<String>, Failure> {
        if rust.untyped.is_empty() {
            return Ok(Vec::new());
        }
        let (text, first) = rust.with_questions();
        let (text, back) = for_check(section, &text, &self.heads);
        let first = first + section.line;
        self.control.enter(What::Build);
        let found = self.context.check(&text);
        if self.control.leave() {
            return Err(interrupted(COMPILED));
        }
        let errors = match found {
            Ok(errors) => errors,
            Err(error) => return Err(self.failure(error, cell, section.line, None)),
        };
        let mut types: Vec<Option<String>> = vec![None; rust.untyped.len()];
        let mut own = Vec::new();
        for error in errors {
            match question_of(&error, first) {
                Some(at) if error.code() == Some("E0277") => {
                    if let Some(place) = types.get_mut(at) {
                        place.get_or_insert_with(|| error.message());
                    }
                }
                Some(_) => {}
                None => own.push(error),
            }
        }
        if !own.is_empty() {
            return Err(self.compilation(&own, cell, &back, None));
        }
        rust.untyped
            .iter()
            .zip(types)
            .map(|(binding, found)| {
                let found = found.unwrap_or_else(|| "_".to_owned());
                types::written(&binding.name, &found).map_err(|message| {
                    let (message, help) = message.split_once('\n').unwrap_or((&message, ""));
                    let general = format!("let {}: Box<dyn …> = Box::new(…);", binding.name);
                    let help = match rust.boxed(&binding.name) {
                        Some(boxed) => &help.replace(&general, &boxed),
                        None => help,
                    };
                    fault::plain("Error", message, (!help.is_empty()).then_some(help))
                })
            })
            .collect()
    }

    /// Where what was compiled is not what was typed, the errors of what was typed are the better ones.
    pub(super) fn better(
        &mut self,
        error: &evcxr::Error,
        is_changed: bool,
        section: &Section,
        cell: &str,
    ) -> Option<Failure> {
        if !is_changed || !matches!(error, evcxr::Error::CompilationErrors(_)) {
            return None;
        }
        self.of_check(section, cell)
    }

    /// What a check finds wrong with the text as it was typed.
    pub(super) fn of_check(&mut self, section: &Section, cell: &str) -> Option<Failure> {
        let (text, back) = for_check(section, &section.text, &self.heads);
        let mut errors = self.context.check(&text).ok()?;
        errors.retain(CompilationError::is_from_user_code);
        (!errors.is_empty()).then(|| self.compilation(&errors, cell, &back, None))
    }

    /// Errors of what was compiled last.
    pub(super) fn compilation(
        &self,
        errors: &[CompilationError],
        cell: &str,
        column: &dyn Fn(usize, usize) -> usize,
        exact: Option<&fault::Exact<'_>>,
    ) -> Failure {
        let items = std::cell::LazyCell::new(|| Items::of(&self.context.last_source().unwrap_or_default()));
        let earlier = |error: &CompilationError| self.gone.earlier(&items, error);
        fault::Reader { cell, column, exact, earlier: &earlier }.failure(errors)
    }
}

/// Rust as `check` is given it, with its heads, so that lines are those of the cell; and the way back for columns.
fn for_check(section: &Section, text: &str, heads: &[Edit]) -> (String, impl Fn(usize, usize) -> usize + use<>) {
    let mut edits = std::env::current_dir().map(|folder| includes::edits(text, &folder)).unwrap_or_default();
    edits.extend_from_slice(heads);
    let edited = Edited::new(text, edits);
    let (before, text) = (section.line, format!("{}{}", "\n".repeat(section.line), edited.text));
    (text, move |line: usize, column: usize| edited.back(line.saturating_sub(before), column))
}

/// Which question an error answers: its line stands behind the cell.
fn question_of(error: &CompilationError, first: usize) -> Option<usize> {
    error.primary_spanned_message()?.span?.start_line.checked_sub(first)
}
