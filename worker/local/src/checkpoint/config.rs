//! `config.json`.

use std::path::Path;

use serde_json::{Value, json};

use super::fields::Fields;
use super::files::read_json;
use crate::{Error, Result};

/// The architecture of a checkpoint.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The language model.
    pub text: TextConfig,
    /// The vision tower.
    pub vision: VisionConfig,
    /// The token that stands for a patch of an image.
    pub image_token: i64,
    /// The token that stands for a patch of a video.
    pub video_token: i64,
    /// Whether the configuration says that the head is the embedding. What counts is whether a head is in the files.
    pub tied: bool,
    /// The version of transformers that wrote the checkpoint, where it says so.
    pub transformers_version: Option<String>,
}

/// The language model.
#[derive(Clone, Debug, PartialEq)]
pub struct TextConfig {
    /// Rows of the embedding.
    pub vocab: i64,
    /// Width of the residual stream.
    pub hidden: i64,
    /// Width inside the MLP.
    pub intermediate: i64,
    /// Layers.
    pub layers: i64,
    /// Heads of the queries.
    pub heads: i64,
    /// Heads of the keys and values; a divisor of `heads`.
    pub kv_heads: i64,
    /// Width of a head, which need not be `hidden / heads`.
    pub head_dim: i64,
    /// Added under the root of every RMS norm.
    pub norm_eps: f64,
    /// The base of the rotary frequencies.
    pub rope_theta: f64,
    /// How many of the rotary frequencies go by time, height and width.
    pub mrope_section: [i64; 3],
    /// The longest sequence that it was made for, in tokens.
    pub max_positions: i64,
}

/// The vision tower.
#[derive(Clone, Debug, PartialEq)]
pub struct VisionConfig {
    /// Blocks.
    pub depth: i64,
    /// Width of the residual stream.
    pub hidden: i64,
    /// Width inside the MLP.
    pub intermediate: i64,
    /// Heads.
    pub heads: i64,
    /// Pixels along the side of a patch.
    pub patch: i64,
    /// Frames in a patch.
    pub temporal_patch: i64,
    /// Patches along the side of what becomes one token.
    pub merge: i64,
    /// Width of what the language model gets.
    pub out_hidden: i64,
    /// The learned grid of positions is so many rows and columns.
    pub position_side: i64,
    /// After which blocks features go to the first layers of the language model.
    pub deepstack: Vec<i64>,
    /// The base of the rotary frequencies.
    pub rope_theta: f64,
}

impl Config {
    /// Reads `config.json` of a folder.
    ///
    /// # Errors
    /// Where it is missing, no JSON, of another architecture, or a number in it is missing or impossible.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join("config.json");
        if !path.exists() {
            return Err(Error::setup(format!("{}: no checkpoint (there is no config.json)", folder.display()))
                .with_help(
                    "give the folder of a Qwen3-VL checkpoint: config.json, tokenizer.json, model*.safetensors",
                ));
        }
        let value = read_json(&path)?;
        Self::parse(&value).map_err(|error| error.at(&path.display().to_string()))
    }

    fn parse(value: &Value) -> Result<Self> {
        let top = Fields::new(value, "")?;
        let kind = top.text("model_type")?.unwrap_or("none");
        let class = value["architectures"][0].as_str().unwrap_or(kind);
        if kind != "qwen3_vl" {
            return Err(Error::setup(format!(
                "{class} (model_type {kind}) is an architecture that cannot be run here"
            ))
            .with_help(
                "dense Qwen3-VL checkpoints can (Qwen3VLForConditionalGeneration); others through a server: --base-url",
            ));
        }
        // Some fine-tunes carry the language model's numbers at the top.
        let text = top.child("text_config")?.unwrap_or_else(|| top.clone());
        let vision = top.child("vision_config")?.ok_or_else(|| Error::setup("vision_config is missing"))?;
        for part in [&top, &text] {
            part.refuse_quantised()?;
        }
        let text_config = TextConfig::parse(&text)?;
        let vision_config = VisionConfig::parse(&vision)?;
        if vision_config.out_hidden != text_config.hidden {
            return Err(Error::setup(format!(
                "vision_config.out_hidden_size is {} and the language model's hidden_size {}",
                vision_config.out_hidden, text_config.hidden
            )));
        }
        if vision_config.deepstack.len() as i64 > text_config.layers {
            return Err(Error::setup("there are more deepstack_visual_indexes than layers"));
        }
        Ok(Self {
            image_token: top.count_or("image_token_id", 151_655)?,
            video_token: top.count_or("video_token_id", 151_656)?,
            tied: top.flag("tie_word_embeddings")?.or(text.flag("tie_word_embeddings")?).unwrap_or(false),
            transformers_version: top.text("transformers_version")?.map(str::to_owned),
            text: text_config,
            vision: vision_config,
        })
    }
}

impl TextConfig {
    fn parse(fields: &Fields) -> Result<Self> {
        let heads = fields.positive("num_attention_heads")?;
        let hidden = fields.positive("hidden_size")?;
        let kv_heads = fields.positive_or("num_key_value_heads", heads)?;
        let head_dim = fields.positive_or("head_dim", hidden / heads)?;
        // New layout: rope_parameters. Old layout: rope_theta beside rope_scaling.
        let rope = match fields.child("rope_parameters")? {
            Some(rope) => Some(rope),
            None => fields.child("rope_scaling")?,
        };
        let kind = match &rope {
            Some(rope) => rope.text("rope_type")?.or(rope.text("type")?),
            None => None,
        };
        if let Some(kind) = kind
            && !matches!(kind, "default" | "mrope")
        {
            return Err(Error::setup(format!("rope of type {kind} is not known here")).with_help(
                "remove the rope scaling from config.json, or run the checkpoint behind a server: --base-url",
            ));
        }
        let rope_theta = match rope.as_ref().map_or(Ok(None), |rope| rope.number("rope_theta"))? {
            Some(theta) => theta,
            None => fields.number("rope_theta")?.unwrap_or(500_000.0),
        };
        let mrope_section = match rope.as_ref().map_or(Ok(None), |rope| rope.whole_numbers("mrope_section"))? {
            Some(section) => <[i64; 3]>::try_from(section)
                .map_err(|section| Error::setup(format!("mrope_section has {} parts, not 3", section.len())))?,
            None => [24, 20, 20],
        };
        if heads % kv_heads != 0 {
            return Err(Error::setup(format!("{heads} heads cannot share {kv_heads} key and value heads evenly")));
        }
        if head_dim % 2 != 0 {
            return Err(Error::setup(format!("head_dim {head_dim} is odd")));
        }
        if mrope_section.iter().any(|&part| part < 0) || rope_theta.is_nan() || rope_theta <= 0.0 {
            return Err(Error::setup(format!(
                "rope of base {rope_theta} and sections {mrope_section:?} is impossible"
            )));
        }
        if let Some(rope) = &rope {
            rope.only("mrope_interleaved", &json!(true))?;
            rope.only("partial_rotary_factor", &json!(1.0))?;
        }
        fields.only("hidden_act", &json!("silu"))?;
        fields.only("attention_bias", &json!(false))?;
        fields.only("use_sliding_window", &json!(false))?;
        fields.only("partial_rotary_factor", &json!(1.0))?;
        Ok(Self {
            vocab: fields.positive("vocab_size")?,
            hidden,
            intermediate: fields.positive("intermediate_size")?,
            layers: fields.positive("num_hidden_layers")?,
            heads,
            kv_heads,
            head_dim,
            norm_eps: fields.number("rms_norm_eps")?.unwrap_or(1e-6),
            rope_theta,
            mrope_section,
            max_positions: fields.positive_or("max_position_embeddings", 128_000)?,
        })
    }
}

impl VisionConfig {
    fn parse(fields: &Fields) -> Result<Self> {
        let positions = fields.positive_or("num_position_embeddings", 2304)?;
        let position_side = (positions as f64).sqrt().round() as i64;
        if position_side * position_side != positions {
            return Err(Error::setup(format!("num_position_embeddings {positions} is not a square")));
        }
        let (hidden, heads) = (fields.positive("hidden_size")?, fields.positive("num_heads")?);
        if hidden % heads != 0 || (hidden / heads) % 4 != 0 {
            return Err(Error::setup(format!("{heads} vision heads do not fit a width of {hidden}")));
        }
        fields.only("hidden_act", &json!("gelu_pytorch_tanh"))?;
        fields.only("in_channels", &json!(3))?;
        let depth = fields.positive("depth")?;
        let rope = fields.child("rope_parameters")?;
        let deepstack = fields.whole_numbers("deepstack_visual_indexes")?.unwrap_or_default();
        if let Some(wrong) = deepstack.iter().find(|&&index| !(0..depth).contains(&index)) {
            return Err(Error::setup(format!("deepstack_visual_indexes names block {wrong} of {depth}")));
        }
        Ok(Self {
            depth,
            hidden,
            intermediate: fields.positive("intermediate_size")?,
            heads,
            patch: fields.positive_or("patch_size", 16)?,
            temporal_patch: fields.positive_or("temporal_patch_size", 2)?,
            merge: fields.positive_or("spatial_merge_size", 2)?,
            out_hidden: fields.positive("out_hidden_size")?,
            position_side,
            deepstack,
            rope_theta: rope.map_or(Ok(None), |rope| rope.number("rope_theta"))?.unwrap_or(10_000.0),
        })
    }
}
