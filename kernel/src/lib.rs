//! Rust notebooks for roborm: the evaluator of cells ([`engine`]) and the Jupyter kernel in front of it.

pub mod engine;
pub mod install;
pub mod jupyter;
pub mod toolkit;
