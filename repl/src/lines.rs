//! A text in the lines that are run one by one.

use std::ops::Range;

use crate::engine::Grammar;
use crate::rust::{self, Brackets, Kind};

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
/// A line that begins as no statement does (`.map(…)`, `where`, the brace of a function's body) goes on with the piece
/// before it, although that could stand alone.
pub fn pieces(text: &str, engine: &dyn Grammar) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut open: Option<Piece> = None;
    let mut gaps = Gaps::default();
    let mut at = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let bytes = at..at + line.trim_end_matches(['\r', '\n']).len();
        at += line.len();
        let line = text[bytes.clone()].trim_start_matches('\u{feff}');
        let bare = line.trim();
        if open.is_none() && pieces.last().is_some_and(|last| goes_on(last, &text[last.bytes.clone()], line)) {
            open = pieces.pop();
            gaps = Gaps::default();
            if let Some(piece) = &mut open {
                // Lines that were passed over in between count: the engine tells of lines.
                let lines = piece.text.matches('\n').count();
                piece.text.push_str(&"\n".repeat(index.saturating_sub(piece.line + lines)));
            }
        }
        let mut piece = match open.take() {
            Some(mut piece) => {
                piece.text.push('\n');
                piece.text.push_str(line);
                piece.bytes.end = bytes.end;
                piece
            }
            None if bare.is_empty() || bare.starts_with("//") => continue,
            // `#[…]` is an attribute, not a comment.
            None if bare.starts_with('#') && !bare.starts_with("#[") && !bare.starts_with("#![") => continue,
            None => {
                gaps = Gaps::default();
                Piece { line: index + 1, text: line.to_owned(), bytes, whole: false }
            }
        };
        if gaps.are_closed(&piece.text, line) && is_complete(&piece.text, engine) {
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

/// What is open in a piece, line by line: all of it is read anew for every line only where it may have come to its end.
#[derive(Default)]
struct Gaps {
    brackets: rust::Unclosed,
    /// A quotation of a command.
    quoted: bool,
}

impl Gaps {
    /// Whether a piece may be whole, now that this line was added to it.
    fn are_closed(&mut self, text: &str, line: &str) -> bool {
        if !is_command(text) {
            return self.brackets.then(text) != Brackets::Open;
        }
        let before = text.len() - line.len();
        let joined = text.get(..before.saturating_sub(1)).is_some_and(|before| before.ends_with('\\'));
        if self.quoted && !joined && !line.contains(['\'', '"', '\\']) {
            return false;
        }
        self.quoted = shlex::split(text).is_none();
        !self.quoted
    }
}

/// Whether a line goes on with what stands whole before it; `written` is that as it stands in the text.
fn goes_on(before: &Piece, written: &str, line: &str) -> bool {
    /// No statement begins with these.
    const NEVER_FIRST: [&str; 7] = ["->", "=", "+", "/", "%", "^", ">"];
    /// These may begin one, but hardly a statement that is further right than the one before.
    const SELDOM_FIRST: [&str; 6] = ["&", "|", "-", "*", "<", "!="];
    /// What has a body, which may begin in a line of its own.
    const WITH_BODY: [&str; 14] = [
        "async", "else", "enum", "fn", "for", "if", "impl", "loop", "match", "mod", "struct", "trait", "unsafe",
        "while",
    ];
    let bare = line.trim();
    if before.text.starts_with([':', '?', '!']) || bare.starts_with("//") || bare.starts_with("/*") {
        return false;
    }
    if bare.starts_with('.') {
        return !bare.starts_with("..");
    }
    let word = bare.split(|letter: char| letter != '_' && !letter.is_alphanumeric()).next().unwrap_or_default();
    if ["where", "else", "as"].contains(&word) || NEVER_FIRST.iter().any(|sign| bare.starts_with(sign)) {
        return true;
    }
    let tokens = rust::tokens(&before.text);
    let last = tokens.iter().rfind(|token| !matches!(token.kind, Kind::Blank | Kind::Comment));
    if last.is_some_and(|last| [";", "}"].contains(&&before.text[last.bytes.clone()])) {
        return false;
    }
    let indent = |line: &str| line.len() - line.trim_start().len();
    if SELDOM_FIRST.iter().any(|sign| bare.starts_with(sign)) {
        return indent(line) > indent(written);
    }
    let mut depth = 0_usize;
    let mut has = |words: &[&str]| {
        tokens.iter().any(|token| {
            match token.kind {
                Kind::Open => depth += 1,
                Kind::Close => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0 && token.kind == Kind::Keyword && words.contains(&&before.text[token.bytes.clone()])
        })
    };
    match word {
        // `impl Trait`, and what it is for.
        "for" => has(&["impl"]),
        _ => bare.starts_with('{') && has(&WITH_BODY),
    }
}
