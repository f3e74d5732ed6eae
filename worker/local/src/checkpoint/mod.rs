//! A checkpoint folder: its configuration, and where each of its tensors lies, checked before anything is loaded.

mod config;
mod folder;
mod generation;
mod pixels;
mod safetensors;
mod shapes;

pub(crate) use config::Fields;
pub use config::{Config, TextConfig, VisionConfig};
pub use folder::{Checkpoint, resolve};
pub(crate) use folder::{read_json, read_json_if_any};
pub use generation::Generation;
pub use pixels::{ImagePixels, VideoPixels};
pub use safetensors::{Dtype, Shard, TensorInfo};
pub use shapes::expected;
