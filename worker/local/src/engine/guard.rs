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

fn error(thrown: &(dyn Any + Send)) -> Error {
    let text = thrown.downcast_ref::<String>().map(String::as_str).or(thrown.downcast_ref::<&str>().copied());
    let text = text.unwrap_or("a fault without a message");
    let memory = ["out of memory", "can't allocate memory", "not enough memory"].iter().any(|part| text.contains(part));
    if memory {
        return Error::memory("the memory does not suffice");
    }
    // The first line says what; the rest is a stack of C++ frames.
    let line = text.lines().next().unwrap_or(text);
    let line = line.rsplit_once("Torch(\"").map_or(line, |(_, rest)| rest);
    Error::internal(format!("libtorch: {line}"))
}
