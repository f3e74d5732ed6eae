//! Stopping what runs.

use std::path::PathBuf;
use std::process::Child;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

/// What has not stopped by itself after this is killed.
const PATIENCE: Duration = Duration::from_secs(2);

/// Stops what an engine runs. Clones stop the same engine; usable from any thread.
#[derive(Clone)]
pub struct Interrupter(Arc<Control>);

impl Interrupter {
    pub(super) fn new(control: Arc<Control>) -> Self {
        Self(control)
    }

    /// Asks what runs to stop. Rust that has not in two seconds, or is interrupted a second time, is killed: its
    /// variables are lost. A command is waited for, since what it has sent is paid for; the second time it does not wait
    /// either, the third time it is killed. Does nothing between cells.
    pub fn interrupt(&self) {
        self.0.interrupt();
    }
}

/// What an engine is at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum What {
    #[default]
    Nothing,
    /// Rust is compiled, then runs.
    Rust,
    /// The compiler is asked.
    Build,
    /// A command runs.
    Command,
}

/// What the engine and its interrupters share.
pub(super) struct Control {
    state: Mutex<State>,
    /// The file that stops compilers: see [`super::watched`].
    stop: PathBuf,
    process: Mutex<Option<Arc<Mutex<Child>>>>,
    /// Counts what is entered: a timer knows by it whether its own is still under way.
    turn: AtomicU64,
}

#[derive(Default)]
struct State {
    /// A cell is under way.
    in_cell: bool,
    what: What,
    /// The code that was compiled runs.
    runs: bool,
    /// It ran, or runs: whatever was entered last.
    has_run: bool,
    count: u32,
    killed: bool,
}

impl Control {
    /// One that stops compilers by this file.
    pub fn new(stop: PathBuf) -> Self {
        Self { state: Mutex::default(), stop, process: Mutex::default(), turn: AtomicU64::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The process to signal; evcxr puts a new one in its place.
    pub fn watch(&self, process: Arc<Mutex<Child>>) {
        *self.process.lock().unwrap_or_else(PoisonError::into_inner) = Some(process);
    }

    pub fn begin(&self) {
        let _ = std::fs::remove_file(&self.stop);
        *self.state() = State { in_cell: true, ..State::default() };
    }

    pub fn end(&self) {
        *self.state() = State::default();
    }

    pub fn enter(&self, what: What) {
        self.turn.fetch_add(1, Ordering::SeqCst);
        let mut state = self.state();
        let is_command = what == What::Command;
        (state.what, state.runs, state.has_run) = (what, is_command, is_command);
    }

    /// What was entered is over; whether it was interrupted.
    pub fn leave(&self) -> bool {
        self.turn.fetch_add(1, Ordering::SeqCst);
        let mut state = self.state();
        (state.what, state.runs) = (What::Nothing, false);
        state.count > 0
    }

    /// Code that was compiled is about to run: may it?
    pub fn may_run(&self) -> bool {
        let mut state = self.state();
        if state.count > 0 {
            return false;
        }
        (state.runs, state.has_run) = (true, true);
        true
    }

    pub fn is_interrupted(&self) -> bool {
        self.state().count > 0
    }

    /// Whether what was entered last came to run.
    pub fn has_run(&self) -> bool {
        self.state().has_run
    }

    /// Whether the process was killed by an interrupt; told once.
    pub fn take_killed(&self) -> bool {
        std::mem::take(&mut self.state().killed)
    }

    fn interrupt(self: &Arc<Self>) {
        let mut state = self.state();
        if !state.in_cell {
            return;
        }
        state.count += 1;
        if !state.runs {
            // The compiler is at work: whoever waits for it looks for the file, and ends it.
            let _ = std::fs::write(&self.stop, "");
            return;
        }
        let (what, count) = (state.what, state.count);
        drop(state);
        match (what, count) {
            (What::Rust, 1) => {
                self.signal(Signal::INT);
                self.kill_later();
            }
            (What::Command, 1 | 2) => self.signal(Signal::INT),
            (What::Rust | What::Command, _) => self.kill(),
            _ => {}
        }
    }

    fn kill_later(self: &Arc<Self>) {
        let turn = self.turn.load(Ordering::SeqCst);
        let control: Weak<Self> = Arc::downgrade(self);
        let wait = move || {
            std::thread::sleep(PATIENCE);
            if let Some(control) = control.upgrade()
                && control.turn.load(Ordering::SeqCst) == turn
            {
                control.kill();
            }
        };
        // Without a thread there is the second interrupt.
        let _ = std::thread::Builder::new().name("roborm-interrupt".to_owned()).spawn(wait);
    }

    fn kill(&self) {
        self.state().killed = true;
        self.signal(Signal::KILL);
    }

    fn signal(&self, signal: Signal) {
        let process = self.process.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(process) = process else { return };
        // Not waited for yet, so the number is still its own.
        let mut process = process.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(process.try_wait(), Ok(None))
            && let Some(pid) = Pid::from_raw(process.id().cast_signed())
        {
            let _ = kill_process(pid, signal);
        }
    }
}
