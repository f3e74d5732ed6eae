//! Rewordings of an instruction that mean the same.
//!
//! A paraphrase file (JSONL, CSV or Parquet, by its extension) has a row a paraphrase:
//!
//! | column | type | |
//! | --- | --- | --- |
//! | `task` | str | the instruction that is reworded, as the dataset has it; in each row either this |
//! | `trajectory` | str | or the id of the one trajectory it is for |
//! | `strategy` | str | `lexical`, `structural`, `adversarial`, or any other name |
//! | `instruction` | str | the rewording, kept byte for byte |
//! | `id`, `seed` | str, optional | its name; the paraphrase that an aggregation variant came from |
//! | `verified` | bool, optional | whether validators found it equivalent |
//! | `votes` | i64, optional | how many of them did |
//!
//! The original instruction comes from the dataset and is always scored. A row of a task under the strategy `original`
//! that repeats the task is left out as needless; any other row under it contradicts the dataset and is an error.

mod demo;
mod file;
mod set;
mod similarity;
mod strategy;

pub use demo::demo;
pub use set::ParaphraseSet;
pub use similarity::{Embedding, SentenceModel};
pub use strategy::Strategy;

/// What a paraphrase belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Key {
    /// Every trajectory of this task.
    Task(String),
    /// This trajectory alone.
    Trajectory(String),
}

/// One rewording of an instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Paraphrase {
    /// What it rewords.
    pub key: Key,
    /// How it was made.
    pub strategy: Strategy,
    /// The text that takes the place of the instruction.
    pub instruction: String,
    /// The file's own name for it.
    pub id: Option<String>,
    /// The paraphrase that an aggregation variant came from.
    pub seed: Option<String>,
    /// Whether validators found it equivalent.
    pub verified: Option<bool>,
    /// How many validators found it equivalent.
    pub votes: Option<i64>,
}

impl Paraphrase {
    /// A paraphrase of a task, with nothing else known of it.
    pub fn of_task(task: impl Into<String>, strategy: Strategy, instruction: impl Into<String>) -> Self {
        Self::new(Key::Task(task.into()), strategy, instruction.into())
    }

    /// A paraphrase for one trajectory, with nothing else known of it.
    pub fn of_trajectory(id: impl Into<String>, strategy: Strategy, instruction: impl Into<String>) -> Self {
        Self::new(Key::Trajectory(id.into()), strategy, instruction.into())
    }

    fn new(key: Key, strategy: Strategy, instruction: String) -> Self {
        Self { key, strategy, instruction, id: None, seed: None, verified: None, votes: None }
    }
}
