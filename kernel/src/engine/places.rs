//! Places in what was compiled, as places of cells: those that a panic has, and those that code prints of itself (`dbg!`,
//! threads that panic).

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::earlier::Items;
use super::edited::Edited;
use super::holes::Holes;

/// What rustc takes for the name of a cell's file.
const FILE: &str = "target/build/src/lib.rs";

/// Where an item was defined: the number of the cell, where cells have numbers, and the line of it, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    pub cell: Option<u64>,
    pub line: usize,
}

/// A place, as its reader knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In the piece that runs: line and column, from 1, of the cell.
    Here { line: usize, column: usize },
    /// In an item of an earlier cell.
    Earlier { item: String, origin: Origin, column: usize, text: String },
}

/// What is known of the piece of a cell that runs.
pub(super) struct Places {
    pub cell: Option<u64>,
    /// The line of the cell that the piece begins in, from 0.
    pub line: usize,
    /// What evcxr has made of it.
    pub compiled: PathBuf,
    pub edited: Edited,
    pub holes: Holes,
    /// Items of earlier cells.
    pub origins: BTreeMap<String, Origin>,
}

impl Places {
    /// Whether this is the name of what a cell was compiled of.
    pub fn is_file(name: &str) -> bool {
        name.ends_with(FILE)
    }

    /// The place, of a line and a column (from 1) of what was compiled.
    pub fn of(&self, line: usize, column: usize) -> Option<Place> {
        let compiled = std::fs::read_to_string(&self.compiled).ok()?;
        let text = compiled.lines().nth(line.checked_sub(1)?)?;
        if let Some((item, start)) = Items::of(&compiled).at(line)
            && let Some(origin) = self.origins.get(&item)
        {
            let origin = Origin { line: (origin.line + line).saturating_sub(start), ..*origin };
            return Some(Place::Earlier { item, origin, column, text: text.to_owned() });
        }
        let (at, column) = self.edited.place_of(&compiled, line, self.holes.back(text, column))?;
        Some(Place::Here { line: at + self.line, column: self.edited.back(at, column) })
    }

    /// A text with places of cells in the place of those of what was compiled.
    pub fn told(&self, text: String) -> String {
        if !text.contains(FILE) {
            return text;
        }
        let mut told = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some(at) = rest.find(FILE) {
            let behind = &rest[at + FILE.len()..];
            let (numbers, length) = numbers(behind);
            let place = numbers.and_then(|(line, column)| self.of(line, column));
            let Some(place) = place else {
                told.push_str(&rest[..at + FILE.len()]);
                rest = behind;
                continue;
            };
            told.push_str(&rest[..at]);
            let (cell, line) = match place {
                Place::Here { line, .. } => (self.cell, line),
                Place::Earlier { origin, .. } => (origin.cell, origin.line),
            };
            told.push_str(&match cell {
                Some(cell) => format!("cell {cell}, line {line}"),
                None => format!("line {line}"),
            });
            rest = &behind[length..];
        }
        told.push_str(rest);
        told
    }
}

/// `:12:5`, and its length.
fn numbers(text: &str) -> (Option<(usize, usize)>, usize) {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let Some(first) = text.strip_prefix(':') else { return (None, 0) };
    let line = digits(first);
    let Some(second) = first[line..].strip_prefix(':') else { return (None, 0) };
    let column = digits(second);
    let found = first[..line].parse().ok().zip(second[..column].parse().ok());
    (found, 2 + line + column)
}
