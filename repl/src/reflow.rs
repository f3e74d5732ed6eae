//! A window that changes its width while a line is typed.
//!
//! Most terminals fold the line anew then, and the line editor, which knows where the cursor was, does not know where it
//! is: it would leave pieces of the line above, or wipe out what stood there.

use std::cell::{Cell, RefCell};
use std::io::Write;

use roborm::display::text;

/// Follows the width of the window.
pub struct Reflow {
    /// The width that the line editor drew with.
    columns: Cell<usize>,
    /// Columns of the prompt.
    prompt: Cell<usize>,
    /// What it drew last, and where the cursor was.
    drawn: RefCell<(String, usize)>,
    /// xterm cuts lines off instead.
    folds: bool,
}

impl Reflow {
    /// Starts with the width as it is.
    pub fn new() -> Self {
        let folds = std::env::var_os("XTERM_VERSION").is_none();
        Self { columns: Cell::new(columns()), prompt: Cell::new(0), drawn: RefCell::default(), folds }
    }

    /// A line is about to be typed behind this prompt.
    pub fn prompt(&self, prompt: &str) {
        self.columns.set(columns());
        self.prompt.set(text::width(prompt));
        *self.drawn.borrow_mut() = (String::new(), 0);
    }

    /// The cursor was moved.
    pub fn moved(&self, pos: usize) {
        self.drawn.borrow_mut().1 = pos;
    }

    /// The line editor is about to draw the line, with the cursor at `pos`: puts the cursor where it believes it to be.
    pub fn settle(&self, line: &str, pos: usize) {
        let (before, now) = (self.columns.get(), columns());
        let mut drawn = self.drawn.borrow_mut();
        if before != now && self.folds {
            let rows = |text: &str| (self.row(text, before), self.row(text, now));
            let is_same = drawn.0 == line;
            if is_same {
                drawn.1 = pos;
            }
            let (believed, is) = rows(drawn.0.get(..drawn.1).unwrap_or(&drawn.0));
            // The same line is drawn because the window has changed. Another one, because a key came before the line
            // editor has seen that; but it draws nothing then where all is in one row.
            if is_same || rows(&drawn.0) == (0, 0) {
                self.columns.set(now);
            }
            if believed != is {
                clear(believed, is);
            }
        } else {
            self.columns.set(now);
        }
        *drawn = (line.to_owned(), pos);
    }

    fn row(&self, typed: &str, columns: usize) -> usize {
        row(self.prompt.get(), typed, columns)
    }
}

/// Up to where the line begins, everything from there on wiped out, and down again as far as the line editor will go up;
/// by new lines, since there may be no row below to move to.
fn clear(believed: usize, is: usize) {
    let up = if is > 0 { format!("\x1b[{is}A") } else { String::new() };
    let mut out = std::io::stdout();
    // Where the terminal is gone the line editor will find out.
    let _ = write!(out, "{up}\r\x1b[J{}", "\n".repeat(believed)).and_then(|()| out.flush());
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
