//! `generation_config.json`: what of it matters to greedy decoding.

use std::path::Path;

use serde_json::{Value, json};

use super::fields::Fields;
use super::files::{read_json, read_json_if_any};
use crate::{Error, Result};

/// Stop tokens and the penalty of repetitions. Temperature, top-p and top-k do nothing in greedy decoding.
#[derive(Clone, Debug, PartialEq)]
pub struct Generation {
    /// Tokens that end an answer.
    pub stop: Vec<i64>,
    /// Divides the positive and multiplies the negative logits of tokens that came before; 1 is none.
    pub repetition_penalty: f64,
}

impl Generation {
    /// Reads `generation_config.json`; where it is absent or names no stop token, those of `config.json` count, and
    /// at last Qwen's own (`<|im_end|>`, `<|endoftext|>`).
    ///
    /// # Errors
    /// Where a file is damaged, or asks for what is not computed here.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join("generation_config.json");
        let generation = read_json_if_any(&path)?.unwrap_or_else(|| Value::Object(Default::default()));
        let at = |error: Error| error.at(&path.display().to_string());
        let fields = Fields::new(&generation, "").map_err(at)?;
        for (name, neutral) in neutral() {
            // An empty list asks for nothing.
            if generation[name].as_array().is_some_and(Vec::is_empty) {
                continue;
            }
            fields.only(name, &neutral).map_err(at)?;
        }
        let penalty = fields.number_or_null("repetition_penalty").map_err(at)?;
        if let Some(impossible) = penalty.filter(|&penalty| penalty <= 0.0) {
            return Err(at(Error::setup(format!("repetition_penalty is {impossible:?}, not above 0"))));
        }
        let stop = match fields.ids("eos_token_id").map_err(at)? {
            Some(stop) => Some(stop),
            None => configured(folder)?,
        };
        Ok(Self { stop: stop.unwrap_or_else(|| vec![151_645, 151_643]), repetition_penalty: penalty.unwrap_or(1.0) })
    }
}

/// Settings that would change a greedy answer, with the value that does nothing: any other is refused.
fn neutral() -> [(&'static str, Value); 13] {
    [
        ("num_beams", json!(1)),
        ("no_repeat_ngram_size", json!(0)),
        ("encoder_repetition_penalty", json!(1.0)),
        ("encoder_no_repeat_ngram_size", json!(0)),
        ("min_length", json!(0)),
        ("min_new_tokens", json!(0)),
        ("guidance_scale", json!(1.0)),
        ("bad_words_ids", Value::Null),
        ("suppress_tokens", Value::Null),
        ("begin_suppress_tokens", Value::Null),
        ("forced_bos_token_id", Value::Null),
        ("forced_eos_token_id", Value::Null),
        ("sequence_bias", Value::Null),
    ]
}

/// The stop tokens of `config.json`.
fn configured(folder: &Path) -> Result<Option<Vec<i64>>> {
    let path = folder.join("config.json");
    let config = read_json(&path)?;
    let at = |error: Error| error.at(&path.display().to_string());
    let top = Fields::new(&config, "").map_err(at)?;
    let text = top.child("text_config").map_err(at)?;
    let below = text.map_or(Ok(None), |text| text.ids("eos_token_id")).map_err(at)?;
    Ok(top.ids("eos_token_id").map_err(at)?.or(below))
}
