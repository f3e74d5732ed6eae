//! One pass over the rows: what each unit's replies add up to.
//!
//! Chunks of rows are summed up in parallel, each on its own, and their parts merged in the order of the rows: the
//! result does not depend on the number of threads, to the last bit.

use rayon::prelude::*;

use super::cell::Cell;
use super::dictionary::Dictionary;
use super::key::Key;
use super::ordered::in_order;
use super::output::LeftOut;
use super::part::{Part, Scratch, part};
use super::shards::Shards;
use super::source::Source;
use crate::scores::column;
use crate::{Error, Result};

/// Chunks of rows that a thread may be ahead of those that are merged. They are what a table in memory costs beside itself.
const AHEAD: usize = 2;

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

    /// Those of them of which only codes are wanted.
    fn codes(&self) -> Vec<&str> {
        let mut columns = self.columns();
        let numbers = [column::SCORE, column::LABEL, column::REPEAT];
        columns.retain(|name| !numbers.contains(name));
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
}

impl Tally {
    pub fn of(source: &Source, counting: &Counting) -> Result<Self> {
        let trajectory = counting.keys.iter().position(|key| key == column::TRAJECTORY);
        let mut shards = Shards::new(counting, trajectory.unwrap_or_default());
        let mut dictionaries: Vec<Dictionary> = counting.keys.iter().map(|_| Dictionary::default()).collect();
        let mut left_out = LeftOut::default();
        let absorb = |part: Part| {
            let global = |(keys, dictionary): (&Vec<Key>, &mut Dictionary)| -> Vec<u32> {
                keys.iter().map(|key| dictionary.code(key)).collect()
            };
            let global: Vec<Vec<u32>> = part.columns.iter().zip(&mut dictionaries).map(global).collect();
            shards.absorb(part.units, &global);
            left_out += part.left_out;
        };
        let (columns, codes) = (counting.columns(), counting.codes());
        let read = |scratch: &mut Scratch, i: usize| -> Result<Part> {
            let (first_row, rows) = source.chunk(i, &columns, &codes)?;
            part(scratch, rows, counting).map_err(|problem| problem.locate(first_row))
        };
        in_order(source.chunks(), AHEAD, read, absorb)?;
        let (codes, cells, failed) = shards.finish();
        let boundaries = counting.boundaries.len();
        let tally = Self { keys: counting.keys.clone(), dictionaries, codes, cells, failed, boundaries, left_out };
        tally.check_keys()?;
        Ok(tally)
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
    let read = |&i: &usize| -> Result<Vec<Key>> {
        let (_, mut rows) = source.chunk(i, &[column], &[])?;
        rows.code([column])?;
        Ok(rows.take(column).map_or_else(Vec::new, |(keys, _)| keys))
    };
    let mut dictionary = Dictionary::default();
    for keys in chunks.par_iter().map(read).collect::<Result<Vec<_>>>()? {
        for key in &keys {
            dictionary.code(key);
        }
    }
    Ok(dictionary)
}
