//! The seam to the built-in rollouts: what the sampler needs of a scene.

use crate::dataset::demo;
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
pub(super) fn stage(id: &str) -> Result<Stage> {
    let scene = demo::scene(id).ok_or_else(|| {
        let scenes: Vec<&str> = demo::scenes().iter().map(demo::Scene::id).collect();
        Error::input(format!("there is no built-in rollout {id}")).with_help(format!("there are: {}", scenes.join(", ")))
    })?;
    Ok(Stage {
        frames: scene.frame_count(),
        rate_hz: scene.rate_hz(),
        render: Box::new(|index| scene.render(index)),
    })
}
