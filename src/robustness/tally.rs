//! One pass over the rows: what each unit's replies add up to.
//!
//! Chunks of rows are summed up in parallel, each on its own, and their parts merged in the order of the rows: the
//! result does not depend on the number of threads, to the last bit.

use polars::prelude::*;
use rayon::prelude::*;

use super::cell::Cell;
use super::dictionary::{Coded, Dictionary, Pairs, by_key, code};
use super::key::Key;
use super::output::LeftOut;
use super::source::Source;
use crate::scores::column;
use crate::{Error, Result};

/// What to read and how to count it.
pub(super) struct Counting {
    /// Columns that tell units apart: those grouped by, then model, config, dataset and trajectory.
    pub keys: Vec<String>,
    pub boundaries: Vec<f64>,
    /// Stands in for an unparsed reply.
    pub substitute: Option<f64>,
    pub has_label: bool,
    /// Leave out repeats after the first.
    pub first_repeat_only: bool,
    /// Leave out variants made for aggregation.
    pub no_variants: bool,
    /// Leave out the original instruction.
    pub no_original: bool,
}

impl Counting {
    /// The columns that are read.
    pub fn columns(&self) -> Vec<&str> {
        let mut columns: Vec<&str> = self.keys.iter().map(String::as_str).collect();
        let more = [
            (true, column::SCORE),
            (self.has_label, column::LABEL),
            (self.first_repeat_only, column::REPEAT),
            (self.no_variants, column::SEED),
            (self.no_original, column::STRATEGY),
        ];
        for (wanted, name) in more {
            if wanted && !columns.contains(&name) {
                columns.push(name);
            }
        }
        columns
    }
}

/// All units of a table.
pub(super) struct Tally {
    pub keys: Vec<String>,
    /// The different values of each key column.
    pub dictionaries: Vec<Dictionary>,
    /// A code a key column, unit after unit.
    pub codes: Vec<u32>,
    pub cells: Vec<Cell>,
    /// Pairs on the wrong side, a boundary each, unit after unit.
    pub failed: Vec<u32>,
    pub boundaries: usize,
    pub left_out: LeftOut,
    folds: Vec<Pairs>,
}

/// The units of one chunk of rows, one a run of equal keys.
struct Part {
    columns: Vec<Vec<Key>>,
    codes: Vec<u32>,
    cells: Vec<Cell>,
    failed: Vec<u32>,
    left_out: LeftOut,
}

impl Tally {
    pub fn of(source: &Source, counting: &Counting) -> Result<Self> {
        let width = counting.keys.len();
        let mut tally = Self {
            keys: counting.keys.clone(),
            dictionaries: (0..width).map(|_| Dictionary::default()).collect(),
            codes: Vec::new(),
            cells: Vec::new(),
            failed: Vec::new(),
            boundaries: counting.boundaries.len(),
            left_out: LeftOut::default(),
            folds: (0..width).map(|_| Pairs::default()).collect(),
        };
        let columns = counting.columns();
        let chunks: Vec<usize> = (0..source.chunks()).collect();
        let mut parts: Vec<Part> = Vec::new();
        // As many chunks in flight as threads: one batch is merged while the next is read.
        for batch in chunks.chunks(rayon::current_num_threads().max(1)) {
            let (next, ()) = rayon::join(
                || {
                    let read = |&i: &usize| -> Result<Part> {
                        let (first_row, rows) = source.chunk(i, &columns)?;
                        part(&rows, counting).map_err(|problem| problem.locate(first_row))
                    };
                    batch.par_iter().map(read).collect::<Result<Vec<_>>>()
                },
                || parts.drain(..).for_each(|part| tally.absorb(part)),
            );
            parts = next?;
        }
        parts.drain(..).for_each(|part| tally.absorb(part));
        tally.check_keys()?;
        Ok(tally)
    }

    fn absorb(&mut self, part: Part) {
        let width = self.keys.len();
        let global: Vec<Vec<u32>> = part
            .columns
            .iter()
            .zip(&mut self.dictionaries)
            .map(|(keys, dictionary)| keys.iter().map(|key| dictionary.code(key)).collect())
            .collect();
        let mut last = vec![(u32::MAX, 0u32); width];
        let mut now = vec![0u32; width];
        let stride = self.boundaries;
        for (i, (local, cell)) in part.codes.chunks_exact(width).zip(&part.cells).enumerate() {
            let mut place = 0;
            let mut same = true;
            for (c, code) in local.iter().enumerate() {
                let code = global[c][*code as usize];
                now[c] = code;
                same &= last[c].0 == code;
                if !same {
                    last[c] = (code, self.folds[c].code(place, code));
                }
                place = last[c].1;
            }
            let failed = &part.failed[i * stride..(i + 1) * stride];
            let place = place as usize;
            if place == self.cells.len() {
                self.codes.extend_from_slice(&now);
                self.cells.push(*cell);
                self.failed.extend_from_slice(failed);
            } else {
                self.cells[place].merge(cell);
                for (all, one) in self.failed[place * stride..].iter_mut().zip(failed) {
                    *all += one;
                }
            }
        }
        self.left_out += part.left_out;
    }

    /// The required columns have a value in every row.
    fn check_keys(&self) -> Result<()> {
        for name in [column::MODEL, column::TRAJECTORY] {
            let place = self.keys.iter().position(|key| key == name);
            if place.is_some_and(|place| self.dictionaries[place].keys().contains(&Key::Missing)) {
                return Err(Error::input(format!("column `{name}` has rows without a value"))
                    .with_help("every row of a score table names its model and its trajectory"));
            }
        }
        Ok(())
    }
}

/// The different values of a column.
pub(super) fn values(source: &Source, column: &str) -> Result<Dictionary> {
    let chunks: Vec<usize> = (0..source.chunks()).collect();
    let read = |&i: &usize| -> Result<Vec<Key>> { Ok(code(source.chunk(i, &[column])?.1.column(column)?)?.keys) };
    let mut dictionary = Dictionary::default();
    for keys in chunks.par_iter().map(read).collect::<Result<Vec<_>>>()? {
        for key in &keys {
            dictionary.code(key);
        }
    }
    Ok(dictionary)
}

/// What is wrong with a chunk, and in which of its rows.
enum Problem {
    Row(usize, String),
    Other(Error),
}

impl<E: Into<Error>> From<E> for Problem {
    fn from(error: E) -> Self {
        Self::Other(error.into())
    }
}

impl Problem {
    fn locate(self, first_row: usize) -> Error {
        match self {
            Self::Row(row, what) => Error::input(format!("row {}: {what}", first_row + row + 1))
                .with_help("scores and labels are finite numbers; write null for an unparsed reply"),
            Self::Other(error) => error,
        }
    }
}

fn part(rows: &DataFrame, counting: &Counting) -> Result<Part, Problem> {
    let height = rows.height();
    let columns = counting.keys.iter().map(|name| code(rows.column(name)?)).collect::<Result<Vec<Coded>>>()?;
    let score = numbers(rows, column::SCORE)?;
    let label = if counting.has_label { numbers(rows, column::LABEL)? } else { vec![f64::NAN; height] };
    let (skip, left_out) = skipped(rows, counting)?;

    let mut starts = vec![false; height];
    for column in &columns {
        for (start, pair) in starts.iter_mut().skip(1).zip(column.codes.windows(2)) {
            *start |= pair[0] != pair[1];
        }
    }
    // Rows in no order make a unit of nearly every row, and merging those into memory at random takes longer than all
    // the rest: such rows are put in the order of their keys.
    let runs = starts.iter().filter(|start| **start).count();
    let order = if runs > height / 2 { by_key(&columns) } else { None };

    let stride = counting.boundaries.len();
    let mut part = Part { columns: Vec::new(), codes: Vec::new(), cells: Vec::new(), failed: Vec::new(), left_out };
    let mut cell = Cell::new();
    let mut failed = vec![0u32; stride];
    let mut open = false;
    let mut take = |row: usize, start: bool| {
        if open && start {
            part.cells.push(std::mem::replace(&mut cell, Cell::new()));
            part.failed.extend_from_slice(&failed);
            failed.fill(0);
            open = false;
        }
        if skip.as_ref().is_some_and(|skip| skip[row]) {
            return;
        }
        if !open {
            part.codes.extend(columns.iter().map(|column| column.codes[row]));
            open = true;
        }
        cell.push(score[row], label[row], counting.substitute, &counting.boundaries, &mut failed);
    };
    match &order {
        None => starts.iter().enumerate().for_each(|(row, start)| take(row, *start)),
        Some(order) => {
            let mut last = None;
            for &(key, row) in order {
                take(row as usize, last != Some(key));
                last = Some(key);
            }
        }
    }
    if open {
        part.cells.push(cell);
        part.failed.extend_from_slice(&failed);
    }
    part.columns = columns.into_iter().map(|column| column.keys).collect();
    Ok(part)
}

/// A column of numbers, NaN for null.
fn numbers(rows: &DataFrame, name: &str) -> Result<Vec<f64>, Problem> {
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
fn skipped(rows: &DataFrame, counting: &Counting) -> Result<(Option<Vec<bool>>, LeftOut), Problem> {
    let mut skip: Option<Vec<bool>> = None;
    let mut left_out = LeftOut::default();
    let mut leave = |which: &dyn Fn(usize) -> bool, count: &mut u64| {
        let skip = skip.get_or_insert_with(|| vec![false; rows.height()]);
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
    if counting.no_variants {
        let seeds = rows.column(column::SEED)?;
        if seeds.null_count() < seeds.len() {
            let seeds = code(seeds)?;
            let set: Vec<bool> =
                seeds.keys.iter().map(|key| *key != Key::Missing && key.as_str() != Some("")).collect();
            leave(&|row| set[seeds.codes[row] as usize], &mut left_out.variants);
        }
    }
    if counting.no_original {
        let strategies = code(rows.column(column::STRATEGY)?)?;
        if let Some(original) = strategies.keys.iter().position(|key| key.as_str() == Some("original")) {
            leave(&|row| strategies.codes[row] as usize == original, &mut left_out.original);
        }
    }
    Ok((skip, left_out))
}
