//! The values of a JSON object, each of the kind that it must be.

use serde_json::{Map, Value};

use crate::{Error, Result};

/// The largest number that a configuration may name: products of three of them stay far from overflow.
const LARGEST: i64 = 1 << 20;

/// A JSON object with its place in the file, so that an error can say which number it is about.
#[derive(Clone)]
pub(crate) struct Fields<'a> {
    map: &'a Map<String, Value>,
    place: &'a str,
}

impl<'a> Fields<'a> {
    pub(crate) fn new(value: &'a Value, place: &'a str) -> Result<Self> {
        match value {
            Value::Object(map) => Ok(Self { map, place }),
            _ => Err(Error::setup(format!("{} is not an object", if place.is_empty() { "the file" } else { place }))),
        }
    }

    pub(crate) fn child(&self, name: &'a str) -> Result<Option<Self>> {
        match self.map.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => Self::new(value, name).map(Some),
        }
    }

    fn name(&self, field: &str) -> String {
        if self.place.is_empty() { field.to_owned() } else { format!("{}.{field}", self.place) }
    }

    /// All of it.
    pub(crate) fn value(&self) -> Value {
        Value::Object(self.map.clone())
    }

    /// A value of a kind. Of another kind it is an error, never as if it were absent: transformers would stop at it, or
    /// compute with it.
    fn get<T>(&self, field: &str, kind: &str, read: impl Fn(&'a Value) -> Option<T>) -> Result<Option<T>> {
        let Some(value) = self.map.get(field) else { return Ok(None) };
        match read(value) {
            Some(read) => Ok(Some(read)),
            None => Err(Error::setup(format!("{} is {value}, not {kind}", self.name(field)))),
        }
    }

    /// As [`Fields::get`], where null is as good as absent.
    fn get_or_null<T>(&self, field: &str, kind: &str, read: impl Fn(&'a Value) -> Option<T>) -> Result<Option<T>> {
        if self.map.get(field).is_some_and(Value::is_null) { Ok(None) } else { self.get(field, kind, read) }
    }

    pub(crate) fn text(&self, field: &str) -> Result<Option<&'a str>> {
        self.get_or_null(field, "a text", Value::as_str)
    }

    pub(crate) fn flag(&self, field: &str) -> Result<Option<bool>> {
        self.get_or_null(field, "true or false", Value::as_bool)
    }

    /// Refuses a setting of another value than the one that is computed here; absent and null are that one.
    pub(crate) fn only(&self, field: &str, known: &Value) -> Result<()> {
        let same = |value: &Value| match (value.as_f64(), known.as_f64()) {
            (Some(value), Some(known)) => (value - known).abs() <= 1e-9,
            _ => value == known,
        };
        match self.map.get(field) {
            None | Some(Value::Null) => Ok(()),
            Some(value) if same(value) => Ok(()),
            Some(value) => {
                Err(Error::setup(format!("{} is {value}, and only {known} is known here", self.name(field)))
                    .with_help("run the checkpoint behind a server instead: --base-url"))
            }
        }
    }

    /// Refuses weights that are not plain numbers.
    pub(crate) fn refuse_quantised(&self) -> Result<()> {
        for field in ["quantization_config", "compression_config"] {
            let Some(how) = self.map.get(field).filter(|how| !how.is_null()) else { continue };
            let method = how["quant_method"].as_str().unwrap_or("of an unnamed method");
            return Err(Error::setup(format!("{}: quantised weights ({method}) cannot be run here", self.name(field)))
                .with_help("take the checkpoint in bf16, or run this one behind a server: --base-url"));
        }
        Ok(())
    }

    pub(crate) fn number(&self, field: &str) -> Result<Option<f64>> {
        self.get(field, "a number", Value::as_f64)
    }

    /// A number of a processor or a generation, where null is the default.
    pub(crate) fn number_or_null(&self, field: &str) -> Result<Option<f64>> {
        self.get_or_null(field, "a number", Value::as_f64)
    }

    pub(crate) fn numbers_or_null(&self, field: &str) -> Result<Option<Vec<f64>>> {
        self.get_or_null(field, "a list of numbers", |value| value.as_array()?.iter().map(Value::as_f64).collect())
    }

    pub(super) fn whole_numbers(&self, field: &str) -> Result<Option<Vec<i64>>> {
        self.get(field, "a list of whole numbers", |value| value.as_array()?.iter().map(Value::as_i64).collect())
    }

    /// Token ids: one, or a list of them; null and an empty list are none.
    pub(crate) fn ids(&self, field: &str) -> Result<Option<Vec<i64>>> {
        let read = |value: &Value| match value {
            Value::Array(items) => items.iter().map(Value::as_i64).collect::<Option<Vec<_>>>(),
            one => one.as_i64().map(|id| vec![id]),
        };
        Ok(self.get_or_null(field, "a token id or a list of them", read)?.filter(|ids| !ids.is_empty()))
    }

    pub(super) fn count_or(&self, field: &str, default: i64) -> Result<i64> {
        match self.map.get(field) {
            None | Some(Value::Null) => Ok(default),
            Some(value) => match value.as_i64() {
                Some(number) if number >= 0 => Ok(number),
                _ => Err(Error::setup(format!("{} is {value}, not a whole number", self.name(field)))),
            },
        }
    }

    pub(crate) fn positive(&self, field: &str) -> Result<i64> {
        match self.map.get(field) {
            None | Some(Value::Null) => Err(Error::setup(format!("{} is missing", self.name(field)))),
            Some(_) => self.positive_or(field, 1),
        }
    }

    pub(crate) fn positive_or(&self, field: &str, default: i64) -> Result<i64> {
        match self.count_or(field, default)? {
            number @ 1..=LARGEST => Ok(number),
            number => Err(Error::setup(format!("{} is {number}, not from 1 to {LARGEST}", self.name(field)))),
        }
    }
}
