//! Language-conditioned reward models: frames and an instruction in, a score from 1 to 5 out, or none.

pub mod local;
mod model;
mod prompt;
mod reply;

pub use model::{Call, Future, ImageNeeds, ModelConfig, Price, Request, RewardModel};
pub use prompt::{Part, Prompt};
pub use reply::{Fault, FaultKind, Reply, Usage};
