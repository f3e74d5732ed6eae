//! What a study tells while it runs.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

/// Is told how a study goes on. Called from several threads, never from two at once for `begin` and `end`.
pub trait Progress: Send + Sync {
    /// The study begins; `pairs` calls are planned, some of which the ledger may have answers to.
    fn begin(&self, pairs: u64) {
        let _ = pairs;
    }

    /// Something happened.
    fn advance(&self, event: &Event<'_>) {
        let _ = event;
    }

    /// The study ends, whole or not.
    fn end(&self, counts: &super::Counts) {
        let _ = counts;
    }
}

/// Tells nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {}

/// What happened. Every planned pair is told of once, in one of the first four, unless the study is stopped before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event<'a> {
    /// The ledger had the replies to some pairs of a trajectory.
    Cached {
        /// The trajectory's id.
        trajectory: &'a str,
        /// The model's name.
        model: &'a str,
        /// How many.
        pairs: u64,
    },
    /// A reply came, and is in the ledger.
    Called {
        /// The trajectory's id.
        trajectory: &'a str,
        /// The model's name.
        model: &'a str,
        /// The text that stood in the instruction's place.
        instruction: &'a str,
        /// `None`: unparsed.
        score: Option<u8>,
        /// Dollars, where the reply tells.
        cost_usd: Option<f64>,
    },
    /// Pairs failed, now or in an earlier run that is not to be tried again.
    Failed {
        /// The trajectory's id.
        trajectory: &'a str,
        /// The model's name; `None` where no model was asked, because the trajectory has no frames.
        model: Option<&'a str>,
        /// One line.
        message: &'a str,
        /// How many.
        pairs: u64,
    },
    /// Whether pairs were answered is not known, and they are not sent again.
    Unknown {
        /// The trajectory's id.
        trajectory: &'a str,
        /// The model's name.
        model: &'a str,
        /// How many.
        pairs: u64,
    },
    /// A call came to nothing for a passing reason and is tried again. Told of no pair's end.
    Retrying {
        /// One line.
        message: &'a str,
        /// Seconds until then.
        wait_s: f64,
    },
    /// No more calls are sent; so many are still under way and will be waited for.
    Stopping {
        /// Calls under way.
        in_flight: u64,
        /// Whether they may cost something.
        billed: bool,
        /// Why.
        reason: &'a str,
    },
}

/// Stops a study from outside. Clones stop the same study.
#[derive(Clone, Debug)]
pub struct Cancel(Arc<watch::Sender<u8>>);

impl Default for Cancel {
    fn default() -> Self {
        Self(Arc::new(watch::channel(0).0))
    }
}

impl Cancel {
    /// A token that nobody has used yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sends no more calls. Those under way are waited for: they are paid for.
    pub fn cancel(&self) {
        self.raise(1);
    }

    /// Does not wait for the calls under way either; they count as unknown.
    pub fn abandon(&self) {
        self.raise(2);
    }

    /// Whether [`Cancel::cancel`] or [`Cancel::abandon`] was called.
    pub fn is_cancelled(&self) -> bool {
        *self.0.borrow() > 0
    }

    fn raise(&self, level: u8) {
        self.0.send_modify(|now| *now = (*now).max(level));
    }

    pub(super) async fn cancelled(&self) {
        self.reached(1).await;
    }

    pub(super) async fn abandoned(&self) {
        self.reached(2).await;
    }

    async fn reached(&self, level: u8) {
        // The sender lives as long as this token, so the wait cannot fail.
        drop(self.0.subscribe().wait_for(|now| *now >= level).await);
    }
}

static ATTENDED: Mutex<Option<Attended>> = Mutex::new(None);

/// What a study takes that is given nothing else, in a process that runs cells: an interrupt of the cell stops it, and
/// it tells the notebook how far it is.
#[derive(Clone)]
pub(crate) struct Attended {
    pub cancel: Cancel,
    pub progress: Arc<dyn Progress>,
}

/// A cell begins, or is over.
pub(crate) fn attend(attended: Option<Attended>) {
    *ATTENDED.lock().unwrap_or_else(PoisonError::into_inner) = attended;
}

pub(super) fn attended() -> Option<Attended> {
    ATTENDED.lock().unwrap_or_else(PoisonError::into_inner).clone()
}
