//! What is lost with the process that runs cells, and what is not.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::sync::PoisonError;

use serde_json::Value;

use super::defined::Defined;
use super::event::Failure;
use super::fault;
use super::gone::{End, Piece};
use super::run::{Engine, PATIENCE};

/// Names that are told; of more it is told how many.
const MOST: usize = 5;

impl Engine {
    /// The process died while it ran a command: evcxr does not know yet. Makes it start another.
    pub(super) fn revive(&mut self) -> Failure {
        let status = self.process.lock().unwrap_or_else(PoisonError::into_inner).wait().ok();
        let why = status.map_or_else(|| "ended".to_owned(), |status| reason(&status.to_string(), status.signal()));
        // A cell that does nothing finds the process gone, and evcxr starts another.
        let _ = self.context.execute("();");
        self.lost(&why)
    }

    /// Where the process died since the last cell, starts another before this one runs, and says what is lost.
    pub(super) fn revive_if_dead(&mut self) {
        let is_dead =
            self.process.lock().unwrap_or_else(PoisonError::into_inner).try_wait().is_ok_and(|status| status.is_some());
        if !is_dead {
            return;
        }
        let names = |engine: &Self| engine.variables().into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        let before = names(self);
        let failure = self.revive();
        let nothing = Defined::by("");
        let piece = Piece { source: "", line: 0, defined: &nothing, before: &before, outdated: &[] };
        self.gone.over(&piece, &names(self), End::Lost);
        let said = failure.message.strip_prefix("the process that runs cells ").unwrap_or(&failure.message).to_owned();
        self.pump.note(&format!("note: since the last cell, the process that runs cells {said}"));
        for line in failure.traceback.iter().skip(1) {
            self.pump.note(&format!("  {}", line.replace("the next cell", "this cell")));
        }
    }

    /// The process that runs cells is gone, and everything in it.
    pub(super) fn lost(&mut self, why: &str) -> Failure {
        self.work = None;
        self.died = true;
        self.pump.lost();
        // Whoever asks for a completion next finds the new process.
        self.pump.wait_for_questions(PATIENCE);
        let was_killed = self.control.take_killed();
        let lost = told(&self.shared.names_of_variables(), &self.session.files.kept());
        if was_killed {
            fault::plain(
                "Interrupted",
                &format!("the code did not stop when it was interrupted, and was killed\n{lost}"),
                Some("code that asks `interrupted()` now and then, or awaits, stops and keeps its variables"),
            )
        } else {
            fault::plain("Died", &format!("the process that runs cells {why}\n{lost}"), None)
        }
    }
}

/// How a process ended, in words.
pub(super) fn reason(message: &str, signal: Option<i32>) -> String {
    let signals = [
        (11, "SIGSEGV", "was stopped by a segmentation fault"),
        (6, "SIGABRT", "aborted"),
        (9, "SIGKILL", "was killed (by the system for want of memory, or by hand)"),
        (7, "SIGBUS", "was stopped by a bus error"),
        (4, "SIGILL", "was stopped by an illegal instruction"),
        (8, "SIGFPE", "was stopped by an arithmetic fault"),
    ];
    for (number, name, words) in signals {
        if signal == Some(number) || message.contains(name) {
            return words.to_owned();
        }
    }
    match message.rsplit_once("exit status: ") {
        Some((_, code)) => format!("exited with status {}", code.trim()),
        None => format!("ended ({})", message.lines().last().unwrap_or_default()),
    }
}

/// In words: `variables` were in the process, and what it kept for its successor is in the folder `kept`.
fn told(variables: &[String], kept: &Path) -> String {
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
