//! What the kernel needs of an evaluator: the seam between the protocol and the language.

use std::sync::Arc;

use roborm::Result;

use crate::engine::{Bundle, Event, Outcome};

/// Runs cells, one after the other.
pub trait Evaluate: Send {
    /// Runs a cell to its end.
    fn run(&mut self, source: &str) -> Outcome;
}

/// Helps whoever types, while a cell runs too. Places are bytes of the source.
pub trait Assist: Send + Sync {
    /// What can stand at a place.
    fn complete(&self, source: &str, at: usize) -> Completions;
    /// What is known of the item at a place.
    fn inspect(&self, source: &str, at: usize) -> Option<Bundle>;
}

/// What can stand in place of `start..end`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completions {
    /// The first byte that is replaced.
    pub start: usize,
    /// The byte after the last that is replaced.
    pub end: usize,
    /// The candidates, the likeliest first.
    pub items: Vec<Candidate>,
}

/// One completion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// What is put in.
    pub text: String,
    /// What it is: function, column, path.
    pub kind: Option<String>,
}

/// Whether a cell can be run as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// It can.
    Complete,
    /// Something is open still; what the next line begins with.
    Incomplete(String),
    /// No further line makes it right.
    Invalid,
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
