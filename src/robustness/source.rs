//! Where rows come from: a table in memory, or a Parquet file that is read a piece at a time.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use polars::prelude::*;
use polars_io::SerReader;
use polars_io::parquet::metadata::FileMetadata;
use polars_io::parquet::read::{ParallelStrategy, ParquetReader};

use crate::{Error, Result};

/// Rows of a chunk: few enough that a chunk a thread is small beside the table, enough that its parts are worth merging.
const ROWS: usize = 1 << 18;

/// Where rows come from.
pub(super) enum Source<'a> {
    Frame(&'a DataFrame),
    Parquet(Parquet),
}

/// A Parquet file and its pieces.
pub(super) struct Parquet {
    path: PathBuf,
    columns: Vec<String>,
    pieces: Vec<Piece>,
}

/// Part of a row group; most often all of it.
struct Piece {
    first_row: usize,
    metadata: Arc<FileMetadata>,
    offset: usize,
    rows: usize,
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

    /// These columns of chunk `i`, and the number of rows before it.
    pub fn chunk(&self, i: usize, columns: &[&str]) -> Result<(usize, DataFrame)> {
        match self {
            Self::Frame(frame) => {
                let rows = frame.slice((i * ROWS) as i64, ROWS);
                Ok((i * ROWS, rows.select(columns.iter().copied())?))
            }
            Self::Parquet(file) => file.piece(i, columns),
        }
    }

    /// These columns of all rows.
    pub fn all(&self, columns: &[&str]) -> Result<DataFrame> {
        match self {
            Self::Frame(frame) => Ok(frame.select(columns.iter().copied())?),
            Self::Parquet(file) => {
                let columns = Some(columns.iter().map(|&name| name.to_owned()).collect());
                let reader = ParquetReader::new(open(&file.path)?).with_columns(columns);
                reader.finish().map_err(|error| unreadable(&file.path, &error))
            }
        }
    }
}

impl Parquet {
    pub fn open(path: &Path) -> Result<Self> {
        let mut reader = ParquetReader::new(open(path)?);
        let schema = reader.schema().map_err(|error| unreadable(path, &error))?;
        let columns = schema.iter_names().map(|name| name.to_string()).collect();
        let metadata = reader.get_metadata().map_err(|error| unreadable(path, &error))?;
        let bare = without_groups(metadata);
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
                pieces.push(Piece { first_row: first_row + offset, metadata: Arc::clone(&only), offset, rows });
            }
            first_row += group.num_rows();
        }
        Ok(Self { path: path.to_owned(), columns, pieces })
    }

    fn piece(&self, i: usize, columns: &[&str]) -> Result<(usize, DataFrame)> {
        let Some(piece) = self.pieces.get(i) else {
            return Err(Error::input(format!("{}: no row group {i}", self.path.display())));
        };
        let mut reader = ParquetReader::new(open(&self.path)?)
            .with_columns(Some(columns.iter().map(|&name| name.to_owned()).collect()))
            .read_parallel(ParallelStrategy::None)
            .with_slice(Some((piece.offset, piece.rows)));
        reader.set_metadata(Arc::clone(&piece.metadata));
        let rows = reader.finish().map_err(|error| unreadable(&self.path, &error))?;
        Ok((piece.first_row, rows))
    }
}

fn without_groups(metadata: &FileMetadata) -> FileMetadata {
    FileMetadata {
        version: metadata.version,
        num_rows: 0,
        max_row_group_height: metadata.max_row_group_height,
        created_by: metadata.created_by.clone(),
        row_groups: Vec::new(),
        key_value_metadata: metadata.key_value_metadata.clone(),
        schema_descr: metadata.schema_descr.clone(),
        column_orders: metadata.column_orders.clone(),
        footer_buf: metadata.footer_buf.clone(),
    }
}

fn open(path: &Path) -> Result<File> {
    let cannot = |error: &std::io::Error| Error::io(format!("cannot read {}", path.display()), error);
    let file = File::open(path).map_err(|error| cannot(&error))?;
    let metadata = file.metadata().map_err(|error| cannot(&error))?;
    // The reader maps the file into memory, which it takes for granted to work.
    if !metadata.is_file() || metadata.len() == 0 {
        return Err(Error::input(format!("{}: not a Parquet file", path.display()))
            .with_help("give a score table written by `roborm score --out FILE.parquet`"));
    }
    Ok(file)
}

fn unreadable(path: &Path, error: &PolarsError) -> Error {
    Error::input(format!("{}: cannot be read as Parquet: {error}", path.display()))
        .with_help("give a score table written by `roborm score --out FILE.parquet`")
}
