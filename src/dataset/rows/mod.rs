//! Rows of text, numbers and flags out of a JSONL, CSV or Parquet file, each with the place it stands at, so that an
//! error can say which line. Only the wanted columns are kept.
//!
//! JSONL and CSV are read here and not through polars: its readers infer types from a sample and do not tell lines.

mod cell;
mod csv;
mod jsonl;
mod parquet;
mod write;

use std::fmt;
use std::path::{Path, PathBuf};

pub(crate) use cell::Cell;
pub(crate) use write::write;

use crate::error::nearest;
use crate::{Error, Result};

/// The three formats of every table of the crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Jsonl,
    Csv,
    Parquet,
}

impl Format {
    /// The format that the extension of `path` names, in any case.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "jsonl" | "ndjson" => Some(Self::Jsonl),
            "csv" => Some(Self::Csv),
            "parquet" => Some(Self::Parquet),
            _ => None,
        }
    }

    /// The same, or what to say where the extension names none.
    ///
    /// # Errors
    /// Wrong usage: another extension.
    pub(crate) fn named_by(path: &Path) -> Result<Self> {
        Self::of(path).ok_or_else(|| {
            Error::usage(format!("{} is of no known table format", path.display()))
                .with_help("the extension names the format: .jsonl, .csv or .parquet")
        })
    }
}

/// The wanted columns of a file.
#[derive(Debug)]
pub(crate) struct Rows {
    path: PathBuf,
    format: Format,
    wanted: Vec<String>,
    /// Every column of the file: the header, or the keys seen in any line of JSONL.
    present: Vec<String>,
    /// Row-major, `wanted.len()` a row.
    cells: Vec<Cell>,
    /// Line of each row from 1; for Parquet, which has no lines, the row from 1.
    lines: Vec<u64>,
}

impl Rows {
    /// Reads the columns `wanted` of the file at `path`; those that it lacks are null in every row.
    ///
    /// # Errors
    /// A file that cannot be read, is of no known format, is empty, or is not what its extension says.
    pub(crate) fn read(path: &Path, wanted: &[&str]) -> Result<Self> {
        let format = Format::named_by(path)?;
        let metadata =
            std::fs::metadata(path).map_err(|error| Error::io(format!("cannot read {}", path.display()), &error))?;
        if !metadata.is_file() {
            return Err(Error::input(format!("{} is not a file", path.display()))
                .with_help("a folder, a pipe or a device cannot be read as a table: name a file"));
        }
        if metadata.len() == 0 {
            return Err(Error::input(format!("{} is empty", path.display())));
        }
        let mut rows = Self {
            path: path.to_owned(),
            format,
            wanted: wanted.iter().map(|&name| name.to_owned()).collect(),
            present: Vec::new(),
            cells: Vec::new(),
            lines: Vec::new(),
        };
        match format {
            Format::Jsonl => jsonl::read(&mut rows)?,
            Format::Csv => csv::read(&mut rows)?,
            Format::Parquet => parquet::read(&mut rows)?,
        }
        if rows.lines.is_empty() {
            return Err(Error::input(format!("{} has no rows", path.display())));
        }
        Ok(rows)
    }

    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    /// Does the file have this column at all?
    pub(crate) fn has(&self, column: &str) -> bool {
        self.present.iter().any(|name| name == column)
    }

    /// The columns of the file that are spelled much like `column`.
    pub(crate) fn similar(&self, column: &str) -> Vec<&str> {
        nearest(column, self.present.iter().map(String::as_str))
    }

    pub(crate) fn row(&self, index: usize) -> Row<'_> {
        Row { rows: self, index }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Row<'_>> {
        (0..self.len()).map(|index| self.row(index))
    }

    /// An error unless the file has every one of `columns`.
    ///
    /// # Errors
    /// The first that is missing, with those present.
    pub(crate) fn require(&self, columns: &[&str]) -> Result<()> {
        match columns.iter().find(|column| !self.has(column)) {
            Some(column) => Err(self.missing(column).at(self.path.display())),
            None => Ok(()),
        }
    }

    fn missing(&self, column: &str) -> Error {
        Error::input(format!("no column {column}")).with_help(format!("columns present: {}", self.present.join(", ")))
    }

    /// The place of row `index` in its file: `line 3`.
    pub(crate) fn line(&self, index: usize) -> Place {
        Place { word: if self.format == Format::Parquet { "row" } else { "line" }, number: self.lines[index] }
    }

    /// The column's place among the wanted, which a caller names by constants only.
    fn position(&self, column: &str) -> usize {
        self.wanted.iter().position(|name| name == column).expect("every column asked for was wanted at reading")
    }
}

/// A line of a text file or a row of a Parquet file, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    word: &'static str,
    number: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.word, self.number)
    }
}

/// One row. Its errors name the file and the line.
#[derive(Clone, Copy)]
pub(crate) struct Row<'a> {
    rows: &'a Rows,
    index: usize,
}

impl<'a> Row<'a> {
    pub(crate) fn cell(self, column: &str) -> &'a Cell {
        &self.rows.cells[self.index * self.rows.wanted.len() + self.rows.position(column)]
    }

    /// `error` with the file and the line of this row in front.
    pub(crate) fn at(self, error: Error) -> Error {
        error.at(format!("{}, {}", self.rows.path.display(), self.rows.line(self.index)))
    }

    fn wrong(self, column: &str, what: &str) -> Error {
        self.at(Error::input(format!("{column} {} is not {what}", self.cell(column))))
    }

    /// Words as they stand; `None` where null.
    pub(crate) fn text(self, column: &str) -> Result<Option<&'a str>> {
        match self.cell(column) {
            Cell::Null => Ok(None),
            Cell::Text(text) if text.contains('\0') => {
                Err(self.at(Error::input(format!("{column} holds a NUL character"))))
            }
            Cell::Text(text) => Ok(Some(text)),
            _ => Err(self.wrong(column, "text")),
        }
    }

    /// Words that must be there and not be blank.
    pub(crate) fn words(self, column: &str) -> Result<&'a str> {
        match self.text(column)? {
            Some(text) if text.trim().is_empty() => Err(self.at(Error::input(format!("{column} is empty")))),
            Some(text) => Ok(text),
            None if self.rows.has(column) => Err(self.at(Error::input(format!("no {column}")))),
            None => Err(self.at(self.rows.missing(column))),
        }
    }

    /// A name: text, or a whole number taken as its digits; `None` where null.
    pub(crate) fn name(self, column: &str) -> Result<Option<String>> {
        match self.cell(column) {
            Cell::Whole(number) => Ok(Some(number.to_string())),
            _ => Ok(self.text(column)?.map(str::to_owned)),
        }
    }

    /// A whole number, also out of text (CSV has nothing else) and out of a float without fraction.
    pub(crate) fn whole(self, column: &str) -> Result<Option<i64>> {
        match self.cell(column) {
            Cell::Null => Ok(None),
            cell => cell.as_whole().map(Some).ok_or_else(|| self.wrong(column, "a whole number")),
        }
    }

    /// A finite number, also out of text.
    pub(crate) fn number(self, column: &str) -> Result<Option<f64>> {
        match self.cell(column) {
            Cell::Null => Ok(None),
            cell => cell.as_number().map(Some).ok_or_else(|| self.wrong(column, "a number")),
        }
    }

    /// True or false, also out of text.
    pub(crate) fn flag(self, column: &str) -> Result<Option<bool>> {
        match self.cell(column) {
            Cell::Null => Ok(None),
            cell => cell.as_flag().map(Some).ok_or_else(|| self.wrong(column, "true or false")),
        }
    }
}
