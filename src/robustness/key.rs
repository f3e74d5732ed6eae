//! The values that rows are grouped by.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use polars::prelude::*;

use crate::paraphrase::Strategy;
use crate::scores::column;

/// One value of a column that rows are grouped by.
///
/// Ordered: flags, integers, reals, texts, each by value; a missing value last. Dates and times are texts.
#[derive(Clone, Debug)]
pub enum Key {
    /// A boolean.
    Flag(bool),
    /// An integer of any width.
    Integer(i64),
    /// A floating-point number, never NaN.
    Real(f64),
    /// A text.
    Text(String),
    /// Null (or NaN).
    Missing,
}

impl Key {
    pub(super) fn real(value: f64) -> Self {
        // Adding zero turns -0.0 into 0.0: one group, not two that print alike.
        if value.is_nan() { Self::Missing } else { Self::Real(value + 0.0) }
    }

    /// The text, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    fn kind(&self) -> u8 {
        match self {
            Self::Flag(_) => 0,
            Self::Integer(_) => 1,
            Self::Real(_) => 2,
            Self::Text(_) => 3,
            Self::Missing => 4,
        }
    }

    /// As a JSON value; missing is null.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Flag(value) => (*value).into(),
            Self::Integer(value) => (*value).into(),
            Self::Real(value) => (*value).into(),
            Self::Text(value) => value.as_str().into(),
            Self::Missing => serde_json::Value::Null,
        }
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Flag(a), Self::Flag(b)) => a.cmp(b),
            (Self::Integer(a), Self::Integer(b)) => a.cmp(b),
            (Self::Real(a), Self::Real(b)) => a.total_cmp(b),
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            _ => self.kind().cmp(&other.kind()),
        }
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.kind().hash(state);
        match self {
            Self::Flag(value) => value.hash(state),
            Self::Integer(value) => value.hash(state),
            Self::Real(value) => value.to_bits().hash(state),
            Self::Text(value) => value.hash(state),
            Self::Missing => {}
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(value) => value.fmt(f),
            Self::Integer(value) => value.fmt(f),
            Self::Real(value) => value.fmt(f),
            Self::Text(value) => value.fmt(f),
            Self::Missing => "null".fmt(f),
        }
    }
}

/// What a row of a result stands for: the grouping columns and their values, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    names: Arc<[String]>,
    values: Vec<Key>,
}

impl Group {
    pub(super) fn new(names: Arc<[String]>, values: Vec<Key>) -> Self {
        Self { names, values }
    }

    /// The value of the grouping column `name`.
    pub fn get(&self, name: &str) -> Option<&Key> {
        self.names.iter().position(|n| n == name).and_then(|i| self.values.get(i))
    }

    /// The text of the grouping column `name`, where it is a text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }

    /// The model, where rows are grouped by it.
    pub fn model(&self) -> Option<&str> {
        self.text(column::MODEL)
    }

    /// The strategy, where rows are grouped by it.
    pub fn strategy(&self) -> Option<Strategy> {
        self.text(column::STRATEGY).map(Strategy::from)
    }

    /// Column names and values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Key)> {
        self.names.iter().map(String::as_str).zip(&self.values)
    }

    /// The same with these columns alone.
    pub(super) fn only(&self, names: &Arc<[String]>) -> Self {
        let values = names.iter().map(|name| self.get(name).cloned().unwrap_or(Key::Missing)).collect();
        Self::new(Arc::clone(names), values)
    }

    /// The order of rows in a result: by each column in turn, strategies as [`Strategy`] orders them.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        let by_column = self.iter().zip(&other.values).map(|((name, a), b)| match (name, a, b) {
            (column::STRATEGY, Key::Text(a), Key::Text(b)) => {
                Strategy::from(a.as_str()).cmp(&Strategy::from(b.as_str()))
            }
            _ => a.cmp(b),
        });
        by_column.fold(Ordering::Equal, Ordering::then)
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, value) in self.values.iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            value.fmt(f)?;
        }
        Ok(())
    }
}

/// A column of keys, typed by the first that is not missing (texts where none is).
pub(super) fn column_of<'a>(name: &str, keys: impl Iterator<Item = &'a Key> + Clone) -> Column {
    let name = PlSmallStr::from_str(name);
    match keys.clone().find(|key| **key != Key::Missing) {
        Some(Key::Flag(_)) => {
            let values = keys.map(|key| if let Key::Flag(v) = key { Some(*v) } else { None });
            BooleanChunked::from_iter_options(name, values).into_column()
        }
        Some(Key::Integer(_)) => {
            let values = keys.map(|key| if let Key::Integer(v) = key { Some(*v) } else { None });
            Int64Chunked::from_iter_options(name, values).into_column()
        }
        Some(Key::Real(_)) => {
            let values = keys.map(|key| if let Key::Real(v) = key { Some(*v) } else { None });
            Float64Chunked::from_iter_options(name, values).into_column()
        }
        _ => StringChunked::from_iter_options(name, keys.map(Key::as_str)).into_column(),
    }
}
