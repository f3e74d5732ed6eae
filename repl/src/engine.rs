//! Where a line goes that is no command.

use crate::rust;
use roborm::command::Answer;
use roborm::{Error, Result};

/// Runs what is typed that is no command. The seam that an engine for Rust is put in at.
pub trait Engine {
    /// Whether the source is whole, or goes on in the next line.
    fn is_complete(&self, source: &str) -> bool;

    /// Runs it.
    ///
    /// # Errors
    /// What is wrong with the source, or went wrong in it.
    fn eval(&mut self, source: &str) -> Result<Answer>;
}

/// No engine at all: every line is a command.
pub struct Commands;

impl Engine for Commands {
    fn is_complete(&self, source: &str) -> bool {
        rust::is_whole(source)
    }

    fn eval(&mut self, source: &str) -> Result<Answer> {
        let first = source.split_whitespace().next().unwrap_or_default();
        let error = Error::usage("Rust expressions are not built yet; commands begin with `:`");
        Err(match crate::help::names().iter().any(|name| name == first) {
            true => error.with_help(format!("did you mean `:{}`?", source.trim())),
            false => error.with_help("`:help` lists the commands"),
        })
    }
}
