//! The seam to the built-in rollouts: what the sampler needs of a scene.

use crate::{Error, Result};

/// A scene that is rendered frame by frame.
pub(super) struct Stage {
    /// Frames.
    pub frames: u64,
    /// Frames a second.
    pub rate_hz: f64,
    /// Renders the frame of an index below `frames`.
    pub render: Box<dyn Fn(u64) -> image::RgbImage>,
}

/// The scene of that id.
pub(super) fn stage(scene: &str) -> Result<Stage> {
    Err(Error::input(format!("there is no built-in rollout {scene}")))
}
