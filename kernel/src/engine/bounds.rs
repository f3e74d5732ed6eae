//! What no cell may exceed, seen before any parser reads it: parsers take time that grows with the square of how deep a text
//! is nested, and nothing ends them.

use ra_ap_parser::LexedStr;
use ra_ap_syntax::{Edition, SyntaxKind};

/// Bytes of Rust in a cell: a list of numbers of that length takes rustc most of a minute.
const LONGEST: usize = 2 << 20;
/// Levels. What is counted here is more than the tree has: operators of any precedence count.
const DEEPEST: usize = 16_000;

/// What is too much in a cell.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Excess {
    pub message: String,
    pub help: &'static str,
    /// The byte where it becomes too much.
    pub at: usize,
}

/// What is too much in this Rust, if anything is.
pub(super) fn excess(source: &str) -> Option<Excess> {
    if source.len() > LONGEST {
        let (most, found) = (LONGEST >> 20, source.len() as f64 / f64::from(1 << 20));
        return Some(Excess {
            message: format!("{found:.1} MiB are more than a cell of Rust may have: {most} MiB"),
            help: "put what is data into a file and read it: `std::fs::read_to_string(…)?`, `:open`, `CsvReadOptions`",
            at: 0,
        });
    }
    too_deep(source).map(|at| Excess { message: DEEP.to_owned(), help: LESS_DEEP, at })
}

/// What is said of what is nested too deeply.
pub(super) const DEEP: &str = "operators, brackets or calls are nested too deeply to be compiled";
/// What to do about it.
pub(super) const LESS_DEEP: &str = "make several statements of it, or a loop";

/// Counts open brackets, and in each the operators since the last that ends an expression.
fn too_deep(source: &str) -> Option<usize> {
    use SyntaxKind as K;
    if source.len() < DEEPEST {
        return None;
    }
    let tokens = LexedStr::new(Edition::Edition2024, source);
    let mut open: Vec<usize> = Vec::new();
    let (mut here, mut depth) = (0, 0_usize);
    for at in 0..tokens.len() {
        match tokens.kind(at) {
            K::L_PAREN | K::L_BRACK | K::L_CURLY => {
                open.push(here);
                here = 0;
                depth += 1;
            }
            end @ (K::R_PAREN | K::R_BRACK | K::R_CURLY) => {
                let before = open.pop();
                depth -= here + usize::from(before.is_some());
                here = before.unwrap_or(0);
                // What follows a block is the next statement, or the `else` of an `if`.
                let goes_on = (at + 1..tokens.len()).map(|next| tokens.kind(next)).find(|it| !it.is_trivia());
                if end == K::R_CURLY && goes_on != Some(K::ELSE_KW) {
                    depth -= here;
                    here = 0;
                } else {
                    // A call, an index or an arm of an `if` is a level about what it follows.
                    here += 1;
                    depth += 1;
                }
            }
            K::COMMA | K::SEMICOLON => {
                depth -= here;
                here = 0;
            }
            kind if kind.is_punct() => {
                here += 1;
                depth += 1;
            }
            _ => {}
        }
        if depth > DEEPEST {
            return Some(tokens.text_start(at));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_deep_is_seen() {
        for deep in [
            "(".repeat(100_000),
            format!("{}1{}", "(".repeat(20_000), ")".repeat(20_000)),
            format!("0{}", "+1".repeat(20_000)),
            format!("x{}", ".f()".repeat(20_000)),
            format!("{}true", "!".repeat(20_000)),
            format!("if a {{}} {}", "else if b {} ".repeat(20_000)),
        ] {
            assert_eq!(excess(&deep).map(|it| it.message).as_deref(), Some(DEEP), "{:.20}", deep);
        }
    }

    #[test]
    fn what_is_long_is_not_deep() {
        let numbers: Vec<String> = (0..100_000).map(|n| (-n).to_string()).collect();
        for long in [
            format!("let a = vec![{}];", numbers.join(",")),
            "let a = (b + c) * d[0].e();\n".repeat(20_000),
            "fn f() { if a { b() } else { c() } }\n".repeat(20_000),
            format!("let s = \"{}\";", "((((++++".repeat(20_000)),
            format!("/* {} */ 1", "((((++++".repeat(20_000)),
            format!("match x {{ {} }}", "1 => { f(2) }\n".repeat(20_000)),
        ] {
            assert_eq!(excess(&long), None, "{long:.20}");
        }
    }

    #[test]
    fn what_is_long_has_a_bound() {
        let found = excess(&format!("let a = [{}];", "0,".repeat(1 << 21))).expect("it is too long");
        assert_eq!(found.message, "4.0 MiB are more than a cell of Rust may have: 2 MiB");
    }
}
