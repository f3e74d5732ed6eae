//! Behaviour through the public surface, in one binary so that polars is linked once.

mod chart;
mod dataset;
mod demo;
mod display;
mod frames;
mod http;
mod local;
mod paraphrase;
mod reward;
mod robustness;
mod scores;
mod study;
