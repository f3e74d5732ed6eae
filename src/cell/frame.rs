//! Data frames and score tables.

use std::collections::BTreeMap;

use polars::prelude::*;

use super::bundle::Bundle;
use super::html::{Place, grid};
use super::width;
use crate::display::{Cell, Column as Head, Table, number};
use crate::robustness::DEFAULT_BOUNDARY;
use crate::scores::ScoreTable;

/// A longer table shows so many of its first rows …
const HEAD: usize = 10;
/// … and so many of its last.
const TAIL: usize = 5;
/// A wider one its first columns.
const WIDEST: usize = 40;

/// A data frame: its shape, the names and types of its columns, its first and last rows.
pub(super) fn table(frame: &DataFrame) -> Bundle {
    let shape = shape(frame);
    Bundle::text(frame.to_string()).html(format!("<div>{shape}</div>{}", rows(frame, &mut |_| None)))
}

/// A score table, its flips marked: replies of one model to one trajectory under one strategy on both sides of the
/// boundary.
pub(super) fn scores(scores: &ScoreTable) -> Bundle {
    let frame = scores.frame();
    let sides = sides(frame);
    let flips = sides.iter().filter(|side| side.is_some_and(|side| side.flips)).count();
    let mut marked = |row: usize| {
        sides[row].map(|side| match (side.flips, side.success) {
            (true, true) => ("✓ flips", "#b45309"),
            (true, false) => ("✗ flips", "#b45309"),
            (false, true) => ("✓", "#15803d"),
            (false, false) => ("✗", "#b91c1c"),
        })
    };
    let page = rows(frame, &mut marked);
    let what = format!(
        "{}; {} unparsed; {flips} scores flip (the verdict depends on the wording; success is a score above {DEFAULT_BOUNDARY})",
        shape(frame),
        scores.unparsed()
    );
    Bundle::text(words(frame, &what, &mut marked)).html(format!("<div>{what}</div>{page}"))
}

/// Scores as commands show them in a terminal: what was said, and what came of it. All columns are in the other form.
fn words(frame: &DataFrame, what: &str, marks: &mut dyn FnMut(usize) -> Option<Mark>) -> String {
    let of = |name: &str| frame.column(name).ok();
    let several = of("model").and_then(|column| column.n_unique().ok()).is_some_and(|models| models > 1);
    let told =
        ["model", "trajectory", "strategy", "instruction"].into_iter().filter(|name| several || *name != "model");
    let told: Vec<&Column> = told.filter_map(of).collect();
    let head = [Head::text("verdict"), Head::number("score")];
    let columns = told.iter().map(|column| Head::text(column.name()));
    let mut table = Table::new(head.into_iter().chain(columns));
    for row in shown(frame.height()) {
        let Some(row) = row else {
            table.row((0..told.len() + 2).map(|_| Cell::text("…")));
            continue;
        };
        let score = of("score").and_then(|column| column.get(row).ok()?.try_extract::<f64>().ok());
        let verdict = Cell::text(marks(row).map_or("?", |(sign, _)| sign));
        let score = Cell::from(score.map(|score| Cell::number(number::score(score))));
        let words = told.iter().map(|column| Cell::text(place(column, row).text));
        table.row([verdict, score].into_iter().chain(words));
    }
    table.note(what);
    table.render(&width::terminal())
}

/// The rows that are shown of so many; `None` stands for those in between.
fn shown(height: usize) -> Vec<Option<usize>> {
    if height > HEAD + TAIL + 1 {
        (0..HEAD).map(Some).chain([None]).chain((height - TAIL..height).map(Some)).collect()
    } else {
        (0..height).map(Some).collect()
    }
}

fn shape(frame: &DataFrame) -> String {
    let (rows, columns) = frame.shape();
    let many = |n: usize, what: &str| if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") };
    format!("{} × {}", many(rows, "row"), many(columns, "column"))
}

type Mark = (&'static str, &'static str);

fn rows(frame: &DataFrame, marks: &mut dyn FnMut(usize) -> Option<Mark>) -> String {
    let columns: Vec<&Column> = frame.columns().iter().take(WIDEST).collect();
    let mut head: Vec<(String, String)> =
        columns.iter().map(|column| (column.name().to_string(), column.dtype().to_string())).collect();
    let left_out = frame.width() - columns.len();
    if left_out > 0 {
        head.push((format!("… {left_out} more"), String::new()));
    }
    let height = frame.height();
    let is_marked = (0..height).any(|row| marks(row).is_some());
    if is_marked {
        head.push(("verdict".to_owned(), String::new()));
    }
    let places = |row: usize, mark: Option<Mark>| {
        let mut places: Vec<Place> = columns.iter().map(|column| place(column, row)).collect();
        if left_out > 0 {
            places.push(Place::words("…"));
        }
        if is_marked {
            let (text, colour) = mark.map_or(("?", None), |(text, colour)| (text, Some(colour)));
            places.push(Place { colour, ..Place::words(text) });
        }
        places
    };
    grid(&head, shown(height).into_iter().map(|row| row.map(|row| places(row, marks(row)))))
}

fn place(column: &Column, row: usize) -> Place {
    let is_figure = column.dtype().is_primitive_numeric();
    match column.get(row) {
        Ok(AnyValue::Null) | Err(_) => Place { is_missing: true, is_figure, ..Place::words("null") },
        Ok(AnyValue::String(text)) => Place::words(text),
        Ok(AnyValue::StringOwned(text)) => Place::words(text.as_str()),
        Ok(value) => Place { is_figure, ..Place::words(value.to_string()) },
    }
}

#[derive(Clone, Copy)]
struct Side {
    success: bool,
    flips: bool,
}

/// Of every row with a score: whether it is a success, and whether others of its group are not as it is.
fn sides(frame: &DataFrame) -> Vec<Option<Side>> {
    let keys: Vec<&Column> = ["dataset", "model", "config", "trajectory", "strategy"]
        .iter()
        .filter_map(|name| frame.column(name).ok())
        .collect();
    let scores = frame.column("score").ok().and_then(|column| column.cast(&DataType::Float64).ok());
    let score = |row: usize| match scores.as_ref()?.get(row).ok()? {
        AnyValue::Float64(score) => Some(score),
        _ => None,
    };
    let key = |row: usize| -> String {
        keys.iter()
            .map(|column| column.get(row).map_or_else(|_| String::new(), |value| value.to_string()))
            .fold(String::new(), |key, part| key + &part + "\u{1f}")
    };
    let mut groups: BTreeMap<String, (bool, bool)> = BTreeMap::new();
    let rows: Vec<Option<(String, bool)>> =
        (0..frame.height()).map(|row| score(row).map(|score| (key(row), score > DEFAULT_BOUNDARY))).collect();
    for (key, success) in rows.iter().flatten() {
        let seen = groups.entry(key.clone()).or_default();
        if *success { seen.0 = true } else { seen.1 = true }
    }
    rows.into_iter()
        .map(|row| row.map(|(key, success)| Side { success, flips: groups.get(&key) == Some(&(true, true)) }))
        .collect()
}
