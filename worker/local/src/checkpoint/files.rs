//! The files of a folder that comes from elsewhere: nothing is waited for, and nothing read without end.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::Path;

use roborm_wire::no_json;
use serde_json::Value;

use crate::{Error, Result};

/// Files that are read as a whole are no longer than this; the longest there are, tokenizers and indices, have a third.
const LONGEST: u64 = 64 << 20;

/// What to do about a file that is damaged.
pub(crate) const AGAIN: &str = "copy the file again from where the checkpoint came from";

/// Opens a regular file. To open a pipe or a device may take until somebody writes, which is never.
pub(super) fn open(path: &Path) -> Result<File> {
    let trouble = |what: String| Error::setup(format!("{}: {what}", path.display()));
    let about = fs::metadata(path).map_err(|error| trouble(error.to_string()))?;
    if !about.is_file() {
        return Err(trouble("no regular file".into()).with_help("a checkpoint has plain files, or links to such"));
    }
    File::open(path).map_err(|error| trouble(error.to_string()))
}

/// The text of a file that is no longer than such files are.
pub(crate) fn read_text(path: &Path) -> Result<String> {
    let mut text = String::new();
    // One byte more than may be there, whatever the system says of its length.
    let read = open(path)?.take(LONGEST + 1).read_to_string(&mut text);
    if text.len() as u64 > LONGEST {
        return Err(Error::setup(format!("{}: longer than {} MiB", path.display(), LONGEST >> 20))
            .with_help("no such file of a checkpoint is: is it another's?"));
    }
    read.map_err(|error| match error.kind() {
        ErrorKind::InvalidData => {
            Error::setup(format!("{}: no text: it is not UTF-8", path.display())).with_help(AGAIN)
        }
        _ => Error::setup(format!("{}: {error}", path.display())),
    })?;
    Ok(text)
}

/// A JSON file.
pub(crate) fn read_json(path: &Path) -> Result<Value> {
    serde_json::from_str(&read_text(path)?)
        .map_err(|error| Error::setup(format!("{}, {}", path.display(), no_json(&error))).with_help(AGAIN))
}

/// A JSON file that need not be there.
pub(crate) fn read_json_if_any(path: &Path) -> Result<Option<Value>> {
    if path.exists() { read_json(path).map(Some) } else { Ok(None) }
}
