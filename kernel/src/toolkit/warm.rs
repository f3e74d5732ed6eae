//! The library that has a rustc wait for a cell.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::Recorded;
use crate::engine::{Error, Result};

/// Where it is in a toolkit.
pub(crate) const HOLD: &str = "hold.so";

/// Compiles it. Where that cannot be done, or rustc here is not one that it can be loaded into, cells are compiled by a
/// rustc started for each.
pub(super) fn compile(toolkit: &Path, recorded: &Recorded) -> Result<()> {
    let work = tempfile::tempdir().map_err(|error| Error::io("cannot make a temporary folder", &error))?;
    let source = work.path().join("hold.rs");
    fs::write(&source, include_str!("warm/hold.rs")).map_err(|error| Error::io(source.display(), &error))?;
    let library = toolkit.join(HOLD);
    let _ = fs::remove_file(&library);
    let mut rustc = Command::new(&recorded.rustc);
    rustc.args(["--crate-name=hold", "--edition=2024", "--crate-type=cdylib", "-Copt-level=2", "-Cpanic=abort"]);
    rustc.arg("-Cstrip=debuginfo").arg(&source).arg("-o").arg(&library);
    let _ = rustc.output();
    Ok(())
}
