//! A text in the lines that are run one by one.

use crate::engine::Engine;

/// A command or an expression, and the line of the text that it begins in, from 1.
#[derive(Debug, PartialEq, Eq)]
pub struct Piece {
    pub line: usize,
    pub text: String,
}

/// Is this a command?
pub fn is_command(text: &str) -> bool {
    text.trim_start().starts_with(':')
}

/// Whether what was typed so far is whole: no open quotation, no backslash at the end, nothing that the engine waits for.
pub fn is_complete(text: &str, engine: &dyn Engine) -> bool {
    if is_command(text) { shlex::split(text).is_some() } else { engine.is_complete(text) }
}

/// The pieces of a text, in order. Empty lines and comments (`#`, `//`) are passed over. What is not whole at the end is
/// the last piece, for the error that it is.
pub fn pieces(text: &str, engine: &dyn Engine) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut open: Option<Piece> = None;
    for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let bare = line.trim();
        let mut piece = match open.take() {
            Some(piece) => Piece { text: format!("{}\n{line}", piece.text), ..piece },
            None if bare.is_empty() || bare.starts_with("//") => continue,
            // `#[…]` is an attribute, not a comment.
            None if bare.starts_with('#') && !bare.starts_with("#[") && !bare.starts_with("#![") => continue,
            None => Piece { line: index + 1, text: line.to_owned() },
        };
        if is_complete(&piece.text, engine) {
            piece.text = piece.text.trim().to_owned();
            pieces.push(piece);
        } else {
            open = Some(piece);
        }
    }
    pieces.extend(open);
    pieces
}
