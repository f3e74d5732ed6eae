//! What makes two calls the same.

use std::fmt;
use std::sync::Arc;

use crate::frames::{EncodedImage, Frames};
use crate::reward::{Part, Request, RewardModel};

/// The digest of all that can change a reply: a pair with the same key is never paid for twice.
///
/// It covers the model's name (a checkpoint on this machine has its digest in place of its folder) and settings (endpoint, sampling, reasoning, max tokens, seed, … whatever its
/// [`ModelConfig`](crate::reward::ModelConfig) holds), every byte of the prompt and the order of its parts, the bytes of
/// the images as sent (or the pixels and times of raw frames), the instruction, the repeat, and the model's hidden
/// inputs. It does not cover the trajectory's id or dataset: the same pictures under another name are the same call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PairKey([u8; 32]);

impl PairKey {
    /// The 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    pub(crate) fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for PairKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for PairKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The part of the key that all pairs of a model and a trajectory share, hashed once.
#[derive(Clone)]
pub(crate) struct KeyPrefix(blake3::Hasher);

impl KeyPrefix {
    pub(crate) fn new(model: &dyn RewardModel, images: &ImagesDigest) -> Self {
        let mut hasher = Fields(blake3::Hasher::new());
        // Changes with the list of fields, so that an old key is never mistaken for a new one.
        hasher.field(b"roborm pair 1");
        hasher.field(model.key_name().as_bytes());
        hasher.field(model.config().settings().to_string().as_bytes());
        let prompt = model.prompt();
        hasher.field(prompt.version.as_bytes());
        hasher.field(prompt.before.as_bytes());
        hasher.field(prompt.after.as_bytes());
        for part in prompt.order {
            hasher.field(match part {
                Part::Frames => b"frames",
                Part::Text => b"text",
            });
        }
        hasher.field(&images.0);
        Self(hasher.0)
    }

    pub(crate) fn key(&self, request: &Request, hidden: Option<&str>) -> PairKey {
        let mut hasher = Fields(self.0.clone());
        hasher.field(request.instruction.as_bytes());
        hasher.field(&request.repeat.to_le_bytes());
        match hidden {
            Some(hidden) => hasher.field(hidden.as_bytes()),
            None => hasher.field(b""),
        }
        PairKey(*hasher.0.finalize().as_bytes())
    }
}

/// The digest of the images of a trajectory as a model gets them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ImagesDigest([u8; 32]);

impl ImagesDigest {
    pub(crate) fn encoded(images: &[EncodedImage]) -> Self {
        let mut hasher = Fields(blake3::Hasher::new());
        for image in images {
            hasher.field(image.mime.as_bytes());
            hasher.field(&image.bytes);
        }
        Self(*hasher.0.finalize().as_bytes())
    }

    /// Raw frames: their times too, which a local checkpoint puts into its prompt.
    pub(crate) fn raw(frames: &Arc<Frames>) -> Self {
        let mut hasher = Fields(blake3::Hasher::new());
        for frame in &frames.frames {
            hasher.field(&frame.t_s.to_le_bytes());
            hasher.field(&frame.width.to_le_bytes());
            hasher.field(&frame.height.to_le_bytes());
            hasher.field(&frame.rgb);
        }
        Self(*hasher.0.finalize().as_bytes())
    }
}

/// Each field with its length before it, so that no two lists of fields run together to the same bytes.
struct Fields(blake3::Hasher);

impl Fields {
    fn field(&mut self, bytes: &[u8]) {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }
}
