//! What commands share while a front is up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Current;
use crate::dataset::Trajectory;
use crate::display::{Progress, Quiet};
use crate::frames::{Sampler, Sampling};
use crate::study::{Cancel, SampleFrames};

/// The tools of a front: one decoder for all commands, a way to stop them, a place to tell how far they are.
#[derive(Clone)]
pub struct Session {
    /// Samples frames; its decoder stays up between commands.
    pub sampler: Sampler,
    /// Stops the study that is under way.
    pub cancel: Cancel,
    /// Is told how far a long command is.
    pub progress: Arc<dyn Progress>,
    /// Whether Ctrl-C is for commands to handle while they spend money: so in a program that runs one command.
    pub owns_interrupts: bool,
    /// Set while calls are made that cost money: a study that is stopped has something to bring home.
    pub spending: Arc<AtomicBool>,
    /// The command as it was typed, for the line that resumes it.
    pub typed: String,
    /// What commands take where they are not told. Empty but at a prompt, in a script and in a notebook.
    pub current: Current,
}

impl Default for Session {
    fn default() -> Self {
        Self {
            sampler: Sampler::new(),
            cancel: Cancel::new(),
            progress: Arc::new(Quiet),
            owns_interrupts: false,
            spending: Arc::default(),
            typed: String::new(),
            current: Current::default(),
        }
    }
}

impl Session {
    /// The session of a program that runs one command, given as its words.
    pub fn of_program(words: &[std::ffi::OsString]) -> Self {
        let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        // A NUL cannot come in by a command line, and quoting fails on nothing else.
        let typed = shlex::try_join(words.iter().map(String::as_str)).unwrap_or_default();
        Self { owns_interrupts: true, typed: format!("roborm {typed}"), ..Self::default() }
    }

    /// Tells that calls are made, until what it returns is dropped.
    pub(super) fn spend(&self) -> Spending {
        self.spending.store(true, Ordering::Relaxed);
        Spending(Arc::clone(&self.spending))
    }

    /// The sampler as a study takes it: the protocol's frame rule, all frames. Models down-sample to their own limits.
    pub(super) fn sample_frames(&self) -> SampleFrames {
        let sampler = self.sampler.clone();
        Arc::new(move |trajectory: &Trajectory| sampler.sample(trajectory, &Sampling::default()))
    }
}

/// While it lives, calls are made.
pub(super) struct Spending(Arc<AtomicBool>);

impl Drop for Spending {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}
