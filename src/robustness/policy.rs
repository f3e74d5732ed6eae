//! What to do with repeats and with unparsed replies.

use std::fmt;
use std::str::FromStr;

use crate::{Error, Result};

/// Which of several repeats of a pair enter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Repeats {
    /// Repeat 0 alone.
    #[default]
    First,
    /// The mean of a pair's parsed repeats, as one score. A pair is unparsed when none of its repeats is parsed.
    Mean,
}

impl FromStr for Repeats {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "first" => Ok(Self::First),
            "mean" => Ok(Self::Mean),
            _ => Err(Error::usage(format!("unknown rule for repeats `{text}`"))
                .with_help("write `first` (repeat 0 alone) or `mean` (the mean over a pair's repeats)")),
        }
    }
}

/// What stands in for the score of an unparsed reply. It is counted as unparsed either way.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Unparsed {
    /// Nothing: the reply is left out of every figure.
    #[default]
    Exclude,
    /// 1, no progress: what peers do that count a model's silence as its failure.
    AsFailure,
    /// 4, partial success: what peers do that default to a passing score.
    AsSuccess,
    /// Any number on the scale, from 1 to 5.
    As(f64),
}

impl Unparsed {
    /// The number that stands in, if any.
    pub fn substitute(self) -> Option<f64> {
        match self {
            Self::Exclude => None,
            Self::AsFailure => Some(1.0),
            Self::AsSuccess => Some(4.0),
            Self::As(score) => Some(score),
        }
    }
}

impl fmt::Display for Unparsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exclude => f.write_str("exclude"),
            Self::AsFailure => f.write_str("as-failure"),
            Self::AsSuccess => f.write_str("as-success"),
            Self::As(score) => score.fmt(f),
        }
    }
}

impl FromStr for Unparsed {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "exclude" => Ok(Self::Exclude),
            "as-failure" => Ok(Self::AsFailure),
            "as-success" => Ok(Self::AsSuccess),
            number => number.parse().ok().filter(|score| (1.0..=5.0).contains(score)).map(Self::As).ok_or_else(|| {
                Error::usage(format!("unknown rule for unparsed replies `{text}`"))
                    .with_help("write `exclude`, `as-failure` (score 1), `as-success` (score 4) or a score from 1 to 5")
            }),
        }
    }
}
