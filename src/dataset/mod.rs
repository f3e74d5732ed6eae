//! Trajectories and where they come from.

pub mod demo;
mod label;
mod trajectory;

pub use label::Label;
pub use trajectory::{Source, Span, Trajectory};

/// A named collection of trajectories.
#[derive(Clone, Debug)]
pub struct Dataset {
    name: String,
    trajectories: Vec<Trajectory>,
}
