//! Behaviour through the public surface, in one binary so that polars is linked once.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod dataset;
mod frames;
mod paraphrase;
mod reward;
mod scores;
mod study;
