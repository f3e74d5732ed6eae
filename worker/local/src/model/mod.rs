//! The network: vision tower and text model, in the order of `modeling_qwen3_vl.py`.
//!
//! One sequence at a time, without padding; several instructions are several stretches of one sequence, kept apart by
//! the mask (see [`crate::engine`]).

mod cache;
mod layers;
mod rope;
mod text;
mod vision;
mod weights;

pub use cache::Cache;
pub(crate) use layers::{LayerNorm, Linear};
pub use text::{Attention, Deepstack, TextModel};
pub use vision::{Seen, VisionTower};
pub use weights::{Alive, Weights};

use tch::Tensor;

/// Called with the name and the output of every stage; for tests that compare them one by one.
pub type Trace<'a> = &'a mut dyn FnMut(&str, &Tensor);

/// A trace that looks at nothing.
pub fn untraced(_stage: &str, _output: &Tensor) {}
