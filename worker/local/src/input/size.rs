//! The size that frames are brought to before they are cut into patches.

use crate::checkpoint::{ImagePixels, VideoPixels, VisionConfig};
use crate::{Error, Result};

/// Patches in time, height and width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Pairs of frames.
    pub t: i64,
    /// Rows of patches, before merging.
    pub h: i64,
    /// Patches a row, before merging.
    pub w: i64,
}

impl Grid {
    /// Tokens that one pair of frames becomes.
    pub fn tokens_a_pair(&self, merge: i64) -> i64 {
        self.h * self.w / (merge * merge)
    }
}

/// Height and width that the frames of a video are brought to (`smart_resize` of `video_processing_qwen3_vl.py`).
///
/// # Errors
/// Where a side is 0, there are fewer frames than a patch spans, or one side is more than 200 times the other.
pub fn video_size(
    frames: i64,
    height: i64,
    width: i64,
    pixels: &VideoPixels,
    vision: &VisionConfig,
) -> Result<(i64, i64)> {
    let factor = vision.patch * vision.merge;
    if frames < vision.temporal_patch {
        return Err(Error::request(format!("{frames} frames, and a patch spans {}", vision.temporal_patch)));
    }
    some_pixels(height, width)?;
    let (fewest, mut most) = (pixels.image.fewest, pixels.image.most);
    if pixels.cap_frames {
        let frame = pixels.frame_tokens * factor * factor;
        let floor = (fewest as f64 * 1.05) as i64;
        most = frames * frame.min(most / frames).max(floor);
    }
    let true_size = (height, width);
    let (mut height, mut width) = (height as f64, width as f64);
    if height < factor as f64 || width < factor as f64 {
        let scale = (factor as f64 / height).max(factor as f64 / width);
        (height, width) = ((height * scale).trunc(), (width * scale).trunc());
    }
    check_ratio((height, width), true_size)?;
    let (h, w) = (rounded(height, factor), rounded(width, factor));
    let t = rounded(frames as f64, vision.temporal_patch);
    // The test takes the rounded number of frames, the scale the true one: as the original has it.
    let area = frames as f64 * height * width;
    Ok(fit(t * h * w, area, (height, width), (h, w), factor, fewest, most))
}

/// Height and width that an image is brought to (`smart_resize` of `image_processing_qwen2_vl.py`).
///
/// # Errors
/// Where a side is 0, or more than 200 times the other.
pub fn image_size(height: i64, width: i64, pixels: &ImagePixels, vision: &VisionConfig) -> Result<(i64, i64)> {
    let factor = vision.patch * vision.merge;
    some_pixels(height, width)?;
    let true_size = (height, width);
    let (height, width) = (height as f64, width as f64);
    check_ratio((height, width), true_size)?;
    let (h, w) = (rounded(height, factor), rounded(width, factor));
    Ok(fit(h * w, height * width, (height, width), (h, w), factor, pixels.fewest, pixels.most))
}

fn fit(
    rounded_pixels: i64,
    true_pixels: f64,
    (height, width): (f64, f64),
    rounded: (i64, i64),
    factor: i64,
    fewest: i64,
    most: i64,
) -> (i64, i64) {
    let step = factor as f64;
    if rounded_pixels > most {
        let beta = (true_pixels / most as f64).sqrt();
        let down = |side: f64| factor.max((side / beta / step).floor() as i64 * factor);
        (down(height), down(width))
    } else if rounded_pixels < fewest {
        let beta = (fewest as f64 / true_pixels).sqrt();
        let up = |side: f64| (side * beta / step).ceil() as i64 * factor;
        (up(height), up(width))
    } else {
        rounded
    }
}

/// To a multiple, halves to even, as Python rounds.
fn rounded(side: f64, factor: i64) -> i64 {
    (side / factor as f64).round_ties_even() as i64 * factor
}

fn some_pixels(height: i64, width: i64) -> Result<()> {
    match height > 0 && width > 0 {
        true => Ok(()),
        false => Err(Error::request(format!("a picture of {width} x {height} pixels is none"))),
    }
}

/// `true_size`, height and width, is what the user knows: a picture that is too small was enlarged before this.
fn check_ratio((height, width): (f64, f64), true_size: (i64, i64)) -> Result<()> {
    let ratio = height.max(width) / height.min(width);
    if ratio > 200.0 {
        let (height, width) = true_size;
        return Err(Error::request(format!("{width} x {height} pixels: one side is {ratio:.0} times the other"))
            .with_help("the model takes pictures of an aspect ratio up to 200"));
    }
    Ok(())
}
