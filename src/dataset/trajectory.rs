//! One robot trajectory.

use std::path::PathBuf;

use super::Label;

/// One recorded attempt of a robot at a task.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    /// Unique in its dataset.
    pub id: String,
    /// The original instruction, in words.
    pub task: String,
    /// True progress, where the dataset tells it.
    pub label: Option<Label>,
    /// Seconds from the first to the end of the last frame, where the dataset tells it without decoding. A video that is
    /// all of the trajectory and differs by half a frame or more is refused when frames are sampled from it.
    pub duration_s: Option<f64>,
    /// Where its frames are.
    pub source: Source,
}

/// Where the frames of a trajectory are.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// A video file, or a span of one.
    Video {
        /// The file, resolved and inside its dataset.
        path: PathBuf,
        /// The part of the file that is this trajectory; `None` is all of it.
        span: Option<Span>,
    },
    /// PNG or JPEG files in natural order of their names.
    Images {
        /// The folder, resolved and inside its dataset.
        folder: PathBuf,
        /// Frames a second.
        rate_hz: f64,
    },
    /// One of the built-in rollouts, rendered on demand.
    Demo {
        /// Its id in the demo dataset.
        scene: &'static str,
    },
}

impl Source {
    /// The word of the `source` column of `trajectories`: the path, or `demo:ID`.
    pub fn describe(&self) -> String {
        match self {
            Self::Video { path, .. } => path.display().to_string(),
            Self::Images { folder, .. } => folder.display().to_string(),
            Self::Demo { scene } => format!("demo:{scene}"),
        }
    }
}

/// A part of a video file, in seconds of the file's own time; `to_s` is exclusive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// Start.
    pub from_s: f64,
    /// End, exclusive.
    pub to_s: f64,
}
