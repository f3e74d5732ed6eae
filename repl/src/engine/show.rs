//! What a cell shows, on a terminal or a pipe.

use std::io::{BufRead, IsTerminal, Write};
use std::process::{Command, Stdio};

use roborm::display::{self, Graphics, Terminal, text};
use rustix::event::{PollFd, PollFlags, poll};
use serde_json::Value;

/// Columns of a picture, at most.
const COLUMNS: usize = 120;

/// Shows what a cell shows.
pub struct Show<'a> {
    /// `None`: nothing is shown.
    terminal: Option<&'a Terminal>,
    /// What is shown is prose, which is folded.
    is_prose: bool,
    /// The last thing that was written did not end its line.
    open: bool,
    /// The display that stands last, in a line of its own, and can be written over.
    last: Option<String>,
    /// A display that was shown anew although others stand below it: its last form, told at the end.
    owed: Option<(String, String)>,
    /// The exit status of what was written.
    status: u8,
}

impl<'a> Show<'a> {
    /// On standard output, which is this terminal.
    pub fn on(terminal: &'a Terminal) -> Self {
        Self { terminal: Some(terminal), is_prose: false, open: false, last: None, owed: None, status: 0 }
    }

    /// The same for what is said in words.
    pub fn prose_on(terminal: &'a Terminal) -> Self {
        Self { is_prose: true, ..Self::on(terminal) }
    }

    /// Shows nothing.
    pub fn nothing() -> Self {
        Self { terminal: None, is_prose: false, open: false, last: None, owed: None, status: 0 }
    }

    /// Something happened.
    pub fn event(&mut self, said: &Value) {
        let Some(terminal) = self.terminal else { return };
        let stream = said["text"].as_str().unwrap_or_default();
        match said["event"].as_str() {
            Some("stdout") => self.write(stream),
            Some("stderr") => {
                let mut err = std::io::stderr().lock();
                // Where that cannot be done there is nobody to tell.
                let _ = err.write_all(stream.as_bytes()).and_then(|()| err.flush());
                self.last = None;
            }
            Some("display") => {
                let id = said["display"].as_str();
                let shown = bundle(&said["data"], terminal);
                match (said["update"].as_bool().unwrap_or_default(), id) {
                    (true, Some(id)) if self.last.as_deref() == Some(id) && is_line(&shown) && terminal.is_live() => {
                        self.write(&format!("\x1b[A\r\x1b[K{shown}"));
                        self.last = Some(id.to_owned());
                    }
                    (true, Some(id)) => self.owed = Some((id.to_owned(), shown)),
                    (_, id) => {
                        self.block(&shown);
                        self.last = id.filter(|_| is_line(&shown)).map(str::to_owned);
                    }
                }
            }
            _ => {}
        }
    }

    /// The value of the last expression, where there is one; the cell is over.
    pub fn value(&mut self, value: &Value) {
        self.end();
        if let Some(terminal) = self.terminal.filter(|_| value.is_object()) {
            let shown = bundle(&value["data"], terminal);
            self.block(&if self.is_prose { display::wrap(&shown, terminal) } else { shown });
        }
    }

    /// The cell is over.
    pub fn end(&mut self) {
        if let Some((_, shown)) = self.owed.take() {
            self.block(&shown);
        }
        if self.open {
            self.write("\n");
        }
    }

    /// 0 where all was written.
    pub fn status(&self) -> u8 {
        self.status
    }

    /// A line that the cell asks for; `None` where there is nobody to ask, or nobody wants it any more.
    pub fn ask(&mut self, said: &Value, given_up: &dyn Fn() -> bool) -> Option<String> {
        self.terminal?;
        self.write(said["prompt"].as_str().unwrap_or_default());
        let hidden = said["password"].as_bool().unwrap_or_default() && std::io::stdin().is_terminal();
        if hidden {
            echo(false);
        }
        let mut line = String::new();
        let read = match typed(given_up) {
            true => std::io::stdin().lock().read_line(&mut line).ok(),
            false => None,
        };
        if hidden {
            echo(true);
        }
        // At the end of input nobody ended the line of the question.
        if hidden || read.is_none() || (read == Some(0) && self.open) {
            self.write("\n");
        }
        self.open = false;
        read.filter(|read| *read > 0).map(|_| line.trim_end_matches(['\r', '\n']).to_owned())
    }

    /// Something that has lines of its own.
    fn block(&mut self, shown: &str) {
        if self.open {
            self.write("\n");
        }
        self.write(shown);
    }

    fn write(&mut self, text: &str) {
        if self.terminal.is_none() || text.is_empty() {
            return;
        }
        // Told once: a cell may write many times.
        if self.status == 0 {
            self.status = crate::speak::print(text, 0);
        }
        self.open = !text.ends_with('\n');
        self.last = None;
    }
}

/// Waits until something is typed, where it can be; `false` where it is given up first. What is waited for can only be a
/// terminal: the lines of a pipe may have been read ahead.
fn typed(given_up: &dyn Fn() -> bool) -> bool {
    let stdin = std::io::stdin();
    let moment = rustix::event::Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
    while stdin.is_terminal() {
        if given_up() {
            return false;
        }
        let mut ready = [PollFd::new(&stdin, PollFlags::IN)];
        // A signal, or nothing yet.
        if matches!(poll(&mut ready, Some(&moment)), Ok(ready) if ready > 0) {
            break;
        }
    }
    true
}

fn is_line(shown: &str) -> bool {
    shown.matches('\n').count() == 1
}

/// The form of a value that a terminal can show best: its picture where it shows pictures, else its text.
fn bundle(data: &Value, terminal: &Terminal) -> String {
    let plain = data["text/plain"].as_str().unwrap_or_default();
    let picture = data["image/png"].as_str().filter(|_| terminal.graphics() != Graphics::None);
    if let Some(picture) = picture.and_then(|png| display::picture_of_png(png, COLUMNS, plain, terminal)) {
        return picture;
    }
    plain.lines().map(|line| format!("{}\n", text::clean(line))).collect()
}

/// Whether what is typed is seen. A terminal that cannot be told shows it.
fn echo(on: bool) {
    let _ = Command::new("stty").arg(if on { "echo" } else { "-echo" }).stderr(Stdio::null()).status();
}
