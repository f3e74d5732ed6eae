//! Programs that end with what they work for: a compiler whose cell is interrupted, or whose evaluator is gone, is killed.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

/// How often to look.
const LOOK: Duration = Duration::from_millis(40);

/// Watches over a group of processes. It ends them, and then this program, when the program that started this one is gone:
/// nobody waits for what they make.
pub(crate) struct Watched {
    over: Sender<()>,
    watcher: JoinHandle<bool>,
}

impl Watched {
    /// Begins: the group is sent the signal when the file `stop` comes to be.
    pub fn begin(group: Pid, stop: &Path, signal: Signal) -> Self {
        let (over, wait) = channel();
        let (parent, stop) = (parent(), stop.to_owned());
        let watcher = std::thread::spawn(move || {
            let mut stopped = false;
            while wait.recv_timeout(LOOK).is_err_and(|error| error == RecvTimeoutError::Timeout) {
                if std::os::unix::process::parent_id() != parent {
                    let _ = kill_process_group(group, Signal::KILL);
                    std::process::exit(1);
                }
                if stop.exists() {
                    stopped = true;
                    let _ = kill_process_group(group, signal);
                }
            }
            stopped
        });
        Self { over, watcher }
    }

    /// The processes have ended; whether they were stopped.
    pub fn end(self) -> bool {
        drop(self.over);
        self.watcher.join().unwrap_or(false)
    }
}

/// The program that started this one. Asked for first of all: that one may go at any time.
pub(super) fn parent() -> u32 {
    static PARENT: OnceLock<u32> = OnceLock::new();
    *PARENT.get_or_init(std::os::unix::process::parent_id)
}

/// What a program comes to. It has a process group of its own, so that what it starts ends with it.
///
/// # Errors
/// It cannot be run, or was stopped.
pub(crate) fn output(command: &mut Command, stop: &Path) -> io::Result<Output> {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0).spawn()?;
    let watched = Watched::begin(Pid::from_child(&child), stop, Signal::KILL);
    let output = child.wait_with_output();
    if watched.end() { Err(stopped()) } else { output }
}

/// The error of what was stopped.
pub(crate) fn stopped() -> io::Error {
    io::Error::new(io::ErrorKind::Interrupted, "interrupted")
}
