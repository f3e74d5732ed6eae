//! What one chunk of rows comes to.

use polars::prelude::*;

use super::cell::Cell;
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
    Rows { codes: Vec<Vec<u32>>, pairs: Vec<Pair> },
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

pub(super) fn part(mut rows: Rows, counting: &Counting) -> Result<Part, Problem> {
    let height = rows.height();
    rows.code(counting.keys.iter().map(String::as_str))?;
    let score = numbers(&rows, column::SCORE)?;
    let label = if counting.has_label { numbers(&rows, column::LABEL)? } else { vec![f64::NAN; height] };
    let (skip, left_out) = skipped(&mut rows, counting)?;
    let enters = |row: usize| skip.as_ref().is_none_or(|skip| !skip[row]);
    let (keys, codes): (Vec<Vec<Key>>, Vec<Vec<u32>>) = counting.keys.iter().filter_map(|name| rows.take(name)).unzip();

    let mut starts = vec![false; height];
    for codes in &codes {
        for (start, pair) in starts.iter_mut().skip(1).zip(codes.windows(2)) {
            *start |= pair[0] != pair[1];
        }
    }
    let runs = starts.iter().filter(|start| **start).count();
    let units = if runs > height / 2 {
        let pair = |row: usize| Pair { row: row as u32, score: score[row], label: label[row] };
        Units::Rows { codes, pairs: (0..height).filter(|row| enters(*row)).map(pair).collect() }
    } else {
        let mut all = Runs::new(counting);
        for (row, start) in starts.into_iter().enumerate() {
            if start {
                all.close();
            }
            if enters(row) {
                all.push(&codes, row, (score[row], label[row]));
            }
        }
        all.close();
        Units::Runs { codes: all.codes, cells: all.cells, failed: all.failed }
    };
    Ok(Part { columns: keys, units, left_out })
}

/// Sums up rows, a unit a run.
struct Runs<'a> {
    counting: &'a Counting,
    codes: Vec<u32>,
    cells: Vec<Cell>,
    failed: Vec<u32>,
    /// The run at hand, where some row of it has entered.
    open: Option<Cell>,
    open_failed: Vec<u32>,
}

impl<'a> Runs<'a> {
    fn new(counting: &'a Counting) -> Self {
        let open_failed = vec![0; counting.boundaries.len()];
        Self { counting, codes: Vec::new(), cells: Vec::new(), failed: Vec::new(), open: None, open_failed }
    }

    fn push(&mut self, codes: &[Vec<u32>], row: usize, (score, label): (f64, f64)) {
        let cell = self.open.get_or_insert_with(|| {
            self.codes.extend(codes.iter().map(|column| column[row]));
            Cell::new()
        });
        cell.push(score, label, self.counting.substitute, &self.counting.boundaries, &mut self.open_failed);
    }

    fn close(&mut self) {
        if let Some(cell) = self.open.take() {
            self.cells.push(cell);
            self.failed.extend_from_slice(&self.open_failed);
            self.open_failed.fill(0);
        }
    }
}

/// A column of numbers, NaN for null.
fn numbers(rows: &Rows, name: &str) -> Result<Vec<f64>, Problem> {
    let series = rows.column(name)?.as_materialized_series();
    if !(series.dtype().is_primitive_numeric() || series.dtype().is_null()) {
        return Err(Error::input(format!("column `{name}` holds {}, not numbers", series.dtype()))
            .with_help("scores and labels are numbers; null for an unparsed reply")
            .into());
    }
    let floats = series.cast(&DataType::Float64)?;
    let mut numbers = Vec::with_capacity(floats.len());
    for array in floats.f64()?.downcast_iter() {
        match array.validity() {
            Some(validity) => numbers
                .extend(array.values().iter().zip(validity.iter()).map(|(v, valid)| if valid { *v } else { f64::NAN })),
            None => numbers.extend_from_slice(array.values()),
        }
    }
    match numbers.iter().position(|number| number.is_infinite()) {
        Some(row) => Err(Problem::Row(row, format!("column `{name}` is infinite"))),
        None => Ok(numbers),
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
    if counting.first_repeat_only {
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
