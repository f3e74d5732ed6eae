//! Files that their reader falls over: polars' readers panic over some damage where they should return an error.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Reads that are under way.
static READS: AtomicUsize = AtomicUsize::new(0);

/// Reads; `None` where the reader panicked, of which nothing is said: whoever asked names the file.
pub(crate) fn caught<T>(read: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            // The reader has threads of its own; a panic is its own by the place in the source.
            let of_reader = info.location().is_some_and(|at| at.file().contains("polars"));
            if READS.load(Ordering::Acquire) == 0 || !of_reader {
                before(info);
            }
        }));
    });
    READS.fetch_add(1, Ordering::AcqRel);
    let done = panic::catch_unwind(AssertUnwindSafe(read));
    READS.fetch_sub(1, Ordering::AcqRel);
    done.ok()
}
