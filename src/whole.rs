//! Files that are there whole or, after an error or a crash, as they were before.

use std::fs::{File, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use tempfile::NamedTempFile;

use crate::{Error, Result};

/// Fills a new file beside `path` and moves it there once it is on the disk: who reads meanwhile sees the old file or the
/// new one.
///
/// # Errors
/// What `fill` says; a folder that is missing or cannot be written to; a full disk.
pub(crate) fn write(path: &Path, fill: impl FnOnce(&mut BufWriter<&mut File>) -> Result<()>) -> Result<()> {
    let mut part = part_of(path)?;
    let mut out = BufWriter::with_capacity(1 << 20, part.as_file_mut());
    fill(&mut out)?;
    out.flush().map_err(|error| refused(path, &error))?;
    drop(out);
    part.as_file().sync_all().map_err(|error| refused(path, &error))?;
    part.persist(path).map_err(|error| refused(path, &error.error))?;
    Ok(())
}

/// Finds out whether [`write`] could write to `path`, and leaves nothing there.
///
/// # Errors
/// Its folder is missing or cannot be written to.
pub(crate) fn check(path: &Path) -> Result<()> {
    part_of(path).map(drop)
}

/// What could not be written, and why.
pub(crate) fn refused(path: &Path, error: &io::Error) -> Error {
    // The name of the file beside it says nothing to anyone: the kind of trouble alone.
    let plain = error.raw_os_error().map_or_else(|| io::Error::from(error.kind()), io::Error::from_raw_os_error);
    Error::io(format!("cannot write {}", path.display()), &plain)
        .with_help("check that the folder exists, can be written to and has room")
}

fn part_of(path: &Path) -> Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    tempfile::Builder::new()
        .prefix(".roborm-")
        .suffix(".part")
        // As any file that the user makes; a temporary one is closed to others by default. The umask still holds.
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(folder)
        .map_err(|error| refused(path, &error))
}
