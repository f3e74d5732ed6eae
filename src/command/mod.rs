//! The commands, written once for every front: `roborm NAME …` in a shell, `:NAME …` at the prompt and in a cell.
//!
//! A front parses a line with [`Line::parse`] (one that lasts: with [`Line::parse_lasting`], which knows `open`, `next`
//! and `scores` too, and takes what is [`Current`] where it is not told), runs it with [`Line::run`] in a [`Session`], and shows the [`Answer`]
//! in its own way: as text, as JSON, or as rich output of a notebook.

mod answer;
mod browser;
mod cases;
mod chart;
mod completion;
mod current;
mod demo;
mod doctor;
mod engine;
mod estimate;
mod examples;
mod flips;
mod frames;
mod handover;
pub mod help;
mod interrupt;
mod lasting;
mod ledger;
mod line;
mod models;
mod options;
mod prices;
mod replaced;
mod report;
mod robustness;
mod score;
mod session;
mod spot;
mod trajectories;
mod why;
mod wording;
mod words;

pub use answer::{Answer, Block, GO_ON};
pub use completion::{Candidate, Completion};
pub use current::Current;
pub use engine::engine_program;
pub(crate) use handover::Keeper;
pub use interrupt::Interrupts;
pub use line::{Line, Unparsed};
pub(crate) use score::stopping;
pub use session::Session;
pub use words::not_closed;
