//! A table out to JSONL, CSV or Parquet: whole or not at all.

use std::io::{BufWriter, Write};
use std::path::Path;

use polars::prelude::DataFrame;
use polars_io::SerWriter;
use polars_io::csv::write::CsvWriter;
use polars_io::json::{JsonFormat, JsonWriter};
use polars_io::parquet::write::ParquetWriter;

use super::Format;
use crate::{Error, Result};

/// Writes `frame` to `path` in the format that its extension names. It goes to a new file beside it first, which then
/// takes its place: a full disk or a kill leaves the old file as it was.
///
/// # Errors
/// Another extension (wrong usage), or a folder or disk that does not take the file.
pub(crate) fn write(frame: &mut DataFrame, path: &Path) -> Result<()> {
    let format = Format::named_by(path)?;
    let cannot_write = |error: &std::io::Error| Error::io(format!("cannot write {}", path.display()), error);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".roborm-");
    // A temporary file is for its owner alone; this one becomes a file like any other, under the umask.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder).map_err(|error| cannot_write(&error))?;
    let mut buffer = BufWriter::new(file.as_file_mut());
    match format {
        Format::Jsonl => JsonWriter::new(&mut buffer).with_json_format(JsonFormat::JsonLines).finish(frame),
        Format::Csv => CsvWriter::new(&mut buffer).finish(frame),
        Format::Parquet => ParquetWriter::new(&mut buffer).finish(frame).map(drop),
    }
    .map_err(|error| Error::from(error).at(format!("cannot write {}", path.display())))?;
    buffer.flush().map_err(|error| cannot_write(&error))?;
    drop(buffer);
    file.as_file().sync_all().map_err(|error| cannot_write(&error))?;
    file.persist(path).map_err(|error| cannot_write(&error.error))?;
    Ok(())
}
