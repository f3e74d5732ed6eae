//! The score table: one row a (trajectory, paraphrase, repeat) of a model.

mod check;
mod csv;
mod file;
mod jsonl;
mod key;

use std::path::Path;

use polars::prelude::*;

use crate::{Error, Result};

/// A validated score table.
///
/// Columns are those of [`mod@column`]; unknown ones are kept. In every table of this type
///
/// * the required columns are there, with the types that [`mod@column`] gives them and no null but in `score`;
/// * a score is finite, and null where the reply was unparsed; a label is from 1 to 5 or null;
/// * no key (dataset, model, config, trajectory, strategy, instruction, seed, repeat) stands twice.
///
/// A table from [`ScoreTable::read_columns`] has only the columns asked for, and its keys were not checked.
///
/// ```
/// use polars::prelude::*;
/// use roborm::scores::ScoreTable;
///
/// let table = ScoreTable::from_frame(df! {
///     "model" => ["m", "m"],
///     "trajectory" => ["t1", "t1"],
///     "strategy" => ["original", "lexical"],
///     "instruction" => ["open the drawer", "pull the drawer open"],
///     "score" => [Some(4.0), None],
/// }?)?;
/// assert_eq!(table.len(), 2);
/// assert_eq!(table.unparsed(), 1);
/// # Ok::<(), roborm::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ScoreTable {
    frame: DataFrame,
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
    /// str: the reply's text.
    pub const REPLY: &str = "reply";
    /// str: `stop`, `length`, …
    pub const FINISH_REASON: &str = "finish_reason";
    /// str: the model that the server says it used.
    pub const MODEL_RETURNED: &str = "model_returned";
    /// str: the provider behind the server.
    pub const PROVIDER: &str = "provider";
    /// str: the server's id of the call. Rows of one call (a text under two strategies) share it.
    pub const REQUEST_ID: &str = "request_id";
    /// i64.
    pub const PROMPT_TOKENS: &str = "prompt_tokens";
    /// i64: prompt tokens that the provider had cached.
    pub const CACHED_TOKENS: &str = "cached_tokens";
    /// i64.
    pub const COMPLETION_TOKENS: &str = "completion_tokens";
    /// f64, dollars of the call. Rows of one call each carry it: a sum over rows can exceed what was paid.
    pub const COST_USD: &str = "cost_usd";
    /// f64, milliseconds.
    pub const LATENCY_MS: &str = "latency_ms";
    /// str: the rule that chose the frames.
    pub const FRAME_RULE: &str = "frame_rule";
    /// str.
    pub const PROMPT_VERSION: &str = "prompt_version";
    /// str: the grammar that read the score out of the reply.
    pub const READER_VERSION: &str = "reader_version";

    /// What a table cannot do without.
    pub const REQUIRED: [&str; 5] = [MODEL, TRAJECTORY, STRATEGY, INSTRUCTION, SCORE];
    /// What makes a row one of its kind.
    pub const KEY: [&str; 8] = [DATASET, MODEL, CONFIG, TRAJECTORY, STRATEGY, INSTRUCTION, SEED, REPEAT];
}

impl ScoreTable {
    /// Takes a data frame in: checks it, and brings the known columns to their types (an integer score to f64, NaN to
    /// null, an integer trajectory id to text, a null `repeat` to 0).
    ///
    /// # Errors
    /// A required column is missing; a known column has a type or a value that it cannot have (with its row, counted
    /// from 1 without the header); a key stands twice.
    pub fn from_frame(frame: DataFrame) -> Result<Self> {
        check::required(&frame)?;
        let frame = check::columns(frame)?;
        key::unique(&frame)?;
        Ok(Self { frame })
    }

    /// As [`ScoreTable::from_frame`], for a frame whose keys are known to be unique: spares the search for a repeated
    /// one.
    ///
    /// # Errors
    /// As [`ScoreTable::from_frame`], but for the keys.
    pub fn from_frame_unique(frame: DataFrame) -> Result<Self> {
        check::required(&frame)?;
        Ok(Self { frame: check::columns(frame)? })
    }

    /// Reads a Parquet, CSV or JSONL file, by its extension.
    ///
    /// # Errors
    /// The file cannot be read, or [`ScoreTable::from_frame`] refuses what is in it.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        Self::from_frame(file::read(path, None)?).map_err(|error| error.at(path.display()))
    }

    /// Reads some columns of a file, for figures over tables too large to load whole. Columns of `columns` that the
    /// file lacks are left out, unless they are required ones. Keys are not checked.
    ///
    /// # Errors
    /// The file cannot be read, lacks a required column, or a value is not what it should be.
    pub fn read_columns(path: impl AsRef<Path>, columns: &[&str]) -> Result<Self> {
        let path = path.as_ref();
        let frame = check::columns(file::read(path, Some(columns))?).map_err(|error| error.at(path.display()))?;
        Ok(Self { frame })
    }

    /// The names of the columns of a file, without reading its rows where the format allows.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn column_names(path: impl AsRef<Path>) -> Result<Vec<String>> {
        file::column_names(path.as_ref())
    }

    /// Finds out, before anything is spent, whether a table could be written to `path`.
    ///
    /// # Errors
    /// The name's ending is that of no format, its folder is missing or cannot be written to, or a file that is no score
    /// table is there, which would be lost.
    pub fn check_writable(path: impl AsRef<Path>) -> Result<()> {
        file::check_writable(path.as_ref())
    }

    /// Writes a Parquet, CSV or JSONL file, by its extension: whole or not at all, so that whoever reads meanwhile
    /// sees the old file or the new one.
    ///
    /// # Errors
    /// The extension is none of these, the folder cannot be written, the disk is full, or a column of a type that
    /// the format cannot hold.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<()> {
        file::write(self.frame.clone(), path.as_ref())
    }

    /// One table of several, in order. A column that one of them lacks is null in its rows.
    ///
    /// # Errors
    /// A column has different types in two of them, or a key stands twice.
    pub fn concat(tables: &[Self]) -> Result<Self> {
        Self::from_frame(check::stack(tables.iter().map(Self::frame))?)
    }

    /// The rows.
    pub fn frame(&self) -> &DataFrame {
        &self.frame
    }

    /// The rows, by value.
    pub fn into_frame(self) -> DataFrame {
        self.frame
    }

    /// A lazy query over the rows.
    pub fn lazy(&self) -> LazyFrame {
        self.frame.clone().lazy()
    }

    /// How many rows.
    pub fn len(&self) -> usize {
        self.frame.height()
    }

    /// No rows?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many rows have no score.
    pub fn unparsed(&self) -> usize {
        self.frame.column(column::SCORE).map_or(0, |scores| scores.null_count())
    }
}

impl TryFrom<DataFrame> for ScoreTable {
    type Error = Error;

    fn try_from(frame: DataFrame) -> Result<Self> {
        Self::from_frame(frame)
    }
}
