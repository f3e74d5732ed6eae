//! What lies in a folder of sentence-transformers.

use std::path::Path;

use serde_json::{Value, json};

use crate::checkpoint::{Fields, read_json, read_json_if_any};
use crate::{Error, Result};

/// The architecture of an encoder.
#[derive(Clone, Debug, PartialEq)]
pub struct SentenceConfig {
    /// Rows of the embedding.
    pub vocab: i64,
    /// Width of the residual stream, and of a sentence's vector.
    pub hidden: i64,
    /// Width inside the MLP.
    pub intermediate: i64,
    /// Layers.
    pub layers: i64,
    /// Heads.
    pub heads: i64,
    /// Rows of the embedding of positions.
    pub positions: i64,
    /// Rows of the embedding of the two sentences of a pair.
    pub types: i64,
    /// Added under the root of every layer norm.
    pub norm_eps: f64,
    /// Tokens of a sentence at most, the two marks around it included; what is beyond is not looked at.
    pub longest: usize,
}

impl SentenceConfig {
    /// Reads the configuration of a folder.
    ///
    /// # Errors
    /// Where there is none, it is of another make, or its sentences are not the mean of their tokens.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join("config.json");
        if !path.exists() {
            return Err(Error::setup(format!("{}: no model of sentences (there is no config.json)", folder.display()))
                .with_help(MEANT));
        }
        let value = read_json(&path)?;
        let config = Self::parse(&value).map_err(|error| error.at(&path.display().to_string()))?;
        let limit = folder.join("sentence_bert_config.json");
        let longest = match read_json_if_any(&limit)? {
            Some(value) => Fields::new(&value, "")
                .and_then(|fields| fields.positive_or("max_seq_length", config.positions))
                .map_err(|error| error.at(&limit.display().to_string()))?,
            None => config.positions,
        };
        if !(3..=config.positions).contains(&longest) {
            return Err(Error::setup(format!(
                "{}: max_seq_length is {longest}, and the model has {} positions",
                limit.display(),
                config.positions
            )));
        }
        check_modules(folder)?;
        Ok(Self { longest: usize::try_from(longest).unwrap_or(usize::MAX), ..config })
    }

    fn parse(value: &Value) -> Result<Self> {
        let fields = Fields::new(value, "")?;
        let kind = fields.text("model_type")?.unwrap_or("none");
        if kind != "bert" {
            let class = value["architectures"][0].as_str().unwrap_or(kind);
            return Err(Error::setup(format!("{class} (model_type {kind}) is no model of sentences known here"))
                .with_help(MEANT));
        }
        for (name, known) in [
            ("hidden_act", json!("gelu")),
            ("position_embedding_type", json!("absolute")),
            ("is_decoder", json!(false)),
            ("add_cross_attention", json!(false)),
        ] {
            fields.only(name, &known)?;
        }
        fields.refuse_quantised()?;
        let (hidden, heads) = (fields.positive("hidden_size")?, fields.positive("num_attention_heads")?);
        if hidden % heads != 0 {
            return Err(Error::setup(format!("{heads} heads do not fit a width of {hidden}")));
        }
        Ok(Self {
            vocab: fields.positive("vocab_size")?,
            hidden,
            intermediate: fields.positive("intermediate_size")?,
            layers: fields.positive("num_hidden_layers")?,
            heads,
            positions: fields.positive("max_position_embeddings")?,
            types: fields.positive_or("type_vocab_size", 2)?,
            norm_eps: fields.number("layer_norm_eps")?.unwrap_or(1e-12),
            longest: 0,
        })
    }

    /// The name and shape of every tensor that is used.
    pub fn expected(&self) -> Vec<(String, Vec<i64>)> {
        let c = self;
        let mut all = vec![
            ("embeddings.word_embeddings.weight".to_owned(), vec![c.vocab, c.hidden]),
            ("embeddings.position_embeddings.weight".to_owned(), vec![c.positions, c.hidden]),
            ("embeddings.token_type_embeddings.weight".to_owned(), vec![c.types, c.hidden]),
        ];
        let mut both = |name: String, shape: &[i64]| {
            all.push((format!("{name}.weight"), shape.to_vec()));
            all.push((format!("{name}.bias"), shape[..1].to_vec()));
        };
        both("embeddings.LayerNorm".into(), &[c.hidden]);
        for layer in 0..c.layers {
            let at = |name: &str| format!("encoder.layer.{layer}.{name}");
            for name in ["attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"]
            {
                both(at(name), &[c.hidden, c.hidden]);
            }
            both(at("attention.output.LayerNorm"), &[c.hidden]);
            both(at("intermediate.dense"), &[c.intermediate, c.hidden]);
            both(at("output.dense"), &[c.hidden, c.intermediate]);
            both(at("output.LayerNorm"), &[c.hidden]);
        }
        all
    }
}

const MEANT: &str = "give the folder of all-MiniLM-L6-v2 or another BERT of sentence-transformers: config.json, \
                     tokenizer.json, model.safetensors";

/// What is done with the encoder's rows, where the folder says: their mean, and that at most brought to length 1 (vectors
/// are so here in any case, which no cosine notices).
fn check_modules(folder: &Path) -> Result<()> {
    let path = folder.join("modules.json");
    let Some(modules) = read_json_if_any(&path)? else { return Ok(()) };
    let list = modules.as_array().ok_or_else(|| Error::setup(format!("{}: no list", path.display())))?;
    for module in list {
        let kind = module["type"].as_str().unwrap_or("none");
        match kind.rsplit('.').next().unwrap_or(kind) {
            "Transformer" | "Normalize" => {}
            "Pooling" => check_pooling(&folder.join(module["path"].as_str().unwrap_or_default()).join("config.json"))?,
            _ => {
                return Err(
                    Error::setup(format!("{}: the module {kind} is not known here", path.display())).with_help(MEANT)
                );
            }
        }
    }
    Ok(())
}

fn check_pooling(path: &Path) -> Result<()> {
    let value = read_json(path)?;
    let place = |error: Error| error.at(&path.display().to_string());
    let fields = Fields::new(&value, "").map_err(place)?;
    for name in value.as_object().into_iter().flat_map(|fields| fields.keys()) {
        // Newer files name the way in one word.
        let known = match name.as_str() {
            "pooling_mode" => json!("mean"),
            "pooling_mode_mean_tokens" => json!(true),
            name if name.starts_with("pooling_mode_") => json!(false),
            _ => continue,
        };
        fields.only(name, &known).map_err(place)?;
    }
    Ok(())
}
