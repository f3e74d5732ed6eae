//! `spot`: one trajectory across its paraphrases.

use clap::Args;
use serde_json::json;

use super::options::Scoring;
use super::{Answer, Block, Session, cases, score};
use crate::chart::{ScorePoint, TrajectoryScores};
use crate::display::{Cell, Column, Sign, Table, number};
use crate::paraphrase::Strategy;
use crate::robustness::DEFAULT_BOUNDARY;
use crate::{Error, Result};

/// Score one trajectory across its paraphrases, flips marked
#[derive(Debug, Args)]
pub(super) struct Spot {
    /// DATASET#ID
    trajectory: String,

    #[command(flatten)]
    scoring: Scoring,

    /// Success is a score above this
    #[arg(long, value_name = "B", default_value_t = DEFAULT_BOUNDARY)]
    boundary: f64,
}

impl Spot {
    pub(super) fn run(&self, session: &Session) -> Result<Answer> {
        if !self.boundary.is_finite() {
            return Err(Error::usage(format!("the boundary {} is not a number", self.boundary))
                .with_help("give a score such as 3.5: success is a score above it"));
        }
        let dataset = self.scoring.open_one(&self.trajectory)?;
        let (study, _) = self.scoring.study(session, &dataset, false)?;
        let outcome = score::run(study, session)?;
        let cases = cases::of(&outcome.scores, self.boundary)?;
        let several = cases.len() > 1;
        let (mut answer, mut rows) = (Answer::default(), Vec::new());
        for case in &cases {
            let label = case.label.map_or(String::new(), |label| format!(", true progress {label}"));
            answer = answer.say(format!("{}: \"{}\"{label}, by {}", case.trajectory, case.task, case.model));
            let parsed: Vec<f64> = case.points.iter().filter_map(|point| point.score).collect();
            answer = answer.show(Block::Strip { scores: parsed, boundary: self.boundary });
            let mut table = Table::new([
                Column::text(""),
                Column::number("score"),
                Column::text("strategy"),
                Column::text("instruction"),
            ]);
            for point in &case.points {
                let success = point.score.map(|score| case.success(score));
                let sign = match success {
                    _ if case.flips(point) => Sign::Flip,
                    None => Sign::Unparsed,
                    Some(true) => Sign::Success,
                    Some(false) => Sign::Failure,
                };
                table.row([
                    Cell::sign(sign),
                    Cell::from(point.score.map(|score| Cell::number(number::score(score)))),
                    Cell::text(point.strategy.as_str()),
                    Cell::text(&point.instruction),
                ]);
                let mut row = json!({
                    "strategy": point.strategy.as_str(), "instruction": point.instruction, "score": point.score,
                    "success": success,
                });
                if let (true, Some(object)) = (several, row.as_object_mut()) {
                    object.insert("model".to_owned(), case.model.clone().into());
                }
                rows.push(row);
            }
            let (success, failure) = case.verdicts();
            let flips = case.points.iter().filter(|point| case.flips(point)).count();
            table.note(&format!(
                "{success} success, {failure} failure, {} unparsed (success: score above {}); {flips} wordings flip the \
                 verdict of {}.",
                case.unparsed(),
                number::chosen(self.boundary),
                reference(case),
            ));
            answer = answer.show(Block::Table(table));
        }
        answer.json = rows.into();
        Ok(score::finish(answer, &outcome, session))
    }
}

/// What flips are held against.
fn reference(case: &TrajectoryScores) -> &'static str {
    let original = |point: &ScorePoint| point.strategy == Strategy::Original && point.score.is_some();
    if case.points.iter().any(original) { "the original instruction" } else { "the true progress" }
}
