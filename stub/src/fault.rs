//! What can go wrong, and how often.

use std::time::Duration;

/// What goes wrong with one request.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// Nothing.
    None,
    /// An error status.
    Status {
        /// The status.
        status: u16,
        /// `metadata.error_type`.
        kind: &'static str,
        /// `Retry-After`.
        retry_after: RetryAfter,
    },
    /// 429 of a provider by name, which asks for a pause.
    Throttled {
        /// `Retry-After`.
        seconds: u64,
    },
    /// A body of any kind under any status.
    Raw {
        /// The status.
        status: u16,
        /// The body.
        body: String,
    },
    /// An error in the body, under 200.
    ErrorIn200 {
        /// Its code.
        code: u16,
    },
    /// An error of the one choice, under 200.
    ChoiceError,
    /// `choices` is an empty list.
    EmptyChoices,
    /// `choices` is null.
    NullChoices,
    /// An empty content with a blank finish reason: not billed.
    EmptyContent,
    /// Text in the reasoning alone. Billed.
    ReasoningOnly,
    /// Cut off by the token limit. Billed.
    CutByLength,
    /// 403 with the reasons of a moderation.
    Moderated,
    /// The connection is closed before anything is answered. Not billed.
    Dropped,
    /// The connection is closed in the middle of the answer. Billed.
    HalfSent,
    /// As before, but already the headers tell the id, and of the body there is nothing. Billed.
    HeadersOnly,
    /// The answer is complete by its length but its JSON is not. Billed.
    HalfJson,
    /// Nothing is ever answered.
    Stalled,
    /// The answer comes a byte at a time.
    Trickled {
        /// The pause between two bytes.
        pause: Duration,
    },
    /// The answer is packed with gzip.
    Gzipped,
    /// The answer is streamed, comments between the events.
    Streamed,
    /// The stream ends before its last event. Billed.
    HalfStreamed,
    /// Comment lines stand before the JSON.
    Commented,
    /// A redirect.
    Redirect {
        /// The status.
        status: u16,
        /// `Location`.
        to: String,
    },
    /// An error that shows the key that was sent.
    EchoedKey,
}

/// A `Retry-After` header, or what stands in for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryAfter {
    /// None.
    Absent,
    /// In seconds.
    Seconds(u64),
    /// As an HTTP date so many seconds ahead.
    Date(u64),
    /// None, but `X-RateLimit-Reset` so many seconds ahead, in milliseconds since 1970 as OpenRouter gives it.
    Reset(u64),
}

/// Shares of requests that go wrong, from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rates {
    /// 503.
    pub overloaded: f64,
    /// An error under 200.
    pub error_in_200: f64,
    /// Dropped before anything is answered.
    pub dropped: f64,
    /// Cut in the middle of the answer, which is billed.
    pub half_sent: f64,
    /// Empty replies.
    pub empty: f64,
    /// Refused by moderation; the same request always is.
    pub moderated: f64,
    /// Packed with gzip.
    pub gzipped: f64,
    /// Streamed although nobody asked for it.
    pub streamed: f64,
}

impl Rates {
    /// The fault of a request: `fixed` is the same for a request at every try, `drawn` differs from try to try; both are
    /// from 0 up to 1.
    pub(crate) fn fault(&self, fixed: f64, drawn: f64) -> Fault {
        if fixed < self.moderated {
            return Fault::Moderated;
        }
        let overloaded = Fault::Status { status: 503, kind: "provider_overloaded", retry_after: RetryAfter::Absent };
        let shares = [
            (self.overloaded, overloaded),
            (self.error_in_200, Fault::ErrorIn200 { code: 502 }),
            (self.dropped, Fault::Dropped),
            (self.half_sent, Fault::HalfSent),
            (self.empty, Fault::EmptyContent),
            (self.gzipped, Fault::Gzipped),
            (self.streamed, Fault::Streamed),
        ];
        let mut below = 0.0;
        for (share, fault) in shares {
            below += share;
            if drawn < below {
                return fault;
            }
        }
        Fault::None
    }
}
