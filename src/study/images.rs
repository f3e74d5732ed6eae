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

fn prepare_one(frames: &Arc<Frames>, need: ImageNeeds) -> Result<Prepared> {
    let frames = match need.max_images {
        Some(max) if frames.frames.len() > max => Arc::new(frames.down_sample(max)),
        _ => frames.clone(),
    };
    let Some(encoding) = need.encoding else {
        let digest = ImagesDigest::raw(&frames);
        return Ok(Prepared { frames, images: Arc::default(), digest });
    };
    let images = frames.frames.iter().map(|frame| frame.encode(&encoding)).collect::<Result<Vec<_>>>()?;
    let digest = ImagesDigest::encoded(&images);
    Ok(Prepared { frames: Arc::new(without_pixels(&frames)), images: Arc::new(images), digest })
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
