//! What the line editor asks while a line is typed.

use std::borrow::Cow;
use std::cell::Cell;

use roborm::command::Current;
use roborm::display::{Terminal, Tone};
use rustyline::completion::{Completer, Pair};
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::Hinter;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Result};

use crate::completion::Completion;
use crate::engine::{Alone, Engine};
use crate::hints::{self, Suggestion};
use crate::lines::Piece;
use crate::reflow::Reflow;
use crate::{help, highlight, lines};

/// Completion, hints, colours, and whether a line is whole.
pub struct Helper {
    grammar: clap::Command,
    completion: Completion,
    engine: Engine,
    terminal: Terminal,
    /// What is drawn is final: nothing is marked in it.
    is_final: Cell<bool>,
    reflow: Reflow,
}

impl Helper {
    /// For a session and the terminal it is on.
    pub fn new(current: Current, engine: Engine, terminal: Terminal) -> Self {
        Self {
            grammar: help::grammar(),
            completion: Completion::new(current),
            engine,
            terminal,
            is_final: Cell::new(false),
            reflow: Reflow::new(),
        }
    }
}

/// What Tab puts in where a line of Rust begins.
const INDENT: &str = "    ";

/// Whether there is nothing to complete yet in a line that goes on with Rust.
fn is_indent(typed: &str, last: Option<&Piece>) -> bool {
    let is_empty = typed.rsplit_once('\n').is_some_and(|(_, line)| line.trim().is_empty());
    is_empty && last.is_some_and(|last| !lines::is_command(&last.text))
}

impl Helper {
    /// A line is about to be typed behind this prompt.
    pub fn prompt(&self, prompt: &str) {
        self.reflow.prompt(prompt);
    }
}

impl Completer for Helper {
    type Candidate = Pair;

    fn complete(&self, line: &str, pos: usize, _ctx: &Context<'_>) -> Result<(usize, Vec<Pair>)> {
        let typed = line.get(..pos).unwrap_or(line);
        let open = lines::pieces(typed, &Alone).pop();
        if is_indent(typed, open.as_ref()) {
            let pair = Pair { display: INDENT.to_owned(), replacement: INDENT.to_owned() };
            return Ok((pos, vec![pair]));
        }
        // `?:sp`: which command is asked about.
        if let Some(about) = typed.trim_start().strip_prefix('?').filter(|about| about.starts_with(':')) {
            let (start, found) = self.completion.of(about, &self.grammar);
            return Ok((typed.len() - about.len() + start, found));
        }
        match open.filter(|piece| !lines::is_command(&piece.text) && piece.bytes.end == typed.len()) {
            None => {
                let start = typed.rfind(char::is_whitespace).map_or(0, |at| at + 1);
                let Some(name) = typed.get(start..).and_then(|word| word.strip_prefix('$')) else {
                    return Ok(self.completion.of(typed, &self.grammar));
                };
                let pair = |name: String| Pair { display: format!("${name}"), replacement: format!("${name} ") };
                Ok((start, self.engine.variables(name).into_iter().map(pair).collect()))
            }
            Some(piece) => {
                let source = typed.get(piece.bytes.clone()).unwrap_or_default();
                let (start, found) = self.engine.complete(source).unwrap_or((source.len(), Vec::new()));
                let pair = |(display, replacement)| Pair { display, replacement };
                Ok((piece.bytes.start + start, found.into_iter().map(pair).collect()))
            }
        }
    }
}

impl Hinter for Helper {
    type Hint = Suggestion;

    fn hint(&self, line: &str, pos: usize, ctx: &Context<'_>) -> Option<Suggestion> {
        // Asked for whenever the whole line is drawn.
        self.reflow.settle(line, pos);
        hints::of(line, pos, ctx, &self.grammar)
    }
}

impl Highlighter for Helper {
    fn highlight<'l>(&self, line: &'l str, pos: usize) -> Cow<'l, str> {
        let pos = (!self.is_final.get()).then_some(pos);
        Cow::Owned(highlight::text(line, pos, &self.grammar, &self.terminal))
    }

    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        Cow::Owned(self.terminal.paint(Tone::Dim, hint))
    }

    fn highlight_char(&self, line: &str, pos: usize, kind: CmdKind) -> bool {
        self.is_final.set(kind == CmdKind::ForcedRefresh);
        if kind == CmdKind::MoveCursor {
            self.reflow.moved(pos);
        }
        // A letter may finish the name of a command.
        kind != CmdKind::MoveCursor || highlight::is_at_bracket(line, pos)
    }
}

impl Validator for Helper {
    fn validate(&self, ctx: &mut ValidationContext<'_>) -> Result<ValidationResult> {
        let whole = lines::pieces(ctx.input(), &self.engine).last().is_none_or(|last| last.whole);
        Ok(if whole { ValidationResult::Valid(None) } else { ValidationResult::Incomplete })
    }
}

impl rustyline::Helper for Helper {}
