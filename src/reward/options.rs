//! What can be set when a model is opened.

use std::sync::Arc;
use std::time::Duration;

use super::catalogue::{CatalogueModel, Reached, find};
use super::http::{Environment, HttpModel};
use super::local::{LocalModel, LocalSpec};
use super::simulated::Simulated;
use super::{Part, Price, Prompt, RewardModel};
use crate::frames::Encoding;
use crate::{Error, Result};

/// Settings of a model; whatever is left out is as the catalogue or the provider has it.
#[derive(Clone, Debug, Default)]
pub struct ModelOptions {
    /// Servers other than OpenRouter, version path included (`http://localhost:8000/v1`). Several are taken as equal, and
    /// the load is spread over them, a trajectory keeping to one.
    pub base_urls: Vec<String>,
    /// Reasoning effort: `off`, `on`, `minimal`, `low`, `medium`, `high`.
    pub reasoning: Option<String>,
    /// A seed: the simulated model's own; sent to servers that take one, `repeat` added.
    pub seed: Option<u64>,
    /// Images a request, at most.
    pub max_images: Option<usize>,
    /// How images are packed.
    pub encoding: Option<Encoding>,
    /// Calls at a time, at most.
    pub concurrency: Option<usize>,
    /// How long the simulated model takes to answer, in milliseconds.
    pub latency_ms: Option<f64>,
    /// The order of the parts of the message; frames first where left out.
    pub order: Option<&'static [Part]>,
    /// The prompt.
    pub prompt: Option<Prompt>,
    /// The one provider behind OpenRouter that may serve the calls.
    pub provider: Option<String>,
    /// Sampling temperature in place of the provider's.
    pub temperature: Option<f64>,
    /// Nucleus sampling in place of the provider's.
    pub top_p: Option<f64>,
    /// Tokens of the answer, at most, in place of the catalogue's.
    pub max_tokens: Option<u32>,
    /// Dollars a token, as fetched; changes no reply.
    pub price: Option<Price>,
    /// Keys and addresses; those of the process's environment where left out.
    pub environment: Option<Environment>,
    /// How long to wait and how often to try; changes no reply.
    pub patience: Patience,
    /// Is told what takes long before a local checkpoint can be asked (a download, the first look at all of it), and that a
    /// key goes out in clear text.
    pub tell: Tell,
}

type Ear = dyn Fn(&str) + Send + Sync;

/// Somebody who is told a line at a time, or nobody.
#[derive(Clone, Default)]
pub struct Tell(Option<Arc<Ear>>);

impl Tell {
    /// Somebody.
    pub fn new(tell: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(tell)))
    }

    /// Whether there is somebody.
    pub(super) fn is_heard(&self) -> bool {
        self.0.is_some()
    }

    /// Tells a line.
    pub fn say(&self, line: &str) {
        if let Some(tell) = &self.0 {
            tell(line);
        }
    }
}

impl std::fmt::Debug for Tell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "somebody" } else { "nobody" })
    }
}

impl ModelOptions {
    pub(super) fn environment(&self) -> Environment {
        self.environment.clone().unwrap_or_else(Environment::of_process)
    }

    /// The prompt with its order, for a model that the catalogue says nothing of.
    pub(super) fn prompt(&self) -> Prompt {
        self.prompt_or(Prompt::GENERAL)
    }

    pub(super) fn prompt_or(&self, default: Prompt) -> Prompt {
        let prompt = self.prompt.clone().unwrap_or(default);
        match self.order {
            Some(order) => prompt.with_order(order),
            None => prompt,
        }
    }
}

/// How long to wait for a server and how often to try again.
#[derive(Clone, Debug, PartialEq)]
pub struct Patience {
    /// To connect.
    pub connect: Duration,
    /// Between two pieces of a reply, and for its first: a server that stalls is given up.
    pub read: Duration,
    /// For one attempt in all: a server that trickles is given up.
    pub attempt: Duration,
    /// For a call with all its retries and waits: no send starts later. One that has been sent may be billed, and is waited
    /// for as long as any.
    pub deadline: Duration,
    /// The first wait before a retry; doubled each time, up to `longest_wait`.
    pub first_wait: Duration,
    /// The longest wait before a retry that the server did not ask for.
    pub longest_wait: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(15),
            // Models that reason may be silent for minutes before the first byte.
            read: Duration::from_secs(180),
            attempt: Duration::from_secs(300),
            deadline: Duration::from_secs(900),
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(30),
        }
    }
}

/// Opens a model: a name or slug of the catalogue, `simulated…`, or any name where `base_urls` has a server.
///
/// # Errors
/// Wrong usage where the name is not known, cannot be reached this way, or an option does not go with it.
pub fn open(name: &str, options: &ModelOptions) -> Result<Arc<dyn RewardModel>> {
    if let Some(folder) = name.strip_prefix("local:") {
        return open_local(folder, options);
    }
    let known = find(name);
    if known.as_ref().is_ok_and(|known| known.reached == Reached::Simulated) {
        unneeded(name, options)?;
    }
    if options.base_urls.is_empty() {
        return open_known(known?, options);
    }
    Ok(Arc::new(HttpModel::own_server(name, known.ok(), options)?))
}

/// Settings that the simulated model would ignore in silence.
fn unneeded(name: &str, options: &ModelOptions) -> Result<()> {
    let off = |effort: &str| matches!(effort, "off" | "none");
    if !options.base_urls.is_empty() {
        return Err(Error::usage(format!("{name} runs in this process and takes no base url"))
            .with_help("leave --base-url out"));
    }
    if options.reasoning.as_deref().is_some_and(|effort| !off(effort)) {
        return Err(Error::usage(format!("{name} does not reason")).with_help("leave --reasoning out, or turn it off"));
    }
    if options.provider.is_some() {
        return Err(Error::usage(format!("{name} runs in this process: a provider can be pinned on OpenRouter alone"))
            .with_help("leave --provider out"));
    }
    Ok(())
}

/// Settings that a checkpoint on this machine would ignore in silence.
fn unneeded_here(spec: &LocalSpec, options: &ModelOptions) -> Result<()> {
    let name = format!("local:{}", spec.folder.display());
    let off = |effort: &str| matches!(effort, "off" | "none");
    for (given, what) in [
        (!options.base_urls.is_empty(), "runs on this machine and takes no base url"),
        (options.provider.is_some(), "runs on this machine: a provider can be pinned on OpenRouter alone"),
        (options.reasoning.as_deref().is_some_and(|effort| !off(effort)), "does not reason"),
        (options.temperature.is_some() || options.top_p.is_some(), "answers greedily: no temperature, no top-p"),
        (options.max_tokens.is_some(), "answers in 32 tokens, by RoboReward's protocol"),
        (options.max_images == Some(0), "needs at least one image"),
    ] {
        if given {
            return Err(
                Error::usage(format!("{name} {what}")).with_help("leave that setting out, or name another model")
            );
        }
    }
    Ok(())
}

fn open_known(known: &'static CatalogueModel, options: &ModelOptions) -> Result<Arc<dyn RewardModel>> {
    match known.reached {
        Reached::Simulated => match Simulated::new(known.name, options) {
            Some(model) => Ok(Arc::new(model)),
            None => Err(Error::usage(format!("no simulated model '{}'", known.name))),
        },
        Reached::OpenRouter => Ok(Arc::new(HttpModel::openrouter(known, options)?)),
        Reached::OwnServer => Err(Error::usage(format!("no hosted server is known for {}", known.name)).with_help(
            "serve it (vLLM, SGLang, llama.cpp, Ollama) and give its address with --base-url, or give a checkpoint folder as \
             local:DIR",
        )),
    }
}

fn open_local(spec: &str, options: &ModelOptions) -> Result<Arc<dyn RewardModel>> {
    let mut spec = LocalSpec::parse(spec)?;
    unneeded_here(&spec, options)?;
    spec.max_images = options.max_images;
    let tell = |line: &str| options.tell.say(line);
    Ok(Arc::new(LocalModel::open_telling(&spec, options.prompt_or(Prompt::ROBOREWARD), &tell)?))
}
