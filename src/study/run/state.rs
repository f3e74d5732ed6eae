//! What the tasks of a run share.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use tokio::sync::{Notify, Semaphore};

use super::budget::Budget;
use super::processors;
use crate::reward::{Fault, FaultKind, Reply, RewardModel};
use crate::study::builder::Study;
use crate::study::estimate;
use crate::study::ledger::{Claim, Facts, PairKey, Run, Spend, Wants};
use crate::study::outcome::Failure;
use crate::study::plan::Plan;
use crate::study::progress::Event;
use crate::study::reading;
use crate::{Error, Result};

/// Which pair: a model, a trajectory of the plan, a wording of it and a repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct At {
    pub model: usize,
    pub trajectory: usize,
    pub wording: usize,
    pub repeat: u32,
}

/// How a pair ended so far. A reply may be kept of any of them, of an earlier run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Planned,
    Cached,
    Called,
    Failed,
    Unknown,
}

/// A pair in another run's hand.
pub(super) struct Held {
    pub at: At,
    pub facts: Facts,
}

/// Why no more calls are sent.
#[derive(Clone, Debug)]
pub(super) enum Stop {
    Interrupted,
    Fatal { model: String, fault: String },
    Ledger(Error),
}

pub(super) struct Engine {
    pub study: Study,
    pub run: Run,
    pub budget: Arc<Budget>,
    pub models: Vec<Model>,
    /// Decoding and packing at a time.
    pub decoding: Semaphore,
    /// Calls that are on the wire.
    pub in_flight: AtomicU64,
    /// Pairs that an earlier run had under way when it ended, sent again by this one to a model that may cost something.
    pub resent: AtomicU64,
    /// The same, of models that cost nothing.
    pub resent_free: AtomicU64,
    /// Of each trajectory, the first of its pairs among those of a model.
    offsets: Vec<usize>,
    pairs: usize,
    ends: Mutex<Vec<(End, PairKey)>>,
    frame_rules: Mutex<HashMap<(usize, usize), Arc<str>>>,
    held: Mutex<Vec<Held>>,
    tally: Mutex<Tally>,
    stop: Mutex<Option<Stop>>,
    stopping: Notify,
    /// Replies that the ledger could not take: paid for, so they are in the table all the same.
    pub rescued: Mutex<HashMap<PairKey, Arc<Reply>>>,
}

pub(super) struct Model {
    pub model: Arc<dyn RewardModel>,
    /// The ledger's row of its settings.
    pub config: i64,
    /// Calls at a time.
    pub slots: Arc<Semaphore>,
    pub concurrency: usize,
    /// What a call may cost in dollars; 0 where that is not known.
    pub expected_usd: f64,
}

impl Model {
    /// Costs nothing, as far as its price tells: simulated, or on this machine.
    pub fn is_free(&self) -> bool {
        self.model.price().is_some_and(|price| price.is_free())
    }
}

#[derive(Default)]
struct Tally {
    spend: Vec<Spend>,
    failures: Vec<(Option<usize>, Failure)>,
    unparsed: u64,
}

impl Engine {
    pub async fn start(study: &Study) -> Result<Self> {
        let run = Run::start(&study.ledger).await?;
        let mut models = Vec::new();
        for model in &study.models {
            let concurrency = study.options.concurrency.unwrap_or_else(|| model.concurrency()).max(1);
            models.push(Model {
                config: run.config(model.as_ref()).await?,
                slots: Arc::new(Semaphore::new(concurrency)),
                concurrency,
                expected_usd: estimate::call_usd(study, model.as_ref())?,
                model: model.clone(),
            });
        }
        let mut offsets = Vec::new();
        let mut pairs = 0;
        for planned in study.plan.trajectories() {
            offsets.push(pairs);
            pairs += planned.wordings.len() * study.plan.repeats() as usize;
        }
        let spend =
            study.models.iter().map(|model| Spend { model: model.name().to_owned(), ..Spend::default() }).collect();
        let mut tally = Tally { spend, ..Tally::default() };
        if let Some(message) = study.plan.bare_tasks_told() {
            tally.failures.push((None, Failure { trajectory: None, model: None, message, pairs: 0, passes: false }));
        }
        Ok(Self {
            run,
            budget: Arc::new(Budget::new(study.options.max_cost_usd)),
            decoding: Semaphore::new(processors()),
            in_flight: AtomicU64::new(0),
            resent: AtomicU64::new(0),
            resent_free: AtomicU64::new(0),
            ends: Mutex::new(vec![(End::Planned, PairKey::from_bytes([0; 32])); pairs * models.len()]),
            frame_rules: Mutex::default(),
            held: Mutex::default(),
            tally: Mutex::new(tally),
            stop: Mutex::default(),
            stopping: Notify::new(),
            rescued: Mutex::default(),
            offsets,
            pairs,
            models,
            study: study.clone(),
        })
    }

    pub fn plan(&self) -> &Plan {
        &self.study.plan
    }

    /// Pairs, over all models.
    pub fn total(&self) -> u64 {
        (self.pairs * self.models.len()) as u64
    }

    /// How many trajectories are open at a time: enough that every slot has a call waiting for it, and no more, since each
    /// holds its images. Where a trajectory's first call goes alone, it keeps one slot busy in the one half of its time
    /// and as many as it has calls in the other: with four times as many calls open as there are slots, all are. A
    /// trajectory without a second call needs one slot only.
    pub fn open_limit(&self) -> usize {
        const ASKS_A_SLOT: usize = 4;
        let calls = (self.pairs / self.plan().trajectories().len().max(1)).max(1);
        let alone = self.models.iter().filter(|model| model.model.first_call_alone());
        let more = alone.map(|model| (ASKS_A_SLOT * model.concurrency).div_ceil(calls).min(model.concurrency)).max();
        2 * processors() + 1 + more.unwrap_or(0)
    }

    pub fn wants(&self, take: bool) -> Wants {
        let options = self.study.options;
        Wants {
            retry_failed: options.retry_failed,
            retry_unparsed: options.retry_unparsed,
            resend: options.resend,
            take,
        }
    }

    /// Ends the sending of calls; the first reason counts.
    pub fn stop(&self, reason: Stop) {
        {
            let mut stop = lock(&self.stop);
            if stop.is_some() {
                return;
            }
            *stop = Some(reason.clone());
        }
        self.stopping.notify_waiters();
        self.models.iter().for_each(|model| model.slots.close());
        self.budget.close();
        let reason = match &reason {
            Stop::Interrupted => "interrupted".to_owned(),
            Stop::Fatal { fault, .. } => fault.clone(),
            Stop::Ledger(error) => error.to_string(),
        };
        let in_flight = self.in_flight.load(Ordering::Relaxed);
        let billed = !self.models.iter().all(Model::is_free);
        self.study.progress.advance(&Event::Stopping { in_flight, billed, reason: &reason });
    }

    /// Where a reply is that the ledger did not take is the more useful word on why the ledger failed.
    pub fn tell_of_rescue(&self, error: Error) {
        if let Some(Stop::Ledger(known)) = lock(&self.stop).as_mut() {
            *known = error;
        }
    }

    pub fn is_stopped(&self) -> bool {
        lock(&self.stop).is_some()
    }

    /// Comes to its end when the run is stopped.
    pub async fn stopping(&self) {
        loop {
            // Heard from here on, so that no stop between the look and the wait is missed.
            let told = self.stopping.notified();
            tokio::pin!(told);
            told.as_mut().enable();
            if self.is_stopped() {
                return;
            }
            told.await;
        }
    }

    pub fn stopped(&self) -> Option<Stop> {
        lock(&self.stop).clone()
    }

    fn index(&self, at: At) -> usize {
        let pair = at.wording * self.plan().repeats() as usize + at.repeat as usize;
        at.model * self.pairs + self.offsets[at.trajectory] + pair
    }

    pub fn end(&self, at: At) -> (End, PairKey) {
        lock(&self.ends)[self.index(at)]
    }

    pub fn ends(&self) -> Vec<End> {
        lock(&self.ends).iter().map(|(end, _)| *end).collect()
    }

    pub fn set_end(&self, at: At, key: PairKey, end: End) {
        lock(&self.ends)[self.index(at)] = (end, key);
    }

    pub fn hold(&self, held: Held) {
        lock(&self.held).push(held);
    }

    pub fn take_held(&self) -> Vec<Held> {
        std::mem::take(&mut lock(&self.held))
    }

    /// Notes what the ledger has of a pair; `false` where it is still to be called or waited for.
    pub fn settle_claim(&self, held: &Held, claim: &Claim) -> bool {
        let (at, key) = (held.at, held.facts.key);
        let planned = &self.plan().trajectories()[at.trajectory];
        let (trajectory, model) = (planned.trajectory.id.as_str(), self.models[at.model].model.name());
        match claim {
            Claim::Answered(reply) => {
                if reading::score(reply).is_none() {
                    lock(&self.tally).unparsed += 1;
                }
                self.set_end(at, key, End::Cached);
                self.study.progress.advance(&Event::Cached { trajectory, model, pairs: 1 });
            }
            Claim::Failed(fault) => self.fail(at, key, fault),
            Claim::Unknown => self.unknown(at, key),
            // It may have an answer already, for another to be asked in place of: until that comes, the old one stands.
            Claim::Taken { .. } => {
                self.set_end(at, key, End::Planned);
                return false;
            }
            Claim::Free | Claim::Held => return false,
        }
        true
    }

    /// Notes a reply that came.
    pub fn called(&self, at: At, key: PairKey, reply: &Reply) {
        let score = reading::score(reply);
        {
            let mut tally = lock(&self.tally);
            tally.unparsed += u64::from(score.is_none());
            let spend = &mut tally.spend[at.model];
            spend.calls += 1;
            spend.prompt_tokens += reply.usage.prompt_tokens.unwrap_or(0);
            spend.cached_tokens += reply.usage.cached_tokens.unwrap_or(0);
            spend.completion_tokens += reply.usage.completion_tokens.unwrap_or(0);
            spend.cost_usd += reply.usage.cost_usd.unwrap_or(0.0);
            spend.priced += u64::from(reply.usage.cost_usd.is_some());
        }
        self.set_end(at, key, End::Called);
        let planned = &self.plan().trajectories()[at.trajectory];
        self.study.progress.advance(&Event::Called {
            trajectory: &planned.trajectory.id,
            model: self.models[at.model].model.name(),
            instruction: &planned.wordings[at.wording].instruction,
            score,
            cost_usd: reply.usage.cost_usd,
        });
    }

    /// A send that may have been billed brought no reply; it cost what the server told, else perhaps `assumed`.
    pub fn lost(&self, model: usize, told: Option<f64>, assumed: f64) {
        self.budget.charge(told, assumed);
        let mut tally = lock(&self.tally);
        let spend = &mut tally.spend[model];
        spend.lost += 1;
        match told {
            Some(cost) => {
                spend.cost_usd += cost;
                spend.priced += 1;
            }
            None => spend.lost_usd += assumed,
        }
    }

    pub fn fail(&self, at: At, key: PairKey, fault: &Fault) {
        self.set_end(at, key, End::Failed);
        let passes = fault.kind == FaultKind::Passing && !fault.maybe_billed;
        self.report(at.trajectory, Some(at.model), &fault.message, 1, passes);
    }

    pub fn unknown(&self, at: At, key: PairKey) {
        self.set_end(at, key, End::Unknown);
        let trajectory = &self.plan().trajectories()[at.trajectory].trajectory.id;
        let model = self.models[at.model].model.name();
        self.study.progress.advance(&Event::Unknown { trajectory, model, pairs: 1 });
    }

    /// A trajectory without frames: all its pairs fail.
    pub fn fail_trajectory(&self, trajectory: usize, pairs: &[At], error: &Error) {
        for at in pairs {
            self.set_end(*at, PairKey::from_bytes([0; 32]), End::Failed);
        }
        let help = error.help().map(|help| format!(" ({help})")).unwrap_or_default();
        self.report(trajectory, None, &format!("{error}{help}"), pairs.len() as u64, true);
    }

    fn report(&self, trajectory: usize, model: Option<usize>, message: &str, pairs: u64, passes: bool) {
        let id = self.plan().trajectories()[trajectory].trajectory.id.as_str();
        let name = model.map(|model| self.models[model].model.name());
        {
            let mut tally = lock(&self.tally);
            // Failures of a trajectory come close together.
            let known = tally.failures.iter_mut().rev().take(256).find(|(at, failure)| {
                *at == Some(trajectory) && failure.model.as_deref() == name && failure.message == message
            });
            match known {
                Some((_, failure)) => failure.pairs += pairs,
                None => {
                    let failure = Failure {
                        trajectory: Some(id.to_owned()),
                        model: name.map(str::to_owned),
                        message: message.to_owned(),
                        pairs,
                        passes,
                    };
                    tally.failures.push((Some(trajectory), failure));
                }
            }
        }
        self.study.progress.advance(&Event::Failed { trajectory: id, model: name, message, pairs });
    }

    pub fn set_frame_rule(&self, model: usize, trajectory: usize, rule: Arc<str>) {
        lock(&self.frame_rules).insert((model, trajectory), rule);
    }

    pub fn frame_rule(&self, model: usize, trajectory: usize) -> Option<Arc<str>> {
        lock(&self.frame_rules).get(&(model, trajectory)).cloned()
    }

    /// Spend by model, failures in the plan's order, and how many replies were unparsed.
    pub fn tallies(&self) -> (Vec<Spend>, Vec<Failure>, u64) {
        let mut tally = lock(&self.tally);
        let mut failures = std::mem::take(&mut tally.failures);
        failures.sort_by_key(|(trajectory, _)| *trajectory);
        (tally.spend.clone(), failures.into_iter().map(|(_, failure)| failure).collect(), tally.unparsed)
    }
}

/// Nothing that is locked here can be left half-changed by a panic.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poison| poison.into_inner())
}
