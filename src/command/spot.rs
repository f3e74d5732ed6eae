//! `spot`: one trajectory across its paraphrases.

use clap::Args;
use serde_json::json;

use super::options::Scoring;
use super::{Answer, Block, Session, cases, score};
use crate::Result;
use crate::display::{Cell, Column, Table, number};
use crate::robustness::DEFAULT_BOUNDARY;

/// Score one trajectory across its paraphrases, flips marked
#[derive(Debug, Args)]
pub(super) struct Spot {
    /// DATASET#ID
    trajectory: Option<String>,

    #[command(flatten)]
    scoring: Scoring,

    /// Success is a score above this
    #[arg(long, value_name = "B", default_value_t = DEFAULT_BOUNDARY)]
    boundary: f64,
}

impl Spot {
    pub(super) fn run(&self, session: &Session) -> Result<Answer> {
        cases::check_boundary(self.boundary)?;
        let dataset = self.scoring.open_one(self.trajectory.as_deref(), session)?;
        let (study, _) = self.scoring.study(session, &dataset, false)?;
        let outcome = score::run(study, session)?;
        let before = session.current.scores().map_or(0, |scores| scores.len());
        session.current.add_scores(&outcome.scores)?;
        let added = session.current.scores().map_or(0, |scores| scores.len()).saturating_sub(before);
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
                table.row([
                    Cell::sign(cases::sign(case, point)),
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
            table.note(&cases::verdict(case));
            answer = answer.show(Block::Table(table));
        }
        answer.json = rows.into();
        // That nothing flips would be no news.
        if !cases.is_empty() && cases.iter().all(|case| case.points.len() == 1) {
            let scored = session.current.scores().is_some_and(|scores| scores.len() > outcome.scores.len());
            let why = if scored { "; `why` shows the wordings that were scored before" } else { "" };
            answer = answer.note(format!("note: one wording alone; --paraphrases FILE brings others{why}"));
        }
        // They are with the others from now on, and enter every figure made of them.
        if !session.owns_interrupts && before > 0 && added > 0 {
            answer = answer.note(format!("{} added to those at hand", number::things(added, "score", "scores")));
        }
        Ok(score::finish(answer, &outcome, session))
    }
}
