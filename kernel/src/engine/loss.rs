//! What is lost with the process that runs cells, and what is not.

use std::path::Path;

use serde_json::Value;

/// Names that are told; of more it is told how many.
const MOST: usize = 5;

/// In words: `variables` were in the process, and what it kept for its successor is in the folder `kept`.
pub(super) fn told(variables: &[String], kept: &Path) -> String {
    let lost = match variables {
        [] => "no variables were there to be lost".to_owned(),
        [one] => format!("lost: the variable {one}"),
        some => format!("lost: the variables {}", listed(some)),
    };
    let mut keeps = vec!["functions and types".to_owned()];
    keeps.extend(state(kept));
    format!("{lost}\nkept: {}; the next cell runs in a new process", listed(&keeps))
}

/// What is open and scored, in words.
fn state(kept: &Path) -> Vec<String> {
    let read = std::fs::read(kept.join("state.json")).unwrap_or_default();
    let state: Value = serde_json::from_slice(&read).unwrap_or_default();
    let dataset = state["open"]["spec"].as_str().map(|spec| format!("the open dataset ({spec})"));
    let scores = state["rows"].as_u64().map(|rows| match rows {
        1 => "a score".to_owned(),
        rows => format!("{rows} scores"),
    });
    dataset.into_iter().chain(scores).collect()
}

/// `a, b and c`.
fn listed(names: &[String]) -> String {
    let (shown, more) = names.split_at(names.len().min(MOST));
    let mut shown: Vec<String> = shown.to_vec();
    if !more.is_empty() {
        shown.push(format!("{} more", more.len()));
    }
    match shown.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_has_a_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let names = |count: usize| -> Vec<String> { (0..count).map(|at| format!("v{at}")).collect() };
        assert!(
            told(&names(0), folder.path())
                .starts_with("no variables were there to be lost\nkept: functions and types;")
        );
        assert!(told(&names(1), folder.path()).starts_with("lost: the variable v0\n"));
        assert!(told(&names(8), folder.path()).starts_with("lost: the variables v0, v1, v2, v3, v4 and 3 more\n"));
        std::fs::write(folder.path().join("state.json"), r#"{"open": {"spec": "demo"}, "rows": 11}"#).expect("a file");
        assert!(told(&[], folder.path()).contains("kept: functions and types, the open dataset (demo) and 11 scores;"));
    }
}
