//! Language-conditioned reward models: frames and an instruction in, a score from 1 to 5 out, or none.

mod catalogue;
mod http;
pub mod local;
mod model;
mod options;
mod prompt;
mod reading;
mod reply;
mod simulated;

pub use catalogue::{Cache, CatalogueModel, Reached, Reasons, Sent, catalogue, find};
pub use http::{Environment, HttpModel, ListedModel, Secret, fetch_credit, fetch_prices};
pub use model::{Call, Future, ImageNeeds, ModelConfig, Price, Request, RewardModel};
pub use options::{ModelOptions, Patience, Tell, open};
pub use prompt::{FRAMES_FIRST, Part, Prompt, TEXT_FIRST};
pub use reading::{READER_VERSION, Reading, Why, read_reply, read_text};
pub use reply::{Fault, FaultKind, Reply, Usage};
pub use simulated::Simulated;
