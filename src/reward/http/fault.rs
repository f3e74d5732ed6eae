//! What a server's error means: try again, give up this call, or give up all.

use serde_json::Value;

use super::answer;
use super::key::Secret;
use crate::reward::{Fault, FaultKind};

/// An error as a server tells it, with an HTTP status or in a body under 200.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ServerError {
    /// The HTTP status, or the code in the body.
    pub(super) status: u16,
    /// The server's words.
    pub(super) message: String,
    /// The kind by OpenRouter's names (`rate_limit_exceeded`, `provider_overloaded`, `refusal`, …).
    pub(super) kind: Option<String>,
    /// The provider behind the server.
    pub(super) provider: Option<String>,
    /// Dollars that it was billed all the same.
    pub(super) cost_usd: Option<f64>,
    /// When the rate limit is lifted, where OpenRouter tells in the body what stood in the provider's header.
    pub(super) reset: Option<String>,
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Too many calls: slow down, then try again.
    TooMany,
    /// It failed: try again.
    Again,
    /// This request is refused.
    Refused,
    /// All requests are.
    Fatal,
}

impl ServerError {
    /// From the `error` object of a body, whose own code stands above the HTTP status.
    pub(super) fn of(error: &Value, status: u16) -> Self {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let kind =
            text(&error["metadata"]["error_type"]).or_else(|| text(&error["type"])).or_else(|| text(&error["code"]));
        let code = match &error["code"] {
            Value::Number(code) => code.as_u64().and_then(|code| u16::try_from(code).ok()),
            Value::String(code) => code.parse().ok(),
            _ => None,
        };
        let code = code.filter(|code| (400..600).contains(code));
        // An HTTP error status is the server's last word; under 200 the code is, and where that is a word, the word.
        let status = match (status, code) {
            (400.., _) => status,
            (_, Some(code)) => code,
            _ => kind.as_deref().map_or(502, status_of_kind),
        };
        Self {
            status,
            message: text(&error["message"]).or_else(|| text(error)).unwrap_or_default(),
            kind,
            provider: text(&error["metadata"]["provider_name"]),
            cost_usd: None,
            reset: reset(&error["metadata"]["headers"]),
        }
    }

    /// From the body of an answer with an error status, whatever it holds.
    pub(super) fn of_body(body: &[u8], status: u16) -> Self {
        match serde_json::from_slice::<Value>(body) {
            // FastAPI's `detail`, llama.cpp's and Ollama's plain `error`.
            Ok(value) if !value["error"].is_null() => {
                Self { cost_usd: answer::billed(&value["usage"]), ..Self::of(&value["error"], status) }
            }
            Ok(value) => {
                let message = [&value["message"], &value["detail"]].into_iter().find_map(|text| text.as_str());
                Self { message: message.unwrap_or_default().to_owned(), ..Self::of(&Value::Null, status) }
            }
            Err(_) => Self { message: String::from_utf8_lossy(body).into_owned(), ..Self::of(&Value::Null, status) },
        }
    }

    pub(super) fn verdict(&self) -> Verdict {
        let kind = self.kind.as_deref().unwrap_or_default();
        match self.status {
            429 => Verdict::TooMany,
            401 | 402 => Verdict::Fatal,
            // Moderation has its own kind and reasons; a key that may not spend or is not allowed stops everything.
            403 if is_about_key(kind, &self.message) => Verdict::Fatal,
            // An unknown model or path, or no provider that takes such requests at all.
            404 => Verdict::Fatal,
            408 | 409 | 425 | 500 | 502..=504 | 506..=599 => Verdict::Again,
            _ => Verdict::Refused,
        }
    }

    /// The fault to report, in one line and without the key.
    pub(super) fn fault(&self, key: Option<&Secret>) -> Fault {
        let kind = match self.verdict() {
            Verdict::TooMany | Verdict::Again => FaultKind::Passing,
            Verdict::Refused => FaultKind::Refused,
            Verdict::Fatal => FaultKind::Fatal,
        };
        let mut message = format!("{} {}", self.status, meaning(self.status));
        if !self.message.trim().is_empty() {
            message.push_str(": ");
            message.push_str(&one_line(&self.message, key));
        }
        let notes: Vec<&str> = [self.kind.as_deref(), self.provider.as_deref()].into_iter().flatten().collect();
        if !notes.is_empty() {
            message.push_str(&format!(" ({})", one_line(&notes.join(", "), key)));
        }
        if let Some(help) = help(self.status, key.is_some()) {
            message.push_str("; ");
            message.push_str(help);
        }
        Fault { maybe_billed: self.cost_usd.is_some(), cost_usd: self.cost_usd, ..Fault::new(kind, message) }
    }
}

/// The header `X-RateLimit-Reset` among `headers`, whatever its case.
fn reset(headers: &Value) -> Option<String> {
    let (_, value) = headers.as_object()?.iter().find(|(name, _)| name.eq_ignore_ascii_case("x-ratelimit-reset"))?;
    match value {
        Value::Number(number) => Some(number.to_string()),
        value => value.as_str().map(str::to_owned),
    }
}

fn is_about_key(kind: &str, message: &str) -> bool {
    let message = message.to_lowercase();
    matches!(kind, "authentication" | "permission_denied" | "key_limit_exceeded" | "insufficient_credits")
        || ["api key", "key limit", "your key", "credit"].iter().any(|words| message.contains(words))
}

/// The status that goes with a kind told by name alone.
fn status_of_kind(kind: &str) -> u16 {
    let has = |words: &[&str]| words.iter().any(|word| kind.contains(word));
    if has(&["rate_limit", "too_many"]) {
        429
    } else if has(&["refusal", "policy", "moderation", "content_filter"]) {
        403
    } else if has(&["authentication", "unauthorized", "invalid_api_key"]) {
        401
    } else if has(&["credit", "payment", "quota"]) {
        402
    } else if has(&["too_large"]) {
        413
    } else if has(&["not_found"]) {
        404
    } else if has(&["invalid", "bad_request", "unsupported", "unprocessable"]) {
        400
    } else if has(&["overloaded", "unavailable"]) {
        503
    } else {
        502
    }
}

fn meaning(status: u16) -> &'static str {
    match status {
        400 => "bad request",
        401 => "key not accepted",
        402 => "no credit left",
        403 => "refused",
        404 => "unknown model or path",
        408 => "timed out",
        413 => "request too large",
        422 => "request not understood",
        429 => "too many requests",
        500 => "server error",
        502 => "provider failed",
        503 => "overloaded",
        504 => "provider timed out",
        status if status < 500 => "refused",
        _ => "server error",
    }
}

fn help(status: u16, has_key: bool) -> Option<&'static str> {
    Some(match status {
        401 if has_key => {
            "the key that was sent, of OPENROUTER_API_KEY (ROBORM_API_KEY for other servers), is wrong or has expired"
        }
        401 => "no key was sent: set OPENROUTER_API_KEY (ROBORM_API_KEY for other servers)",
        402 => "add credit to the account, then run again: what is paid for is kept",
        404 => "check the name, the base url and its version path",
        413 => "send fewer or smaller images (--max-images)",
        _ => return None,
    })
}

/// A server's words in one line of bounded length, without the key or anything that looks like one, and without control
/// characters.
pub(super) fn one_line(text: &str, key: Option<&Secret>) -> String {
    let text = key.map_or_else(|| text.to_owned(), |key| key.redact(text));
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()).collect();
    let words: Vec<&str> =
        words.into_iter().map(|word| if word.contains("sk-") && word.len() > 16 { "***" } else { word }).collect();
    let line = words.join(" ");
    match line.char_indices().nth(300) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
