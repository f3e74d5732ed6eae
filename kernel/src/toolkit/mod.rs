//! The toolkit: all that cells are compiled and linked against, in one folder.

mod assemble;
pub(crate) mod dependencies;
mod index;
mod modules;
mod recorded;
mod sources;
mod standard;
mod stub;
mod types;
mod warm;

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use crate::engine::{Error, Result};
pub(crate) use assemble::{How, NOTHING};
pub(crate) use index::{Entry, Index, of_cell, workspace};
pub(crate) use modules::{Member, Modules};
pub(crate) use recorded::Recorded;
pub(crate) use warm::HOLD;

/// A folder with `libroborm_toolkit.so`, what rustc needs beside it, the program that runs cells, and the programs of
/// roborm. Nothing outside it but the Rust toolchain is needed afterwards.
///
/// ```text
/// toolkit.json   what rustc it was built with, and what that answers to questions whose answer does not change
/// lib/           the shared library, and the metadata of the crates inside it
/// bin/           roborm-cells (runs cells), roborm-kernel, roborm-decoder, roborm-local where it was built
/// stub/          what cells are linked against in the library's place
/// hold.so        what has a rustc wait for a cell
/// fronts/        cargo, rustup, rustc: roborm-kernel by these names
/// cells/         the cells that every session begins with, compiled
/// ```
#[derive(Clone, Debug)]
pub struct Toolkit {
    dir: PathBuf,
    recorded: Recorded,
    /// While it is open, no installation removes it.
    held: Arc<Option<File>>,
}

/// The file by whose lock is seen whether a toolkit is in use.
const LOCK: &str = "lock";

impl Toolkit {
    /// Assembles a toolkit in `into` (made where it is missing; what a toolkit left there is replaced) out of a build
    /// folder such as `target/release`, and compiles the program that runs cells. Files are linked where they can be,
    /// else copied: the build folder may be cleaned, moved or deleted afterwards.
    ///
    /// # Errors
    /// Something is not built, rustc is missing, or the folder cannot be written.
    pub fn assemble(target_release: &Path, into: &Path) -> Result<Self> {
        Self::assemble_so(target_release, into, &How { earlier: Vec::new(), tell: &|_| {} })
    }

    pub(crate) fn assemble_so(target_release: &Path, into: &Path, how: &How<'_>) -> Result<Self> {
        assemble::assemble(target_release, into, how)?;
        (how.tell)("running what every session begins with");
        let toolkit = Self::open(into)?;
        assemble::first_cells(&toolkit)?;
        Ok(toolkit)
    }

    /// Opens a toolkit.
    ///
    /// # Errors
    /// The folder holds none, or rustc is not the one that it was built with: says what to type.
    pub fn open(dir: &Path) -> Result<Self> {
        let dir = std::path::absolute(dir).map_err(|error| Error::io(dir.display(), &error))?;
        let recorded = Recorded::read(&dir)?;
        let held = Arc::new(Self::hold(&dir));
        let toolkit = Self { dir, recorded, held };
        toolkit.check_rustc()?;
        Ok(toolkit)
    }

    /// Tells everybody who asks with [`Toolkit::is_held`] that the toolkit in this folder is in use, until what is returned
    /// is dropped or the process ends. `None` where the file system knows no locks.
    pub(crate) fn hold(dir: &Path) -> Option<File> {
        let file = dir.join(LOCK);
        // Whoever may not write there finds the file that the installation has made.
        let lock = File::open(&file).or_else(|_| File::create(&file)).ok()?;
        lock.lock_shared().ok().map(|()| lock)
    }

    /// It stays in use by the program that this one becomes.
    pub(crate) fn hold_on(&self) {
        if let Some(held) = self.held.as_ref() {
            // Without it an installation may remove the toolkit under a session.
            let _ = rustix::io::fcntl_setfd(held, rustix::io::FdFlags::empty());
        }
    }

    /// Whether the toolkit in this folder is in use.
    pub(crate) fn is_held(dir: &Path) -> bool {
        let Ok(lock) = File::options().read(true).write(true).open(dir.join(LOCK)) else { return false };
        matches!(lock.try_lock(), Err(TryLockError::WouldBlock))
    }

    /// Its folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// One of its programs, such as `roborm-decoder`; it may be missing.
    pub fn program(&self, name: &str) -> PathBuf {
        self.dir.join("bin").join(name)
    }

    /// The folder of cargo, rustup and rustc as evcxr is to find them.
    pub(crate) fn fronts(&self) -> PathBuf {
        self.dir.join("fronts")
    }

    pub(crate) fn recorded(&self) -> &Recorded {
        &self.recorded
    }

    /// Cells are read by rustc against metadata that only the very same rustc can read.
    fn check_rustc(&self) -> Result<()> {
        let repair = "build the kernel anew with the rustc of now: cargo xtask kernel";
        let found = Command::new(&self.recorded.rustc).arg("-vV").output().map_err(|error| {
            Error::new(format!("rustc is not where it was, {}: {error}", self.recorded.rustc.display()))
                .with_help(repair)
        })?;
        let found = String::from_utf8_lossy(&found.stdout).into_owned();
        if found == self.recorded.version {
            return Ok(());
        }
        let first = |text: &str| text.lines().next().unwrap_or_default().to_owned();
        Err(Error::new(format!(
            "rustc changed: the kernel was built with {}, now it is {}",
            first(&self.recorded.version),
            first(&found)
        ))
        .with_help(repair))
    }
}
