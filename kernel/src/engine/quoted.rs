//! Where text is typed and not code: in a comment, or in a string, which a call may take as a path or the name of a column.

use ra_ap_parser::LexedStr;
use ra_ap_syntax::{Edition, SyntaxKind as K};

use super::complete::{is_closed_comment, is_closed_string};

/// What a text ends in.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Place<'t> {
    Code,
    Comment,
    Text(Quoted<'t>),
}

/// A string that is not closed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Quoted<'t> {
    /// The byte that it begins at, with its sign.
    pub at: usize,
    /// What is in it so far.
    pub typed: &'t str,
    /// The function, method or macro that is called with it.
    pub callee: &'t str,
    /// What stands before the callee.
    pub head: Head<'t>,
}

/// What a callee belongs to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Head<'t> {
    /// A function by its bare name, or nothing at all.
    None,
    /// A macro.
    Macro,
    /// A function of this type or module.
    Path(&'t str),
    /// A method of what this text ends in.
    Value(&'t str),
}

/// What a string is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A name in braces is written in its place.
    Format,
    Column,
    Trajectory,
    /// A dataset, by its name or its path.
    Dataset,
    Model,
    Path,
    Nothing,
}

/// Macros that fill in what stands in braces.
const FORMATS: [&str; 15] = [
    "print",
    "println",
    "eprint",
    "eprintln",
    "format",
    "write",
    "writeln",
    "panic",
    "format_args",
    "assert",
    "assert_eq",
    "assert_ne",
    "todo",
    "unreachable",
    "unimplemented",
];
const COLUMNS: [&str; 14] = [
    "col",
    "cols",
    "column",
    "select",
    "sort",
    "sort_by_exprs",
    "group_by",
    "group_by_stable",
    "drop",
    "drop_many",
    "drop_nulls",
    "get_column_index",
    "unique",
    "select_series",
];
const PATHS: [&str; 14] = [
    "read",
    "read_columns",
    "write",
    "open",
    "open_with",
    "create",
    "create_new",
    "read_to_string",
    "read_dir",
    "write_png",
    "save",
    "scan_parquet",
    "include_str",
    "include_bytes",
];
/// Types whose methods take names of columns.
const FRAMES: [&str; 5] = ["DataFrame", "LazyFrame", "LazyGroupBy", "GroupBy", "ScoreTable"];

impl<'t> Place<'t> {
    /// What the end of a text is in.
    pub fn at_end(text: &'t str) -> Self {
        let lexed = LexedStr::new(Edition::Edition2024, text);
        let Some(last) = lexed.len().checked_sub(1) else { return Self::Code };
        let (kind, at) = (lexed.kind(last), lexed.text_start(last));
        let word = text.get(at..).unwrap_or_default();
        match kind {
            K::COMMENT if word.starts_with("//") || !is_closed_comment(word) => Self::Comment,
            K::STRING | K::BYTE_STRING | K::C_STRING if !is_closed_string(word) => {
                let typed = word.find('"').and_then(|sign| word.get(sign + 1..)).unwrap_or_default();
                // Where the last word is inside, the text that is quoted has it.
                let at = at + word.len().saturating_sub(typed.len());
                let (callee, head) = callee(text, &lexed, last);
                Self::Text(Quoted { at, typed, callee, head })
            }
            _ => Self::Code,
        }
    }
}

/// What is called with the word, and what that belongs to.
fn callee<'t>(text: &'t str, lexed: &LexedStr<'t>, mut at: usize) -> (&'t str, Head<'t>) {
    let word = |at: usize| text.get(lexed.text_range(at)).unwrap_or_default();
    let before = |at: usize| (0..at).rev().find(|at| !lexed.kind(*at).is_trivia());
    let mut depth = 0_usize;
    while let Some(now) = before(at) {
        at = now;
        match lexed.kind(at) {
            K::R_PAREN | K::R_BRACK | K::R_CURLY => depth += 1,
            K::L_PAREN | K::L_BRACK | K::L_CURLY if depth > 0 => depth -= 1,
            K::SEMICOLON if depth == 0 => break,
            kind @ (K::L_PAREN | K::L_BRACK | K::L_CURLY) => {
                let Some(name) = before(at) else { break };
                match lexed.kind(name) {
                    K::BANG => {
                        let Some(name) = before(name).filter(|name| lexed.kind(*name) == K::IDENT) else { break };
                        return (word(name), Head::Macro);
                    }
                    K::IDENT if kind == K::L_PAREN => {
                        let head = match before(name).map(|dot| (dot, lexed.kind(dot))) {
                            Some((dot, K::DOT)) => Head::Value(&text[..lexed.text_start(dot)]),
                            Some((colon, K::COLON)) => {
                                let owner = before(colon).and_then(before);
                                Head::Path(owner.map_or("", word))
                            }
                            _ => Head::None,
                        };
                        return (word(name), head);
                    }
                    // An index.
                    K::IDENT | K::R_PAREN | K::QUESTION if kind == K::L_BRACK => {
                        return ("", Head::Value(&text[..lexed.text_start(at)]));
                    }
                    // A tuple, a list: what these are in.
                    _ if kind == K::L_CURLY => break,
                    _ => {}
                }
            }
            _ => {}
        }
    }
    ("", Head::None)
}

impl Quoted<'_> {
    /// What the string is taken for, where `base` is the name of the type of what a method is called on.
    pub fn meaning(&self, base: Option<&str>) -> Meaning {
        let is_frame = base.is_some_and(|base| FRAMES.contains(&base));
        match (&self.head, self.callee) {
            (Head::Macro, name) if FORMATS.contains(&name) => Meaning::Format,
            (Head::Macro, "cols") => Meaning::Column,
            (Head::Macro, "include_str" | "include_bytes" | "include") => Meaning::Path,
            (Head::Macro, _) => Meaning::Nothing,
            (Head::Value(head), "get") if base == Some("Dataset") || head.trim_end().ends_with("data()?") => {
                Meaning::Trajectory
            }
            (_, "trajectory" | "trajectories") => Meaning::Trajectory,
            (_, "model") | (Head::Path("reward"), "open") => Meaning::Model,
            (Head::None, "open") | (Head::Path("Dataset"), "open") => Meaning::Dataset,
            (Head::Path("fs"), _) | (Head::Path("Path"), "new") | (Head::Path("PathBuf"), "from" | "new") => {
                Meaning::Path
            }
            (Head::Value(_), _) if is_frame => Meaning::Column,
            (Head::Value(_) | Head::Path(_) | Head::None, name) if PATHS.contains(&name) => Meaning::Path,
            (_, name) if COLUMNS.contains(&name) => Meaning::Column,
            _ => Meaning::Nothing,
        }
    }

    /// The word behind a brace that is open at the end.
    pub fn in_braces(&self) -> Option<&str> {
        let (head, word) = self.typed.rsplit_once('{')?;
        let doubled = head.len() - head.trim_end_matches('{').len();
        let is_word = word.chars().all(|c| c.is_alphanumeric() || c == '_');
        (doubled % 2 == 0 && is_word).then_some(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meaning(text: &str, base: Option<&str>) -> Meaning {
        match Place::at_end(text) {
            Place::Text(quoted) => quoted.meaning(base),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn what_strings_are_taken_for() {
        for (text, base, wanted) in [
            ("df.filter(col(\"sc", None, Meaning::Column),
            ("df.select([\"a\", \"sc", None, Meaning::Column),
            ("df.sort(&[\"a\", \"b\"], \"", Some("DataFrame"), Meaning::Column),
            ("df[\"", Some("DataFrame"), Meaning::Column),
            ("data()?.get(\"", None, Meaning::Trajectory),
            ("map.get(\"", Some("HashMap"), Meaning::Nothing),
            ("let d = open(\"", None, Meaning::Dataset),
            ("ScoreTable::read(\"a/", None, Meaning::Path),
            ("std::fs::read_to_string(\"", None, Meaning::Path),
            ("std::fs::remove_file(\"", None, Meaning::Path),
            ("File::open(\"", None, Meaning::Path),
            ("println!(\"{", None, Meaning::Format),
            ("let x = \"", None, Meaning::Nothing),
            ("f(1); let x = (\"", None, Meaning::Nothing),
            ("text.contains(\"", Some("str"), Meaning::Nothing),
        ] {
            assert_eq!(meaning(text, base), wanted, "{text}");
        }
    }

    #[test]
    fn comments_and_code() {
        assert_eq!(Place::at_end("x // it is \"a"), Place::Comment);
        assert_eq!(Place::at_end("/* a /* b */ c"), Place::Comment);
        assert_eq!(Place::at_end("// a\nx"), Place::Code);
        assert_eq!(Place::at_end("f(\"a\").b"), Place::Code);
        assert_eq!(Place::at_end(""), Place::Code);
    }

    #[test]
    fn names_in_braces() {
        let of = |text| match Place::at_end(text) {
            Place::Text(quoted) => quoted.in_braces().map(str::to_owned),
            _ => None,
        };
        assert_eq!(of("println!(\"{a} {po").as_deref(), Some("po"));
        assert_eq!(of("println!(\"{{po"), None);
        assert_eq!(of("println!(\"{a} po"), None);
    }
}
