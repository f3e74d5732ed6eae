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
    if std::env::var_os("RUST_MIN_STACK").is_none() {
        // For threads that the parser starts by itself: it frees trees there.
        // SAFETY: this is the program's only thread as yet.
        unsafe { std::env::set_var("RUST_MIN_STACK", roborm_kernel::engine::STACK.to_string()) };
    }
    program::main()
}
