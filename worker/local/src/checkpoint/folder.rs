//! The folder of a checkpoint: which files it has, whether they are whole, where each tensor lies.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use super::files::read_json;
use super::safetensors::{Shard, TensorInfo};
use super::{Config, Generation, ImagePixels, VideoPixels, expected};
use crate::{Error, Result};

/// A checkpoint whose every part has been looked at; no weight has been read yet.
pub struct Checkpoint {
    /// The folder with the files, a hub cache already followed to its snapshot.
    pub folder: PathBuf,
    /// The architecture.
    pub config: Config,
    /// Stop tokens and the penalty of repetitions.
    pub generation: Generation,
    /// How frames become pixels.
    pub video: VideoPixels,
    /// How an image becomes pixels.
    pub image: ImagePixels,
    /// Where each tensor lies.
    pub tensors: BTreeMap<String, (Arc<Shard>, TensorInfo)>,
    /// What the user should know: defaults in place of an absent file, tensors that are not used.
    pub notes: Vec<String>,
}

impl Checkpoint {
    /// Looks at everything in a folder: configuration, index, the headers and lengths of the shards, the name and shape
    /// of every tensor.
    ///
    /// # Errors
    /// Names the first file or tensor that is missing, cut short, or not what the configuration says.
    pub fn open(folder: &Path) -> Result<Self> {
        let folder = resolve(folder)?;
        let config = Config::read(&folder)?;
        if folder.join("adapter_config.json").exists() {
            return Err(Error::setup(format!(
                "{}: adapter_config.json: an adapter is not applied here",
                folder.display()
            ))
            .with_help("merge it into the weights (merge_and_unload of PEFT) and save the whole model"));
        }
        let generation = Generation::read(&folder)?;
        let mut notes = Vec::new();
        let (video, image) = super::pixels::read(&folder, &config.vision, &mut notes)?;
        let mut tensors = BTreeMap::new();
        for path in shards(&folder)? {
            let shard = Arc::new(Shard::open(&path)?);
            for (name, info) in shard.tensors()? {
                if tensors.insert(name.clone(), (Arc::clone(&shard), info)).is_some() {
                    return Err(Error::setup(format!("{}: {name} stands in two shards", path.display())));
                }
            }
        }
        let mut checkpoint = Self { folder, config, generation, video, image, tensors, notes };
        checkpoint.check()?;
        checkpoint.note_unused();
        Ok(checkpoint)
    }

    /// Whether the head is the embedding: what counts is the files.
    pub fn is_tied(&self) -> bool {
        !self.tensors.contains_key("lm_head.weight")
    }

    /// Bytes of all weights as stored.
    pub fn bytes(&self) -> u64 {
        self.tensors.values().map(|(_, info)| info.range.len() as u64).sum()
    }

    /// Numbers in all weights.
    pub fn parameters(&self) -> u64 {
        self.tensors.values().map(|(_, info)| info.shape.iter().product::<i64>() as u64).sum()
    }

    fn check(&self) -> Result<()> {
        for (name, shape) in expected(&self.config) {
            if name == "lm_head.weight" && self.is_tied() {
                if !self.config.tied {
                    return Err(self.missing(&name));
                }
                continue;
            }
            let Some((shard, info)) = self.tensors.get(&name) else { return Err(self.missing(&name)) };
            if info.shape != shape {
                return Err(Error::setup(format!(
                    "{}: {name} has the shape {:?} where config.json makes it {shape:?}",
                    shard.path().display(),
                    info.shape
                )));
            }
        }
        Ok(())
    }

    fn note_unused(&mut self) {
        let known: BTreeSet<String> = expected(&self.config).into_iter().map(|(name, _)| name).collect();
        let mut unused = self.tensors.keys().filter(|name| !known.contains(*name) && !name.ends_with("inv_freq"));
        let Some(first) = unused.next().cloned() else { return };
        let more = match unused.count() {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        self.notes.push(format!("not used, being no part of the architecture: the tensor {first}{more}"));
    }

    fn missing(&self, name: &str) -> Error {
        Error::setup(format!("{}: the tensor {name} is in no file", self.folder.display()))
            .with_help("the download may be incomplete, or config.json belongs to another checkpoint")
    }
}

/// The folder itself, or the snapshot where `folder` is a model's folder in the cache of the hub.
///
/// # Errors
/// Where there is no such folder, or a cache without a snapshot.
pub fn resolve(folder: &Path) -> Result<PathBuf> {
    roborm_wire::local::resolve(folder).map_err(|[message, help]| Error::setup(message).with_help(help))
}

/// The safetensors files, by the index where there is one.
fn shards(folder: &Path) -> Result<Vec<PathBuf>> {
    let index = folder.join("model.safetensors.index.json");
    if !index.exists() {
        let single = folder.join("model.safetensors");
        if single.exists() {
            return Ok(vec![single]);
        }
        return Err(Error::setup(format!(
            "{}: no weights (neither model.safetensors nor model.safetensors.index.json)",
            folder.display()
        ))
        .with_help("weights in other formats (.bin, .gguf) cannot be read; convert them with save_pretrained"));
    }
    let value = read_json(&index)?;
    let map = value["weight_map"]
        .as_object()
        .ok_or_else(|| Error::setup(format!("{}: weight_map is missing", index.display())))?;
    let mut names = BTreeSet::new();
    for (tensor, file) in map {
        let name = file.as_str().unwrap_or_default();
        // The index comes from elsewhere: it may not reach outside the folder.
        if name.is_empty() || Path::new(name).file_name() != Some(name.as_ref()) {
            return Err(Error::setup(format!("{}: {tensor} is said to be in {file}, no file name", index.display())));
        }
        names.insert(name);
    }
    // First whether all are there: of a download that broke off, that is what is to be said.
    if let Some(missing) = names.iter().map(|name| folder.join(name)).find(|path| !path.exists()) {
        return Err(Error::setup(format!("{}: the shard is missing", missing.display()))
            .with_help("the index names it; the download may be incomplete"));
    }
    let mut paths = Vec::new();
    for name in names {
        let path = folder.join(name);
        let held: BTreeSet<String> = Shard::open(&path)?.tensors()?.into_iter().map(|(name, _)| name).collect();
        let lacking = map.iter().find(|(tensor, file)| file.as_str() == Some(name) && !held.contains(*tensor));
        if let Some((tensor, _)) = lacking {
            return Err(Error::setup(format!("{}: {tensor} is not in it, though the index says so", path.display()))
                .with_help("the index and the shards are of different checkpoints, or the download is incomplete"));
        }
        // What the index gives to another file, or to none, may be a leftover of another checkpoint.
        let unnamed = held.iter().find(|tensor| map.get(*tensor).and_then(Value::as_str) != Some(name));
        if let Some(tensor) = unnamed {
            return Err(Error::setup(format!("{}: {tensor} is in it, and the index does not say so", path.display()))
                .with_help("the index and the shards are of different checkpoints: fetch both again"));
        }
        paths.push(path);
    }
    Ok(paths)
}
