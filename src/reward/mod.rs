//! Language-conditioned reward models: frames and an instruction in, a score from 1 to 5 out, or none.

mod model;
mod prompt;
mod reading;
mod reply;

pub use model::{Call, Future, ImageNeeds, ModelConfig, Price, Request, RewardModel};
pub use prompt::{FRAMES_FIRST, Part, Prompt, TEXT_FIRST};
pub use reading::{READER_VERSION, Reading, Why, read_reply, read_text};
pub use reply::{Fault, FaultKind, Reply, Usage};
