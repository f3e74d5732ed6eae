//! Completion, inspection, and whether a cell is whole: on a thread of its own, since an answer may take a moment.

use std::sync::mpsc::Receiver;
use std::time::Duration;

use serde_json::{Value, json};

use super::Shared;
use super::desk::Desk;
use super::language::Assist;
use super::message::{Request, empty};
use super::zmtp::Identity;
use crate::engine::{Completeness, Completions, Inspection};

/// How long the first questions wait for an evaluator that is coming up: on a machine with much to do that takes seconds,
/// and an answer that is late serves better than one that is empty.
const PATIENCE: Duration = Duration::from_secs(10);

/// Who knows the answers, once the evaluator is up.
pub(super) struct Helper {
    coming: Receiver<Box<dyn Assist>>,
    here: Option<Box<dyn Assist>>,
}

impl Helper {
    /// One that comes through this channel; it is hung up where none will.
    pub(super) fn new(coming: Receiver<Box<dyn Assist>>) -> Self {
        Self { coming, here: None }
    }

    fn get(&mut self) -> Option<&dyn Assist> {
        if self.here.is_none() {
            self.here = self.coming.recv_timeout(PATIENCE).ok();
        }
        self.here.as_deref()
    }
}

/// Answers for as long as the program runs.
pub(super) fn work(
    shared: &Shared,
    desk: &Desk,
    questions: &Receiver<(Identity, Request)>,
    completeness: fn(&str) -> Completeness,
    mut helper: Helper,
) {
    while let Ok((front, request)) = questions.recv() {
        let source = request.text("code");
        shared.outlet.around(&request, || {
            // An analysis that fails must not take the thread with it.
            let answer = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| match request.kind.as_str() {
                "complete_request" => complete(helper.get(), &request, source),
                "inspect_request" => inspect(helper.get(), &request, source),
                _ => whole(completeness(source)),
            }));
            let failed = || json!({"status": "error", "ename": "Internal", "evalue": "no answer", "traceback": []});
            desk.reply(&front, &request, &answer.unwrap_or_else(|_| failed()));
        });
    }
}

fn complete(assistant: Option<&dyn Assist>, request: &Request, source: &str) -> Value {
    let at = byte(source, &request.content["cursor_pos"]);
    let found = match assistant {
        Some(assistant) => assistant.complete(source, at),
        None => Completions { start: at, end: at, items: Vec::new() },
    };
    let (start, end) = (character(source, found.start), character(source, found.end));
    let matches: Vec<&str> = found.items.iter().map(|item| item.text.as_str()).collect();
    // How JupyterLab and IPython tell what a candidate is.
    let types: Vec<Value> = found
        .items
        .iter()
        .map(|item| json!({"text": item.text, "type": item.kind, "start": start, "end": end}))
        .collect();
    json!({
        "status": "ok",
        "matches": matches,
        "cursor_start": start,
        "cursor_end": end,
        "metadata": {"_jupyter_types_experimental": types},
    })
}

fn inspect(assistant: Option<&dyn Assist>, request: &Request, source: &str) -> Value {
    let at = byte(source, &request.content["cursor_pos"]);
    match assistant.and_then(|assistant| assistant.inspect(source, at)) {
        Some(Inspection { plain, markdown }) => {
            let data = json!({"text/plain": plain, "text/markdown": markdown});
            json!({"status": "ok", "found": true, "data": data, "metadata": empty()})
        }
        None => json!({"status": "ok", "found": false, "data": empty(), "metadata": empty()}),
    }
}

fn whole(completeness: Completeness) -> Value {
    match completeness {
        Completeness::Complete => json!({"status": "complete"}),
        Completeness::Incomplete { indent } => json!({"status": "incomplete", "indent": indent}),
        Completeness::Invalid => json!({"status": "invalid"}),
    }
}

/// The byte at which a character stands, by its number; the end where there are fewer.
fn byte(source: &str, character: &Value) -> usize {
    let number = character.as_u64().and_then(|number| usize::try_from(number).ok());
    number.and_then(|number| source.char_indices().nth(number)).map_or(source.len(), |(byte, _)| byte)
}

/// The number of the character that stands at a byte.
fn character(source: &str, byte: usize) -> usize {
    source.char_indices().take_while(|(start, _)| *start < byte).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_characters() {
        let source = "é𝄞x";
        for (number, place) in [(0, 0), (1, 2), (2, 6), (3, 7)] {
            assert_eq!(byte(source, &json!(number)), place);
            assert_eq!(character(source, place), number);
        }
        for beyond in [json!(9), json!(-1), Value::Null] {
            assert_eq!(byte(source, &beyond), source.len());
        }
    }
}
