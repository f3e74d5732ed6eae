//! What the columns of a score table must be.

use polars::prelude::*;

use super::column::*;
use crate::error::nearest;
use crate::{Error, Result};

/// Known text columns that may be null.
const TEXT: [&str; 14] = [
    DATASET,
    TASK,
    PARAPHRASE_ID,
    SEED,
    REASONING,
    CONFIG,
    REPLY,
    FINISH_REASON,
    MODEL_RETURNED,
    PROVIDER,
    REQUEST_ID,
    FRAME_RULE,
    PROMPT_VERSION,
    READER_VERSION,
];

/// Known text columns that may not.
const NAMES: [&str; 4] = [MODEL, TRAJECTORY, STRATEGY, INSTRUCTION];

/// Whole numbers from 0.
const COUNTS: [&str; 4] = [REPEAT, PROMPT_TOKENS, CACHED_TOKENS, COMPLETION_TOKENS];

/// Finite numbers.
const NUMBERS: [&str; 3] = [SCORE, COST_USD, LATENCY_MS];

/// The known columns that hold numbers.
pub(super) fn columns_of_numbers() -> Vec<&'static str> {
    NUMBERS.into_iter().chain(COUNTS).chain([LABEL]).collect()
}

/// The type that a known column is read as, where the file leaves it open (CSV, JSONL): text such as an id of digits
/// keeps its leading zeros.
pub(super) fn known_type(name: &str) -> Option<DataType> {
    if TEXT.contains(&name) || NAMES.contains(&name) {
        Some(DataType::String)
    } else if NUMBERS.contains(&name) || COUNTS.contains(&name) || name == LABEL {
        Some(DataType::Float64)
    } else {
        None
    }
}

/// All required columns, or an error that names the first one missing and those that are there.
pub(super) fn required(frame: &DataFrame) -> Result<()> {
    let names: Vec<&str> = frame.get_column_names().iter().map(|name| name.as_str()).collect();
    required_names(&names)
}

/// As [`required`], from the names alone.
pub(super) fn required_names(names: &[&str]) -> Result<()> {
    let Some(missing) = REQUIRED.iter().find(|required| !names.contains(required)) else {
        return Ok(());
    };
    let present = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    let error = Error::input(format!("column `{missing}` is missing; present: {present}"));
    Err(match nearest(missing, names.iter().copied()).first() {
        Some(near) => error.with_help(format!("rename `{near}` to `{missing}`, if that is what it is")),
        None => error.with_help(format!("a score table needs the columns {}", REQUIRED.join(", "))),
    })
}

/// Brings the known columns to their types and checks their values.
pub(super) fn columns(mut frame: DataFrame) -> Result<DataFrame> {
    let names: Vec<String> = frame.get_column_names().iter().map(ToString::to_string).collect();
    for name in names {
        let column = frame.column(&name)?;
        let checked = match name.as_str() {
            name if NAMES.contains(&name) => no_nulls(text(column)?)?,
            name if TEXT.contains(&name) => text(column)?,
            name if NUMBERS.contains(&name) => finite(column)?,
            REPEAT => whole(column, 0..=i64::MAX, "a repeat is counted from 0")?.fill_null(FillNullStrategy::Zero)?,
            name if COUNTS.contains(&name) => whole(column, 0..=i64::MAX, "a count of tokens")?,
            LABEL => whole(
                column,
                1..=5,
                "a label is the true progress: 1 no success, 2 minimal, 3 partial, 4 near, 5 perfect completion",
            )?,
            _ => continue,
        };
        frame.replace(&name, checked)?;
    }
    Ok(frame)
}

/// Frames one under the other; columns that one lacks are null in its rows.
pub(super) fn stack<'a>(frames: impl Iterator<Item = &'a DataFrame>) -> Result<DataFrame> {
    let frames: Vec<&DataFrame> = frames.collect();
    let mut schema = Schema::default();
    for frame in &frames {
        for column in frame.columns() {
            match schema.get(column.name()) {
                None | Some(DataType::Null) => {
                    schema.insert(column.name().clone(), column.dtype().clone());
                }
                Some(known) if known == column.dtype() || column.dtype() == &DataType::Null => {}
                Some(known) => {
                    return Err(Error::input(format!(
                        "column `{}` is {known} in one table and {} in another",
                        column.name(),
                        column.dtype()
                    ))
                    .with_help("cast it in one of them"));
                }
            }
        }
    }
    let mut out = DataFrame::empty_with_schema(&schema);
    for frame in frames {
        let columns = schema
            .iter()
            .map(|(name, dtype)| match frame.column(name) {
                Ok(column) if column.dtype() == dtype => Ok(column.clone()),
                Ok(column) => column.cast(dtype),
                Err(_) => Ok(Column::full_null(name.clone(), frame.height(), dtype)),
            })
            .collect::<PolarsResult<Vec<_>>>()?;
        out.vstack_mut_owned(DataFrame::new(frame.height(), columns)?)?;
    }
    Ok(out)
}

fn text(column: &Column) -> Result<Column> {
    match column.dtype() {
        DataType::String => Ok(column.clone()),
        dtype if dtype.is_integer() || dtype.is_bool() || dtype.is_null() => Ok(column.cast(&DataType::String)?),
        dtype => Err(wrong_type(column, dtype, "text")),
    }
}

fn no_nulls(column: Column) -> Result<Column> {
    if column.null_count() == 0 {
        return Ok(column);
    }
    let row = first(&column.is_null()).unwrap_or(0);
    Err(Error::input(format!("row {}: `{}` is null", row + 1, column.name()))
        .with_help("only optional columns and `score` can be null"))
}

/// f64 without NaN: pandas writes a missing score as one.
fn finite(column: &Column) -> Result<Column> {
    let numbers = number(column)?;
    let values = numbers.f64()?;
    if let Some(row) = values.iter().position(|value| value.is_some_and(f64::is_infinite)) {
        return Err(Error::input(format!("row {}: `{}` is infinite", row + 1, column.name())));
    }
    if !values.iter().any(|value| value.is_some_and(f64::is_nan)) {
        return Ok(numbers);
    }
    let values: Float64Chunked = values.iter().map(|value| value.filter(|value| !value.is_nan())).collect();
    Ok(values.with_name(column.name().clone()).into_column())
}

/// i64 within `range`; floats only where they are whole.
fn whole(column: &Column, range: std::ops::RangeInclusive<i64>, meaning: &str) -> Result<Column> {
    if column.dtype() == &DataType::Int64 {
        let values = column.i64()?;
        let inside = match (values.min(), values.max()) {
            (Some(min), Some(max)) => range.contains(&min) && range.contains(&max),
            _ => true,
        };
        if inside {
            return Ok(column.clone());
        }
    }
    let numbers = number(column)?;
    let mut out: Vec<Option<i64>> = Vec::with_capacity(numbers.len());
    for (row, value) in numbers.f64()?.iter().enumerate() {
        out.push(match value {
            Some(value) if !value.is_nan() => {
                let whole = value as i64;
                if value.fract() != 0.0 || !range.contains(&whole) {
                    let message = format!("row {}: `{}` is {}", row + 1, column.name(), shown(value));
                    let wanted = match () {
                        () if range != (1..=5) => ", not a whole number from 0",
                        () if value.fract() != 0.0 => ", not a whole number",
                        () => ", outside 1 to 5",
                    };
                    return Err(Error::input(message + wanted).with_help(meaning));
                }
                Some(whole)
            }
            _ => None,
        });
    }
    Ok(Column::new(column.name().clone(), out))
}

/// Of a column of texts, the first that is no number.
fn no_number(column: &Column) -> Option<Error> {
    let mut texts = column.str().ok()?.iter().enumerate();
    let (row, text) = texts.find_map(|(row, text)| Some((row, text.filter(|text| !is_number(text))?)))?;
    let text: String = text.chars().take(60).collect();
    Some(Error::input(format!("row {}: `{}` is {text:?}, not a number", row + 1, column.name())).with_help(NO_NUMBER))
}

/// What to write where there is no number.
pub(super) const NO_NUMBER: &str = "leave it empty (null) where there is none: a score is null for an unparsed reply";

/// Whether polars would take a text for a number.
pub(super) fn is_number(text: &str) -> bool {
    text.trim().parse::<f64>().is_ok()
}

/// In full, some numbers have three hundred digits.
fn shown(value: f64) -> String {
    if value.abs() >= 1e16 { format!("{value:e}") } else { value.to_string() }
}

fn number(column: &Column) -> Result<Column> {
    match column.dtype() {
        DataType::Float64 => Ok(column.clone()),
        dtype if dtype.is_primitive_numeric() || dtype.is_null() => Ok(column.cast(&DataType::Float64)?),
        dtype => Err(no_number(column).unwrap_or_else(|| wrong_type(column, dtype, "numbers"))),
    }
}

fn wrong_type(column: &Column, dtype: &DataType, wanted: &str) -> Error {
    let name = column.name();
    Error::input(format!("column `{name}` has type {dtype} where {wanted} should be"))
        .with_help(format!("cast it, or rename it if it is not the `{name}` of a score table"))
}

fn first(mask: &BooleanChunked) -> Option<usize> {
    mask.iter().position(|value| value == Some(true))
}
