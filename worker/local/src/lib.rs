//! Qwen3-VL reward models (RoboReward-4B and 8B among them) run on this machine.
//!
//! From a checkpoint folder and the frames of a trajectory to the text that the model answers:
//!
//! - [`checkpoint`]: what lies in the folder, checked before anything is loaded;
//! - [`tokenizer`]: text to token ids and back;
//! - [`input`]: frames to patches, a prompt to token ids with their positions;
//! - `model`: the vision tower and the text model (feature `libtorch`);
//! - `engine`: greedy answers to many instructions over one prefill (feature `libtorch`);
//! - [`sentence`]: beside them, sentences as vectors, by models of the make of all-MiniLM-L6-v2.
//!
//! The behaviour is that of `transformers` 5.24 (`models/qwen3_vl`), which the tests hold it against.

pub mod checkpoint;
#[cfg(feature = "libtorch")]
pub mod engine;
mod error;
pub mod input;
#[cfg(feature = "libtorch")]
pub mod model;
pub mod sentence;
pub mod tokenizer;

pub use error::{Error, Result};
