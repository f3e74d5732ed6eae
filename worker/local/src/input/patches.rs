//! Frames to patches: resize, normalise, cut.

use tch::{Device, Kind, Tensor};

use super::{Grid, image_size, video_size};
use crate::checkpoint::{Checkpoint, ImagePixels, VisionConfig};
use crate::{Error, Result};

/// The patches of a picture or a video.
pub struct Patches {
    /// `[t * h * w, 3 * temporal_patch * patch * patch]`, 32-bit floats on the CPU. The patches that are merged into one
    /// token follow each other; inside a patch come channel, time, row, column.
    pub values: Tensor,
    /// How many there are on each axis.
    pub grid: Grid,
}

/// Cuts frames into patches: `[frames, 3, height, width]` of bytes on the CPU.
///
/// A single frame of a video is doubled. Where `image` is set, the one frame is an image.
///
/// # Errors
/// Where there is no frame, or the size is impossible.
pub fn patches(frames: &Tensor, checkpoint: &Checkpoint, image: bool) -> Result<Patches> {
    let vision = &checkpoint.config.vision;
    let &[count, 3, height, width] = frames.size().as_slice() else {
        return Err(Error::internal(format!("frames of the shape {:?}", frames.size())));
    };
    if count == 0 {
        return Err(Error::request("a clip without a frame"));
    }
    let doubled;
    let frames = if count == 1 && !image {
        doubled = frames.repeat([vision.temporal_patch, 1, 1, 1]);
        &doubled
    } else {
        frames
    };
    let count = frames.size()[0];
    let (pixels, (h, w)) = if image {
        (&checkpoint.image, image_size(height, width, &checkpoint.image, vision)?)
    } else {
        (&checkpoint.video.image, video_size(count, height, width, &checkpoint.video, vision)?)
    };
    if h * w > 1 << 28 {
        return Err(Error::request(format!(
            "frames of {width} x {height} pixels become {w} x {h}, more than fit in memory"
        )));
    }
    // On bytes: between the passes over rows and columns the kernel rounds, and the models were trained on that.
    let resized = if (h, w) == (height, width) {
        frames.shallow_clone()
    } else {
        frames.internal_upsample_bicubic2d_aa([h, w], false, None, None)
    };
    let values = normalise(&resized, pixels);
    Ok(cut(&values, vision))
}

/// `(level - 255 mean) / (255 std)`, in 32-bit floats.
fn normalise(frames: &Tensor, pixels: &ImagePixels) -> Tensor {
    let row = |numbers: [f64; 3]| {
        let scaled = numbers.map(|number| (number * 255.0) as f32);
        Tensor::from_slice(&scaled).view([1, 3, 1, 1])
    };
    // Of its own, so that it can be changed in place: the pixels of a clip are tens of megabytes.
    frames.to_kind(Kind::Float).g_sub_(&row(pixels.mean)).g_div_(&row(pixels.std))
}

fn cut(frames: &Tensor, vision: &VisionConfig) -> Patches {
    let (patch, together, merge) = (vision.patch, vision.temporal_patch, vision.merge);
    let size = frames.size();
    let missing = (together - size[0] % together) % together;
    let padded = if missing > 0 {
        let last = frames.narrow(0, size[0] - 1, 1).expand([missing, -1, -1, -1], false);
        Tensor::cat(&[frames, &last], 0)
    } else {
        frames.shallow_clone()
    };
    let grid = Grid { t: padded.size()[0] / together, h: size[2] / patch, w: size[3] / patch };
    let values = padded
        .view(&[grid.t, together, 3, grid.h / merge, merge, patch, grid.w / merge, merge, patch][..])
        .permute([0, 3, 6, 4, 7, 2, 1, 5, 8])
        .reshape([grid.t * grid.h * grid.w, 3 * together * patch * patch]);
    debug_assert_eq!(values.device(), Device::Cpu);
    Patches { values, grid }
}
