//! From units to groups of trajectories.

use std::sync::Arc;

use polars::prelude::{PlHashMap, PlHashSet};
use rayon::prelude::*;

use super::analysis::Analysis;
use super::dictionary::Pairs;
use super::key::Group;
use super::metric::{Totals, add};
use super::tally::Tally;
use crate::scores::column;

/// The units of a table by group, and within a group by trajectory.
pub(super) struct Groups<'a> {
    tally: &'a Tally,
    ddof: u8,
    /// The columns grouped by; `dataset` among them where there are several, `config` where some model has several.
    pub by: Arc<[String]>,
    pub members: Vec<Members>,
}

/// The units of one group.
pub(super) struct Members {
    pub group: Group,
    /// Trajectory (dataset and name, by their order) and place of each unit, sorted: the order of the rows that the
    /// units came from leaves no trace.
    units: Vec<(u64, u32)>,
}

/// One group's sums, trajectory by trajectory.
#[derive(Default)]
pub(super) struct Clusters {
    /// The trajectory that each of `totals` is of.
    pub ids: Vec<u64>,
    pub totals: Vec<Totals>,
}

impl<'a> Groups<'a> {
    /// Grouped by these columns, by `dataset` where there are several, and by `config` where some model has several.
    pub fn of(tally: &'a Tally, asked: &Analysis) -> Self {
        Self::exactly(tally, &with_dataset(tally, with_config(tally, &asked.by), asked), asked.ddof)
    }

    /// Grouped by these columns, and by `dataset` where there are several.
    pub fn of_any_config(tally: &'a Tally, asked: &Analysis) -> Self {
        Self::exactly(tally, &with_dataset(tally, asked.by.clone(), asked), asked.ddof)
    }

    /// Grouped by these columns and no other.
    fn exactly(tally: &'a Tally, by: &[String], ddof: u8) -> Self {
        let by: Arc<[String]> = by.into();
        let width = tally.keys.len();
        let places: Vec<usize> = by.iter().filter_map(|name| tally.place(name)).collect();
        let ranks: Vec<Vec<u32>> = tally.dictionaries.iter().map(super::dictionary::Dictionary::ranks).collect();
        let dataset = tally.place(column::DATASET);
        let trajectory = tally.place(column::TRAJECTORY);

        let mut folds: Vec<Pairs> = places.iter().map(|_| Pairs::with_room(1 << 20)).collect();
        let mut members: Vec<Members> = Vec::new();
        let rank = |codes: &[u32], place: Option<usize>| place.map_or(0, |place| ranks[place][codes[place] as usize]);
        for (unit, codes) in tally.codes.chunks_exact(width).enumerate() {
            let mut group = 0;
            for (fold, &place) in folds.iter_mut().zip(&places) {
                group = fold.code(group, codes[place]);
            }
            let group = group as usize;
            if group == members.len() {
                let values = places.iter().map(|&place| tally.key(unit, place).clone()).collect();
                members.push(Members { group: Group::new(Arc::clone(&by), values), units: Vec::new() });
            }
            let cluster = u64::from(rank(codes, dataset)) << 32 | u64::from(rank(codes, trajectory));
            members[group].units.push((cluster, unit as u32));
        }
        let codes = |unit: u32| &tally.codes[unit as usize * width..][..width];
        members.par_iter_mut().for_each(|members| {
            members.units.sort_unstable_by(|a, b| {
                a.0.cmp(&b.0).then_with(|| {
                    let places = codes(a.1).iter().zip(codes(b.1)).zip(&ranks);
                    places
                        .map(|((a, b), ranks)| ranks[*a as usize].cmp(&ranks[*b as usize]))
                        .fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
                })
            });
        });
        members.sort_by(|a, b| a.group.order(&b.group));
        Self { tally, ddof, by, members }
    }

    /// Pairs, and those unparsed, of a group.
    pub fn pairs(&self, members: &Members) -> (u64, u64) {
        let cells = members.units.iter().map(|(_, unit)| &self.tally.cells[*unit as usize]);
        cells.fold((0, 0), |(pairs, unparsed), cell| {
            (pairs + u64::from(cell.pairs), unparsed + u64::from(cell.unparsed))
        })
    }

    /// What each trajectory of a group contributes at a boundary (its value, and its place among those counted).
    pub fn clusters(&self, members: &Members, (boundary, place): (f64, usize)) -> Clusters {
        let mut clusters = Clusters { ids: Vec::new(), totals: Vec::new() };
        for trajectory in members.units.chunk_by(|a, b| a.0 == b.0) {
            let mut totals = Totals::default();
            for &(_, unit) in trajectory {
                let failed = self.tally.failed[unit as usize * self.tally.boundaries + place];
                add(&mut totals, &self.tally.cells[unit as usize], boundary, failed, self.ddof);
            }
            clusters.ids.push(trajectory[0].0);
            clusters.totals.push(totals);
        }
        clusters
    }

    /// The units of a group, in order.
    pub fn units(&self, members: &Members) -> impl Iterator<Item = usize> {
        members.units.iter().map(|(_, unit)| *unit as usize)
    }
}

/// Datasets are no sample of one another: where there are several, `dataset` joins the grouping, before all else.
fn with_dataset(tally: &Tally, mut by: Vec<String>, asked: &Analysis) -> Vec<String> {
    let several = tally.place(column::DATASET).is_some_and(|place| tally.distinct(place) > 1);
    if several && !asked.pool_datasets && !by.iter().any(|name| name == column::DATASET) {
        by.insert(0, column::DATASET.to_owned());
    }
    by
}

/// Groups of several configs of one model are kept apart: `config` joins the grouping, beside the model.
fn with_config(tally: &Tally, by: &[String]) -> Vec<String> {
    let mut by = by.to_vec();
    if !by.iter().any(|name| name == column::CONFIG) && tally.configs().values().any(|count| *count > 1) {
        let model = by.iter().position(|name| name == column::MODEL);
        by.insert(model.map_or(by.len(), |model| model + 1), column::CONFIG.to_owned());
    }
    by
}

impl Tally {
    /// The place of a column among the keys.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.keys.iter().position(|key| key == name)
    }

    /// The value of a unit in the key column at `place`.
    pub fn key(&self, unit: usize, place: usize) -> &super::key::Key {
        &self.dictionaries[place].keys()[self.codes[unit * self.keys.len() + place] as usize]
    }

    /// How many values the units have in the key column at `place`.
    pub fn distinct(&self, place: usize) -> usize {
        self.codes.iter().skip(place).step_by(self.keys.len()).collect::<PlHashSet<_>>().len()
    }

    /// How many configs each model (by code) has; empty where the table does not tell.
    pub fn configs(&self) -> PlHashMap<u32, usize> {
        let mut counts = PlHashMap::default();
        if let (Some(model), Some(config)) = (self.place(column::MODEL), self.place(column::CONFIG)) {
            let mut seen = PlHashSet::default();
            for codes in self.codes.chunks_exact(self.keys.len()) {
                if seen.insert((codes[model], codes[config])) {
                    *counts.entry(codes[model]).or_insert(0) += 1;
                }
            }
        }
        counts
    }
}
