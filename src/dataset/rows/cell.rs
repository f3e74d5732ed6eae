//! One value of a table.

use std::fmt;

/// A value as the file has it; CSV has text and null only.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    Null,
    Text(String),
    Whole(i64),
    Number(f64),
    Flag(bool),
    List(Vec<Cell>),
    /// Something that no column of ours holds (an object, bytes, a date); its name.
    Other(&'static str),
}

impl Cell {
    pub(super) fn as_whole(&self) -> Option<i64> {
        match self {
            Self::Whole(number) => Some(*number),
            // 2^53: above it a float no longer tells whole numbers apart.
            Self::Number(number) if number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0 => {
                Some(*number as i64)
            }
            // pandas writes a column of whole numbers with a gap in it as floats: "5.0".
            Self::Text(text) => text.trim().parse().ok().or_else(|| Self::Number(text.trim().parse().ok()?).as_whole()),
            _ => None,
        }
    }

    pub(super) fn as_number(&self) -> Option<f64> {
        let number = match self {
            Self::Whole(number) => *number as f64,
            Self::Number(number) => *number,
            Self::Text(text) => text.trim().parse().ok()?,
            _ => return None,
        };
        number.is_finite().then_some(number)
    }

    pub(super) fn as_flag(&self) -> Option<bool> {
        match self {
            Self::Flag(flag) => Some(*flag),
            Self::Text(text) => match text.trim() {
                "true" | "True" | "TRUE" => Some(true),
                "false" | "False" | "FALSE" => Some(false),
                _ => None,
            },
            _ => None,
        }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Text(text) => {
                let mut shown: String = text.chars().take(60).collect();
                if shown.len() < text.len() {
                    shown.push('…');
                }
                write!(f, "{shown:?}")
            }
            Self::Whole(number) => number.fmt(f),
            // In full, some numbers have three hundred digits.
            Self::Number(number) if number.abs() >= 1e16 => write!(f, "{number:e}"),
            Self::Number(number) => number.fmt(f),
            Self::Flag(flag) => flag.fmt(f),
            Self::List(cells) => write!(f, "(a list of {})", cells.len()),
            Self::Other(name) => write!(f, "({name})"),
        }
    }
}
