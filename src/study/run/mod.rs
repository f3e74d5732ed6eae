//! Running a study.
//!
//! One task a trajectory that is open: its frames are sampled and packed once, the ledger is asked what it has of the
//! pairs of every model, and a task a call does the rest. A trajectory is open from sampling until its last call has got
//! a slot, and few are at a time, so that memory does not grow with their number.

mod budget;
mod call;
mod state;
mod table;
mod visit;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::builder::Study;
use super::ledger::Spend;
use super::outcome::{Counts, Outcome};
use crate::{Error, Result};
use state::{End, Engine, Stop};
use visit::Visit;

/// How often to look whether another run has settled the pairs that it holds.
const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// Runs `study` on the calling thread, with a runtime of its own.
pub(super) fn run(study: &Study) -> Result<Outcome> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(processors().clamp(2, 8))
        .thread_name("roborm-call")
        .enable_all()
        .build()
        .map_err(|error| Error::io("cannot start the study's runtime", &error))?;
    let outcome = runtime.block_on(run_all(study));
    // What still runs is a decoder that was asked in vain; do not wait for it.
    runtime.shutdown_background();
    outcome
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(2, std::num::NonZero::get)
}

async fn run_all(study: &Study) -> Result<Outcome> {
    let engine = Arc::new(Engine::start(study).await?);
    study.progress.begin(engine.total());

    let mut listeners = listen(&engine);
    // Runs that share a ledger begin at different places, so that they do not prepare the same trajectories.
    let all = engine.plan().trajectories().len();
    let others = engine.run.others().await?;
    let first = all * others / (others + 1);
    let order = (0..all).map(|n| Visit::whole((first + n) % all)).collect();
    visit_all(&engine, order).await;
    wait_for_others(&engine).await;
    // Ended, not only told to: what it holds of the run must be gone before the run is.
    listeners.shutdown().await;

    let outcome = finish(&engine)?;
    study.progress.end(&outcome.counts);
    Ok(outcome)
}

/// Visits trajectories in order, few at a time.
async fn visit_all(engine: &Arc<Engine>, visits: Vec<Visit>) {
    let open = Arc::new(Semaphore::new(engine.open_limit()));
    let mut tasks = JoinSet::new();
    for visit in visits {
        let Ok(permit) = open.clone().acquire_owned().await else { break };
        if engine.is_stopped() {
            break;
        }
        tasks.spawn(visit::visit(engine.clone(), visit, permit));
        while tasks.try_join_next().is_some() {}
    }
    while tasks.join_next().await.is_some() {}
}

/// Pairs that another run held: takes their replies when they come, and calls those that are let go of.
async fn wait_for_others(engine: &Arc<Engine>) {
    loop {
        let held = engine.take_held();
        if held.is_empty() || engine.is_stopped() {
            return;
        }
        let facts = Arc::new(held.iter().map(|held| held.facts.clone()).collect::<Vec<_>>());
        let claims = match engine.run.claim(facts, engine.wants(false)).await {
            Ok(claims) => claims,
            Err(error) => return engine.stop(Stop::Ledger(error)),
        };
        let mut free: BTreeMap<usize, Vec<_>> = BTreeMap::new();
        let mut waiting = 0;
        for (held, claim) in held.into_iter().zip(claims) {
            if engine.settle_claim(&held, &claim) {
                continue;
            }
            match claim {
                super::ledger::Claim::Free => free.entry(held.at.trajectory).or_default().push(held.at),
                _ => {
                    waiting += 1;
                    engine.hold(held);
                }
            }
        }
        if !free.is_empty() {
            let visits = free.into_iter().map(|(trajectory, pairs)| Visit::some(trajectory, pairs)).collect();
            visit_all(engine, visits).await;
        } else if waiting > 0 {
            tokio::select! {
                () = tokio::time::sleep(LOOK_AGAIN) => {}
                () = engine.study.cancel.cancelled() => return,
                () = engine.study.dropped.cancelled() => return,
            }
        }
    }
}

/// Listens for those who may stop the study.
fn listen(engine: &Arc<Engine>) -> JoinSet<()> {
    let mut listeners = JoinSet::new();
    let listening = engine.clone();
    listeners.spawn(async move {
        tokio::select! {
            () = listening.study.cancel.cancelled() => {}
            () = listening.study.dropped.cancelled() => {}
        }
        listening.stop(Stop::Interrupted);
    });
    listeners
}

/// What may have been paid besides what the replies told.
fn of_money(by_model: &[Spend], resent: u64, resent_free: u64) -> Vec<String> {
    let mut notes = Vec::new();
    let again = "sent again, being under way when an earlier run ended";
    if resent > 0 {
        notes.push(format!("{again}: {resent}; each of them may have been billed twice"));
    }
    if resent_free > 0 {
        notes.push(format!("{again}: {resent_free}; they cost nothing"));
    }
    let lost: u64 = by_model.iter().map(|spend| spend.lost).sum();
    if lost > 0 {
        let dollars: f64 = by_model.iter().map(|spend| spend.lost_usd).sum();
        let most = if dollars > 0.0 { format!(", up to ${dollars:.4} beyond the figure above") } else { String::new() };
        notes.push(format!("calls that broke off and may have been billed: {lost}{most}"));
    }
    notes
}

fn finish(engine: &Arc<Engine>) -> Result<Outcome> {
    let stopped = engine.stopped().map(|stop| match stop {
        Stop::Interrupted => Error::interrupted("interrupted")
            .with_help("give the same command again to go on: what was paid for is in the ledger"),
        Stop::Fatal { model, fault } => Error::service(format!("{model}: {fault}"))
            .with_help("put that right and give the same command again: nothing is paid twice"),
        Stop::Ledger(error) => error,
    });
    let mut counts = Counts { planned: engine.total(), ..Counts::default() };
    for end in engine.ends() {
        match end {
            End::Cached => counts.cached += 1,
            End::Called => counts.called += 1,
            End::Failed => counts.failed += 1,
            End::Unknown => counts.unknown += 1,
            End::Planned => counts.unspent += 1,
        }
    }
    let (by_model, failures, unparsed) = engine.tallies();
    counts.unparsed = unparsed;
    let priced: u64 = by_model.iter().map(|spend| spend.priced).sum();
    let calls: u64 = by_model.iter().map(|spend| spend.calls).sum();
    let spent: f64 = by_model.iter().map(|spend| spend.cost_usd).sum();
    counts.cost_usd = (priced > 0 || calls == 0).then_some(spent);
    let scores = table::table(engine)?;
    let mut notes: Vec<String> = engine.study.models.iter().flat_map(|model| model.notes()).collect();
    let count = |resent: &AtomicU64| resent.load(Ordering::Relaxed);
    notes.extend(of_money(&by_model, count(&engine.resent), count(&engine.resent_free)));
    notes.extend(engine.budget.refusal().filter(|_| counts.unspent > 0));
    Ok(Outcome { counts, by_model, failures, stopped, notes, scores })
}
