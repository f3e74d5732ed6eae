//! A table out to JSONL, CSV or Parquet: whole or not at all.

use std::path::Path;

use polars::prelude::{DataFrame, PolarsError};
use polars_io::SerWriter;
use polars_io::csv::write::CsvWriter;
use polars_io::json::{JsonFormat, JsonWriter};
use polars_io::parquet::write::ParquetWriter;

use super::Format;
use crate::{Error, Result, whole};

/// Writes `frame` to `path` in the format that its extension names; a full disk or a kill leaves the old file as it was.
///
/// # Errors
/// Another extension (wrong usage), or a folder or disk that does not take the file.
pub(crate) fn write(frame: &mut DataFrame, path: &Path) -> Result<()> {
    let format = Format::named_by(path)?;
    whole::write(path, |out| {
        match format {
            Format::Jsonl => JsonWriter::new(out).with_json_format(JsonFormat::JsonLines).finish(frame),
            Format::Csv => CsvWriter::new(out).finish(frame),
            Format::Parquet => ParquetWriter::new(out).finish(frame).map(drop),
        }
        .map_err(|error| match error {
            PolarsError::IO { error, .. } => whole::refused(path, &error),
            error => Error::from(error).at(format!("cannot write {}", path.display())),
        })
    })
}
