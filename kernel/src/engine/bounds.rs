//! What no cell may exceed, seen before any parser reads it: parsers take time that grows with the square of how deep a text
//! is nested, and nothing ends them.

use ra_ap_parser::LexedStr;
use ra_ap_syntax::{Edition, SyntaxKind};

/// Numbers, names, signs: a list of half as many numbers takes rustc half a minute, and the time grows with the square.
/// Comments and texts may be of any length.
const MOST: usize = 500_000;
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

/// What is said of what is nested too deeply.
pub(super) const DEEP: &str = "operators, brackets or calls are nested too deeply to be compiled";
/// What to do about it.
pub(super) const LESS_DEEP: &str = "make several statements of it, or a loop";

/// What is too much in this Rust, if anything is. Counts tokens; and open brackets, and in each the operators since the last
/// that ends an expression.
pub(super) fn excess(source: &str) -> Option<Excess> {
    use SyntaxKind as K;
    if source.len() < DEEPEST {
        return None;
    }
    let tokens = LexedStr::new(Edition::Edition2024, source);
    let mut open: Vec<usize> = Vec::new();
    let (mut here, mut depth, mut count) = (0, 0_usize, 0_usize);
    for at in 0..tokens.len() {
        let kind = tokens.kind(at);
        count += usize::from(!kind.is_trivia());
        if count > MOST {
            return Some(Excess {
                message: format!(
                    "the compiler would take minutes for so much Rust: these are more than {MOST} words and signs"
                ),
                help: "put what is data into a file and read it, or into one text that is taken apart: \
                       `\"1 2 3\".split(' ')`",
                at: tokens.text_start(at),
            });
        }
        match kind {
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
            return Some(Excess { message: DEEP.to_owned(), help: LESS_DEEP, at: tokens.text_start(at) });
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
    fn what_is_much_has_a_bound() {
        let list = |count: usize| format!("let a = [{}];", "0,".repeat(count));
        let found = excess(&list(MOST / 2)).expect("it is too much");
        assert!(found.message.ends_with("more than 500000 words and signs"), "{}", found.message);
        assert_eq!(excess(&list(MOST / 2 - 10)), None);
        assert_eq!(excess(&format!("// {}\n\"{}\"", "1 ".repeat(MOST), "1 ".repeat(MOST))), None);
    }
}
