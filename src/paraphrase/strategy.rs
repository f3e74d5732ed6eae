//! How a paraphrase was made.

use std::fmt;

/// A paraphrase strategy. The protocol has three; `original` stands for the instruction itself; any other name is kept.
///
/// Ordered: original, lexical, structural, adversarial, then others by name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Strategy {
    /// The instruction as the dataset has it.
    Original,
    /// Other words, same structure.
    Lexical,
    /// Other structure.
    Structural,
    /// Written to mislead a model while meaning the same.
    Adversarial,
    /// Any other.
    Other(String),
}

impl Strategy {
    /// The name in files and tables.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Original => "original",
            Self::Lexical => "lexical",
            Self::Structural => "structural",
            Self::Adversarial => "adversarial",
            Self::Other(name) => name,
        }
    }
}

impl From<&str> for Strategy {
    fn from(name: &str) -> Self {
        match name {
            "original" => Self::Original,
            "lexical" => Self::Lexical,
            "structural" => Self::Structural,
            "adversarial" => Self::Adversarial,
            other => Self::Other(other.to_owned()),
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
