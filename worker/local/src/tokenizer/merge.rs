//! Byte pair encoding: the pair of lowest rank is merged first, until none is left that has a rank.

use std::collections::HashMap;

/// The merges by the ids of their pairs, and the ids of single bytes.
pub(super) struct Merges {
    /// For a pair of ids: its rank and the id that it becomes.
    pub(super) pairs: HashMap<(u32, u32), (u32, u32)>,
    /// The id of each byte.
    pub(super) bytes: [u32; 256],
    /// Whole pieces that are taken without merging, where the file asks for that.
    pub(super) whole: Option<HashMap<Vec<u8>, u32>>,
}

impl Merges {
    pub(super) fn encode(&self, piece: &[u8], ids: &mut Vec<i64>) {
        if let Some(id) = self.whole.as_ref().and_then(|whole| whole.get(piece)) {
            ids.push(i64::from(*id));
            return;
        }
        let symbols: Vec<u32> = piece.iter().map(|&byte| self.bytes[usize::from(byte)]).collect();
        ids.extend(self.merge(symbols).into_iter().map(i64::from));
    }

    /// Merges with a heap of pairs, so that a long piece without spaces costs n log n and not n².
    fn merge(&self, mut ids: Vec<u32>) -> Vec<u32> {
        use std::cmp::Reverse;
        use std::collections::BinaryHeap;

        const GONE: u32 = u32::MAX;
        let count = ids.len();
        // The neighbours of each symbol that is still there; `count` is none.
        let mut next: Vec<usize> = (1..=count).collect();
        let mut previous: Vec<usize> = (0..count).map(|at| at.checked_sub(1).unwrap_or(count)).collect();
        let mut heap = BinaryHeap::new();
        let offer = |heap: &mut BinaryHeap<_>, ids: &[u32], left: usize, right: usize| {
            if let Some(&(rank, merged)) = self.pairs.get(&(ids[left], ids[right])) {
                heap.push(Reverse((rank, left, right, ids[left], ids[right], merged)));
            }
        };
        for left in 0..count.saturating_sub(1) {
            offer(&mut heap, &ids, left, left + 1);
        }
        while let Some(Reverse((_, left, right, first, second, merged))) = heap.pop() {
            // A pair that one of its sides has left since.
            if ids[left] != first || ids[right] != second || next[left] != right {
                continue;
            }
            ids[left] = merged;
            ids[right] = GONE;
            next[left] = next[right];
            if next[left] < count {
                previous[next[left]] = left;
                offer(&mut heap, &ids, left, next[left]);
            }
            if previous[left] < count {
                offer(&mut heap, &ids, previous[left], left);
            }
        }
        ids.retain(|&id| id != GONE);
        ids
    }
}
