//! From the catalogue and the user's options to what is sent.

use serde_json::{Map, Value, json};

use super::endpoint::Dialect;
use crate::frames::{Encoding, ImageFormat};
use crate::reward::{Cache, CatalogueModel, ModelOptions, Prompt, Reasons, Sent};
use crate::{Error, Result};

/// Tokens that a model may think beside those of its answer.
const REASONING_TOKENS: u32 = 16_384;

/// Tokens of the answer of a model that the catalogue does not know.
const ANSWER_TOKENS: u32 = 512;

/// Quality of the JPEGs that are sent.
const QUALITY: u8 = 90;

/// All that is settled when a model is opened.
pub(super) struct Settings {
    /// The fields of a request that never change.
    pub(super) fields: Map<String, Value>,
    /// OpenRouter's `provider` object, to which those that fail just now are added.
    pub(super) provider: Option<Value>,
    /// What goes into the model's digest.
    pub(super) recorded: Value,
    pub(super) prompt: Prompt,
    pub(super) encoding: Encoding,
    pub(super) max_images: Option<usize>,
    pub(super) max_bytes: Option<usize>,
    pub(super) marked: bool,
    pub(super) seed: Option<u64>,
    pub(super) cached: bool,
}

pub(super) fn settle(
    model: &str,
    known: Option<&CatalogueModel>,
    options: &ModelOptions,
    dialect: Dialect,
    endpoints: &[String],
) -> Result<Settings> {
    if options.max_images == Some(0) {
        return Err(Error::usage("a limit of 0 images leaves nothing to judge"));
    }
    let effort = effort(model, known, options)?;
    let thinks = effort.as_deref().is_some_and(|effort| effort != "off");
    let max_tokens = options.max_tokens.unwrap_or_else(|| {
        known.map_or(ANSWER_TOKENS, |known| known.max_tokens) + if thinks { REASONING_TOKENS } else { 0 }
    });
    let temperature = options.temperature.or(known.and_then(|known| known.temperature));
    let top_p = options.top_p.or(known.and_then(|known| known.top_p));
    let sent = if dialect == Dialect::OpenRouter { known.map_or(Sent::Both, |known| known.sent) } else { Sent::Both };
    let seed = options.seed.filter(|_| dialect == Dialect::Plain || known.is_none_or(|known| known.takes_seed));

    let mut fields = Map::new();
    fields.insert("model".into(), Value::from(model));
    fields.insert("max_tokens".into(), Value::from(max_tokens));
    // What the user sets is always sent: a server that refuses it says so.
    let sends = |by_default: bool, set: bool| by_default || set;
    if let Some(temperature) = temperature.filter(|_| sends(sent != Sent::Neither, options.temperature.is_some())) {
        fields.insert("temperature".into(), Value::from(temperature));
    }
    if let Some(top_p) = top_p.filter(|_| sends(sent == Sent::Both, options.top_p.is_some())) {
        fields.insert("top_p".into(), Value::from(top_p));
    }
    match dialect {
        Dialect::OpenRouter => {
            if let Some(reasoning) = reasoning_object(known, effort.as_deref()) {
                fields.insert("reasoning".into(), reasoning);
            }
            fields.insert("provider".into(), provider(options));
        }
        Dialect::Plain => plain_reasoning(options, &mut fields),
    }

    let prompt = options.prompt_or(known.map_or(Prompt::GENERAL, |known| known.prompt.clone()));
    let encoding = encoding(known, options);
    let cache = known.map_or(Cache::Implicit, |known| known.cache);
    let mut endpoints = endpoints.to_vec();
    endpoints.sort();
    let recorded = json!({
        "model": model,
        "endpoint": endpoints,
        "temperature": temperature,
        "top_p": top_p,
        "max_tokens": max_tokens,
        "reasoning": effort,
        "seed": seed,
        "prompt": prompt.version,
        "order": prompt.order_name(),
        "encoding": encoding_name(&encoding),
        "sent": fields,
    });
    let provider = fields.remove("provider");
    Ok(Settings {
        fields,
        provider,
        recorded,
        prompt,
        encoding,
        max_images: options.max_images.or(known.and_then(|known| known.max_images)),
        max_bytes: known.and_then(|known| known.max_bytes),
        marked: dialect == Dialect::OpenRouter && cache == Cache::Marked,
        seed,
        cached: cache != Cache::None,
    })
}

/// The reasoning effort as the table records it; `None` where the server is left to its own default.
fn effort(model: &str, known: Option<&CatalogueModel>, options: &ModelOptions) -> Result<Option<String>> {
    let asked = options.reasoning.as_deref().map(|effort| effort.trim().to_lowercase());
    let asked = asked.map(|effort| if matches!(effort.as_str(), "none" | "false") { "off".to_owned() } else { effort });
    const EFFORTS: [&str; 7] = ["off", "on", "minimal", "low", "medium", "high", "xhigh"];
    if let Some(effort) = asked.as_deref().filter(|effort| !EFFORTS.contains(effort)) {
        return Err(Error::usage(format!("unknown reasoning effort '{effort}'"))
            .with_help(format!("one of {}", EFFORTS.join(", "))));
    }
    let Some(known) = known else { return Ok(asked) };
    match (known.reasons, asked.as_deref()) {
        (Reasons::Never, Some(effort)) if effort != "off" => {
            let help = if known.name.ends_with("-instruct") {
                "its -thinking sibling, where there is one, does"
            } else {
                "leave --reasoning out"
            };
            Err(Error::usage(format!("{model} does not reason")).with_help(help))
        }
        (Reasons::Always, Some("off")) => {
            Err(Error::usage(format!("{model} cannot but reason")).with_help("its -instruct sibling does not"))
        }
        (Reasons::Always, None) => Ok(Some("on".to_owned())),
        (_, None) => Ok(Some("off".to_owned())),
        (_, Some(_)) => Ok(asked),
    }
}

fn reasoning_object(known: Option<&CatalogueModel>, effort: Option<&str>) -> Option<Value> {
    let reasons = known.map_or(Reasons::Asked, |known| known.reasons);
    match (reasons, effort?) {
        (Reasons::Never, _) => None,
        (Reasons::AtLeast(least), "off") => Some(json!({"effort": least})),
        (_, "off") => Some(json!({"enabled": false})),
        (_, "on") => Some(json!({"enabled": true})),
        (_, effort) => Some(json!({"effort": effort})),
    }
}

/// Where the user asks for it alone: efforts go by OpenAI's name, on and off by the chat template's (vLLM, SGLang,
/// llama.cpp).
fn plain_reasoning(options: &ModelOptions, fields: &mut Map<String, Value>) {
    match options.reasoning.as_deref().map(str::trim) {
        None => {}
        Some(effort @ ("off" | "none" | "false" | "on")) => {
            fields.insert("chat_template_kwargs".into(), json!({"enable_thinking": effort == "on"}));
        }
        Some(effort) => {
            fields.insert("reasoning_effort".into(), Value::from(effort.to_lowercase()));
        }
    }
}

fn provider(options: &ModelOptions) -> Value {
    // Without it a parameter that a provider does not support is dropped in silence.
    let mut provider = json!({"require_parameters": true});
    if let Some(name) = &options.provider {
        provider["order"] = json!([name]);
        provider["allow_fallbacks"] = json!(false);
    }
    provider
}

fn encoding(known: Option<&CatalogueModel>, options: &ModelOptions) -> Encoding {
    let limit = known.and_then(|known| known.max_side);
    let wanted =
        options.encoding.unwrap_or(Encoding { format: ImageFormat::Jpeg { quality: QUALITY }, max_side: None });
    let max_side = [wanted.max_side, limit].into_iter().flatten().min();
    Encoding { max_side, ..wanted }
}

fn encoding_name(encoding: &Encoding) -> String {
    let format = match encoding.format {
        ImageFormat::Jpeg { quality } => format!("jpeg q{quality}"),
        ImageFormat::Png => "png".to_owned(),
    };
    match encoding.max_side {
        Some(side) => format!("{format} max {side}"),
        None => format,
    }
}
