//! A checkpoint that has been looked at as a whole, before any of its weights is loaded: what is wrong with it is said
//! here, before anything is planned or spent.

use std::path::Path;

use roborm_wire::local::Ready;
use tch::{Device, Kind};

use super::{BATCH, Engine, guarded, hardware};
use crate::Result;
use crate::checkpoint::{Checkpoint, Dtype, expected};
use crate::input::{Layout, Prompt};
use crate::model::{Cache, TextModel, VisionTower, Weights};
use crate::tokenizer::Tokenizer;

/// A checkpoint, its tokenizer and its prompt, where and in what type it is to run.
pub struct Opened {
    checkpoint: Checkpoint,
    tokenizer: Tokenizer,
    prompt: Prompt,
    layout: Layout,
    device: Device,
    dtype: Dtype,
}

impl Opened {
    /// Looks at all files of a checkpoint. `dtype` none: as stored.
    ///
    /// # Errors
    /// Where the checkpoint is not whole, its parts do not fit each other, or the memory does not suffice.
    pub fn open(folder: &Path, device: Device, dtype: Option<Dtype>, video: &str) -> Result<Self> {
        let mut checkpoint = Checkpoint::open(folder)?;
        let tokenizer = Tokenizer::read(&checkpoint.folder)?;
        let layout = Layout::parse(video, checkpoint.config.transformers_version.as_deref())?;
        let prompt = Prompt::new(&checkpoint, &tokenizer, layout)?;
        checkpoint.notes.extend(prompt.note().map(str::to_owned));
        let dtype = dtype.unwrap_or_else(|| stored(&checkpoint));
        hardware::check_memory(&checkpoint, device, dtype)?;
        Ok(Self { checkpoint, tokenizer, prompt, layout, device, dtype })
    }

    /// Reads every weight that would be loaded.
    ///
    /// # Errors
    /// Where one holds NaN or infinity.
    pub fn check_numbers(&self, alive: &mut dyn FnMut(&str)) -> Result<()> {
        guarded(|| {
            for (name, _) in expected(&self.checkpoint.config) {
                let Some((_, info)) = self.checkpoint.tensors.get(&name) else { continue };
                // As they are stored, so that nothing is copied; but for the type that may be too narrow for them.
                let dtype = if self.dtype == Dtype::F16 { Dtype::F16 } else { info.dtype };
                let _ = Weights::new(&self.checkpoint.tensors, Device::Cpu, kind(dtype), &mut *alive).tensor(&name)?;
            }
            Ok(())
        })
    }

    /// What would be loaded; `seconds` is how long looking took.
    pub fn ready(&self, seconds: f64) -> Ready {
        ready(&self.checkpoint, self.device, kind(self.dtype), self.layout, seconds)
    }

    /// Loads the weights.
    ///
    /// # Errors
    /// Where the memory does not suffice after all, or a weight is NaN or infinite.
    pub fn load(self, alive: &mut dyn FnMut(&str)) -> Result<Engine> {
        let Self { checkpoint, tokenizer, prompt, layout, device, dtype } = self;
        let (text, vision, mapped) = guarded(|| {
            let mut weights = Weights::new(&checkpoint.tensors, device, kind(dtype), alive);
            let vision = VisionTower::load(&checkpoint.config.vision, &mut weights)?;
            let text = TextModel::load(&checkpoint.config.text, &mut weights)?;
            Ok((text, vision, weights.into_mapped()))
        })?;
        let digits = match ["1", "2", "3", "4", "5"].map(|digit| tokenizer.single(digit)) {
            [Some(a), Some(b), Some(c), Some(d), Some(e)] => Some([a, b, c, d, e]),
            _ => None,
        };
        Ok(Engine {
            text,
            vision,
            tokenizer,
            prompt,
            layout,
            checkpoint,
            _mapped: mapped,
            digits,
            clip: None,
            limit: BATCH,
        })
    }
}

pub(super) fn ready(checkpoint: &Checkpoint, device: Device, kind: Kind, layout: Layout, seconds: f64) -> Ready {
    let dtype = match kind {
        Kind::Half => Dtype::F16,
        Kind::BFloat16 => Dtype::Bf16,
        _ => Dtype::F32,
    };
    Ready {
        device: hardware::name(device),
        dtype: dtype.name().to_owned(),
        video: layout.name().to_owned(),
        weights: checkpoint.parameters() * dtype.size() as u64,
        token: Cache::bytes_a_token(&checkpoint.config.text, kind).unsigned_abs(),
        seconds,
        notes: checkpoint.notes.clone(),
    }
}

fn kind(dtype: Dtype) -> Kind {
    match dtype {
        Dtype::F32 => Kind::Float,
        Dtype::F16 => Kind::Half,
        Dtype::Bf16 => Kind::BFloat16,
    }
}

/// The type that most of the weights are stored in.
fn stored(checkpoint: &Checkpoint) -> Dtype {
    let count = |dtype| {
        let of = checkpoint.tensors.values().filter(|(_, info)| info.dtype == dtype);
        of.map(|(_, info)| info.range.len() / dtype.size()).sum::<usize>()
    };
    let all = [Dtype::Bf16, Dtype::F16, Dtype::F32];
    all.into_iter().max_by_key(|&dtype| count(dtype)).unwrap_or(Dtype::F32)
}
