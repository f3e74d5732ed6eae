//! `why`: all that is known of one trajectory's verdicts.

use std::path::Path;

use clap::Args;
use serde_json::{Value, json};

use super::figures::Figures;
use super::{Answer, Block, Session, cases, current, figures, wording};
use crate::chart::{ScorePoint, TrajectoryScores};
use crate::dataset::{Dataset, OpenOptions, Trajectory};
use crate::display::{Cell, Column, Table, number, text};
use crate::frames::{Sampling, SheetOptions, contact_sheet};
use crate::robustness::DEFAULT_BOUNDARY;
use crate::scores::ScoreTable;
use crate::{Error, Result};

/// Columns of a reply that are shown; `--json` has all of it.
const REPLY: usize = 160;

/// Why one trajectory flips: its paraphrases in order of score, the words that differ marked, frames, label, replies
#[derive(Debug, Args)]
pub(super) struct Why {
    /// SCORES#ID: a score table and a trajectory in it
    case: Option<String>,

    /// Dataset that the frames are shown from [default: what is open, or the demo where the table says so]
    #[arg(long = "dataset", value_name = "DATASET")]
    frames_of: Option<String>,

    /// Paraphrases of these strategies only; the original instruction is always there to be held against
    #[arg(long, value_name = "S", value_delimiter = ',')]
    strategy: Vec<String>,

    /// These models only
    #[arg(long = "model", value_name = "NAME")]
    models: Vec<String>,

    /// Success is a score above this
    #[arg(long, value_name = "B", default_value_t = DEFAULT_BOUNDARY)]
    boundary: f64,
}

impl Why {
    pub(super) fn run(&self, session: &Session) -> Result<Answer> {
        cases::check_boundary(self.boundary)?;
        let (Figures { scores, note, others }, wanted) = self.scores(session)?;
        let mut all = cases::of(&scores, self.boundary)?;
        cases::check_models(&all, &self.models)?;
        cases::keep_strategies(&mut all, &self.strategy)?;
        let id = cases::find(&all, &wanted, session)?;
        session.current.look_at(&id);
        let mut these: Vec<&TrajectoryScores> = all.iter().filter(|case| case.trajectory == id).collect();
        these.retain(|case| self.models.is_empty() || self.models.contains(&case.model));
        // That of the open dataset first; others may have the same id.
        let open = session.current.dataset().map(|dataset| dataset.name().to_owned()).unwrap_or_default();
        these.sort_by_key(|case| case.dataset != open);
        let Some(first) = these.first() else {
            return Err(Error::usage(format!("{} has no scores of {id}", self.models.join(", "))));
        };
        let replies = cases::replies(&scores, &id)?;
        let mut names: Vec<&str> = these.iter().map(|case| case.dataset.as_str()).collect();
        names.dedup();
        let mut seen = std::collections::HashSet::new();
        names.retain(|name| seen.insert(*name));

        let (mut answer, mut rows, mut trajectories) = (Answer::default(), Vec::new(), Vec::new());
        for name in &names {
            let of_it: Vec<&TrajectoryScores> = these.iter().copied().filter(|case| case.dataset == *name).collect();
            let Some(first) = of_it.first() else { continue };
            let label = first.label.map_or_else(|| "not known".to_owned(), |label| format!("{label} of 5"));
            match self.picture(&id, cases::known(name), session) {
                Ok(Some(picture)) => answer = answer.show(picture),
                Ok(None) => {}
                Err(error) => answer = answer.note(format!("note: no frames: {error}")),
            }
            let whose = match (names.len(), *name) {
                (1, _) => id.clone(),
                (_, "") => format!("{id} (dataset not known)"),
                (_, name) => format!("{name}#{id}"),
            };
            answer = answer.say(format!("{whose}: \"{}\", true progress {label}", first.task));
            trajectories.push(json!({
                "dataset": cases::known(name), "task": first.task, "label": first.label.map(|label| label.get()),
            }));
            for case in of_it {
                let parsed: Vec<f64> = case.points.iter().filter_map(|point| point.score).collect();
                answer = answer
                    .say(format!("by {}:", cases::model_name(case, &all)))
                    .show(Block::Strip { scores: parsed, boundary: self.boundary })
                    .show(Block::Table(table(case, &replies, &mut rows)));
            }
        }
        answer.json = json!({
            "trajectory": id, "task": first.task, "label": first.label.map(|label| label.get()),
            "boundary": self.boundary, "wordings": rows,
        });
        // Where no other has this trajectory, there is nothing to mistake.
        if let Some(others) = others
            && cases::of(&others, self.boundary)?.iter().any(|case| case.trajectory == id)
        {
            answer = note.into_iter().fold(answer, Answer::note);
        }
        if let (true, Some(object)) = (names.len() > 1, answer.json.as_object_mut()) {
            let told = format!("note: {} datasets have a trajectory {id}; each stands by itself", names.len());
            object.insert("datasets".to_owned(), trajectories.into());
            answer = answer.note(told);
        }
        Ok(answer)
    }

    /// The table, and the id as it was typed.
    fn scores(&self, session: &Session) -> Result<(Figures, String)> {
        let word = match &self.case {
            Some(word) => word.clone(),
            None => session.current.trajectory().ok_or_else(|| {
                Error::usage("no trajectory is named").with_help("`:flips` lists those that flip; then `:why ID`")
            })?,
        };
        let (place, id) = Dataset::split_spec(&word);
        match (id, session.current.scores()) {
            (Some(id), _) if Path::new(place).is_file() => Ok((Figures::of(ScoreTable::read(place)?), id.to_owned())),
            (None, _) if Path::new(place).is_file() => Err(Error::usage(format!("{place} holds many trajectories"))
                .with_help(format!("name one: {place}#ID; `roborm flips {place}` lists those that flip"))),
            (Some(id), Some(_)) => Ok((figures::of_dataset(place, session)?, id.to_owned())),
            (None, Some(_)) => Ok((figures::of_session(session)?, place.to_owned())),
            (Some(_), None) => Err(Error::usage(format!("there is no score table {place}"))
                .with_help("score first: `roborm score DATASET --model NAME --out scores.parquet`")),
            (None, None) => Err(current::no_scores()),
        }
    }

    fn picture(&self, id: &str, dataset: Option<&str>, session: &Session) -> Result<Option<Block>> {
        let Some(trajectory) = self.trajectory(id, dataset, session)? else { return Ok(None) };
        let frames = session.sampler.sample(&trajectory, &Sampling::default())?;
        let options = SheetOptions { max_frames: 8, columns: Some(4), dark: true, ..SheetOptions::default() };
        let image = contact_sheet(&frames.down_sample(options.max_frames), &options)?;
        Ok(Some(Block::Picture { image, what: format!("frames of {id}") }))
    }

    fn trajectory(&self, id: &str, dataset: Option<&str>, session: &Session) -> Result<Option<Trajectory>> {
        if let Some(spec) = &self.frames_of {
            return Ok(Some(Dataset::open(spec, &OpenOptions::default())?.get(id)?.clone()));
        }
        cases::trajectory_of(id, dataset, session)
    }
}

fn table(case: &TrajectoryScores, replies: &cases::Replies, rows: &mut Vec<Value>) -> Table {
    let mut points: Vec<&ScorePoint> = case.points.iter().collect();
    let key = |point: &ScorePoint| point.score.unwrap_or(f64::INFINITY);
    points.sort_by(|a, b| key(a).total_cmp(&key(b)).then_with(|| a.strategy.cmp(&b.strategy)));
    let mut columns =
        vec![Column::text(""), Column::number("score"), Column::text("strategy"), Column::text("instruction")];
    if !replies.is_empty() {
        columns.push(Column::text("what the model said"));
    }
    let mut table = Table::new(columns);
    for point in points {
        let reply = replies.get(&cases::reply_key(case, point));
        table.row([
            Cell::sign(cases::sign(case, point)),
            Cell::from(point.score.map(|score| Cell::number(number::score(score)))),
            Cell::text(point.strategy.as_str()),
            Cell::text(wording::marked(&point.instruction, &case.task)),
            Cell::from(reply.map(|reply| {
                let line: Vec<&str> = reply.split_whitespace().collect();
                Cell::text(text::shorten(&line.join(" "), REPLY, "..."))
            })),
        ]);
        rows.push(json!({
            "model": case.model, "config": cases::known(&case.config), "dataset": cases::known(&case.dataset),
            "strategy": point.strategy.as_str(), "instruction": point.instruction,
            "score": point.score, "success": point.score.map(|score| case.success(score)),
            "flips": case.flips(point), "reply": reply,
        }));
    }
    table.note(&cases::verdict(case));
    table.note(wording::LEGEND);
    table
}
