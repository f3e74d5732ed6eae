//! Score-crossing rate, failure rate, error and spread, with intervals.
//!
//! ```
//! use roborm::prelude::*;
//! use roborm::robustness::Analysis;
//!
//! # fn main() -> Result<()> {
//! let table = ScoreTable::from_frame(df![
//!     "model" => ["m"; 4],
//!     "trajectory" => ["t1", "t1", "t2", "t2"],
//!     "strategy" => ["lexical"; 4],
//!     "instruction" => ["lift the cup", "raise the cup", "shut the door", "close the door"],
//!     "score" => [5.0, 3.0, 4.0, 4.0],
//!     "label" => [5i64, 5, 2, 2],
//! ]?)?;
//! let robustness = Analysis::new().run(&table)?;
//! let row = &robustness.rows[0];
//! assert_eq!(row.crossing_rate.value, Some(0.5)); // t1 flips between success and failure, t2 does not
//! assert_eq!(row.crossing_rate.n, 2);
//! assert_eq!(row.failure_rate.value, Some(0.75)); // one of t1's replies and both of t2's contradict the label
//! # Ok(())
//! # }
//! ```
//!
//! # What is measured
//!
//! For trajectory *i* with label *l* and predictions *s* over the paraphrases *j* of one strategy, and a success
//! boundary *b* (success is *s* > *b*; default 3.5, so 4 and 5 are success):
//!
//! | figure | definition | over |
//! | --- | --- | --- |
//! | score-crossing rate | share of trajectories with some *s* > *b* and some *s* <= *b* | trajectories with two or more scores |
//! | failure rate | share of pairs whose score and label lie on different sides of *b* | scored pairs that have a label |
//! | failed trajectories | share of trajectories with at least one such pair | trajectories with such a pair to look at |
//! | mean error | mean of \|*s* - *l*\| | scored pairs that have a label |
//! | range | max - min of *s*, averaged over trajectories | trajectories with two or more scores |
//! | standard deviation | over *j*, population form unless `ddof` says otherwise, averaged over trajectories | trajectories with two or more scores, and more than `ddof` |
//!
//! A figure over nothing is null with n = 0, never 0 and never NaN.
//!
//! # What enters a group
//!
//! * Rows are grouped by [`Analysis::by`] (model and strategy unless told otherwise). One model's replies to one
//!   trajectory within a group are one *unit*, the "trajectory" of the definitions above: replies of two models, of two
//!   configs or to two datasets' trajectories of one name never disagree with each other.
//! * Where some model has several configs, `config` joins the grouping and the result has a `config` column.
//! * Where a table has several datasets, `dataset` joins the grouping as well, unless [`Analysis::pool_datasets`] is
//!   asked for.
//! * The original instruction is a strategy of its own and enters no other. Where `by` does not name `strategy`, a
//!   trajectory's paraphrases of all strategies are pooled and the original instruction is left out.
//! * Variants made for aggregation (rows whose `seed` is set) are left out, unless `by` names `seed`.
//! * Of several repeats only repeat 0 enters, unless [`Repeats::Mean`] is asked for (or `by` names `repeat`).
//! * An unparsed reply is counted and left out, unless [`Unparsed`] says otherwise.
//!
//! [`Robustness::left_out`] counts what was left out.
//!
//! # Intervals
//!
//! Percentile bootstrap, clustered by trajectory: each resample draws as many trajectories as the group has, with
//! replacement, and all rows of a drawn trajectory move together (Field & Welsh 2007; Davison & Hinkley 1997, section
//! 5.3.1). Quantiles interpolate linearly. The stream of resample *r* depends on the seed and *r* alone, so a result is
//! the same on any number of threads. Two groups over the same trajectories see the same resamples, and
//! [`Analysis::compare`] resamples both of its sides together: its intervals are paired. A figure that fewer than two
//! trajectories contribute to has no interval; a resample in which a figure is over nothing does not count for it.

mod analysis;
mod bootstrap;
mod cell;
mod compare;
mod confusion;
mod dictionary;
pub mod expr;
mod group;
mod key;
mod metric;
mod ordered;
mod output;
mod pages;
mod part;
mod policy;
mod repeats;
mod rows;
mod shards;
mod source;
mod tally;
mod trajectory;

pub use analysis::{Analysis, DEFAULT_BOUNDARY, DEFAULT_RESAMPLES};
pub use compare::{Comparison, Difference, Paired};
pub use key::{Group, Key};
pub use metric::{Estimate, Metric};
pub use output::{LeftOut, Robustness, Row};
pub use policy::{Repeats, Unparsed};
