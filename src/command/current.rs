//! What is open in a front that lasts: a dataset, a trajectory of it, a model, scores.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use polars::prelude::*;

use super::figures;
use super::names::Names;
use crate::dataset::{Dataset, OpenOptions};
use crate::paraphrase::ParaphraseSet;
use crate::scores::{ScoreTable, column};
use crate::{Error, Result};

/// What commands take where they are not told: the dataset that was opened, the trajectory looked at last, the models
/// asked last, the scores made or read so far. Empty in a program that runs one command. Clones share it.
#[derive(Clone, Default)]
pub struct Current(Arc<Mutex<State>>);

#[derive(Clone, Default)]
struct State {
    dataset: Option<Opened>,
    place: Option<usize>,
    models: Vec<String>,
    scores: Option<Scored>,
    /// The scores were read or kept after the dataset was opened: it is they that are looked at.
    read_last: bool,
    /// What the datasets are called in score tables, by where they lie.
    names: Names,
    changes: Changes,
    /// What was handed to another process, or taken from one: both have it.
    handed: Changes,
}

/// The scores at hand.
#[derive(Clone)]
pub(super) struct Scored {
    pub table: ScoreTable,
    /// Where they come from, in words.
    pub from: String,
    /// How many were read from there; `None` where all were made here.
    pub read: Option<usize>,
}

/// How often something was changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    /// What is open, looked at, asked.
    pub opened: u64,
    /// The scores.
    pub scored: u64,
}

/// A dataset, as it was opened.
#[derive(Clone)]
pub(super) struct Opened {
    pub dataset: Dataset,
    pub paraphrases: Option<ParaphraseSet>,
    /// As it was typed.
    pub spec: String,
    pub options: OpenOptions,
    /// The file of the paraphrases.
    pub paraphrase_file: Option<PathBuf>,
}

impl Current {
    /// The open dataset.
    pub fn dataset(&self) -> Option<Dataset> {
        self.state().dataset.as_ref().map(|opened| opened.dataset.clone())
    }

    /// What the open dataset was opened by.
    pub(crate) fn spec(&self) -> Option<String> {
        self.state().dataset.as_ref().map(|opened| opened.spec.clone())
    }

    /// The id of the trajectory that was looked at last.
    pub fn trajectory(&self) -> Option<String> {
        let state = self.state();
        let all = state.dataset.as_ref()?.dataset.trajectories();
        Some(all.get(state.place?)?.id.clone())
    }

    /// The scores made by `score` and `spot`, or read by `scores`, so far.
    pub fn scores(&self) -> Option<ScoreTable> {
        self.state().scores.as_ref().map(|scored| scored.table.clone())
    }

    /// The same state, shared with nobody: what a command changes in it is seen when it is [adopted](Self::adopt).
    pub(super) fn fork(&self) -> Self {
        Self(Arc::new(Mutex::new(self.state().clone())))
    }

    /// Takes over the state of a fork.
    pub(super) fn adopt(&self, fork: &Self) {
        let state = fork.state().clone();
        *self.state() = state;
    }

    pub(super) fn opened(&self) -> Option<Opened> {
        self.state().dataset.clone()
    }

    pub(super) fn open(&self, opened: Opened) {
        let mut state = self.state();
        state.dataset = Some(opened);
        state.read_last = false;
        state.place = None;
        state.changes.opened += 1;
    }

    /// Makes a dataset the open one; `spec` is what it would be typed as.
    pub(crate) fn set_dataset(&self, dataset: Dataset, spec: &str) -> Dataset {
        let dataset = self.named_to_open(dataset, spec);
        self.open(Opened {
            dataset: dataset.clone(),
            paraphrases: None,
            spec: spec.to_owned(),
            options: OpenOptions::default(),
            paraphrase_file: None,
        });
        dataset
    }

    /// The dataset that `spec` was opened as, under a name that no other dataset of this session has: rows of two must
    /// never be taken for those of one.
    pub(super) fn named(&self, dataset: Dataset, spec: &str) -> Dataset {
        let open = self.dataset().map(|open| open.name().to_owned());
        self.named_beside(open, dataset, spec)
    }

    /// The same for what takes the place of the open dataset.
    pub(super) fn named_to_open(&self, dataset: Dataset, spec: &str) -> Dataset {
        self.named_beside(None, dataset, spec)
    }

    fn named_beside(&self, open: Option<String>, dataset: Dataset, spec: &str) -> Dataset {
        let mut state = self.state();
        let scored = state.scores.as_ref().map(|scored| figures::datasets(&scored.table)).unwrap_or_default();
        let in_use = |name: &str| open.as_deref() == Some(name) || scored.iter().any(|other| other == name);
        let name = state.names.of(spec, dataset.name(), in_use);
        drop(state);
        if name == dataset.name() { dataset } else { dataset.renamed(&name) }
    }

    pub(super) fn names(&self) -> Names {
        self.state().names.clone()
    }

    pub(super) fn set_names(&self, names: Names) {
        self.state().names = names;
    }

    /// Whether scores were read or kept after the dataset was opened.
    pub(super) fn read_last(&self) -> bool {
        self.state().read_last
    }

    pub(super) fn set_read_last(&self, read_last: bool) {
        self.state().read_last = read_last;
    }

    /// Makes this trajectory the one that is looked at, where it is one of the open dataset.
    pub(super) fn look_at(&self, id: &str) {
        let mut state = self.state();
        let place = state.dataset.as_ref().and_then(|opened| opened.dataset.iter().position(|it| it.id == id));
        state.place = place.or(state.place);
        state.changes.opened += 1;
    }

    /// The id of the trajectory after the one looked at last; the first at first.
    pub(super) fn next(&self) -> Result<String> {
        let mut state = self.state();
        let Some(opened) = &state.dataset else { return Err(no_dataset()) };
        let next = state.place.map_or(0, |place| place + 1);
        let Some(trajectory) = opened.dataset.trajectories().get(next) else {
            return Err(Error::usage(format!("{} has no trajectory after this one", opened.dataset.name()))
                .with_help("`:open` it again to start over, or name one by its id"));
        };
        let id = trajectory.id.clone();
        state.place = Some(next);
        state.changes.opened += 1;
        Ok(id)
    }

    /// The models asked last.
    pub(super) fn models(&self) -> Vec<String> {
        self.state().models.clone()
    }

    pub(super) fn set_models(&self, models: &[String]) {
        let mut state = self.state();
        state.models = models.to_vec();
        state.changes.opened += 1;
    }

    /// The scores, and where they come from.
    pub(super) fn scored(&self) -> Option<Scored> {
        self.state().scores.clone()
    }

    /// Puts the scores of a file in the place of those so far.
    pub fn set_scores(&self, scores: ScoreTable, from: String) {
        let read = Some(scores.len());
        self.set_scored(Scored { table: scores, from, read });
    }

    pub(super) fn set_scored(&self, scored: Scored) {
        let mut state = self.state();
        state.read_last = scored.read.is_some();
        state.scores = Some(scored);
        state.changes.scored += 1;
    }

    /// Adds scores to those so far; of rows with one key the new one stands.
    pub(super) fn add_scores(&self, scores: &ScoreTable) -> Result<()> {
        if scores.is_empty() {
            return Ok(());
        }
        let mut state = self.state();
        let merged = match &state.scores {
            None => Scored { table: scores.clone(), from: "the scores of this session".to_owned(), read: None },
            Some(before) => Scored { table: newest(&before.table, scores)?, ..before.clone() },
        };
        state.scores = Some(merged);
        state.changes.scored += 1;
        Ok(())
    }

    /// What there is that another process has not: (what is open, the scores). It is taken to have it from now on.
    pub(super) fn hand(&self) -> (bool, bool) {
        let mut state = self.state();
        let news = (state.changes.opened != state.handed.opened, state.changes.scored != state.handed.scored);
        state.handed = state.changes;
        news
    }

    /// How often what was changed.
    pub(super) fn changes(&self) -> Changes {
        self.state().changes
    }

    /// The other process has what this one has.
    pub(super) fn handed(&self) {
        let mut state = self.state();
        state.handed = state.changes;
    }

    /// The other process is gone: a new one has nothing.
    pub fn forget_handed(&self) {
        self.state().handed = Changes::default();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change is one assignment: a thread that died in between leaves nothing half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The rows of both; where a key stands in both, that of `after`.
fn newest(before: &ScoreTable, after: &ScoreTable) -> Result<ScoreTable> {
    let here = |name: &&&str| before.frame().column(name).is_ok() && after.frame().column(name).is_ok();
    let keys: Vec<Expr> = column::KEY.iter().filter(here).map(|name| col(*name)).collect();
    let args = JoinArgs { nulls_equal: true, ..JoinArgs::new(JoinType::Anti) };
    let kept = before.lazy().join(after.lazy(), keys.clone(), keys, args).collect()?;
    ScoreTable::concat(&[ScoreTable::from_frame_unique(kept)?, after.clone()])
}

pub(super) fn no_dataset() -> Error {
    Error::usage("no dataset is open").with_help("open one first: `:open demo`, or name it in the command")
}

pub(super) fn no_scores() -> Error {
    Error::usage("there are no scores yet").with_help(
        "score first (`:score demo --model simulated`), read a table (`:scores scores.parquet`), or name one in the command",
    )
}
