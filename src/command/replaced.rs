//! What a score table takes the place of.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use polars::prelude::{DataFrame, DataType, Expr, JoinArgs, JoinType, col, lit};

use crate::display::number;
use crate::scores::{ScoreTable, column};
use crate::{Error, Result};

/// What became of a table.
#[derive(Default)]
pub(super) struct Written {
    /// What is to be said of the table that was there before.
    pub told: Option<String>,
    /// Where that one is now, if not in its place.
    pub kept: Option<PathBuf>,
    /// It is still in its place, and the new one is not.
    pub left: bool,
}

/// Writes `scores` to `path`. A table there of which this one lacks rows is kept beside it, under a number: runs of one
/// model after another, of pilots and shards share the name that a table has when nobody names one, and none of them may
/// cost what an earlier one made. That the same study again, with more of it, leaves one table is what its name promises.
/// A run that is not `whole` takes the place of no fuller table of its study.
///
/// # Errors
/// What is there cannot be kept, or the table cannot be written.
pub(super) fn write(scores: &ScoreTable, path: &Path, whole: bool) -> Result<Written> {
    let what = match Before::at(path, scores) {
        Before::Nothing => {
            scores.write(path)?;
            return Ok(Written::default());
        }
        Before::Same { rows } if !whole && rows > scores.len() => {
            let told = format!(
                "{} was left as it was: it has {} of the same study, and this run came to {}; the replies are in the ledger",
                path.display(),
                number::things(rows, "score", "scores"),
                number::count(scores.len() as u64)
            );
            return Ok(Written { told: Some(told), kept: None, left: true });
        }
        Before::Same { rows } => {
            format!("{}, of which this run does not make all", number::things(rows, "score", "scores"))
        }
        Before::Other(what) => format!("{what}, which this study does not score"),
    };
    let kept = keep(path).map_err(|error| {
        Error::io(format!("{} holds {what}, and cannot be kept under another name", path.display()), &error)
            .with_help("name another file: --out FILE")
    })?;
    scores.write(path)?;
    let told = format!(
        "{} held {what}: kept as {}; one table of several models takes a --model for each, and calls nothing again",
        path.display(),
        kept.display()
    );
    Ok(Written { told: Some(told), kept: Some(kept), left: false })
}

/// What a table would take the place of.
enum Before {
    /// Nothing that would be lost.
    Nothing,
    /// Rows of the same models, settings and datasets, some of which would be lost.
    Same { rows: usize },
    /// Rows of others, in words.
    Other(String),
}

impl Before {
    fn at(path: &Path, scores: &ScoreTable) -> Self {
        if !fs::metadata(path).is_ok_and(|there| there.is_file() && there.len() > 0) {
            return Self::Nothing;
        }
        let there = ScoreTable::read_columns(path, &column::KEY).and_then(|table| keys(&table));
        let lost = there.and_then(|there| Ok((there.height(), lost(there, keys(scores)?)?)));
        let Ok((rows, lost)) = lost else { return Self::Other("what cannot be read".to_owned()) };
        if lost.height() == 0 {
            return Self::Nothing;
        }
        let of = |frame: &DataFrame, names: &[&str]| subjects(frame, names);
        let runs = [column::DATASET, column::MODEL, column::CONFIG];
        let new = keys(scores).and_then(|new| Ok((of(&new, &runs)?, of(&new, &runs[..2])?)));
        let old = of(&lost, &runs).and_then(|old| Ok((old, of(&lost, &runs[..2])?)));
        let (Ok((new_runs, new)), Ok((old_runs, old))) = (new, old) else {
            return Self::Other("what cannot be read".to_owned());
        };
        let mut others = old.iter().filter(|subject| !new.contains(*subject));
        match others.next() {
            Some(first) => {
                let named = match first[0].as_str() {
                    "" => format!("scores by {}", first[1]),
                    dataset => format!("scores of {dataset} by {}", first[1]),
                };
                let more = others.count();
                Self::Other(if more == 0 { named } else { format!("{named} and {more} more") })
            }
            None if old_runs.iter().all(|run| new_runs.contains(run)) => Self::Same { rows },
            None => Self::Other("scores under other settings".to_owned()),
        }
    }
}

/// What tells rows apart, as texts.
fn keys(table: &ScoreTable) -> Result<DataFrame> {
    let texts = column::KEY.map(|name| {
        // A column that is not there says what one does that says nothing.
        let nothing = lit(if name == column::REPEAT { "0" } else { "" });
        match table.frame().column(name) {
            Ok(_) => col(name).cast(DataType::String).fill_null(nothing),
            Err(_) => nothing.alias(name),
        }
    });
    Ok(table.lazy().select(texts).collect()?)
}

/// The rows of one that the other lacks.
fn lost(there: DataFrame, new: DataFrame) -> Result<DataFrame> {
    use polars::prelude::IntoLazy;
    let on: Vec<Expr> = column::KEY.map(col).to_vec();
    Ok(there.lazy().join(new.lazy(), on.clone(), on, JoinArgs::new(JoinType::Anti)).collect()?)
}

/// What rows are of, by some columns of text.
fn subjects(frame: &DataFrame, names: &[&str]) -> Result<BTreeSet<Vec<String>>> {
    let columns = names.iter().map(|name| Ok(frame.column(name)?.str()?)).collect::<Result<Vec<_>>>()?;
    let row = |row: usize| columns.iter().map(|texts| texts.get(row).unwrap_or_default().to_owned()).collect();
    Ok((0..frame.height()).map(row).collect())
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
