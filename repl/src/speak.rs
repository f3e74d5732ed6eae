//! What goes to standard output and standard error.

use std::io::Write;

use roborm::Error;
use roborm::command::{Answer, GO_ON};
use roborm::display::{self, Terminal};

/// An answer: what it shows to stdout, its notes to stderr. Its exit status; another where stdout takes nothing.
pub fn answer(answer: &Answer, json: bool, out: &Terminal) -> u8 {
    let text = if json { format!("{:#}\n", answer.json) } else { answer.render(out) };
    let done = print(&text, answer.status);
    for note in &answer.notes {
        complain(note);
    }
    done
}

/// One line of what and where, then what to do about it.
pub fn fail(error: &Error) -> u8 {
    complain(&format!("error: {error}"));
    match error.help() {
        // A line to be typed again stands by itself.
        Some(help) if help.starts_with(GO_ON) => complain(help),
        Some(help) => complain(&format!("  help: {help}")),
        None => {}
    }
    error.exit_status()
}

/// Writes to stdout; a reader that has gone away (`| head`) is no error. `status`, or that of the error.
pub fn print(text: &str, status: u8) -> u8 {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            fail(&Error::io("cannot write to standard output", &error))
        }
        _ => status,
    }
}

/// Writes lines of prose to stdout, folded to the terminal's width.
pub fn say(text: &str) -> u8 {
    print(&display::wrap(text, &Terminal::stdout()), 0)
}

/// Writes lines to stderr, folded to the terminal's width. Where that cannot be done there is nobody to tell.
pub fn complain(text: &str) {
    let err = Terminal::stderr();
    for line in text.lines() {
        let line = format!("{}\n", display::text::clean(line));
        let shown = match line.starts_with(GO_ON) {
            true => display::wrap_command(&line, &err),
            false => display::wrap(&line, &err),
        };
        let _ = std::io::stderr().write_all(shown.as_bytes());
    }
}

/// Ctrl-C was pressed, and the terminal shows `^C` where the next line is to stand: writes over it.
pub fn over_the_key() {
    let err = Terminal::stderr();
    if err.is_live() {
        let _ = std::io::stderr().write_all(b"\r\x1b[K");
    }
}

/// Writes lines to stderr as they are, colours and all.
pub fn say_error(lines: &str) {
    let _ = std::io::stderr().write_all(lines.as_bytes());
}
