//! A part of the trajectories, for one of several machines.

use std::fmt;
use std::str::FromStr;

use crate::{Error, Result};

/// Part `i` of `n`, `i` from 1: every n-th trajectory of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    part: usize,
    of: usize,
}

impl Shard {
    /// Part `part` of `of`.
    ///
    /// # Errors
    /// Where `part` is not from 1 to `of`.
    pub fn new(part: usize, of: usize) -> Result<Self> {
        if part == 0 || part > of {
            return Err(Error::usage(format!("shard {part}/{of}: the first number is from 1 to the second"))
                .with_help("four machines take --shard 1/4, 2/4, 3/4 and 4/4"));
        }
        Ok(Self { part, of })
    }

    pub(super) fn part(self, chosen: &[usize]) -> Vec<usize> {
        chosen.iter().copied().skip(self.part - 1).step_by(self.of).collect()
    }
}

impl FromStr for Shard {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let numbers = text.split_once('/').and_then(|(part, of)| Some((part.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((part, of)) => Self::new(part, of),
            None => Err(Error::usage(format!("shard `{text}` is not of the form i/n"))
                .with_help("four machines take --shard 1/4, 2/4, 3/4 and 4/4")),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.part, self.of)
    }
}
