//! Reward models: reading replies, prompts, the catalogue, the simulated model.

mod reading;
