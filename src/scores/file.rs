//! Score tables as files.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use polars::prelude::*;
use polars_io::json::{JsonFormat, JsonReader, JsonWriter};
use polars_io::mmap::ReaderBytes;
use polars_io::parquet::read::{ParallelStrategy, ParquetReader};
use polars_io::parquet::write::ParquetWriter;
use polars_io::prelude::CsvWriter;
use polars_io::{SerReader, SerWriter};

use super::{check, column, csv, jsonl};
use crate::{Error, Result, damage, whole};

#[derive(Clone, Copy)]
enum Format {
    Parquet,
    Csv,
    Jsonl,
}

impl Format {
    fn of(path: &Path) -> Result<Self> {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("").to_ascii_lowercase();
        match extension.as_str() {
            "parquet" | "pq" => Ok(Self::Parquet),
            "csv" => Ok(Self::Csv),
            "jsonl" | "ndjson" => Ok(Self::Jsonl),
            _ => Err(Error::usage(format!("{}: not a format of score tables", path.display()))
                .with_help("use a name that ends in .parquet, .csv or .jsonl")),
        }
    }
}

/// Reads `path`; of its columns only `columns`, where given. The required ones are known to be there afterwards, in the
/// file at least.
pub(super) fn read(path: &Path, columns: Option<&[&str]>) -> Result<DataFrame> {
    let format = Format::of(path)?;
    let file = open(path)?;
    let frame = match format {
        Format::Parquet => damage::caught(|| parquet(file, columns)).unwrap_or_else(|| Err(damaged())),
        Format::Csv => csv::read(file, path, columns),
        Format::Jsonl => json(file, path, columns),
    };
    frame.map_err(|error| error.at(path.display()))
}

/// The names of the columns of `path`.
pub(super) fn column_names(path: &Path) -> Result<Vec<String>> {
    let names = match Format::of(path)? {
        Format::Parquet => {
            let mut reader = ParquetReader::new(open(path)?);
            let schema = damage::caught(|| reader.schema().map_err(|error| refused(&error)));
            let schema = schema.unwrap_or_else(|| Err(damaged())).map_err(|error| error.at(path.display()))?;
            schema.iter_names().map(ToString::to_string).collect()
        }
        Format::Csv => csv::header(path).map_err(|error| error.at(path.display()))?,
        Format::Jsonl => {
            let frame = json(open(path)?, path, None).map_err(|error| error.at(path.display()))?;
            frame.get_column_names().iter().map(ToString::to_string).collect()
        }
    };
    Ok(names)
}

/// Finds out whether [`write`] could write to `path`, and leaves nothing there.
pub(super) fn check_writable(path: &Path) -> Result<()> {
    Format::of(path)?;
    check_replaced(path)?;
    whole::check(path)
}

/// Writes `frame`, whole or not at all.
pub(super) fn write(mut frame: DataFrame, path: &Path) -> Result<()> {
    let format = Format::of(path)?;
    whole::write(path, |out| {
        let mut out = Watched { out, refused: None };
        let written = match format {
            Format::Parquet => ParquetWriter::new(&mut out).finish(&mut frame).map(drop),
            Format::Csv => CsvWriter::new(&mut out).finish(&mut frame),
            Format::Jsonl => JsonWriter::new(&mut out).with_json_format(JsonFormat::JsonLines).finish(&mut frame),
        };
        written.map_err(|error| match out.refused {
            Some(error) => whole::refused(path, &error),
            None => refused(&error).at(format!("cannot write {}", path.display())),
        })
    })
}

/// Remembers why the disk refused: polars wraps that into words of its formats.
struct Watched<W> {
    out: W,
    refused: Option<io::Error>,
}

impl<W: Write> Watched<W> {
    fn watch<T>(&mut self, outcome: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &outcome {
            self.refused = Some(error.raw_os_error().map_or_else(|| error.kind().into(), io::Error::from_raw_os_error));
        }
        outcome
    }
}

impl<W: Write> Write for Watched<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let outcome = self.out.write(bytes);
        self.watch(outcome)
    }

    fn flush(&mut self) -> io::Result<()> {
        let outcome = self.out.flush();
        self.watch(outcome)
    }
}

/// A table is only put in the place of a table: whatever else is there would be lost.
///
/// # Errors
/// `path` is a file that is no score table.
fn check_replaced(path: &Path) -> Result<()> {
    let there = std::fs::metadata(path).is_ok_and(|there| there.is_file() && there.len() > 0);
    if !there {
        return Ok(());
    }
    let names = column_names(path).unwrap_or_default();
    if [column::MODEL, column::TRAJECTORY, column::SCORE].iter().all(|name| names.iter().any(|there| there == name)) {
        return Ok(());
    }
    Err(Error::input(format!("{} is there already and is no score table", path.display()))
        .with_help("name another file with --out, or move that one away"))
}

pub(super) fn open(path: &Path) -> Result<File> {
    let cannot = |error: std::io::Error| Error::io(format!("cannot read {}", path.display()), &error);
    let meta = std::fs::metadata(path).map_err(cannot)?;
    // A table is read more than once, and to open a pipe takes until somebody writes.
    if !meta.is_file() && !meta.is_dir() {
        return Err(Error::input(format!("{} is a pipe or a device, not a file", path.display()))
            .with_help("write what comes out of it to a file first"));
    }
    let file = File::open(path).map_err(cannot)?;
    if meta.is_dir() {
        return Err(Error::input(format!("{} is a folder, not a score table", path.display()))
            .with_help("name the file in it: .parquet, .csv or .jsonl"));
    }
    if meta.len() == 0 {
        return Err(Error::input(format!("{} is empty", path.display()))
            .with_help("score again with --out, which writes it whole: nothing is called twice"));
    }
    Ok(file)
}

fn damaged() -> Error {
    Error::input("a damaged Parquet file").with_help("write it again, or take the copy it came from")
}

/// What a value of a table comes to: a text is sixteen bytes beside its letters.
const VALUE_BYTES: u64 = 16;

fn parquet(mut file: File, columns: Option<&[&str]>) -> Result<DataFrame> {
    let rows = file.try_clone().map_err(|error| Error::io("cannot be read", &error))?;
    let bytes = ReaderBytes::from(&mut file);
    let mut reader = ParquetReader::new(rows);
    let metadata = reader.get_metadata().map_err(|error| refused(&error))?.clone();
    // Arrow's own schema, which pandas and others leave in the file, would have dictionaries (categories) read as such,
    // a type that this build of polars does without. Parquet's schema has them as the text that they are.
    let mut metadata = Arc::unwrap_or_clone(metadata);
    metadata.key_value_metadata = None;
    let metadata = Arc::new(metadata);
    reader.set_metadata(Arc::clone(&metadata));
    let schema = reader.schema().map_err(|error| refused(&error))?;
    let names: Vec<&str> = schema.iter_names().map(|name| name.as_str()).collect();
    check::required_names(&names)?;
    for field in schema.iter_values() {
        if !readable(&field.dtype) {
            let message = format!("column `{}` has type {:?}, which cannot be read", field.name, field.dtype);
            return Err(Error::input(message).with_help("cast it to text or numbers, or drop it"));
        }
    }
    let wanted = |name: &str| columns.is_none_or(|columns| columns.contains(&name));
    crate::parquet::check(&bytes, &metadata, wanted, VALUE_BYTES)
        .map_err(|error| error.at("cannot be read as Parquet"))?;
    let columns = columns
        .map(|wanted| wanted.iter().filter(|name| names.contains(name)).map(|name| (*name).to_owned()).collect());
    let reader = reader.with_columns(columns).read_parallel(ParallelStrategy::Auto);
    reader.finish().map_err(|error| refused(&error))
}

/// Whether this build of polars has the type (it panics over others).
fn readable(dtype: &ArrowDataType) -> bool {
    use ArrowDataType as D;
    match dtype {
        D::Null | D::Boolean | D::Utf8 | D::LargeUtf8 | D::Utf8View | D::Binary | D::LargeBinary | D::BinaryView => {
            true
        }
        D::Int8 | D::Int16 | D::Int32 | D::Int64 | D::UInt8 | D::UInt16 | D::UInt32 | D::UInt64 => true,
        D::Float32 | D::Float64 | D::Date32 | D::Timestamp(..) | D::Time64(_) | D::Time32(_) => true,
        D::List(field) | D::LargeList(field) => readable(&field.dtype),
        D::Struct(fields) => fields.iter().all(|field| readable(&field.dtype)),
        _ => false,
    }
}

fn json(file: File, path: &Path, columns: Option<&[&str]>) -> Result<DataFrame> {
    // polars may read past a bad line in silence or complain without its number.
    if let Some(error) = jsonl::first_bad_line(path)? {
        return Err(error);
    }
    let frame = JsonReader::new(file)
        .with_json_format(JsonFormat::JsonLines)
        .infer_schema_len(None)
        .finish()
        .map_err(|error| refused(&error))?;
    check::required(&frame)?;
    match columns {
        None => Ok(frame),
        Some(wanted) => {
            let wanted = wanted.iter().filter(|name| frame.column(name).is_ok()).copied();
            Ok(frame.select(wanted)?)
        }
    }
}

pub(super) fn refused(error: &PolarsError) -> Error {
    // polars adds advice of its own for its Python users after the first line.
    let message = error.to_string();
    let line = message.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("cannot be read");
    Error::input(line.to_owned()).with_help("is the file whole, and what its extension says?")
}
