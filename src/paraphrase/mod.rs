//! Rewordings of an instruction that mean the same.

mod demo;
mod strategy;

pub use demo::demo;
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

/// Paraphrases by task or trajectory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParaphraseSet {
    paraphrases: Vec<Paraphrase>,
}

impl ParaphraseSet {
    /// A set of these.
    ///
    /// # Errors
    /// None yet.
    pub fn new(paraphrases: Vec<Paraphrase>) -> crate::Result<Self> {
        Ok(Self { paraphrases })
    }

    /// One after the other.
    pub fn iter(&self) -> std::slice::Iter<'_, Paraphrase> {
        self.paraphrases.iter()
    }
}
