//! Frames: what sampling gives and what reward models see.

use std::fmt;
use std::sync::Arc;

/// Which frames to keep.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampling {
    /// Frames a second; the protocol's is 1.
    pub fps: f64,
    /// At most so many, by uniform down-sampling that keeps first and last.
    pub max: Option<usize>,
    /// Seconds from the trajectory's start.
    pub from_s: Option<f64>,
    /// Seconds from the trajectory's start, exclusive.
    pub to_s: Option<f64>,
}

impl Default for Sampling {
    fn default() -> Self {
        Self { fps: 1.0, max: None, from_s: None, to_s: None }
    }
}

/// One frame: 8-bit RGB, rows from the top, no padding.
#[derive(Clone, PartialEq)]
pub struct Frame {
    /// Presentation index from the trajectory's first frame.
    pub index: u64,
    /// Seconds from the trajectory's first frame.
    pub t_s: f64,
    /// Presentation index from the file's first frame.
    pub file_index: u64,
    /// Seconds of the file's own time.
    pub file_t_s: f64,
    /// Pixels a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// `width * height * 3` bytes.
    pub rgb: Arc<[u8]>,
}

impl fmt::Debug for Frame {
    // A notebook shows what a cell ends in: the pixels would fill it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Frame")
            .field("index", &self.index)
            .field("t_s", &self.t_s)
            .field("file_index", &self.file_index)
            .field("file_t_s", &self.file_t_s)
            .field("size", &format_args!("{} x {}", self.width, self.height))
            .finish_non_exhaustive()
    }
}

/// The frames kept of one trajectory, in order of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Frames {
    /// What they were taken from: a path, or `demo:ID`.
    pub source: String,
    /// The rule that chose them, as the score table records it (for example `1fps+last;max=8;linspace-half-even`).
    pub rule: String,
    /// The frames.
    pub frames: Vec<Frame>,
}

/// How an image is packed for a reward model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ImageFormat {
    /// JPEG at a quality from 1 to 100.
    Jpeg {
        /// 1 to 100.
        quality: u8,
    },
    /// PNG.
    Png,
}

/// Size and packing of an image for a reward model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Encoding {
    /// The file format.
    pub format: ImageFormat,
    /// The longer side in pixels is brought down to this, never up.
    pub max_side: Option<u32>,
}

/// An image as it is sent.
#[derive(Clone, Debug, PartialEq)]
pub struct EncodedImage {
    /// `image/jpeg` or `image/png`.
    pub mime: &'static str,
    /// Pixels a row as sent.
    pub width: u32,
    /// Rows as sent.
    pub height: u32,
    /// The file's bytes.
    pub bytes: Arc<[u8]>,
}
