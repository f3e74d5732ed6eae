//! What a score table takes the place of.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use polars::prelude::DataType;

use crate::scores::{ScoreTable, column};
use crate::{Error, Result};

/// Writes `scores` to `path`. A table there that has a model or a dataset which this one lacks is kept beside it, under
/// a number: the line that says so. Runs of one model after another share the name that a table has when nobody names
/// one, and none of them may cost what an earlier one made; that the same study again, with more or less of it, leaves
/// one table is what its name promises.
///
/// # Errors
/// What is there cannot be kept, or the table cannot be written.
pub(super) fn write(scores: &ScoreTable, path: &Path) -> Result<Option<String>> {
    let told = match lost(scores, path) {
        Some(what) => {
            let kept = keep(path).map_err(|error| {
                Error::io(format!("{} holds {what}, and cannot be kept under another name", path.display()), &error)
                    .with_help("name another file: --out FILE")
            })?;
            Some(format!(
                "{} held {what}, which this study does not score: kept as {}; one table of several models takes a --model \
                 for each, and calls nothing again",
                path.display(),
                kept.display()
            ))
        }
        None => None,
    };
    scores.write(path).map(|()| told)
}

/// What of the table at `path` has no rows in `scores`.
fn lost(scores: &ScoreTable, path: &Path) -> Option<String> {
    if !fs::metadata(path).is_ok_and(|there| there.is_file() && there.len() > 0) {
        return None;
    }
    let there = ScoreTable::read_columns(path, &[column::DATASET, column::MODEL]).and_then(|table| subjects(&table));
    let (Ok(there), Ok(new)) = (there, subjects(scores)) else { return Some("what cannot be read".to_owned()) };
    let lost: Vec<&Subject> = there.iter().filter(|subject| !new.contains(subject)).collect();
    let (first, more) = (lost.first()?, lost.len() - 1);
    let named = match first.dataset.as_str() {
        "" => format!("scores by {}", first.model),
        dataset => format!("scores of {dataset} by {}", first.model),
    };
    Some(if more == 0 { named } else { format!("{named} and {more} more") })
}

/// What rows of a table belong together.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Subject {
    dataset: String,
    model: String,
}

fn subjects(table: &ScoreTable) -> Result<BTreeSet<Subject>> {
    let texts = |name: &str| match table.frame().column(name) {
        Ok(column) => column.cast(&DataType::String)?.str().cloned().map(Some),
        Err(_) => Ok(None),
    };
    let (datasets, models) = (texts(column::DATASET)?, texts(column::MODEL)?);
    let (mut subjects, mut last) = (BTreeSet::new(), None);
    for row in 0..table.len() {
        let dataset = datasets.as_ref().and_then(|datasets| datasets.get(row)).unwrap_or_default();
        let model = models.as_ref().and_then(|models| models.get(row)).unwrap_or_default();
        // Rows come in long runs of the same.
        if last != Some((dataset, model)) {
            last = Some((dataset, model));
            subjects.insert(Subject { dataset: dataset.to_owned(), model: model.to_owned() });
        }
    }
    Ok(subjects)
}

/// Gives the file at `path` the first of the names `scores.1.parquet`, `scores.2.parquet`, … that is free, or that
/// has the same in it already.
fn keep(path: &Path) -> io::Result<PathBuf> {
    // Where `path` is a link, it is what it leads to that will be written.
    let target = fs::canonicalize(path)?;
    let ending = path.extension().unwrap_or_default();
    for number in 1_u32.. {
        let mut name = path.file_stem().unwrap_or_default().to_owned();
        name.push(format!(".{number}."));
        name.push(ending);
        let name = path.with_file_name(name);
        match fs::hard_link(&target, &name) {
            Ok(()) => return Ok(name),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                if same(&target, &name)? {
                    return Ok(name);
                }
            }
            // A file system without hard links, or another one than that of the file linked to.
            Err(_) => match File::create_new(&name) {
                Ok(mut copy) => {
                    io::copy(&mut File::open(&target)?, &mut copy)?;
                    copy.sync_all()?;
                    return Ok(name);
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            },
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// Do two files hold the same?
fn same(a: &Path, b: &Path) -> io::Result<bool> {
    let whole = |path: &Path| fs::metadata(path).map(|there| (there.is_file(), there.len()));
    if whole(a)? != whole(b)? {
        return Ok(false);
    }
    let digest = |path: &Path| -> io::Result<blake3::Hash> {
        Ok(blake3::Hasher::new().update_reader(File::open(path)?)?.finalize())
    };
    Ok(digest(a)? == digest(b)?)
}
