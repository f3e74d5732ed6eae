//! The expression that stands before a dot, by its words alone: it may stand in a macro, and what is around it may be half
//! typed.

use ra_ap_parser::LexedStr;
use ra_ap_syntax::{Edition, SyntaxKind as K};

/// Where the expression begins that `text` ends in, where it is one that a dot may follow: `f(x)?.a[0]`, `Pose { x: 1.0 }`.
pub(super) fn beginning(text: &str) -> Option<usize> {
    let lexed = LexedStr::new(Edition::Edition2024, text);
    let words = Words(lexed);
    let mut end = words.0.len();
    loop {
        end = words.before_blanks(end);
        let last = words.kind(end)?;
        match last {
            K::QUESTION => end -= 1,
            K::R_PAREN | K::R_BRACK | K::R_CURLY => {
                let open = words.opening(end)?;
                let head = words.before_blanks(open);
                match words.kind(head) {
                    Some(K::BANG) if words.kind(head - 1) == Some(K::IDENT) => return words.path(head - 1),
                    Some(before) if goes_on(before) && last != K::R_CURLY => end = head,
                    Some(K::R_ANGLE) => end = words.angle(head)?,
                    // The literal of a type; not what a block follows.
                    Some(K::IDENT | K::SELF_TYPE_KW) if words.0.text(head - 1).starts_with(char::is_uppercase) => {
                        end = head;
                    }
                    _ if last == K::R_CURLY => return None,
                    _ => return Some(words.0.text_start(open)),
                }
            }
            K::STRING | K::BYTE_STRING | K::CHAR | K::BYTE | K::TRUE_KW | K::FALSE_KW => {
                return Some(words.0.text_start(end - 1));
            }
            K::IDENT | K::SELF_KW | K::SELF_TYPE_KW | K::CRATE_KW | K::AWAIT_KW | K::INT_NUMBER | K::FLOAT_NUMBER => {
                let head = words.before_blanks(end - 1);
                match words.kind(head) {
                    Some(K::DOT) => end = head - 1,
                    Some(K::COLON) if head >= 2 && words.kind(head - 1) == Some(K::COLON) => {
                        let owner = words.before_blanks(head - 2);
                        match words.kind(owner) {
                            Some(K::IDENT | K::SELF_TYPE_KW | K::CRATE_KW) => end = owner,
                            Some(K::R_ANGLE) => end = words.angle(owner)?,
                            _ => return Some(words.0.text_start(head - 2)),
                        }
                    }
                    _ => return Some(words.0.text_start(end - 1)),
                }
            }
            _ => return None,
        }
    }
}

/// Whether brackets behind it are a call or an index.
fn goes_on(kind: K) -> bool {
    matches!(kind, K::IDENT | K::SELF_KW | K::R_PAREN | K::R_BRACK | K::QUESTION | K::STRING | K::INT_NUMBER)
}

/// Words, told of by where they end.
struct Words<'t>(LexedStr<'t>);

impl Words<'_> {
    fn kind(&self, end: usize) -> Option<K> {
        Some(self.0.kind(end.checked_sub(1)?))
    }

    fn before_blanks(&self, mut end: usize) -> usize {
        while self.kind(end).is_some_and(K::is_trivia) {
            end -= 1;
        }
        end
    }

    /// The word that opens what is closed by the one before `end`.
    fn opening(&self, end: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for at in (0..end).rev() {
            match self.0.kind(at) {
                K::R_PAREN | K::R_BRACK | K::R_CURLY => depth += 1,
                K::L_PAREN | K::L_BRACK | K::L_CURLY => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(at);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// What stands before the parameters of types that end before `end`, and before the colons of a call's.
    fn angle(&self, end: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for at in (0..end).rev() {
            match self.0.kind(at) {
                K::R_ANGLE => depth += 1,
                K::L_ANGLE => {
                    depth -= 1;
                    if depth == 0 {
                        let mut before = at;
                        while self.kind(before) == Some(K::COLON) {
                            before -= 1;
                        }
                        return Some(before);
                    }
                }
                K::SEMICOLON | K::L_CURLY | K::R_CURLY => return None,
                _ => {}
            }
        }
        None
    }

    /// Where a path begins that ends before `end`.
    fn path(&self, mut end: usize) -> Option<usize> {
        loop {
            let is_more = end >= 4
                && self.kind(end - 1) == Some(K::COLON)
                && self.kind(end - 2) == Some(K::COLON)
                && self.kind(end - 3) == Some(K::IDENT);
            if !is_more {
                return Some(self.0.text_start(end.checked_sub(1)?));
            }
            end -= 3;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_dot_may_follow() {
        for (before, expression) in [
            ("let x = ", "p"),
            ("println!(\"{}\", ", "v[0]"),
            ("if ", "(a + b)"),
            ("return ", "f(1, g(2))?.h::<Vec<i32>>()"),
            ("&", "std::fs::read(\"a)b\")"),
            ("x + ", "vec![1, 2]"),
            ("x; ", "Pt { x: 1.0 }"),
            ("-", "1.0f64"),
            ("", "t.0.1"),
            ("= ", "\"abc\""),
            ("= ", "Vec::<i32>::new()"),
            ("match ", "f()\n    .await?"),
            ("let x = ", "[1, 2]"),
        ] {
            let text = format!("{before}{expression}");
            assert_eq!(beginning(&text).map(|at| &text[at..]), Some(expression), "{text}");
        }
        for other in ["let x = ", "a +", "if x { 1 }", ")", ""] {
            assert_eq!(beginning(other), None, "{other}");
        }
    }
}
