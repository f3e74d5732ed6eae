//! What only makes sense where something lasts: at a prompt, in a script, in a notebook.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use polars::prelude::col;
use serde_json::json;

use super::current::Opened;
use super::options::Opening;
use super::{Answer, Session, current, handover};
use crate::display::number;
use crate::paraphrase::ParaphraseSet;
use crate::scores::{ScoreTable, column};
use crate::{Error, Result};

#[derive(Debug, Subcommand)]
pub(super) enum Lasting {
    Open(Open),
    Next(Next),
    Scores(Scores),
    #[command(hide = true)]
    HandOver(handover::HandOver),
    #[command(hide = true)]
    TakeOver(handover::TakeOver),
}

/// Make a dataset the current one: the next commands need no more than the id of a trajectory
#[derive(Debug, Args)]
pub(super) struct Open {
    /// RoboReward split, LeRobot dataset, manifest, folder of frames, or demo
    dataset: String,

    /// Paraphrase file (.jsonl, .csv, .parquet) that the next commands take
    #[arg(long, value_name = "FILE")]
    paraphrases: Option<PathBuf>,

    #[command(flatten)]
    opening: Opening,
}

/// Go on to the next trajectory of the open dataset
#[derive(Debug, Args)]
pub(super) struct Next {}

/// Read a score table for the next commands; without a file, tell which scores there are
#[derive(Debug, Args)]
pub(super) struct Scores {
    /// Score table (.parquet, .csv, .jsonl)
    file: Option<PathBuf>,
}

impl Lasting {
    pub(super) fn run(&self, session: &Session) -> Result<Answer> {
        match self {
            Self::Open(command) => command.run(session),
            Self::Next(_) => next(session),
            Self::Scores(command) => command.run(session),
            Self::HandOver(command) => command.run(session),
            Self::TakeOver(command) => command.run(session),
        }
    }
}

impl Open {
    fn run(&self, session: &Session) -> Result<Answer> {
        let dataset = crate::dataset::Dataset::open(&self.dataset, &self.opening.options())?;
        if dataset.is_empty() {
            return Err(Error::input(format!("{} has no trajectories", self.dataset)));
        }
        let paraphrases = self.paraphrases.as_ref().map(ParaphraseSet::read).transpose()?;
        let mut answer = Answer::new(json!({ "dataset": dataset.name(), "trajectories": dataset.len() })).say(format!(
            "{} is open: {}, the first is {}",
            dataset.name(),
            number::things(dataset.len(), "trajectory", "trajectories"),
            dataset.trajectories().first().map_or("", |first| first.id.as_str()),
        ));
        answer.notes = dataset.notes().iter().map(|note| format!("note: {note}")).collect();
        session.current.open(Opened {
            dataset,
            paraphrases,
            spec: self.dataset.clone(),
            options: self.opening.options(),
            paraphrase_file: self.paraphrases.clone(),
        });
        Ok(answer)
    }
}

fn next(session: &Session) -> Result<Answer> {
    let id = session.current.next()?;
    let dataset = session.current.dataset().ok_or_else(current::no_dataset)?;
    let trajectory = dataset.get(&id)?;
    let label = trajectory.label.map_or_else(|| "not known".to_owned(), |label| format!("{label} of 5"));
    Ok(Answer::new(json!({
        "trajectory": id, "task": trajectory.task, "label": trajectory.label.map(|label| label.get()),
    }))
    .say(format!("{id}: \"{}\", true progress {label}", trajectory.task)))
}

impl Scores {
    fn run(&self, session: &Session) -> Result<Answer> {
        if let Some(file) = &self.file {
            session.current.set_scores(ScoreTable::read(file)?, file.display().to_string());
        }
        let (table, from) = session.current.scores_of().ok_or_else(current::no_scores)?;
        let models = table.frame().column(column::MODEL)?.n_unique()?;
        // Datasets may have the same ids.
        let of = [column::DATASET, column::TRAJECTORY].into_iter().filter(|name| table.frame().column(name).is_ok());
        let trajectories = table
            .lazy()
            .group_by(of.map(col).collect::<Vec<_>>())
            .agg([col(column::MODEL).count()])
            .collect()?
            .height();
        Ok(Answer::new(json!({
            "from": from, "rows": table.len(), "trajectories": trajectories, "models": models,
            "unparsed": table.unparsed(),
        }))
        .say(format!(
            "{from}: {} scores of {trajectories} trajectories by {models} models, {} unparsed",
            number::count(table.len() as u64),
            number::count(table.unparsed() as u64)
        )))
    }
}
