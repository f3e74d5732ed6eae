//! Checkpoints of the Qwen3-VL family (RoboReward-4B and 8B among them) run on this machine, without Python.
//!
//! A worker process holds the model, so that it outlives an interrupted cell and a crash of it takes nothing along. All
//! paraphrases of a trajectory go to it in one question: it looks at the frames once, computes what stands before the
//! instruction once, and answers all together.

mod digest;
mod hub;
mod place;
mod pool;
mod spec;
mod tally;

use std::collections::HashMap;
use std::time::Duration;

use roborm_wire::local::{Load, Ready, resolve, stored_video};
use roborm_wire::no_json;
use serde_json::{Value, json};
use tokio::sync::oneshot;

pub use hub::{Hub, HubModel};
pub use roborm_wire::local::Found;
pub use spec::{LocalDevice, LocalSpec, Times};

use super::{
    Call, Fault, FaultKind, Future, ImageNeeds, ModelConfig, Part, Price, Prompt, Reply, Request, RewardModel, Usage,
};
use crate::local::{PROGRAM, Worker};
use crate::{Error, Result};
use pool::{Job, Pool, Scored, Setup};

/// New tokens at most: the protocol of RoboReward.
const MAX_TOKENS: usize = 32;

/// Instructions in one question to the worker, which splits them by its memory.
const BATCH: usize = 64;

/// A checkpoint that runs on this machine, greedily.
pub struct LocalModel {
    name: String,
    config: ModelConfig,
    prompt: Prompt,
    devices: Vec<String>,
    max_images: Option<usize>,
    /// What each device would load.
    ready: Vec<Ready>,
    pool: Pool,
}

/// No configuration is larger.
const LARGEST: u64 = 64 << 20;

impl LocalModel {
    /// Opens a checkpoint: `spec` is what follows `local:` in the name of a model ([`LocalSpec::parse`]). All its files are
    /// looked at here, the first time every number in them; the weights are loaded at the first question.
    ///
    /// # Errors
    /// Where the folder is no checkpoint that could be run, the worker is not installed, the memory does not suffice, or a
    /// CUDA device is asked for and not there.
    pub fn open(spec: &LocalSpec, prompt: Prompt) -> Result<Self> {
        Self::open_telling(spec, prompt, &|_| {})
    }

    /// [`LocalModel::open`]; `tell` is told what takes long: a download that was asked for, and the first look at a large
    /// checkpoint.
    ///
    /// # Errors
    /// As [`LocalModel::open`].
    pub fn open_telling(spec: &LocalSpec, prompt: Prompt, tell: &(dyn Fn(&str) + Sync)) -> Result<Self> {
        let folder = resolve(&spec.locate(tell)?).map_err(|[message, help]| Error::input(message).with_help(help))?;
        let path = folder.join("config.json");
        // Nobody waits for a pipe, and a device has no end.
        let plain = || match path.metadata()? {
            file if file.is_dir() || file.is_file() && file.len() <= LARGEST => std::fs::read_to_string(&path),
            file if file.is_file() => Err(std::io::Error::other("larger than 64 MiB")),
            _ => Err(std::io::Error::other("no regular file")),
        };
        let text = plain().map_err(|error| match (path.exists(), path.read_link()) {
            (false, Ok(blob)) => Error::input(format!(
                "{}: config.json is a link to {}, which is not there",
                folder.display(),
                blob.display()
            ))
            .with_help("the download is not whole: fetch it again (local:hub:OWNER/NAME,download=yes)"),
            _ => Error::input(format!("{}: no checkpoint (config.json: {error})", folder.display()))
                .with_help("give the folder of a Qwen3-VL checkpoint: config.json, tokenizer.json, model*.safetensors"),
        })?;
        let stored: Value = serde_json::from_str(&text).map_err(|error| {
            Error::input(format!("{}, {}", path.display(), no_json(&error)))
                .with_help("copy the file again from where the checkpoint came from")
        })?;
        let program = spec.program.clone().map_or_else(|| PROGRAM.find(), Ok)?;
        let mut worker = Worker::start(&program, spec.silence)?;
        let found = worker.look()?;
        let devices = devices(&spec.device, &found)?;
        let video = match spec.video.as_str() {
            "stored" => stored_video(stored["transformers_version"].as_str()),
            said => said,
        };
        let kind = if devices.iter().all(|device| device.starts_with("cuda")) { "cuda" } else { "cpu" };
        let load = |device: &str| Load {
            folder: folder.display().to_string(),
            device: device.to_owned(),
            dtype: spec.dtype.clone(),
            video: video.to_owned(),
            threads: spec.threads,
        };
        let ready = devices.iter().map(|device| worker.check(load(device), false)).collect::<Result<Vec<_>, _>>()?;
        let digest = digest::digest(&folder, tell)?;
        if digest.is_new {
            // Every number, while the files are in memory anyway.
            let first = devices.first().map_or("cpu", String::as_str);
            worker.check(load(first), true)?;
        }
        digest.remember();
        let config = ModelConfig::new(json!({
            "model": "local",
            "engine": "qwen3vl-1",
            "checkpoint": digest.hex,
            "device": kind,
            "dtype": spec.dtype,
            "video": video,
            "times": match spec.times { Times::Own => json!("own"), Times::Rate(rate) => json!(rate) },
            "sampling": "greedy",
            "max_tokens": MAX_TOKENS,
            "prompt_version": prompt.version,
            "order": prompt.order.iter().map(|part| format!("{part:?}").to_lowercase()).collect::<Vec<_>>(),
        }));
        let setup = Setup {
            program,
            load: load(""),
            times: spec.times,
            max_tokens: MAX_TOKENS,
            silence: spec.silence,
            relief: relief(&ready),
        };
        let pool = Pool::new(&devices, &setup);
        Ok(Self { name: spec.name(), config, prompt, devices, max_images: spec.max_images, ready, pool })
    }

    /// The devices that it runs on, a worker each.
    pub fn devices(&self) -> &[String] {
        &self.devices
    }

    async fn score(&self, requests: &[&Request]) -> Vec<Result<Reply, Fault>> {
        let Some(first) = requests.first() else { return Vec::new() };
        // Greedy: the same words get the same answer, and are asked once.
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut texts = Vec::new();
        let mut place_of = Vec::new();
        for request in requests {
            let place = *places.entry(&request.instruction).or_insert_with(|| {
                texts.push(self.prompt.text(&request.instruction));
                texts.len() - 1
            });
            place_of.push(place);
        }
        let marked = texts.iter().filter(|text| text.contains("<|")).count();
        let (sender, receiver) = oneshot::channel();
        self.pool.ask(Job {
            trajectory: first.trajectory.clone(),
            frames: first.frames.clone(),
            texts,
            text_first: self.prompt.order.first() == Some(&Part::Text),
            reply: sender,
        });
        let lost = || Fault::new(FaultKind::Refused, "the worker of local checkpoints is gone");
        let answers = receiver.await.unwrap_or_default();
        self.pool.marked(marked as u64);
        let answer = |&place: &usize| match answers.get(place) {
            Some(Ok(scored)) => Ok(reply(scored, &self.config)),
            Some(Err(fault)) => Err(fault.clone()),
            None => Err(lost()),
        };
        place_of.iter().map(answer).collect()
    }
}

/// What is installed for local checkpoints, for `doctor`: the worker's libtorch, threads, memory, CUDA devices or why
/// there are none.
///
/// # Errors
/// Where the worker is not installed or does not start.
pub fn look() -> Result<Found> {
    Worker::start(&PROGRAM.find()?, Duration::from_secs(60))?.look()
}

fn devices(wanted: &LocalDevice, found: &Found) -> Result<Vec<String>> {
    match wanted {
        LocalDevice::Auto if found.cuda.is_empty() => Ok(vec!["cpu".into()]),
        LocalDevice::Auto => Ok((0..found.cuda.len()).map(|number| format!("cuda:{number}")).collect()),
        // Said here and not at the first question: never silently on the CPU.
        LocalDevice::These(names) => match names.iter().find(|name| name.starts_with("cuda")) {
            Some(name) if found.cuda.is_empty() => {
                let why = found.why_no_cuda.as_deref().unwrap_or("none was found");
                Err(Error::input(format!("there is no CUDA device for device={name}: {why}"))
                    .with_help("leave device away or set device=cpu, or see `roborm doctor`"))
            }
            _ => Ok(names.clone()),
        },
    }
}

/// What to do where the weights do not fit.
fn relief(ready: &[Ready]) -> String {
    let weights: u64 = ready.iter().map(|ready| ready.weights).sum();
    let halved = if ready.iter().any(|ready| ready.dtype == "f32") { ", or halve them: dtype=bf16" } else { "" };
    format!("the weights take {:.1} GB: free so much memory and some more{halved}", weights as f64 / 1e9)
}

fn reply(scored: &Scored, config: &ModelConfig) -> Reply {
    let answer = &scored.answer;
    let shares = scored.shares.iter().flatten().zip(1..).map(|(&share, digit)| (format!("p{digit}"), share));
    let count = |tokens: usize| Some(tokens as u64);
    Reply {
        text: answer.text.clone(),
        finish_reason: Some(answer.finish.clone()),
        model_returned: config.settings()["checkpoint"].as_str().map(|digest| format!("qwen3_vl@{digest}")),
        provider: Some("local".into()),
        usage: Usage {
            prompt_tokens: count(answer.prompt_tokens),
            cached_tokens: count(answer.shared_tokens),
            completion_tokens: count(answer.completion_tokens),
            cost_usd: Some(0.0),
        },
        latency_ms: Some(scored.latency_ms),
        attempts: 1,
        extra: shares.collect(),
        ..Reply::default()
    }
}

impl RewardModel for LocalModel {
    fn name(&self) -> &str {
        &self.name
    }

    /// The checkpoint's digest is among the settings: wherever its folder lies, it is the same model.
    fn key_name(&self) -> &str {
        "local"
    }

    fn config(&self) -> &ModelConfig {
        &self.config
    }

    /// Raw frames; the checkpoint's own rule brings them to size.
    fn image_needs(&self) -> ImageNeeds {
        ImageNeeds { encoding: None, max_images: self.max_images, max_bytes: None }
    }

    fn prompt(&self) -> &Prompt {
        &self.prompt
    }

    /// What is missing in the checkpoint; memory, batch and shared tokens; a smaller batch after too little memory, a worker that had to be started again.
    fn notes(&self) -> Vec<String> {
        self.pool.tally().notes(&self.name, &self.ready)
    }

    /// Nobody is paid.
    fn price(&self) -> Option<Price> {
        Some(Price { prompt_usd: 0.0, completion_usd: 0.0, cached_usd: None })
    }

    fn batch_size(&self) -> usize {
        BATCH
    }

    /// One at work and one waiting a device.
    fn concurrency(&self) -> usize {
        self.devices.len() * 2
    }

    fn ask<'a>(&'a self, request: &'a Request, call: &'a dyn Call) -> Future<'a, Result<Reply, Fault>> {
        Box::pin(async move {
            call.before_send(1)?;
            let mut replies = self.score(&[request]).await;
            replies.pop().unwrap_or_else(|| Err(Fault::new(FaultKind::Refused, "the worker gave no answer")))
        })
    }

    /// All of one trajectory in one question.
    fn ask_batch<'a>(
        &'a self,
        requests: &'a [Request],
        calls: &'a [&'a dyn Call],
    ) -> Future<'a, Vec<Result<Reply, Fault>>> {
        Box::pin(async move {
            let allowed: Vec<Result<(), Fault>> = calls.iter().map(|call| call.before_send(1)).collect();
            let asked: Vec<&Request> = requests
                .iter()
                .zip(&allowed)
                .filter(|(_, allowed)| allowed.is_ok())
                .map(|(request, _)| request)
                .collect();
            let mut replies = self.score(&asked).await.into_iter();
            let none = || Err(Fault::new(FaultKind::Refused, "the worker gave no answer"));
            allowed.into_iter().map(|allowed| allowed.and_then(|()| replies.next().unwrap_or_else(none))).collect()
        })
    }
}
