//! What only makes sense where something lasts: at a prompt, in a script, in a notebook.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::json;

use super::current::{Opened, Scored};
use super::options::Opening;
use super::{Answer, Session, current, figures, handover, report};
use crate::dataset::Dataset;
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
        let (spec, id) = Dataset::split_spec(&self.dataset);
        let dataset = session.current.named_to_open(Dataset::open(spec, &self.opening.options())?, spec);
        if dataset.is_empty() {
            return Err(Error::input(format!("{spec} has no trajectories")));
        }
        let id = id.map(|id| dataset.get(id).map(|found| found.id.clone())).transpose()?;
        let paraphrases = self.paraphrases.as_ref().map(ParaphraseSet::read).transpose()?;
        let mut answer = Answer::new(json!({ "dataset": dataset.name(), "trajectories": dataset.len() })).say(format!(
            "{} is open: {}, {}",
            dataset.name(),
            number::things(dataset.len(), "trajectory", "trajectories"),
            match &id {
                Some(id) => format!("this is {id}"),
                None =>
                    format!("the first is {}", dataset.trajectories().first().map_or("", |first| first.id.as_str())),
            },
        ));
        answer.notes = dataset.notes().iter().map(|note| format!("note: {note}")).collect();
        session.current.open(Opened {
            dataset,
            paraphrases,
            spec: spec.to_owned(),
            options: self.opening.options(),
            paraphrase_file: self.paraphrases.clone(),
        });
        if let Some(id) = id {
            session.current.look_at(&id);
        }
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
        let Scored { table, from, read } = session.current.scored().ok_or_else(current::no_scores)?;
        // What was added since is not in the file.
        let more = read.map_or(0, |read| table.len().saturating_sub(read));
        let whence = match (read, more) {
            (Some(read), 1..) => {
                format!("{from} ({}) and {} more", number::count(read as u64), number::count(more as u64))
            }
            _ => from.clone(),
        };
        let models = table.frame().column(column::MODEL)?.n_unique()?;
        let (trajectories, datasets) = (report::trajectories(&table)?, figures::datasets(&table));
        Ok(Answer::new(json!({
            "from": from, "rows": table.len(), "added": more, "trajectories": trajectories, "models": models,
            "datasets": datasets, "unparsed": table.unparsed(),
        }))
        .say(format!(
            "{whence}: {} of {}{} by {}, {} unparsed",
            number::things(table.len(), "score", "scores"),
            number::things(trajectories, "trajectory", "trajectories"),
            match datasets.len() {
                0 | 1 => String::new(),
                _ => format!(" (of {})", datasets.iter().map(String::as_str).collect::<Vec<_>>().join(", ")),
            },
            number::things(models, "model", "models"),
            number::count(table.unparsed() as u64)
        )))
    }
}
