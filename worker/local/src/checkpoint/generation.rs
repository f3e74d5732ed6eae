//! `generation_config.json`: what of it matters to greedy decoding.

use std::path::Path;

use serde_json::{Value, json};

use super::config::Fields;
use super::folder::{read_json, read_json_if_any};
use crate::Result;

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
    /// Where a file is damaged.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join("generation_config.json");
        let generation = read_json_if_any(&path)?.unwrap_or_default();
        if let Value::Object(fields) = &generation {
            let known = Fields::new(&generation, "")?;
            for (name, neutral) in neutral() {
                // An empty list asks for nothing.
                if fields.get(name).and_then(Value::as_array).is_some_and(Vec::is_empty) {
                    continue;
                }
                known.only(name, &neutral).map_err(|error| error.at(&path.display().to_string()))?;
            }
        }
        let config = read_json(&folder.join("config.json"))?;
        let stop = [&generation["eos_token_id"], &config["eos_token_id"], &config["text_config"]["eos_token_id"]]
            .into_iter()
            .find_map(ids)
            .unwrap_or_else(|| vec![151_645, 151_643]);
        let repetition_penalty =
            generation["repetition_penalty"].as_f64().filter(|&penalty| penalty > 0.0).unwrap_or(1.0);
        Ok(Self { stop, repetition_penalty })
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

/// One id, or a list of them.
fn ids(value: &Value) -> Option<Vec<i64>> {
    match value {
        Value::Array(items) => {
            items.iter().map(Value::as_i64).collect::<Option<Vec<_>>>().filter(|ids| !ids.is_empty())
        }
        other => other.as_i64().map(|id| vec![id]),
    }
}
