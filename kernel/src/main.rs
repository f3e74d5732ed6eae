//! `roborm-kernel`: the Jupyter kernel, its installer, and the evaluator that the prompt starts.

use std::process::ExitCode;

fn main() -> ExitCode {
    // First of all: evcxr calls this program where it would call cargo.
    if let Some(code) = roborm_kernel::engine::front::main() {
        return code;
    }
    match std::env::args().nth(1).as_deref() {
        Some("engine") => roborm_kernel::engine::serve::main(),
        _ => ExitCode::from(2),
    }
}
