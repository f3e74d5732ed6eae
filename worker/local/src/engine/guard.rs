//! Faults of libtorch as errors.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::{Error, Result};

/// Runs work on tensors without gradients. What libtorch throws arrives as a panic of the `tch` crate, whose plain
/// methods are used for the sake of readable formulas; here it becomes an error.
///
/// # Errors
/// Those of the work, and what libtorch throws: too little memory by itself, the rest as a fault of this program.
pub fn guarded<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    match catch_unwind(AssertUnwindSafe(|| tch::no_grad(work))) {
        Ok(result) => result,
        Err(thrown) => Err(error(thrown.as_ref())),
    }
}

/// The words of the allocators: that of CUDA, that of tensors on the CPU, that of C++, that of the library of products
/// on CUDA.
const TOO_LITTLE: [&str; 5] =
    ["out of memory", "can't allocate memory", "not enough memory", "bad_alloc", "STATUS_ALLOC_FAILED"];

/// Gives what the C library keeps of freed memory back to the system: after a clip that is as much as its activations
/// were, for as long as the worker lives.
pub(super) fn give_back_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        // SAFETY: takes no pointer, and may be called at any time from any thread.
        let _ = unsafe { libc::malloc_trim(0) };
    }
}

fn error(thrown: &(dyn Any + Send)) -> Error {
    let text = thrown.downcast_ref::<String>().map(String::as_str).or(thrown.downcast_ref::<&str>().copied());
    let text = text.unwrap_or("a fault without a message");
    if TOO_LITTLE.iter().any(|part| text.contains(part)) {
        return Error::memory("the memory does not suffice");
    }
    // The first line says what; the rest is a stack of C++ frames.
    let line = text.lines().next().unwrap_or(text);
    let line = line.rsplit_once("Torch(\"").map_or(line, |(_, rest)| rest);
    Error::internal(format!("libtorch: {line}"))
}
