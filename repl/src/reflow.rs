//! A window that changes its width while a line is typed.
//!
//! Most terminals fold the line anew then, and the line editor, which knows where the cursor was, does not know where it
//! is: it would leave pieces of the line above, or wipe out what stood there.

use std::cell::Cell;
use std::io::Write;

use roborm::display::text;

/// Follows the width of the window.
pub struct Reflow {
    columns: Cell<usize>,
    /// Columns of the prompt.
    prompt: Cell<usize>,
    /// xterm cuts lines off instead.
    folds: bool,
}

impl Reflow {
    /// Starts with the width as it is.
    pub fn new() -> Self {
        let folds = std::env::var_os("XTERM_VERSION").is_none();
        Self { columns: Cell::new(columns()), prompt: Cell::new(0), folds }
    }

    /// A line is about to be typed behind this prompt.
    pub fn prompt(&self, prompt: &str) {
        self.columns.set(columns());
        self.prompt.set(text::width(prompt));
    }

    /// The line editor is about to draw the line, with the cursor at `pos`: puts the cursor where it believes it to be.
    pub fn settle(&self, line: &str, pos: usize) {
        let (before, now) = (self.columns.get(), columns());
        if before == now {
            return;
        }
        self.columns.set(now);
        let typed = line.get(..pos).unwrap_or(line);
        let row = |columns| row(self.prompt.get(), typed, columns);
        let (believed, is) = (row(before), row(now));
        // Up to where the line begins, everything from there on wiped out, and down again; new lines, since there may be
        // no row below to move down to.
        let up = if is > 0 { format!("\x1b[{is}A") } else { String::new() };
        let code = format!("{up}\r\x1b[J{}", "\n".repeat(believed));
        if self.folds {
            let mut out = std::io::stdout();
            // Where the terminal is gone the line editor will find out.
            let _ = out.write_all(code.as_bytes()).and_then(|()| out.flush());
        }
    }
}

/// The row that the cursor is in after so many columns of a prompt and this text, from 0.
fn row(prompt: usize, typed: &str, columns: usize) -> usize {
    let columns = columns.max(1);
    let (mut row, mut column) = (prompt / columns, prompt % columns);
    for letter in typed.chars() {
        let wide = match letter {
            '\n' => {
                (row, column) = (row + 1, 0);
                continue;
            }
            letter => text::width(letter.encode_utf8(&mut [0; 4])),
        };
        if column + wide > columns {
            (row, column) = (row + 1, 0);
        }
        column += wide;
    }
    row + usize::from(column >= columns)
}

fn columns() -> usize {
    roborm::display::Terminal::stdout().width().unwrap_or(80)
}
