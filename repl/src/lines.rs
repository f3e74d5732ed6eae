//! A text in the lines that are run one by one.

use std::ops::Range;

use crate::engine::Grammar;

/// A command or an expression, and the line of the text that it begins in, from 1.
#[derive(Debug, PartialEq, Eq)]
pub struct Piece {
    pub line: usize,
    pub text: String,
    /// Where it stands in the text.
    pub bytes: Range<usize>,
    /// It can be run: nothing of it is open.
    pub whole: bool,
}

/// Is this a command?
pub fn is_command(text: &str) -> bool {
    text.trim_start().starts_with(':')
}

/// Whether what was typed so far is whole: no open quotation, no backslash at the end, nothing that the engine waits for.
pub fn is_complete(text: &str, engine: &dyn Grammar) -> bool {
    match text.trim_start().chars().next() {
        Some(':') => shlex::split(text).is_some(),
        // A question of what a name means; a line for the shell.
        Some('?') => true,
        Some('!') if !text.trim_start().starts_with("!(") => true,
        _ => engine.is_complete(text),
    }
}

/// The pieces of a text, in order. Empty lines and comments (`#`, `//`) are passed over. What is not whole at the end is
/// the last piece, for the error that it is.
///
/// A line that begins with a dot goes on with the expression before it.
pub fn pieces(text: &str, engine: &dyn Grammar) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut open: Option<Piece> = None;
    let mut at = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let bytes = at..at + line.trim_end_matches(['\r', '\n']).len();
        at += line.len();
        let line = text[bytes.clone()].trim_start_matches('\u{feff}');
        let bare = line.trim();
        let chained = bare.starts_with('.') && !bare.starts_with("..");
        if open.is_none() && chained && pieces.last().is_some_and(|last| !is_command(&last.text)) {
            open = pieces.pop();
        }
        let mut piece = match open.take() {
            Some(piece) => {
                Piece { text: format!("{}\n{line}", piece.text), bytes: piece.bytes.start..bytes.end, ..piece }
            }
            None if bare.is_empty() || bare.starts_with("//") => continue,
            // `#[…]` is an attribute, not a comment.
            None if bare.starts_with('#') && !bare.starts_with("#[") && !bare.starts_with("#![") => continue,
            None => Piece { line: index + 1, text: line.to_owned(), bytes, whole: false },
        };
        if is_complete(&piece.text, engine) {
            piece.text = piece.text.trim().to_owned();
            piece.whole = true;
            pieces.push(piece);
        } else {
            open = Some(piece);
        }
    }
    pieces.extend(open);
    pieces
}
