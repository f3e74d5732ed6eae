//! The vision tower: patches in, one row a token out, and the rows for the first layers of the text model.

use tch::{Device, Kind, Tensor};

use super::layers::{LayerNorm, Linear, add};
use super::rope::Rotary;
use super::{Trace, Weights};
use crate::Result;
use crate::checkpoint::VisionConfig;
use crate::input::{Grid, Patches};

/// Patches that go through the tower at a time (whole pairs of frames, at least one), on the CPU and on other devices.
/// Pairs do not see each other, so that any number of them can be taken together; this bounds the memory. A thousand rows
/// keep a CPU busy; a card wants more at a time.
const PATCHES_AT_A_TIME: [i64; 2] = [2048, 16_384];

/// What the tower makes of a clip.
pub struct Seen {
    /// `[tokens, hidden of the text model]`: stands in for the embedding of the visual tokens.
    pub merged: Tensor,
    /// The same shape, to be added after each of the first layers.
    pub deepstack: Vec<Tensor>,
}

/// Under the root of every layer norm.
const NORM_EPS: f64 = 1e-6;

/// The vision tower.
pub struct VisionTower {
    config: VisionConfig,
    device: Device,
    kind: Kind,
    embed: Linear,
    positions: Tensor,
    blocks: Vec<Block>,
    merger: Merger,
    deepstack: Vec<Merger>,
}

impl VisionTower {
    /// Takes its weights.
    ///
    /// # Errors
    /// Where one is missing or damaged.
    pub fn load(config: &VisionConfig, weights: &mut Weights) -> Result<Self> {
        let mut embed = weights.linear("model.visual.patch_embed.proj", true)?;
        // The convolution's kernel is as long as its stride, which makes it a product; conv3d is slow on the CPU.
        embed.weight = embed.weight.view([config.hidden, -1]);
        let blocks = (0..config.depth).map(|index| Block::load(index, weights)).collect::<Result<_>>()?;
        let deepstack = (0..config.deepstack.len())
            .map(|index| Merger::load(&format!("model.visual.deepstack_merger_list.{index}"), true, config, weights))
            .collect::<Result<_>>()?;
        Ok(Self {
            embed,
            positions: weights.tensor("model.visual.pos_embed.weight")?,
            blocks,
            merger: Merger::load("model.visual.merger", false, config, weights)?,
            deepstack,
            config: config.clone(),
            device: weights.device(),
            kind: weights.kind(),
        })
    }

    /// Looks at a clip.
    pub fn forward(&self, patches: &Patches, alive: &mut dyn FnMut(&str), trace: Trace) -> Seen {
        let grid = patches.grid;
        let a_pair = grid.h * grid.w;
        let (rows, columns) = places(grid, self.config.merge);
        let embedded = self.position_embedding(&rows, &columns, grid);
        let head_dim = self.config.hidden / self.config.heads;
        let [on_cpu, elsewhere] = PATCHES_AT_A_TIME;
        let at_a_time = if self.device == Device::Cpu { on_cpu } else { elsewhere };
        let pairs_at_a_time = (at_a_time / a_pair).clamp(1, grid.t);
        let mut parts = Vec::new();
        let mut from = 0;
        while from < grid.t {
            alive("looking at the frames");
            let pairs = pairs_at_a_time.min(grid.t - from);
            let values = patches.values.narrow(0, from * a_pair, pairs * a_pair);
            let rotary = Rotary::of_patches(
                &rows.repeat([pairs]),
                &columns.repeat([pairs]),
                head_dim,
                self.config.rope_theta,
                self.device,
            );
            parts.push(self.look(&values, &embedded.repeat([pairs, 1]), &rotary, pairs, trace));
            from += pairs;
        }
        let join = |part: &dyn Fn(&Seen) -> Tensor| match parts.as_slice() {
            [only] => part(only),
            parts => Tensor::cat(&parts.iter().map(part).collect::<Vec<_>>(), 0),
        };
        Seen {
            merged: join(&|seen| seen.merged.shallow_clone()),
            deepstack: (0..self.deepstack.len()).map(|k| join(&|seen| seen.deepstack[k].shallow_clone())).collect(),
        }
    }

    fn look(&self, values: &Tensor, embedded: &Tensor, rotary: &Rotary, pairs: i64, trace: Trace) -> Seen {
        let x = self.embed.forward(&values.to_device(self.device).to_kind(self.kind));
        trace("vision.patches", &x);
        let mut x = x + embedded;
        let mut deepstack = Vec::new();
        for (index, block) in self.blocks.iter().enumerate() {
            x = block.forward(&x, rotary, pairs, self.config.heads);
            trace(&format!("vision.block.{index}"), &x);
            if let Some(k) = self.config.deepstack.iter().position(|&after| after == index as i64) {
                let rows = self.deepstack[k].forward(&x);
                trace(&format!("vision.deepstack.{k}"), &rows);
                deepstack.push((k, rows));
            }
        }
        deepstack.sort_by_key(|&(k, _)| k);
        let merged = self.merger.forward(&x);
        trace("vision.merged", &merged);
        Seen { merged, deepstack: deepstack.into_iter().map(|(_, rows)| rows).collect() }
    }

    /// The learned grid of positions, brought to the grid of one pair of frames (bilinear, corners on corners).
    fn position_embedding(&self, rows: &Tensor, columns: &Tensor, grid: Grid) -> Tensor {
        let side = self.config.position_side;
        let axis = |places: &Tensor, count: i64| {
            let at = places.to_kind(Kind::Float) * ((side - 1) as f64 / (count - 1).max(1) as f64);
            let low = at.floor();
            let share = &at - &low;
            let low = low.to_kind(Kind::Int64);
            let high = (&low + 1).clamp_max(side - 1);
            (low, high, share)
        };
        let (top, bottom, down) = axis(rows, grid.h);
        let (left, right, across) = axis(columns, grid.w);
        let tap = |y: &Tensor, x: &Tensor, weight: Tensor| {
            let index = (y * side + x).to_device(self.device);
            self.positions.index_select(0, &index).to_kind(Kind::Float) * weight.unsqueeze(-1).to_device(self.device)
        };
        let (up, back) = (1.0 - &down, 1.0 - &across);
        let sum = tap(&top, &left, &up * &back)
            + tap(&top, &right, &up * &across)
            + tap(&bottom, &left, &down * &back)
            + tap(&bottom, &right, &down * &across);
        sum.to_kind(self.kind)
    }
}

/// Row and column of each patch of a pair of frames, in their order: those of one token follow each other.
fn places(grid: Grid, merge: i64) -> (Tensor, Tensor) {
    let mut rows = Vec::with_capacity((grid.h * grid.w) as usize);
    let mut columns = Vec::with_capacity(rows.capacity());
    for p in 0..grid.h * grid.w {
        let (inner_column, inner_row) = (p % merge, p / merge % merge);
        let block = p / (merge * merge);
        let blocks = grid.w / merge;
        rows.push(block / blocks * merge + inner_row);
        columns.push(block % blocks * merge + inner_column);
    }
    (Tensor::from_slice(&rows), Tensor::from_slice(&columns))
}

struct Block {
    norm1: LayerNorm,
    norm2: LayerNorm,
    qkv: Linear,
    proj: Linear,
    fc1: Linear,
    fc2: Linear,
}

impl Block {
    fn load(index: i64, weights: &mut Weights) -> Result<Self> {
        let at = |name: &str| format!("model.visual.blocks.{index}.{name}");
        Ok(Self {
            norm1: weights.layer_norm(&at("norm1"), NORM_EPS)?,
            norm2: weights.layer_norm(&at("norm2"), NORM_EPS)?,
            qkv: weights.linear(&at("attn.qkv"), true)?,
            proj: weights.linear(&at("attn.proj"), true)?,
            fc1: weights.linear(&at("mlp.linear_fc1"), true)?,
            fc2: weights.linear(&at("mlp.linear_fc2"), true)?,
        })
    }

    fn forward(&self, x: &Tensor, rotary: &Rotary, pairs: i64, heads: i64) -> Tensor {
        let x = add(x, self.attention(&self.norm1.forward(x), rotary, pairs, heads));
        // tanh-GELU here, the exact one in the mergers.
        let inner = self.fc1.forward(&self.norm2.forward(&x)).gelu_("tanh");
        add(&x, self.fc2.forward(&inner))
    }

    /// Every patch sees all patches of its own pair of frames.
    fn attention(&self, x: &Tensor, rotary: &Rotary, pairs: i64, heads: i64) -> Tensor {
        let (rows, width) = (x.size()[0], x.size()[1]);
        let qkv = self.qkv.forward(x).view([rows, 3, heads, width / heads]);
        let turn = |x: Tensor| rotary.turn(&x.to_kind(Kind::Float)).to_kind(x.kind());
        let apart = |x: Tensor| x.view([pairs, rows / pairs, heads, width / heads]).transpose(1, 2);
        let q = apart(turn(qkv.select(1, 0)));
        let k = apart(turn(qkv.select(1, 1)));
        let v = qkv.select(1, 2).reshape([pairs, rows / pairs, heads, width / heads]).transpose(1, 2);
        let out = Tensor::scaled_dot_product_attention::<Tensor>(&q, &k, &v, None, 0.0, false, None, false);
        self.proj.forward(&out.transpose(1, 2).reshape([rows, width]))
    }
}

/// Four patches become one token.
struct Merger {
    norm: LayerNorm,
    /// Whether the norm is over the four together, or over each.
    after: bool,
    fc1: Linear,
    fc2: Linear,
    width: i64,
}

impl Merger {
    fn load(name: &str, after: bool, config: &VisionConfig, weights: &mut Weights) -> Result<Self> {
        Ok(Self {
            norm: weights.layer_norm(&format!("{name}.norm"), NORM_EPS)?,
            after,
            fc1: weights.linear(&format!("{name}.linear_fc1"), true)?,
            fc2: weights.linear(&format!("{name}.linear_fc2"), true)?,
            width: config.merge * config.merge * config.hidden,
        })
    }

    fn forward(&self, x: &Tensor) -> Tensor {
        let four = if self.after {
            self.norm.forward(&x.view([-1, self.width]))
        } else {
            self.norm.forward(x).view([-1, self.width])
        };
        self.fc2.forward(&self.fc1.forward(&four).gelu_("none"))
    }
}
