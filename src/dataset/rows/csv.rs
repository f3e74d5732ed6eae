//! CSV by RFC 4180: commas, double quotes doubled inside quotes, line ends LF or CRLF, a header.

use std::fs::File;
use std::io::Read;

use super::{Cell, Rows};
use crate::{Error, Result};

/// The largest file that is read, all at once; what is larger belongs in Parquet.
const LARGEST: u64 = 1 << 30;

pub(super) fn read(rows: &mut Rows) -> Result<()> {
    let shown = rows.path.display().to_string();
    let cannot_read = |error: std::io::Error| Error::io(format!("cannot read {shown}"), &error);
    let mut bytes = Vec::new();
    File::open(&rows.path).map_err(cannot_read)?.take(LARGEST + 1).read_to_end(&mut bytes).map_err(cannot_read)?;
    if bytes.len() as u64 > LARGEST {
        return Err(Error::input(format!("{shown} is larger than 1 GiB")).with_help("write it as Parquet"));
    }
    let line_of = |at: usize| 1 + bytes[..at].iter().filter(|&&byte| byte == b'\n').count() as u64;
    let wrong = |line: u64, what: String| Error::input(what).at(format!("{shown}, line {line}"));
    if let Some(at) = bytes.iter().position(|&byte| byte == 0) {
        return Err(wrong(line_of(at), "holds a NUL byte, so this is not a text file".to_owned()));
    }
    let text =
        std::str::from_utf8(&bytes).map_err(|error| wrong(line_of(error.valid_up_to()), "not UTF-8".to_owned()))?;
    let mut records = Records { rest: text.strip_prefix('\u{feff}').unwrap_or(text), line: 1 };

    let Some((line, header)) = records.next().transpose().map_err(|(line, what)| wrong(line, what.to_owned()))? else {
        return Err(Error::input(format!("{shown} is empty")));
    };
    for cell in header {
        let name = match cell {
            Cell::Text(name) => name,
            _ => String::new(),
        };
        if rows.present.contains(&name) {
            return Err(wrong(line, format!("two columns named {name}")));
        }
        rows.present.push(name);
    }
    if let [only] = &rows.present[..]
        && let Some(separator) = [';', '\t'].into_iter().find(|separator| only.contains(*separator))
    {
        return Err(wrong(line, format!("one column, named {only:?}"))
            .with_help(format!("columns are separated by commas here, not by {separator:?}")));
    }
    let columns: Vec<Option<usize>> =
        rows.present.iter().map(|name| rows.wanted.iter().position(|w| w == name)).collect();
    for record in records {
        let (line, fields) = record.map_err(|(line, what)| wrong(line, what.to_owned()))?;
        if fields.len() != columns.len() {
            return Err(wrong(line, format!("{} fields, but the header has {}", fields.len(), columns.len()))
                .with_help("put double quotes around a text that holds a comma"));
        }
        let start = rows.cells.len();
        rows.cells.resize(start + rows.wanted.len(), Cell::Null);
        for (field, column) in fields.into_iter().zip(&columns) {
            if let Some(column) = column {
                rows.cells[start + column] = field;
            }
        }
        rows.lines.push(line);
    }
    Ok(())
}

/// The records of a text, each with the line it begins at; lines with nothing on them are skipped.
struct Records<'a> {
    rest: &'a str,
    line: u64,
}

impl Iterator for Records<'_> {
    type Item = Result<(u64, Vec<Cell>), (u64, &'static str)>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(rest) = self.rest.strip_prefix('\n').or_else(|| self.rest.strip_prefix("\r\n")) {
                self.rest = rest;
                self.line += 1;
            } else if self.rest.is_empty() {
                return None;
            } else {
                return Some(self.record());
            }
        }
    }
}

impl Records<'_> {
    fn record(&mut self) -> Result<(u64, Vec<Cell>), (u64, &'static str)> {
        let first = self.line;
        let mut fields = Vec::new();
        loop {
            let quoted = self.rest.strip_prefix('"');
            let field = match quoted {
                Some(after) => {
                    self.rest = after;
                    Cell::Text(self.quoted()?)
                }
                None => self.bare(),
            };
            fields.push(field);
            if let Some(rest) = self.rest.strip_prefix(',') {
                self.rest = rest;
            } else if let Some(rest) = self.rest.strip_prefix('\n').or_else(|| self.rest.strip_prefix("\r\n")) {
                self.rest = rest;
                self.line += 1;
                return Ok((first, fields));
            } else if self.rest.is_empty() {
                return Ok((first, fields));
            } else {
                return Err((self.line, "text after the closing quote of a field"));
            }
        }
    }

    /// The rest of a quoted field, its opening quote taken already.
    fn quoted(&mut self) -> Result<String, (u64, &'static str)> {
        let opened = self.line;
        let mut field = String::new();
        loop {
            let Some(end) = self.rest.find('"') else {
                return Err((opened, "a quote is opened and never closed"));
            };
            let (part, after) = (&self.rest[..end], &self.rest[end + 1..]);
            self.line += part.bytes().filter(|&byte| byte == b'\n').count() as u64;
            field.push_str(part);
            match after.strip_prefix('"') {
                Some(rest) => {
                    field.push('"');
                    self.rest = rest;
                }
                None => {
                    self.rest = after;
                    return Ok(field);
                }
            }
        }
    }

    /// A field without quotes; nothing at all is null, as polars and pandas have it.
    fn bare(&mut self) -> Cell {
        let end = self.rest.find([',', '\n']).unwrap_or(self.rest.len());
        // The CR of a CRLF belongs to the line end.
        let field = match self.rest[..end].strip_suffix('\r') {
            Some(field) if self.rest[end..].starts_with('\n') => field,
            _ => &self.rest[..end],
        };
        self.rest = &self.rest[field.len()..];
        if field.is_empty() { Cell::Null } else { Cell::Text(field.to_owned()) }
    }
}
