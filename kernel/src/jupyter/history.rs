//! The cells of this session, for fronts that ask for them.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

/// The number of the only session whose cells are known.
const SESSION: i64 = 1;

/// The cells of this session, in the order in which they ran.
#[derive(Default)]
pub(super) struct History(Mutex<Vec<Entry>>);

struct Entry {
    line: u64,
    source: String,
    output: Option<String>,
}

impl History {
    /// A cell is about to run.
    pub fn add(&self, line: u64, source: &str) {
        self.lock().push(Entry { line, source: source.to_owned(), output: None });
    }

    /// The last cell has a result.
    pub fn result(&self, output: Option<String>) {
        if let Some(last) = self.lock().last_mut() {
            last.output = output;
        }
    }

    /// The entries that a `history_request` asks for.
    pub fn asked(&self, request: &Value) -> Vec<Value> {
        let entries = self.lock();
        let whole = |name: &str| request[name].as_i64();
        let most = whole("n").and_then(|n| usize::try_from(n).ok());
        let mut found: Vec<&Entry> = match request["hist_access_type"].as_str().unwrap_or("tail") {
            "range" => {
                // 0 is this session, -1 the one before it.
                let here = matches!(whole("session").unwrap_or(0), 0 | SESSION);
                let (from, to) = (whole("start").unwrap_or(0), whole("stop").unwrap_or(i64::MAX));
                let within = |entry: &&Entry| i64::try_from(entry.line).is_ok_and(|line| from <= line && line < to);
                entries.iter().filter(|_| here).filter(within).collect()
            }
            "search" => {
                let pattern: Vec<char> = request["pattern"].as_str().unwrap_or("*").chars().collect();
                let fits = |entry: &&Entry| matches(&pattern, &entry.source);
                last(entries.iter().filter(fits).collect(), most)
            }
            _ => last(entries.iter().collect(), most),
        };
        if request["unique"] == true {
            // The last of equal ones stays.
            let mut seen = std::collections::HashSet::new();
            found.reverse();
            found.retain(|entry| seen.insert(entry.source.as_str()));
            found.reverse();
        }
        let with_output = request["output"] == true;
        found.into_iter().map(|entry| entry.value(with_output)).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entry {
    fn value(&self, with_output: bool) -> Value {
        if with_output {
            json!([SESSION, self.line, [self.source, self.output]])
        } else {
            json!([SESSION, self.line, self.source])
        }
    }
}

fn last(mut entries: Vec<&Entry>, most: Option<usize>) -> Vec<&Entry> {
    let most = most.unwrap_or(entries.len());
    entries.drain(..entries.len().saturating_sub(most));
    entries
}

/// Whether a text is as a pattern of `*` (anything) and `?` (any one) has it.
fn matches(pattern: &[char], text: &str) -> bool {
    let text: Vec<char> = text.chars().collect();
    let (mut p, mut t) = (0, 0);
    // Where the last star stands, and how much of the text it has taken.
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(&wanted) if wanted == '?' || wanted == text[t] => {
                p += 1;
                t += 1;
            }
            _ => {
                let Some((place, taken)) = star else { return false };
                star = Some((place, taken + 1));
                p = place + 1;
                t = taken + 1;
            }
        }
    }
    pattern[p..].iter().all(|&rest| rest == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history() -> History {
        let history = History::default();
        for (line, source) in ["1 + 1", "let a = 1;", "1 + 2", "1 + 1"].into_iter().enumerate() {
            history.add(line as u64 + 1, source);
        }
        history.result(Some("2".to_owned()));
        history
    }

    #[test]
    fn each_way_of_asking() {
        let history = history();
        for (request, expected) in [
            (json!({"hist_access_type": "tail", "n": 1}), json!([[1, 4, "1 + 1"]])),
            (json!({"hist_access_type": "tail", "n": 1, "output": true}), json!([[1, 4, ["1 + 1", "2"]]])),
            (json!({"hist_access_type": "tail", "n": 0}), json!([])),
            (json!({"hist_access_type": "range", "session": 0, "start": 2, "stop": 3}), json!([[1, 2, "let a = 1;"]])),
            (json!({"hist_access_type": "range", "session": 1, "start": 3}), json!([[1, 3, "1 + 2"], [1, 4, "1 + 1"]])),
            (json!({"hist_access_type": "range", "session": -1, "start": 0}), json!([])),
            (json!({"hist_access_type": "search", "pattern": "let*"}), json!([[1, 2, "let a = 1;"]])),
            (json!({"hist_access_type": "search", "pattern": "1 ?? *", "unique": true}), json!([])),
            (
                json!({"hist_access_type": "search", "pattern": "1 ? *", "unique": true}),
                json!([[1, 3, "1 + 2"], [1, 4, "1 + 1"]]),
            ),
            (json!({"hist_access_type": "search", "pattern": "1*", "n": 1}), json!([[1, 4, "1 + 1"]])),
        ] {
            assert_eq!(Value::Array(history.asked(&request)), expected, "{request}");
        }
    }

    #[test]
    fn stars_take_as_much_as_they_must() {
        for (pattern, text, expected) in
            [("*a*b", "xaxaxb", true), ("*a*b", "xaxaxbx", false), ("", "", true), ("*", "", true), ("?", "", false)]
        {
            assert_eq!(matches(&pattern.chars().collect::<Vec<_>>(), text), expected, "{pattern} {text}");
        }
    }
}
