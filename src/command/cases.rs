//! Trajectories with all their wordings, out of a score table.

use std::collections::HashMap;

use polars::prelude::*;

use crate::Result;
use crate::chart::{ScorePoint, TrajectoryScores};
use crate::dataset::Label;
use crate::paraphrase::Strategy;
use crate::scores::{ScoreTable, column};

/// The wordings of every (model, config, trajectory), in the table's order; within one by strategy, then by score. Of
/// several repeats the first stands.
pub(super) fn of(scores: &ScoreTable, boundary: f64) -> Result<Vec<TrajectoryScores>> {
    let frame = scores.frame();
    let rows = Rows::of(frame)?;
    let mut places: HashMap<(&str, &str, &str, &str), usize> = HashMap::new();
    let mut cases: Vec<TrajectoryScores> = Vec::new();
    for row in 0..frame.height() {
        if rows.repeat(row) != 0 {
            continue;
        }
        let (model, trajectory) = (rows.model.text(row), rows.trajectory.text(row));
        let key = (model, rows.config.text(row), rows.dataset.text(row), trajectory);
        let strategy = Strategy::from(rows.strategy.text(row));
        let instruction = rows.instruction.text(row);
        let place = *places.entry(key).or_insert_with(|| {
            cases.push(TrajectoryScores {
                trajectory: trajectory.to_owned(),
                task: rows.task.text(row).to_owned(),
                model: model.to_owned(),
                label: rows.label(row),
                boundary,
                points: Vec::new(),
            });
            cases.len() - 1
        });
        if let Some(case) = cases.get_mut(place) {
            if case.task.is_empty() && strategy == Strategy::Original {
                instruction.clone_into(&mut case.task);
            }
            case.points.push(ScorePoint { strategy, instruction: instruction.to_owned(), score: rows.score.get(row) });
        }
    }
    for case in &mut cases {
        case.points.sort_by(|a, b| {
            a.strategy.cmp(&b.strategy).then(a.score.unwrap_or(0.0).total_cmp(&b.score.unwrap_or(0.0)))
        });
    }
    Ok(cases)
}

/// The columns of a score table that a case is made of.
struct Rows {
    model: Texts,
    trajectory: Texts,
    strategy: Texts,
    instruction: Texts,
    task: Texts,
    config: Texts,
    dataset: Texts,
    score: Float64Chunked,
    label: Option<Int64Chunked>,
    repeat: Option<Int64Chunked>,
}

/// A column of text; one that is not there is all empty.
struct Texts(Option<StringChunked>);

impl Texts {
    fn text(&self, row: usize) -> &str {
        self.0.as_ref().and_then(|column| column.get(row)).unwrap_or_default()
    }
}

impl Rows {
    fn of(frame: &DataFrame) -> Result<Self> {
        let cast = |name: &str, to: DataType| -> Result<Option<Column>> {
            Ok(match frame.column(name) {
                Ok(column) => Some(column.cast(&to)?),
                Err(_) => None,
            })
        };
        let texts = |name: &str| -> Result<Texts> {
            Ok(Texts(cast(name, DataType::String)?.map(|column| column.str().cloned()).transpose()?))
        };
        let whole = |name: &str| -> Result<Option<Int64Chunked>> {
            Ok(cast(name, DataType::Int64)?.map(|column| column.i64().cloned()).transpose()?)
        };
        Ok(Self {
            model: texts(column::MODEL)?,
            trajectory: texts(column::TRAJECTORY)?,
            strategy: texts(column::STRATEGY)?,
            instruction: texts(column::INSTRUCTION)?,
            task: texts(column::TASK)?,
            config: texts(column::CONFIG)?,
            dataset: texts(column::DATASET)?,
            score: frame.column(column::SCORE)?.cast(&DataType::Float64)?.f64()?.clone(),
            label: whole(column::LABEL)?,
            repeat: whole(column::REPEAT)?,
        })
    }

    fn label(&self, row: usize) -> Option<Label> {
        Label::new(self.label.as_ref()?.get(row)?).ok()
    }

    fn repeat(&self, row: usize) -> i64 {
        self.repeat.as_ref().and_then(|column| column.get(row)).unwrap_or(0)
    }
}
