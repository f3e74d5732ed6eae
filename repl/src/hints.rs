//! What is shown after the cursor while one types.

use rustyline::Context;
use rustyline::hint::{Hint, Hinter, HistoryHinter};

/// A hint: the rest of a line typed before, taken by the right arrow; or what a command is for.
pub struct Suggestion {
    text: String,
    takes: bool,
}

impl Hint for Suggestion {
    fn display(&self) -> &str {
        &self.text
    }

    fn completion(&self) -> Option<&str> {
        self.takes.then_some(self.text.as_str())
    }
}

/// The hint for a line.
pub fn of(line: &str, pos: usize, ctx: &Context<'_>, grammar: &clap::Command) -> Option<Suggestion> {
    if line.contains('\n') {
        return None;
    }
    if let Some(text) = HistoryHinter::new().hint(line, pos, ctx) {
        // Several lines below the one that is typed would be in the way.
        return (!text.contains('\n')).then_some(Suggestion { text, takes: true });
    }
    let name = line.strip_prefix(':').filter(|_| pos == line.len())?;
    let about = grammar.find_subcommand(name.trim_end())?.get_about()?.to_string();
    let about = about.split(':').next().unwrap_or_default();
    Some(Suggestion { text: format!("  {about}"), takes: false })
}
