//! What the model is given: frames as patches, a prompt as token ids, a position for each token.

#[cfg(feature = "libtorch")]
mod patches;
mod positions;
mod prompt;
mod size;
mod template;

#[cfg(feature = "libtorch")]
pub use patches::{Patches, patches};
pub use positions::{Positions, positions};
pub use prompt::{Layout, Prompt, Visual, timestamps};
pub use size::{Grid, image_size, video_size};
