//! What one chunk of rows comes to.

use polars::prelude::*;
use polars_arrow::array::PrimitiveArray;
use polars_arrow::types::NativeType;

use super::cell::Cell;
use super::dictionary::Codes;
use super::key::Key;
use super::output::LeftOut;
use super::rows::Rows;
use super::tally::Counting;
use crate::scores::column;
use crate::{Error, Result};

/// What one chunk of rows comes to.
pub(super) struct Part {
    /// The different values of each key column.
    pub columns: Vec<Vec<Key>>,
    pub units: Units,
    pub left_out: LeftOut,
}

pub(super) enum Units {
    /// One a run of rows with equal keys: a code a key column, unit after unit, and their sums.
    Runs { codes: Vec<u32>, cells: Vec<Cell>, failed: Vec<u32> },
    /// Rows in no order make a unit of nearly every row: they are kept as they are, to be summed up where they belong.
    Rows { codes: Vec<Codes>, pairs: Vec<Pair> },
}

/// A row that enters: its place in the chunk, its score and label (NaN where there is none).
pub(super) struct Pair {
    pub row: u32,
    pub score: f64,
    pub label: f64,
}

/// What is wrong with a chunk, and in which of its rows.
pub(super) enum Problem {
    Row(usize, String),
    Other(Error),
}

impl<E: Into<Error>> From<E> for Problem {
    fn from(error: E) -> Self {
        Self::Other(error.into())
    }
}

impl Problem {
    pub fn locate(self, first_row: usize) -> Error {
        match self {
            Self::Row(row, what) => Error::input(format!("row {}: {what}", first_row + row + 1))
                .with_help("scores and labels are finite numbers; write null for an unparsed reply"),
            Self::Other(error) => error,
        }
    }
}

/// Memory that a thread uses for one chunk after the other: fresh pages cost as much as what is done with them.
#[derive(Default)]
pub(super) struct Scratch {
    score: Vec<f64>,
    label: Vec<f64>,
    /// Whether a unit begins with the row.
    starts: Vec<bool>,
}

pub(super) fn part(scratch: &mut Scratch, mut rows: Rows, counting: &Counting) -> Result<Part, Problem> {
    let height = rows.height();
    let Scratch { score, label, starts } = scratch;
    rows.code(counting.keys.iter().map(String::as_str))?;
    numbers(&rows, column::SCORE, score)?;
    if counting.has_label {
        numbers(&rows, column::LABEL, label)?;
    } else {
        label.clear();
        label.resize(height, f64::NAN);
    }
    let (skip, left_out) = skipped(&mut rows, counting)?;
    let (keys, codes): (Vec<Vec<Key>>, Vec<Codes>) = counting.keys.iter().filter_map(|name| rows.take(name)).unzip();

    starts.clear();
    starts.resize(height, false);
    codes.iter().for_each(|codes| mark_changes(codes, starts));
    let runs = starts.iter().filter(|start| **start).count();
    let enters = |row: usize| skip.as_ref().is_none_or(|skip| !skip[row]);
    let units = if runs > height / 2 {
        let pair = |row: usize| Pair { row: row as u32, score: score[row], label: label[row] };
        Units::Rows { codes, pairs: (0..height).filter(|row| enters(*row)).map(pair).collect() }
    } else {
        let mut all = Runs { codes: Vec::new(), cells: Vec::new(), failed: Vec::new() };
        let mut start = 0;
        for row in 1..=height {
            if row == height || starts[row] {
                all.push(counting, &codes, start, (&score[start..row], &label[start..row]), enters);
                start = row;
            }
        }
        Units::Runs { codes: all.codes, cells: all.cells, failed: all.failed }
    };
    Ok(Part { columns: keys, units, left_out })
}

/// Marks the rows whose code is another than the row before has.
fn mark_changes(codes: &[u32], starts: &mut [bool]) {
    // Plain loops here and below: they run for every row, and as such the compiler makes them wide.
    if let ([_, later @ ..], [_, starts @ ..]) = (codes, starts) {
        for i in 0..later.len().min(starts.len()) {
            starts[i] |= later[i] != codes[i];
        }
    }
}

/// Units of a run of rows each.
struct Runs {
    codes: Vec<u32>,
    cells: Vec<Cell>,
    failed: Vec<u32>,
}

impl Runs {
    /// Sums up the rows from `start` that have these scores and labels; where none of them enters there is no unit.
    fn push(
        &mut self,
        counting: &Counting,
        codes: &[Codes],
        start: usize,
        (score, label): (&[f64], &[f64]),
        enters: impl Fn(usize) -> bool,
    ) {
        let before = self.failed.len();
        self.failed.resize(before + counting.boundaries.len(), 0);
        let failed = &mut self.failed[before..];
        let mut cell = Cell::new();
        for i in 0..score.len().min(label.len()) {
            if enters(start + i) {
                cell.push(score[i], label[i], counting.substitute, &counting.boundaries, failed);
            }
        }
        if cell.pairs == 0 {
            self.failed.truncate(before);
            return;
        }
        self.cells.push(cell);
        for codes in codes {
            self.codes.push(codes[start]);
        }
    }
}

/// Reads a column of numbers, NaN for null.
fn numbers(rows: &Rows, name: &str, numbers: &mut Vec<f64>) -> Result<(), Problem> {
    let series = rows.column(name)?.as_materialized_series();
    if !(series.dtype().is_primitive_numeric() || series.dtype().is_null()) {
        return Err(Error::input(format!("column `{name}` holds {}, not numbers", series.dtype()))
            .with_help("scores and labels are numbers; null for an unparsed reply")
            .into());
    }
    numbers.clear();
    match series.dtype() {
        DataType::Int64 => series.i64()?.downcast_iter().for_each(|array| extend(numbers, array, |value| value as f64)),
        _ => series
            .cast(&DataType::Float64)?
            .f64()?
            .downcast_iter()
            .for_each(|array| extend(numbers, array, |value| value)),
    }
    match numbers.iter().fold(false, |any, number| any | number.is_infinite()) {
        true => Err(Problem::Row(
            numbers.iter().position(|number| number.is_infinite()).unwrap_or_default(),
            format!("column `{name}` is infinite"),
        )),
        false => Ok(()),
    }
}

/// Appends the values of an array, NaN for null.
fn extend<T: NativeType>(numbers: &mut Vec<f64>, array: &PrimitiveArray<T>, number: impl Fn(T) -> f64) {
    let start = numbers.len();
    numbers.extend(array.values().iter().map(|value| number(*value)));
    if let Some(valid) = array.validity() {
        for (number, valid) in numbers[start..].iter_mut().zip(valid.iter()) {
            if !valid {
                *number = f64::NAN;
            }
        }
    }
}

/// Rows that do not enter (none where all do), and how many for which reason.
fn skipped(rows: &mut Rows, counting: &Counting) -> Result<(Option<Vec<bool>>, LeftOut), Problem> {
    let height = rows.height();
    let mut skip: Option<Vec<bool>> = None;
    let mut left_out = LeftOut::default();
    let mut leave = |which: &dyn Fn(usize) -> bool, count: &mut u64| {
        let skip = skip.get_or_insert_with(|| vec![false; height]);
        for (row, skip) in skip.iter_mut().enumerate() {
            if !*skip && which(row) {
                *skip = true;
                *count += 1;
            }
        }
    };
    if counting.first_repeat_only && !rows.all_zero(column::REPEAT) {
        let repeats = rows.column(column::REPEAT)?.cast(&DataType::Int64)?;
        let repeats = repeats.i64()?;
        // Tables with one repeat are most of them: look before making a mask.
        if repeats.downcast_iter().any(|array| array.values().iter().any(|repeat| *repeat != 0)) {
            let later: Vec<bool> = repeats.iter().map(|repeat| repeat.unwrap_or(0) != 0).collect();
            leave(&|row| later[row], &mut left_out.repeats);
        }
    }
    let mut leave_by = |name: &str, which: &dyn Fn(&Key) -> bool, count: &mut u64| -> Result<()> {
        rows.code([name])?;
        if let Some(coded) = rows.coded(name) {
            let out: Vec<bool> = coded.keys.iter().map(which).collect();
            if out.contains(&true) {
                leave(&|row| out[coded.codes[row] as usize], count);
            }
        }
        Ok(())
    };
    if counting.no_variants {
        let is_set = |key: &Key| *key != Key::Missing && key.as_str() != Some("");
        leave_by(column::SEED, &is_set, &mut left_out.variants)?;
    }
    if counting.no_original {
        leave_by(column::STRATEGY, &|key| key.as_str() == Some("original"), &mut left_out.original)?;
    }
    Ok((skip, left_out))
}
