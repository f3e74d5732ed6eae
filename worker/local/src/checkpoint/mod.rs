//! A checkpoint folder: its configuration, and where each of its tensors lies, checked before anything is loaded.

mod config;
mod fields;
mod files;
mod folder;
mod generation;
mod pixels;
mod safetensors;
mod shapes;

pub use config::{Config, TextConfig, VisionConfig};
pub(crate) use fields::Fields;
pub(crate) use files::{AGAIN, read_json, read_json_if_any, read_text};
pub use folder::{Checkpoint, resolve};
pub use generation::Generation;
pub use pixels::{ImagePixels, VideoPixels};
pub use safetensors::{Dtype, Shard, TensorInfo};
pub use shapes::expected;
