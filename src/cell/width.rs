//! How wide text may be: a notebook does not say, a prompt has a terminal, which may change its size between cells.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::display::Terminal;

/// Characters that a line may have; 0: no limit is known.
static COLUMNS: AtomicUsize = AtomicUsize::new(0);
/// What polars looks at when it writes a table.
const OF_POLARS: &str = "POLARS_TABLE_WIDTH";

/// From now on lines may have so many characters; unless the user has said how wide tables are, theirs too.
pub(super) fn set(columns: Option<usize>) {
    let columns = columns.unwrap_or(0);
    let before = COLUMNS.swap(columns, Ordering::Relaxed);
    if before == columns {
        return;
    }
    let is_ours = std::env::var(OF_POLARS).map_or(before == 0, |set| set == before.to_string());
    if is_ours {
        match columns {
            // SAFETY: Rust's own readers are locked out; those of the C library look for other names.
            0 => unsafe { std::env::remove_var(OF_POLARS) },
            // SAFETY: as above.
            _ => unsafe { std::env::set_var(OF_POLARS, columns.to_string()) },
        }
    }
}

/// Where text goes that is shown.
pub(super) fn terminal() -> Terminal {
    let columns = COLUMNS.load(Ordering::Relaxed);
    Terminal::plain().with_width((columns > 0).then_some(columns))
}
