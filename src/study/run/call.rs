//! A call: a slot, money, an intent, the question, and what came back.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::FutureExt;
use tokio::sync::OwnedSemaphorePermit;

use super::budget::Reservation;
use super::state::{At, Engine, Held, Stop, lock};
use crate::reward::{Call, Fault, FaultKind, Future, Reply, Request};
use crate::study::ledger::{Facts, Grip};
use crate::study::progress::Event;

/// A pair to be called: this run has its lease.
pub(super) struct Work {
    pub at: At,
    pub grip: Grip,
    pub request: Request,
    /// The id that an earlier, interrupted call had received.
    pub request_id: Option<String>,
    pub facts: Facts,
}

/// Calls `batch`, pairs of one model and one trajectory, once there is a slot. `open` is let go of then.
pub(super) async fn call(engine: Arc<Engine>, model: usize, batch: Vec<Work>, open: Arc<OwnedSemaphorePermit>) {
    let slot = engine.models[model].slots.clone().acquire_owned().await;
    drop(open);
    let Ok(slot) = slot else { return give_back(&engine, batch).await };
    let batch = look_up(&engine, model, batch).await;
    let Some((batch, money)) = reserve(&engine, model, batch).await else { return };
    let batch = match intend(&engine, model, batch, money).await {
        Some(batch) if !batch.is_empty() => batch,
        _ => return,
    };
    let answers = ask(&engine, model, &batch).await;

    let mut replies = Vec::with_capacity(batch.len());
    for (sent, answer) in batch.into_iter().zip(answers) {
        let Sent { work, money, line } = sent;
        line.leave_the_wire();
        if work.grip.unknown && line.sent.load(Ordering::SeqCst) {
            let resent = if engine.models[model].is_free() { &engine.resent_free } else { &engine.resent };
            resent.fetch_add(1, Ordering::Relaxed);
        }
        match answer {
            Ok(reply) => {
                money.spend(reply.usage.cost_usd);
                let reply = Arc::new(reply);
                let committed = engine.run.answered(work.grip, reply.clone());
                replies.push((work, reply, committed));
            }
            Err(fault) => {
                // Of a model that does not tell of its losses itself, or could not any more.
                if fault.maybe_billed && !line.told_of_losses.load(Ordering::SeqCst) {
                    line.lost(&fault);
                }
                drop(money);
                note_fault(&engine, model, work, &line, fault).await;
            }
        }
    }
    // The replies are in the ledger's queue, and the next call's intent gets behind them: it is not sent before they
    // are committed. So the slot need not wait for the disk, and no more calls are unknown after a crash than there are
    // slots.
    drop(slot);
    for (work, reply, committed) in replies {
        note_reply(&engine, &work, &reply, committed.await);
    }
}

/// Gives pairs back that were not called; they stay as the ledger had them.
async fn give_back(engine: &Arc<Engine>, batch: Vec<Work>) {
    let pairs: Vec<_> = batch.iter().map(|work| (work.grip.pair, work.grip.unknown)).collect();
    if pairs.is_empty() {
        return;
    }
    for work in batch.iter().filter(|work| work.grip.unknown) {
        engine.unknown(work.at, work.grip.key);
    }
    if let Err(error) = engine.run.give_back(pairs).await {
        engine.stop(Stop::Ledger(error));
    }
}

/// Where an earlier call had an id, its reply may be had without another.
async fn look_up(engine: &Arc<Engine>, model: usize, batch: Vec<Work>) -> Vec<Work> {
    let mut rest = Vec::with_capacity(batch.len());
    for work in batch {
        let found = match &work.request_id {
            Some(id) => {
                // A look-up that fails is no reason not to send again, as without an id.
                let look = AssertUnwindSafe(engine.models[model].model.look_up(id)).catch_unwind();
                look.await.ok().and_then(Result::ok).flatten()
            }
            None => None,
        };
        match found {
            Some(reply) => {
                let reply = Arc::new(reply);
                let committed = engine.run.answered(work.grip, reply.clone()).await;
                note_reply(engine, &work, &reply, committed);
            }
            None => rest.push(work),
        }
    }
    rest
}

/// Money for each; pairs without are given back.
async fn reserve(engine: &Arc<Engine>, model: usize, mut batch: Vec<Work>) -> Option<(Vec<Work>, Vec<Reservation>)> {
    if batch.is_empty() {
        return None;
    }
    let money = engine.budget.reserve(engine.models[model].expected_usd, batch.len()).await;
    give_back(engine, batch.split_off(money.len())).await;
    (!batch.is_empty()).then_some((batch, money))
}

/// A pair under way.
struct Sent {
    work: Work,
    money: Reservation,
    line: Line,
}

/// Commits the intents, unless the model does so when it is about to send; pairs that another run has taken over are left
/// to it.
async fn intend(engine: &Arc<Engine>, model: usize, batch: Vec<Work>, money: Vec<Reservation>) -> Option<Vec<Sent>> {
    let pairs: Vec<i64> = batch.iter().map(|work| work.grip.pair).collect();
    let lapses = engine.run.lapses();
    let waits = engine.models[model].model.waits_to_send();
    let committed = match waits {
        true => Ok(vec![true; pairs.len()]),
        false => engine.run.intend(pairs).await,
    };
    let committed = match committed {
        Ok(committed) => committed,
        Err(error) => {
            engine.stop(Stop::Ledger(error));
            return None;
        }
    };
    let mut sent = Vec::with_capacity(batch.len());
    for ((work, money), committed) in batch.into_iter().zip(money).zip(committed) {
        if committed {
            let line = Line {
                engine: engine.clone(),
                model,
                pair: work.grip.pair,
                expected_usd: money.amount(),
                lapses,
                fresh: AtomicBool::new(!waits),
                sent: AtomicBool::new(false),
                on_the_wire: AtomicBool::new(false),
                told_of_losses: AtomicBool::new(false),
                lost: AtomicBool::new(false),
            };
            sent.push(Sent { work, money, line });
        } else {
            engine.hold(Held { at: work.at, facts: work.facts });
        }
    }
    Some(sent)
}

/// Asks, and gives back what came, one answer a pair.
async fn ask(engine: &Arc<Engine>, model: usize, batch: &[Sent]) -> Vec<Result<Reply, Fault>> {
    let asked = &engine.models[model].model;
    let answers = async {
        if let [only] = batch {
            return vec![asked.ask(&only.work.request, &only.line).await];
        }
        let requests: Vec<Request> = batch.iter().map(|sent| sent.work.request.clone()).collect();
        let calls: Vec<&dyn Call> = batch.iter().map(|sent| &sent.line as &dyn Call).collect();
        asked.ask_batch(&requests, &calls).await
    };
    let mut answers = tokio::select! {
        answers = AssertUnwindSafe(answers).catch_unwind() => answers.unwrap_or_default(),
        () = engine.study.cancel.abandoned() => {
            let abandoned = || Fault { maybe_billed: true, ..Fault::new(FaultKind::Interrupted, "abandoned") };
            batch.iter().map(|_| Err(abandoned())).collect()
        }
    };
    // A model that panics or forgets some of its batch: whatever was sent may have been billed.
    answers.resize_with(batch.len(), || {
        let message = "the model gave no answer (a fault of its own)";
        Err(Fault { maybe_billed: true, ..Fault::new(FaultKind::Refused, message) })
    });
    answers
}

/// Notes a reply; it is in the table whether the ledger could be written or not.
fn note_reply(engine: &Arc<Engine>, work: &Work, reply: &Arc<Reply>, committed: crate::Result<()>) {
    if let Err(error) = committed {
        lock(&engine.rescued).insert(work.grip.key, reply.clone());
        engine.stop(Stop::Ledger(error.clone()));
        engine.tell_of_rescue(error);
    }
    engine.called(work.at, work.grip.key, reply);
}

async fn note_fault(engine: &Arc<Engine>, model: usize, work: Work, line: &Line, fault: Fault) {
    let sent = line.sent.load(Ordering::SeqCst);
    let Work { at, grip, .. } = work;
    if line.lost.load(Ordering::SeqCst) {
        return engine.hold(Held { at, facts: work.facts });
    }
    // Not sent by this run, but perhaps by an earlier one.
    let open = if sent { fault.maybe_billed } else { grip.unknown };
    let written = match fault.kind {
        FaultKind::Passing | FaultKind::Refused if sent || !grip.unknown => {
            engine.fail(at, grip.key, &fault);
            engine.run.failed(grip.pair, fault).await
        }
        // Not the pair's own fault: it stays as it was, or unknown where it may have been billed.
        kind => {
            if open {
                engine.unknown(at, grip.key);
            }
            if kind == FaultKind::Fatal {
                let name = engine.models[model].model.name().to_owned();
                engine.stop(Stop::Fatal { model: name, fault: fault.message });
            }
            engine.run.give_back(vec![(grip.pair, open)]).await
        }
    };
    if let Err(error) = written {
        engine.stop(Stop::Ledger(error));
    }
}

/// What a model tells while its call is under way.
struct Line {
    engine: Arc<Engine>,
    model: usize,
    pair: i64,
    /// Dollars set aside for the call.
    expected_usd: f64,
    /// How often the leases had expired when the intent was committed.
    lapses: u64,
    /// The intent that was committed before the model was asked has not been used yet.
    fresh: AtomicBool,
    sent: AtomicBool,
    on_the_wire: AtomicBool,
    told_of_losses: AtomicBool,
    /// Another run has taken the pair over.
    lost: AtomicBool,
}

impl Line {
    /// Whether a send is allowed, and whether its intent is still to be committed.
    fn may_send(&self, attempt: u32) -> Result<bool, Fault> {
        // The token itself too: word of it reaches the engine a moment later.
        if self.engine.is_stopped() || self.engine.study.cancel.is_cancelled() {
            return Err(Fault::new(FaultKind::Interrupted, "the study was stopped"));
        }
        if attempt > 1 && !self.engine.budget.allows_another() {
            return Err(Fault::new(FaultKind::Budget, "what is left of the money does not pay another try"));
        }
        let fresh = self.fresh.swap(false, Ordering::SeqCst);
        Ok(!fresh || attempt > 1 || self.engine.run.has_lapsed(self.lapses))
    }

    /// What became of the intent; where it is committed, the call is as good as sent.
    fn intended(&self, committed: crate::Result<bool>) -> Result<(), Fault> {
        match committed {
            Ok(true) => {
                self.sent.store(true, Ordering::SeqCst);
                if !self.on_the_wire.swap(true, Ordering::SeqCst) {
                    self.engine.in_flight.fetch_add(1, Ordering::Relaxed);
                }
                Ok(())
            }
            Ok(false) => {
                self.lost.store(true, Ordering::SeqCst);
                Err(Fault::new(FaultKind::Interrupted, "another run has taken the pair over"))
            }
            Err(error) => {
                let fault = Fault::new(FaultKind::Interrupted, error.to_string());
                self.engine.stop(Stop::Ledger(error));
                Err(fault)
            }
        }
    }

    fn leave_the_wire(&self) {
        if self.on_the_wire.swap(false, Ordering::SeqCst) {
            self.engine.in_flight.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Call for Line {
    fn before_send(&self, attempt: u32) -> Result<(), Fault> {
        let committed = match self.may_send(attempt)? {
            true => self.engine.run.intend_blocking(self.pair),
            false => Ok(true),
        };
        self.intended(committed)
    }

    fn ready<'a>(&'a self, attempt: u32) -> Future<'a, Result<(), Fault>> {
        Box::pin(async move {
            let committed = match self.may_send(attempt)? {
                true => self.engine.run.intend(vec![self.pair]).await.map(|committed| committed == [true]),
                false => Ok(true),
            };
            self.intended(committed)
        })
    }

    fn stopping<'a>(&'a self) -> Future<'a, ()> {
        Box::pin(self.engine.stopping())
    }

    fn id_came(&self, id: &str) {
        self.engine.run.id_came(self.pair, id);
    }

    fn lost(&self, fault: &Fault) {
        self.told_of_losses.store(true, Ordering::SeqCst);
        self.engine.lost(self.model, fault.cost_usd, self.expected_usd);
        self.engine.run.lost(self.pair, fault.cost_usd, self.expected_usd);
    }

    fn trying_again(&self, fault: &Fault, wait: std::time::Duration) {
        self.leave_the_wire();
        let event = Event::Retrying { message: &fault.message, wait_s: wait.as_secs_f64() };
        self.engine.study.progress.advance(&event);
    }
}
