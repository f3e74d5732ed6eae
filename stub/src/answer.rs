//! What is answered: a function of the question and the seed.

use serde_json::{Value, json};

use crate::question::Question;

/// Dollars a token of prompt, of cached prompt, of completion.
pub(crate) const PRICES: [f64; 3] = [1.25e-6, 0.125e-6, 1e-5];

/// Tokens that an image counts.
const IMAGE_TOKENS: u64 = 258;

/// An answer that is given and billed.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) model: String,
    pub(crate) provider: String,
    pub(crate) prompt_tokens: u64,
    pub(crate) cached_tokens: u64,
    pub(crate) completion_tokens: u64,
    pub(crate) cost: f64,
}

impl Given {
    /// The answer to a question. `label` is the true progress where the stub was told; `cached` whether the images were seen
    /// before.
    pub(crate) fn new(
        question: &Question,
        seed: u64,
        label: Option<u8>,
        cached: bool,
        number: u64,
        provider: &str,
    ) -> Self {
        let text = text(question, seed, label);
        let images = question.images.len() as u64 * IMAGE_TOKENS;
        let prompt_tokens = images + 280 + question.instruction.len() as u64 / 4;
        let cached_tokens = if cached { images } else { 0 };
        let completion_tokens = 1 + text.len() as u64 / 4;
        let [prompt, cheap, completion] = PRICES;
        let cost = (prompt_tokens - cached_tokens) as f64 * prompt
            + cached_tokens as f64 * cheap
            + completion_tokens as f64 * completion;
        let id = format!("gen-{number}-{}", &question.digest()[..12]);
        let (model, provider) = (question.model.clone(), provider.to_owned());
        Self { id, text, model, provider, prompt_tokens, cached_tokens, completion_tokens, cost }
    }

    /// As a chat completion.
    pub(crate) fn completion(&self) -> Value {
        json!({
            "id": self.id,
            "object": "chat.completion",
            "created": 0,
            "model": self.model,
            "provider": self.provider,
            "choices": [{
                "index": 0,
                "finish_reason": "stop",
                "native_finish_reason": "STOP",
                "message": {"role": "assistant", "content": self.text, "reasoning": null, "refusal": null},
            }],
            "usage": {
                "prompt_tokens": self.prompt_tokens,
                "completion_tokens": self.completion_tokens,
                "total_tokens": self.prompt_tokens + self.completion_tokens,
                "cost": self.cost,
                "is_byok": false,
                "cost_details": {"upstream_inference_cost": null},
                "prompt_tokens_details": {"cached_tokens": self.cached_tokens, "cache_write_tokens": 0},
                "completion_tokens_details": {"reasoning_tokens": 0},
            },
        })
    }

    /// As `GET /generation` has it.
    pub(crate) fn generation(&self) -> Value {
        json!({"data": {
            "id": self.id,
            "model": self.model,
            "provider_name": self.provider,
            "total_cost": self.cost,
            "tokens_prompt": self.prompt_tokens,
            "tokens_completion": self.completion_tokens,
            "native_tokens_prompt": self.prompt_tokens,
            "native_tokens_completion": self.completion_tokens,
            "native_tokens_cached": self.cached_tokens,
            "finish_reason": "stop",
            "native_finish_reason": "STOP",
            "is_byok": false,
            "upstream_inference_cost": null,
            "latency": 1,
        }})
    }

    /// As `GET /generation/content` has it.
    pub(crate) fn content(&self) -> Value {
        json!({"data": {"input": {"messages": []}, "output": {"completion": self.text, "reasoning": null}}})
    }
}

/// From 0 up to 1: a function of the seed, a word and the parts.
pub(crate) fn draw<'a>(seed: u64, what: &'a str, parts: impl IntoIterator<Item = &'a str>) -> f64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&seed.to_le_bytes());
    for part in std::iter::once(what).chain(parts) {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let bytes: [u8; 8] = std::array::from_fn(|index| hasher.finalize().as_bytes()[index]);
    (u64::from_le_bytes(bytes) >> 11) as f64 / (1u64 << 53) as f64
}

fn text(question: &Question, seed: u64, label: Option<u8>) -> String {
    let images: Vec<&str> = question.images.iter().map(String::as_str).collect();
    let seen = || 1 + (draw(seed, "progress", images.iter().copied()) * 5.0) as u8;
    let truth = i16::from(label.unwrap_or_else(seen));
    let digest = question.digest();
    // A quarter of the wordings push the judgement by one or two, which is enough to see it cross.
    let push = match draw(seed, "push", [digest.as_str()]) {
        p if p < 0.08 => -2,
        p if p < 0.16 => -1,
        p if p < 0.24 => 1,
        p if p < 0.30 => 2,
        _ => 0,
    };
    let score = (truth + push).clamp(1, 5);
    match (draw(seed, "phrase", [digest.as_str()]) * 10.0) as u8 {
        0 => format!("ANSWER: {score}"),
        1 => format!("**Final Score: {score}/5**"),
        2 => format!("{{\"score\": {score}}}"),
        3 if draw(seed, "unclear", [digest.as_str()]) < 0.2 => "I cannot tell from these frames.".to_owned(),
        _ => score.to_string(),
    }
}
