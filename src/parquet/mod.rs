//! What reading a Parquet file would take, found out before it is read.
//!
//! Compressed, a page of nothing but zeros is a few bytes, and the reader of polars makes room for whatever the page says
//! it comes to: a file of some kilobytes can ask for all the memory there is, by malice or by damage, and end the program.
//! So the headers of all pages that would be read are looked at first; they lie in the file uncompressed.

mod page;

use polars_io::parquet::metadata::FileMetadata;

use crate::{Error, Result};

/// Bytes that any file may come to.
const LEAST: u64 = 1 << 30;

/// What a larger file may come to, in times its size. Honest score tables of millions of rows, whose texts are numbers into
/// a dictionary, come to fifty.
const TIMES: u64 = 256;

/// Checks that reading the columns `wanted` of a file of these `bytes` takes memory in proportion to it. A value is taken
/// to become `value_bytes` bytes, beside what its pages hold.
///
/// # Errors
/// Where it does not, where the footer and the pages contradict each other, or where a page's header cannot be read.
pub(crate) fn check(
    bytes: &[u8],
    metadata: &FileMetadata,
    wanted: impl Fn(&str) -> bool,
    value_bytes: u64,
) -> Result<()> {
    let size = bytes.len() as u64;
    let allowed = allowed(size);
    let rows = metadata.row_groups.iter().try_fold(0usize, |sum, group| sum.checked_add(group.num_rows()));
    if rows != Some(metadata.num_rows) {
        return Err(damaged("its footer contradicts itself"));
    }
    let mut needed = 0u64;
    for group in &metadata.row_groups {
        for chunk in group.parquet_columns() {
            let root = chunk.descriptor().path_in_schema.first().map_or("", |name| name.as_str());
            if !wanted(root) {
                continue;
            }
            let values = u64::try_from(chunk.num_values()).map_err(|_| damaged("its footer contradicts itself"))?;
            let length =
                u64::try_from(chunk.compressed_size()).map_err(|_| damaged("its footer contradicts itself"))?;
            if values < group.num_rows() as u64 || length > size || chunk.byte_range().end > size {
                return Err(damaged("its footer contradicts itself"));
            }
            needed = needed.saturating_add(values.saturating_mul(value_bytes));
            // First what the footer alone tells: walking the pages of a bomb may take long.
            if needed <= allowed {
                let range = chunk.byte_range();
                let pages = &bytes[range.start.min(range.end) as usize..range.end as usize];
                needed = needed.saturating_add(page::bytes(pages, values).map_err(damaged)?);
            }
            if needed > allowed {
                return Err(too_much(needed, size));
            }
        }
    }
    Ok(())
}

/// Checks that `values` values of `value_bytes` bytes each are in proportion to a file of these `bytes`.
///
/// # Errors
/// Where they are not.
pub(crate) fn check_values(bytes: &[u8], values: u64, value_bytes: u64) -> Result<()> {
    let (size, needed) = (bytes.len() as u64, values.saturating_mul(value_bytes));
    if needed > allowed(size) { Err(too_much(needed, size)) } else { Ok(()) }
}

fn allowed(size: u64) -> u64 {
    LEAST.max(size.saturating_mul(TIMES))
}

fn damaged(why: &str) -> Error {
    Error::input(why).with_help("write it again, or take the copy it came from")
}

fn too_much(needed: u64, size: u64) -> Error {
    let gigabytes = needed as f64 / 1e9;
    Error::input(format!("its {size} bytes would take {gigabytes:.1} GB of memory or more"))
        .with_help("hardly a table is packed so tightly; where one is, write it as several files")
}
