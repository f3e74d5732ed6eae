//! What is open: the state that commands and Rust share.

use std::path::PathBuf;
use std::sync::OnceLock;

use crate::command::{Current, Keeper, Session};
use crate::dataset::{Dataset, OpenOptions, Trajectory};
use crate::scores::ScoreTable;
use crate::{Error, Result};

/// The one session of this process.
pub(super) fn session() -> &'static Session {
    static SESSION: OnceLock<Session> = OnceLock::new();
    SESSION.get_or_init(Session::default)
}

static KEEPER: OnceLock<Keeper> = OnceLock::new();

/// From now on what is open and scored is kept in this folder; what the process before this one kept is taken over.
///
/// # Errors
/// That cannot be opened any more.
pub(super) fn keep_in(folder: PathBuf) -> Result<()> {
    KEEPER.get_or_init(|| Keeper::new(folder)).restore(current())
}

/// Keeps what changed.
pub(super) fn save() {
    if let Some(keeper) = KEEPER.get() {
        // Where that cannot be done, it is lost with this process: no reason to disturb a cell that works.
        let _ = keeper.keep(current());
    }
}

pub(super) fn current() -> &'static Current {
    &session().current
}

/// The open dataset: what `:open` opened, or [`open`].
///
/// # Errors
/// None is open.
pub fn data() -> Result<Dataset> {
    current().dataset().ok_or_else(|| {
        Error::usage("no dataset is open").with_help("open one first: `:open demo`, or `open(\"demo\")?`")
    })
}

/// The trajectory that was looked at last, by `:next`, `:spot`, `:frames` and the like.
///
/// # Errors
/// No dataset is open, or no trajectory of it was looked at.
pub fn trajectory() -> Result<Trajectory> {
    let data = data()?;
    let id = current().trajectory().ok_or_else(|| {
        Error::usage("no trajectory was looked at yet")
            .with_help("`:next` goes to the first; `data()?.get(ID)?` takes any")
    })?;
    data.get(&id).cloned()
}

/// The scores made so far (`:score`, `:spot`), read (`:scores FILE`), or kept ([`keep`]).
///
/// # Errors
/// There are none.
pub fn scores() -> Result<ScoreTable> {
    current().scores().ok_or_else(|| {
        Error::usage("there are no scores yet").with_help(
            "score first (`:score demo --model simulated`), read a table (`:scores scores.parquet`), or `keep(&table)`",
        )
    })
}

/// Opens a dataset for this cell and for the commands after it, as `:open` does.
///
/// # Errors
/// As [`Dataset::open`].
pub fn open(dataset: &str) -> Result<Dataset> {
    let opened = Dataset::open(dataset, &OpenOptions::default())?;
    let opened = current().set_dataset(opened, dataset);
    save();
    Ok(opened)
}

/// Puts these scores in the place of those so far, for [`scores`] and for commands that take scores.
pub fn keep(scores: &ScoreTable) {
    current().set_scores(scores.clone(), "the scores kept by a cell".to_owned());
    save();
}
