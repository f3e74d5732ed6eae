//! What is asked of a score table.

use std::path::Path;

use rayon::prelude::*;

use super::bootstrap::{interval, resample};
use super::group::{Groups, Members};
use super::key::Key;
use super::metric::{Estimate, Metric, Totals, sum};
use super::output::{Robustness, Row};
use super::policy::{Repeats, Unparsed};
use super::repeats;
use super::source::{Parquet, Source};
use super::tally::{Counting, Tally};
use crate::error::nearest;
use crate::scores::{ScoreTable, column};
use crate::{Error, Result};

/// Scores 4 and 5 are success.
pub const DEFAULT_BOUNDARY: f64 = 3.5;

/// Resamples behind each interval.
pub const DEFAULT_RESAMPLES: usize = 2000;

/// Resamples at most: their figures are held in memory.
const MOST_RESAMPLES: usize = 100_000;

/// A question to a score table: how to group it, what success is, how to treat repeats and unparsed replies, and how to
/// resample. The definitions are those of [the module](super).
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// Columns to group by.
    pub by: Vec<String>,
    /// Success is a score above it. Must be finite.
    pub boundary: f64,
    /// Degrees of freedom taken off in the standard deviation over a trajectory's scores.
    pub ddof: u8,
    /// Bootstrap resamples; 0 for no intervals.
    pub resamples: usize,
    /// The seed of the resamples: equal seeds give equal intervals.
    pub seed: u64,
    /// Level of the intervals, between 0 and 1.
    pub level: f64,
    /// Which of several repeats enter.
    pub repeats: Repeats,
    /// What stands in for an unparsed reply.
    pub unparsed: Unparsed,
}

impl Default for Analysis {
    fn default() -> Self {
        Self {
            by: vec![column::MODEL.to_owned(), column::STRATEGY.to_owned()],
            boundary: DEFAULT_BOUNDARY,
            ddof: 0,
            resamples: DEFAULT_RESAMPLES,
            seed: 0,
            level: 0.95,
            repeats: Repeats::default(),
            unparsed: Unparsed::default(),
        }
    }
}

impl Analysis {
    /// By model and strategy, over the boundary 3.5, with 95 % intervals of 2,000 resamples.
    pub fn new() -> Self {
        Self::default()
    }

    /// Groups by these columns.
    #[must_use]
    pub fn by<S: Into<String>>(mut self, columns: impl IntoIterator<Item = S>) -> Self {
        self.by = columns.into_iter().map(Into::into).collect();
        self
    }

    /// Success is a score above `boundary`.
    #[must_use]
    pub fn boundary(mut self, boundary: f64) -> Self {
        self.boundary = boundary;
        self
    }

    /// Takes `ddof` degrees of freedom off in the standard deviation (0: population form, 1: sample form).
    #[must_use]
    pub fn ddof(mut self, ddof: u8) -> Self {
        self.ddof = ddof;
        self
    }

    /// So many bootstrap resamples; 0 for no intervals.
    #[must_use]
    pub fn resamples(mut self, resamples: usize) -> Self {
        self.resamples = resamples;
        self
    }

    /// The seed of the resamples.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The level of the intervals.
    #[must_use]
    pub fn level(mut self, level: f64) -> Self {
        self.level = level;
        self
    }

    /// Which of several repeats enter.
    #[must_use]
    pub fn repeats(mut self, repeats: Repeats) -> Self {
        self.repeats = repeats;
        self
    }

    /// What stands in for an unparsed reply.
    #[must_use]
    pub fn unparsed(mut self, unparsed: Unparsed) -> Self {
        self.unparsed = unparsed;
        self
    }

    /// The figures of every group.
    ///
    /// # Errors
    /// A column to group by that the table lacks (or of a type that cannot group), a boundary, level or substitute that
    /// makes no sense, an infinite score or label, a table of which no row is left.
    pub fn run(&self, table: &ScoreTable) -> Result<Robustness> {
        let all = self.robustness(&Source::Frame(table.frame()), &[self.boundary])?;
        one(all)
    }

    /// [`Analysis::run`] on a Parquet file, read a piece at a time: memory grows with the number of trajectories and
    /// groups, not of rows. The file is taken at its word that no key repeats; [`ScoreTable`] checks that.
    ///
    /// # Errors
    /// Those of [`Analysis::run`]; a file that cannot be read.
    pub fn run_file(&self, path: impl AsRef<Path>) -> Result<Robustness> {
        let all = self.robustness(&Source::Parquet(Parquet::open(path.as_ref())?), &[self.boundary])?;
        one(all)
    }

    /// The same figures over several boundaries, in one pass over the rows: a result a boundary, in their order.
    ///
    /// # Errors
    /// Those of [`Analysis::run`].
    pub fn over_boundaries(&self, table: &ScoreTable, boundaries: &[f64]) -> Result<Vec<Robustness>> {
        self.robustness(&Source::Frame(table.frame()), boundaries)
    }

    /// [`Analysis::over_boundaries`] on a Parquet file, as [`Analysis::run_file`] reads it.
    ///
    /// # Errors
    /// Those of [`Analysis::run_file`].
    pub fn over_boundaries_file(&self, path: impl AsRef<Path>, boundaries: &[f64]) -> Result<Vec<Robustness>> {
        self.robustness(&Source::Parquet(Parquet::open(path.as_ref())?), boundaries)
    }

    fn robustness(&self, source: &Source, boundaries: &[f64]) -> Result<Vec<Robustness>> {
        let tally = self.tally(source, boundaries)?;
        let groups = Groups::of(&tally, &self.by, self.ddof);
        let results = boundaries.iter().enumerate().map(|(place, &boundary)| Robustness {
            by: groups.by.clone(),
            rows: groups.members.par_iter().map(|members| self.row(&groups, members, (boundary, place))).collect(),
            boundary,
            ddof: self.ddof,
            resamples: self.resamples,
            seed: self.seed,
            level: self.level,
            repeats: self.repeats,
            unparsed: self.unparsed,
            left_out: tally.left_out,
        });
        Ok(results.collect())
    }

    fn row(&self, groups: &Groups, members: &Members, boundary: (f64, usize)) -> Row {
        let trajectories = groups.clusters(members, boundary).totals;
        let all = sum(&trajectories);
        let resampled = resample(&trajectories, self.resamples, self.seed);
        let estimate = |metric: Metric| {
            let (_, under) = metric.ratio();
            let contribute = trajectories.iter().filter(|totals| totals[under] > 0.0).take(2).count();
            Estimate {
                value: metric.of(&all),
                n: all[under] as u64,
                interval: (contribute == 2)
                    .then(|| interval(resampled.iter().map(|sums: &Totals| metric.of(sums)), self.level))
                    .flatten(),
            }
        };
        let (pairs, unparsed) = groups.pairs(members);
        Row {
            group: members.group.clone(),
            trajectories: trajectories.len() as u64,
            pairs,
            unparsed,
            crossing_rate: estimate(Metric::CrossingRate),
            failure_rate: estimate(Metric::FailureRate),
            failed_trajectories: estimate(Metric::FailedTrajectories),
            mean_error: estimate(Metric::MeanError),
            range: estimate(Metric::Range),
            std: estimate(Metric::Std),
        }
    }

    /// Counts the rows of a source by the columns of `by` and those that tell units apart.
    pub(super) fn tally(&self, source: &Source, boundaries: &[f64]) -> Result<Tally> {
        self.check(boundaries)?;
        let names = source.names();
        let has = |name: &str| names.contains(&name);
        for name in [column::MODEL, column::TRAJECTORY, column::STRATEGY, column::SCORE] {
            if !has(name) {
                return Err(Error::input(format!("no column `{name}`"))
                    .with_help(format!("a score table has it; the columns here are {}", names.join(", "))));
            }
        }
        let asked = |name: &str| self.by.iter().any(|by| by == name);
        for (place, name) in self.by.iter().enumerate() {
            if !has(name) {
                return Err(unknown_column(name, &names));
            }
            if self.by[..place].contains(name) {
                return Err(Error::usage(format!("column `{name}` stands twice among those to group by"))
                    .with_help("name it once"));
            }
        }
        let mut keys: Vec<String> = Vec::new();
        let units = [column::MODEL, column::CONFIG, column::DATASET, column::TRAJECTORY];
        for name in self.by.iter().map(String::as_str).chain(units.into_iter().filter(|name| has(name))) {
            if !keys.iter().any(|key| key == name) {
                keys.push(name.to_owned());
            }
        }
        let counting = Counting {
            keys,
            boundaries: boundaries.to_vec(),
            substitute: self.unparsed.substitute(),
            has_label: has(column::LABEL),
            first_repeat_only: has(column::REPEAT) && !asked(column::REPEAT) && self.repeats == Repeats::First,
            no_variants: has(column::SEED) && !asked(column::SEED),
            no_original: !asked(column::STRATEGY),
        };
        let tally = match self.repeats {
            Repeats::Mean if asked(column::REPEAT) => {
                return Err(Error::usage("rows grouped by `repeat` have no mean over repeats")
                    .with_help("take `repeat` out of the columns to group by, or keep repeats as they are"));
            }
            Repeats::Mean if has(column::REPEAT) => {
                Tally::of(&Source::Frame(&repeats::averaged(source, &counting)?), &counting)?
            }
            _ => Tally::of(source, &counting)?,
        };
        if tally.cells.is_empty() {
            return Err(nothing_left(&tally));
        }
        Ok(tally)
    }

    fn check(&self, boundaries: &[f64]) -> Result<()> {
        if let Some(boundary) = boundaries.iter().find(|boundary| !boundary.is_finite()) {
            return Err(Error::usage(format!("the boundary {boundary} is not a finite number"))
                .with_help("success is a score above the boundary: 3.5 counts 4 and 5, 4.5 counts 5 alone"));
        }
        if !(self.level > 0.0 && self.level < 1.0) {
            return Err(Error::usage(format!("the level {} is not between 0 and 1", self.level))
                .with_help("0.95 gives 95 % intervals"));
        }
        if self.resamples > MOST_RESAMPLES {
            return Err(Error::usage(format!("{} resamples", self.resamples))
                .with_help(format!("at most {MOST_RESAMPLES}: the ends of an interval are steady long before")));
        }
        // The ends of an interval are resamples: with fewer than these there is none so far out.
        let least = (2.0 / (1.0 - self.level) - 1e-6).ceil();
        if self.resamples > 0 && (self.resamples as f64) < least {
            let (resamples, level) = (self.resamples, self.level * 100.0);
            return Err(Error::usage(format!("resamples: {resamples} is too few for {level} % intervals"))
                .with_help(format!("at least {least}, {DEFAULT_RESAMPLES} for steady ends, or 0 for no intervals")));
        }
        if self.unparsed.substitute().is_some_and(|score| !score.is_finite()) {
            return Err(Error::usage("the score that stands in for unparsed replies is not a finite number")
                .with_help("give one from 1 to 5, or exclude them"));
        }
        Ok(())
    }
}

fn one(mut all: Vec<Robustness>) -> Result<Robustness> {
    all.pop().ok_or_else(|| Error::usage("no boundary was given"))
}

fn unknown_column(name: &str, present: &[&str]) -> Error {
    let near = nearest(name, present.iter().copied());
    let hint = if near.is_empty() { String::new() } else { format!("did you mean {}? ", near.join(" or ")) };
    Error::usage(format!("no column `{name}` to group by"))
        .with_help(format!("{hint}the columns here are {}", present.join(", ")))
}

fn nothing_left(tally: &Tally) -> Error {
    let left_out = tally.left_out;
    if left_out.repeats > 0 {
        return Error::input("no row of the score table is a first repeat")
            .with_help("repeats count from 0; take the mean over repeats, or group by `repeat`");
    }
    if left_out.variants > 0 {
        return Error::input("every row of the score table is a variant made for aggregation")
            .with_help("`seed` names the paraphrase that a variant came from; group by `seed` to see variants");
    }
    if left_out.original > 0 {
        return Error::input("the score table has the original instruction alone, no paraphrases")
            .with_help("group by `strategy` to see the original instruction");
    }
    Error::input("the score table is empty").with_help("score some trajectories first: `roborm score DATASET …`")
}

/// The names of a column, for messages.
pub(super) fn texts(keys: &[Key]) -> Vec<&str> {
    keys.iter().filter_map(Key::as_str).collect()
}
