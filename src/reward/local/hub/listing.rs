//! What the hub says of a model's files.

use serde_json::Value;

use super::HubModel;
use super::checksum::Checksum;
use crate::reward::local::digest::counts;
use crate::{Error, Result};

/// A commit of a model, and those of its files that a checkpoint is made of.
#[derive(Debug)]
pub(super) struct Listing {
    /// Forty hex digits.
    pub(super) commit: String,
    pub(super) files: Vec<Listed>,
}

/// A file.
#[derive(Debug)]
pub(super) struct Listed {
    pub(super) name: String,
    /// Bytes.
    pub(super) size: u64,
    pub(super) checksum: Checksum,
}

impl Listing {
    /// From what the hub answers about a revision, `blobs=true`.
    ///
    /// # Errors
    /// Where that is not what the hub says, or the files are no checkpoint that can be run.
    pub(super) fn read(model: &HubModel, answer: &Value) -> Result<Self> {
        let strange = || Error::service(format!("{model}: the hub's answer is not understood"));
        let hex = |value: &Value, length: usize| {
            value
                .as_str()
                .filter(|text| text.len() == length && text.bytes().all(|b| b.is_ascii_hexdigit()))
                .map(str::to_lowercase)
        };
        let commit = hex(&answer["sha"], 40).ok_or_else(strange)?;
        let mut files = Vec::new();
        for file in answer["siblings"].as_array().ok_or_else(strange)? {
            // Only files of the folder itself, so that none of their names can lead out of it.
            let name = file["rfilename"].as_str().ok_or_else(strange)?;
            if !counts(name) || name.contains(['/', '\\']) {
                continue;
            }
            let checksum = match hex(&file["lfs"]["sha256"], 64) {
                Some(sha256) => Checksum::Sha256(sha256),
                None => Checksum::Git(hex(&file["blobId"], 40).ok_or_else(strange)?),
            };
            files.push(Listed { name: name.to_owned(), size: file["size"].as_u64().ok_or_else(strange)?, checksum });
        }
        let has = |what: &dyn Fn(&str) -> bool| files.iter().any(|file| what(&file.name));
        for (there, what) in [
            (has(&|name| name == "config.json"), "config.json"),
            (has(&|name| name == "tokenizer.json"), "tokenizer.json"),
            (has(&|name| name.ends_with(".safetensors")), "weights in safetensors files"),
        ] {
            if !there {
                return Err(Error::input(format!("{model} has no {what}"))
                    .with_help("only whole Qwen3-VL checkpoints can be run here; others behind a server: --base-url"));
            }
        }
        // The small ones first: what is wrong with them is known early.
        files.sort_by_key(|file| file.size);
        Ok(Self { commit, files })
    }

    /// Bytes of all files.
    pub(super) fn size(&self) -> u64 {
        self.files.iter().map(|file| file.size).sum()
    }
}
