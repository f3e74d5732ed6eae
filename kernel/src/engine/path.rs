//! Paths and literals as they are typed.

use ra_ap_parser::LexedStr;
use ra_ap_syntax::{Edition, SyntaxKind as K};

/// The segments of the path that a text ends in, where what comes next is one more of it: `tokio`, `time` of
/// `use tokio::time::` and of `use tokio::{fs::{File, read}, time::{sleep, `.
pub(super) fn before(text: &str) -> Option<Vec<&str>> {
    let mut segments = Vec::new();
    let mut rest = text;
    loop {
        if let Some(head) = rest.strip_suffix("::") {
            rest = push(head, &mut segments)?;
            while let Some(head) = rest.strip_suffix("::") {
                if head.is_empty() || head.ends_with(|c: char| !is_word(c) && c != '>') {
                    // From the root, whatever is called the same here.
                    rest = head;
                    break;
                }
                rest = push(head, &mut segments)?;
            }
        }
        // Inside the braces of a `use`, what stands before them goes on.
        match opening(rest) {
            Some(head) if head.ends_with("::") => rest = head,
            _ => break,
        }
    }
    segments.reverse();
    (!segments.is_empty()).then_some(segments)
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The type and the fields given so far of the literal or the pattern that a text ends in, where the name of a field comes
/// next: `Pose { x: 1.0, `.
pub(super) fn literal(text: &str) -> Option<(&str, Vec<&str>)> {
    if !text.trim_end().ends_with(['{', ',']) {
        return None;
    }
    let lexed = LexedStr::new(Edition::Edition2024, text);
    let word = |at: usize| text.get(lexed.text_range(at)).unwrap_or_default();
    let mut depth = 0_usize;
    let mut given = Vec::new();
    let open = (0..lexed.len()).rev().find(|at| {
        match lexed.kind(*at) {
            K::R_PAREN | K::R_BRACK | K::R_CURLY => depth += 1,
            K::L_CURLY if depth == 0 => return true,
            // Not in braces, but nearer in others: nothing of this kind is found further out.
            K::L_PAREN | K::L_BRACK if depth == 0 => depth = usize::MAX / 2,
            K::L_PAREN | K::L_BRACK | K::L_CURLY => depth -= 1,
            K::IDENT if depth == 0 => given.push(word(*at)),
            _ => {}
        }
        false
    })?;
    let words: Vec<(K, &str)> =
        (0..open).rev().map(|at| (lexed.kind(at), word(at))).filter(|(kind, _)| !kind.is_trivia()).take(2).collect();
    let (K::IDENT | K::SELF_TYPE_KW, name) = words.first()? else { return None };
    // The head of an item, of a function that returns one, and of a loop are no values.
    let is_head = words.get(1).is_some_and(|(kind, _)| {
        matches!(
            kind,
            K::STRUCT_KW | K::ENUM_KW | K::UNION_KW | K::IMPL_KW | K::TRAIT_KW | K::FOR_KW | K::MOD_KW | K::R_ANGLE
        )
    });
    (!is_head).then_some((name, given))
}

/// Takes the name that a text ends in, and returns what stands before it.
fn push<'t>(text: &'t str, segments: &mut Vec<&'t str>) -> Option<&'t str> {
    // `Vec::<i32>::`
    let text = match text.strip_suffix('>') {
        Some(_) => text.get(..text.find("::<").or_else(|| text.find('<'))?)?,
        None => text,
    };
    let start =
        text.rfind(|c: char| !is_word(c)).map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    let name = &text[start..];
    segments.push(name);
    (!name.is_empty()).then(|| &text[..start])
}

/// What stands before the brace of a `use` in which a text ends.
fn opening(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices().rev() {
        match letter {
            '}' => depth += 1,
            '{' if depth == 0 => return Some(text[..at].trim_end()),
            '{' => depth -= 1,
            _ if is_word(letter) || letter.is_whitespace() || [',', ':', '*', '#'].contains(&letter) => {}
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_that_go_on() {
        assert_eq!(literal("let p = Pt { "), Some(("Pt", vec![])));
        assert_eq!(literal("f(Pt{x:1.,").map(|(name, given)| (name, given.contains(&"x"))), Some(("Pt", true)));
        assert_eq!(literal("g(Pt { x: h(1, y), ").map(|(_, given)| given.contains(&"y")), Some(false));
        for other in
            ["struct Pt { ", "impl Pt { ", "fn f() -> Pt { ", "Pt { x: f(1, ", "if x { ", "use a::{b, ", "Pt { x: "]
        {
            assert_eq!(literal(other).filter(|(name, _)| *name == "Pt"), None, "{other}");
        }
    }

    #[test]
    fn paths_that_go_on() {
        let of = |text| before(text).unwrap_or_default().join("/");
        assert_eq!(of("use tokio::time::"), "tokio/time");
        assert_eq!(of("let x = f(::serde_json::"), "serde_json");
        assert_eq!(of("use tokio::{fs::{File, read}, time::{sleep, "), "tokio/time");
        assert_eq!(of("use polars::prelude::{"), "polars/prelude");
        assert_eq!(of("use roborm::{chart::"), "roborm/chart");
        assert_eq!(of("let x = Vec::<i32>::"), "Vec");
        for other in ["let x = ", "match x { ", "struct P { a: i32, ", "f(x: ", "a.b", "if x { y::z(1); "] {
            assert_eq!(before(other), None, "{other}");
        }
    }
}
