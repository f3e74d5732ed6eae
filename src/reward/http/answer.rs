//! What a body with status 200 holds: a reply, an error after all, or nothing.

use serde_json::Value;

use super::fault::ServerError;
use super::stream;
use crate::reward::{Reply, Usage};

/// Characters of reasoning that are kept, at most.
const REASONING_KEPT: usize = 20_000;

#[derive(Debug, PartialEq)]
pub(super) enum Answer {
    Reply(Box<Reply>),
    Error(ServerError),
    /// Nothing was said and nothing is billed.
    Empty,
    /// It cannot be read to its end.
    Broken,
    /// A web page: no reward model answers with one.
    WebPage,
}

pub(super) fn read(body: &[u8]) -> Answer {
    let text = String::from_utf8_lossy(body);
    let value = if stream::is_stream(&text) {
        stream::assemble(&text)
    } else if text.trim_start().starts_with(':') {
        serde_json::from_str(&stream::without_comments(&text)).ok()
    } else {
        serde_json::from_str(&text).ok().or_else(|| serde_json::from_str(&without_nan(&text)).ok())
    };
    match value {
        Some(Value::Object(object)) => of_value(&Value::Object(object)),
        _ if text.trim_start().starts_with('<') => Answer::WebPage,
        _ => Answer::Broken,
    }
}

fn of_value(value: &Value) -> Answer {
    let (usage, extra) = usage(&value["usage"]);
    let cost_usd = billed(&value["usage"]);
    let is_billed = cost_usd.is_some();
    let string = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let failed = |error: &Value| {
        let error = ServerError::of(error, 200);
        let provider = error.provider.clone().or_else(|| string(&value["provider"]));
        Answer::Error(ServerError { cost_usd, provider, ..error })
    };
    if !value["error"].is_null() {
        return failed(&value["error"]);
    }
    let choice = &value["choices"][0];
    if !choice["error"].is_null() {
        return failed(&choice["error"]);
    }
    let message = &choice["message"];
    let content = content(&message["content"]).or_else(|| string(&message["refusal"])).unwrap_or_default();
    let reasoning = string(&message["reasoning"]).or_else(|| string(&message["reasoning_content"])).map(bounded);
    let finish_reason = string(&choice["finish_reason"]);
    if finish_reason.as_deref() == Some("error") && !content.trim().is_empty() {
        return failed(&serde_json::json!({"code": 502, "message": "the provider stopped with an error"}));
    }
    if content.trim().is_empty() && reasoning.is_none() {
        // Nothing was said. Where it was billed all the same (tokens were made, a filter cut in), asking again would pay
        // twice: it is kept as a reply without a score.
        let blank = matches!(finish_reason.as_deref(), None | Some("error"));
        let silent = usage.completion_tokens.unwrap_or(0) == 0 && finish_reason.as_deref() == Some("stop");
        if !is_billed && (blank || silent) {
            return Answer::Empty;
        }
    }
    Answer::Reply(Box::new(Reply {
        text: content,
        reasoning,
        finish_reason,
        native_finish_reason: string(&choice["native_finish_reason"]),
        model_returned: string(&value["model"]),
        provider: string(&value["provider"]),
        request_id: string(&value["id"]),
        usage,
        extra,
        ..Reply::default()
    }))
}

/// `text` with null in place of the numbers that JSON has not (`NaN`, `Infinity`), which servers in Python write all the
/// same, and of those beyond all measure: an answer that was paid for is not thrown away for them.
fn without_nan(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    let (mut in_string, mut escaped) = (false, false);
    while let Some(c) = rest.chars().next() {
        let word = ["NaN", "Infinity", "-Infinity"].into_iter().find(|word| !in_string && rest.starts_with(word));
        if let Some(word) = word {
            plain.push_str("null");
            rest = &rest[word.len()..];
            continue;
        }
        if !in_string && c.is_ascii_digit() {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c)).unwrap_or(rest.len());
            let number = &rest[..end];
            if number.parse::<f64>().is_ok_and(f64::is_infinite) {
                // Its sign, where it has one, is written already.
                plain.truncate(plain.trim_end_matches('-').len());
                plain.push_str("null");
            } else {
                plain.push_str(number);
            }
            rest = &rest[end..];
            continue;
        }
        in_string ^= c == '"' && !escaped;
        escaped = in_string && c == '\\' && !escaped;
        plain.push(c);
        rest = &rest[c.len_utf8()..];
    }
    plain
}

/// The text of a message: a string, or parts of which some are text.
fn content(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()).filter(|text| !text.is_empty()),
        Value::Array(parts) => {
            let texts: Vec<&str> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
            Some(texts.concat()).filter(|text| !text.is_empty())
        }
        _ => None,
    }
}

pub(super) fn bounded(text: String) -> String {
    match text.char_indices().nth(REASONING_KEPT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Dollars that `usage` tells of, where it tells of any.
pub(super) fn billed(value: &Value) -> Option<f64> {
    usage(value).0.cost_usd.filter(|cost| *cost > 0.0)
}

/// Tokens and dollars, and the finer figures that go into columns of their own.
fn usage(value: &Value) -> (Usage, Vec<(String, f64)>) {
    // A negative cost is no cost: it would give money back that nobody has.
    let dollars = |value: &Value| number(value).filter(|cost| *cost >= 0.0);
    let cost = dollars(&value["cost"]);
    let own_key = dollars(&value["cost_details"]["upstream_inference_cost"]);
    // With a user's own provider key `cost` is OpenRouter's fee, or 0, and the provider bills the rest.
    let by_own_key = value["is_byok"].as_bool().unwrap_or(cost.unwrap_or(0.0) == 0.0);
    let cost_usd = match (cost, own_key) {
        (cost, Some(own_key)) if by_own_key => Some(cost.unwrap_or(0.0) + own_key),
        (cost, _) => cost,
    };
    let usage = Usage {
        prompt_tokens: value["prompt_tokens"].as_u64(),
        cached_tokens: value["prompt_tokens_details"]["cached_tokens"].as_u64(),
        completion_tokens: value["completion_tokens"].as_u64(),
        cost_usd,
    };
    let written = &value["prompt_tokens_details"]["cache_write_tokens"];
    let written = if written.is_null() { &value["cache_write_tokens"] } else { written };
    let extra = [
        ("reasoning_tokens", number(&value["completion_tokens_details"]["reasoning_tokens"])),
        ("cache_write_tokens", number(written)),
        ("own_key_cost_usd", own_key.filter(|_| by_own_key)),
    ];
    (usage, extra.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect())
}

/// A finite number, or a string that is one.
pub(super) fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    number.filter(|number| number.is_finite())
}
