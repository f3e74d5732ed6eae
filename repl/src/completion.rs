//! What a word could become.

use clap::Command;
use roborm::command::{Completion as Words, Current};
use rustyline::completion::Pair;

/// Completion in a session.
pub struct Completion(Words);

impl Completion {
    /// In this session.
    pub fn new(current: Current) -> Self {
        Self(Words::new(current))
    }

    /// Where the last word of `typed` starts, and what it could be. The line editor puts in what all of them begin with.
    pub fn of(&self, typed: &str, grammar: &Command) -> (usize, Vec<Pair>) {
        let (start, found) = self.0.of(typed, grammar);
        // Quotation marks that only some of them need are in no other's way.
        let common = self.0.common(typed, grammar);
        (start, found.into_iter().map(|it| Pair { display: it.label, replacement: common.clone() }).collect())
    }
}
