//! Keeping what a dataset's files name inside the dataset's folder.
//!
//! A manifest or an `info.json` comes from anywhere, and its paths are opened and sent to a server as pictures: one
//! that names `../../.ssh`, or a link that leads there, must not be followed.

use std::collections::HashMap;
use std::fs::FileType;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use crate::{Error, Result};

/// Links that lead to links are followed this far, as the kernel does.
const LINKS: usize = 40;

/// What a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    File,
    Folder,
    /// A pipe, a socket or a device: an error later, for its trajectory alone, as is what is of the wrong kind.
    Other,
    /// Not there now: an error later, too.
    Nothing,
}

/// A folder, and what may be reached from it.
pub(super) struct Fence {
    /// Where relative paths start, resolved.
    base: PathBuf,
    /// Resolved: what a path may lie in.
    allowed: Vec<PathBuf>,
    /// Folders resolved before: a split of forty thousand videos has a few dozen.
    folders: HashMap<PathBuf, Option<PathBuf>>,
}

impl Fence {
    /// Paths start at `base` and stay in it, or in `root` where that is given.
    ///
    /// # Errors
    /// A folder that is not there.
    pub(super) fn new(base: &Path, root: Option<&Path>) -> Result<Self> {
        let resolve = |folder: &Path| {
            folder.canonicalize().map_err(|error| Error::io(format!("cannot open {}", folder.display()), &error))
        };
        let base = resolve(base)?;
        let mut allowed = vec![base.clone()];
        if let Some(root) = root {
            allowed.push(resolve(root)?);
        }
        Ok(Self { base, allowed, folders: HashMap::new() })
    }

    /// Where `named` leads, links followed, and what is there.
    ///
    /// # Errors
    /// A path that leaves what is allowed, or names nothing.
    pub(super) fn resolve(&mut self, named: &str) -> Result<(PathBuf, Found)> {
        if named.is_empty() {
            return Err(Error::input("an empty path"));
        }
        let wrong = |what: &str| Error::input(format!("path {named} {what}"));
        let mut path = self.base.join(named);
        for _ in 0..LINKS {
            // `a/..` and `.` name a folder, resolved as one.
            let Some(name) = path.file_name().map(ToOwned::to_owned) else {
                let folder = self.folder(&path)?.ok_or_else(|| wrong("does not exist"))?;
                self.check(&folder, named)?;
                return Ok((folder, Found::Folder));
            };
            let parent = path.parent().unwrap_or(Path::new("/")).to_owned();
            let Some(parent) = self.folder(&parent)? else {
                return Err(wrong("goes through a folder that does not exist, so that nobody can say where it leads"));
            };
            path = parent.join(name);
            self.check(&path, named)?;
            let kind: FileType = match path.symlink_metadata() {
                Ok(metadata) => metadata.file_type(),
                Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                    return Ok((path, Found::Nothing));
                }
                Err(error) => return Err(Error::io(format!("cannot look at {named}"), &error)),
            };
            if kind.is_file() {
                return Ok((path, Found::File));
            } else if kind.is_dir() {
                return Ok((path, Found::Folder));
            } else if !kind.is_symlink() {
                return Ok((path, Found::Other));
            }
            let target = path.read_link().map_err(|error| Error::io(format!("cannot follow {named}"), &error))?;
            path = parent.join(target);
        }
        Err(wrong("is a link that leads to links without end"))
    }

    /// Frames that are links stay inside, too.
    ///
    /// # Errors
    /// A frame of the folder that leads out of what is allowed.
    pub(super) fn holds(&self, folder: &Path) -> Result<()> {
        // A folder that cannot be read is an error later, for its trajectory alone; so is a link that leads nowhere.
        for entry in folder.read_dir().into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_symlink())
                && let Ok(file) = entry.path().canonicalize()
            {
                self.check(&file, &entry.path().display().to_string())?;
            }
        }
        Ok(())
    }

    fn check(&self, path: &Path, named: &str) -> Result<()> {
        if self.allowed.iter().any(|folder| path.starts_with(folder)) {
            return Ok(());
        }
        Err(Error::input(format!("path {named} leaves {}", self.base.display())).with_help(
            "where that is meant, allow a folder that holds both with --root DIR (of a snapshot in a hub's cache, the \
                 folder that holds snapshots and blobs)",
        ))
    }

    /// `folder` with every link followed. What of it does not exist is kept as it is named; `None` where that holds
    /// `..`, of which nobody can say where it leads.
    fn folder(&mut self, folder: &Path) -> Result<Option<PathBuf>> {
        if let Some(known) = self.folders.get(folder) {
            return Ok(known.clone());
        }
        let mut resolved = None;
        for ancestor in folder.ancestors() {
            match ancestor.canonicalize() {
                Ok(start) => {
                    let rest = folder.strip_prefix(ancestor).unwrap_or(Path::new(""));
                    let named = rest.components().all(|part| matches!(part, Component::Normal(_)));
                    resolved = named.then(|| start.join(rest));
                    break;
                }
                // A dangling link is as little there as what it should lead to, but leads somewhere.
                Err(_) if ancestor.is_symlink() => break,
                Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
                Err(error) => return Err(Error::io(format!("cannot open {}", ancestor.display()), &error)),
            }
        }
        self.folders.insert(folder.to_owned(), resolved.clone());
        Ok(resolved)
    }
}
