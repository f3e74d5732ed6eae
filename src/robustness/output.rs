//! The result: a row a group.

use std::ops::AddAssign;
use std::sync::Arc;

use polars::prelude::*;
use serde_json::{Map, Value, json};

use super::key::{Group, column_of};
use super::metric::{Estimate, Metric};
use super::policy::{Repeats, Unparsed};
use crate::Result;

/// The figures of every group, and what they were made with.
#[derive(Clone, Debug)]
pub struct Robustness {
    /// The columns that rows are grouped by; `config` is among them where some model has several.
    pub by: Arc<[String]>,
    /// A row a group: by the values of `by`, strategies as [`Strategy`](crate::paraphrase::Strategy) orders them.
    pub rows: Vec<Row>,
    /// Success is a score above it.
    pub boundary: f64,
    /// Degrees of freedom taken off in the standard deviation.
    pub ddof: u8,
    /// Bootstrap resamples behind each interval.
    pub resamples: usize,
    /// The seed of the resamples.
    pub seed: u64,
    /// Level of the intervals, 0.95 for 95 %.
    pub level: f64,
    /// What was done with repeats.
    pub repeats: Repeats,
    /// What stood in for unparsed replies.
    pub unparsed: Unparsed,
    /// Rows of the table that enter no group.
    pub left_out: LeftOut,
}

/// The figures of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What the row stands for.
    pub group: Group,
    /// Different trajectories.
    pub trajectories: u64,
    /// Pairs of a trajectory and an instruction, unparsed ones included.
    pub pairs: u64,
    /// Pairs whose reply was not parsed.
    pub unparsed: u64,
    /// Share of trajectories with scores on both sides of the boundary.
    pub crossing_rate: Estimate,
    /// Share of pairs on the other side of the boundary than their label.
    pub failure_rate: Estimate,
    /// Share of trajectories with at least one such pair.
    pub failed_trajectories: Estimate,
    /// Mean |score - label|, in steps of the scale.
    pub mean_error: Estimate,
    /// Mean range of a trajectory's scores, in steps of the scale.
    pub range: Estimate,
    /// Mean standard deviation of a trajectory's scores, in steps of the scale.
    pub std: Estimate,
}

/// How many rows of the table entered no group, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Repeats after the first.
    pub repeats: u64,
    /// Variants made for aggregation (`seed` is set).
    pub variants: u64,
    /// The original instruction, where strategies are pooled.
    pub original: u64,
}

impl AddAssign for LeftOut {
    fn add_assign(&mut self, other: Self) {
        self.repeats += other.repeats;
        self.variants += other.variants;
        self.original += other.original;
    }
}

impl Row {
    /// The figure of a metric.
    pub fn estimate(&self, metric: Metric) -> Estimate {
        match metric {
            Metric::CrossingRate => self.crossing_rate,
            Metric::FailureRate => self.failure_rate,
            Metric::FailedTrajectories => self.failed_trajectories,
            Metric::MeanError => self.mean_error,
            Metric::Range => self.range,
            Metric::Std => self.std,
        }
    }
}

impl Robustness {
    /// The (first) row of a model under a strategy, where rows are grouped by both.
    pub fn row(&self, model: &str, strategy: &str) -> Option<&Row> {
        self.rows
            .iter()
            .find(|row| row.group.text("model") == Some(model) && row.group.text("strategy") == Some(strategy))
    }

    /// One row a group: the grouping columns; trajectories, pairs, unparsed; for every metric its value, n and interval
    /// (`crossing_rate`, `crossing_n`, `crossing_lo`, `crossing_hi`, ...); boundary, ddof, resamples, seed.
    pub fn to_frame(&self) -> Result<DataFrame> {
        let counts = |name: &str, count: fn(&Row) -> u64| {
            UInt64Chunked::from_iter_values(name.into(), self.rows.iter().map(count)).into_column()
        };
        let mut columns = group_columns(&self.by, self.rows.iter().map(|row| &row.group));
        columns.push(counts("trajectories", |row| row.trajectories));
        columns.push(counts("pairs", |row| row.pairs));
        columns.push(counts("unparsed", |row| row.unparsed));
        for metric in Metric::ALL {
            columns.extend(estimate_columns(
                metric.name(),
                metric.stem(),
                self.rows.iter().map(|row| row.estimate(metric)),
            ));
        }
        let height = self.rows.len();
        columns.push(Column::new("boundary".into(), vec![self.boundary; height]));
        columns.push(Column::new("ddof".into(), vec![u32::from(self.ddof); height]));
        columns.push(Column::new("resamples".into(), vec![self.resamples as u64; height]));
        columns.push(Column::new("seed".into(), vec![self.seed; height]));
        Ok(DataFrame::new(height, columns)?)
    }

    /// An array with an object a group, as `roborm robustness --json` prints it.
    pub fn to_json(&self) -> Value {
        let rows = self.rows.iter().map(|row| {
            let mut object: Map<String, Value> =
                row.group.iter().map(|(name, key)| (name.to_owned(), key.to_json())).collect();
            let mut put = |name: &str, value: Value| object.insert(name.to_owned(), value);
            put("trajectories", row.trajectories.into());
            put("pairs", row.pairs.into());
            put("unparsed", row.unparsed.into());
            for metric in Metric::ALL {
                let estimate = row.estimate(metric);
                put(metric.name(), estimate.value.into());
                if matches!(metric, Metric::CrossingRate | Metric::FailureRate | Metric::MeanError) {
                    put(&format!("{}_n", metric.stem()), estimate.n.into());
                }
                if metric != Metric::FailedTrajectories {
                    put(&format!("{}_ci", metric.stem()), interval_json(estimate));
                }
            }
            put("resamples", self.resamples.into());
            put("seed", self.seed.into());
            Value::Object(object)
        });
        rows.collect()
    }
}

pub(super) fn interval_json(estimate: Estimate) -> Value {
    estimate.interval.map_or(Value::Null, |(lo, hi)| json!([lo, hi]))
}

pub(super) fn group_columns<'a>(by: &[String], groups: impl Iterator<Item = &'a Group> + Clone) -> Vec<Column> {
    let missing = super::key::Key::Missing;
    by.iter().map(|name| column_of(name, groups.clone().map(|group| group.get(name).unwrap_or(&missing)))).collect()
}

/// Value, n, lower and upper end as columns.
pub(super) fn estimate_columns(
    name: &str,
    stem: &str,
    estimates: impl Iterator<Item = Estimate> + Clone,
) -> [Column; 4] {
    let floats = |name: String, values: Vec<Option<f64>>| Column::new(name.into(), values);
    [
        floats(name.to_owned(), estimates.clone().map(|e| e.value).collect()),
        Column::new(format!("{stem}_n").into(), estimates.clone().map(|e| e.n).collect::<Vec<_>>()),
        floats(format!("{stem}_lo"), estimates.clone().map(|e| e.interval.map(|i| i.0)).collect()),
        floats(format!("{stem}_hi"), estimates.map(|e| e.interval.map(|i| i.1)).collect()),
    ]
}
