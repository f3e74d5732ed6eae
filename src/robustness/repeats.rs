//! The mean over repeats.

use polars::prelude::*;

use super::source::Source;
use super::tally::Counting;
use crate::scores::column;
use crate::{Error, Result};

/// One row a pair: its score the mean of its parsed repeats, null where none is parsed.
pub(super) fn averaged(source: &Source, counting: &Counting) -> Result<DataFrame> {
    let names = source.names();
    if !names.contains(&column::INSTRUCTION) {
        return Err(Error::input(format!("no column `{}`", column::INSTRUCTION))
            .with_help("the mean over repeats needs it, to tell which rows are repeats of each other"));
    }
    let mut pair: Vec<&str> = counting.columns();
    pair.retain(|name| *name != column::SCORE && *name != column::LABEL);
    for name in [column::STRATEGY, column::INSTRUCTION, column::SEED] {
        if names.contains(&name) && !pair.contains(&name) {
            pair.push(name);
        }
    }
    let mut columns = pair.clone();
    columns.push(column::SCORE);
    let mut figures = vec![col(column::SCORE).cast(DataType::Float64).fill_nan(lit(NULL)).mean()];
    if counting.has_label {
        if !counting.keys.iter().any(|key| key == column::LABEL) {
            figures.push(col(column::LABEL).first());
        }
        if !columns.contains(&column::LABEL) {
            columns.push(column::LABEL);
        }
    }
    if counting.keys.iter().any(|key| key == column::LABEL) {
        pair.push(column::LABEL);
    }
    let by: Vec<Expr> = pair.into_iter().map(col).collect();
    Ok(source.all(&columns)?.lazy().group_by_stable(by).agg(figures).collect()?)
}
