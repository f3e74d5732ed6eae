//! A chunk of rows: texts as codes, numbers as numbers.

use polars::prelude::*;

use super::dictionary::{Coded, Codes, code};
use super::key::Key;
use crate::Result;

/// Some columns of some rows that follow each other.
pub(super) struct Rows {
    /// Columns as they are.
    frame: DataFrame,
    /// Columns as codes: those that the file kept so (they are not in the frame), and those asked for since.
    coded: Vec<(String, Coded)>,
    /// Columns that the file says to be 0 in all of these rows: they are not in the frame.
    zero: Vec<String>,
}

impl Rows {
    /// `coded` are columns of as many rows as the frame has.
    pub fn new(frame: DataFrame, coded: Vec<(String, Coded)>, zero: Vec<String>) -> Self {
        Self { frame, coded, zero }
    }

    /// The column is known to be 0 in all rows, and is not there.
    pub fn all_zero(&self, name: &str) -> bool {
        self.zero.iter().any(|zero| zero == name)
    }

    pub fn height(&self) -> usize {
        self.frame.height()
    }

    /// Codes these columns: [`Rows::coded`] then has them.
    pub fn code<'a>(&mut self, columns: impl IntoIterator<Item = &'a str>) -> Result<()> {
        for name in columns {
            if self.place(name).is_none() {
                let coded = code(self.frame.column(name)?)?;
                self.coded.push((name.to_owned(), coded));
            }
        }
        Ok(())
    }

    /// A column that was coded.
    pub fn coded(&self, name: &str) -> Option<&Coded> {
        self.place(name).map(|place| &self.coded[place].1)
    }

    /// A column as it is.
    pub fn column(&self, name: &str) -> Result<&Column> {
        Ok(self.frame.column(name)?)
    }

    /// The different values of a coded column, and its codes.
    pub fn take(&mut self, name: &str) -> Option<(Vec<Key>, Codes)> {
        let place = self.place(name)?;
        let coded = self.coded.swap_remove(place).1;
        Some((coded.keys, coded.codes))
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.coded.iter().position(|(coded, _)| coded == name)
    }
}
