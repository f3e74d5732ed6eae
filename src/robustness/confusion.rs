//! Counts of label against prediction.

use polars::prelude::*;

use super::analysis::Analysis;
use super::expr::entering;
use super::source::Source;
use crate::scores::{ScoreTable, column};
use crate::{Error, Result};

impl Analysis {
    /// How often each label met each prediction: the columns of [`Analysis::by`], `label`, `predicted` (the score to the
    /// nearest whole step, halves away from zero; null for an unparsed reply), `count`. Pairs without a label are left
    /// out, combinations that do not occur have no row, and the counts add up to the labelled pairs of a group.
    ///
    /// Configs are not told apart unless `by` names `config`. Of several repeats the first enters.
    ///
    /// # Errors
    /// A table without labels; a column to group by that the table lacks.
    pub fn confusion(&self, table: &ScoreTable) -> Result<DataFrame> {
        // Checks the columns and the numbers with the messages of every other figure.
        self.tally(&Source::Frame(table.frame()), &[self.boundary])?;
        let frame = table.frame();
        if frame.get_column_index(column::LABEL).is_none() {
            return Err(Error::input("no column `label`")
                .with_help("the confusion of labels and predictions needs the true progress of each trajectory"));
        }
        let score = col(column::SCORE).cast(DataType::Float64).fill_nan(lit(NULL));
        let score = match self.unparsed.substitute() {
            Some(number) => score.fill_null(lit(number)),
            None => score,
        };
        let mut by: Vec<Expr> = self.by.iter().filter(|name| *name != column::LABEL).map(col).collect();
        by.extend([col(column::LABEL), col("predicted")]);
        let names: Vec<&str> = frame.get_column_names().into_iter().map(|name| name.as_str()).collect();
        let counts = frame
            .clone()
            .lazy()
            .filter(entering(&names, &self.by).and(col(column::LABEL).is_not_null()))
            .with_column(score.round(0, RoundMode::HalfAwayFromZero).cast(DataType::Int64).alias("predicted"))
            .group_by(by.clone())
            .agg([len().alias("count")])
            .sort_by_exprs(by, SortMultipleOptions::default().with_nulls_last(true));
        Ok(counts.collect()?)
    }
}
