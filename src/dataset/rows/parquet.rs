//! Parquet through polars-io, only the wanted columns.

use std::fs::File;
use std::sync::Arc;

use polars::prelude::{AnyValue, DataFrame, PolarsError, PolarsResult};
use polars_io::SerReader;
use polars_io::parquet::read::ParquetReader;

use super::{Cell, Rows};
use crate::{Error, Result, damage};

pub(super) fn read(rows: &mut Rows) -> Result<()> {
    let shown = rows.path.display().to_string();
    let file = File::open(&rows.path).map_err(|error| Error::io(format!("cannot read {shown}"), &error))?;
    let wanted = rows.wanted.clone();
    let read = damage::caught(|| columns(file, &wanted))
        .ok_or_else(|| Error::input(format!("{shown} is a damaged Parquet file")))?;
    let (present, frame) = read.map_err(|error| {
        let message = error.to_string();
        let line = message.lines().next().unwrap_or_default();
        Error::input(format!("{shown} is not a readable Parquet file: {line}"))
    })?;
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

/// The most rows, or values of a column of lists, that are taken for true: more than any dataset of trajectories has,
/// and few enough that a damaged count does not ask for all the memory there is, which ends the process.
const MOST: usize = 1 << 27;

/// The names of all columns, and those of them that are wanted.
fn columns(file: File, wanted: &[String]) -> PolarsResult<(Vec<String>, DataFrame)> {
    let size = file.metadata()?.len();
    let mut reader = ParquetReader::new(file);
    let mut metadata = (**reader.get_metadata()?).clone();
    let damaged = || PolarsError::ComputeError("its footer contradicts itself".into());
    let counts = metadata.row_groups.iter().map(|group| group.num_rows());
    if counts.clone().any(|rows| rows > MOST) || metadata.num_rows > MOST || counts.sum::<usize>() != metadata.num_rows
    {
        return Err(damaged());
    }
    for chunk in metadata.row_groups.iter().flat_map(|group| group.parquet_columns()) {
        let whole = usize::try_from(chunk.num_values()).is_ok_and(|values| values <= MOST)
            && u64::try_from(chunk.compressed_size()).is_ok_and(|bytes| bytes <= size);
        if !whole || chunk.byte_range().end > size {
            return Err(damaged());
        }
    }
    // Without the writer's notes, columns have the types of the format itself: what pandas calls a category, and polars
    // needs a feature of its own for, is text.
    metadata.key_value_metadata = None;
    reader.set_metadata(Arc::new(metadata));
    let present: Vec<String> = reader.schema()?.iter_names().map(ToString::to_string).collect();
    let both = wanted.iter().filter(|name| present.contains(name)).cloned().collect();
    Ok((present, reader.with_columns(Some(both)).finish()?))
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
