//! What the line editor asks while a line is typed.

use std::borrow::Cow;

use roborm::command::Current;
use roborm::display::{Terminal, Tone};
use rustyline::completion::{Completer, Pair};
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::Hinter;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Result};

use crate::completion::Completion;
use crate::engine::Commands;
use crate::hints::{self, Suggestion};
use crate::{help, highlight, lines};

/// Completion, hints, colours, and whether a line is whole.
pub struct Helper {
    grammar: clap::Command,
    completion: Completion,
    terminal: Terminal,
}

impl Helper {
    /// For a session and the terminal it is on.
    pub fn new(current: Current, terminal: Terminal) -> Self {
        Self { grammar: help::grammar(), completion: Completion::new(current), terminal }
    }
}

impl Completer for Helper {
    type Candidate = Pair;

    fn complete(&self, line: &str, pos: usize, _ctx: &Context<'_>) -> Result<(usize, Vec<Pair>)> {
        Ok(self.completion.of(line.get(..pos).unwrap_or(line), &self.grammar))
    }
}

impl Hinter for Helper {
    type Hint = Suggestion;

    fn hint(&self, line: &str, pos: usize, ctx: &Context<'_>) -> Option<Suggestion> {
        hints::of(line, pos, ctx, &self.grammar)
    }
}

impl Highlighter for Helper {
    fn highlight<'l>(&self, line: &'l str, _pos: usize) -> Cow<'l, str> {
        Cow::Owned(highlight::line(line, &self.grammar, &self.terminal))
    }

    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        Cow::Owned(self.terminal.paint(Tone::Dim, hint))
    }

    fn highlight_char(&self, _line: &str, _pos: usize, kind: CmdKind) -> bool {
        // A letter may finish the name of a command.
        kind != CmdKind::MoveCursor
    }
}

impl Validator for Helper {
    fn validate(&self, ctx: &mut ValidationContext<'_>) -> Result<ValidationResult> {
        let whole =
            lines::pieces(ctx.input(), &Commands).last().is_none_or(|last| lines::is_complete(&last.text, &Commands));
        Ok(if whole { ValidationResult::Valid(None) } else { ValidationResult::Incomplete })
    }
}

impl rustyline::Helper for Helper {}
