//! The models that are known by name.

use super::{Price, Prompt};
use crate::error::nearest;
use crate::{Error, Result};

/// A model known by name: how it is reached, sampled and limited.
#[derive(Clone, Debug, PartialEq)]
pub struct CatalogueModel {
    /// The name in score tables: the slug on OpenRouter where it has one.
    pub name: &'static str,
    /// Other names that find it.
    pub aliases: &'static [&'static str],
    /// Who makes it.
    pub provider: &'static str,
    /// How it is reached.
    pub reached: Reached,
    /// Sampling temperature, as its provider sets it; 0 is greedy.
    pub temperature: Option<f64>,
    /// Nucleus sampling, as its provider sets it.
    pub top_p: Option<f64>,
    /// Which of the two are sent: a value that is the provider's own default is left to the provider where its API may
    /// refuse the parameter.
    pub sent: Sent,
    /// Whether its endpoints take a `seed`.
    pub takes_seed: bool,
    /// Images a request, at most, by the strictest host known; `None` where no limit is known.
    pub max_images: Option<usize>,
    /// The longer side of an image in pixels, at most, where there is a limit.
    pub max_side: Option<u32>,
    /// Bytes of a request's images as base64, at most, where there is a limit.
    pub max_bytes: Option<usize>,
    /// Whether it can reason before it answers.
    pub reasons: Reasons,
    /// How its host caches the part that a trajectory's requests share.
    pub cache: Cache,
    /// Tokens of the answer, at most, reasoning not counted.
    pub max_tokens: u32,
    /// Dollars a token as last published by its maker; a live price (`fetch_prices`) goes before it.
    pub price: Option<Price>,
    /// The words it is asked with.
    pub prompt: Prompt,
}

/// How a model is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// Through OpenRouter, or by `--base-url`.
    OpenRouter,
    /// By `--base-url` alone (vLLM, SGLang, llama.cpp, Ollama), or as `local:DIR`.
    OwnServer,
    /// In this process.
    Simulated,
}

/// Which sampling parameters are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// Temperature and top_p.
    Both,
    /// Temperature alone: the API refuses both at once, and top_p is at its default.
    Temperature,
    /// Neither: the API takes neither, and both are at their defaults.
    Neither,
}

/// Whether a model can reason before it answers, and how that is switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reasons {
    /// It cannot.
    Never,
    /// It cannot but.
    Always,
    /// On request; off by `reasoning.enabled: false`.
    Asked,
    /// On request; the least it does is this effort ("none", "minimal").
    AtLeast(&'static str),
}

/// How a host caches the shared part of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cache {
    /// By itself: a request that starts like an earlier one is cheaper.
    Implicit,
    /// Where `cache_control` marks the end of the shared part; four marks at most.
    Marked,
    /// Not at all.
    None,
}

/// Tokens for an answer: one integer is asked for, and some models say a sentence around it.
const ANSWER_TOKENS: u32 = 512;

/// What all hosted models have in common.
const HOSTED: CatalogueModel = CatalogueModel {
    name: "",
    aliases: &[],
    provider: "",
    reached: Reached::OpenRouter,
    temperature: None,
    top_p: None,
    sent: Sent::Both,
    takes_seed: true,
    max_images: None,
    max_side: None,
    max_bytes: None,
    reasons: Reasons::Never,
    cache: Cache::Implicit,
    max_tokens: ANSWER_TOKENS,
    price: None,
    prompt: Prompt::GENERAL,
};

const OPENAI: CatalogueModel =
    CatalogueModel { provider: "OpenAI", temperature: Some(1.0), top_p: Some(1.0), ..HOSTED };

const GEMINI: CatalogueModel =
    CatalogueModel { provider: "Google", temperature: Some(1.0), top_p: Some(0.95), reasons: Reasons::Asked, ..HOSTED };

// 8,000 pixels a side, 2,000 once there are more than 20 images: the lower one holds for any number.
const CLAUDE: CatalogueModel = CatalogueModel {
    provider: "Anthropic",
    temperature: Some(1.0),
    top_p: Some(0.999),
    // "temperature and top_p cannot both be specified for this model", since 4.5.
    sent: Sent::Temperature,
    takes_seed: false,
    max_images: Some(100),
    max_side: Some(2000),
    // 32 MB a request, of which the images leave 1 MB to the words.
    max_bytes: Some(31_000_000),
    reasons: Reasons::Asked,
    cache: Cache::Marked,
    ..HOSTED
};

const QWEN: CatalogueModel =
    CatalogueModel { provider: "Qwen", temperature: Some(0.7), top_p: Some(0.8), max_images: Some(250), ..HOSTED };

const GEMMA: CatalogueModel =
    CatalogueModel { provider: "Google", temperature: Some(1.0), top_p: Some(0.95), ..HOSTED };

const LLAMA: CatalogueModel = CatalogueModel { provider: "Meta", temperature: Some(0.6), top_p: Some(0.9), ..HOSTED };

const ROBOREWARD: CatalogueModel = CatalogueModel {
    provider: "RoboReward",
    reached: Reached::OwnServer,
    temperature: Some(0.0),
    max_tokens: 32,
    prompt: Prompt::ROBOREWARD,
    ..HOSTED
};

const SIMULATED: CatalogueModel =
    CatalogueModel { provider: "simulated", reached: Reached::Simulated, cache: Cache::None, ..HOSTED };

const fn price(prompt: f64, cached: f64, completion: f64) -> Option<Price> {
    const MILLION: f64 = 1e6;
    Some(Price {
        prompt_usd: prompt / MILLION,
        completion_usd: completion / MILLION,
        cached_usd: Some(cached / MILLION),
    })
}

static CATALOGUE: &[CatalogueModel] = &[
    CatalogueModel { name: "openai/gpt-4o", aliases: &["gpt-4o"], price: price(2.5, 1.25, 10.0), ..OPENAI },
    CatalogueModel {
        name: "openai/gpt-5.1",
        aliases: &["gpt-5.1"],
        sent: Sent::Neither,
        max_images: Some(50),
        reasons: Reasons::AtLeast("none"),
        price: price(1.25, 0.125, 10.0),
        ..OPENAI
    },
    CatalogueModel {
        name: "google/gemini-2.5-flash-lite",
        aliases: &["gemini-2.5-flash-lite"],
        max_images: Some(3000),
        price: price(0.1, 0.01, 0.4),
        ..GEMINI
    },
    CatalogueModel {
        name: "google/gemini-2.5-flash",
        aliases: &["gemini-2.5-flash"],
        max_images: Some(3000),
        price: price(0.3, 0.03, 2.5),
        ..GEMINI
    },
    CatalogueModel {
        name: "google/gemini-3-flash-preview",
        aliases: &["gemini-3-flash-preview", "gemini-3-flash"],
        reasons: Reasons::AtLeast("minimal"),
        price: price(0.5, 0.05, 3.0),
        ..GEMINI
    },
    CatalogueModel {
        name: "anthropic/claude-haiku-4.5",
        aliases: &["claude-haiku-4.5"],
        price: price(1.0, 0.1, 5.0),
        ..CLAUDE
    },
    CatalogueModel {
        name: "anthropic/claude-sonnet-4.6",
        aliases: &["claude-sonnet-4.6"],
        price: price(3.0, 0.3, 15.0),
        ..CLAUDE
    },
    CatalogueModel {
        name: "qwen3-vl-2b-instruct",
        aliases: &["Qwen/Qwen3-VL-2B-Instruct", "qwen/qwen3-vl-2b-instruct"],
        reached: Reached::OwnServer,
        max_images: None,
        ..QWEN
    },
    CatalogueModel {
        name: "qwen3-vl-4b-instruct",
        aliases: &["Qwen/Qwen3-VL-4B-Instruct", "qwen/qwen3-vl-4b-instruct"],
        reached: Reached::OwnServer,
        max_images: None,
        ..QWEN
    },
    CatalogueModel { name: "qwen/qwen3-vl-8b-instruct", aliases: &["qwen3-vl-8b-instruct"], ..QWEN },
    CatalogueModel { name: "qwen/qwen3-vl-32b-instruct", aliases: &["qwen3-vl-32b-instruct"], ..QWEN },
    CatalogueModel { name: "qwen/qwen3-vl-235b-a22b-instruct", aliases: &["qwen3-vl-235b-a22b-instruct"], ..QWEN },
    CatalogueModel {
        name: "qwen/qwen3-vl-235b-a22b-thinking",
        aliases: &["qwen3-vl-235b-a22b-thinking"],
        reasons: Reasons::Always,
        ..QWEN
    },
    CatalogueModel { name: "google/gemma-3-4b-it", aliases: &["gemma-3-4b-it", "gemma-3-4b"], ..GEMMA },
    CatalogueModel { name: "google/gemma-3-12b-it", aliases: &["gemma-3-12b-it", "gemma-3-12b"], ..GEMMA },
    CatalogueModel { name: "google/gemma-3-27b-it", aliases: &["gemma-3-27b-it", "gemma-3-27b"], ..GEMMA },
    // Five images on one provider, eight and 4 MB on another: the lower ones, unless a provider is pinned and a limit
    // given.
    CatalogueModel {
        name: "meta-llama/llama-4-scout",
        aliases: &["llama-4-scout"],
        max_images: Some(5),
        max_bytes: Some(4_000_000),
        ..LLAMA
    },
    CatalogueModel { name: "meta-llama/llama-4-maverick", aliases: &["llama-4-maverick"], ..LLAMA },
    CatalogueModel { name: "roboreward-4b", aliases: &["teetone/RoboReward-4B"], ..ROBOREWARD },
    CatalogueModel { name: "roboreward-8b", aliases: &["teetone/RoboReward-8B"], ..ROBOREWARD },
    CatalogueModel { name: "simulated", ..SIMULATED },
    CatalogueModel { name: "simulated-steady", ..SIMULATED },
    CatalogueModel { name: "simulated-flighty", ..SIMULATED },
];

/// Every model known by name: those of RoboRMBench, and the simulated ones.
pub fn catalogue() -> &'static [CatalogueModel] {
    CATALOGUE
}

/// The model of a name, slug or alias, in any case.
///
/// # Errors
/// Where there is none: wrong usage, with the nearest names.
pub fn find(name: &str) -> Result<&'static CatalogueModel> {
    let known = |model: &&CatalogueModel| {
        model.name.eq_ignore_ascii_case(name) || model.aliases.iter().any(|alias| alias.eq_ignore_ascii_case(name))
    };
    CATALOGUE.iter().find(known).ok_or_else(|| {
        let names = CATALOGUE.iter().flat_map(|model| [model.name].into_iter().chain(model.aliases.iter().copied()));
        let near = nearest(name, names);
        let help = match near.as_slice() {
            [] => "`roborm models` lists those that are known; with --base-url any name goes".to_owned(),
            near => format!("did you mean {}? With --base-url any name goes", near.join(" or ")),
        };
        Error::usage(format!("unknown model '{name}'")).with_help(help)
    })
}
