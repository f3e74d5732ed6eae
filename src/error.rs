//! The one error type: what went wrong and where, in one line; then what to do about it.

use std::fmt;

/// The result of every fallible call of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What sort of trouble an [`Error`] tells of; it decides the exit status of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The caller asked for something that makes no sense: a wrong flag, an unknown model, a boundary that is no number.
    Usage,
    /// A file or a value in it is not what it should be.
    Input,
    /// A worker program crashed, hung or could not be started.
    Worker,
    /// A server could not be reached or answered with an error.
    Service,
    /// The ledger refused.
    Ledger,
    /// The operating system said no.
    Io,
    /// The user interrupted.
    Interrupted,
}

/// An error: one line of what and where, and where there is something to be done, a line of help.
///
/// Opaque and cheap to clone. `Display` gives the one line, in lower case, without a full stop; [`Error::help`] the rest.
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    kind: Kind,
    message: String,
    help: Option<String>,
}

impl Error {
    fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner { kind, message: message.into(), help: None }))
    }

    /// Wrong usage: exit status 2.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, message)
    }

    /// A file or a value in it is not what it should be.
    pub fn input(message: impl Into<String>) -> Self {
        Self::new(Kind::Input, message)
    }

    /// A worker program crashed, hung or could not be started.
    pub fn worker(message: impl Into<String>) -> Self {
        Self::new(Kind::Worker, message)
    }

    /// A server could not be reached or answered with an error.
    pub fn service(message: impl Into<String>) -> Self {
        Self::new(Kind::Service, message)
    }

    /// The ledger refused.
    pub fn ledger(message: impl Into<String>) -> Self {
        Self::new(Kind::Ledger, message)
    }

    /// The operating system refused `what` (for example "cannot read scores.parquet").
    pub fn io(what: impl fmt::Display, source: &std::io::Error) -> Self {
        Self::new(Kind::Io, format!("{what}: {source}"))
    }

    /// The user interrupted: exit status 130.
    pub fn interrupted(message: impl Into<String>) -> Self {
        Self::new(Kind::Interrupted, message)
    }

    /// The same error with a line that says what to do about it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.0.help = Some(help.into());
        self
    }

    /// The same error with `place` ("file manifest.jsonl, line 3") put in front of its message.
    #[must_use]
    pub fn at(mut self, place: impl fmt::Display) -> Self {
        self.0.message = format!("{place}: {}", self.0.message);
        self
    }

    /// The same error in other words.
    pub(crate) fn reworded(mut self, words: impl Fn(&str) -> String) -> Self {
        self.0.message = words(&self.0.message);
        self.0.help = self.0.help.as_deref().map(words);
        self
    }

    /// What to do about it.
    pub fn help(&self) -> Option<&str> {
        self.0.help.as_deref()
    }

    /// Wrong usage?
    pub fn is_usage(&self) -> bool {
        self.0.kind == Kind::Usage
    }

    /// A bad file or value?
    pub fn is_input(&self) -> bool {
        self.0.kind == Kind::Input
    }

    /// A worker program that failed?
    pub fn is_worker(&self) -> bool {
        self.0.kind == Kind::Worker
    }

    /// A server that failed?
    pub fn is_service(&self) -> bool {
        self.0.kind == Kind::Service
    }

    /// A ledger that refused?
    pub fn is_ledger(&self) -> bool {
        self.0.kind == Kind::Ledger
    }

    /// Interrupted by the user?
    pub fn is_interrupted(&self) -> bool {
        self.0.kind == Kind::Interrupted
    }

    /// The exit status of a command that ends with this error: 2 wrong usage, 130 interrupted, else 1.
    pub fn exit_status(&self) -> u8 {
        match self.0.kind {
            Kind::Usage => 2,
            Kind::Interrupted => 130,
            _ => 1,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    // What a notebook shows when a cell ends in `?`: the message and the help, not the struct.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        match &self.0.help {
            Some(help) => write!(f, "\n  help: {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

impl From<polars::error::PolarsError> for Error {
    fn from(error: polars::error::PolarsError) -> Self {
        Self::input(error.to_string())
    }
}

/// The candidates nearest to `wanted` in spelling, best first, at most three: for "did you mean" lines.
pub(crate) fn nearest<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = wanted.to_lowercase();
    let mut scored: Vec<(f64, &str)> = candidates
        .into_iter()
        .map(|candidate| {
            let lower = candidate.to_lowercase();
            // A letter or two are in every word.
            let contained = wanted.len().min(lower.len()) > 2 && (lower.contains(&wanted) || wanted.contains(&lower));
            (strsim::jaro_winkler(&wanted, &lower) + if contained { 0.5 } else { 0.0 }, candidate)
        })
        .filter(|(score, _)| *score > 0.7)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    scored.dedup_by(|a, b| a.1 == b.1);
    scored.into_iter().take(3).map(|(_, candidate)| candidate).collect()
}
