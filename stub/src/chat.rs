//! A chat request: checked, answered or not, and billed.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::answer::draw;
use crate::fault::{Fault, RetryAfter};
use crate::http::{Incoming, Outgoing};
use crate::question::Question;
use crate::state::State;

/// How a response goes out.
pub(crate) enum Delivery {
    /// In full.
    Whole(Outgoing),
    /// Nothing, and the connection is closed.
    Closed,
    /// So many bytes of the body, then the connection is closed.
    Cut(Outgoing, usize),
    /// Nothing, for ever.
    Stalled,
    /// A byte at a time.
    Trickled(Outgoing, Duration),
}

/// What a chat request comes to, and how long that takes.
pub(crate) fn chat(state: &mut State, incoming: &Incoming) -> (Delivery, Duration) {
    let at_once = |outgoing| (Delivery::Whole(outgoing), Duration::ZERO);
    state.tally.requests += 1;
    *state.tally.keys.entry(incoming.authorization.clone().unwrap_or_default()).or_default() += 1;
    if let Some(refusal) = unauthorised(state, incoming) {
        return at_once(refusal);
    }
    if let Err(seconds) = state.level.as_mut().map_or(Ok(()), |level| level.take()) {
        *state.tally.faults.entry("Limited".to_owned()).or_default() += 1;
        return at_once(status(429, "rate_limit_exceeded", RetryAfter::Seconds(seconds), None));
    }
    let (question, preferences) = match Question::read(&incoming.body) {
        Ok(read) => read,
        Err(wrong) => {
            state.tally.mismatches.push(wrong.clone());
            return at_once(error(400, "invalid_request", &wrong));
        }
    };
    if let Some(wrong) = state.mismatch(&question) {
        state.tally.mismatches.push(wrong.clone());
        return at_once(error(400, "invalid_request", &wrong));
    }
    let Some(provider) = state.route(&question, &preferences) else {
        return at_once(error(404, "not_found", "All providers have been ignored."));
    };
    *state.tally.by_provider.entry(provider.clone()).or_default() += 1;
    let digest = question.digest();
    let number = state.try_of(&digest).to_string();
    let seed = state.config.seed;
    let (shortest, longest) = state.config.latency;
    let latency =
        shortest + longest.saturating_sub(shortest).mul_f64(draw(seed, "latency", [digest.as_str(), &number]));
    let down = || Fault::Status { status: 503, kind: "provider_overloaded", retry_after: RetryAfter::Absent };
    let fault = state.down.contains(&provider).then(down).or_else(|| state.script.pop_front()).unwrap_or_else(|| {
        let fixed = draw(seed, "moderated", [digest.as_str()]);
        state.config.rates.fault(fixed, draw(seed, "fault", [digest.as_str(), &number]))
    });
    if fault != Fault::None {
        state.count(&fault);
    }
    (deliver(state, &question, &provider, fault, incoming), latency)
}

fn deliver(state: &mut State, question: &Question, provider: &str, fault: Fault, incoming: &Incoming) -> Delivery {
    // Billed answers first: the others never come to be.
    let mut answer = |change: fn(&mut Value)| {
        let given = state.bill(question, provider);
        let mut completion = given.completion();
        change(&mut completion);
        Outgoing::json(200, &completion).with("x-generation-id", given.id)
    };
    match fault {
        Fault::None => Delivery::Whole(answer(|_| {})),
        Fault::Status { status: code, kind, retry_after } => {
            Delivery::Whole(status(code, kind, retry_after, (code >= 500).then_some(provider)))
        }
        Fault::Throttled { seconds } => {
            let pause = RetryAfter::Seconds(seconds);
            Delivery::Whole(status(429, "rate_limit_exceeded", pause, Some(provider)))
        }
        Fault::Raw { status, body } => {
            Delivery::Whole(Outgoing { status, headers: Vec::new(), body: body.into_bytes() })
        }
        Fault::ErrorIn200 { code } => {
            Delivery::Whole(Outgoing { status: 200, ..of_provider(code, "provider_unavailable", "failed", provider) })
        }
        Fault::ChoiceError => Delivery::Whole(Outgoing::json(
            200,
            &json!({"id": "gen-choice", "provider": provider, "choices": [{"finish_reason": "error", "message": {"content": ""},
                "error": {"code": 502, "message": "the provider failed midway"}}]}),
        )),
        Fault::EmptyChoices => Delivery::Whole(Outgoing::json(200, &json!({"id": "gen-none", "choices": []}))),
        Fault::NullChoices => Delivery::Whole(Outgoing::json(200, &json!({"id": "gen-null", "choices": null}))),
        Fault::EmptyContent => Delivery::Whole(Outgoing::json(
            200,
            &json!({"id": "gen-empty", "choices": [{"finish_reason": "", "message": {"content": ""}}],
                "usage": {"prompt_tokens": 300, "completion_tokens": 0, "cost": 0}}),
        )),
        Fault::ReasoningOnly => Delivery::Whole(answer(|completion| {
            let message = &mut completion["choices"][0]["message"];
            message["reasoning"] = message["content"].take();
        })),
        Fault::CutByLength => Delivery::Whole(answer(|completion| {
            completion["choices"][0]["finish_reason"] = json!("length");
        })),
        Fault::Moderated => Delivery::Whole(Outgoing::json(
            403,
            &json!({"error": {"code": 403, "message": "the input was flagged", "metadata": {"error_type": "content_policy_violation",
                "reasons": ["violence"], "flagged_input": question.instruction, "provider_name": provider}}}),
        )),
        Fault::Dropped => Delivery::Closed,
        Fault::HalfSent => {
            let outgoing = answer(|_| {});
            let half = outgoing.body.len() / 2;
            Delivery::Cut(outgoing, half)
        }
        Fault::HeadersOnly => Delivery::Cut(answer(|_| {}), 0),
        Fault::HalfJson => {
            let mut outgoing = answer(|_| {});
            outgoing.body.truncate(outgoing.body.len() / 2);
            Delivery::Whole(outgoing)
        }
        Fault::Stalled => Delivery::Stalled,
        Fault::Trickled { pause } => Delivery::Trickled(answer(|_| {}), pause),
        Fault::Gzipped => Delivery::Whole(gzipped(answer(|_| {}))),
        Fault::Streamed => Delivery::Whole(streamed(answer(|_| {}), true)),
        Fault::HalfStreamed => Delivery::Whole(streamed(answer(|_| {}), false)),
        Fault::Commented => {
            let mut outgoing = answer(|_| {});
            outgoing.body.splice(0..0, b": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n".iter().copied());
            Delivery::Whole(outgoing)
        }
        Fault::Redirect { status, to } => {
            Delivery::Whole(Outgoing { status, headers: Vec::new(), body: Vec::new() }.with("location", to))
        }
        Fault::EchoedKey => {
            let key = incoming.authorization.clone().unwrap_or_default();
            Delivery::Whole(error(400, "invalid_request", &format!("bad header 'Authorization: {key}'")))
        }
    }
}

/// 401 where a key is asked for and another one or none came.
pub(crate) fn unauthorised(state: &State, incoming: &Incoming) -> Option<Outgoing> {
    let key = state.config.key.as_ref()?;
    let right = incoming.authorization.as_deref() == Some(&format!("Bearer {key}"));
    (!right).then(|| error(401, "authentication", "no auth credentials found"))
}

/// An error of the server's own.
pub(crate) fn error(code: u16, kind: &str, message: &str) -> Outgoing {
    Outgoing::json(code, &json!({"error": {"code": code, "message": message, "metadata": {"error_type": kind}}}))
}

/// An error of a provider behind it.
fn of_provider(code: u16, kind: &str, message: &str, provider: &str) -> Outgoing {
    let metadata = json!({"error_type": kind, "provider_name": provider});
    Outgoing::json(code, &json!({"error": {"code": code, "message": message, "metadata": metadata}}))
}

fn status(code: u16, kind: &'static str, retry_after: RetryAfter, provider: Option<&str>) -> Outgoing {
    let outgoing = match provider {
        Some(provider) => of_provider(code, kind, "not now", provider),
        None => error(code, kind, "not now"),
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    match retry_after {
        RetryAfter::Absent => outgoing,
        RetryAfter::Seconds(seconds) => outgoing.with("retry-after", seconds.to_string()),
        RetryAfter::Date(seconds) => outgoing.with("retry-after", http_date(now + seconds)),
        RetryAfter::Reset(seconds) => outgoing.with("x-ratelimit-reset", ((now + seconds) * 1000).to_string()),
    }
}

/// A time as HTTP writes it (RFC 9110, 5.6.7), from seconds since 1970.
fn http_date(seconds: u64) -> String {
    let (days, time) = (seconds / 86_400, seconds % 86_400);
    let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][(days % 7) as usize];
    let (mut year, mut day) = (1970, days);
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    while day >= 365 + u64::from(leap(year)) {
        day -= 365 + u64::from(leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let mut month = 0;
    while day >= lengths[month] {
        day -= lengths[month];
        month += 1;
    }
    let (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60);
    format!("{weekday}, {:02} {} {year} {hour:02}:{minute:02}:{second:02} GMT", day + 1, names[month])
}

fn gzipped(outgoing: Outgoing) -> Outgoing {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    // Writing to memory does not fail.
    let packed = encoder.write_all(&outgoing.body).and_then(|()| encoder.finish()).unwrap_or_default();
    Outgoing { body: packed, ..outgoing }.with("content-encoding", "gzip")
}

/// The answer as server-sent events; without its last ones where it does not end well.
fn streamed(outgoing: Outgoing, to_the_end: bool) -> Outgoing {
    let whole: Value = serde_json::from_slice(&outgoing.body).unwrap_or_default();
    let text = whole["choices"][0]["message"]["content"].as_str().unwrap_or_default();
    let mut events = String::from(": OPENROUTER PROCESSING\n\n");
    for c in text.chars() {
        let delta = json!({"id": whole["id"], "model": whole["model"], "provider": whole["provider"],
            "choices": [{"index": 0, "delta": {"content": c.to_string()}, "finish_reason": null}]});
        events.push_str(&format!("data: {delta}\n\n: OPENROUTER PROCESSING\n\n"));
    }
    if to_the_end {
        let last = json!({"id": whole["id"], "choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "stop"}],
            "usage": whole["usage"]});
        events.push_str(&format!("data: {last}\n\ndata: [DONE]\n\n"));
    }
    let mut headers = outgoing.headers;
    headers.retain(|(name, _)| *name != "content-type");
    Outgoing { status: 200, headers, body: events.into_bytes() }.with("content-type", "text/event-stream")
}
