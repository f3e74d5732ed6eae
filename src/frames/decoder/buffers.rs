//! Memory of pictures, used again.
//!
//! A study takes the same tens of megabytes for each trajectory and lets them go before the next. Through the allocator
//! they would go back to the kernel each time, and its clearing of fresh pages costs more than copying the pixels.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use super::hold;

/// Buffers that were handed out and may come back: those that nobody else holds any more are free.
#[derive(Default)]
pub(super) struct Buffers(Mutex<VecDeque<Arc<[u8]>>>);

/// No more memory than this is kept from its freeing, in bytes.
const MOST: usize = 64 << 20;

impl Buffers {
    /// A buffer of that length that nobody else holds; what it contains is of no meaning.
    pub fn take(&self, length: usize) -> Arc<[u8]> {
        let mut known = hold(&self.0);
        let free = known.iter().position(|buffer| buffer.len() == length && Arc::strong_count(buffer) == 1);
        let reused = free.and_then(|at| known.remove(at));
        drop(known);
        reused.unwrap_or_else(|| std::iter::repeat_n(0, length).collect())
    }

    /// Remembers a buffer that is about to be handed out; the oldest are forgotten where they are too many.
    pub fn remember(&self, buffer: &Arc<[u8]>) {
        let mut known = hold(&self.0);
        known.push_back(buffer.clone());
        let mut kept: usize = known.iter().map(|buffer| buffer.len()).sum();
        while kept > MOST {
            kept -= known.pop_front().map_or(kept, |buffer| buffer.len());
        }
    }
}
