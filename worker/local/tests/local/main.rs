//! The worker of local checkpoints, held against what transformers computes (see tests/fixtures/qwen3vl/make.py).

mod checkpoint;
mod fixture;
mod prompt;
mod sentence;
mod size;
mod tokenizer;

#[cfg(feature = "libtorch")]
mod engine;
#[cfg(feature = "libtorch")]
mod memory;
#[cfg(feature = "libtorch")]
mod patches;
#[cfg(feature = "libtorch")]
mod stages;
#[cfg(feature = "libtorch")]
mod steps;
#[cfg(feature = "libtorch")]
mod worker;
