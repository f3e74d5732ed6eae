//! The true progress of a trajectory.

use std::fmt;

use crate::{Error, Result};

/// True progress towards the goal on the five-point ordinal scale of RoboReward: 1 no success, 2 minimal progress,
/// 3 partial completion, 4 near completion, 5 perfect completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(u8);

impl Label {
    /// All five, in order.
    pub const ALL: [Label; 5] = [Label(1), Label(2), Label(3), Label(4), Label(5)];

    /// A label from a whole number.
    ///
    /// # Errors
    /// Where `value` is not from 1 to 5.
    pub fn new(value: i64) -> Result<Self> {
        match value {
            1..=5 => Ok(Self(value as u8)),
            _ => Err(Error::input(format!("label {value} is outside 1 to 5")).with_help(
                "a label is the true progress: 1 no success, 2 minimal, 3 partial, 4 near, 5 perfect completion",
            )),
        }
    }

    /// The whole number, 1 to 5.
    pub fn get(self) -> u8 {
        self.0
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
