//! The rule that cuts a text into the pieces that are merged by themselves.

use regex::Regex;

use crate::{Error, Result};

/// The end of the rule of Qwen (and of GPT-4 before it): white space, but not the last of it before a word.
const SPACES: &str = r"|\s+(?!\S)|\s+";

/// A splitting rule: a regular expression whose matches, and what lies between them, are the pieces.
///
/// The rule's look-ahead `\s+(?!\S)` is what the `regex` crate cannot do; it is done here by hand, which is exact: a run
/// of white space takes all of itself at the end of the text, and all but its last character before a word, unless it
/// has only one.
pub(super) struct Split {
    rule: Regex,
    look_ahead: bool,
}

impl Split {
    pub(super) fn new(pattern: &str) -> Result<Self> {
        let (pattern, look_ahead) = match pattern.strip_suffix(SPACES) {
            Some(before) => (format!("{before}|(\\s+)"), true),
            None => (pattern.to_owned(), false),
        };
        let rule = Regex::new(&pattern).map_err(|_| {
            Error::setup(format!("the splitting rule {pattern} is not known here"))
                .with_help("run the checkpoint behind a server instead: --base-url")
        })?;
        Ok(Self { rule, look_ahead })
    }

    /// The pieces of a text, in order; together they are the text.
    pub(super) fn pieces<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let mut pieces = Vec::new();
        let mut done = 0;
        while done < text.len() {
            let Some(found) = self.rule.captures_at(text, done) else { break };
            let Some(whole) = found.get(0) else { break };
            let mut end = whole.end();
            if self.look_ahead && found.get(1).is_some() && end < text.len() {
                // What follows is no white space, or the run would have taken it.
                let last = whole.as_str().char_indices().next_back().map_or(0, |(at, _)| at);
                if last > 0 {
                    end = whole.start() + last;
                }
            }
            if whole.start() > done {
                pieces.push(&text[done..whole.start()]);
            }
            if end > whole.start() {
                pieces.push(&text[whole.start()..end]);
            }
            // An empty match would stand still.
            done = if end > done { end } else { end + text[end..].chars().next().map_or(1, char::len_utf8) };
        }
        if done < text.len() {
            pieces.push(&text[done..]);
        }
        pieces
    }
}
