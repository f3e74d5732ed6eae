//! The process's standard streams: what evcxr speaks on moves away, and what cells print goes to pipes that the
//! evaluator reads.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, IntoRawFd, OwnedFd, RawFd};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering};

use super::turns;

/// What evcxr writes to and reads from.
pub(super) struct Evcxr {
    pub commands: File,
    pub answers: File,
}

/// Puts the pipes in the place of the standard streams, and returns what stood there.
///
/// # Errors
/// Those of the system.
pub(super) fn take(pipes: &Path) -> io::Result<Evcxr> {
    let moved = |fd: BorrowedFd<'_>| -> io::Result<OwnedFd> {
        let fd = rustix::io::fcntl_dupfd_cloexec(fd, 64)?;
        close_in_forks(fd.as_raw_fd());
        Ok(fd)
    };
    let commands = moved(io::stdin().as_fd())?;
    let answers = moved(io::stdout().as_fd())?;
    let write = |name: &str| OpenOptions::new().read(true).write(true).open(pipes.join(name));
    put(&File::open("/dev/null")?, libc::STDIN_FILENO)?;
    let (out, err) = (write("stdout")?, write("stderr")?);
    put(&out, libc::STDOUT_FILENO)?;
    put(&err, libc::STDERR_FILENO)?;
    // Kept open to the end: each is looked at when something is printed on the other.
    turns::set_pipes(kept(out)?, kept(err)?);
    turns::have_c_print_lines();
    Ok(Evcxr { commands: commands.into(), answers: answers.into() })
}

/// Whether standard input is what [`take`] has put there, and not something of the user's own.
pub(super) fn is_input_ours() -> bool {
    let number = |stat: rustix::io::Result<rustix::fs::Stat>| stat.map(|stat| (stat.st_mode, stat.st_rdev));
    let (input, null) = (rustix::fs::fstat(io::stdin().as_fd()), rustix::fs::stat("/dev/null"));
    matches!((number(input), number(null)), (Ok(input), Ok(null)) if input == null)
}

/// Its descriptor, as a program that is started does not have it.
fn kept(pipe: File) -> io::Result<RawFd> {
    rustix::io::fcntl_dupfd_cloexec(pipe, 64).map(IntoRawFd::into_raw_fd).map_err(io::Error::from)
}

fn put(file: &File, standard: RawFd) -> io::Result<()> {
    // SAFETY: both are open, and what stood at the standard one is closed: whoever needs it has a copy.
    match unsafe { libc::dup2(file.as_raw_fd(), standard) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Everything printed so far goes to the pipes.
pub(super) fn flush() {
    // Nobody is left to be told where a pipe is gone.
    let _ = io::stdout().flush();
    // SAFETY: a null stream means all of them.
    unsafe { libc::fflush(std::ptr::null_mut()) };
}

const MOST: usize = 8;
static OURS: [AtomicI32; MOST] = [const { AtomicI32::new(-1) }; MOST];
static COUNT: AtomicUsize = AtomicUsize::new(0);
/// The thread that runs cells is the one that forks.
static OF_CELLS: AtomicBool = AtomicBool::new(false);

/// A cell may fork. The copy of this process must not hold on to the connections: evcxr waits for their end when the
/// original dies, and two processes on one protocol would garble it.
pub(super) fn close_in_forks(fd: RawFd) {
    extern "C" fn close_all() {
        // A copy that the thread of the cells made goes with the original, and does not loop on when nobody is left; one of
        // another thread would go with that.
        if OF_CELLS.load(Ordering::SeqCst) {
            // SAFETY: a call of the system, which may be made after a fork.
            unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
        }
        for fd in &OURS {
            let fd = fd.swap(-1, Ordering::SeqCst);
            if fd >= 0 {
                // SAFETY: this is the copy of a process; what its threads would have done with the descriptor is over.
                unsafe { libc::close(fd) };
            }
        }
    }
    extern "C" fn look() {
        turns::settle();
        // SAFETY: both only tell numbers.
        let is_first = unsafe { libc::gettid() == libc::getpid() };
        OF_CELLS.store(is_first, Ordering::SeqCst);
    }
    let at = COUNT.fetch_add(1, Ordering::SeqCst);
    if at == 0 {
        // SAFETY: the handler does nothing that is not allowed after a fork.
        unsafe { libc::pthread_atfork(Some(look), None, Some(close_all)) };
    }
    if let Some(place) = OURS.get(at) {
        place.store(fd, Ordering::SeqCst);
    }
}
