//! Reading a score out of a reply.
//!
//! A strict reader: a wrong score biases every figure in silence, an unparsed reply is counted and can be looked at. So
//! whatever can be meant in two ways is unparsed.

mod clean;
mod context;
mod digits;
mod grammar;
mod item;
mod token;
mod words;

use std::fmt;

use super::Reply;

/// The version of the grammar, a column of the score table. It changes whenever the reading of some reply does; stored
/// replies can be read again without calls.
pub const READER_VERSION: &str = "reader-1";

/// What a reply says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reading {
    /// A score from 1 to 5.
    Score(u8),
    /// No score: null in a score table, counted, kept with its text.
    Unparsed(Why),
}

impl Reading {
    /// The score, from 1 to 5.
    pub fn score(self) -> Option<u8> {
        match self {
            Self::Score(score) => Some(score),
            Self::Unparsed(_) => None,
        }
    }

    /// Why there is none.
    pub fn why(self) -> Option<Why> {
        match self {
            Self::Score(_) => None,
            Self::Unparsed(why) => Some(why),
        }
    }
}

/// Why a reply has no score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Why {
    /// No text at all.
    Empty,
    /// Text in the reasoning alone.
    ReasoningOnly,
    /// Cut off by the token limit: what it would have ended with is not known.
    CutOff,
    /// Stopped by a filter or an error.
    Stopped,
    /// No number that could be a score.
    NoScore,
    /// Several different numbers that could each be the score.
    Disagree,
    /// A range or an inexact number: "3 to 4", "4+".
    Range,
    /// A number that is not whole.
    Decimal,
    /// A whole number outside 1 to 5.
    Outside,
    /// A score on another scale: "8/10".
    OtherScale,
}

impl Why {
    /// A word for tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::ReasoningOnly => "reasoning only",
            Self::CutOff => "cut off",
            Self::Stopped => "stopped",
            Self::NoScore => "no score",
            Self::Disagree => "different scores",
            Self::Range => "range",
            Self::Decimal => "decimal",
            Self::Outside => "outside 1 to 5",
            Self::OtherScale => "other scale",
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Reads the score out of a reply.
pub fn read_reply(reply: &Reply) -> Reading {
    read_text(&reply.text, reply.reasoning.as_deref(), reply.finish_reason.as_deref())
}

/// Reads the score out of a reply's text, given its reasoning and finish reason where it had any.
///
/// The grammar, in order:
///
/// 1. a reply cut off by length, or stopped by a filter or an error, is unparsed, whatever it says;
/// 2. think tags go with what is in them, the marks of Markdown and fenced blocks go and their text stays, digits of any
///    script and the English words zero to twelve are numbers;
/// 3. numbers that cannot be the score are set aside: the scale ("1 to 5", "out of 5"), a rubric or a list (at least two
///    of "1: …"), what counts things ("3 cups", "3 of 5"), what names them ("step 3", "frame 4"), percentages, dates,
///    times, ids, and numbers that are denied or compared with ("not a 5", "below 4");
/// 4. marked answers win: after ANSWER, Score, Rating or Reward (a JSON field too), in `\boxed{}`, and n/5 or
///    "n out of 5". All must agree;
/// 5. else the lone number that is left. A range, a decimal, a number outside 1 to 5 or a second number: unparsed.
pub fn read_text(text: &str, reasoning: Option<&str>, finish_reason: Option<&str>) -> Reading {
    match finish_reason {
        Some("length" | "max_tokens") => return Reading::Unparsed(Why::CutOff),
        Some("content_filter" | "error") => return Reading::Unparsed(Why::Stopped),
        _ => {}
    }
    let cleaned = clean::clean(text);
    if cleaned.text.trim().is_empty() {
        let reasoned = cleaned.thought || reasoning.is_some_and(|reasoning| !reasoning.trim().is_empty());
        return Reading::Unparsed(if reasoned { Why::ReasoningOnly } else { Why::Empty });
    }
    let tokens = token::tokens(&cleaned.text);
    match grammar::decide(&tokens) {
        Ok(score) => Reading::Score(score),
        Err(why) => Reading::Unparsed(why),
    }
}
