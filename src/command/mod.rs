//! The commands, written once for every front: `roborm NAME …` in a shell, `:NAME …` at the prompt and in a cell.
//!
//! A front parses a line with [`Line::parse`], runs it with [`Line::run`] in a [`Session`], and shows the [`Answer`]
//! in its own way: as text, as JSON, or as rich output of a notebook.

mod answer;
mod cases;
mod demo;
mod doctor;
mod estimate;
mod frames;
mod interrupt;
mod ledger;
mod line;
mod models;
mod options;
mod prices;
mod report;
mod robustness;
mod score;
mod session;
mod spot;
mod trajectories;

pub use answer::{Answer, Block};
pub use line::{Line, Unparsed};
pub use session::Session;
