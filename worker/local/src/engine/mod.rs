//! Greedy answers to many instructions about one clip, over one prefill.
//!
//! Everything before the instruction is the same for all instructions of a clip, so its keys and values are made once
//! and kept. What is shared is the common prefix of the token ids, never a split of the text: the space before an
//! instruction melts into its first token. The rests of the prompts are then laid one after another into one sequence,
//! with a mask that lets each see the prefix and itself alone; so there is no padding, and the prefix is never copied.
//!
//! Memory beside the weights: keys and values of the prefix and of all rests ([`Cache::bytes_a_token`] each), and the
//! activations of at most [`PACKED_TOKENS`] tokens or one whole prompt. Where it does not suffice, fewer instructions are
//! computed together from then on ([`batch`]).

mod answer;
mod batch;
mod guard;
mod hardware;
mod opened;
mod prefix;

use std::path::Path;
use std::sync::Arc;

use roborm_wire::local::{Answer, Clip, Ready};
use tch::{Device, Kind, Tensor};

pub use guard::guarded;
pub use hardware::{Hardware, device, look};
pub use opened::Opened;
use prefix::Prefix;

use crate::checkpoint::{Checkpoint, Dtype, Shard};
use crate::input::{Grid, Layout, Patches, Prompt, Visual, patches, positions, timestamps};
use crate::model::{Cache, Deepstack, Seen, TextModel, VisionTower, untraced};
use crate::tokenizer::Tokenizer;
use crate::{Error, Result};

/// Tokens after the prefix that are computed together, at most (a single longer instruction is still taken).
pub const PACKED_TOKENS: usize = 2048;

/// Instructions that are computed together, at most.
pub const BATCH: usize = 64;

/// A loaded checkpoint, and what it has seen last.
pub struct Engine {
    text: TextModel,
    vision: VisionTower,
    tokenizer: Tokenizer,
    prompt: Prompt,
    layout: Layout,
    checkpoint: Checkpoint,
    /// Tensors point into these.
    _mapped: Vec<Arc<Shard>>,
    /// The tokens of the answers 1 to 5, where each is one token.
    digits: Option<[i64; 5]>,
    clip: Option<SeenClip>,
    /// Instructions that are computed together, at most: fewer once the memory has not sufficed for more.
    limit: usize,
}

/// A clip that is asked about.
struct SeenClip {
    visual: Visual,
    grid: Grid,
    look: Look,
    prefix: Option<Prefix>,
}

/// How far a clip has come. The vision tower is the dearest part of an answer: it is gone through when a question is known
/// to have one, and once.
enum Look {
    Waiting(Patches),
    Done(Seen),
}

/// What is asked about the clip.
pub struct Question<'a> {
    /// The texts around and with the instruction.
    pub texts: &'a [String],
    /// Whether the text stands before the frames.
    pub text_first: bool,
    /// At most so many new tokens.
    pub max_tokens: usize,
    /// At most so many instructions at a time.
    pub batch: Option<usize>,
    /// For each text the tokens to go on with in place of the likeliest; the logits of every step are told then
    /// ([`Event::Logits`]). Empty but where answers are compared token by token.
    pub forced: &'a [Vec<i64>],
}

/// What the engine tells while it is at work.
pub enum Event {
    /// Still at work, and on what.
    Alive(String),
    /// One instruction is scored.
    Answer(Answer),
    /// One instruction cannot be scored, by its place.
    Refused(usize, Error),
    /// The logits of the next token of an instruction, by its place, `[vocabulary]`.
    Logits(usize, Tensor),
}

impl Engine {
    /// Loads a checkpoint. `dtype` none: as stored.
    ///
    /// # Errors
    /// Where the checkpoint is not whole, the memory does not suffice, or a weight is NaN.
    pub fn load(
        folder: &Path,
        device: Device,
        dtype: Option<Dtype>,
        video: &str,
        alive: &mut dyn FnMut(&str),
    ) -> Result<Self> {
        Opened::open(folder, device, dtype, video)?.load(alive)
    }

    /// What was loaded; `seconds` is how long it took.
    pub fn ready(&self, seconds: f64) -> Ready {
        let (kind, device) = self.text.options();
        opened::ready(&self.checkpoint, device, kind, self.layout, seconds)
    }

    /// What lies in the folder.
    pub fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// The tokenizer.
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// The vision tower.
    pub fn vision(&self) -> &VisionTower {
        &self.vision
    }

    /// The text model.
    pub fn text(&self) -> &TextModel {
        &self.text
    }

    /// Takes a clip whose pixels are `rgb`; what was seen before is forgotten.
    ///
    /// # Errors
    /// Where there is no frame, the pixels are not as many as the sizes say, or the memory does not suffice.
    pub fn see(&mut self, clip: &Clip, rgb: &[u8]) -> Result<()> {
        self.clip = None;
        let count = clip.times.len();
        let size = count as u64 * u64::from(clip.width) * u64::from(clip.height) * 3;
        if count == 0 || size == 0 {
            return Err(Error::request("a clip without frames").with_help("at least one frame is needed"));
        }
        if size != rgb.len() as u64 {
            return Err(Error::internal(format!("{} bytes of pixels where {size} were announced", rgb.len())));
        }
        let shape = [count as i64, i64::from(clip.height), i64::from(clip.width), 3];
        let frames =
            guarded(|| Ok(Tensor::from_data_size(rgb, &shape, Kind::Uint8).permute([0, 3, 1, 2]).contiguous()))
                .map_err(of_frames)?;
        let seconds = timestamps(&clip.times, self.checkpoint.config.vision.temporal_patch);
        self.see_frames(&frames, Visual::Video(seconds))
    }

    /// Takes frames of bytes, `[frames, 3, height, width]`; what was seen before is forgotten.
    ///
    /// # Errors
    /// As [`Engine::see`].
    pub fn see_frames(&mut self, frames: &Tensor, visual: Visual) -> Result<()> {
        self.clip = None;
        let image = visual == Visual::Image;
        let patches = guarded(|| patches(frames, &self.checkpoint, image)).map_err(of_frames)?;
        self.clip = Some(SeenClip { visual, grid: patches.grid, look: Look::Waiting(patches), prefix: None });
        Ok(())
    }

    /// Sees to it that the clip has been through the vision tower.
    fn look<'c>(&self, look: &'c mut Look, alive: &mut dyn FnMut(&str)) -> Result<&'c Seen> {
        if let Look::Waiting(patches) = look {
            let seen = guarded(|| Ok(self.vision.forward(patches, alive, &mut untraced))).map_err(of_frames)?;
            *look = Look::Done(seen);
        }
        match look {
            Look::Done(seen) => Ok(seen),
            Look::Waiting(_) => Err(Error::internal("the clip has not been looked at")),
        }
    }

    /// The token ids of a prompt about the clip.
    ///
    /// # Errors
    /// Where no clip has been seen.
    pub fn prompt_ids(&self, text: &str, text_first: bool) -> Result<Vec<i64>> {
        let clip = self.clip.as_ref().ok_or_else(|| Error::internal("no clip has been sent"))?;
        Ok(self.tokenizer.encode(&self.prompt.expand(text, &clip.visual, clip.grid, text_first)))
    }

    /// The logits after a whole prompt, without sharing anything, `[vocabulary]`.
    ///
    /// # Errors
    /// Where no clip has been seen or the memory does not suffice.
    pub fn logits(&mut self, ids: &[i64]) -> Result<Tensor> {
        let mut clip = self.clip.take().ok_or_else(|| Error::internal("no clip has been sent"))?;
        clip.prefix = None;
        let logits = guarded(|| {
            let mut cache = self.text.cache();
            let rows = self.prefill(&mut clip, ids, &mut cache, &mut untraced)?;
            Ok(self.text.logits(&rows.narrow(0, ids.len() as i64 - 1, 1), &mut untraced).squeeze())
        });
        self.clip = Some(clip);
        logits
    }

    /// Takes a whole prompt through the text model: `[tokens, hidden]`, the final norm not taken yet.
    ///
    /// # Errors
    /// Where the prompt's visual tokens are not those of the clip.
    fn prefill(
        &self,
        clip: &mut SeenClip,
        ids: &[i64],
        cache: &mut Cache,
        trace: crate::model::Trace,
    ) -> Result<Tensor> {
        let seen = self.look(&mut clip.look, &mut |_| {})?;
        let config = &self.checkpoint.config;
        let visual = [config.image_token, config.video_token];
        let positions = positions(ids, visual, clip.grid, config.vision.merge)?;
        let mut places: Vec<i64> = Vec::new();
        places.extend((0_i64..).zip(ids).filter(|(_, id)| visual.contains(id)).map(|(place, _)| place));
        if places.len() as i64 != seen.merged.size()[0] {
            return Err(Error::internal(format!(
                "{} visual tokens in the prompt, and the clip has {}",
                places.len(),
                seen.merged.size()[0]
            )));
        }
        let (_, device) = self.text.options();
        let places = Tensor::from_slice(&places).to_device(device);
        let mut rows = self.text.embed(ids);
        let _ = rows.index_copy_(0, &places, &seen.merged);
        let deepstack = Deepstack { places: &places, rows: &seen.deepstack };
        let attention = crate::model::Attention::Causal;
        Ok(self.text.forward(rows, &positions.of, &attention, Some(&deepstack), cache, trace))
    }

    /// [`Engine::logits`] with a look at every stage of the text model.
    ///
    /// # Errors
    /// As [`Engine::logits`].
    pub fn traced(&mut self, ids: &[i64], trace: crate::model::Trace) -> Result<Tensor> {
        let mut clip = self.clip.take().ok_or_else(|| Error::internal("no clip has been sent"))?;
        let mut cache = self.text.cache();
        let rows = self.prefill(&mut clip, ids, &mut cache, trace);
        self.clip = Some(clip);
        Ok(self.text.logits(&rows?, trace))
    }
}

/// Too little memory, said of what it does not suffice for.
fn of_frames(error: Error) -> Error {
    if !error.is_memory() {
        return error;
    }
    Error::memory("too little memory for these frames").with_help(
        "take fewer frames (--max-images), end other programs, or run the checkpoint in fewer bits: dtype=bf16",
    )
}
