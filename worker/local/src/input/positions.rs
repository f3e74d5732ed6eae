//! Positions in time, height and width for every token (`get_rope_index` of `modeling_qwen3_vl.py`).

use super::Grid;
use crate::{Error, Result};

/// Positions of a sequence of tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Positions {
    /// For each token: time, height, width.
    pub of: Vec<[i64; 3]>,
    /// Added to the place of a token after the sequence to get its position, the same on all three axes.
    pub delta: i64,
}

/// Positions for ids in which every run of image or video tokens is one pair of frames of `grid`.
///
/// Text counts on by one on all axes. Inside a pair, height and width count from where the text stood, time stays (an
/// image has one pair only), and the text goes on after the longer side.
///
/// # Errors
/// Where a run is not as long as a pair of `grid` has tokens.
pub fn positions(ids: &[i64], visual: [i64; 2], grid: Grid, merge: i64) -> Result<Positions> {
    let (h, w) = (grid.h / merge, grid.w / merge);
    let mut of = Vec::with_capacity(ids.len());
    let mut current = 0;
    let mut largest = -1;
    let mut at = 0;
    while at < ids.len() {
        if visual.contains(&ids[at]) {
            let run = ids[at..].iter().take_while(|id| **id == ids[at]).count() as i64;
            if run != h * w {
                return Err(Error::internal(format!("a run of {run} visual tokens where a pair has {}", h * w)));
            }
            of.extend((0..run).map(|k| [current, current + k / w, current + k % w]));
            largest = current + h.max(w) - 1;
            current += h.max(w);
            at += run as usize;
        } else {
            of.push([current; 3]);
            largest = current;
            current += 1;
            at += 1;
        }
    }
    Ok(Positions { of, delta: largest + 1 - ids.len() as i64 })
}
