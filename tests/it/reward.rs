//! Reward models: reading replies, prompts, the catalogue, the simulated model.

mod catalogue;
mod prompt;
mod reading;
mod simulated;
