//! `tokenizer.json`.

use std::collections::HashMap;

use roborm_wire::no_json;
use serde::Deserialize;
use serde_json::Value;

use super::merge::Merges;
use super::split::Split;
use super::{Tokenizer, bytes};
use crate::checkpoint::AGAIN;
use crate::{Error, Result};

/// A token that is matched literally, before anything else is done to the text.
pub(super) struct Special {
    pub(super) text: String,
    pub(super) id: i64,
    /// Left out where special tokens are to be skipped.
    pub(super) skipped: bool,
}

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    added_tokens: Vec<Added>,
    #[serde(default)]
    normalizer: Value,
    #[serde(default)]
    pre_tokenizer: Value,
    model: Model,
}

#[derive(Deserialize)]
struct Added {
    id: u32,
    content: String,
    #[serde(default)]
    special: bool,
    #[serde(default)]
    lstrip: bool,
    #[serde(default)]
    rstrip: bool,
    #[serde(default)]
    single_word: bool,
}

#[derive(Deserialize)]
struct Kind {
    model: KindOf,
}

#[derive(Deserialize)]
struct KindOf {
    #[serde(rename = "type", default)]
    kind: Option<String>,
}

#[derive(Deserialize)]
struct Model {
    vocab: Option<HashMap<String, u32>>,
    merges: Option<Vec<Pair>>,
    #[serde(default)]
    ignore_merges: bool,
    #[serde(default)]
    byte_fallback: bool,
    #[serde(default)]
    continuing_subword_prefix: Option<String>,
    #[serde(default)]
    end_of_word_suffix: Option<String>,
    #[serde(default)]
    dropout: Option<f64>,
}

/// Older files have `"a b"`, newer ones `["a", "b"]`.
#[derive(Deserialize)]
#[serde(untagged)]
enum Pair {
    Apart(String, String),
    Joined(String),
}

pub(super) fn parse(text: &str) -> Result<Tokenizer> {
    // The kind first: the vocabulary of another is of another shape.
    let damaged = |error: serde_json::Error| {
        Error::setup(format!("damaged, or no tokenizer: {}", no_json(&error))).with_help(AGAIN)
    };
    let Kind { model: KindOf { kind } } = serde_json::from_str(text).map_err(damaged)?;
    let unknown = |what: &str| {
        Error::setup(format!("{what} is not known here"))
            .with_help("Qwen's byte-level BPE is; run the checkpoint behind a server instead: --base-url")
    };
    if let Some(kind) = kind.filter(|kind| kind != "BPE") {
        return Err(unknown(&format!("the tokenizer model {kind}")));
    }
    let file: File = serde_json::from_str(text).map_err(damaged)?;
    let model = &file.model;
    if model.byte_fallback || model.dropout.is_some() {
        return Err(unknown("a BPE with dropout, or with tokens for single bytes,"));
    }
    let (Some(vocab), Some(merges)) = (&model.vocab, &model.merges) else {
        let missing = if model.vocab.is_none() { "vocab" } else { "merges" };
        return Err(Error::setup(format!("model.{missing} is missing"))
            .with_help("the file is cut short or of another kind: copy tokenizer.json from the base model's folder"));
    };
    let filled = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.is_empty());
    if filled(&model.continuing_subword_prefix) || filled(&model.end_of_word_suffix) {
        return Err(unknown("a mark inside or at the end of words"));
    }
    let normal_form = match file.normalizer["type"].as_str() {
        Some("NFC") => true,
        None if file.normalizer.is_null() => false,
        other => return Err(unknown(&format!("the normalizer {}", other.unwrap_or("of this file")))),
    };
    let split = Split::new(&splitting_rule(&file.pre_tokenizer).ok_or_else(|| unknown("this pre_tokenizer"))?)?;

    let characters = bytes::characters();
    let size = vocab.values().max().map_or(0, |&id| id as usize + 1);
    if size > 1 << 24 {
        return Err(Error::setup(format!("an id of {} is impossible", size - 1)));
    }
    let mut pieces = vec![None; size];
    for (word, &id) in vocab {
        // A word outside the alphabet of bytes can be an added token that also stands in the vocabulary.
        pieces[id as usize] = Some(bytes::bytes(word, &characters).unwrap_or_else(|| word.as_bytes().to_vec()));
    }
    let id = |word: &str| {
        vocab.get(word).copied().ok_or_else(|| Error::setup(format!("'{word}' is merged but in no vocabulary")))
    };
    let mut byte_ids = [0; 256];
    for (byte, character) in characters.iter().enumerate() {
        byte_ids[byte] = id(&character.to_string())?;
    }
    let mut pairs = HashMap::with_capacity(merges.len());
    for (rank, pair) in merges.iter().enumerate() {
        let (left, right) = match pair {
            Pair::Apart(left, right) => (left.as_str(), right.as_str()),
            Pair::Joined(both) => {
                both.split_once(' ').ok_or_else(|| Error::setup(format!("the merge '{both}' has no two parts")))?
            }
        };
        pairs.insert((id(left)?, id(right)?), (rank as u32, id(&[left, right].concat())?));
    }
    let whole = model.ignore_merges.then(|| {
        let known = pieces.iter().enumerate();
        known.filter_map(|(id, piece)| Some((piece.clone()?, id as u32))).collect()
    });

    let mut specials = Vec::new();
    for added in file.added_tokens {
        if added.lstrip || added.rstrip || added.single_word {
            return Err(unknown(&format!("the added token {} with stripping", added.content)));
        }
        if !added.content.is_empty() {
            specials.push(Special { text: added.content, id: i64::from(added.id), skipped: added.special });
        }
    }
    specials.sort_by_key(|special| std::cmp::Reverse(special.text.len()));
    Ok(Tokenizer { pieces, merges: Merges { pairs, bytes: byte_ids, whole }, split, normal_form, specials })
}

/// The rule of `Sequence[Split(Regex, Isolated), ByteLevel(use_regex: false)]`.
fn splitting_rule(value: &Value) -> Option<String> {
    let steps = value["pretokenizers"].as_array()?;
    let [split, level] = steps.as_slice() else { return None };
    let plain = split["type"] == "Split" && split["behavior"] == "Isolated" && split["invert"] != true;
    let level = level["type"] == "ByteLevel" && level["use_regex"] == false && level["add_prefix_space"] != true;
    if plain && level { split["pattern"]["Regex"].as_str().map(str::to_owned) } else { None }
}
