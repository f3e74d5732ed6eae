//! Text to the pieces of words that BERT knows, as its `tokenizer.json` says.

use std::collections::HashMap;
use std::path::Path;

use regex::Regex;
use roborm_wire::no_json;
use serde::Deserialize;
use serde_json::Value;
use unicode_normalization::UnicodeNormalization;

use crate::checkpoint::{AGAIN, read_text};
use crate::{Error, Result};

/// A WordPiece tokenizer.
pub struct WordPieces {
    vocab: HashMap<String, i64>,
    /// Put before a piece inside a word.
    inside: String,
    unknown: i64,
    /// The marks around a sentence.
    marks: [i64; 2],
    /// Words of more characters are unknown as a whole.
    longest_word: usize,
    normal: Normal,
    /// Control, format and private characters.
    other: Regex,
    /// Marks above and below letters.
    accents: Regex,
    punctuation: Regex,
    /// Tokens that are matched literally, before anything else is done to the text.
    specials: Vec<(String, i64)>,
}

/// What is done to a text before it is split.
#[derive(Deserialize)]
struct Normal {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default = "yes")]
    clean_text: bool,
    #[serde(default = "yes")]
    handle_chinese_chars: bool,
    /// None goes with `lowercase`.
    #[serde(default)]
    strip_accents: Option<bool>,
    #[serde(default = "yes")]
    lowercase: bool,
}

fn yes() -> bool {
    true
}

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    added_tokens: Vec<Added>,
    normalizer: Normal,
    #[serde(default)]
    pre_tokenizer: Value,
    model: Model,
}

#[derive(Deserialize)]
struct Added {
    id: i64,
    content: String,
}

#[derive(Deserialize)]
struct Model {
    unk_token: String,
    #[serde(default = "hashes")]
    continuing_subword_prefix: String,
    #[serde(default = "hundred")]
    max_input_chars_per_word: usize,
    vocab: HashMap<String, i64>,
}

fn hashes() -> String {
    "##".into()
}

fn hundred() -> usize {
    100
}

impl WordPieces {
    /// Reads `tokenizer.json` of a folder.
    ///
    /// # Errors
    /// Where it is missing, damaged, or asks for what is not known here.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join("tokenizer.json");
        Self::parse(&read_text(&path)?).map_err(|error| error.at(&path.display().to_string()))
    }

    fn parse(text: &str) -> Result<Self> {
        let damaged = |error: serde_json::Error| {
            Error::setup(format!("damaged, or no tokenizer: {}", no_json(&error))).with_help(AGAIN)
        };
        let unknown = |what: &str| {
            Error::setup(format!("{what} is not known here")).with_help("the WordPiece tokenizer of BERT is")
        };
        let whole: Value = serde_json::from_str(text).map_err(damaged)?;
        let kind = whole["model"]["type"].as_str().unwrap_or("WordPiece");
        if kind != "WordPiece" {
            return Err(unknown(&format!("the tokenizer model {kind}")));
        }
        let file: File = File::deserialize(whole).map_err(damaged)?;
        if file.normalizer.kind != "BertNormalizer" {
            return Err(unknown(&format!("the normalizer {}", file.normalizer.kind)));
        }
        if file.pre_tokenizer["type"] != "BertPreTokenizer" {
            return Err(unknown("this pre_tokenizer"));
        }
        let vocab = file.model.vocab;
        let id = |token: &str| {
            vocab.get(token).copied().ok_or_else(|| Error::setup(format!("'{token}' is not in the vocabulary")))
        };
        let (unknown, marks) = (id(&file.model.unk_token)?, [id("[CLS]")?, id("[SEP]")?]);
        let rule = |pattern: &str| {
            Regex::new(pattern).map_err(|error| Error::internal(format!("the rule {pattern}: {error}")))
        };
        Ok(Self {
            unknown,
            marks,
            inside: file.model.continuing_subword_prefix,
            longest_word: file.model.max_input_chars_per_word,
            normal: file.normalizer,
            other: rule(r"[\p{Cc}\p{Cf}\p{Co}]")?,
            accents: rule(r"\p{Mn}")?,
            punctuation: rule(r"[\p{P}!-/:-@\[-`{-~]")?,
            specials: file.added_tokens.into_iter().map(|added| (added.content, added.id)).collect(),
            vocab,
        })
    }

    /// The largest id there is.
    pub fn largest(&self) -> i64 {
        self.vocab.values().copied().max().unwrap_or(0)
    }

    /// The ids of a sentence between its two marks, `longest` at most.
    pub fn encode(&self, text: &str, longest: usize) -> Vec<i64> {
        let mut ids = vec![self.marks[0]];
        let mut rest = text;
        while let Some((start, special, id)) = self.next_special(rest) {
            self.encode_plain(&rest[..start], &mut ids);
            ids.push(id);
            rest = &rest[start + special..];
        }
        self.encode_plain(rest, &mut ids);
        ids.truncate(longest.saturating_sub(1));
        ids.push(self.marks[1]);
        ids
    }

    /// Where the next special token starts, its length and its id.
    fn next_special(&self, text: &str) -> Option<(usize, usize, i64)> {
        let found = self.specials.iter().filter(|(special, _)| !special.is_empty());
        let found = found.filter_map(|(special, id)| Some((text.find(special.as_str())?, special.len(), *id)));
        found.min_by_key(|&(start, length, _)| (start, usize::MAX - length))
    }

    fn encode_plain(&self, text: &str, ids: &mut Vec<i64>) {
        let normal = self.normal(text);
        for word in normal.split_whitespace() {
            let mut done = 0;
            for mark in self.punctuation.find_iter(word) {
                self.encode_word(&word[done..mark.start()], ids);
                self.encode_word(mark.as_str(), ids);
                done = mark.end();
            }
            self.encode_word(&word[done..], ids);
        }
    }

    fn normal(&self, text: &str) -> String {
        let mut text = text.to_owned();
        if self.normal.clean_text {
            let clean = |c: char| match c {
                '\0' | '\u{FFFD}' => None,
                '\t' | '\n' | '\r' => Some(' '),
                c if self.other.is_match(c.encode_utf8(&mut [0; 4])) => None,
                c if c.is_whitespace() => Some(' '),
                c => Some(c),
            };
            text = text.chars().filter_map(clean).collect();
        }
        if self.normal.handle_chinese_chars {
            let apart = |c: char| if is_chinese(c) { [Some(' '), Some(c), Some(' ')] } else { [Some(c), None, None] };
            text = text.chars().flat_map(apart).flatten().collect();
        }
        if self.normal.strip_accents.unwrap_or(self.normal.lowercase) {
            let apart: String = text.nfd().collect();
            text = self.accents.replace_all(&apart, "").into_owned();
        }
        if self.normal.lowercase {
            // Character by character: a Greek sigma at the end of a word stays the one of its middle.
            text = text.chars().flat_map(char::to_lowercase).collect();
        }
        text
    }

    /// The longest piece that is known at each place; a word that has a place without any is unknown as a whole.
    fn encode_word(&self, word: &str, ids: &mut Vec<i64>) {
        if word.is_empty() {
            return;
        }
        if word.chars().count() > self.longest_word {
            ids.push(self.unknown);
            return;
        }
        let start_of_word = ids.len();
        let mut start = 0;
        while start < word.len() {
            let prefix = if start == 0 { "" } else { self.inside.as_str() };
            let ends = word[start..].char_indices().rev().map(|(at, c)| start + at + c.len_utf8());
            let known = |end: usize| Some((end, *self.vocab.get(&[prefix, &word[start..end]].concat())?));
            let Some((end, id)) = ends.into_iter().find_map(known) else {
                ids.truncate(start_of_word);
                ids.push(self.unknown);
                return;
            };
            ids.push(id);
            start = end;
        }
    }
}

/// The blocks that BERT takes for ideographs, each a word of its own; its own list, gaps included.
fn is_chinese(c: char) -> bool {
    matches!(u32::from(c),
        0x4E00..=0x9FFF | 0x3400..=0x4DBF | 0x20000..=0x2A6DF | 0x2A700..=0x2B73F | 0x2B740..=0x2B81F
        | 0x2B920..=0x2CEAF | 0xF900..=0xFAFF | 0x2F800..=0x2FA1F)
}
