//! Units by trajectory, in as many parts as keep what is at work within a core's cache.

use rayon::prelude::*;

use super::cell::Cell;
use super::dictionary::Pairs;
use super::part::Units;
use super::tally::Counting;

/// So many parts. Half a million units in one table are 45 MB, and every row of a table in no order is a walk to main
/// memory and back; a sixty-fourth of them is less than a megabyte.
const SHARDS: u32 = 64;

/// Rows that wait for their shard's turn, at most.
const WAITING: usize = 8192;

/// The units met so far.
pub(super) struct Shards<'a> {
    counting: &'a Counting,
    /// Which of the key columns is the trajectory.
    trajectory: usize,
    shards: Vec<Shard>,
}

struct Shard {
    folds: Vec<Pairs>,
    /// A code a key column, unit after unit.
    codes: Vec<u32>,
    cells: Vec<Cell>,
    /// Pairs on the wrong side, a boundary each, unit after unit.
    failed: Vec<u32>,
    /// Rows that wait: a code a key column each, and score and label.
    waiting: (Vec<u32>, Vec<(f64, f64)>),
}

impl<'a> Shards<'a> {
    /// `trajectory` is the place of the trajectory among the key columns.
    pub fn new(counting: &'a Counting, trajectory: usize) -> Self {
        let shard = || Shard {
            folds: counting.keys.iter().map(|_| Pairs::with_room((1 << 20) / SHARDS as usize)).collect(),
            codes: Vec::new(),
            cells: Vec::new(),
            failed: Vec::new(),
            waiting: (Vec::new(), Vec::new()),
        };
        Self { counting, trajectory, shards: (0..SHARDS).map(|_| shard()).collect() }
    }

    /// Takes in the units of a chunk. `global` has the code over all chunks of each code of the chunk, column by column.
    pub fn absorb(&mut self, units: Units, global: &[Vec<u32>]) {
        let (counting, trajectory) = (self.counting, self.trajectory);
        let stride = counting.boundaries.len();
        let mut codes = vec![0u32; global.len()];
        match units {
            Units::Runs { codes: local, cells, failed } => {
                for (i, (local, cell)) in local.chunks_exact(codes.len()).zip(&cells).enumerate() {
                    for place in 0..codes.len() {
                        codes[place] = global[place][local[place] as usize];
                    }
                    let shard = &mut self.shards[(codes[trajectory] % SHARDS) as usize];
                    // In the order of the rows: what waits came before.
                    shard.work_off(counting, trajectory);
                    let place = shard.unit(&codes, trajectory, stride);
                    shard.cells[place].merge(cell);
                    let failed = &failed[i * stride..(i + 1) * stride];
                    for (all, one) in shard.failed[place * stride..].iter_mut().zip(failed) {
                        *all += one;
                    }
                }
            }
            Units::Rows { codes: local, pairs } => {
                for pair in &pairs {
                    let row = pair.row as usize;
                    for place in 0..codes.len() {
                        codes[place] = global[place][local[place][row] as usize];
                    }
                    let shard = &mut self.shards[(codes[trajectory] % SHARDS) as usize];
                    shard.waiting.0.extend_from_slice(&codes);
                    shard.waiting.1.push((pair.score, pair.label));
                    if shard.waiting.1.len() == WAITING {
                        shard.work_off(counting, trajectory);
                    }
                }
            }
        }
    }

    /// All units: a code a key column, their sums, and their failures a boundary.
    pub fn finish(mut self) -> (Vec<u32>, Vec<Cell>, Vec<u32>) {
        let (counting, trajectory) = (self.counting, self.trajectory);
        self.shards.par_iter_mut().for_each(|shard| shard.work_off(counting, trajectory));
        let units: usize = self.shards.iter().map(|shard| shard.cells.len()).sum();
        let mut codes = Vec::with_capacity(units * counting.keys.len());
        let mut cells = Vec::with_capacity(units);
        let mut failed = Vec::with_capacity(units * counting.boundaries.len());
        for mut shard in self.shards.drain(..) {
            codes.append(&mut shard.codes);
            cells.append(&mut shard.cells);
            failed.append(&mut shard.failed);
        }
        (codes, cells, failed)
    }
}

impl Shard {
    /// Takes in the rows that wait.
    fn work_off(&mut self, counting: &Counting, trajectory: usize) {
        if self.waiting.1.is_empty() {
            return;
        }
        let stride = counting.boundaries.len();
        let (mut codes, mut pairs) = std::mem::take(&mut self.waiting);
        for (codes, (score, label)) in codes.chunks_exact(counting.keys.len()).zip(&pairs) {
            let place = self.unit(codes, trajectory, stride);
            let failed = &mut self.failed[place * stride..(place + 1) * stride];
            self.cells[place].push(*score, *label, counting.substitute, &counting.boundaries, failed);
        }
        codes.clear();
        pairs.clear();
        self.waiting = (codes, pairs);
    }

    /// The place of the unit with these codes: an empty one, if it was not seen before.
    #[inline]
    fn unit(&mut self, codes: &[u32], trajectory: usize, stride: usize) -> usize {
        let mut place = 0;
        for (i, (fold, code)) in self.folds.iter_mut().zip(codes).enumerate() {
            // A shard has every so-manieth trajectory.
            let code = if i == trajectory { *code / SHARDS } else { *code };
            place = fold.code(place, code);
        }
        let place = place as usize;
        if place == self.cells.len() {
            self.codes.extend_from_slice(codes);
            self.cells.push(Cell::new());
            self.failed.resize(self.cells.len() * stride, 0);
        }
        place
    }
}
