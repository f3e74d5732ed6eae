//! `flips`: the trajectories whose verdict depends on the wording, worst first.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::{Answer, Block, Session, cases, figures, report, wording};
use crate::Result;
use crate::chart::{ScorePoint, TrajectoryScores};
use crate::display::{Cell, Column, Sign, Table, number};
use crate::paraphrase::Strategy;
use crate::robustness::DEFAULT_BOUNDARY;
use crate::scores::ScoreTable;

/// The trajectories whose verdict depends on the wording, worst first
#[derive(Debug, Args)]
pub(super) struct Flips {
    /// Score table (.parquet, .csv, .jsonl)
    scores: Option<PathBuf>,

    /// Paraphrases of these strategies only; the original instruction is always there to be held against
    #[arg(long, value_name = "S", value_delimiter = ',')]
    strategy: Vec<String>,

    /// These models only
    #[arg(long = "model", value_name = "NAME")]
    models: Vec<String>,

    /// Success is a score above this
    #[arg(long, value_name = "B", default_value_t = DEFAULT_BOUNDARY)]
    boundary: f64,

    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
}

impl Flips {
    pub(super) fn run(&self, session: &Session) -> Result<Answer> {
        cases::check_boundary(self.boundary)?;
        let (scores, note) = match &self.scores {
            Some(path) => (ScoreTable::read(path)?, None),
            None => {
                let figures = figures::of_session(session)?;
                (figures.scores, figures.note)
            }
        };
        let mut all = cases::of(&scores, self.boundary)?;
        cases::check_models(&all, &self.models)?;
        cases::keep_strategies(&mut all, &self.strategy)?;
        all.retain(|case| self.models.is_empty() || self.models.contains(&case.model));
        let mut answer = self.answer(&worst_first(&all), &all);
        for note in note.into_iter().chain(report::originals_apart(&scores)?.map(|told| format!("warning: {told}"))) {
            answer = answer.note(note);
        }
        Ok(answer)
    }

    fn answer(&self, crossing: &[Row<'_>], all: &[TrajectoryScores]) -> Answer {
        let mut table = Table::new([
            Column::text(""),
            Column::text("trajectory"),
            Column::text("model"),
            Column::number("label"),
            Column::number("flips"),
            Column::number("scores"),
            Column::text("smallest rewording that flips"),
        ]);
        let mut rows = Vec::new();
        for (place, row) in crossing.iter().enumerate() {
            let (case, smallest) = (row.case, row.smallest);
            let (lowest, highest) = case.range().unzip();
            let (success, failure) = case.verdicts();
            rows.push(json!({
                "model": case.model, "config": cases::known(&case.config), "dataset": cases::known(&case.dataset),
                "trajectory": case.trajectory, "task": case.task,
                "label": case.label.map(|label| label.get()), "flips": row.flips, "paraphrases": row.wordings,
                "success": success, "failure": failure, "unparsed": case.unparsed(),
                "lowest": lowest, "highest": highest, "strategy": smallest.map(|point| point.strategy.as_str()),
                "instruction": smallest.map(|point| point.instruction.as_str()),
            }));
            if place < self.top {
                table.row([
                    Cell::sign(Sign::Flip),
                    Cell::text(&case.trajectory),
                    Cell::text(cases::model_name(case, all)),
                    Cell::from(case.label.map(|label| Cell::from(u64::from(label.get())))),
                    Cell::number(format!("{} of {}", row.flips, row.wordings)),
                    Cell::from(
                        case.range()
                            .map(|(lo, hi)| Cell::number(format!("{} to {}", number::score(lo), number::score(hi)))),
                    ),
                    Cell::from(smallest.map(|point| Cell::text(wording::marked(&point.instruction, &case.task)))),
                ]);
            }
        }
        table.note(&format!(
            "{} of {} (trajectory, model) pairs get both verdicts (success: score above {}); flips: wordings against the \
             verdict of the original instruction, or of the true progress where that was not scored.",
            number::count(crossing.len() as u64),
            number::count(all.len() as u64),
            number::chosen(self.boundary)
        ));
        let unparsed: u64 = all.iter().map(TrajectoryScores::unparsed).sum();
        if unparsed > 0 {
            let replies: usize = all.iter().map(|case| case.points.len()).sum();
            table.note(&format!(
                "{} of {} gave no score, and count on neither side.",
                number::count(unparsed),
                number::things(replies, "reply", "replies")
            ));
        }
        table.note(wording::LEGEND);
        if crossing.len() > self.top {
            table.note(&format!("{} more: --top {}", crossing.len() - self.top, crossing.len()));
        }
        Answer::new(rows.into()).show(Block::Table(table))
    }
}

/// Those that cross, by their share of flips, then by the range of their scores.
pub(super) fn worst_first(all: &[TrajectoryScores]) -> Vec<Row<'_>> {
    let mut crossing: Vec<Row> = all.iter().filter(|case| case.crosses()).map(Row::of).collect();
    crossing.retain(|row| row.wordings > 0);
    crossing.sort_by(|a, b| b.share().total_cmp(&a.share()).then(b.spread().total_cmp(&a.spread())));
    crossing
}

/// A trajectory that crosses, and what is counted of it.
pub(super) struct Row<'a> {
    pub(super) case: &'a TrajectoryScores,
    flips: usize,
    /// Parsed paraphrases, the original not counted.
    wordings: usize,
    smallest: Option<&'a ScorePoint>,
}

impl<'a> Row<'a> {
    fn of(case: &'a TrajectoryScores) -> Self {
        // The original is what others are held against, and is no rewording of itself.
        let reworded = |point: &&ScorePoint| point.strategy != Strategy::Original;
        let flipping = case.points.iter().filter(reworded).filter(|point| case.flips(point));
        let smallest = flipping.clone().min_by_key(|point| wording::distance(&point.instruction, &case.task));
        let wordings =
            case.points.iter().filter(reworded).filter(|point| point.score.is_some_and(f64::is_finite)).count();
        Self { case, flips: flipping.count(), wordings, smallest }
    }

    fn share(&self) -> f64 {
        self.flips as f64 / self.wordings.max(1) as f64
    }

    fn spread(&self) -> f64 {
        self.case.range().map_or(0.0, |(lo, hi)| hi - lo)
    }
}
