//! Replies of servers that stream although they were not asked to.

use serde_json::{Value, json};

/// Whether a body is a stream of server-sent events.
pub(super) fn is_stream(body: &str) -> bool {
    let first = body.lines().map(str::trim_start).find(|line| !line.is_empty() && !line.starts_with(':'));
    first.is_some_and(|line| ["data:", "event:", "id:", "retry:"].iter().any(|field| line.starts_with(field)))
}

/// `body` without comment lines (`: OPENROUTER PROCESSING`), which keep a slow connection open.
pub(super) fn without_comments(body: &str) -> String {
    body.lines().filter(|line| !line.starts_with(':')).collect::<Vec<_>>().join("\n")
}

/// The whole reply that the events of a stream make up, in the form of one that was not streamed; `None` where the stream
/// ended before its last event.
pub(super) fn assemble(body: &str) -> Option<Value> {
    let mut whole = json!({});
    let (mut text, mut reasoning) = (String::new(), String::new());
    let mut choice = json!({});
    let mut done = false;
    for data in body.lines().filter_map(|line| line.strip_prefix("data:")) {
        let data = data.trim();
        if data == "[DONE]" {
            done = true;
            break;
        }
        let event: Value = serde_json::from_str(data).ok()?;
        if !event["error"].is_null() {
            return Some(event);
        }
        for field in ["id", "model", "provider", "usage"] {
            if !event[field].is_null() {
                whole[field] = event[field].clone();
            }
        }
        let part = &event["choices"][0];
        for delta in [&part["delta"], &part["message"]] {
            text.push_str(delta["content"].as_str().unwrap_or_default());
            let thought = delta["reasoning"].as_str().or_else(|| delta["reasoning_content"].as_str());
            reasoning.push_str(thought.unwrap_or_default());
        }
        for field in ["finish_reason", "native_finish_reason", "error"] {
            if !part[field].is_null() {
                choice[field] = part[field].clone();
            }
        }
    }
    if !done && choice["finish_reason"].is_null() {
        return None;
    }
    choice["message"] = json!({"content": text, "reasoning": reasoning});
    whole["choices"] = json!([choice]);
    Some(whole)
}
