//! Whether a cell is whole.

use ra_ap_parser::LexedStr;
use ra_ap_syntax::{Edition, SourceFile, SyntaxKind, TextSize};

use super::section::{Kind, sections};

/// Whether a source can be run, or goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// It can be run.
    Complete,
    /// More is to come; the next line begins with so much blank.
    Incomplete {
        /// Blanks.
        indent: String,
    },
    /// It cannot be run, whatever comes.
    Invalid,
}

/// Tells whether `source` is whole. Looks at it alone: no engine is needed.
pub fn completeness(source: &str) -> Completeness {
    let Some(last) = sections(source).pop() else { return Completeness::Complete };
    match last.kind {
        // A section has lines, the last of which may be empty.
        Kind::Rust if source.ends_with('\n') => completeness_of_rust(&(last.text + "\n")),
        Kind::Rust => completeness_of_rust(&last.text),
        Kind::Command if is_open(&last.text) => Completeness::Incomplete { indent: String::new() },
        _ => Completeness::Complete,
    }
}

/// A backslash at its end, or a quotation that is not closed.
fn is_open(command: &str) -> bool {
    let mut quote = None;
    let mut letters = command.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (None | Some('"'), '\\') if letters.as_str().is_empty() => return true,
            (None | Some('"'), '\\') => drop(letters.next()),
            (None, '"' | '\'') => quote = Some(letter),
            (Some(open), _) if open == letter => quote = None,
            _ => {}
        }
    }
    quote.is_some()
}

const HEAD: &str = "fn f(){";

/// Levels of brackets up to which the grammar is asked: a parser calls itself for each, and finds fault at each.
const DEEPEST: usize = 500;
/// Levels that a next line is indented by at most.
const MOST_INDENT: usize = 10;

/// Whether brackets are nested so deeply that nobody has typed them, and reading them may take minutes.
pub(super) fn is_too_deep(source: &str) -> bool {
    Brackets::of(source).deepest > DEEPEST
}

pub(super) fn completeness_of_rust(source: &str) -> Completeness {
    let open = Brackets::of(source);
    if open.torn.is_some() {
        return Completeness::Invalid;
    }
    let incomplete = || Completeness::Incomplete { indent: " ".repeat(4 * open.depth.min(MOST_INDENT)) };
    if open.unfinished.is_some() || open.depth > 0 {
        return incomplete();
    }
    if open.deepest > DEEPEST {
        // Whoever compiles it says what is wrong.
        return Completeness::Complete;
    }
    let parsed = SourceFile::parse(&format!("{HEAD}{source}\n}}"), Edition::Edition2024);
    let end = TextSize::of(HEAD) + TextSize::of(source.trim_end());
    // An error at the very end is one that more text could mend; one before it is not. A `;` need not be typed.
    match parsed.errors().first() {
        Some(error) if error.range().start() >= end && goes_on(source) => incomplete(),
        Some(error)
            if error.range().start() >= end && error.to_string() != "expected SEMICOLON" && !is_ended(source) =>
        {
            incomplete()
        }
        _ => Completeness::Complete,
    }
}

/// Whether an empty line says that no more is to come: of a `struct A` or an `if x` nobody else can tell.
fn is_ended(source: &str) -> bool {
    source.rsplit_once('\n').is_some_and(|(_, last)| last.trim().is_empty())
}

/// Whether the text ends in what asks for more: an operator, a comma, a `let x =`, an attribute.
fn goes_on(source: &str) -> bool {
    use SyntaxKind as K;
    let parsed = SourceFile::parse(source, Edition::Edition2024);
    let tokens = parsed.syntax_node().descendants_with_tokens().filter_map(|it| it.into_token());
    let Some(last) = tokens.filter(|it| !matches!(it.kind(), K::WHITESPACE | K::COMMENT)).last() else { return false };
    match last.kind() {
        // Values, and what may end a statement.
        K::TRUE_KW | K::FALSE_KW | K::SELF_KW | K::SELF_TYPE_KW | K::SUPER_KW | K::CRATE_KW | K::AWAIT_KW => false,
        K::BREAK_KW | K::CONTINUE_KW | K::RETURN_KW | K::UNDERSCORE => false,
        K::R_BRACK => last.parent_ancestors().any(|node| node.kind() == K::ATTR),
        K::EQ | K::PLUS | K::MINUS | K::STAR | K::SLASH | K::PERCENT | K::DOT | K::COMMA | K::COLON | K::COLON2 => true,
        K::AMP | K::AMP2 | K::PIPE | K::PIPE2 | K::EQ2 | K::NEQ | K::L_ANGLE | K::LTEQ | K::GTEQ | K::FAT_ARROW => true,
        K::THIN_ARROW | K::PLUSEQ | K::MINUSEQ | K::STAREQ | K::SLASHEQ | K::BANG | K::CARET => true,
        other => other.is_keyword(Edition::Edition2024),
    }
}

/// What is open at the end of a text.
#[derive(Default)]
struct Brackets {
    depth: usize,
    /// The most that were open at once.
    deepest: usize,
    /// A string or a comment goes on that begins here.
    unfinished: Option<usize>,
    /// The bracket that nothing closes, the innermost one.
    unclosed: Option<(SyntaxKind, usize)>,
    /// The byte where something is closed that was not open, or otherwise.
    torn: Option<usize>,
    /// A name or a number that is too long, and how long it is.
    endless: Option<(usize, usize)>,
}

/// Bytes of a name or a number. The compiler takes more, and minutes for them.
const LONGEST_WORD: usize = 4096;

impl Brackets {
    fn of(source: &str) -> Self {
        let mut this = Self::default();
        let mut open = Vec::new();
        // Its words alone: brackets by the ten thousand make a tree that takes longer than anybody waits.
        let lexed = LexedStr::new(Edition::Edition2024, source);
        for token in 0..lexed.len() {
            use SyntaxKind as K;
            let (kind, at, text) = (lexed.kind(token), lexed.text_start(token), lexed.text(token));
            let is_word =
                kind == K::IDENT || matches!(kind, K::LIFETIME_IDENT | K::INT_NUMBER | K::FLOAT_NUMBER | K::ERROR);
            if is_word && text.len() > LONGEST_WORD {
                this.endless.get_or_insert((at, text.chars().count()));
            }
            match kind {
                K::L_PAREN | K::L_BRACK | K::L_CURLY => {
                    open.push((kind, at));
                    this.deepest = this.deepest.max(open.len());
                }
                K::R_PAREN => this.close(&mut open, K::L_PAREN, at),
                K::R_BRACK => this.close(&mut open, K::L_BRACK, at),
                K::R_CURLY => this.close(&mut open, K::L_CURLY, at),
                K::COMMENT if text.starts_with("/*") => {
                    this.unfinished = (!is_closed_comment(text)).then_some(at);
                }
                K::STRING | K::BYTE_STRING | K::C_STRING => {
                    this.unfinished = (!is_closed_string(text)).then_some(at);
                }
                _ => {}
            }
        }
        this.depth = open.len();
        this.unclosed = open.pop();
        this
    }

    fn close(&mut self, open: &mut Vec<(SyntaxKind, usize)>, wanted: SyntaxKind, at: usize) {
        if open.pop().map(|(kind, _)| kind) != Some(wanted) {
            self.torn.get_or_insert(at);
        }
    }
}

/// What is wrong with the brackets, strings and comments of a text that is to be run as it is, and the line and the column,
/// from 1, where it begins.
pub(super) fn torn(source: &str) -> Option<(String, usize, usize)> {
    let brackets = Brackets::of(source);
    let what = |kind: SyntaxKind| match kind {
        SyntaxKind::L_PAREN => "(",
        SyntaxKind::L_BRACK => "[",
        _ => "{",
    };
    let (words, at) = if let Some((at, count)) = brackets.endless {
        (format!("a word of {count} characters, which is more than can be compiled"), at)
    } else if let Some(at) = brackets.torn {
        ("a bracket is closed that is not open, or another than is open".to_owned(), at)
    } else if let Some(at) = brackets.unfinished {
        ("a string or a comment is not closed".to_owned(), at)
    } else {
        brackets.unclosed.map(|(kind, at)| (format!("`{}` is not closed", what(kind)), at))?
    };
    let before = &source[..at];
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    Some((words, before.matches('\n').count() + 1, column))
}

pub(super) fn is_closed_comment(text: &str) -> bool {
    text.matches("/*").count() <= text.matches("*/").count()
}

pub(super) fn is_closed_string(text: &str) -> bool {
    let text = text.trim_start_matches(['b', 'c']);
    if let Some(raw) = text.strip_prefix('r') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        let end = format!("\"{}", "#".repeat(hashes));
        return raw.len() >= 2 * end.len() && raw.ends_with(&end);
    }
    let Some(inside) = text.strip_prefix('"') else { return true };
    let mut letters = inside.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            '"' => return true,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole() {
        for source in [
            "",
            "1 + 1",
            "let x = 1;",
            "fn f() {\n}",
            ":spot bowl",
            "// a comment",
            "let s = r#\"\"\"#;",
            "x?",
            "let x = 5",
            "let v = vec![1, 2]",
            "let b = true",
            "let x = a[0]",
            "use std::fmt",
            "let x = f().await",
            "return",
            "let x",
            "struct A;",
            "f(x)?",
            // An empty line ends what could go on.
            "struct A\n",
            "if x\n    \n",
        ] {
            assert_eq!(completeness(source), Completeness::Complete, "{source}");
        }
    }

    #[test]
    fn goes_on() {
        for (source, depth) in [
            ("fn f() {", 1),
            ("f(1,", 1),
            ("let x =", 0),
            ("let s = \"abc", 0),
            ("/* open", 0),
            ("df.lazy().", 0),
            ("let s = r#\"abc\"", 0),
            (":frames 'a b", 0),
            (":spot bowl \\", 0),
            ("#[derive(Debug)]", 0),
            ("let x = if", 0),
            ("pub fn", 0),
            ("if a { f({", 3),
            ("if x", 0),
            ("while true", 0),
            ("for i in 0..3", 0),
            ("match x", 0),
            ("fn f()", 0),
            ("fn f() -> i32", 0),
            ("async fn f()", 0),
            ("impl A", 0),
            ("trait T", 0),
            ("struct A", 0),
            ("let y = 2;\nstruct A", 0),
            ("enum E", 0),
            ("mod m", 0),
            ("extern \"C\"", 0),
            ("macro_rules! a", 0),
            ("vec!", 0),
            ("x.", 0),
            ("a +", 0),
            ("let x =\n", 0),
            ("if a { b } else", 0),
        ] {
            assert_eq!(completeness(source), Completeness::Incomplete { indent: " ".repeat(4 * depth) }, "{source}");
        }
    }

    #[test]
    fn brackets_by_the_ten_thousand() {
        let deep = "{".repeat(200_000);
        assert_eq!(completeness(&deep), Completeness::Incomplete { indent: " ".repeat(40) });
        assert_eq!(completeness(&format!("{deep}{}", "}".repeat(200_000))), Completeness::Complete);
        assert_eq!(completeness(&"(".repeat(1000)), Completeness::Incomplete { indent: " ".repeat(40) });
    }

    #[test]
    fn wrong_whatever_comes() {
        for source in [")", "f(]", "let x = (1];", "}"] {
            assert_eq!(completeness(source), Completeness::Invalid, "{source}");
        }
    }
}
