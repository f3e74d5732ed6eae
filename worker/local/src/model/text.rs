//! The text model: rows in, logits out, keys and values kept.

use tch::{Device, Kind, Tensor};

use super::layers::{Linear, RmsNorm, add};
use super::rope::Rotary;
use super::{Cache, Trace, Weights};
use crate::Result;
use crate::checkpoint::TextConfig;

/// What the new tokens see.
pub enum Attention {
    /// Themselves and what is before them; the cache is empty.
    Causal,
    /// What a mask lets them: `[new tokens, cached and new tokens]`, 0 where they see, minus infinity where not, in the
    /// type of the model.
    Masked(Tensor),
}

/// Rows to be added after the first layers, at the places of the visual tokens.
pub struct Deepstack<'a> {
    /// The places, `[visual tokens]`.
    pub places: &'a Tensor,
    /// For each of the first layers: `[visual tokens, hidden]`.
    pub rows: &'a [Tensor],
}

/// The text model.
pub struct TextModel {
    config: TextConfig,
    device: Device,
    kind: Kind,
    embedding: Tensor,
    layers: Vec<Layer>,
    norm: RmsNorm,
    /// None where it is the embedding.
    head: Option<Tensor>,
}

impl TextModel {
    /// Takes its weights.
    ///
    /// # Errors
    /// Where one is missing or damaged.
    pub fn load(config: &TextConfig, weights: &mut Weights) -> Result<Self> {
        let layers = (0..config.layers).map(|index| Layer::load(index, config, weights)).collect::<Result<_>>()?;
        let head = if weights.has("lm_head.weight") { Some(weights.tensor("lm_head.weight")?) } else { None };
        Ok(Self {
            embedding: weights.tensor("model.language_model.embed_tokens.weight")?,
            layers,
            norm: weights.rms_norm("model.language_model.norm", config.norm_eps)?,
            head,
            config: config.clone(),
            device: weights.device(),
            kind: weights.kind(),
        })
    }

    /// An empty cache for this model.
    pub fn cache(&self) -> Cache {
        Cache::new(&self.config, self.device, self.kind)
    }

    /// Where and in what type it computes.
    pub fn options(&self) -> (Kind, Device) {
        (self.kind, self.device)
    }

    /// Rows for token ids, `[tokens, hidden]`.
    pub fn embed(&self, ids: &[i64]) -> Tensor {
        self.embedding.index_select(0, &Tensor::from_slice(ids).to_device(self.device))
    }

    /// Takes rows through all layers; they count in the cache afterwards. The final norm is not taken yet.
    pub fn forward(
        &self,
        rows: Tensor,
        positions: &[[i64; 3]],
        attention: &Attention,
        deepstack: Option<&Deepstack>,
        cache: &mut Cache,
        trace: Trace,
    ) -> Tensor {
        let tokens = rows.size()[0];
        // The heads that share keys and values become further rows of the queries, so that the cache is never copied.
        let group = self.config.heads / self.config.kv_heads;
        let grouped = match attention {
            Attention::Masked(mask) if group > 1 => Some(Attention::Masked(mask.repeat([group, 1]))),
            _ => None,
        };
        let attention = grouped.as_ref().unwrap_or(attention);
        let rotary = Rotary::of_text(positions, &self.config, self.device, self.kind);
        cache.reserve(cache.length() + tokens);
        let mut x = rows;
        for (index, layer) in self.layers.iter().enumerate() {
            x = layer.forward(&x, index, &rotary, attention, cache, &self.config);
            trace(&format!("text.layer.{index}"), &x);
            if let Some(deepstack) = deepstack
                && let Some(rows) = deepstack.rows.get(index)
            {
                let _ = x.index_add_(0, deepstack.places, rows);
            }
        }
        cache.grow(tokens);
        x
    }

    /// Logits, `[rows, vocabulary]`, in 32-bit floats.
    pub fn logits(&self, rows: &Tensor, trace: Trace) -> Tensor {
        let rows = self.norm.forward(rows);
        trace("text.norm", &rows);
        let head = self.head.as_ref().unwrap_or(&self.embedding);
        rows.linear::<Tensor>(head, None).to_kind(Kind::Float)
    }
}

struct Layer {
    input_norm: RmsNorm,
    q: Linear,
    k: Linear,
    v: Linear,
    o: Linear,
    q_norm: RmsNorm,
    k_norm: RmsNorm,
    post_norm: RmsNorm,
    gate: Linear,
    up: Linear,
    down: Linear,
}

impl Layer {
    fn load(index: i64, config: &TextConfig, weights: &mut Weights) -> Result<Self> {
        let at = |name: &str| format!("model.language_model.layers.{index}.{name}");
        let eps = config.norm_eps;
        Ok(Self {
            input_norm: weights.rms_norm(&at("input_layernorm"), eps)?,
            q: weights.linear(&at("self_attn.q_proj"), false)?,
            k: weights.linear(&at("self_attn.k_proj"), false)?,
            v: weights.linear(&at("self_attn.v_proj"), false)?,
            o: weights.linear(&at("self_attn.o_proj"), false)?,
            q_norm: weights.rms_norm(&at("self_attn.q_norm"), eps)?,
            k_norm: weights.rms_norm(&at("self_attn.k_norm"), eps)?,
            post_norm: weights.rms_norm(&at("post_attention_layernorm"), eps)?,
            gate: weights.linear(&at("mlp.gate_proj"), false)?,
            up: weights.linear(&at("mlp.up_proj"), false)?,
            down: weights.linear(&at("mlp.down_proj"), false)?,
        })
    }

    fn forward(
        &self,
        x: &Tensor,
        index: usize,
        rotary: &Rotary,
        attention: &Attention,
        cache: &Cache,
        config: &TextConfig,
    ) -> Tensor {
        let x = add(x, self.attention(&self.input_norm.forward(x), index, rotary, attention, cache, config));
        let y = self.post_norm.forward(&x);
        let inner = self.gate.forward(&y).silu_().g_mul_(&self.up.forward(&y));
        add(&x, self.down.forward(&inner))
    }

    fn attention(
        &self,
        x: &Tensor,
        index: usize,
        rotary: &Rotary,
        attention: &Attention,
        cache: &Cache,
        config: &TextConfig,
    ) -> Tensor {
        let (tokens, dim) = (x.size()[0], config.head_dim);
        let (heads, kv_heads, group) = (config.heads, config.kv_heads, config.heads / config.kv_heads);
        let q = rotary.turn(&self.q_norm.forward(&self.q.forward(x).view([tokens, heads, dim])));
        let k = rotary.turn(&self.k_norm.forward(&self.k.forward(x).view([tokens, kv_heads, dim])));
        let v = self.v.forward(x).view([tokens, kv_heads, dim]);
        let heads_first = |x: Tensor| x.transpose(0, 1).unsqueeze(0);
        let (q, k, v) = (heads_first(q), heads_first(k), heads_first(v));
        let (all_k, all_v) = cache.append(index, &k, &v);
        let out = match attention {
            Attention::Causal => {
                let repeat = |x: &Tensor| {
                    let wide = x.unsqueeze(2).expand([1, kv_heads, group, tokens, dim], false);
                    wide.reshape([1, heads, tokens, dim])
                };
                Tensor::scaled_dot_product_attention::<Tensor>(
                    &q,
                    &repeat(&k),
                    &repeat(&v),
                    None,
                    0.0,
                    true,
                    None,
                    false,
                )
            }
            Attention::Masked(mask) => {
                let q = q.reshape([1, kv_heads, group * tokens, dim]);
                let out = Tensor::scaled_dot_product_attention(&q, &all_k, &all_v, Some(mask), 0.0, false, None, false);
                out.reshape([1, heads, tokens, dim])
            }
        };
        self.o.forward(&out.squeeze_dim(0).transpose(0, 1).reshape([tokens, heads * dim]))
    }
}
