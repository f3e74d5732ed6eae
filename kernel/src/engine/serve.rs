//! `roborm-kernel engine`.

use std::process::ExitCode;

/// The program.
pub fn main() -> ExitCode {
    ExitCode::from(2)
}
