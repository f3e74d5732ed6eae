//! Who holds a lease, and whether they still live.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard};
use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_millis() as i64)
}

/// A process, told apart from a later one that has the same number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Owner {
    /// The boot of the machine and the namespace that process numbers count in; empty where that is not known.
    pub place: String,
    /// The process number.
    pub pid: i64,
    /// Clock ticks from boot to the start of the process.
    pub started: i64,
}

impl Owner {
    /// This process.
    pub fn this() -> Self {
        let pid = i64::from(std::process::id());
        Self { place: place(), pid, started: started(pid).unwrap_or(0) }
    }

    /// Whether the process is known to have ended: then its leases are free at once, and nobody waits for them to
    /// expire. `false` where it lives, or where this process cannot see it (another container, another boot).
    pub fn is_gone(&self, here: &Self) -> bool {
        !self.place.is_empty() && self.place == here.place && started(self.pid) != Some(self.started)
    }
}

fn place() -> String {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id");
    let space = std::fs::read_link("/proc/self/ns/pid");
    match (boot, space) {
        (Ok(boot), Ok(space)) => format!("{} {}", boot.trim(), space.display()),
        _ => String::new(),
    }
}

/// When the process started; `None` where there is none, or only what is left of one (a zombie).
fn started(pid: i64) -> Option<i64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is the name in brackets, which may hold spaces and brackets of its own.
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace();
    if matches!(fields.next()?, "Z" | "X") {
        return None;
    }
    // Field 22 of the whole line; the state is field 3.
    fields.nth(18)?.parse().ok()
}

/// What tells a run from all others, in every ledger.
pub(super) type Token = [u8; 16];

static MINE: Mutex<Option<HashSet<Token>>> = Mutex::new(None);

/// The runs of this process that are under way. A run that could not write its end (the disk was full) is known by it
/// to have ended all the same.
pub(super) struct Mine;

impl Mine {
    pub fn add(token: Token) {
        Self::set().get_or_insert_default().insert(token);
    }

    pub fn remove(token: &Token) {
        if let Some(tokens) = Self::set().as_mut() {
            tokens.remove(token);
        }
    }

    pub fn has(token: &Token) -> bool {
        Self::set().as_ref().is_some_and(|tokens| tokens.contains(token))
    }

    fn set() -> MutexGuard<'static, Option<HashSet<Token>>> {
        MINE.lock().unwrap_or_else(|poison| poison.into_inner())
    }
}
