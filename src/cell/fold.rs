//! Long text, folded: its head, its tail, and how much there is between them. Of a text that is written piece by piece, no more
//! than that is ever kept.

use std::fmt;

/// Characters and lines that are shown whole.
const WHOLE: Size = Size { chars: 4000, lines: 60 };
/// What is shown of longer text, at its beginning and at its end.
const HEAD: Size = Size { chars: 3000, lines: 40 };
const TAIL: Size = Size { chars: 800, lines: 15 };
/// Bytes of the end that are kept while text comes in; a character has four at most.
const KEPT: usize = 4 * TAIL.chars;

#[derive(Clone, Copy)]
struct Size {
    chars: usize,
    lines: usize,
}

/// Takes text in.
#[derive(Default)]
pub(super) struct Fold {
    first: String,
    chars_of_first: usize,
    last: String,
    chars: usize,
    breaks: usize,
}

impl fmt::Write for Fold {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = WHOLE.chars - self.chars_of_first;
        if room > 0 {
            let fits = text.char_indices().nth(room).map_or(text, |(at, _)| &text[..at]);
            self.first.push_str(fits);
            self.chars_of_first += fits.chars().count();
        }
        self.chars += text.chars().count();
        self.breaks += text.bytes().filter(|byte| *byte == b'\n').count();
        let start = text.ceil_char_boundary(text.len().saturating_sub(KEPT));
        self.last.push_str(&text[start..]);
        if self.last.len() > 8 * KEPT {
            let start = self.last.ceil_char_boundary(self.last.len() - KEPT);
            self.last.drain(..start);
        }
        Ok(())
    }
}

impl Fold {
    /// The text, or what is shown of it.
    pub fn finish(self) -> String {
        if self.chars <= WHOLE.chars && self.breaks < WHOLE.lines {
            return self.first;
        }
        let head = head(&self.first);
        let tail = tail(&self.last);
        let left = |of: &str| of.chars().count();
        let chars = self.chars - left(head) - left(tail);
        let breaks = |of: &str| of.matches('\n').count();
        match self.breaks - breaks(head) - breaks(tail) {
            // Within a line.
            0 | 1 => format!("{head}… {chars} more characters …{tail}"),
            // The line breaks at both ends are no lines.
            lines => format!(
                "{}\n… {} more lines, {chars} more characters …\n{}",
                head.trim_end_matches('\n'),
                lines - 1,
                tail.trim_start_matches('\n')
            ),
        }
    }
}

/// As much as is shown of a beginning.
fn head(text: &str) -> &str {
    let text = text.char_indices().nth(HEAD.chars).map_or(text, |(at, _)| &text[..at]);
    text.match_indices('\n').nth(HEAD.lines - 1).map_or(text, |(at, _)| &text[..at])
}

/// As much as is shown of an end.
fn tail(text: &str) -> &str {
    let text = text.char_indices().rev().nth(TAIL.chars - 1).map_or(text, |(at, _)| &text[at..]);
    text.rmatch_indices('\n').nth(TAIL.lines - 1).map_or(text, |(at, _)| &text[at + 1..])
}

/// Refuses what is more than one line of so many bytes.
struct Line(String);

/// What is longer is spread over lines.
const LINE: usize = 120;

impl fmt::Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.push_str(text);
        if self.0.len() > LINE { Err(fmt::Error) } else { Ok(()) }
    }
}

/// As `{:?}` writes it; spread over lines where one would be long, and folded where they would be many.
pub(super) fn debug(value: &dyn fmt::Debug) -> String {
    use fmt::Write;
    let mut line = Line(String::new());
    if write!(line, "{value:?}").is_ok() {
        return line.0;
    }
    let mut fold = Fold::default();
    // What a value's own way to be written gives up is shown as far as it came.
    let _ = write!(fold, "{value:#?}");
    fold.finish()
}

/// Text as it is, folded where it is long.
pub(super) fn text(text: &str) -> String {
    use fmt::Write;
    let mut fold = Fold::default();
    fold.write_str(text).expect("it takes all text");
    fold.finish()
}
