//! Parquet through polars-io, only the wanted columns.

use std::fs::File;
use std::sync::Arc;

use polars::prelude::{AnyValue, DataFrame, PolarsError};
use polars_io::SerReader;
use polars_io::mmap::ReaderBytes;
use polars_io::parquet::read::ParquetReader;

use super::{Cell, Rows};
use crate::{Error, Result, damage, parquet};

pub(super) fn read(rows: &mut Rows) -> Result<()> {
    let shown = rows.path.display().to_string();
    let mut file = File::open(&rows.path).map_err(|error| Error::io(format!("cannot read {shown}"), &error))?;
    let wanted = rows.wanted.clone();
    let read = damage::caught(|| columns(&mut file, &wanted)).unwrap_or_else(|| Err(Error::input("it is damaged")));
    let (present, frame) = read.map_err(|error| error.at(format!("{shown} is not a readable Parquet file")))?;
    rows.present = present;
    let height = frame.height();
    rows.cells.resize(height * wanted.len(), Cell::Null);
    for (index, name) in wanted.iter().enumerate() {
        let Ok(column) = frame.column(name) else { continue };
        for (row, value) in column.as_materialized_series().rechunk().iter().enumerate() {
            rows.cells[row * wanted.len() + index] = cell(value);
        }
    }
    rows.lines.extend(1..=height as u64);
    Ok(())
}

/// What a value comes to: one of polars, and the cell made of it.
const VALUE_BYTES: u64 = 16 + size_of::<Cell>() as u64;

/// The names of all columns, and those of them that are wanted.
fn columns(file: &mut File, wanted: &[String]) -> Result<(Vec<String>, DataFrame)> {
    let rest = file.try_clone().map_err(|error| Error::io("cannot read it", &error))?;
    let bytes = ReaderBytes::from(file);
    let mut reader = ParquetReader::new(rest);
    let mut metadata = (**reader.get_metadata().map_err(first_line)?).clone();
    // Columns that are not there become cells too.
    let rows = metadata.num_rows as u64;
    parquet::check(&bytes, &metadata, |name| wanted.iter().any(|wanted| wanted == name), VALUE_BYTES)?;
    parquet::check_values(&bytes, rows.saturating_mul(wanted.len() as u64), size_of::<Cell>() as u64)?;
    // Without the writer's notes, columns have the types of the format itself: what pandas calls a category, and polars
    // needs a feature of its own for, is text.
    metadata.key_value_metadata = None;
    reader.set_metadata(Arc::new(metadata));
    let present: Vec<String> = reader.schema().map_err(first_line)?.iter_names().map(ToString::to_string).collect();
    let both = wanted.iter().filter(|name| present.contains(name)).cloned().collect();
    Ok((present, reader.with_columns(Some(both)).finish().map_err(first_line)?))
}

/// What polars says, without its advice for Python.
fn first_line(error: PolarsError) -> Error {
    let message = error.to_string();
    Error::input(message.lines().next().unwrap_or_default())
}

fn cell(value: AnyValue<'_>) -> Cell {
    match value {
        AnyValue::Null => Cell::Null,
        AnyValue::String(text) => Cell::Text(text.to_owned()),
        AnyValue::StringOwned(text) => Cell::Text(text.to_string()),
        AnyValue::Boolean(flag) => Cell::Flag(flag),
        AnyValue::List(series) => Cell::List(series.iter().map(cell).collect()),
        AnyValue::Binary(_) | AnyValue::BinaryOwned(_) => Cell::Other("bytes"),
        AnyValue::Float32(number) => Cell::Number(number.into()),
        AnyValue::Float64(number) => Cell::Number(number),
        other => match other.extract::<i64>() {
            Some(number) if other.dtype().is_integer() => Cell::Whole(number),
            _ => Cell::Other("a value of another type"),
        },
    }
}
