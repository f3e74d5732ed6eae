//! What keeps an evaluator from starting.

use std::fmt;

/// The result of what sets an evaluator up.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// One line of what and where, then what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    message: String,
    help: Option<String>,
}

impl Error {
    /// An error of one line, in lower case, without a full stop.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None }
    }

    /// The operating system refused `what`.
    pub fn io(what: impl fmt::Display, source: &std::io::Error) -> Self {
        Self::new(format!("{what}: {source}"))
    }

    /// The same with what to do about it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// What to do about it.
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
