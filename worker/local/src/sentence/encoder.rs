//! The encoder, in the order of `modeling_bert.py`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tch::{Device, Kind, Tensor};

use super::{SentenceConfig, WordPieces};
use crate::checkpoint::{Shard, TensorInfo, resolve};
use crate::engine::guarded;
use crate::model::{LayerNorm, Linear, Weights};
use crate::{Error, Result};

/// Sentences in one pass through the encoder, at most.
const BATCH: usize = 64;

/// A loaded encoder, in 32-bit floats on the CPU: it has twenty million weights.
pub struct SentenceModel {
    config: SentenceConfig,
    words: WordPieces,
    embedding: Tensor,
    /// Of positions, that of the first sentence of a pair added.
    places: Tensor,
    norm: LayerNorm,
    layers: Vec<Layer>,
    /// Tensors point into these.
    _mapped: Vec<Arc<Shard>>,
}

struct Layer {
    query: Linear,
    key: Linear,
    value: Linear,
    attended: Linear,
    attended_norm: LayerNorm,
    wide: Linear,
    narrow: Linear,
    norm: LayerNorm,
}

impl SentenceModel {
    /// Loads the encoder of a folder.
    ///
    /// # Errors
    /// Where it is none, or not whole.
    pub fn load(folder: &Path) -> Result<Self> {
        let folder = resolve(folder)?;
        let config = SentenceConfig::read(&folder)?;
        let words = WordPieces::read(&folder)?;
        if words.largest() >= config.vocab {
            return Err(Error::setup(format!(
                "{}: tokenizer.json has ids up to {}, and the embedding has {} rows",
                folder.display(),
                words.largest(),
                config.vocab
            )));
        }
        let tensors = tensors(&folder, &config)?;
        guarded(|| {
            let alive: crate::model::Alive = &mut |_| {};
            let mut weights = Weights::new(&tensors, Device::Cpu, Kind::Float, alive);
            let embedding = weights.tensor("embeddings.word_embeddings.weight")?;
            let places = weights.tensor("embeddings.position_embeddings.weight")?;
            let places = places + weights.tensor("embeddings.token_type_embeddings.weight")?.get(0);
            let norm = weights.layer_norm("embeddings.LayerNorm", config.norm_eps)?;
            let layers = (0..config.layers).map(|layer| Layer::load(&config, &mut weights, layer));
            let layers = layers.collect::<Result<Vec<_>>>()?;
            Ok(Self { norm, layers, embedding, places, words, _mapped: weights.into_mapped(), config })
        })
    }

    /// The architecture.
    pub fn config(&self) -> &SentenceConfig {
        &self.config
    }

    /// The vectors of sentences, each of length 1.
    ///
    /// # Errors
    /// Where the memory does not suffice.
    pub fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>> {
        // Sentences of one length go together: no padding, no mask, and what a sentence becomes does not depend on the
        // others.
        let mut by_length: BTreeMap<usize, Vec<(usize, Vec<i64>)>> = BTreeMap::new();
        for (index, text) in texts.iter().enumerate() {
            let ids = self.words.encode(text, self.config.longest);
            by_length.entry(ids.len()).or_default().push((index, ids));
        }
        let mut vectors = vec![Vec::new(); texts.len()];
        for alike in by_length.values().flat_map(|alike| alike.chunks(BATCH)) {
            let rows = guarded(|| self.forward(alike))?;
            for ((index, _), row) in alike.iter().zip(rows) {
                vectors[*index] = row;
            }
        }
        Ok(vectors)
    }

    fn forward(&self, alike: &[(usize, Vec<i64>)]) -> Result<Vec<Vec<f32>>> {
        let length = alike.first().map_or(0, |(_, ids)| ids.len()) as i64;
        let ids: Vec<i64> = alike.iter().flat_map(|(_, ids)| ids.iter().copied()).collect();
        let rows = self.embedding.index_select(0, &Tensor::from_slice(&ids));
        let rows = rows.view([-1, length, self.config.hidden]) + self.places.narrow(0, 0, length);
        let rows = self.layers.iter().fold(self.norm.forward(&rows), |rows, layer| layer.forward(&rows, &self.config));
        let mean = rows.mean_dim(1, false, Kind::Float);
        let norm = mean.square().sum_dim_intlist(1, true, Kind::Float).sqrt().clamp_min(1e-12);
        let rows = (mean / norm).unbind(0).into_iter();
        let read = |row| Vec::<f32>::try_from(row).map_err(|error| Error::internal(format!("libtorch: {error}")));
        rows.map(read).collect()
    }
}

impl Layer {
    fn load(config: &SentenceConfig, weights: &mut Weights, layer: i64) -> Result<Self> {
        let at = |name: &str| format!("encoder.layer.{layer}.{name}");
        Ok(Self {
            query: weights.linear(&at("attention.self.query"), true)?,
            key: weights.linear(&at("attention.self.key"), true)?,
            value: weights.linear(&at("attention.self.value"), true)?,
            attended: weights.linear(&at("attention.output.dense"), true)?,
            attended_norm: weights.layer_norm(&at("attention.output.LayerNorm"), config.norm_eps)?,
            wide: weights.linear(&at("intermediate.dense"), true)?,
            narrow: weights.linear(&at("output.dense"), true)?,
            norm: weights.layer_norm(&at("output.LayerNorm"), config.norm_eps)?,
        })
    }

    fn forward(&self, rows: &Tensor, config: &SentenceConfig) -> Tensor {
        let size = rows.size();
        let heads = |x: Tensor| x.view([size[0], size[1], config.heads, -1]).transpose(1, 2);
        let (query, key, value) =
            (heads(self.query.forward(rows)), heads(self.key.forward(rows)), heads(self.value.forward(rows)));
        let seen = Tensor::scaled_dot_product_attention(&query, &key, &value, None::<&Tensor>, 0.0, false, None, false);
        let seen = seen.transpose(1, 2).reshape(&size);
        let rows = self.attended_norm.forward(&(self.attended.forward(&seen) + rows));
        let wide = self.wide.forward(&rows).gelu("none");
        self.norm.forward(&(self.narrow.forward(&wide) + rows))
    }
}

/// Where each tensor lies, all that are expected found and of their shapes. A head or a pooler beside them is not used.
fn tensors(folder: &Path, config: &SentenceConfig) -> Result<BTreeMap<String, (Arc<Shard>, TensorInfo)>> {
    let path: PathBuf = folder.join("model.safetensors");
    let shard = Arc::new(Shard::open(&path)?);
    let mut tensors = BTreeMap::new();
    for (name, info) in shard.tensors()? {
        // Saved from a model with a head, all names have that before them.
        let name = name.strip_prefix("bert.").map(str::to_owned).unwrap_or(name);
        tensors.insert(name, (Arc::clone(&shard), info));
    }
    for (name, shape) in config.expected() {
        match tensors.get(&name) {
            Some((_, info)) if info.shape == shape => {}
            Some((_, info)) => {
                return Err(Error::setup(format!(
                    "{}: {name} has the shape {:?} where config.json makes it {shape:?}",
                    path.display(),
                    info.shape
                )));
            }
            None => {
                return Err(Error::setup(format!("{}: the tensor {name} is missing", path.display()))
                    .with_help("the file is of another model than config.json"));
            }
        }
    }
    Ok(tensors)
}
