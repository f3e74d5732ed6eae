//! Lines without a prompt.

use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use roborm::Error;

use crate::engine::Alone;
use crate::front::{Done, Front, Place};
use crate::{lines, speak};

/// What comes in by standard input.
pub fn stdin() -> ExitCode {
    let mut bytes = Vec::new();
    // Its lock is let go before the lines run: one that asks for input takes it, and finds the end.
    let read = std::io::stdin().read_to_end(&mut bytes);
    match read {
        Ok(_) => decoded(bytes, "stdin"),
        Err(error) => speak::fail(&Error::io("cannot read standard input", &error)),
    }
}

/// A file.
pub fn file(path: &OsStr) -> ExitCode {
    let name = Path::new(path).display().to_string();
    match std::fs::read(path) {
        Ok(bytes) => decoded(bytes, &name),
        Err(error) => speak::fail(&Error::io(format!("cannot read {name}"), &error)),
    }
}

fn decoded(bytes: Vec<u8>, place: &str) -> ExitCode {
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
pub fn text(script: &str, place: &str) -> ExitCode {
    let mut front = Front::of_script();
    // Without an engine brackets tell where a piece ends.
    if lines::pieces(script, &Alone).iter().any(|piece| !lines::is_command(&piece.text)) {
        front.engine().start_and_wait();
    }
    for piece in lines::pieces(script, front.engine()) {
        match front.run(&piece.text, &Place { name: place, line: piece.line }) {
            Done::Line(0) => {}
            Done::Line(status) => return ExitCode::from(status),
            Done::Quit => break,
        }
    }
    ExitCode::SUCCESS
}
