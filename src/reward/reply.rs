//! What comes back from a model.

use std::fmt;
use std::time::Duration;

/// A reply in full, as the ledger keeps it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// The answer's text; may be empty.
    pub text: String,
    /// Reasoning text, bounded, where the model gave it apart from the answer.
    pub reasoning: Option<String>,
    /// `stop`, `length`, `content_filter`, …
    pub finish_reason: Option<String>,
    /// The provider's own word for it.
    pub native_finish_reason: Option<String>,
    /// The model that the server says it used.
    pub model_returned: Option<String>,
    /// The provider behind the server.
    pub provider: Option<String>,
    /// The server's id of the call.
    pub request_id: Option<String>,
    /// Tokens and dollars.
    pub usage: Usage,
    /// From send to last byte, of the attempt that succeeded. What a model answers in one batch has the batch's.
    pub latency_ms: Option<f64>,
    /// Sends, retries included.
    pub attempts: u32,
    /// Further figures by name that the model gives beside its text, for extra columns (a local checkpoint's
    /// probability of each answer where the score's digit stands, `p1` … `p5`; none where the reply is unparsed).
    pub extra: Vec<(String, f64)>,
}

/// Tokens and dollars of one call.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// Prompt tokens, cached ones included.
    pub prompt_tokens: Option<u64>,
    /// Prompt tokens that the provider had cached.
    pub cached_tokens: Option<u64>,
    /// Completion tokens, reasoning included.
    pub completion_tokens: Option<u64>,
    /// Dollars.
    pub cost_usd: Option<f64>,
}

/// Why a call came to nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// What sort.
    pub kind: FaultKind,
    /// One line, without any key.
    pub message: String,
    /// Set where the call may have been billed although no reply came.
    pub maybe_billed: bool,
    /// Dollars that it was billed, where the server told.
    pub cost_usd: Option<f64>,
    /// How long the server asked to wait.
    pub retry_after: Option<Duration>,
}

/// What sort of fault, by what is to be done about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// May go through later (rate limit, overload, dropped connection) and was retried until the deadline.
    Passing,
    /// The server refuses this request (400, 413, 422, moderation): retried only when asked for.
    Refused,
    /// The server refuses all (no key, no credit, unknown model): the study stops.
    Fatal,
    /// The budget is used up: left unspent, not failed.
    Budget,
    /// The user interrupted.
    Interrupted,
}

impl Fault {
    /// A fault of a kind.
    pub fn new(kind: FaultKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), maybe_billed: false, cost_usd: None, retry_after: None }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
