//! Completion and documentation of commands, answered while a cell runs.

use std::os::unix::net::UnixStream;

use roborm_wire::cell::{Answer, Candidate, Question};
use roborm_wire::{receive, send};

use super::state;
use crate::command::{Completion, help};

/// Answers until the evaluator is gone; then this process has nothing left to do.
pub(super) fn answer_all(mut stream: UnixStream) {
    let completion = Completion::new(state::current().clone());
    let grammar = help::grammar();
    while let Ok(Some(question)) = receive::<Question>(&mut stream) {
        let answer = match question {
            Question::Complete { line } => {
                let (start, found) = completion.of(&line, &grammar);
                let found = found.into_iter().map(|it| Candidate { label: it.label, text: it.text }).collect();
                Answer::Complete { start, found }
            }
            Question::Inspect { command } => Answer::Inspect(
                help::answer(&grammar, &[command]).ok().map(|answer| answer.render(&crate::display::Terminal::plain())),
            ),
        };
        if send(&mut stream, &answer).is_err() {
            break;
        }
    }
    std::process::exit(0);
}
