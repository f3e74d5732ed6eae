//! Behaviour through the public surface, in one binary so that polars is linked once.

// A test says where it fails by failing there, and why it is skipped on standard error.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod chart;
mod dataset;
mod demo;
mod dependencies;
mod display;
mod frames;
mod graphics;
mod http;
mod local;
mod paraphrase;
mod reward;
mod robustness;
mod scores;
mod study;
mod wrap;
