//! The program `roborm`: the commands at a shell prompt.

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use roborm::Error;
use roborm::command::{Line, Session, Unparsed};
use roborm::display::{self, Terminal};

fn main() -> ExitCode {
    let words: Vec<std::ffi::OsString> = std::env::args_os().skip(1).collect();
    let line = match Line::parse(words.clone()) {
        Ok(line) => line,
        Err(Unparsed::Help(text)) => return print(&text, 0),
        Err(Unparsed::Usage(text)) => {
            complain(text.trim_end());
            return ExitCode::from(2);
        }
    };
    let (out, err) = (Terminal::stdout(), Terminal::stderr());
    let session = Session { progress: Arc::from(display::progress(&err)), ..Session::of_program(&words) };
    match line.run(&session) {
        Ok(answer) => {
            let text = if line.json() { format!("{:#}\n", answer.json) } else { answer.render(&out) };
            let done = print(&text, answer.status);
            for note in &answer.notes {
                complain(note);
            }
            done
        }
        Err(error) => fail(&error),
    }
}

/// One line of what and where, then what to do about it.
fn fail(error: &Error) -> ExitCode {
    complain(&format!("error: {error}"));
    if let Some(help) = error.help() {
        complain(&format!("  help: {help}"));
    }
    ExitCode::from(error.exit_status())
}

/// Writes to stdout; a reader that has gone away (`| head`) is no error.
fn print(text: &str, status: u8) -> ExitCode {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            fail(&Error::io("cannot write to standard output", &error))
        }
        _ => ExitCode::from(status),
    }
}

/// Writes a line to stderr. Where that cannot be done there is nobody to tell.
fn complain(text: &str) {
    for line in text.lines() {
        let _ = writeln!(std::io::stderr(), "{}", display::text::clean(line));
    }
}
