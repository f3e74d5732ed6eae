//! The engine.

use super::{Assistant, Event, Outcome, Result};
use crate::toolkit::Toolkit;

/// Evaluates cells.
pub struct Engine {}

/// Stops what an engine runs. Clones stop the same engine; usable from any thread.
#[derive(Clone)]
pub struct Interrupter {}

impl Interrupter {
    /// The first time, asks what runs to stop and kills Rust code that has not in two seconds; the second time does not
    /// wait. Does nothing between cells.
    pub fn interrupt(&self) {}
}

impl Engine {
    /// Starts an evaluator; `events` is called from one thread at a time, in the order in which things happen.
    ///
    /// # Errors
    /// The toolkit is not whole, or the process that runs cells cannot be started.
    pub fn start(toolkit: &Toolkit, events: impl Fn(Event) + Send + Sync + 'static) -> Result<Self> {
        let _ = (toolkit, events);
        todo!()
    }

    /// Runs a whole cell: Rust, `:commands`, `?item`. All events of the cell have been told of when it returns.
    pub fn run(&mut self, source: &str) -> Outcome {
        let _ = source;
        todo!()
    }

    /// What stops the cell that runs.
    pub fn interrupter(&self) -> Interrupter {
        Interrupter {}
    }

    /// What answers completion and documentation.
    pub fn assistant(&self) -> Assistant {
        Assistant {}
    }
}
