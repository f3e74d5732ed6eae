//! Paths as they are typed.

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
