//! A run's hold on a ledger.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;

use rusqlite::params;

use super::owner::{Mine, Owner, Token, now_ms};
use super::store::{self, Claim, Facts, Wants};
use super::{Ledger, PairKey, redact, rescue};
use crate::reward::{Fault, Reply, RewardModel};
use crate::{Error, Result};

/// A run: takes leases on pairs and settles them. Its leases end when it is dropped.
pub(crate) struct Run {
    ledger: Ledger,
    id: i64,
    token: Token,
    here: Arc<Owner>,
    pulse: Arc<Pulse>,
    heart: Option<Heart>,
}

/// What is known of the leases without asking the ledger.
struct Pulse {
    alive_until_ms: AtomicI64,
    /// How often the leases were found to have expired (the machine slept, the process was stopped).
    lapses: AtomicU64,
}

/// The thread that tells the ledger that a run lives. One of its own, so that a model that keeps the runtime's threads
/// busy does not cost the run its leases.
struct Heart {
    stop: Sender<()>,
    thread: JoinHandle<()>,
}

/// A pair in hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grip {
    pub pair: i64,
    pub key: PairKey,
    /// An earlier run left an intent open.
    pub unknown: bool,
}

impl Run {
    pub async fn start(ledger: &Ledger) -> Result<Self> {
        let here = Arc::new(Owner::this());
        let owner = here.clone();
        let until = now_ms() + ledger.lease_ms();
        let commit = ledger.0.writer.commit(move |db| {
            db.query_row(
                "INSERT INTO runs (token, place, pid, pid_started, started_ms, alive_until_ms, version)
                 VALUES (randomblob(16), ?, ?, ?, ?, ?, ?) RETURNING id, token",
                params![owner.place, owner.pid, owner.started, now_ms(), until, env!("CARGO_PKG_VERSION")],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
        });
        let (id, token) = commit.await?;
        Mine::add(token);
        let pulse = Arc::new(Pulse { alive_until_ms: AtomicI64::new(until), lapses: AtomicU64::new(0) });
        let heart = Some(Heart::start(ledger.clone(), id, pulse.clone())?);
        Ok(Self { ledger: ledger.clone(), id, token, here, pulse, heart })
    }

    /// The ledger's row of the model's settings.
    pub async fn config(&self, model: &dyn RewardModel) -> Result<i64> {
        let name = model.name().to_owned();
        let digest = model.config().digest().to_owned();
        let settings = redact::text(&model.config().settings().to_string()).into_owned();
        let version = model.prompt().version;
        self.ledger.0.writer.commit(move |db| store::config(db, &name, &digest, &settings, version)).await
    }

    /// What the ledger has of each pair, in order; leases on those to be called.
    pub async fn claim(&self, facts: Arc<Vec<Facts>>, wants: Wants) -> Result<Vec<Claim>> {
        let (id, here) = (self.id, self.here.clone());
        self.ledger.0.writer.commit(move |db| store::claim(db, id, &here, &facts, wants)).await
    }

    /// How many other runs are at work on the ledger.
    pub async fn others(&self) -> Result<usize> {
        let (id, here) = (self.id, self.here.clone());
        self.ledger.0.writer.commit(move |db| store::others_alive(db, id, &here)).await
    }

    /// Commits intents; `false` for a pair that another run has taken over, which must not be sent.
    pub async fn intend(&self, pairs: Vec<i64>) -> Result<Vec<bool>> {
        let id = self.id;
        self.ledger.0.writer.commit(move |db| pairs.iter().map(|pair| store::intend(db, id, *pair)).collect()).await
    }

    /// As [`Run::intend`] of one pair, blocking the thread.
    pub fn intend_blocking(&self, pair: i64) -> Result<bool> {
        let id = self.id;
        self.ledger.0.writer.commit_blocking(move |db| store::intend(db, id, pair))
    }

    /// How often the leases have expired so far.
    pub fn lapses(&self) -> u64 {
        self.pulse.lapses.load(Ordering::SeqCst)
    }

    /// Whether the leases may have expired since [`Run::lapses`] gave `before`: others may hold the pairs now.
    pub fn has_lapsed(&self, before: u64) -> bool {
        self.pulse.is_over() || self.lapses() != before
    }

    pub fn id_came(&self, pair: i64, request_id: &str) {
        let (id, request_id) = (self.id, request_id.to_owned());
        self.ledger.0.writer.later(move |db| store::id_came(db, id, pair, &request_id));
    }

    /// Keeps what a send without a reply cost: `told`, or else `assumed` at most.
    pub fn lost(&self, pair: i64, told: Option<f64>, assumed: f64) {
        self.ledger.0.writer.later(move |db| store::lost(db, pair, told, assumed));
    }

    /// Keeps a reply. Where the ledger cannot be written, it goes to a rescue file. The reply has its place in the
    /// ledger's queue when this returns: no intent of later is committed before it.
    ///
    /// # Errors
    /// The ledger's, with a word on where the reply is.
    pub fn answered(&self, grip: Grip, reply: Arc<Reply>) -> impl Future<Output = Result<()>> + use<'_> {
        let id = self.id;
        let reply = Arc::new(redact::reply(Arc::unwrap_or_clone(reply)));
        let kept = reply.clone();
        let commit = self.ledger.0.writer.commit(move |db| store::answered(db, id, grip.pair, &kept));
        async move { commit.await.map_err(|error| rescue::keep(&self.ledger, &grip.key, &reply, error)) }
    }

    pub async fn failed(&self, pair: i64, fault: Fault) -> Result<()> {
        let id = self.id;
        self.ledger.0.writer.commit(move |db| store::failed(db, id, pair, &fault)).await
    }

    /// Gives pairs back uncalled; a pair that is `true` stays open and counts as unknown.
    pub async fn give_back(&self, pairs: Vec<(i64, bool)>) -> Result<()> {
        let id = self.id;
        let commit = self
            .ledger
            .0
            .writer
            .commit(move |db| pairs.iter().try_for_each(|(pair, open)| store::close(db, id, *pair, *open)));
        commit.await
    }
}

impl Pulse {
    fn is_over(&self) -> bool {
        now_ms() >= self.alive_until_ms.load(Ordering::SeqCst)
    }
}

impl Heart {
    fn start(ledger: Ledger, run: i64, pulse: Arc<Pulse>) -> Result<Self> {
        let (stop, stopped) = mpsc::channel();
        let beat = move || {
            while stopped.recv_timeout(ledger.0.options.lease / 4) == Err(RecvTimeoutError::Timeout) {
                // Noted before the leases are good again: what was claimed before may be another run's by now.
                if pulse.is_over() {
                    pulse.lapses.fetch_add(1, Ordering::SeqCst);
                }
                let until = now_ms() + ledger.lease_ms();
                let beaten = ledger.0.writer.commit_blocking(move |db| {
                    db.execute("UPDATE runs SET alive_until_ms = ? WHERE id = ?", [until, run]).map(drop)
                });
                // A ledger that cannot be written shows itself at the next call.
                if beaten.is_ok() {
                    pulse.alive_until_ms.store(until, Ordering::SeqCst);
                }
            }
        };
        let thread = std::thread::Builder::new().name("roborm-lease".to_owned()).spawn(beat);
        let thread = thread.map_err(|error| Error::io("cannot start the thread of the leases", &error))?;
        Ok(Self { stop, thread })
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        if let Some(Heart { stop, thread }) = self.heart.take() {
            drop(stop);
            drop(thread.join());
        }
        Mine::remove(&self.token);
        let id = self.id;
        self.ledger.0.writer.later(move |db| {
            // Leases of an ended run are void: nothing else to undo.
            db.execute("UPDATE runs SET ended_ms = ? WHERE id = ?", [now_ms(), id]).map(drop)
        });
    }
}

impl Ledger {
    fn lease_ms(&self) -> i64 {
        i64::try_from(self.0.options.lease.as_millis()).unwrap_or(i64::MAX / 2)
    }
}
