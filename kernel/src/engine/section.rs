//! A cell's text in its pieces: commands and Rust.

use super::complete::{Completeness, completeness_of_rust};

/// A piece of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Section {
    /// The line of the cell that it begins in, from 0.
    pub line: usize,
    pub kind: Kind,
    pub text: String,
}

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Rust,
    /// `:spot bowl`, without what the line is indented by.
    Command,
    /// `?item`, without the sign.
    Question,
}

/// The pieces of a cell, in order. A line is a command where Rust could not go on in it.
pub(super) fn sections(source: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut rust: Option<Section> = None;
    let mut lines = source.lines().enumerate();
    while let Some((line, text)) = lines.next() {
        let is_special = special(text).filter(|_| rust.as_ref().is_none_or(|rust| is_whole(&rust.text)));
        // Rust may go on with it, but not begin.
        let is_special = is_special.or(match text.trim() {
            "?" if rust.is_none() => Some(Kind::Question),
            ":" if rust.is_none() => Some(Kind::Command),
            _ => None,
        });
        match is_special {
            Some(kind) => {
                sections.extend(rust.take());
                let mut text = text.trim().to_owned();
                while text.ends_with('\\') {
                    let Some((_, next)) = lines.next() else { break };
                    text.push('\n');
                    text.push_str(next.trim());
                }
                if kind == Kind::Question {
                    text = text.trim_start_matches('?').trim().to_owned();
                }
                sections.push(Section { line, kind, text });
            }
            None => match &mut rust {
                Some(rust) => {
                    rust.text.push('\n');
                    rust.text.push_str(text);
                }
                None => rust = Some(Section { line, kind: Kind::Rust, text: text.to_owned() }),
            },
        }
    }
    sections.extend(rust);
    sections.retain(|section| section.kind != Kind::Rust || !section.text.trim().is_empty());
    sections
}

fn special(line: &str) -> Option<Kind> {
    let line = line.trim_start();
    let mut letters = line.chars();
    match (letters.next()?, letters.next()) {
        (':', Some(next)) if next.is_alphabetic() => Some(Kind::Command),
        ('?', Some(next)) if next.is_alphabetic() || next == ':' => Some(Kind::Question),
        // As it is asked elsewhere.
        ('?', Some('?')) if letters.next().is_some_and(char::is_alphabetic) => Some(Kind::Question),
        _ => None,
    }
}

fn is_whole(rust: &str) -> bool {
    rust.trim().is_empty() || completeness_of_rust(rust) == Completeness::Complete
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(source: &str) -> Vec<(usize, Kind, String)> {
        sections(source).into_iter().map(|section| (section.line, section.kind, section.text)).collect()
    }

    #[test]
    fn commands_stand_between_rust() {
        assert_eq!(
            kinds("let x = 1;\n:spot bowl \\\n  --model simulated\nx + 1\n?show"),
            [
                (0, Kind::Rust, "let x = 1;".to_owned()),
                (1, Kind::Command, ":spot bowl \\\n--model simulated".to_owned()),
                (3, Kind::Rust, "x + 1".to_owned()),
                (4, Kind::Question, "show".to_owned()),
            ]
        );
    }

    #[test]
    fn rust_that_goes_on_is_no_command() {
        for source in ["let x\n: i32 = 1;", "let s = \"\n:spot\n\";", "::std::mem::drop(1)", "f(\n  :x\n)", "!(true)"] {
            assert!(
                sections(source).iter().all(|section| section.kind == Kind::Rust),
                "{source}: {:?}",
                sections(source)
            );
        }
    }
}
