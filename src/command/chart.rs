//! `chart`: how often each model flips, and where the scores lie, as text, as a file, in the browser.

use std::path::{Path, PathBuf};

use clap::Args;
use polars::prelude::{Expr, col, lit};
use serde_json::{Value, json};

use super::{Answer, Block, Session, browser, cases, current, demo, flips, report, robustness};
use crate::Result;
use crate::chart::TrajectoryScores;
use crate::dataset::Dataset;
use crate::display::{self, Bar, number};
use crate::paraphrase::Strategy;
use crate::robustness::{Analysis, DEFAULT_BOUNDARY, Robustness};
use crate::scores::{ScoreTable, column};

/// Where the charts are written that are opened, unless told otherwise. In sight, not in a hidden or a temporary folder:
/// browsers that run confined may not read those.
const FILE: &str = "roborm-chart.html";

/// Crossing rates as bars and the scores of what flips most, as text; with --open in the browser
#[derive(Debug, Args)]
pub(super) struct ChartCommand {
    /// SCORES, a score table (.parquet, .csv, .jsonl), or SCORES#ID, one trajectory of it
    case: Option<String>,

    /// Open the charts in the browser, as one HTML file that works offline
    #[arg(long)]
    open: bool,

    /// Write the HTML file there [default with --open: roborm-chart.html]
    #[arg(long, value_name = "FILE.html")]
    out: Option<PathBuf>,

    /// These models only
    #[arg(long = "model", value_name = "NAME")]
    models: Vec<String>,

    /// Success is a score above this
    #[arg(long, value_name = "B", default_value_t = DEFAULT_BOUNDARY)]
    boundary: f64,
}

impl ChartCommand {
    pub(super) fn run(&self, session: &Session) -> Result<Answer> {
        cases::check_boundary(self.boundary)?;
        if let Some(file) = &self.out {
            report::check_name(file)?;
        }
        let (scores, one) = self.scores(session)?;
        let mut all = cases::of(&scores, self.boundary)?;
        cases::check_models(&all, &self.models)?;
        let one = one.map(|wanted| cases::find(&all, &wanted, session)).transpose()?;
        let kept = |case: &TrajectoryScores| {
            let model = self.models.is_empty() || self.models.contains(&case.model);
            model && one.as_ref().is_none_or(|id| case.trajectory == *id)
        };
        all.retain(kept);
        let scores = keep(scores, &self.models, one.as_deref())?;
        let analysis = Analysis { boundary: self.boundary, ..Analysis::default() };
        let mut answer = match &one {
            Some(id) => {
                session.current.look_at(id);
                one_trajectory(&all)
            }
            None => all_trajectories(&analysis, &analysis.run(&scores)?, &all),
        };
        answer = answer.show_all(report::simulated(&scores)?.map(Block::Text));
        let file = self.out.clone().or_else(|| self.open.then(|| PathBuf::from(FILE)));
        if let Some(file) = file {
            let extra = report::Extra { command: &session.typed, ..report::Extra::default() };
            let report = match &one {
                None => report::of(&scores, &analysis, extra)?,
                Some(id) => {
                    let title = format!("Why does {id} flip?");
                    let mut sheets = Vec::new();
                    // Without frames it is still a report.
                    match cases::trajectory(id, &scores, session) {
                        Ok(Some(trajectory)) => match demo::sheet(session, &trajectory) {
                            Ok(sheet) => sheets.push((id.clone(), sheet)),
                            Err(error) => answer = answer.note(format!("note: no frames: {error}")),
                        },
                        Ok(None) => {}
                        Err(error) => answer = answer.note(format!("note: no frames: {error}")),
                    }
                    report::of_one(&scores, self.boundary, report::Extra { title: &title, sheets, ..extra })?
                }
            };
            report.write(&file)?;
            answer = self.written(answer, &file);
        }
        Ok(answer)
    }

    /// The table, and the trajectory of it that is wanted, as it was typed.
    fn scores(&self, session: &Session) -> Result<(ScoreTable, Option<String>)> {
        let session_has = || session.current.scores().ok_or_else(current::no_scores);
        let Some(word) = &self.case else { return Ok((session_has()?, None)) };
        let (place, id) = Dataset::split_spec(word);
        match Path::new(place).is_file() || session.current.scores().is_none() {
            true => Ok((ScoreTable::read(place)?, id.map(str::to_owned))),
            false => Ok((session_has()?, Some(id.unwrap_or(place).to_owned()))),
        }
    }

    fn written(&self, mut answer: Answer, file: &Path) -> Answer {
        let mut opened = false;
        if self.open {
            match browser::open(file) {
                Ok(()) => opened = true,
                Err(why) => answer = answer.note(format!("not opened: {why}")),
            }
        }
        if let Some(object) = answer.json.as_object_mut() {
            object.insert("file".to_owned(), file.display().to_string().into());
            object.insert("opened".to_owned(), opened.into());
        }
        answer.say(format!("charts: {}", file.display()))
    }
}

/// The rows of these models and of this trajectory.
fn keep(scores: ScoreTable, models: &[String], trajectory: Option<&str>) -> Result<ScoreTable> {
    let model = models.iter().map(|name| col(column::MODEL).eq(lit(name.as_str()))).reduce(Expr::or);
    let trajectory = trajectory.map(|id| col(column::TRAJECTORY).eq(lit(id)));
    match model.into_iter().chain(trajectory).reduce(Expr::and) {
        Some(wanted) => ScoreTable::from_frame_unique(scores.lazy().filter(wanted).collect()?),
        None => Ok(scores),
    }
}

/// Bars over everything, and for every model the scores of the trajectory that flips most.
fn all_trajectories(analysis: &Analysis, found: &Robustness, all: &[TrajectoryScores]) -> Answer {
    let mut strips = Vec::new();
    let mut worst: Vec<&TrajectoryScores> = Vec::new();
    for row in flips::worst_first(all) {
        if !worst.iter().any(|case| case.model == row.case.model) {
            worst.push(row.case);
        }
    }
    let mut answer = Answer::default()
        .say(format!(
            "Score-crossing rate: the share of trajectories that some wordings call a success and others a failure \
             (success: score above {}).",
            number::chosen(analysis.boundary)
        ))
        .show(bars(found))
        .say(format!("Intervals: {}.", robustness::intervals(found.level, found.resamples, found.seed)));
    for case in worst {
        answer = answer.say(format!(
            "Flips most by {}: {}, \"{}\"",
            cases::model_name(case, all),
            case.trajectory,
            case.task
        ));
        answer = answer.show(strip(case, None, &mut strips));
    }
    answer.json = json!({ "boundary": analysis.boundary, "robustness": found.to_json(), "strips": strips });
    answer
}

/// A strip a strategy, for every model.
fn one_trajectory(all: &[TrajectoryScores]) -> Answer {
    let (mut answer, mut strips) = (Answer::default(), Vec::new());
    for case in all {
        let label = case.label.map_or(String::new(), |label| format!(", true progress {label}"));
        answer =
            answer.say(format!("{}: \"{}\"{label}, by {}", case.trajectory, case.task, cases::model_name(case, all)));
        let mut strategies: Vec<&Strategy> = case.points.iter().map(|point| &point.strategy).collect();
        strategies.dedup();
        for strategy in strategies {
            let n = case.points.iter().filter(|point| point.strategy == *strategy && point.score.is_some()).count();
            answer = answer.say(format!("{strategy}, n={n}:"));
            answer = answer.show(strip(case, Some(strategy), &mut strips));
        }
        answer = answer.say(cases::verdict(case));
    }
    answer.json = json!({ "boundary": all.first().map(|case| case.boundary), "strips": strips });
    answer
}

/// The scores of a trajectory, of one strategy or of all.
fn strip(case: &TrajectoryScores, strategy: Option<&Strategy>, strips: &mut Vec<Value>) -> Block {
    let points = case.points.iter().filter(|point| strategy.is_none_or(|strategy| point.strategy == *strategy));
    let scores: Vec<f64> = points.filter_map(|point| point.score).collect();
    strips.push(json!({
        "model": case.model, "trajectory": case.trajectory, "strategy": strategy.map(Strategy::as_str),
        "scores": scores,
    }));
    Block::Strip { scores, boundary: case.boundary }
}

/// How often each model flips by strategy, as bars.
pub(super) fn bars(found: &Robustness) -> Block {
    let rows = found.rows.iter().filter(|row| report::strategy(row) != Strategy::Original);
    let bars = rows.map(|row| Bar {
        label: format!("{} {}", report::name(row), row.group.text("strategy").unwrap_or_default()),
        estimate: display::Estimate {
            value: row.crossing_rate.value,
            interval: row.crossing_rate.interval,
            n: row.crossing_rate.n,
        },
    });
    Block::Bars { bars: bars.collect(), most: 1.0 }
}
