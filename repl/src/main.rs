//! The program `roborm`: commands of a shell, a prompt, and scripts.

// A binary has no public surface to document.
#![allow(missing_docs)]

mod completion;
mod engine;
mod front;
mod help;
mod helper;
mod highlight;
mod hints;
mod history;
mod lines;
mod prompt;
mod reflow;
mod rust;
mod script;
mod speak;
mod tour;

use std::ffi::OsString;
use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::Arc;

use roborm::command::{Line, Session, Unparsed};
use roborm::display::{self, Terminal};

const RUN: &str = "\
Run the lines of a file as if they were typed at the prompt; stop at the first error

Usage: roborm run FILE

Commands begin with a colon, as in `:spot demo#drawer --model simulated`. Empty lines and lines that begin with # are
passed over; a line that ends in \\ goes on in the next. A `fn main` that is defined and not called is called at the end.
The exit status is that of the line that failed, else 0.
";

fn main() -> ExitCode {
    display::wrong_graphics().iter().for_each(|note| speak::complain(note));
    ExitCode::from(run())
}

/// Does what the words say; the exit status.
fn run() -> u8 {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let texts: Vec<Option<&str>> = words.iter().map(|word| word.to_str()).collect();
    match texts.as_slice() {
        [] if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() => prompt::run(),
        [] => script::stdin(),
        [Some("-c"), Some(text)] => script::text(text, "-c"),
        [Some("-c"), ..] => usage("-c takes one argument, the lines to run", "roborm -c ':trajectories demo'"),
        [Some("run"), Some("-h" | "--help")] => speak::say(RUN),
        [Some("run"), _] => script::file(&words[1]),
        [Some("run"), ..] => usage("run takes one file", "roborm run FILE; `roborm run --help` has more"),
        _ => shell(words),
    }
}

fn usage(what: &str, example: &str) -> u8 {
    speak::fail(&roborm::Error::usage(what).with_help(example))
}

/// One command, as a shell gives it.
fn shell(words: Vec<OsString>) -> u8 {
    let line = match Line::parse_in(words.clone(), Terminal::stdout().width()) {
        Ok(line) => line,
        Err(Unparsed::Help(text)) => return speak::say(&text),
        Err(Unparsed::Usage(text)) => {
            speak::complain(text.trim_end());
            return 2;
        }
    };
    let (out, err) = (Terminal::stdout(), Terminal::stderr());
    let session = Session { progress: Arc::from(display::progress(&err)), ..Session::of_program(&words) };
    match line.run(&session) {
        Ok(answer) => speak::answer(&answer, line.json(), &out),
        Err(error) => speak::fail(&error),
    }
}
