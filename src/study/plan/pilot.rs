//! A small part of a dataset that stands for all of it.

use std::collections::{BTreeMap, VecDeque};

use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use crate::dataset::Trajectory;

/// `limit` of `trajectories`, in order: as evenly as can be over the labels, and within a label over the tasks.
///
/// Labels take turns, and within a label its tasks; each gives the next of its trajectories in an order that the seed
/// shuffles. So a pilot of 50 is the beginning of one of 100 under the same seed, and what it cost is not paid again.
pub(super) fn choose(trajectories: &[Trajectory], limit: usize, seed: u64) -> Vec<usize> {
    let mut strata: BTreeMap<Option<u8>, BTreeMap<&str, Vec<usize>>> = BTreeMap::new();
    for (n, trajectory) in trajectories.iter().enumerate() {
        let label = trajectory.label.map(crate::dataset::Label::get);
        strata.entry(label).or_default().entry(&trajectory.task).or_default().push(n);
    }
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut labels: Vec<VecDeque<usize>> = Vec::new();
    for tasks in strata.into_values() {
        let mut tasks: Vec<Vec<usize>> = tasks.into_values().collect();
        tasks.shuffle(&mut random);
        tasks.iter_mut().for_each(|task| task.shuffle(&mut random));
        labels.push(in_turn(tasks.into_iter().map(VecDeque::from).collect()).into());
    }
    labels.shuffle(&mut random);
    let mut chosen = in_turn(labels);
    chosen.truncate(limit);
    chosen.sort_unstable();
    chosen
}

/// One from each queue in turn, until all are empty.
fn in_turn(mut queues: Vec<VecDeque<usize>>) -> Vec<usize> {
    let mut out = Vec::new();
    while !queues.is_empty() {
        out.extend(queues.iter_mut().filter_map(VecDeque::pop_front));
        queues.retain(|queue| !queue.is_empty());
    }
    out
}
