//! The prompt of a terminal that can do nothing but print: no editing, no history.

use std::io::{self, Write};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use crate::front::{Done, Front};
use crate::{lines, prompt, speak};

/// What stands before a line that goes on with what is not whole yet.
const GOES_ON: &str = "... ";

/// What a prompt waits for.
enum Heard {
    /// A line; `None` at the end of the input.
    Line(io::Result<Option<String>>),
    /// Ctrl-C.
    Interrupt,
}

/// Reads lines and runs them until the session is over.
pub fn run(mut front: Front) -> u8 {
    front.engine().start();
    let keyboard = Keyboard::new();
    let mut typed = String::new();
    loop {
        let before = if typed.is_empty() { prompt::prompt(&front) } else { GOES_ON.to_owned() };
        // Where it cannot be shown, nobody reads on either.
        let mut out = io::stdout();
        if write!(out, "{before}").and_then(|()| out.flush()).is_err() {
            return 0;
        }
        match keyboard.next(&front) {
            // What is not whole is dropped, as is what stands in the line: that much the terminal does.
            Heard::Interrupt => {
                // The line that the key was pressed in stands there.
                let _ = writeln!(out);
                typed.clear();
                continue;
            }
            Heard::Line(Ok(Some(line))) => typed.push_str(&line),
            Heard::Line(Ok(None)) if typed.is_empty() => return 0,
            Heard::Line(Ok(None)) => {}
            Heard::Line(Err(error)) if error.kind() == io::ErrorKind::InvalidData => {
                typed.clear();
                speak::complain("error: what was typed is not UTF-8");
                continue;
            }
            Heard::Line(Err(error)) => return prompt::broken(&error),
        }
        let is_whole = lines::pieces(&typed, front.engine()).last().is_none_or(|last| last.whole);
        if !is_whole && typed.ends_with('\n') {
            continue;
        }
        let input = std::mem::take(&mut typed);
        let input = input.trim_end_matches('\n');
        let done = if input.trim().is_empty() { front.step() } else { prompt::all(input, &mut front) };
        if matches!(done, Done::Quit) {
            return 0;
        }
    }
}

/// Standard input, read a line at a time on a thread of its own: Ctrl-C must not wait for the end of one.
struct Keyboard {
    ask: Sender<()>,
    tell: Sender<Heard>,
    heard: Receiver<Heard>,
    /// A line was asked for that has not come yet.
    is_asked: std::cell::Cell<bool>,
}

impl Keyboard {
    fn new() -> Self {
        let (ask, asked) = mpsc::channel();
        let (tell, heard) = mpsc::channel();
        let lines = tell.clone();
        let read = move || {
            // Only when it is asked for: a line of Rust may read from there, too.
            while asked.recv().is_ok() {
                let mut line = String::new();
                let read = io::stdin().read_line(&mut line).map(|bytes| (bytes > 0).then_some(line));
                if lines.send(Heard::Line(read)).is_err() {
                    break;
                }
            }
        };
        if let Err(error) = thread::Builder::new().name("roborm-keyboard".to_owned()).spawn(read) {
            let _ = tell.send(Heard::Line(Err(error)));
        }
        Self { ask, tell, heard, is_asked: std::cell::Cell::new(false) }
    }

    fn next(&self, front: &Front) -> Heard {
        let tell = self.tell.clone();
        front.interrupts().call_for_key(move |_| {
            let _ = tell.send(Heard::Interrupt);
        });
        if !self.is_asked.replace(true) {
            // Where the thread is not there, what became of it is told below.
            let _ = self.ask.send(());
        }
        let heard = self.heard.recv().unwrap_or(Heard::Line(Ok(None)));
        front.interrupts().rest();
        if matches!(heard, Heard::Line(_)) {
            self.is_asked.set(false);
        }
        heard
    }
}
