//! The connections to the evaluator.

use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};

use roborm_wire::cell::{Event, Hello, Reply, Role};
use roborm_wire::{receive, send};

static EVENTS: OnceLock<Mutex<UnixStream>> = OnceLock::new();

/// Opens a connection and says what it is for.
pub(super) fn connect(socket: &Path, role: Role) -> io::Result<UnixStream> {
    let mut stream = UnixStream::connect(socket)?;
    send(&mut stream, &Hello { role, pid: std::process::id() })?;
    super::streams::close_in_forks(stream.as_raw_fd());
    Ok(stream)
}

/// From now on events go to this connection.
pub(super) fn set_events(stream: UnixStream) {
    // Set once, at the start of the one program that runs cells.
    let _ = EVENTS.set(Mutex::new(stream));
}

/// Tells the evaluator of an event and waits until it has seen it. `None`: there is no evaluator, or it is gone.
pub(super) fn tell(event: &Event) -> Option<Reply> {
    let mut stream = EVENTS.get()?.lock().unwrap_or_else(PoisonError::into_inner);
    // What was printed before must be in the pipes before.
    super::streams::flush();
    send(&mut *stream, event).ok()?;
    receive(&mut *stream).ok()?
}

/// Asks the user for a line of text; `None` where there is none to be had.
pub fn input(prompt: &str) -> Option<String> {
    ask(prompt, false)
}

/// As [`input`], without showing what is typed.
pub fn password(prompt: &str) -> Option<String> {
    ask(prompt, true)
}

fn ask(prompt: &str, password: bool) -> Option<String> {
    match tell(&Event::Input { prompt: prompt.to_owned(), password })? {
        Reply::Line(line) => line,
        _ => None,
    }
}
