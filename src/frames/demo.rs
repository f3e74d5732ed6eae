//! The seam to the built-in rollouts: what the sampler needs of a scene.

use crate::dataset::demo;
use crate::{Error, Result};

/// A scene that is rendered frame by frame.
pub(super) struct Stage(&'static demo::Scene);

/// The scene of that id.
pub(super) fn stage(scene: &str) -> Result<Stage> {
    demo::scene(scene).map(Stage).ok_or_else(|| {
        let ids = demo::scenes().iter().map(demo::Scene::id);
        let near = crate::error::nearest(scene, ids.clone());
        let known = if near.is_empty() { ids.collect::<Vec<_>>() } else { near };
        Error::input(format!("there is no built-in rollout {scene}"))
            .with_help(format!("there is {}", known.join(", ")))
    })
}

impl Stage {
    /// Frames.
    pub fn frames(&self) -> u64 {
        self.0.frame_count()
    }

    /// Frames a second.
    pub fn rate_hz(&self) -> f64 {
        self.0.rate_hz()
    }

    /// Draws a frame.
    pub fn render(&self, index: u64) -> image::RgbImage {
        self.0.render(index)
    }
}
