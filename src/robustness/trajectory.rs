//! One row a trajectory: where a model flips, worst first.

use std::cmp::Ordering;

use polars::prelude::*;

use super::analysis::Analysis;
use super::group::Groups;
use super::key::column_of;
use super::source::Source;
use crate::Result;
use crate::scores::{ScoreTable, column};

impl Analysis {
    /// One row a unit (a model's replies to one trajectory within a group), worst first: crossing ones before others,
    /// then by range, standard deviation and failures.
    ///
    /// Columns: those of [`Analysis::by`]; model, config (where some model has several), dataset and trajectory where
    /// the table has them and `by` does not; label; pairs, unparsed; min, max, range, std (steps of the scale); crossed
    /// (bool); failures (pairs on the other side of the boundary than their label). Null where a figure is over nothing.
    ///
    /// # Errors
    /// Those of [`Analysis::run`].
    pub fn by_trajectory(&self, table: &ScoreTable) -> Result<DataFrame> {
        let tally = self.tally(&Source::Frame(table.frame()), &[self.boundary])?;
        let groups = Groups::of(&tally, self);
        // In the order of groups and trajectories, so that the stable sort below leaves ties in it.
        let mut units: Vec<usize> = groups.members.iter().flat_map(|members| groups.units(members)).collect();
        let worst = |unit: usize| {
            let cell = &tally.cells[unit];
            (cell.crosses(self.boundary), cell.range(), cell.std(self.ddof), tally.failed[unit])
        };
        units.sort_by(|a, b| {
            let (a, b) = (worst(*a), worst(*b));
            let floats = |a: Option<f64>, b: Option<f64>| a.partial_cmp(&b).unwrap_or(Ordering::Equal);
            b.0.cmp(&a.0).then(floats(b.1, a.1)).then(floats(b.2, a.2)).then(b.3.cmp(&a.3))
        });

        let mut names: Vec<&str> = groups.by.iter().map(String::as_str).collect();
        for name in [column::MODEL, column::DATASET, column::TRAJECTORY] {
            if tally.place(name).is_some() && !names.contains(&name) {
                names.push(name);
            }
        }
        let mut columns: Vec<Column> = Vec::new();
        for name in names {
            if let Some(place) = tally.place(name) {
                columns.push(column_of(name, units.iter().map(|&unit| tally.key(unit, place))));
            }
        }
        let cells = || units.iter().map(|&unit| &tally.cells[unit]);
        let number = |name: &str, values: Vec<Option<f64>>| Column::new(name.into(), values);
        let finite = |value: f64| Some(value).filter(|value| value.is_finite());
        if !groups.by.iter().any(|name| name == column::LABEL) {
            columns.push(number(column::LABEL, cells().map(|cell| finite(cell.label)).collect()));
        }
        columns.push(Column::new("pairs".into(), cells().map(|cell| cell.pairs).collect::<Vec<_>>()));
        columns.push(Column::new("unparsed".into(), cells().map(|cell| cell.unparsed).collect::<Vec<_>>()));
        columns.push(number("min", cells().map(|cell| finite(cell.min)).collect()));
        columns.push(number("max", cells().map(|cell| finite(cell.max)).collect()));
        columns.push(number("range", cells().map(|cell| cell.range()).collect()));
        columns.push(number("std", cells().map(|cell| cell.std(self.ddof)).collect()));
        let crossed: Vec<Option<bool>> = cells().map(|cell| cell.crosses(self.boundary)).collect();
        columns.push(Column::new("crossed".into(), crossed));
        let failures: Vec<Option<u32>> =
            units.iter().map(|&unit| (tally.cells[unit].labelled > 0).then_some(tally.failed[unit])).collect();
        columns.push(Column::new("failures".into(), failures));
        Ok(DataFrame::new(units.len(), columns)?)
    }
}
