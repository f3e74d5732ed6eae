//! Where rows come from: a table in memory, or a Parquet file that is read a piece at a time.

use std::fmt::Display;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use polars::prelude::*;
use polars_io::SerReader;
use polars_io::mmap::ReaderBytes;
use polars_io::parquet::metadata::FileMetadata;
use polars_io::parquet::read::{ParallelStrategy, ParquetReader};

use super::dictionary::Coded;
use super::pages;
use super::rows::Rows;
use crate::scores::column;
use crate::{Error, Result, damage, parquet};

/// Rows of a chunk: few enough that a chunk a thread is small beside the table, enough that its parts are worth merging.
const ROWS: usize = 1 << 18;

/// What a value comes to: a number, or a text beside its letters.
const VALUE_BYTES: u64 = 16;

/// Where rows come from.
pub(super) enum Source<'a> {
    Frame(&'a DataFrame),
    Parquet(Parquet),
}

/// A Parquet file and its pieces.
pub(super) struct Parquet {
    path: PathBuf,
    bytes: ReaderBytes<'static>,
    columns: Vec<String>,
    metadata: Arc<FileMetadata>,
    pieces: Vec<Piece>,
}

/// Part of a row group; most often all of it.
struct Piece {
    first_row: usize,
    metadata: Arc<FileMetadata>,
    offset: usize,
    rows: usize,
    /// All of its row group.
    whole: bool,
}

impl Source<'_> {
    /// The names of its columns.
    pub fn names(&self) -> Vec<&str> {
        match self {
            Self::Frame(frame) => frame.get_column_names().into_iter().map(|name| name.as_str()).collect(),
            Self::Parquet(file) => file.columns.iter().map(String::as_str).collect(),
        }
    }

    pub fn chunks(&self) -> usize {
        match self {
            Self::Frame(frame) => frame.height().div_ceil(ROWS),
            Self::Parquet(file) => file.pieces.len(),
        }
    }

    /// These columns of chunk `i`, and the number of rows before it. Of `codes`, columns that are wanted as codes alone,
    /// those that the source keeps so come as codes.
    pub fn chunk(&self, i: usize, columns: &[&str], codes: &[&str]) -> Result<(usize, Rows)> {
        match self {
            Self::Frame(frame) => {
                let rows = frame.slice((i * ROWS) as i64, ROWS);
                Ok((i * ROWS, Rows::new(rows.select(columns.iter().copied())?, Vec::new(), Vec::new())))
            }
            Self::Parquet(file) => file.piece(i, columns, codes),
        }
    }

    /// These columns of all rows.
    pub fn all(&self, columns: &[&str]) -> Result<DataFrame> {
        match self {
            Self::Frame(frame) => Ok(frame.select(columns.iter().copied())?),
            Self::Parquet(file) => {
                let columns = Some(columns.iter().map(|&name| name.to_owned()).collect());
                let mut reader = ParquetReader::new(open(&file.path)?).with_columns(columns);
                reader.set_metadata(Arc::clone(&file.metadata));
                finish(&file.path, reader)
            }
        }
    }
}

impl Parquet {
    pub fn open(path: &Path) -> Result<Self> {
        damage::caught(|| Self::look(path)).unwrap_or_else(|| Err(damaged(path)))
    }

    fn look(path: &Path) -> Result<Self> {
        let mut file = open(path)?;
        let ReaderBytes::Owned(bytes) = ReaderBytes::from(&mut file) else {
            return Err(unreadable(path, "it cannot be mapped into memory"));
        };
        let bytes = ReaderBytes::Owned(bytes);
        let mut reader = ParquetReader::new(file);
        let metadata = plain(reader.get_metadata().map_err(|error| unreadable(path, error))?);
        let mut bare = metadata.clone();
        bare.row_groups.clear();
        reader.set_metadata(Arc::new(metadata.clone()));
        let schema = reader.schema().map_err(|error| unreadable(path, error))?;
        let columns = schema.iter_names().map(|name| name.to_string()).collect();
        let mut pieces = Vec::new();
        let mut first_row = 0;
        for group in &metadata.row_groups {
            // The reader walks past every row group before the one that is wanted: show it that one alone.
            let mut only = bare.clone();
            only.num_rows = group.num_rows();
            only.row_groups.push(group.clone());
            let only = Arc::new(only);
            for offset in (0..group.num_rows()).step_by(4 * ROWS) {
                let rows = (group.num_rows() - offset).min(4 * ROWS);
                let (first_row, whole) = (first_row + offset, rows == group.num_rows());
                pieces.push(Piece { first_row, metadata: Arc::clone(&only), offset, rows, whole });
            }
            first_row += group.num_rows();
        }
        Ok(Self { path: path.to_owned(), bytes, columns, metadata: Arc::new(metadata), pieces })
    }

    fn piece(&self, i: usize, columns: &[&str], codes: &[&str]) -> Result<(usize, Rows)> {
        let Some(piece) = self.pieces.get(i) else {
            return Err(Error::input(format!("{}: no row group {i}", self.path.display())));
        };
        parquet::check(&self.bytes, &piece.metadata, |name| columns.contains(&name), VALUE_BYTES)
            .map_err(|error| error.at(format!("{}: cannot be read as Parquet", self.path.display())))?;
        let coded: Vec<(String, Coded)> = match piece.whole {
            true => codes
                .iter()
                .filter_map(|name| Some(((*name).to_owned(), pages::codes(&self.bytes, &piece.metadata, name)?)))
                .collect(),
            false => Vec::new(),
        };
        // Most studies ask once: what is 0 in every row need not be read.
        let zero: Vec<String> = [column::REPEAT]
            .into_iter()
            .filter(|name| columns.contains(name) && pages::all_zero(&piece.metadata, name))
            .map(str::to_owned)
            .collect();
        let there = |name: &str| coded.iter().any(|(coded, _)| coded == name) || zero.iter().any(|zero| zero == name);
        let others = columns.iter().filter(|name| !there(name));
        let mut reader = ParquetReader::new(open(&self.path)?)
            .with_columns(Some(others.map(|&name| name.to_owned()).collect()))
            .read_parallel(ParallelStrategy::None)
            .with_slice(Some((piece.offset, piece.rows)));
        reader.set_metadata(Arc::clone(&piece.metadata));
        Ok((piece.first_row, Rows::new(finish(&self.path, reader)?, coded, zero)))
    }
}

/// Without the writer's own notes on types: texts that pandas wrote from categories are texts here, not categories, which
/// this build of polars does not have.
fn plain(metadata: &FileMetadata) -> FileMetadata {
    FileMetadata { key_value_metadata: None, ..metadata.clone() }
}

fn open(path: &Path) -> Result<File> {
    let cannot = |error: &std::io::Error| Error::io(format!("cannot read {}", path.display()), error);
    let file = File::open(path).map_err(|error| cannot(&error))?;
    let metadata = file.metadata().map_err(|error| cannot(&error))?;
    // The reader maps the file into memory, which it takes for granted to work.
    if !metadata.is_file() || metadata.len() == 0 {
        return Err(unreadable(path, "no bytes in it"));
    }
    Ok(file)
}

fn finish(path: &Path, reader: ParquetReader<File>) -> Result<DataFrame> {
    match damage::caught(|| reader.finish()) {
        Some(rows) => rows.map_err(|error| unreadable(path, error)),
        None => Err(damaged(path)),
    }
}

fn damaged(path: &Path) -> Error {
    unreadable(path, "it is damaged")
}

fn unreadable(path: &Path, why: impl Display) -> Error {
    Error::input(format!("{}: cannot be read as Parquet: {why}", path.display()))
        .with_help("give a score table written by `roborm score --out FILE.parquet`")
}
