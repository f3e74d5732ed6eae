//! What rustc's parser says of a cell that is no Rust: of the cell alone, since what is made of it would have errors that
//! nobody has typed.

use std::process::Stdio;

use serde_json::Value;

use super::event::Failure;
use super::fault::{self, words};
use super::front::command;
use super::run::Engine;
use super::section::Section;
use super::{advice, cell::Rust};

/// What a cell stands in.
const HEAD: &str = "async fn cell() { ";

impl Engine {
    /// The first error of a cell that our parser finds one in, if rustc's does too: what comes after it is of its making.
    pub(super) fn of_syntax(&self, rust: &Rust<'_>, section: &Section, cell: &str) -> Option<Failure> {
        // Nothing may stand before attributes of the whole.
        if !rust.is_broken || !rust.may_have_head() {
            return None;
        }
        let folder = self.session.files.cells().join("target/syntax");
        std::fs::create_dir_all(&folder).ok()?;
        let file = folder.join("cell.rs");
        std::fs::write(&file, format!("{}{HEAD}{}\n}}\n", "\n".repeat(section.line), section.text)).ok()?;
        let mut rustc = command(self.toolkit.dir(), self.toolkit.recorded(), &self.toolkit.recorded().rustc);
        rustc.args(["-Zparse-crate-root-only", "--edition=2024", "--crate-type=lib", "--error-format=json"]).arg(file);
        rustc.env("RUSTC_BOOTSTRAP", "1").env("RUST_MIN_STACK", super::STACK.to_string()).stdin(Stdio::null());
        let said = rustc.output().ok()?.stderr;
        let lines = said.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice::<Value>(line).ok());
        let error = lines.into_iter().find(|line| line["level"] == "error" && line["spans"][0].is_object())?;
        self.told(&error, section, cell)
    }

    fn told(&self, error: &Value, section: &Section, cell: &str) -> Option<Failure> {
        let spans = error["spans"].as_array()?;
        let primary = spans.iter().find(|span| span["is_primary"] == true)?;
        let number = |name: &str| primary[name].as_u64().and_then(|it| usize::try_from(it).ok());
        let (line, column) = (number("line_start")?, number("column_start")?);
        let before = if line == section.line + 1 { HEAD.chars().count() } else { 0 };
        let message = words(error["message"].as_str()?);
        let mut failure = fault::plain("Error", &message, None);
        failure = fault::at(failure, cell, line, column.saturating_sub(before).max(1));
        if let Some(closed) = cell.lines().nth(line - 1).filter(|_| message.contains("`>`")).and_then(closed) {
            failure.traceback.push(fault::help(&format!("is a `>` missing before the `=`? `{}`", closed.trim())));
            return Some(failure);
        }
        let label = words(primary["label"].as_str().unwrap_or_default());
        if !label.is_empty() && label != message {
            failure.traceback.push(fault::note(&label));
        }
        for (kind, text) in advice::notes(error) {
            // A line that is suggested is one of what the cell stands in.
            let text = text.replace(HEAD, "");
            failure.traceback.push(if kind == "help" { fault::help(&text) } else { fault::note(&text) });
        }
        Some(failure)
    }
}

/// A line whose type is closed before its `=`: rustc reads on, and finds fault with what comes much later.
fn closed(line: &str) -> Option<String> {
    let at = line.find(" = ").or_else(|| line.find('='))?;
    let (head, rest) = line.split_at(at);
    let bare = head.replace("->", "");
    let open = bare.matches('<').count().checked_sub(bare.matches('>').count()).filter(|open| *open > 0)?;
    Some(format!("{head}{}{rest}", ">".repeat(open)))
}
