//! How frames become pixels: `video_preprocessor_config.json` and `preprocessor_config.json`, or both inside
//! `processor_config.json`, as later versions write them. What is absent has the default of its class.

use std::path::Path;

use serde_json::{Value, json};

use super::VisionConfig;
use super::fields::Fields;
use super::files::read_json_if_any;
use crate::{Error, Result};

/// How the frames of a video become pixels.
#[derive(Clone, Debug, PartialEq)]
pub struct VideoPixels {
    /// What both kinds share.
    pub image: ImagePixels,
    /// Whether each frame may have no more pixels than [`VideoPixels::frame_tokens`] make.
    pub cap_frames: bool,
    /// Tokens a frame under that cap.
    pub frame_tokens: i64,
}

/// How an image becomes pixels.
#[derive(Clone, Debug, PartialEq)]
pub struct ImagePixels {
    /// Pixels of the whole picture (of a video: of all its frames) at least.
    pub fewest: i64,
    /// Pixels of the whole picture (of a video: of all its frames) at most.
    pub most: i64,
    /// Subtracted from every channel, as a share of 255.
    pub mean: [f64; 3],
    /// Divides every channel, as a share of 255.
    pub std: [f64; 3],
}

/// Reads both; `notes` is told of what is absent.
pub(super) fn read(
    folder: &Path,
    vision: &VisionConfig,
    notes: &mut Vec<String>,
) -> Result<(VideoPixels, ImagePixels)> {
    let shared = folder.join("processor_config.json");
    let both = read_json_if_any(&shared)?.unwrap_or_else(|| Value::Object(Default::default()));
    let at = |error: Error| error.at(&shared.display().to_string());
    let both = Fields::new(&both, "").map_err(at)?;
    let part = |file: &str, key: &'static str| -> Result<(Value, String)> {
        let path = folder.join(file);
        if let Some(value) = read_json_if_any(&path)? {
            return Ok((value, path.display().to_string()));
        }
        Ok(match both.child(key).map_err(at)? {
            Some(fields) => (fields.value(), shared.display().to_string()),
            None => (Value::Object(Default::default()), path.display().to_string()),
        })
    };
    let (value, place) = part("video_preprocessor_config.json", "video_processor")?;
    let is_there = value.as_object().is_some_and(|fields| !fields.is_empty());
    let video = video(&value, vision).map_err(|error| error.at(&place))?;
    if !is_there {
        notes.push(format!(
            "no video_preprocessor_config.json: frames have {} to {} pixels in all, the defaults of transformers",
            video.image.fewest, video.image.most
        ));
    }
    let (value, place) = part("preprocessor_config.json", "image_processor")?;
    // The class of the image processor has other defaults for mean and size, which no Qwen3-VL was trained with; the
    // published file has these.
    let defaults = ImagePixels { fewest: 65_536, most: 16_777_216, mean: [0.5; 3], std: [0.5; 3] };
    let image = image(&value, vision, defaults).map_err(|error| error.at(&place))?;
    Ok((video, image))
}

fn video(value: &Value, vision: &VisionConfig) -> Result<VideoPixels> {
    let fields = Fields::new(value, "")?;
    let defaults = ImagePixels { fewest: 128 * 32 * 32, most: 32 * 32 * 768, mean: [0.5; 3], std: [0.5; 3] };
    Ok(VideoPixels {
        image: image(value, vision, defaults)?,
        cap_frames: fields.flag("cap_pixels_per_frame")?.unwrap_or(false),
        frame_tokens: fields.positive_or("max_video_tokens", 768)?,
    })
}

fn image(value: &Value, vision: &VisionConfig, defaults: ImagePixels) -> Result<ImagePixels> {
    let fields = Fields::new(value, "")?;
    for step in ["do_resize", "do_rescale", "do_normalize"] {
        fields.only(step, &json!(true))?;
    }
    for step in ["do_center_crop", "do_pad"] {
        fields.only(step, &json!(false))?;
    }
    // 3 is bicubic; 1/255.
    fields.only("resample", &json!(3))?;
    fields.only("rescale_factor", &json!(1.0 / 255.0))?;
    for (name, here) in
        [("patch_size", vision.patch), ("temporal_patch_size", vision.temporal_patch), ("merge_size", vision.merge)]
    {
        let there = fields.positive_or(name, here)?;
        if there != here {
            return Err(Error::setup(format!("{name} is {there}, and config.json has {here}")));
        }
    }
    let size = fields.child("size")?;
    let edge = |name: &str, old: &str, default: i64| -> Result<i64> {
        let new = size.as_ref().map_or(Ok(None), |size| size.number_or_null(name))?;
        let old = fields.number_or_null(old)?;
        Ok(new.or(old).map_or(default, |edge| edge as i64))
    };
    let three = |name: &str, default: [f64; 3]| match fields.numbers_or_null(name)? {
        None => Ok(default),
        Some(numbers) => <[f64; 3]>::try_from(numbers)
            .map_err(|numbers| Error::setup(format!("{name} has {} numbers, not 3", numbers.len()))),
    };
    let pixels = ImagePixels {
        fewest: edge("shortest_edge", "min_pixels", defaults.fewest)?,
        most: edge("longest_edge", "max_pixels", defaults.most)?,
        mean: three("image_mean", defaults.mean)?,
        std: three("image_std", defaults.std)?,
    };
    if pixels.fewest < 1 || pixels.most < pixels.fewest || pixels.std.contains(&0.0) {
        return Err(Error::setup(format!(
            "a picture of {} to {} pixels, divided by {:?}, is impossible",
            pixels.fewest, pixels.most, pixels.std
        )));
    }
    Ok(pixels)
}
