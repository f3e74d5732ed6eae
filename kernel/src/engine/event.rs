//! What an evaluation says to whoever shows it: a notebook or a prompt.

use std::sync::mpsc::Sender;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One value in several forms, by MIME type: text/plain always, richer ones beside it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Bundle {
    /// The forms: MIME type to text, base64 of a picture, or JSON.
    pub data: Map<String, Value>,
    /// Hints on how to show them, by MIME type (width and height of a picture).
    #[serde(default)]
    pub metadata: Map<String, Value>,
}

impl Bundle {
    /// A text, plain and as Markdown.
    pub(super) fn of_texts(plain: &str, markdown: &str) -> Self {
        let mut bundle = Self::default();
        bundle.data.insert("text/plain".to_owned(), plain.into());
        bundle.data.insert("text/markdown".to_owned(), markdown.into());
        bundle
    }
}

/// Something that happens while a cell runs, in the order in which it happened.
#[derive(Debug)]
pub enum Event {
    /// Text of the cell's standard output, in pieces of any size; bytes that are no UTF-8 are replaced.
    Stdout(String),
    /// Text of its standard error.
    Stderr(String),
    /// A value to show. One with an identifier can be shown anew in its place.
    Display {
        /// The identifier of the display, where it has one.
        id: Option<String>,
        /// Replace what stands under the identifier.
        update: bool,
        /// The value.
        bundle: Bundle,
    },
    /// The cell asks for a line of text.
    Input {
        /// What to ask.
        prompt: String,
        /// Whether the answer must not be shown.
        password: bool,
        /// Where the answer goes; dropped unanswered, the cell gets an end of input.
        reply: InputReply,
    },
}

/// Where the answer to [`Event::Input`] goes.
#[derive(Debug)]
pub struct InputReply(pub Sender<String>);

/// Why a cell did not come to its end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// Its kind: `E0308`, `Panic`, `Error`, `Interrupted`, `Died`.
    pub name: String,
    /// One line: what and where.
    pub message: String,
    /// The whole of it, line by line, with ANSI colours: the span in the cell, the cause, what to do about it.
    pub traceback: Vec<String>,
}

/// Characters of a failure's message, of a line of the rest, and lines of it: a front shows all of it, and what a panic says
/// may be a whole file.
const LONGEST: usize = 1_000;
const WIDEST: usize = 4_000;
const MOST_LINES: usize = 400;

impl Failure {
    /// With as much of it as can be read.
    pub(super) fn bounded(mut self) -> Self {
        cut(&mut self.message, LONGEST);
        // What is one piece may be many lines.
        let mut lines: Vec<String> =
            self.traceback.iter().flat_map(|piece| piece.split('\n')).take(MOST_LINES + 1).map(str::to_owned).collect();
        let all: usize = self.traceback.iter().map(|piece| piece.matches('\n').count() + 1).sum();
        if all > MOST_LINES {
            // Its end says what to do.
            let last = self.traceback.last().filter(|last| !last.contains('\n')).cloned();
            lines.truncate(MOST_LINES - 1);
            lines.push(format!("… {} lines more", all - MOST_LINES + 1));
            lines.extend(last);
        }
        for line in &mut lines {
            cut(line, WIDEST);
        }
        self.traceback = lines;
        self
    }
}

/// Leaves out the middle of a text of more than so many characters.
fn cut(text: &mut String, most: usize) {
    if text.len() <= most {
        return;
    }
    let count = text.chars().count();
    if count <= most {
        return;
    }
    let (head, tail) = (most * 3 / 4, most / 4);
    let byte = |at: usize| text.char_indices().nth(at).map_or(text.len(), |(byte, _)| byte);
    let (from, until) = (byte(head), byte(count - tail));
    // A colour that is left on ends with the line.
    let colour = if text[from..until].contains("\u{1b}[0m") { "\u{1b}[0m" } else { "" };
    let left_out = format!("{colour} … {} characters … ", count - head - tail);
    text.replace_range(from..until, &left_out);
}

/// How a cell ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It ran; the value of its last expression, where it has one.
    Done(Option<Bundle>),
    /// It did not, and why. What it had shown stays.
    Failed(Failure),
}
