//! Lines without a prompt.

use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;

use roborm::Error;

use crate::engine::Alone;
use crate::front::{Done, Front, Place};
use crate::lines::Piece;
use crate::rust::{self, Kind};
use crate::{lines, speak};

/// What comes in by standard input.
pub fn stdin() -> u8 {
    let mut bytes = Vec::new();
    // Its lock is let go before the lines run: one that asks for input takes it, and finds the end.
    let read = std::io::stdin().read_to_end(&mut bytes);
    match read {
        Ok(_) => decoded(bytes, "stdin"),
        Err(error) => speak::fail(&Error::io("cannot read standard input", &error)),
    }
}

/// A file.
pub fn file(path: &OsStr) -> u8 {
    let name = Path::new(path).display().to_string();
    match std::fs::read(path) {
        Ok(bytes) => decoded(bytes, &name),
        Err(error) => speak::fail(&Error::io(format!("cannot read {name}"), &error)),
    }
}

fn decoded(bytes: Vec<u8>, place: &str) -> u8 {
    match String::from_utf8(bytes) {
        Ok(script) => text(&script, place),
        Err(error) => {
            let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = good.iter().filter(|byte| **byte == b'\n').count() + 1;
            speak::fail(&Error::input(format!("{place}, line {line}: not UTF-8")))
        }
    }
}

/// A text that stands at `place`: its lines one after the other, up to the first that fails.
pub fn text(script: &str, place: &str) -> u8 {
    let mut front = Front::of_script();
    // Without an engine brackets tell where a piece ends.
    if lines::pieces(script, &Alone).iter().any(|piece| !lines::is_command(&piece.text)) {
        front.engine().start_and_wait();
    }
    let mut pieces = lines::pieces(script, front.engine());
    pieces.extend(call_of_main(&pieces));
    for piece in pieces {
        match front.run(&piece.text, &Place { name: place, line: piece.line }) {
            Done::Line(0) => {}
            Done::Line(status) => return status,
            Done::Quit => break,
        }
    }
    0
}

/// The call of the `main` that a text defines and does not call: to whoever wrote that, it is a program, and would silently
/// do nothing.
fn call_of_main(pieces: &[Piece]) -> Option<Piece> {
    let mut defined = None;
    for piece in pieces.iter().filter(|piece| !lines::is_command(&piece.text)) {
        let tokens = rust::tokens(&piece.text);
        let words: Vec<(Kind, &str)> = tokens
            .iter()
            .filter(|token| !matches!(token.kind, Kind::Blank | Kind::Comment))
            .map(|token| (token.kind, &piece.text[token.bytes.clone()]))
            .collect();
        let mut depth = 0_usize;
        for (at, (kind, word)) in words.iter().enumerate() {
            match kind {
                Kind::Open => depth += 1,
                Kind::Close => depth = depth.saturating_sub(1),
                Kind::Name if *word == "main" => {
                    let before = |back: usize| at.checked_sub(back).map_or("", |at| words[at].1);
                    let is_definition = depth == 0 && before(1) == "fn";
                    // `#[tokio::main]` makes a function of it that waits by itself.
                    let is_attribute = before(1) == ":";
                    if is_definition && defined.is_none() {
                        let head: String =
                            words[at..].iter().map(|word| word.1).take_while(|word| *word != "{").collect();
                        defined = Some((piece.line, before(2) == "async" && !piece.text.contains("::main]"), head));
                    } else if !is_attribute {
                        return None;
                    }
                }
                _ => {}
            }
        }
    }
    let (line, is_async, head) = defined?;
    let mut text = if is_async { "main().await".to_owned() } else { "main()".to_owned() };
    match head.split_once("->") {
        Some((_, of)) if of.contains("Result") => text.push_str("?;"),
        // What it returns is shown.
        Some(_) => {}
        None => text.push(';'),
    }
    Some(Piece { line, text, bytes: 0..0, whole: true })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_with_a_main_is_a_program() {
        let call = |script: &str| call_of_main(&lines::pieces(script, &Alone)).map(|piece| (piece.line, piece.text));
        for (script, text) in [
            ("use a::b;\nfn main() {\n    f(1);\n}", "main();"),
            ("\nfn main() -> Result<()> {\n    Ok(())\n}\nfn f() {}", "main()?;"),
            ("\nasync fn main() -> i32 { 1 }", "main().await"),
            ("\npub fn main() -> u8 { 1 }\n:spot main", "main()"),
        ] {
            assert_eq!(call(script), Some((2, text.to_owned())), "{script}");
        }
        assert_eq!(call("#[tokio::main] async fn main() {}").map(|it| it.1).as_deref(), Some("main();"));
        for script in [
            "fn main() {}\nmain();",
            "fn f() { fn main() {} }",
            "let main = 1;",
            ":spot main",
            "mod m { fn main() {} }",
        ] {
            assert_eq!(call(script), None, "{script}");
        }
    }
}
