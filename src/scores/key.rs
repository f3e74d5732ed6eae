//! No key twice.

use polars::polars_utils::aliases::PlSeedableRandomStateQuality;
use polars::prelude::*;

use super::column::KEY;
use crate::{Error, Result};

/// Checks that no two rows agree in all columns of [`KEY`] that are there; null equals null.
///
/// By hash: 12 bytes a row and no copy of the text. Only rows whose hashes agree are looked at.
pub(super) fn unique(frame: &DataFrame) -> Result<()> {
    let columns: Vec<&Column> = KEY.iter().filter_map(|name| frame.column(name).ok()).collect();
    let Some((first, rest)) = columns.split_first() else {
        return Ok(());
    };
    let mut hashes = Vec::with_capacity(frame.height());
    let state = PlSeedableRandomStateQuality::default();
    first.as_materialized_series().vec_hash(state.clone(), &mut hashes)?;
    for column in rest {
        column.as_materialized_series().vec_hash_combine(state.clone(), &mut hashes)?;
    }

    // Sorting the hashes alone finds whether any stands twice, which is nearly never so.
    let mut sorted = hashes.clone();
    par_sort(&mut sorted);
    let suspects: PlHashSet<u64> = sorted.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
    drop(sorted);
    if suspects.is_empty() {
        return Ok(());
    }
    let mut seen: PlHashMap<u64, Vec<usize>> = PlHashMap::default();
    for (row, hash) in hashes.iter().enumerate().filter(|(_, hash)| suspects.contains(*hash)) {
        let rows = seen.entry(*hash).or_default();
        for earlier in rows.iter() {
            if same(&columns, *earlier, row)? {
                return Err(repeated(&columns, *earlier, row));
            }
        }
        rows.push(row);
    }
    Ok(())
}

fn par_sort(hashes: &mut [u64]) {
    use rayon::slice::ParallelSliceMut;
    hashes.par_sort_unstable();
}

fn same(columns: &[&Column], a: usize, b: usize) -> Result<bool> {
    for column in columns {
        if column.get(a)? != column.get(b)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn repeated(columns: &[&Column], a: usize, b: usize) -> Error {
    let key = columns
        .iter()
        .filter_map(|column| match column.get(b) {
            Ok(AnyValue::Null) | Err(_) => None,
            Ok(value) => Some(format!("{} {value}", column.name())),
        })
        .collect::<Vec<_>>()
        .join(", ");
    Error::input(format!("rows {} and {} have the same key: {key}", a + 1, b + 1)).with_help(
        "remove one of them; rows of two datasets that are called the same need names of their own in the column \
             dataset; of several calls for the same text, number the column repeat from 0",
    )
}
