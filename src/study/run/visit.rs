//! A trajectory: its frames, its keys, its calls.

use std::sync::Arc;

use tokio::sync::OwnedSemaphorePermit;
use tokio::task::JoinSet;

use super::call::{self, Work};
use super::state::{At, Engine, Held, Stop};
use crate::Result;
use crate::reward::Request;
use crate::study::images::{self, Prepared};
use crate::study::ledger::{Claim, Facts, Grip, KeyPrefix};

/// Which pairs of a trajectory are to be seen to.
pub(super) struct Visit {
    trajectory: usize,
    /// `None`: all.
    only: Option<Vec<At>>,
}

impl Visit {
    pub fn whole(trajectory: usize) -> Self {
        Self { trajectory, only: None }
    }

    pub fn some(trajectory: usize, pairs: Vec<At>) -> Self {
        Self { trajectory, only: Some(pairs) }
    }

    /// The pairs, those of a model together.
    fn pairs(&self, engine: &Engine) -> Vec<At> {
        match &self.only {
            Some(pairs) => {
                let mut pairs = pairs.clone();
                pairs.sort_unstable();
                pairs
            }
            None => {
                let (models, repeats) = (engine.models.len(), engine.plan().repeats());
                let wordings = engine.plan().trajectories()[self.trajectory].wordings.len();
                let trajectory = self.trajectory;
                (0..models)
                    .flat_map(|model| (0..wordings).map(move |wording| (model, wording)))
                    .flat_map(|(model, wording)| {
                        (0..repeats).map(move |repeat| At { model, trajectory, wording, repeat })
                    })
                    .collect()
            }
        }
    }
}

/// Sees to a trajectory. `open` is let go of once no call waits for a slot.
pub(super) async fn visit(engine: Arc<Engine>, visit: Visit, open: OwnedSemaphorePermit) {
    let pairs = visit.pairs(&engine);
    let prepared = match prepare(&engine, visit.trajectory).await {
        Ok(prepared) => prepared,
        Err(error) => return engine.fail_trajectory(visit.trajectory, &pairs, &error),
    };
    let open = Arc::new(open);
    let mut calls = JoinSet::new();
    for pairs in pairs.chunk_by(|a, b| a.model == b.model) {
        let model = pairs[0].model;
        engine.set_frame_rule(model, visit.trajectory, prepared[model].frames.rule.as_str().into());
        match take(&engine, pairs, &prepared[model]).await {
            Ok(work) => {
                calls.spawn(call_all(engine.clone(), model, work, open.clone()));
            }
            Err(error) => {
                engine.stop(Stop::Ledger(error));
                break;
            }
        }
    }
    drop((prepared, open));
    while calls.join_next().await.is_some() {}
}

/// The frames, sampled and packed off the runtime's threads.
async fn prepare(engine: &Arc<Engine>, trajectory: usize) -> Result<Vec<Arc<Prepared>>> {
    // Never closed, so never refused.
    let turn = engine.decoding.acquire().await;
    let shared = engine.clone();
    let work = move || {
        let needs: Vec<_> = shared.models.iter().map(|model| model.model.image_needs()).collect();
        images::prepare((shared.study.sample)(&shared.plan().trajectories()[trajectory].trajectory)?, &needs)
    };
    let prepared = tokio::task::spawn_blocking(work).await;
    drop(turn);
    prepared.unwrap_or_else(|panic| Err(crate::Error::worker(format!("sampling the frames failed: {panic}"))))
}

/// Asks the ledger about pairs of one model; what comes back is to be called, and leased.
async fn take(engine: &Arc<Engine>, pairs: &[At], prepared: &Prepared) -> Result<Vec<Work>> {
    let mut requests = Vec::with_capacity(pairs.len());
    let mut facts = Vec::with_capacity(pairs.len());
    if let Some(first) = pairs.first() {
        let planned = &engine.plan().trajectories()[first.trajectory];
        let model = &engine.models[first.model];
        let prefix = KeyPrefix::new(model.model.as_ref(), &prepared.digest);
        let (dataset, trajectory): (Arc<str>, Arc<str>) =
            (engine.plan().dataset().into(), planned.trajectory.id.as_str().into());
        let rule: Arc<str> = prepared.frames.rule.as_str().into();
        for at in pairs {
            let wording = &planned.wordings[at.wording];
            let request = Request {
                trajectory: planned.trajectory.id.clone(),
                frames: prepared.frames.clone(),
                images: prepared.images.clone(),
                instruction: wording.instruction.to_string(),
                repeat: at.repeat,
                label: planned.trajectory.label,
                strategies: wording.stands.iter().map(|stands| stands.strategy.clone()).collect(),
            };
            let hidden = model.model.hidden_inputs(&request);
            facts.push(Facts {
                key: prefix.key(&request, hidden.as_deref()),
                config: model.config,
                dataset: dataset.clone(),
                trajectory: trajectory.clone(),
                instruction: wording.instruction.clone(),
                repeat: at.repeat,
                images: prepared.frames.frames.len(),
                frame_rule: rule.clone(),
            });
            requests.push(request);
        }
    }
    let facts = Arc::new(facts);
    let claims = engine.run.claim(facts.clone(), engine.wants(!engine.is_stopped())).await?;
    let mut work = Vec::new();
    for (((at, facts), request), claim) in pairs.iter().zip(facts.iter()).zip(requests).zip(claims) {
        let held = Held { at: *at, facts: facts.clone() };
        if engine.settle_claim(&held, &claim) {
            continue;
        }
        match claim {
            Claim::Taken { pair, unknown, request_id } => work.push(Work {
                at: *at,
                grip: Grip { pair, key: facts.key, unknown },
                request,
                request_id,
                facts: held.facts,
            }),
            _ => engine.hold(held),
        }
    }
    Ok(work)
}

/// Calls all that was taken, each call when it has a slot.
async fn call_all(engine: Arc<Engine>, model: usize, work: Vec<Work>, open: Arc<OwnedSemaphorePermit>) {
    let size = engine.models[model].model.batch_size().max(1);
    let alone = engine.models[model].model.first_call_alone();
    let mut calls = JoinSet::new();
    let mut work = work.into_iter();
    let mut first = true;
    let mut open = Some(open);
    loop {
        let batch: Vec<Work> = work.by_ref().take(size).collect();
        // The last call lets go of the trajectory when it has its slot, also where it is the first.
        let open = if work.len() == 0 { open.take() } else { open.clone() };
        let Some(open) = open.filter(|_| !batch.is_empty()) else { break };
        let call = call::call(engine.clone(), model, batch, open);
        if first && alone {
            call.await;
        } else {
            calls.spawn(call);
        }
        first = false;
    }
    while calls.join_next().await.is_some() {}
}
