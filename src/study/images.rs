//! A trajectory's frames as models take them: packed once, however many wordings, repeats and models there are.

use std::sync::Arc;

use super::ledger::ImagesDigest;
use crate::frames::{EncodedImage, Frame, Frames};
use crate::reward::ImageNeeds;
use crate::{Error, Result};

/// The images of a trajectory for one sort of needs.
pub(super) struct Prepared {
    /// Index and time of each frame; the pixels too, where the model takes raw frames.
    pub frames: Arc<Frames>,
    pub images: Arc<Vec<EncodedImage>>,
    pub digest: ImagesDigest,
}

/// Packs `frames` for each of `needs`, equal needs once.
pub(super) fn prepare(frames: Frames, needs: &[ImageNeeds]) -> Result<Vec<Arc<Prepared>>> {
    if frames.frames.is_empty() {
        return Err(Error::input(format!("{}: no frames", frames.source)));
    }
    let frames = Arc::new(frames);
    let mut done: Vec<(ImageNeeds, Arc<Prepared>)> = Vec::new();
    for need in needs {
        if !done.iter().any(|(known, _)| known == need) {
            done.push((*need, Arc::new(prepare_one(&frames, *need)?)));
        }
    }
    let find = |need| done.iter().find(|(known, _)| known == need).map(|(_, prepared)| prepared.clone());
    Ok(needs.iter().filter_map(find).collect())
}

fn prepare_one(all: &Arc<Frames>, need: ImageNeeds) -> Result<Prepared> {
    let mut frames = match need.max_images {
        Some(max) if all.frames.len() > max => Arc::new(all.down_sample(max)),
        _ => all.clone(),
    };
    let Some(encoding) = need.encoding else {
        let digest = ImagesDigest::raw(&frames);
        return Ok(Prepared { frames, images: Arc::default(), digest });
    };
    let mut images = frames.frames.iter().map(|frame| frame.encode(&encoding)).collect::<Result<Vec<_>>>()?;
    if let Some(max) = need.max_bytes {
        while base64_bytes(&images) > max {
            let few = fewer(&frames, images.len(), base64_bytes(&images), max)?;
            frames = Arc::new(all.down_sample(few));
            images = frames.frames.iter().map(|frame| frame.encode(&encoding)).collect::<Result<Vec<_>>>()?;
        }
    }
    let digest = ImagesDigest::encoded(&images);
    Ok(Prepared { frames: Arc::new(without_pixels(&frames)), images: Arc::new(images), digest })
}

/// What the images come to in a request, where they stand as base64.
fn base64_bytes(images: &[EncodedImage]) -> usize {
    images.iter().map(|image| image.bytes.len().div_ceil(3) * 4).sum()
}

/// How many of `count` images that come to `bytes` may fit into `max`: fewer in any case.
fn fewer(frames: &Frames, count: usize, bytes: usize, max: usize) -> Result<usize> {
    if count <= 1 {
        let message = format!("{}: one frame comes to {bytes} bytes, and the model's host takes {max}", frames.source);
        return Err(Error::input(message).with_help("choose another provider or model, or scale the video down"));
    }
    // As many as fit where all are alike, which frames of one video nearly are.
    Ok((count as f64 * max as f64 / bytes as f64).floor().clamp(1.0, (count - 1) as f64) as usize)
}

/// The packed images are all that is sent: pixels of many open trajectories would fill the memory.
fn without_pixels(frames: &Frames) -> Frames {
    let none: Arc<[u8]> = Arc::from([]);
    let strip = |frame: &Frame| Frame { rgb: none.clone(), ..frame.clone() };
    Frames {
        source: frames.source.clone(),
        rule: frames.rule.clone(),
        frames: frames.frames.iter().map(strip).collect(),
    }
}
