//! Robustness statistics: a table done by hand, peers' figures, laws, intervals.
#![allow(clippy::unwrap_used)]

mod by_hand;
mod errors;
mod intervals;
mod laws;
mod peers;

use roborm::prelude::*;

/// One row of a score table.
#[derive(Clone, Debug)]
pub struct Reply {
    pub model: &'static str,
    pub trajectory: String,
    pub strategy: &'static str,
    pub instruction: String,
    pub score: Option<f64>,
    pub label: Option<i64>,
}

pub fn frame(replies: &[Reply]) -> DataFrame {
    df![
        "model" => replies.iter().map(|r| r.model).collect::<Vec<_>>(),
        "trajectory" => replies.iter().map(|r| r.trajectory.as_str()).collect::<Vec<_>>(),
        "strategy" => replies.iter().map(|r| r.strategy).collect::<Vec<_>>(),
        "instruction" => replies.iter().map(|r| r.instruction.as_str()).collect::<Vec<_>>(),
        "score" => replies.iter().map(|r| r.score).collect::<Vec<_>>(),
        "label" => replies.iter().map(|r| r.label).collect::<Vec<_>>(),
    ]
    .expect("columns are equally long")
}

pub fn table(replies: &[Reply]) -> ScoreTable {
    ScoreTable::from_frame(frame(replies)).expect("the table is well formed")
}
