//! The trait of a reward model, and what it is asked.

use std::pin::Pin;
use std::sync::Arc;

use serde_json::Value;

use super::{Fault, Prompt, Reply};
use crate::Result;
use crate::dataset::Label;
use crate::frames::{EncodedImage, Encoding, Frames};
use crate::paraphrase::Strategy;

/// A boxed future, so that models can be kept as `Arc<dyn RewardModel>`.
pub type Future<'a, T> = Pin<Box<dyn std::future::Future<Output = T> + Send + 'a>>;

/// A reward model.
///
/// Everything but `instruction` and `repeat` is the same for all requests of a trajectory, byte for byte.
pub trait RewardModel: Send + Sync {
    /// The name in score tables: the catalogue name or slug, `simulated…`, `local:DIR`.
    fn name(&self) -> &str;

    /// The name in the ledger's key, where a reply must not hang on what the model is called here.
    fn key_name(&self) -> &str {
        self.name()
    }

    /// Every setting that can change a reply; its digest is the `config` column and part of the ledger's key.
    fn config(&self) -> &ModelConfig;

    /// The images it takes.
    fn image_needs(&self) -> ImageNeeds;

    /// The prompt around the instruction.
    fn prompt(&self) -> &Prompt;

    /// Dollars a token, where known.
    fn price(&self) -> Option<Price> {
        None
    }

    /// What else of a request can change the reply, as text for the ledger's key. Only the simulated model, which
    /// looks at the label and the strategy, has any.
    fn hidden_inputs(&self, _request: &Request) -> Option<String> {
        None
    }

    /// What the user should know of the run so far, a line each: how it was computed, what had to be done otherwise.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// How many requests of one trajectory it takes in one [`RewardModel::ask_batch`].
    fn batch_size(&self) -> usize {
        1
    }

    /// Whether a trajectory's first call should be back before its siblings are sent, so that a provider's prefix cache
    /// serves them. Pays where cached prompt tokens are cheaper and there is no batch.
    fn first_call_alone(&self) -> bool {
        false
    }

    /// How many calls at a time serve it well, where the user has not said.
    fn concurrency(&self) -> usize {
        8
    }

    /// Whether it may wait (for a place, for leave) between being asked and sending. Such a model says [`Call::ready`]
    /// before each send, and the ledger's intent is committed then, not before the wait: what was never sent is not
    /// unknown after a crash.
    fn waits_to_send(&self) -> bool {
        false
    }

    /// Asks once. Retries of passing faults are the model's own work; `call` is told before every send.
    fn ask<'a>(&'a self, request: &'a Request, call: &'a dyn Call) -> Future<'a, Result<Reply, Fault>>;

    /// Asks for several instructions of one trajectory at a time, in order. By default one after another.
    fn ask_batch<'a>(
        &'a self,
        requests: &'a [Request],
        calls: &'a [&'a dyn Call],
    ) -> Future<'a, Vec<Result<Reply, Fault>>> {
        Box::pin(async move {
            let mut replies = Vec::with_capacity(requests.len());
            for (request, call) in requests.iter().zip(calls) {
                replies.push(self.ask(request, *call).await);
            }
            replies
        })
    }

    /// Looks up a reply by the id that an earlier, interrupted call had received; `None` where that cannot be done.
    fn look_up<'a>(&'a self, _id: &'a str) -> Future<'a, Result<Option<Reply>, Fault>> {
        Box::pin(async { Ok(None) })
    }
}

/// What a model tells the study while a call is under way, so that the ledger knows of it before money can be spent.
pub trait Call: Send + Sync {
    /// Called before every send, the first (`attempt` 1) and each retry. An error forbids the send.
    ///
    /// # Errors
    /// Where the ledger cannot be written or the budget is used up.
    fn before_send(&self, attempt: u32) -> Result<(), Fault>;

    /// The server has given the call an id.
    fn id_came(&self, id: &str);

    /// [`Call::before_send`] without blocking the thread, for a model that [waits](RewardModel::waits_to_send).
    ///
    /// # Errors
    /// As [`Call::before_send`].
    fn ready<'a>(&'a self, attempt: u32) -> Future<'a, Result<(), Fault>> {
        Box::pin(async move { self.before_send(attempt) })
    }

    /// Comes to its end when nothing more is to be sent: waits between sends are cut short by it.
    fn stopping<'a>(&'a self) -> Future<'a, ()> {
        Box::pin(std::future::pending())
    }

    /// A send that may have been billed brought no answer. It is counted as spent: by the cost that the server told, else
    /// by what was set aside for the call.
    fn lost(&self, _fault: &Fault) {}

    /// The call came to nothing for a passing reason and is tried again after `wait`.
    fn trying_again(&self, _fault: &Fault, _wait: std::time::Duration) {}
}

/// Every setting of a model that can change a reply.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelConfig {
    settings: Value,
    digest: String,
}

impl ModelConfig {
    /// From a JSON object: model, endpoint, sampling, reasoning, max tokens, seed, prompt version, order of parts, image
    /// encoding, checkpoint digest, … Keys are sorted before the digest is taken.
    pub fn new(settings: Value) -> Self {
        let mut settings = settings;
        sort_keys(&mut settings);
        let digest = blake3::hash(settings.to_string().as_bytes()).to_hex()[..16].to_owned();
        Self { settings, digest }
    }

    /// The settings, keys sorted.
    pub fn settings(&self) -> &Value {
        &self.settings
    }

    /// Sixteen hex digits.
    pub fn digest(&self) -> &str {
        &self.digest
    }
}

fn sort_keys(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.sort_keys();
            map.values_mut().for_each(sort_keys);
        }
        Value::Array(items) => items.iter_mut().for_each(sort_keys),
        _ => {}
    }
}

/// The images a model takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImageNeeds {
    /// How each is packed; `None` where the model takes raw frames (a local checkpoint) or looks at none (simulated).
    pub encoding: Option<Encoding>,
    /// At most so many; more are down-sampled by the frame rule.
    pub max_images: Option<usize>,
    /// At most so many bytes of a request, all images together as base64; where they come to more, they are down-sampled
    /// by the frame rule until they fit.
    pub max_bytes: Option<usize>,
}

/// Dollars a token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Price {
    /// Of the prompt.
    pub prompt_usd: f64,
    /// Of the completion, reasoning included.
    pub completion_usd: f64,
    /// Of a cached prompt token, where the provider has a price of its own for it.
    pub cached_usd: Option<f64>,
}

impl Price {
    /// Costs nothing: simulated, or on this machine.
    pub fn is_free(&self) -> bool {
        self.prompt_usd == 0.0 && self.completion_usd == 0.0
    }
}

/// One question to a model.
#[derive(Clone, Debug)]
pub struct Request {
    /// The trajectory's id.
    pub trajectory: String,
    /// The frames, shared by all requests of the trajectory.
    pub frames: Arc<Frames>,
    /// The frames as they are sent, in order; empty where [`ImageNeeds::encoding`] is `None`.
    pub images: Arc<Vec<EncodedImage>>,
    /// The words that vary.
    pub instruction: String,
    /// From 0.
    pub repeat: u32,
    /// True progress: for the simulated model alone, never sent.
    pub label: Option<Label>,
    /// The strategies this text stands under, in order: for the simulated model alone, never sent.
    pub strategies: Vec<Strategy>,
}
