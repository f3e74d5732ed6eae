//! The figures as polars lazy expressions, for pipelines of one's own.
//!
//! The expressions of the first kind are for `agg` after grouping by what makes a *unit*: the grouping columns, the
//! model and config, the dataset and the trajectory. [`per_trajectory`] does that grouping, [`robustness`] the whole:
//!
//! ```
//! use roborm::prelude::*;
//! use roborm::robustness::expr;
//!
//! # fn main() -> Result<()> {
//! let scores = df![
//!     "model" => ["m"; 4],
//!     "trajectory" => ["t1", "t1", "t2", "t2"],
//!     "strategy" => ["lexical"; 4],
//!     "score" => [Some(5.0), Some(3.0), Some(4.0), None],
//! ]?;
//! let units = scores
//!     .clone()
//!     .lazy()
//!     .group_by([col("model"), col("strategy"), col("trajectory")])
//!     .agg([expr::crossing(3.5).alias("crossed"), expr::range().alias("range")])
//!     .sort(["trajectory"], Default::default())
//!     .collect()?;
//! assert_eq!(units.column("crossed")?.bool()?.get(0), Some(true));
//! assert_eq!(units.column("crossed")?.bool()?.get(1), None); // one reply cannot disagree with itself
//!
//! let rates = expr::robustness(scores.lazy(), &["model", "strategy"], 3.5, 0)?.collect()?;
//! assert_eq!(rates.column("crossing_rate")?.f64()?.get(0), Some(1.0));
//! assert_eq!(rates.column("crossing_n")?.get(0)?.try_extract::<u64>()?, 1);
//! # Ok(())
//! # }
//! ```
//!
//! [`Analysis`](super::Analysis) gives the same figures faster and with intervals; the two agree by test.

use polars::prelude::*;

use crate::Result;
use crate::scores::column;

fn score() -> Expr {
    col(column::SCORE).cast(DataType::Float64).fill_nan(lit(NULL))
}

fn label() -> Expr {
    col(column::LABEL).cast(DataType::Float64)
}

/// `what` where a unit has at least `least` scores, else null.
fn where_scored(least: u32, what: Expr) -> Expr {
    when(score().count().gt_eq(lit(least))).then(what).otherwise(lit(NULL))
}

/// Does the unit have scores on both sides of the boundary? Null with fewer than two scores.
pub fn crossing(boundary: f64) -> Expr {
    where_scored(2, score().max().gt(lit(boundary)).and(score().min().lt_eq(lit(boundary))))
}

/// Greatest less least score of the unit. Null with fewer than two scores.
pub fn range() -> Expr {
    where_scored(2, score().max() - score().min())
}

/// Standard deviation of the unit's scores. Null with fewer than two scores, or with `ddof` or fewer.
pub fn std(ddof: u8) -> Expr {
    where_scored(u32::from(ddof).saturating_add(1).max(2), score().std(ddof))
}

/// Scored pairs of the unit that have a label.
pub fn labelled() -> Expr {
    score().is_not_null().and(label().is_not_null()).sum()
}

/// Pairs of the unit whose score and label lie on different sides of the boundary.
pub fn failures(boundary: f64) -> Expr {
    score().gt(lit(boundary)).neq(label().gt(lit(boundary))).sum()
}

/// Sum of |score - label| over the unit's scored pairs that have a label.
pub fn error() -> Expr {
    (score() - label()).abs().sum()
}

/// Which rows of a table with these columns enter, grouped by `by`: first repeats; no aggregation variants; the original
/// instruction only where `by` names `strategy`.
pub fn entering<S: AsRef<str>>(columns: &[&str], by: &[S]) -> Expr {
    let asked = |name: &str| by.iter().any(|by| by.as_ref() == name);
    let mut all = lit(true);
    if columns.contains(&column::REPEAT) && !asked(column::REPEAT) {
        all = all.and(col(column::REPEAT).cast(DataType::Int64).fill_null(lit(0)).eq(lit(0)));
    }
    if columns.contains(&column::SEED) && !asked(column::SEED) {
        all = all.and(col(column::SEED).cast(DataType::String).fill_null(lit("")).eq(lit("")));
    }
    if !asked(column::STRATEGY) {
        all = all.and(col(column::STRATEGY).neq(lit("original")));
    }
    all
}

/// One row a unit: the columns of `by`, those that tell units apart, and `pairs`, `scored`, `labelled`, `crossed`,
/// `range`, `std`, `failures`, `error`.
///
/// Unparsed replies are left out. Configs are told apart as units; name `config` in `by` to group them apart.
///
/// # Errors
/// A schema that cannot be resolved.
pub fn per_trajectory<S: AsRef<str>>(mut scores: LazyFrame, by: &[S], boundary: f64, ddof: u8) -> Result<LazyFrame> {
    let schema = scores.collect_schema()?;
    let columns: Vec<&str> = schema.iter_names().map(|name| name.as_str()).collect();
    let mut keys: Vec<&str> = by.iter().map(AsRef::as_ref).collect();
    for name in [column::MODEL, column::CONFIG, column::DATASET, column::TRAJECTORY] {
        if columns.contains(&name) && !keys.contains(&name) {
            keys.push(name);
        }
    }
    let mut figures = vec![
        len().alias("pairs"),
        score().count().alias("scored"),
        crossing(boundary).alias("crossed"),
        range().alias("range"),
        std(ddof).alias("std"),
    ];
    if columns.contains(&column::LABEL) {
        figures.extend([labelled().alias("labelled"), failures(boundary).alias("failures"), error().alias("error")]);
    } else {
        figures.extend([lit(0u32).alias("labelled"), lit(0u32).alias("failures"), lit(0.0).alias("error")]);
    }
    let keys: Vec<Expr> = keys.into_iter().map(col).collect();
    Ok(scores.filter(entering(&columns, by)).group_by(keys).agg(figures))
}

/// One row a group, in the order of `by`: `pairs`, `unparsed`, and the figures with their n, named as in
/// [`Robustness::to_frame`](super::Robustness::to_frame).
///
/// # Errors
/// A schema that cannot be resolved.
pub fn robustness<S: AsRef<str>>(scores: LazyFrame, by: &[S], boundary: f64, ddof: u8) -> Result<LazyFrame> {
    let sum = |name: &str| col(name).cast(DataType::Float64).sum();
    // 0 / 0 is NaN: over nothing, so null.
    let share = |of: &str, over: &str| (sum(of) / sum(over)).fill_nan(lit(NULL));
    let looked_at = col("labelled").gt(lit(0));
    let failed = col("failures").gt(lit(0)).and(looked_at.clone());
    let keys: Vec<Expr> = by.iter().map(|name| col(name.as_ref())).collect();
    let figures = [
        col("pairs").sum(),
        (col("pairs").sum() - col("scored").sum()).alias("unparsed"),
        col("crossed").mean().alias("crossing_rate"),
        col("crossed").count().alias("crossing_n"),
        share("failures", "labelled").alias("failure_rate"),
        col("labelled").sum().alias("failure_n"),
        (failed.sum().cast(DataType::Float64) / looked_at.clone().sum().cast(DataType::Float64))
            .fill_nan(lit(NULL))
            .alias("failed_trajectories"),
        looked_at.sum().alias("failed_trajectories_n"),
        share("error", "labelled").alias("mean_error"),
        col("labelled").sum().alias("mean_error_n"),
        col("range").mean(),
        col("range").count().alias("range_n"),
        col("std").mean(),
        col("std").count().alias("std_n"),
    ];
    let groups = per_trajectory(scores, by, boundary, ddof)?.group_by(keys.clone()).agg(figures);
    Ok(groups.sort_by_exprs(keys, SortMultipleOptions::default().with_nulls_last(true)))
}
