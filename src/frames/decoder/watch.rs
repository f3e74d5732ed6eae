//! Whether a worker that says nothing is at work.

use std::fs;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// How long to wait for a worker's next word: by what it does, so that a slow machine has its time and a hang has not.
#[derive(Clone, Copy)]
pub(super) struct Patience {
    /// Without a word and without doing anything.
    pub idle: Duration,
    /// CPU time without a word.
    pub busy: Duration,
}

/// What a wait came to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Waited {
    /// There is something to read, or the other side is gone.
    Word,
    /// It does nothing any more.
    Idle,
    /// It is at work, and comes to nothing.
    Busy,
}

/// Waits for a word of the process `pid`.
pub(super) fn wait(socket: &UnixStream, pid: u32, patience: Patience) -> Waited {
    // The usual answer comes at once, and nothing is looked up for it.
    let step = (patience.idle / 16).clamp(Duration::from_millis(5), Duration::from_secs(1));
    let Ok(timeout) = Timespec::try_from(step) else { return Waited::Word };
    let mut seen: Option<(Doing, Instant)> = None;
    let mut first: Option<Duration> = None;
    loop {
        let mut waiting = [PollFd::new(socket, PollFlags::IN)];
        match poll(&mut waiting, Some(&timeout)) {
            Ok(0) | Err(Errno::INTR) => {}
            // What is wrong, the read finds out.
            _ => return Waited::Word,
        }
        // Without /proc nothing is known but the time.
        let doing = Doing::of(pid).unwrap_or_default();
        let started = *first.get_or_insert(doing.cpu);
        if doing.cpu.saturating_sub(started) >= patience.busy {
            return Waited::Busy;
        }
        match &seen {
            Some((before, since)) if *before == doing && !doing.runs => {
                if since.elapsed() >= patience.idle {
                    return Waited::Idle;
                }
            }
            _ => seen = Some((doing, Instant::now())),
        }
    }
}

/// What a process has done so far.
#[derive(Default, PartialEq, Eq)]
struct Doing {
    /// Of all its threads.
    cpu: Duration,
    /// Pages that it waited for, read from a file.
    pages: u64,
    /// Bytes that it has read.
    read: u64,
    /// It would go on if there were a processor for it.
    runs: bool,
}

impl Doing {
    /// `None` where the system does not tell.
    fn of(pid: u32) -> Option<Self> {
        /// The clock of these figures on every Linux, in hertz.
        const TICKS: u32 = 100;
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name before it, in brackets, may hold anything.
        let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
        let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
        let ticks = u32::try_from(number(11)?.saturating_add(number(12)?)).unwrap_or(u32::MAX);
        let io = fs::read_to_string(format!("/proc/{pid}/io")).unwrap_or_default();
        let read = io.lines().find_map(|line| line.strip_prefix("rchar: ")).and_then(|bytes| bytes.parse().ok());
        Some(Self {
            cpu: Duration::from_secs(1) * ticks / TICKS,
            pages: number(9)?,
            read: read.unwrap_or(0),
            runs: fields.first() == Some(&"R"),
        })
    }
}
