//! Files that are there whole or, after an error or a crash, as they were before.

use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::{Error, Result};

/// Fills a new file beside `path` and moves it there once it is on the disk: who reads meanwhile sees the old file or the
/// new one.
///
/// # Errors
/// What `fill` says; a folder that is missing or cannot be written to; a full disk.
pub(crate) fn write(path: &Path, fill: impl FnOnce(&mut BufWriter<&mut File>) -> Result<()>) -> Result<()> {
    let place = place(path)?;
    if let Place::Stream = place {
        let mut stream = File::options().write(true).open(path).map_err(|error| refused(path, &error))?;
        let mut out = BufWriter::with_capacity(1 << 20, &mut stream);
        fill(&mut out)?;
        return out.flush().map_err(|error| refused(path, &error));
    }
    let target = if let Place::Linked(target) = &place { target } else { path };
    let mut part = part_of(target)?;
    let mut out = BufWriter::with_capacity(1 << 20, part.as_file_mut());
    fill(&mut out)?;
    out.flush().map_err(|error| refused(path, &error))?;
    drop(out);
    part.as_file().sync_all().map_err(|error| refused(path, &error))?;
    part.persist(target).map_err(|error| refused(path, &error.error))?;
    Ok(())
}

/// Finds out whether [`write`] could write to `path`, and leaves nothing there.
///
/// # Errors
/// Its folder is missing or cannot be written to.
pub(crate) fn check(path: &Path) -> Result<()> {
    match place(path)? {
        Place::Plain => part_of(path).map(drop),
        Place::Linked(target) => part_of(&target).map(drop),
        Place::Stream => Ok(()),
    }
}

/// What stands at a path, and so how it is written.
enum Place {
    /// Nothing, or a file: another takes its place.
    Plain,
    /// A link: the file that it points to is written, and the link stays.
    Linked(PathBuf),
    /// A device or a pipe: it is written to, and never replaced.
    Stream,
}

fn place(path: &Path) -> Result<Place> {
    let Ok(here) = fs::symlink_metadata(path) else { return Ok(Place::Plain) };
    let there = match here.is_symlink() {
        true => fs::metadata(path).map_err(|error| {
            Error::io(format!("cannot write {}, a link", path.display()), &error)
                .with_help("make what it points to, or remove the link")
        })?,
        false => here.clone(),
    };
    if there.is_dir() {
        return Err(
            Error::input(format!("cannot write {}: it is a folder", path.display())).with_help("name a file in it")
        );
    }
    if !there.is_file() {
        return Ok(Place::Stream);
    }
    match here.is_symlink() {
        true => fs::canonicalize(path).map(Place::Linked).map_err(|error| refused(path, &error)),
        false => Ok(Place::Plain),
    }
}

/// What could not be written, and why.
pub(crate) fn refused(path: &Path, error: &io::Error) -> Error {
    // The name of the file beside it says nothing to anyone: the kind of trouble alone.
    let plain = error.raw_os_error().map_or_else(|| io::Error::from(error.kind()), io::Error::from_raw_os_error);
    Error::io(format!("cannot write {}", path.display()), &plain)
        .with_help("check that the folder exists, can be written to and has room, or name a file elsewhere")
}

fn part_of(path: &Path) -> Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    tempfile::Builder::new()
        .prefix(".roborm-")
        .suffix(".part")
        // As any file that the user makes; a temporary one is closed to others by default. The umask still holds.
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(folder)
        .map_err(|error| match error.kind() {
            io::ErrorKind::NotFound if folder.is_dir() => {
                Error::input(format!("cannot write {}: {} takes no new files", path.display(), folder.display()))
                    .with_help("name a file in another folder")
            }
            io::ErrorKind::NotFound => {
                Error::input(format!("cannot write {}: there is no folder {}", path.display(), folder.display()))
                    .with_help("make it, or name a file in another folder")
            }
            _ => refused(path, &error),
        })
}
