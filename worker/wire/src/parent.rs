//! The end of a worker whose roborm is gone.

use std::io;
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Signal, getpid, kill_process};

/// A worker that is not at work reads the end of its input itself and ends in good order; it does so within this.
const GRACE: Duration = Duration::from_secs(1);

/// Ends this process, whatever it is at, soon after nobody is left at the other end of standard input: a worker at work
/// on a question does not look there, and would hold its memory and its cores for nothing.
///
/// A signal on the parent's death would not do: it comes with the end of the parent's *thread* that started the worker.
///
/// # Errors
/// Where no thread can be started.
pub fn end_with_parent() -> io::Result<()> {
    // It waits, and calls nothing deep.
    thread::Builder::new().name("parent".into()).stack_size(64 << 10).spawn(|| {
        let input = io::stdin();
        loop {
            // What hangs up is told without being asked for.
            let mut ends = [PollFd::new(&input, PollFlags::empty())];
            match poll(&mut ends, None) {
                Err(Errno::INTR) => {}
                Ok(_) if ends[0].revents().intersects(PollFlags::HUP | PollFlags::ERR) => break,
                // Nothing to be watched: no pipe, no socket.
                _ => return,
            }
        }
        thread::sleep(GRACE);
        // Nothing is to be tidied up, and what a library does at exit would meet the threads still at work.
        let _ = kill_process(getpid(), Signal::KILL);
    })?;
    Ok(())
}
