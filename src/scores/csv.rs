//! Score tables as CSV.

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::Path;
use std::sync::Arc;

use polars::prelude::*;
use polars_io::SerReader;
use polars_io::prelude::{CsvReadOptions, CsvReader};

use super::check;
use super::file::{open, refused};
use crate::dataset::rows::{Cell, Rows};
use crate::{Error, Result};

/// Reads a file; of its columns only `columns`, where given.
pub(super) fn read(file: File, path: &Path, columns: Option<&[&str]>) -> Result<DataFrame> {
    // First, for polars stumbles over rows of another shape even where it is to read the header alone.
    let shape = shape(path)?;
    let names = header(path)?;
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    check::required_names(&names)?;
    let known: Schema =
        names.iter().filter_map(|name| Some(((*name).into(), check::known_type(name)?))).collect::<Schema>();
    let columns: Option<Arc<[PlSmallStr]>> = columns.map(|wanted| {
        wanted.iter().filter(|name| names.contains(name)).map(|name| PlSmallStr::from_str(name)).collect()
    });
    let options = CsvReadOptions::default()
        .with_has_header(true)
        .with_infer_schema_length(Some(10_000))
        .with_schema_overwrite(Some(Arc::new(known)))
        .with_columns(columns)
        .with_rechunk(false);
    let frame = match shape.blank {
        false => CsvReader::new(file).with_options(options).finish(),
        true => CsvReader::new(Cursor::new(without_blank_lines(file)?)).with_options(options).finish(),
    };
    frame.map_err(|error| fault(path, &shape).unwrap_or_else(|| refused(&error)))
}

/// The bytes of a file without the lines that hold nothing, of which polars makes rows of nulls.
fn without_blank_lines(mut file: File) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(|error| Error::io("cannot be read", &error))?;
    let mut kept = Vec::with_capacity(bytes.len());
    // An empty line within quotes is part of a text.
    let mut quoted = false;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if quoted || !matches!(line, b"\n" | b"\r\n" | b"\r") {
            kept.extend_from_slice(line);
        }
        quoted ^= line.iter().filter(|byte| **byte == b'"').count() % 2 == 1;
    }
    Ok(kept)
}

/// The names of the columns.
pub(super) fn header(path: &Path) -> Result<Vec<String>> {
    let options =
        CsvReadOptions::default().with_has_header(true).with_infer_schema_length(Some(0)).with_n_rows(Some(0));
    let frame = CsvReader::new(open(path)?)
        .with_options(options)
        .finish()
        .map_err(|error| fault(path, &Shape::default()).unwrap_or_else(|| refused(&error)))?;
    let names: Vec<String> = frame.get_column_names().iter().map(ToString::to_string).collect();
    if let [only] = &names[..]
        && let Some(separator) = [';', '\t'].into_iter().find(|separator| only.contains(*separator))
    {
        return Err(Error::input(format!("one column, named {only:?}"))
            .with_help(format!("columns are separated by commas here, not by {separator:?}")));
    }
    // The reader renames a column that stands twice.
    let again = names.iter().find_map(|name| {
        let (first, count) = name.split_once("_duplicated_")?;
        (count.bytes().all(|digit| digit.is_ascii_digit()) && names.iter().any(|name| name == first)).then_some(first)
    });
    match again {
        Some(name) => Err(Error::input(format!("two columns named `{name}`"))
            .with_help("take one of them out: nothing tells which is meant")),
        None => Ok(names),
    }
}

/// Checks that each row has as many fields as the header, as RFC 4180 has it: polars takes what a cut row lacks for null,
/// and a null score is an unparsed reply.
fn shape(path: &Path) -> Result<Shape> {
    let cannot = |error: std::io::Error| Error::io("cannot be read", &error);
    let mut reader = BufReader::with_capacity(1 << 18, open(path)?);
    let mut counter = Counter::default();
    loop {
        let bytes = reader.fill_buf().map_err(cannot)?;
        let length = bytes.len();
        if length == 0 {
            counter.end()?;
            return Ok(counter.shape);
        }
        bytes.iter().try_for_each(|byte| counter.push(*byte))?;
        reader.consume(length);
    }
}

/// What is seen of a file besides.
#[derive(Default)]
struct Shape {
    /// The first line with a quote in a text that stands in none: polars takes the next lines for part of the text.
    loose_quote: Option<u64>,
    /// There are lines that hold nothing.
    blank: bool,
}

/// Counts the fields of one row after the other.
#[derive(Default)]
struct Counter {
    /// Line ends so far.
    lines: u64,
    /// Of those, the ones before the row.
    before: u64,
    /// Commas of the row.
    commas: u64,
    /// As many as the header has.
    wanted: Option<u64>,
    /// Bytes of the row, but for its end.
    length: u64,
    field: Field,
    /// Quotes of the row in texts that stand in none.
    loose: u64,
    shape: Shape,
}

/// What a field is read as.
#[derive(Clone, Copy, Default, PartialEq)]
enum Field {
    /// Not begun.
    #[default]
    Before,
    Plain,
    /// In quotes, which were opened after so many line ends.
    Quoted(u64),
    /// After its closing quote, which another one makes a quote of the text.
    Closed(u64),
}

impl Counter {
    fn push(&mut self, byte: u8) -> Result<()> {
        self.loose += u64::from(byte == b'"' && self.field == Field::Plain);
        self.field = match (self.field, byte) {
            (Field::Quoted(opened), b'"') => Field::Closed(opened),
            (Field::Quoted(opened), _) | (Field::Closed(opened), b'"') => Field::Quoted(opened),
            (Field::Before, b'"') => Field::Quoted(self.lines),
            (_, b',') => {
                self.commas += 1;
                Field::Before
            }
            (_, b'\n') => {
                self.end_of_row()?;
                self.before = self.lines + 1;
                Field::Before
            }
            (Field::Closed(opened), _) => Field::Closed(opened),
            _ => Field::Plain,
        };
        let ends_row = byte == b'\n' && self.field == Field::Before;
        self.length = if ends_row { 0 } else { self.length + u64::from(byte != b'\r') };
        self.lines += u64::from(byte == b'\n');
        Ok(())
    }

    fn end_of_row(&mut self) -> Result<()> {
        let commas = std::mem::take(&mut self.commas);
        if !std::mem::take(&mut self.loose).is_multiple_of(2) {
            self.shape.loose_quote.get_or_insert(self.before + 1);
        }
        if self.length == 0 {
            self.shape.blank = true;
            return Ok(());
        }
        match *self.wanted.get_or_insert(commas) {
            wanted if wanted == commas => Ok(()),
            wanted => {
                let (line, fields, wanted) = (self.before + 1, commas + 1, wanted + 1);
                Err(Error::input(format!("line {line}: {fields} fields, but the header has {wanted}"))
                    .with_help("is the file whole? A text that holds a comma stands in double quotes"))
            }
        }
    }

    fn end(&mut self) -> Result<()> {
        match self.field {
            Field::Quoted(lines) => {
                Err(Error::input(format!("line {}: a quote is opened and never closed", lines + 1))
                    .with_help("is the file whole? A quote within a text in double quotes is doubled"))
            }
            // The last line end of a file begins no line.
            _ if self.length == 0 => Ok(()),
            _ => self.end_of_row(),
        }
    }
}

/// What is wrong with a file that polars refuses, and in which line, of which its reader says nothing: bytes that are no
/// text, or the first cell of a column of numbers that holds something else.
fn fault(path: &Path, shape: &Shape) -> Option<Error> {
    let columns = check::columns_of_numbers();
    let rows = match Rows::read(path, &columns) {
        Ok(rows) => rows,
        // The path is put in front of it again.
        Err(error) => return error.to_string().strip_prefix(&format!("{}, ", path.display())).map(Error::input),
    };
    if let Some(line) = shape.loose_quote {
        return Some(
            Error::input(format!("line {line}: a quote within a text that stands in no quotes"))
                .with_help("put the text in double quotes, and double those in it"),
        );
    }
    let (place, name, cell) = (0..rows.len()).find_map(|index| {
        let row = rows.row(index);
        let wrong = |name: &&&str| matches!(row.cell(name), Cell::Text(text) if !check::is_number(text));
        columns.iter().find(wrong).map(|name| (rows.line(index), *name, row.cell(name)))
    })?;
    Some(Error::input(format!("{place}: `{name}` is {cell}, not a number")).with_help(check::NO_NUMBER))
}
