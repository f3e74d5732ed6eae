//! The score table: one row a (trajectory, paraphrase, repeat) of a model.

use polars::prelude::DataFrame;

/// A validated score table.
///
/// Columns are those of [`column`]; unknown ones are kept.
#[derive(Clone, Debug)]
pub struct ScoreTable {
    frame: DataFrame,
}

impl ScoreTable {
    /// A table of these rows.
    ///
    /// # Errors
    /// None yet.
    pub fn from_frame(frame: DataFrame) -> crate::Result<Self> {
        Ok(Self { frame })
    }

    /// Its rows.
    pub fn frame(&self) -> &DataFrame {
        &self.frame
    }
}

/// The names of the columns.
pub mod column {
    /// str, required.
    pub const MODEL: &str = "model";
    /// str, required.
    pub const TRAJECTORY: &str = "trajectory";
    /// str, required.
    pub const STRATEGY: &str = "strategy";
    /// str, required.
    pub const INSTRUCTION: &str = "instruction";
    /// f64, required; null is an unparsed reply.
    pub const SCORE: &str = "score";
    /// str.
    pub const DATASET: &str = "dataset";
    /// str.
    pub const TASK: &str = "task";
    /// str.
    pub const PARAPHRASE_ID: &str = "paraphrase_id";
    /// str: the paraphrase that an aggregation variant came from.
    pub const SEED: &str = "seed";
    /// i64, from 0.
    pub const REPEAT: &str = "repeat";
    /// i64, 1 to 5.
    pub const LABEL: &str = "label";
    /// str: the reasoning setting.
    pub const REASONING: &str = "reasoning";
    /// str: a digest of every setting that can change a reply.
    pub const CONFIG: &str = "config";
}
