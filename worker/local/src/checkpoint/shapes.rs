//! The name and shape of every tensor that an architecture has.

use super::{Config, TextConfig, VisionConfig};

/// Every tensor, `lm_head.weight` included even where it may be tied.
pub fn expected(config: &Config) -> Vec<(String, Vec<i64>)> {
    let mut all = Vec::new();
    text(&config.text, &mut all);
    vision(&config.vision, &mut all);
    all
}

fn text(c: &TextConfig, all: &mut Vec<(String, Vec<i64>)>) {
    let mut add = |name: String, shape: &[i64]| all.push((name, shape.to_vec()));
    add("lm_head.weight".into(), &[c.vocab, c.hidden]);
    add("model.language_model.embed_tokens.weight".into(), &[c.vocab, c.hidden]);
    add("model.language_model.norm.weight".into(), &[c.hidden]);
    let (queries, keys) = (c.heads * c.head_dim, c.kv_heads * c.head_dim);
    for layer in 0..c.layers {
        let at = |name: &str| format!("model.language_model.layers.{layer}.{name}.weight");
        add(at("input_layernorm"), &[c.hidden]);
        add(at("self_attn.q_proj"), &[queries, c.hidden]);
        add(at("self_attn.k_proj"), &[keys, c.hidden]);
        add(at("self_attn.v_proj"), &[keys, c.hidden]);
        add(at("self_attn.o_proj"), &[c.hidden, queries]);
        add(at("self_attn.q_norm"), &[c.head_dim]);
        add(at("self_attn.k_norm"), &[c.head_dim]);
        add(at("post_attention_layernorm"), &[c.hidden]);
        add(at("mlp.gate_proj"), &[c.intermediate, c.hidden]);
        add(at("mlp.up_proj"), &[c.intermediate, c.hidden]);
        add(at("mlp.down_proj"), &[c.hidden, c.intermediate]);
    }
}

fn vision(c: &VisionConfig, all: &mut Vec<(String, Vec<i64>)>) {
    let mut linear = |name: String, shape: &[i64]| {
        all.push((format!("{name}.weight"), shape.to_vec()));
        all.push((format!("{name}.bias"), shape[..1].to_vec()));
    };
    linear("model.visual.patch_embed.proj".into(), &[c.hidden, 3, c.temporal_patch, c.patch, c.patch]);
    for block in 0..c.depth {
        let at = |name: &str| format!("model.visual.blocks.{block}.{name}");
        linear(at("norm1"), &[c.hidden]);
        linear(at("norm2"), &[c.hidden]);
        linear(at("attn.qkv"), &[3 * c.hidden, c.hidden]);
        linear(at("attn.proj"), &[c.hidden, c.hidden]);
        linear(at("mlp.linear_fc1"), &[c.intermediate, c.hidden]);
        linear(at("mlp.linear_fc2"), &[c.hidden, c.intermediate]);
    }
    let merged = c.merge * c.merge * c.hidden;
    let mut merger = |name: String, norm: i64| {
        linear(format!("{name}.norm"), &[norm]);
        linear(format!("{name}.linear_fc1"), &[merged, merged]);
        linear(format!("{name}.linear_fc2"), &[c.out_hidden, merged]);
    };
    merger("model.visual.merger".into(), c.hidden);
    for index in 0..c.deepstack.len() {
        merger(format!("model.visual.deepstack_merger_list.{index}"), merged);
    }
    all.push(("model.visual.pos_embed.weight".into(), vec![c.position_side * c.position_side, c.hidden]));
}
