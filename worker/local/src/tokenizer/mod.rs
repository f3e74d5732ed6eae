//! Text to token ids and back, as `tokenizer.json` of the Qwen family says: special tokens are cut out, the rest is brought
//! to its normal form, split by a rule, and each piece merged byte pair by byte pair.
//!
//! Only what these checkpoints use is known here; a file that asks for anything else is refused with its name, so that
//! ids are never silently wrong.

mod bytes;
mod file;
mod merge;
mod split;

use std::path::Path;

use unicode_normalization::UnicodeNormalization;

use crate::checkpoint::read_text;
use crate::{Error, Result};
use file::Special;
use merge::Merges;
use split::Split;

/// A byte-level BPE tokenizer.
pub struct Tokenizer {
    /// The bytes of each id; none where an id is in no list.
    pieces: Vec<Option<Vec<u8>>>,
    merges: Merges,
    split: Split,
    normal_form: bool,
    /// Longest first, so that the first that matches at a place is the longest.
    specials: Vec<Special>,
}

impl Tokenizer {
    /// Reads `tokenizer.json` of a folder.
    ///
    /// # Errors
    /// Where it is missing, damaged, or asks for what is not known here.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join("tokenizer.json");
        if !path.exists() {
            return Err(Error::setup(format!("{}: no tokenizer (tokenizer.json is missing)", folder.display()))
                .with_help("copy tokenizer.json from the base model's folder; a fine-tune keeps its tokenizer"));
        }
        Self::parse(&read_text(&path)?).map_err(|error| error.at(&path.display().to_string()))
    }

    /// From the text of a `tokenizer.json`.
    ///
    /// # Errors
    /// Where it is damaged, or asks for what is not known here.
    pub fn parse(text: &str) -> Result<Self> {
        file::parse(text)
    }

    /// The ids of a text; special tokens in it are taken as such.
    pub fn encode(&self, text: &str) -> Vec<i64> {
        let mut ids = Vec::new();
        let mut rest = text;
        while let Some((start, special)) = self.next_special(rest) {
            self.encode_plain(&rest[..start], &mut ids);
            ids.push(special.id);
            rest = &rest[start + special.text.len()..];
        }
        self.encode_plain(rest, &mut ids);
        ids
    }

    /// The text of ids. Bytes that are no UTF-8 become the replacement character, as everywhere.
    pub fn decode(&self, ids: &[i64], skip_special: bool) -> String {
        let mut bytes = Vec::new();
        for &id in ids {
            if let Some(special) = self.specials.iter().find(|special| special.id == id) {
                if !(special.skipped && skip_special) {
                    bytes.extend_from_slice(special.text.as_bytes());
                }
            } else if let Some(Some(piece)) = usize::try_from(id).ok().and_then(|id| self.pieces.get(id)) {
                bytes.extend_from_slice(piece);
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The id of a special token by its text.
    pub fn special(&self, text: &str) -> Option<i64> {
        self.specials.iter().find(|special| special.text == text).map(|special| special.id)
    }

    /// The id of the one token that a text is, where it is one.
    pub fn single(&self, text: &str) -> Option<i64> {
        match self.encode(text)[..] {
            [id] => Some(id),
            _ => None,
        }
    }

    /// The largest id there is.
    pub fn largest(&self) -> i64 {
        let special = self.specials.iter().map(|special| special.id).max().unwrap_or(0);
        special.max(self.pieces.len() as i64 - 1)
    }

    fn next_special<'a>(&'a self, text: &str) -> Option<(usize, &'a Special)> {
        // Qwen's all begin so; a search for that one byte keeps long texts cheap.
        let first = |special: &Special| special.text.as_bytes().first().copied();
        (0..text.len()).find_map(|start| {
            let byte = text.as_bytes()[start];
            let here = |special: &&Special| {
                first(special) == Some(byte) && text.as_bytes()[start..].starts_with(special.text.as_bytes())
            };
            self.specials.iter().find(here).map(|special| (start, special))
        })
    }

    fn encode_plain(&self, text: &str, ids: &mut Vec<i64>) {
        if text.is_empty() {
            return;
        }
        let normal;
        let text = if self.normal_form {
            normal = text.nfc().collect::<String>();
            &normal
        } else {
            text
        };
        for piece in self.split.pieces(text) {
            self.merges.encode(piece.as_bytes(), ids);
        }
    }
}
