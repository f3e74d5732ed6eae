//! A simulated reward model: true progress from the label, disturbed by wording and strategy under a seed.
//!
//! It answers in text that goes through the reader of replies like any other model's, and its name says that it is
//! simulated wherever its figures show.

use std::time::Duration;

use serde_json::json;

use super::{
    Call, Fault, FaultKind, Future, ImageNeeds, ModelConfig, ModelOptions, Price, Prompt, Reply, Request, RewardModel,
    Usage,
};
use crate::dataset::Label;
use crate::paraphrase::Strategy;

/// How strongly wording moves a simulated model.
///
/// For each trajectory and strategy the model either is swayed by wording or is not; where it is, each wording pushes it
/// up or down by `swing`. That makes the crossing rate nearly independent of how many paraphrases there are, which
/// Gaussian disturbances would not.
struct Preset {
    name: &'static str,
    /// Share of trajectories swayed by lexical, structural and adversarial paraphrases.
    swayed: [f64; 3],
}

/// Calibrated to the crossing rates published for GPT-5.1: 0.153 lexical, 0.204 structural, 0.300 adversarial, on
/// trajectories whose labels are spread evenly, with four to sixteen paraphrases a strategy. Nothing else of it is
/// calibrated to any real model.
const SIMULATED: Preset = Preset { name: "simulated", swayed: [0.19, 0.29, 0.485] };

/// Seldom swayed.
const STEADY: Preset = Preset { name: "simulated-steady", swayed: [0.04, 0.06, 0.11] };

/// Often swayed.
const FLIGHTY: Preset = Preset { name: "simulated-flighty", swayed: [0.45, 0.62, 0.9] };

/// By how much a wording pushes a swayed model, in points.
const SWING: f64 = 1.3;

/// Standard deviation of what a model makes of a trajectory, whatever the words, in points.
const MISJUDGED: f64 = 0.5;

/// Standard deviation of what a wording does to a model that is not swayed, in points.
const UNSWAYED: f64 = 0.05;

/// Standard deviation from repeat to repeat, in points: a mean standard deviation of scores near the published 0.09.
const REPEATED: f64 = 0.1;

/// Share of replies without a score.
const UNPARSED: f64 = 0.015;

/// The version of all the above: part of the config.
const VERSION: &str = "simulated-1";

/// A simulated reward model.
pub struct Simulated {
    preset: &'static Preset,
    config: ModelConfig,
    prompt: Prompt,
    seed: u64,
    latency: Option<Duration>,
    concurrency: usize,
    max_images: Option<usize>,
}

impl Simulated {
    /// The preset of a name.
    pub(super) fn new(name: &str, options: &ModelOptions) -> Option<Self> {
        let preset = [&SIMULATED, &STEADY, &FLIGHTY].into_iter().find(|preset| preset.name == name)?;
        let seed = options.seed.unwrap_or(0);
        let prompt = options.prompt();
        let config = ModelConfig::new(json!({
            "model": preset.name,
            "version": VERSION,
            "seed": seed,
            "prompt": prompt.version,
            "order": prompt.order_name(),
        }));
        Some(Self {
            preset,
            config,
            prompt,
            seed,
            latency: options
                .latency_ms
                .filter(|ms| *ms > 0.0)
                .and_then(|ms| Duration::try_from_secs_f64(ms / 1e3).ok()),
            concurrency: options.concurrency.unwrap_or(8),
            max_images: options.max_images,
        })
    }

    fn answer(&self, request: &Request, label: Label) -> String {
        let trajectory = [request.trajectory.as_str()];
        let wording = [request.trajectory.as_str(), request.instruction.as_str()];
        let repeat = request.repeat.to_string();
        let call = [request.trajectory.as_str(), request.instruction.as_str(), repeat.as_str()];

        let truth = f64::from(label.get());
        let swayed = self.draw("swayed", &trajectory).uniform() < self.swayed_by(&request.strategies);
        let push = if swayed { if self.draw("push", &wording).uniform() < 0.5 { -SWING } else { SWING } } else { 0.0 };
        let seen = truth
            + MISJUDGED * self.draw("misjudged", &trajectory).normal()
            + push
            + UNSWAYED * self.draw("unswayed", &wording).normal()
            + REPEATED * self.draw("repeated", &call).normal();
        let score = seen.round().clamp(1.0, 5.0);
        let unparsed = self.draw("unparsed", &call).uniform() < UNPARSED;
        let phrase = self.draw("phrase", &call).uniform();
        if unparsed { unclear(phrase).to_owned() } else { said(score as u8, phrase) }
    }

    fn swayed_by(&self, strategies: &[Strategy]) -> f64 {
        let [lexical, structural, adversarial] = self.preset.swayed;
        match strategies.first() {
            // The instruction itself does not sway: it is what the others are compared with.
            Some(Strategy::Original) => 0.0,
            Some(Strategy::Lexical) => lexical,
            Some(Strategy::Adversarial) => adversarial,
            Some(Strategy::Structural | Strategy::Other(_)) | None => structural,
        }
    }

    /// Randomness as a function of what is asked: the same in any order of calls, on any machine.
    fn draw(&self, what: &str, parts: &[&str]) -> Draw {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.seed.to_le_bytes());
        for part in [self.preset.name, what].iter().chain(parts) {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        Draw(*hasher.finalize().as_bytes())
    }
}

impl RewardModel for Simulated {
    fn name(&self) -> &str {
        self.preset.name
    }

    fn config(&self) -> &ModelConfig {
        &self.config
    }

    fn price(&self) -> Option<Price> {
        Some(Price { prompt_usd: 0.0, completion_usd: 0.0, cached_usd: None })
    }

    fn image_needs(&self) -> ImageNeeds {
        ImageNeeds { encoding: None, max_images: self.max_images, max_bytes: None }
    }

    fn prompt(&self) -> &Prompt {
        &self.prompt
    }

    fn hidden_inputs(&self, request: &Request) -> Option<String> {
        let strategies: Vec<&str> = request.strategies.iter().map(Strategy::as_str).collect();
        let label = request.label.map_or(0, |label| label.get());
        Some(format!("trajectory={};label={label};strategies={}", request.trajectory, strategies.join(",")))
    }

    fn concurrency(&self) -> usize {
        self.concurrency
    }

    /// Needs a tokio runtime with a timer where a latency is set.
    fn ask<'a>(&'a self, request: &'a Request, call: &'a dyn Call) -> Future<'a, Result<Reply, Fault>> {
        Box::pin(async move {
            let Some(label) = request.label else {
                return Err(Fault::new(
                    FaultKind::Refused,
                    "a simulated model answers from the true progress, which the dataset does not tell",
                ));
            };
            call.before_send(1)?;
            if let Some(latency) = self.latency {
                tokio::time::sleep(latency).await;
            }
            Ok(Reply {
                text: self.answer(request, label),
                finish_reason: Some("stop".to_owned()),
                model_returned: Some(self.preset.name.to_owned()),
                usage: Usage { cost_usd: Some(0.0), ..Usage::default() },
                latency_ms: Some(self.latency.map_or(0.0, |latency| latency.as_secs_f64() * 1e3)),
                attempts: 1,
                ..Reply::default()
            })
        })
    }
}

/// One answer of a hash.
struct Draw([u8; 32]);

impl Draw {
    /// From 0 up to 1.
    fn uniform(&self) -> f64 {
        self.part(0)
    }

    /// Mean 0, standard deviation 1 (Box and Muller 1958).
    fn normal(&self) -> f64 {
        let radius = (-2.0 * (1.0 - self.part(0)).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.part(8)).cos()
    }

    fn part(&self, from: usize) -> f64 {
        let bytes: [u8; 8] = std::array::from_fn(|index| self.0[from + index]);
        (u64::from_le_bytes(bytes) >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// The ways in which models say a score, all of which the reader takes.
fn said(score: u8, phrase: f64) -> String {
    let name = ["no success", "minimal progress", "partial completion", "near completion", "perfect completion"]
        [usize::from(score.clamp(1, 5)) - 1];
    let word = ["one", "two", "three", "four", "five"][usize::from(score.clamp(1, 5)) - 1];
    // A bare integer is what is asked for, and what most replies are.
    match (phrase * 20.0) as u32 {
        0 => format!("ANSWER: {score}"),
        1 => format!("**Final Score: {score}/5 ({name})**"),
        2 => format!("{{\"score\": {score}}}"),
        3 => format!("I would rate this {score} out of 5."),
        4 => format!("<think>The last frame decides: {name}.</think>\n{score}"),
        5 => format!("Score: {score}\n\nThe final state shows {name}."),
        6 => format!("On a scale of 1 to 5, I'd give this a {word}."),
        7 => format!("```json\n{{\"score\": {score}}}\n```"),
        _ => score.to_string(),
    }
}

/// Replies without a score.
fn unclear(phrase: f64) -> &'static str {
    match (phrase * 4.0) as u32 {
        0 => "I cannot tell from these frames.",
        1 => "Somewhere between 3 and 4.",
        2 => "3.5",
        _ => "The robot moved 2 cups and tried 3 times.",
    }
}
