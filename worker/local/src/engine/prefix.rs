//! The part of the prompts that is computed once.

use super::{Engine, SeenClip, guarded};
use crate::Result;
use crate::input::positions;
use crate::model::{Attention, Cache, untraced};

/// Fewer further tokens than this are not worth a pass of their own through the weights.
const WORTH_A_PASS: usize = 32;

/// Token ids, and their keys and values.
pub(super) struct Prefix {
    pub(super) ids: Vec<i64>,
    pub(super) cache: Cache,
}

impl Prefix {
    /// How many tokens at the beginning of `ids` are there.
    pub(super) fn common(&self, ids: &[i64]) -> usize {
        common(&self.ids, ids)
    }

    /// Forgets all but the first `length` tokens.
    pub(super) fn crop(&mut self, length: usize) {
        self.ids.truncate(length);
        self.cache.crop(length as i64);
    }

    /// Gives back the memory beyond its tokens.
    pub(super) fn shrink(&mut self) -> Result<()> {
        guarded(|| {
            self.cache.shrink();
            Ok(())
        })
    }
}

/// How many tokens at the beginning two sequences share.
pub(super) fn common(one: &[i64], other: &[i64]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

impl Engine {
    /// Sees to it that the clip has a prefix which is a beginning of `ids` and holds all visual tokens; `ids` holds them.
    pub(super) fn prepare(&self, clip: &mut SeenClip, ids: &[i64]) -> Result<()> {
        let visual = self.visual_end(ids);
        match &mut clip.prefix {
            Some(prefix) if prefix.common(ids) >= visual => {
                let kept = prefix.common(ids);
                prefix.crop(kept);
                if ids.len() - kept >= WORTH_A_PASS {
                    let config = &self.checkpoint.config;
                    let places =
                        positions(ids, [config.image_token, config.video_token], clip.grid, config.vision.merge)?;
                    let rest = &ids[kept..];
                    let owners = vec![super::batch::SHARED; ids.len()];
                    let attention = Attention::Masked(self.mask(&owners, rest.len()));
                    let rows = self.text.embed(rest);
                    let _ =
                        self.text.forward(rows, &places.of[kept..], &attention, None, &mut prefix.cache, &mut untraced);
                    prefix.ids.extend_from_slice(rest);
                }
            }
            _ => {
                clip.prefix = None;
                let mut cache = self.text.cache();
                let _ = self.prefill(clip, ids, &mut cache, &mut untraced)?;
                clip.prefix = Some(Prefix { ids: ids.to_vec(), cache });
            }
        }
        Ok(())
    }

    /// The place after the last visual token.
    pub(super) fn visual_end(&self, ids: &[i64]) -> usize {
        let config = &self.checkpoint.config;
        ids.iter().rposition(|&id| id == config.video_token || id == config.image_token).map_or(0, |last| last + 1)
    }
}
