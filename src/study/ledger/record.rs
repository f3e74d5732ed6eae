//! Replies as rows.

use rusqlite::{Row, ToSql, named_params};
use serde_json::{Map, Value};

use crate::reward::{Fault, FaultKind, Reply, Usage};

/// Bytes of reasoning that are kept: the score never depends on it, and models can think for pages.
pub(super) const REASONING_LIMIT: usize = 64 << 10;

/// Bytes of an answer that are kept. An honest one has a few words.
pub(super) const TEXT_LIMIT: usize = 1 << 20;

/// The columns of a reply in table `r`, in the order that [`reply`] reads them.
pub(super) const COLUMNS: &str = "text, reasoning, finish_reason, native_finish_reason, model_returned, provider, \
     request_id, prompt_tokens, cached_tokens, completion_tokens, cost_usd, latency_ms, attempts, extra";

pub(super) const INSERT: &str = "INSERT OR REPLACE INTO replies (pair, run, at_ms, text, reasoning, finish_reason, \
     native_finish_reason, model_returned, provider, request_id, prompt_tokens, cached_tokens, completion_tokens, \
     cost_usd, latency_ms, attempts, extra) VALUES (:pair, :run, :at_ms, :text, :reasoning, :finish_reason, \
     :native_finish_reason, :model_returned, :provider, :request_id, :prompt_tokens, :cached_tokens, \
     :completion_tokens, :cost_usd, :latency_ms, :attempts, :extra)";

/// Binds `reply` to [`INSERT`] and does it.
pub(super) fn insert(
    mut statement: rusqlite::CachedStatement<'_>,
    pair: i64,
    run: Option<i64>,
    at_ms: i64,
    reply: &Reply,
) -> rusqlite::Result<()> {
    let count = |tokens: Option<u64>| tokens.map(|tokens| i64::try_from(tokens).unwrap_or(i64::MAX));
    let extra = extra_text(&reply.extra);
    statement.execute(named_params! {
        ":pair": pair,
        ":run": run,
        ":at_ms": at_ms,
        ":text": bounded(&reply.text, TEXT_LIMIT),
        ":reasoning": reply.reasoning.as_deref().map(|text| bounded(text, REASONING_LIMIT)),
        ":finish_reason": reply.finish_reason,
        ":native_finish_reason": reply.native_finish_reason,
        ":model_returned": reply.model_returned,
        ":provider": reply.provider,
        ":request_id": reply.request_id,
        ":prompt_tokens": count(reply.usage.prompt_tokens),
        ":cached_tokens": count(reply.usage.cached_tokens),
        ":completion_tokens": count(reply.usage.completion_tokens),
        ":cost_usd": finite(reply.usage.cost_usd),
        ":latency_ms": finite(reply.latency_ms),
        ":attempts": reply.attempts,
        ":extra": extra.as_ref().map(|text| text as &dyn ToSql),
    })?;
    Ok(())
}

/// Reads a reply out of the columns of [`COLUMNS`], which start at `at`.
pub(super) fn reply(row: &Row<'_>, at: usize) -> rusqlite::Result<Reply> {
    let count = |tokens: Option<i64>| tokens.and_then(|tokens| u64::try_from(tokens).ok());
    Ok(Reply {
        text: row.get(at)?,
        reasoning: row.get(at + 1)?,
        finish_reason: row.get(at + 2)?,
        native_finish_reason: row.get(at + 3)?,
        model_returned: row.get(at + 4)?,
        provider: row.get(at + 5)?,
        request_id: row.get(at + 6)?,
        usage: Usage {
            prompt_tokens: count(row.get(at + 7)?),
            cached_tokens: count(row.get(at + 8)?),
            completion_tokens: count(row.get(at + 9)?),
            cost_usd: row.get(at + 10)?,
        },
        latency_ms: row.get(at + 11)?,
        attempts: row.get(at + 12)?,
        extra: row.get::<_, Option<String>>(at + 13)?.map_or_else(Vec::new, |text| extra_values(&text)),
    })
}

/// A reply as one line of JSON, for a rescue file.
pub(super) fn to_json(reply: &Reply) -> Value {
    serde_json::json!({
        "text": bounded(&reply.text, TEXT_LIMIT),
        "reasoning": reply.reasoning.as_deref().map(|text| bounded(text, REASONING_LIMIT)),
        "finish_reason": reply.finish_reason,
        "native_finish_reason": reply.native_finish_reason,
        "model_returned": reply.model_returned,
        "provider": reply.provider,
        "request_id": reply.request_id,
        "prompt_tokens": reply.usage.prompt_tokens,
        "cached_tokens": reply.usage.cached_tokens,
        "completion_tokens": reply.usage.completion_tokens,
        "cost_usd": reply.usage.cost_usd,
        "latency_ms": reply.latency_ms,
        "attempts": reply.attempts,
        "extra": extra_text(&reply.extra),
    })
}

/// The other way round.
pub(super) fn from_json(value: &Value) -> Option<Reply> {
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let count = |name: &str| value.get(name).and_then(Value::as_u64);
    let number = |name: &str| value.get(name).and_then(Value::as_f64);
    Some(Reply {
        text: text("text")?,
        reasoning: text("reasoning"),
        finish_reason: text("finish_reason"),
        native_finish_reason: text("native_finish_reason"),
        model_returned: text("model_returned"),
        provider: text("provider"),
        request_id: text("request_id"),
        usage: Usage {
            prompt_tokens: count("prompt_tokens"),
            cached_tokens: count("cached_tokens"),
            completion_tokens: count("completion_tokens"),
            cost_usd: number("cost_usd"),
        },
        latency_ms: number("latency_ms"),
        attempts: count("attempts").and_then(|attempts| u32::try_from(attempts).ok()).unwrap_or(1),
        extra: text("extra").map_or_else(Vec::new, |text| extra_values(&text)),
    })
}

pub(super) fn kind_name(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::Passing => "passing",
        FaultKind::Refused => "refused",
        FaultKind::Fatal => "fatal",
        FaultKind::Budget => "budget",
        FaultKind::Interrupted => "interrupted",
    }
}

/// A fault as the ledger has it.
pub(super) fn fault(kind: &str, message: String, maybe_billed: bool) -> Fault {
    let kind = match kind {
        "passing" => FaultKind::Passing,
        "fatal" => FaultKind::Fatal,
        "budget" => FaultKind::Budget,
        "interrupted" => FaultKind::Interrupted,
        _ => FaultKind::Refused,
    };
    Fault { maybe_billed, ..Fault::new(kind, message) }
}

/// `text`, cut at a character's edge where it is longer than `limit` bytes.
pub(super) fn bounded(text: &str, limit: usize) -> &str {
    match text.len() > limit {
        true => &text[..text.floor_char_boundary(limit)],
        false => text,
    }
}

fn finite(value: Option<f64>) -> Option<f64> {
    value.filter(|value| value.is_finite())
}

fn extra_text(extra: &[(String, f64)]) -> Option<String> {
    if extra.is_empty() {
        return None;
    }
    let map: Map<String, Value> = extra.iter().map(|(name, value)| (name.clone(), Value::from(*value))).collect();
    Some(Value::Object(map).to_string())
}

fn extra_values(text: &str) -> Vec<(String, f64)> {
    match serde_json::from_str(text) {
        Ok(Value::Object(map)) => map.into_iter().filter_map(|(name, value)| Some((name, value.as_f64()?))).collect(),
        _ => Vec::new(),
    }
}
