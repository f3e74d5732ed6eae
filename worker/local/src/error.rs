//! The error of this crate: one line of what and where, and what to do about it.

use std::fmt;

use roborm_wire::local::{Failed, FailedKind};

/// The result of every fallible call of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, and whose matter it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Error {
    kind: FailedKind,
    message: String,
    help: Option<String>,
}

impl Error {
    /// Something is wrong with the checkpoint, the device or the settings.
    pub fn setup(message: impl Into<String>) -> Self {
        Self { kind: FailedKind::Setup, message: message.into(), help: None }
    }

    /// Something is wrong with one trajectory or instruction.
    pub fn request(message: impl Into<String>) -> Self {
        Self { kind: FailedKind::Request, message: message.into(), help: None }
    }

    /// The memory does not suffice.
    pub fn memory(message: impl Into<String>) -> Self {
        Self { kind: FailedKind::Memory, message: message.into(), help: None }
    }

    /// A fault of this program.
    pub fn internal(message: impl Into<String>) -> Self {
        Self { kind: FailedKind::Internal, message: message.into(), help: None }
    }

    /// The same error with a line that says what to do about it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same error with `place` (a file) put in front of its message.
    #[must_use]
    pub fn at(mut self, place: &str) -> Self {
        self.message = format!("{place}: {}", self.message);
        self
    }

    /// What to do about it.
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// Too little memory?
    pub fn is_memory(&self) -> bool {
        self.kind == FailedKind::Memory
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self { kind: error.kind, message: error.message, help: error.help }
    }
}
