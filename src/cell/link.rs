//! The connections to the evaluator.

use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use roborm_wire::cell::{Event, Hello, Reply, Role};
use roborm_wire::{receive, send};

use super::interrupt::Interrupted;

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

/// Whether evcxr's own server runs cells.
pub(super) fn is_plain() -> bool {
    std::env::var_os(roborm_wire::cell::PLAIN).is_some()
}

/// Tells the evaluator of an event and waits until it has seen it. `None`: there is no evaluator, or it is gone.
pub(super) fn tell(event: &Event) -> Option<Reply> {
    let mut stream = EVENTS.get()?.lock().unwrap_or_else(PoisonError::into_inner);
    // What was printed before must be in the pipes before.
    super::streams::flush();
    send(&mut *stream, event).ok()?;
    receive(&mut *stream).ok()?
}

/// Asks the user for a line of text; `None` where there is none to be had. An interrupt ends the cell there.
pub fn input(prompt: &str) -> Option<String> {
    or_end(ask(prompt, false))
}

/// As [`input`], without showing what is typed.
pub fn password(prompt: &str) -> Option<String> {
    or_end(ask(prompt, true))
}

fn or_end(line: Result<Option<String>, Interrupted>) -> Option<String> {
    line.unwrap_or_else(|interrupted| std::panic::resume_unwind(Box::new(interrupted)))
}

/// What the user's code reads of standard input in the program that runs cells, whose `read` this is: a line that is asked
/// for as [`input`] asks. std, and what is built on it, comes here by the name of the symbol, whatever thread it is on.
///
/// # Safety
/// As that of the C library: `buffer` has room for `most` bytes.
pub unsafe fn read(file: RawFd, buffer: *mut u8, most: usize) -> isize {
    /// What of a line was not read yet.
    static REST: Mutex<Vec<u8>> = Mutex::new(Vec::new());
    if file != libc::STDIN_FILENO || most == 0 || !CELL.load(Ordering::Relaxed) || !super::streams::is_input_ours() {
        // SAFETY: the caller's promise.
        let got = unsafe { libc::syscall(libc::SYS_read, file, buffer, most) };
        // It counts bytes that lie in memory, or is -1.
        return got as isize;
    }
    let mut rest = REST.lock().unwrap_or_else(PoisonError::into_inner);
    if rest.is_empty() {
        match ask("", false) {
            Ok(Some(line)) => {
                rest.extend_from_slice(line.as_bytes());
                rest.push(b'\n');
            }
            // No line is the end of the input.
            Ok(None) => return 0,
            Err(Interrupted) => {
                // Who reads may hold locks, and is not to be unwound: it is told of an error, which is not tried again.
                // SAFETY: the place is the thread's own.
                unsafe { *libc::__errno_location() = libc::ECANCELED };
                return -1;
            }
        }
    }
    let taken = most.min(rest.len());
    // SAFETY: the caller's promise, and there are as many bytes in the line.
    unsafe { std::ptr::copy_nonoverlapping(rest.as_ptr(), buffer, taken) };
    rest.drain(..taken);
    taken.cast_signed()
}

/// Code of a cell runs: somebody is there to be asked.
static CELL: AtomicBool = AtomicBool::new(false);

/// Code of a cell begins to run, or has ended.
pub(super) fn set_runs(runs: bool) {
    CELL.store(runs, Ordering::Relaxed);
    if runs {
        CUT.store(false, Ordering::Relaxed);
    }
}

/// Whoever asked in this cell was interrupted.
static CUT: AtomicBool = AtomicBool::new(false);

/// Whether the cell was interrupted while it waited for a line.
pub(super) fn was_cut() -> bool {
    CUT.load(Ordering::Relaxed)
}

fn ask(prompt: &str, password: bool) -> Result<Option<String>, Interrupted> {
    // Who goes on reading is not asked for anything any more.
    let reply = if was_cut() { Some(Reply::Stop) } else { tell(&Event::Input { prompt: prompt.to_owned(), password }) };
    match reply {
        Some(Reply::Line(line)) => Ok(line),
        Some(Reply::Stop) => {
            CUT.store(true, Ordering::Relaxed);
            Err(Interrupted)
        }
        _ => Ok(None),
    }
}
