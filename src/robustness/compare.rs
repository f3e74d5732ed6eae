//! Two models or two strategies on the trajectories that both have.

use std::path::Path;
use std::sync::Arc;

use polars::prelude::*;
use rayon::prelude::*;
use serde_json::{Map, Value};

use super::analysis::{Analysis, texts};
use super::bootstrap::{interval, resample};
use super::dictionary::Dictionary;
use super::group::{Clusters, Groups, Members};
use super::key::{Group, Key};
use super::metric::{Estimate, Metric, sum};
use super::output::{estimate_columns, group_columns, interval_json};
use super::source::{Parquet, Source};
use super::tally::{Tally, values};
use crate::error::nearest;
use crate::scores::{ScoreTable, column};
use crate::{Error, Result};

/// How two models, or two strategies, differ on the trajectories that both have.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// `model` or `strategy`.
    pub column: &'static str,
    /// The first side.
    pub a: String,
    /// The second side.
    pub b: String,
    /// The columns that rows are grouped by; the compared one is not among them.
    pub by: Arc<[String]>,
    /// A row a group.
    pub rows: Vec<Difference>,
    /// Success is a score above it.
    pub boundary: f64,
    /// Bootstrap resamples behind each interval.
    pub resamples: usize,
    /// The seed of the resamples.
    pub seed: u64,
    /// Level of the intervals.
    pub level: f64,
}

/// The differences within a group.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// What the row stands for.
    pub group: Group,
    /// Trajectories that both sides have: all figures are over these, or those of them that count on both sides.
    pub paired: u64,
    /// Trajectories of the first side alone.
    pub only_a: u64,
    /// Trajectories of the second side alone.
    pub only_b: u64,
    /// Score-crossing rates.
    pub crossing_rate: Paired,
    /// Failure rates.
    pub failure_rate: Paired,
    /// Shares of trajectories with a failure.
    pub failed_trajectories: Paired,
    /// Mean errors.
    pub mean_error: Paired,
    /// Mean ranges.
    pub range: Paired,
    /// Mean standard deviations.
    pub std: Paired,
}

/// A figure on both sides, over the paired trajectories, and its difference.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Paired {
    /// The first side.
    pub a: Option<f64>,
    /// The second side.
    pub b: Option<f64>,
    /// a - b; its n counts the paired trajectories that contribute on both sides, its interval is paired.
    pub difference: Estimate,
}

impl Difference {
    /// The figure of a metric.
    pub fn paired(&self, metric: Metric) -> Paired {
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

impl Analysis {
    /// Two models, or two strategies, on the trajectories that both have, with paired intervals of the differences.
    /// Grouped by the other columns of `by`: two models within each strategy, two strategies within each model.
    ///
    /// # Errors
    /// Those of [`Analysis::run`]; names that are not two models or two strategies of the table; a model of several
    /// configs.
    pub fn compare(&self, table: &ScoreTable, a: &str, b: &str) -> Result<Comparison> {
        self.comparison(&Source::Frame(table.frame()), a, b)
    }

    /// [`Analysis::compare`] on a Parquet file, as [`Analysis::run_file`] reads it.
    ///
    /// # Errors
    /// Those of [`Analysis::compare`]; a file that cannot be read.
    pub fn compare_file(&self, path: impl AsRef<Path>, a: &str, b: &str) -> Result<Comparison> {
        self.comparison(&Source::Parquet(Parquet::open(path.as_ref())?), a, b)
    }

    fn comparison(&self, source: &Source, a: &str, b: &str) -> Result<Comparison> {
        let column = compared_column(source, a, b)?;
        let mut asking = self.clone();
        if !asking.by.iter().any(|name| name == column) {
            asking.by.push(column.to_owned());
        }
        let tally = asking.tally(source, &[self.boundary])?;
        if column == column::MODEL {
            // Two models differ in their configs by nature: what must not happen is a side that is two configs.
            one_config(&tally, [a, b])?;
            asking.by.retain(|name| name != column::CONFIG);
        }
        let groups =
            if column == column::MODEL { Groups::of_any_config(&tally, &asking) } else { Groups::of(&tally, &asking) };

        let rest: Arc<[String]> = groups.by.iter().filter(|name| *name != column).cloned().collect();
        let mut sides: Vec<(Group, [Option<&Members>; 2])> = Vec::new();
        for members in &groups.members {
            let Some(side) = members.group.text(column).and_then(|name| [a, b].iter().position(|side| *side == name))
            else {
                continue;
            };
            let rest = members.group.only(&rest);
            let place = sides.iter().position(|(group, _)| *group == rest).unwrap_or_else(|| {
                sides.push((rest, [None, None]));
                sides.len() - 1
            });
            sides[place].1[side] = Some(members);
        }
        sides.sort_by(|x, y| x.0.order(&y.0));
        let rows = sides.into_par_iter().map(|(group, sides)| {
            let [a, b] = sides.map(|members| {
                members.map_or_else(Clusters::default, |members| groups.clusters(members, (self.boundary, 0)))
            });
            self.difference(group, &a, &b)
        });
        Ok(Comparison {
            column,
            a: a.to_owned(),
            b: b.to_owned(),
            rows: rows.collect(),
            by: rest,
            boundary: self.boundary,
            resamples: self.resamples,
            seed: self.seed,
            level: self.level,
        })
    }

    fn difference(&self, group: Group, a: &Clusters, b: &Clusters) -> Difference {
        let pairs = pair(a, b);
        let resampled = resample(&pairs, self.resamples, self.seed);
        let all = sum(&pairs);
        let figure = |metric: Metric| {
            let (over, under) = metric.ratio();
            // Each figure has its own four sums, of the trajectories that count for it on both sides.
            let at = |side: usize, which: usize| side * SIDE + which;
            let of = |sums: &[f64; PAIR], side: usize| {
                let (over, under) = (sums[at(side, over)], sums[at(side, under)]);
                (under > 0.0).then(|| over / under)
            };
            let minus = |sums: &[f64; PAIR]| Some(of(sums, 0)? - of(sums, 1)?);
            let n = pairs.iter().filter(|sums| sums[at(0, under)] > 0.0 && sums[at(1, under)] > 0.0).count();
            Paired {
                a: of(&all, 0),
                b: of(&all, 1),
                difference: Estimate {
                    value: minus(&all),
                    n: n as u64,
                    interval: (n >= 2).then(|| interval(resampled.iter().map(minus), self.level)).flatten(),
                },
            }
        };
        let paired = pairs.len() as u64;
        Difference {
            group,
            paired,
            only_a: a.ids.len() as u64 - paired,
            only_b: b.ids.len() as u64 - paired,
            crossing_rate: figure(Metric::CrossingRate),
            failure_rate: figure(Metric::FailureRate),
            failed_trajectories: figure(Metric::FailedTrajectories),
            mean_error: figure(Metric::MeanError),
            range: figure(Metric::Range),
            std: figure(Metric::Std),
        }
    }
}

const SIDE: usize = 10;
const PAIR: usize = 2 * SIDE;

/// The sums of both sides of each trajectory that both have. A figure's sums are zero on both sides where the trajectory
/// does not count for it on one.
fn pair(a: &Clusters, b: &Clusters) -> Vec<[f64; PAIR]> {
    let mut pairs = Vec::new();
    let mut right = b.ids.iter().zip(&b.totals).peekable();
    for (id, a) in a.ids.iter().zip(&a.totals) {
        while right.next_if(|(other, _)| *other < id).is_some() {}
        let Some((_, b)) = right.next_if(|(other, _)| *other == id) else { continue };
        let mut both = [0.0; PAIR];
        for metric in Metric::ALL {
            let (over, under) = metric.ratio();
            if a[under] > 0.0 && b[under] > 0.0 {
                for place in [over, under] {
                    both[place] = a[place];
                    both[SIDE + place] = b[place];
                }
            }
        }
        pairs.push(both);
    }
    pairs
}

fn compared_column(source: &Source, a: &str, b: &str) -> Result<&'static str> {
    if a == b {
        return Err(Error::usage(format!("`{a}` is compared with itself"))
            .with_help("name two different models, or two different strategies"));
    }
    let mut known = Vec::new();
    for column in [column::MODEL, column::STRATEGY] {
        if !source.names().contains(&column) {
            return Err(Error::input(format!("no column `{column}`"))
                .with_help(format!("a score table has it; the columns here are {}", source.names().join(", "))));
        }
        let values = values(source, column)?;
        let has = |name: &str| texts(values.keys()).contains(&name);
        if has(a) && has(b) {
            return Ok(column);
        }
        known.push((has(a), has(b), values));
    }
    let known_texts = || known.iter().flat_map(|(_, _, values)| texts(values.keys()));
    for (name, found) in [(a, known.iter().any(|k| k.0)), (b, known.iter().any(|k| k.1))] {
        if !found {
            let near = nearest(name, known_texts());
            let hint = if near.is_empty() { String::new() } else { format!("did you mean {}? ", near.join(" or ")) };
            let list = |values: &Dictionary| texts(values.keys()).join(", ");
            let lists: Vec<String> = known.iter().map(|(_, _, values)| list(values)).collect();
            return Err(Error::usage(format!("`{name}` is neither a model nor a strategy of the score table"))
                .with_help(format!("{hint}models: {}; strategies: {}", lists[0], lists[1])));
        }
    }
    Err(Error::usage(format!("`{a}` and `{b}` are a model and a strategy"))
        .with_help("compare two models, or two strategies"))
}

fn one_config(tally: &Tally, models: [&str; 2]) -> Result<()> {
    let Some(place) = tally.place(column::MODEL) else { return Ok(()) };
    for (code, count) in tally.configs() {
        if let Key::Text(model) = &tally.dictionaries[place].keys()[code as usize]
            && models.contains(&model.as_str())
            && count > 1
        {
            return Err(Error::input(format!("`{model}` was run with {count} configs"))
                .with_help("a comparison needs one config a model: keep the rows of one, by the column `config`"));
        }
    }
    Ok(())
}

impl Comparison {
    /// One row a group: the grouping columns, `a`, `b`, paired, only_a, only_b; for every metric both sides
    /// (`crossing_rate_a`, `crossing_rate_b`), their difference (`crossing_rate_difference`), its n and interval.
    pub fn to_frame(&self) -> Result<DataFrame> {
        let height = self.rows.len();
        let counts = |name: &str, count: fn(&Difference) -> u64| {
            UInt64Chunked::from_iter_values(name.into(), self.rows.iter().map(count)).into_column()
        };
        let mut columns = group_columns(&self.by, self.rows.iter().map(|row| &row.group));
        columns.push(Column::new("a".into(), vec![self.a.as_str(); height]));
        columns.push(Column::new("b".into(), vec![self.b.as_str(); height]));
        columns.push(counts("paired", |row| row.paired));
        columns.push(counts("only_a", |row| row.only_a));
        columns.push(counts("only_b", |row| row.only_b));
        for metric in Metric::ALL {
            let figures = || self.rows.iter().map(move |row| row.paired(metric));
            let side = |name: String, values: Vec<Option<f64>>| Column::new(name.into(), values);
            columns.push(side(format!("{}_a", metric.name()), figures().map(|f| f.a).collect()));
            columns.push(side(format!("{}_b", metric.name()), figures().map(|f| f.b).collect()));
            let name = format!("{}_difference", metric.name());
            let stem = format!("{}_difference", metric.stem());
            columns.extend(estimate_columns(&name, &stem, figures().map(|f| f.difference)));
        }
        Ok(DataFrame::new(height, columns)?)
    }

    /// An array with an object a group.
    pub fn to_json(&self) -> Value {
        let rows = self.rows.iter().map(|row| {
            let mut object: Map<String, Value> =
                row.group.iter().map(|(name, key)| (name.to_owned(), key.to_json())).collect();
            let mut put = |name: &str, value: Value| object.insert(name.to_owned(), value);
            put("a", self.a.as_str().into());
            put("b", self.b.as_str().into());
            put("paired", row.paired.into());
            put("only_a", row.only_a.into());
            put("only_b", row.only_b.into());
            for metric in Metric::ALL {
                let figure = row.paired(metric);
                put(&format!("{}_a", metric.name()), figure.a.into());
                put(&format!("{}_b", metric.name()), figure.b.into());
                put(&format!("{}_difference", metric.name()), figure.difference.value.into());
                put(&format!("{}_difference_n", metric.stem()), figure.difference.n.into());
                put(&format!("{}_difference_ci", metric.stem()), interval_json(figure.difference));
            }
            put("resamples", self.resamples.into());
            put("seed", self.seed.into());
            Value::Object(object)
        });
        rows.collect()
    }
}
