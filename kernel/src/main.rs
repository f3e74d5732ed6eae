//! `roborm-kernel`: the Jupyter kernel, its installer, and the evaluator that the prompt starts.

// A binary has no public surface to document.
#![allow(missing_docs)]

mod program;

use std::process::ExitCode;

fn main() -> ExitCode {
    // First of all: evcxr calls this program where it would call cargo.
    if let Some(code) = roborm_kernel::engine::front::main() {
        return code;
    }
    program::main()
}
