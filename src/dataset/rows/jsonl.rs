//! JSON, one object a line.

use std::borrow::Cow;
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::{Cell, Rows};
use crate::{Error, Result};

/// The longest line that is read. A row of a dataset is a few hundred bytes; a line of gigabytes is a file of another
/// kind, and must not fill the memory before it is refused.
const LONGEST_LINE: usize = 16 << 20;

pub(super) fn read(rows: &mut Rows) -> Result<()> {
    let shown = rows.path.display().to_string();
    let cannot_read = |error: std::io::Error| Error::io(format!("cannot read {shown}"), &error);
    let mut reader = BufReader::with_capacity(1 << 16, File::open(&rows.path).map_err(cannot_read)?);
    let (mut line, mut number) = (Vec::new(), 0u64);
    loop {
        line.clear();
        let taken = reader.by_ref().take(LONGEST_LINE as u64 + 1).read_until(b'\n', &mut line).map_err(cannot_read)?;
        if taken == 0 {
            return Ok(());
        }
        number += 1;
        let wrong = |what: String| Error::input(what).at(format!("{shown}, line {number}"));
        if taken > LONGEST_LINE {
            return Err(wrong(format!("longer than {} MiB", LONGEST_LINE >> 20))
                .with_help("one JSON object a line is expected, each of a few hundred bytes"));
        }
        // A byte order mark, which some editors write, is no part of the JSON.
        let bytes = if number == 1 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line) } else { &line };
        if bytes.contains(&0) {
            return Err(wrong("holds a NUL byte, so this is not a text file".to_owned()));
        }
        let text = std::str::from_utf8(bytes).map_err(|_| wrong("not UTF-8".to_owned()))?.trim();
        if text.is_empty() {
            continue;
        }
        if !text.starts_with('{') {
            return Err(wrong("not a JSON object".to_owned()).with_help("one JSON object a line is expected"));
        }
        let start = rows.cells.len();
        rows.cells.resize(start + rows.wanted.len(), Cell::Null);
        let into = Object { wanted: &rows.wanted, present: &mut rows.present, cells: &mut rows.cells[start..] };
        let mut json = serde_json::Deserializer::from_str(text);
        into.deserialize(&mut json).and_then(|()| json.end()).map_err(|error| {
            wrong(format!("not JSON: {}", describe(&error))).with_help("one JSON object a line is expected")
        })?;
        rows.lines.push(number);
    }
}

/// serde_json's message without its "at line 1 column 7", which counts lines within our line.
fn describe(error: &serde_json::Error) -> String {
    let full = error.to_string();
    let message = full.split(" at line ").next().unwrap_or(&full);
    format!("{message} at column {}", error.column())
}

/// Fills `cells` with the wanted keys of an object and notes every key in `present`.
struct Object<'a> {
    wanted: &'a [String],
    present: &'a mut Vec<String>,
    cells: &'a mut [Cell],
}

impl<'de> DeserializeSeed<'de> for Object<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Object<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            if !self.present.iter().any(|name| *name == key) {
                self.present.push(key.as_ref().to_owned());
            }
            match self.wanted.iter().position(|name| *name == key) {
                Some(index) => self.cells[index] = map.next_value_seed(Value)?,
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

/// One JSON value as a [`Cell`].
struct Value;

impl<'de> DeserializeSeed<'de> for Value {
    type Value = Cell;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Cell, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value {
    type Value = Cell;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Cell, E> {
        Ok(Cell::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Cell, E> {
        Ok(Cell::Flag(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Cell, E> {
        Ok(Cell::Whole(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Cell, E> {
        Ok(i64::try_from(number).map_or(Cell::Number(number as f64), Cell::Whole))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Cell, E> {
        Ok(Cell::Number(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Cell, E> {
        Ok(Cell::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Cell, E> {
        Ok(Cell::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Cell, A::Error> {
        let mut cells = Vec::new();
        while let Some(cell) = seq.next_element_seed(Value)? {
            cells.push(cell);
        }
        Ok(Cell::List(cells))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Cell, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Cell::Other("an object"))
    }
}
