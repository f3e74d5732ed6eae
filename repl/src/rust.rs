//! Rust as it is typed: its tokens, whether it is whole, which brackets belong together.
//!
//! Enough to colour a line at every key and to know that a block goes on; what the code means is for the engine.

use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Blank,
    Comment,
    /// A string, a byte string, a character.
    Text,
    Number,
    Keyword,
    Name,
    /// A lifetime or a loop's label.
    Label,
    Open,
    Close,
    Sign,
}

/// A piece of a source; all of them make up the whole of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub kind: Kind,
    pub bytes: Range<usize>,
    /// Its end was reached: no string or comment that goes on.
    pub whole: bool,
}

const KEYWORDS: [&str; 40] = [
    "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum", "extern", "false", "fn",
    "for", "gen", "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return", "self",
    "Self", "static", "struct", "super", "trait", "true", "type", "union", "unsafe", "use", "where", "while",
];

/// The tokens of a source.
pub fn tokens(source: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(rest) = source.get(at..).filter(|rest| !rest.is_empty()) {
        let (kind, length, whole) = next(rest);
        // A token has at least its first letter.
        let length = length.max(rest.chars().next().map_or(1, char::len_utf8)).min(rest.len());
        tokens.push(Token { kind, bytes: at..at + length, whole });
        at += length;
    }
    tokens
}

/// The first token: its kind, its bytes, and whether it is whole.
fn next(rest: &str) -> (Kind, usize, bool) {
    let first = rest.chars().next().unwrap_or_default();
    let run = |is: &dyn Fn(char) -> bool| rest.find(|letter| !is(letter)).unwrap_or(rest.len());
    let named = |letter: char| letter == '_' || letter.is_alphanumeric();
    match first {
        _ if first.is_whitespace() => (Kind::Blank, run(&char::is_whitespace), true),
        '/' if rest.starts_with("//") => (Kind::Comment, rest.find('\n').unwrap_or(rest.len()), true),
        '/' if rest.starts_with("/*") => comment(rest),
        '"' => string(rest, 1),
        '\'' => quoted(rest),
        '0'..='9' => {
            let mut length = run(&named);
            // `1.5`, but neither `1..5` nor `1.max(5)`.
            let after = rest.get(length + 1..).and_then(|tail| tail.chars().next());
            if rest[length..].starts_with('.') && after.is_some_and(|letter| letter.is_ascii_digit()) {
                length += 1;
                length += rest[length..].find(|letter| !named(letter)).unwrap_or(rest.len() - length);
            }
            (Kind::Number, length, true)
        }
        '(' | '[' | '{' => (Kind::Open, 1, true),
        ')' | ']' | '}' => (Kind::Close, 1, true),
        _ if named(first) => {
            let length = run(&named);
            let (word, tail) = rest.split_at(length);
            let hashes = tail.len() - tail.trim_start_matches('#').len();
            match word {
                "b" | "c" if tail.starts_with('"') => string(rest, length + 1),
                "b" if tail.starts_with('\'') => {
                    let (kind, more, whole) = quoted(tail);
                    (kind, length + more, whole)
                }
                "r" | "br" | "cr" if tail[hashes..].starts_with('"') => raw(rest, length + hashes + 1, hashes),
                // `r#type`
                "r" if hashes == 1 && tail[1..].starts_with(named) => {
                    (Kind::Name, 2 + tail[1..].find(|letter| !named(letter)).unwrap_or(tail.len() - 1), true)
                }
                _ if KEYWORDS.contains(&word) => (Kind::Keyword, length, true),
                _ => (Kind::Name, length, true),
            }
        }
        _ => (Kind::Sign, first.len_utf8(), true),
    }
}

fn comment(rest: &str) -> (Kind, usize, bool) {
    let (mut depth, mut at) = (0_u32, 0);
    while at < rest.len() {
        let tail = &rest.as_bytes()[at..];
        match tail {
            [b'/', b'*', ..] => depth += 1,
            [b'*', b'/', ..] => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return (Kind::Comment, at, true);
        }
    }
    (Kind::Comment, rest.len(), false)
}

/// A string whose inside begins at `from`.
fn string(rest: &str, from: usize) -> (Kind, usize, bool) {
    let mut escaped = false;
    for (at, letter) in rest.bytes().enumerate().skip(from) {
        match letter {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return (Kind::Text, at + 1, true),
            _ => {}
        }
    }
    (Kind::Text, rest.len(), false)
}

fn raw(rest: &str, from: usize, hashes: usize) -> (Kind, usize, bool) {
    let end = format!("\"{}", "#".repeat(hashes));
    match rest[from..].find(&end) {
        Some(at) => (Kind::Text, from + at + end.len(), true),
        None => (Kind::Text, rest.len(), false),
    }
}

/// `'a'`, or the label `'a`.
fn quoted(rest: &str) -> (Kind, usize, bool) {
    let mut letters = rest.char_indices().skip(1);
    match letters.next() {
        Some((_, '\\')) => {
            // What follows the backslash may be the mark itself.
            let end = letters.skip(1).find(|(_, letter)| *letter == '\'' || *letter == '\n');
            (Kind::Text, end.map_or(rest.len(), |(at, _)| at + 1), true)
        }
        Some((_, letter)) => match letters.next() {
            Some((at, '\'')) => (Kind::Text, at + 1, true),
            _ => {
                let named = letter == '_' || letter.is_alphabetic();
                let inside = &rest[1..];
                let end =
                    inside.find(|letter: char| letter != '_' && !letter.is_alphanumeric()).unwrap_or(inside.len());
                if named { (Kind::Label, 1 + end, true) } else { (Kind::Sign, 1, true) }
            }
        },
        None => (Kind::Sign, 1, true),
    }
}

/// What is to be said of a source's brackets, strings and comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Brackets {
    /// All are closed.
    Closed,
    /// Something has to follow.
    Open,
    /// One is closed that is not open.
    Wrong,
}

/// How the brackets, strings and comments of a source are.
pub fn brackets(source: &str) -> Brackets {
    Unclosed::default().then(source)
}

/// Whether the last thing is an operator that something has to follow.
pub fn wants_more(source: &str) -> bool {
    let tokens = tokens(source);
    let last = tokens.iter().rfind(|token| !matches!(token.kind, Kind::Blank | Kind::Comment));
    last.is_some_and(|last| {
        last.kind == Kind::Sign
            && ["=", "+", "-", "/", "%", "^", "|", "&", ",", ":"].contains(&&source[last.bytes.clone()])
    })
}

/// What is open in a source that grows: only what was added is read.
#[derive(Default)]
pub struct Unclosed {
    open: Vec<String>,
    /// A bracket closed that was not opened.
    is_wrong: bool,
    /// Up to where it was read.
    read: usize,
    /// A string or a comment goes on.
    goes_on: bool,
}

impl Unclosed {
    /// How it is with `source`, which begins with what it was the last time.
    pub fn then(&mut self, source: &str) -> Brackets {
        let added = source.get(self.read..).unwrap_or_default();
        let line = added.rsplit('\n').next().unwrap_or_default();
        // Only one of these ends a string or a comment.
        if self.goes_on && !line.contains('"') && !line.contains("*/") {
            return Brackets::Open;
        }
        self.goes_on = false;
        for token in tokens(added) {
            let text = &added[token.bytes.clone()];
            match token.kind {
                _ if !token.whole => {
                    self.goes_on = true;
                    self.read += token.bytes.start;
                    return Brackets::Open;
                }
                Kind::Open => self.open.push(text.to_owned()),
                Kind::Close => self.is_wrong |= self.open.pop().is_none_or(|open| partner(&open) != text),
                _ => {}
            }
        }
        self.read = source.len();
        match self.open.is_empty() {
            _ if self.is_wrong => Brackets::Wrong,
            true => Brackets::Closed,
            false => Brackets::Open,
        }
    }
}

fn partner(open: &str) -> &'static str {
    match open {
        "(" => ")",
        "[" => "]",
        _ => "}",
    }
}

/// The bracket at `pos` or right before it, and its partner; `None` as partner where it has none.
pub fn pair(source: &str, tokens: &[Token], pos: usize) -> Option<(usize, Option<usize>)> {
    let is_bracket = |token: &Token| matches!(token.kind, Kind::Open | Kind::Close);
    let at = |pos: usize| tokens.iter().position(|token| token.bytes.start == pos && is_bracket(token));
    let place = at(pos).or_else(|| at(pos.checked_sub(1)?))?;
    let token = &tokens[place];
    let (mut open, mut found): (Vec<&Token>, Option<usize>) = (Vec::new(), None);
    for other in tokens {
        match other.kind {
            Kind::Open => open.push(other),
            Kind::Close => {
                let begun =
                    open.pop().filter(|begun| partner(&source[begun.bytes.clone()]) == &source[other.bytes.clone()]);
                if other == token {
                    found = begun.map(|begun| begun.bytes.start);
                } else if begun == Some(token) {
                    found = Some(other.bytes.start);
                }
            }
            _ => {}
        }
    }
    // One that is not closed yet is no mistake.
    (found.is_some() || token.kind == Kind::Close).then_some((token.bytes.start, found))
}
