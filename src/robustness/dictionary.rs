//! Columns as codes: every different value gets a number in order of first appearance.

use std::ops::Deref;

use polars::prelude::*;
use polars_arrow::array::PrimitiveArray;

use super::key::Key;
use crate::{Error, Result};

/// A column as codes into its different values.
pub(super) struct Coded {
    pub codes: Codes,
    pub keys: Vec<Key>,
}

/// Codes, row after row: most often those of a file, as its reader left them.
pub(super) struct Codes(PrimitiveArray<u32>);

impl Codes {
    /// The values of an array; which of them are valid is not looked at.
    pub fn of(array: &PrimitiveArray<u32>) -> Self {
        Self(array.clone())
    }
}

impl From<Vec<u32>> for Codes {
    fn from(codes: Vec<u32>) -> Self {
        Self(PrimitiveArray::from_vec(codes))
    }
}

impl Deref for Codes {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        self.0.values()
    }
}

/// Codes of the values of a column. Dates and times are coded as texts.
pub(super) fn code(column: &Column) -> Result<Coded> {
    let series = column.as_materialized_series();
    match series.dtype() {
        DataType::String => Ok(code_texts(series.str()?)),
        DataType::Boolean => Ok(code_plain(series.bool()?.iter(), Key::Flag)),
        DataType::Float32 | DataType::Float64 => {
            let floats = series.cast(&DataType::Float64)?;
            let bits = floats.f64()?.iter().map(|value| value.map(f64::to_bits));
            Ok(code_plain(bits, |bits| Key::real(f64::from_bits(bits))))
        }
        DataType::Null => Ok(Coded { codes: vec![0; series.len()].into(), keys: vec![Key::Missing] }),
        DataType::Date | DataType::Time | DataType::Datetime(..) | DataType::Duration(_) | DataType::UInt64 => {
            Ok(code_texts(series.cast(&DataType::String)?.str()?))
        }
        dtype if dtype.is_integer() => {
            let integers = series.cast(&DataType::Int64)?;
            Ok(code_plain(integers.i64()?.iter(), Key::Integer))
        }
        dtype => Err(Error::usage(format!("column `{}` of type {dtype} cannot group rows", series.name()))
            .with_help("group by columns of texts, numbers, booleans, dates or times")),
    }
}

fn code_texts(texts: &StringChunked) -> Coded {
    let mut index: PlHashMap<&str, u32> = PlHashMap::default();
    let mut keys = Vec::new();
    let mut missing = None;
    let mut codes = Vec::with_capacity(texts.len());
    let has_nulls = texts.null_count() > 0;
    for array in texts.downcast_iter() {
        // Two equal views of one array are equal texts, and rows of one trajectory follow each other: most texts are
        // never looked at.
        let mut last: Option<(u128, u32)> = None;
        for (i, view) in array.views().iter().enumerate() {
            if has_nulls && array.get(i).is_none() {
                codes.push(*missing.get_or_insert_with(|| {
                    keys.push(Key::Missing);
                    keys.len() as u32 - 1
                }));
                continue;
            }
            let view = view.as_u128();
            let code = match last {
                Some((same, code)) if same == view => code,
                _ => {
                    let text = array.value(i);
                    *index.entry(text).or_insert_with(|| {
                        keys.push(Key::Text(text.to_owned()));
                        keys.len() as u32 - 1
                    })
                }
            };
            last = Some((view, code));
            codes.push(code);
        }
    }
    Coded { codes: codes.into(), keys }
}

fn code_plain<T: Copy + Eq + std::hash::Hash>(
    values: impl Iterator<Item = Option<T>>,
    key: impl Fn(T) -> Key,
) -> Coded {
    let mut index: PlHashMap<Option<T>, u32> = PlHashMap::default();
    let mut keys = Vec::new();
    let mut last: Option<(Option<T>, u32)> = None;
    let codes: Vec<u32> = values
        .map(|value| {
            let code = match last {
                Some((same, code)) if same == value => code,
                _ => *index.entry(value).or_insert_with(|| {
                    keys.push(value.map_or(Key::Missing, &key));
                    keys.len() as u32 - 1
                }),
            };
            last = Some((value, code));
            code
        })
        .collect();
    Coded { codes: codes.into(), keys }
}

/// The values of a column over all chunks.
#[derive(Default)]
pub(super) struct Dictionary {
    index: PlHashMap<Key, u32>,
    keys: Vec<Key>,
}

impl Dictionary {
    /// The code of a key, a new one if it was not seen before.
    pub fn code(&mut self, key: &Key) -> u32 {
        if let Some(code) = self.index.get(key) {
            return *code;
        }
        let code = self.keys.len() as u32;
        self.keys.push(key.clone());
        self.index.insert(key.clone(), code);
        code
    }

    /// All keys, by code.
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// The place of every code in the order of the keys.
    pub fn ranks(&self) -> Vec<u32> {
        ranks(&self.keys)
    }
}

/// Numbers pairs of codes in order of first appearance: tuples become single codes by folding.
///
/// A table of rows where the pairs fill it well (every model has scored every trajectory), a hash map for the rest.
#[derive(Default)]
pub(super) struct Pairs {
    table: Vec<Vec<u32>>,
    places: usize,
    others: PlHashMap<u64, u32>,
    next: u32,
    /// Places of the table that need not be filled well.
    room: usize,
}

const EMPTY: u32 = u32::MAX;

impl Pairs {
    /// A table of so many places may be filled badly.
    pub fn with_room(room: usize) -> Self {
        Self { room, ..Self::default() }
    }

    #[inline]
    pub fn code(&mut self, a: u32, b: u32) -> u32 {
        match self.table.get(a as usize).and_then(|row| row.get(b as usize)) {
            Some(&code) if code != EMPTY => code,
            _ => self.look_further(a, b),
        }
    }

    fn look_further(&mut self, a: u32, b: u32) -> u32 {
        let key = u64::from(a) << 32 | u64::from(b);
        if let Some(code) = self.others.get(&key) {
            return *code;
        }
        let code = self.next;
        self.next += 1;
        match self.place(a as usize, b as usize) {
            Some(place) => *place = code,
            None => _ = self.others.insert(key, code),
        }
        code
    }

    /// A place in the table, as long as that has no more than eight places a pair, and `room` more.
    fn place(&mut self, a: usize, b: usize) -> Option<&mut u32> {
        let budget = 8 * self.next as usize + self.room;
        let rows = (a + 1).saturating_sub(self.table.len());
        let had = self.table.get(a).map_or(0, Vec::len);
        let grown = if b < had { had } else { (b + 1).next_power_of_two() };
        if self.places + rows + (grown - had) > budget {
            return None;
        }
        self.places += rows + (grown - had);
        if rows > 0 {
            self.table.resize_with(a + 1, Vec::new);
        }
        let row = &mut self.table[a];
        row.resize(grown, EMPTY);
        row.get_mut(b)
    }
}

/// The place of every key in their order.
fn ranks(keys: &[Key]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..keys.len() as u32).collect();
    order.sort_unstable_by(|a, b| keys[*a as usize].cmp(&keys[*b as usize]));
    let mut ranks = vec![0; order.len()];
    for (rank, code) in order.into_iter().enumerate() {
        ranks[code as usize] = rank as u32;
    }
    ranks
}
