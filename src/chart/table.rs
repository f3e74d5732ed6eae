//! A table as a report shows it: typed cells, so that a missing figure cannot be mistaken for 0.

use super::text::{clean, count, estimate};

/// A table with a caption that says what it shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    pub(super) caption: String,
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<Vec<Cell>>,
}

/// The head of a column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    pub(super) name: String,
    pub(super) unit: String,
    pub(super) numeric: bool,
}

/// What stands in a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Words, escaped when shown.
    Text(String),
    /// A whole number.
    Count(u64),
    /// A figure, perhaps with its interval; `None` is shown as a dash.
    Estimate {
        /// The figure.
        value: Option<f64>,
        /// Its interval.
        interval: Option<(f64, f64)>,
        /// Decimals shown.
        digits: usize,
    },
    /// A score and the side of the boundary it is on.
    Score {
        /// The score; `None` is an unparsed reply.
        score: Option<f64>,
        /// Above the boundary?
        success: bool,
        /// On the other side than the wording it is compared with?
        flips: bool,
    },
}

impl Table {
    /// An empty table.
    pub fn new(caption: impl Into<String>, columns: impl IntoIterator<Item = Column>) -> Self {
        Self { caption: clean(&caption.into()), columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    /// The same table with one more row. Missing cells are shown empty, surplus ones not at all.
    #[must_use]
    pub fn row(mut self, cells: impl IntoIterator<Item = Cell>) -> Self {
        self.push(cells);
        self
    }

    /// Adds a row.
    pub fn push(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let mut cells: Vec<Cell> = cells.into_iter().collect();
        cells.resize(self.columns.len(), Cell::Text(String::new()));
        self.rows.push(cells);
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Without rows?
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

impl Column {
    /// A column of words.
    pub fn text(name: impl Into<String>) -> Self {
        Self { name: clean(&name.into()), unit: String::new(), numeric: false }
    }

    /// A column of numbers in `unit` (empty where the name says it).
    pub fn number(name: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { name: clean(&name.into()), unit: clean(&unit.into()), numeric: true }
    }
}

impl Cell {
    /// Words.
    pub fn text(text: impl AsRef<str>) -> Self {
        Self::Text(clean(text.as_ref()))
    }

    /// A rate or another figure to three decimals.
    pub fn figure(value: Option<f64>, interval: Option<(f64, f64)>) -> Self {
        Self::Estimate { value, interval, digits: 3 }
    }

    /// A number in its shortest form.
    pub fn exact(value: f64) -> Self {
        let digits = super::text::number(value).split_once('.').map_or(0, |(_, decimals)| decimals.len());
        Self::Estimate { value: Some(value), interval: None, digits }
    }

    /// As a page shows it, without markup.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Count(n) => count(*n),
            Self::Estimate { value, interval, digits } => estimate(*value, *interval, *digits),
            Self::Score { score: None, .. } => "unparsed".to_owned(),
            Self::Score { score: Some(score), .. } => super::text::number(*score),
        }
    }

    /// Numbers stand to the right of their column, words to the left.
    pub(super) fn class(&self) -> &'static str {
        match self {
            Self::Text(_) => "word",
            Self::Count(_) | Self::Estimate { .. } => "num",
            Self::Score { score: None, .. } => "score none",
            Self::Score { success: true, .. } => "score success",
            Self::Score { success: false, .. } => "score failure",
        }
    }

    /// The side of a score in a word, so that it is told by more than colour.
    pub(super) fn side(&self) -> &'static str {
        match self {
            Self::Score { score: Some(_), success: true, .. } => "✓ success",
            Self::Score { score: Some(_), success: false, .. } => "✗ failure",
            _ => "",
        }
    }

    /// On the other side than the wording it is compared with?
    pub(super) fn flips(&self) -> bool {
        matches!(self, Self::Score { flips: true, .. })
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<u64> for Cell {
    fn from(n: u64) -> Self {
        Self::Count(n)
    }
}
