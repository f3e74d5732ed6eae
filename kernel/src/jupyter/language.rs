//! What the kernel needs of an evaluator: the seam between the protocol and the language.

use std::sync::Arc;

use crate::engine::{Assistant, Completeness, Completions, Engine, Event, Inspection, Outcome, Result};
use crate::toolkit::Toolkit;

/// Runs cells, one after the other.
pub trait Evaluate {
    /// Runs a cell to its end.
    fn run(&mut self, source: &str) -> Outcome;
    /// The number that the next cell has for whoever reads it.
    fn number(&mut self, _number: u64) {}
}

/// Helps whoever types, while a cell runs too. Places are bytes of the source.
pub trait Assist: Send + Sync {
    /// What can stand at a place.
    fn complete(&self, source: &str, at: usize) -> Completions;
    /// What is known of the item at a place.
    fn inspect(&self, source: &str, at: usize) -> Option<Inspection>;
}

/// Takes what happens while a cell runs.
pub type Events = Arc<dyn Fn(Event) + Send + Sync>;

/// An evaluator that is up.
pub struct Running {
    /// Runs cells.
    pub evaluator: Box<dyn Evaluate>,
    /// Stops the cell that runs; may be called at any time, from any thread.
    pub interrupt: Box<dyn Fn() + Send + Sync>,
    /// Helps whoever types.
    pub assistant: Box<dyn Assist>,
}

/// A language, before its evaluator is up.
pub struct Language {
    /// Its version.
    pub version: String,
    /// Tells whether a cell is whole.
    pub completeness: fn(&str) -> Completeness,
    /// Starts the evaluator; called once, on the thread that runs the cells. Fronts are answered before it is up.
    pub start: Box<dyn FnOnce(Events) -> Result<Running> + Send>,
}

impl Language {
    /// Rust, on a toolkit; a toolkit that cannot be used is told of by every cell.
    pub fn rust(toolkit: Result<Toolkit>) -> Self {
        Self {
            version: env!("CARGO_PKG_RUST_VERSION").to_owned(),
            completeness: crate::engine::completeness,
            start: Box::new(move |events| {
                let engine = Engine::start(&toolkit?, move |event| events(event))?;
                let interrupter = engine.interrupter();
                let assistant = Box::new(engine.assistant());
                Ok(Running {
                    evaluator: Box::new(engine),
                    interrupt: Box::new(move || interrupter.interrupt()),
                    assistant,
                })
            }),
        }
    }
}

impl Evaluate for Engine {
    fn run(&mut self, source: &str) -> Outcome {
        Self::run(self, source)
    }

    fn number(&mut self, number: u64) {
        self.set_number(number);
    }
}

impl Assist for Assistant {
    fn complete(&self, source: &str, at: usize) -> Completions {
        Self::complete(self, source, at)
    }

    fn inspect(&self, source: &str, at: usize) -> Option<Inspection> {
        Self::inspect(self, source, at)
    }
}
