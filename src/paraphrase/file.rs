//! The paraphrase file, in and out.

use std::path::Path;

use polars::prelude::{Column, DataFrame};

use super::{Key, Paraphrase, ParaphraseSet, Strategy};
use crate::dataset::rows::{Row, Rows, write};
use crate::{Error, Result};

/// In the order in which they are written.
const COLUMNS: [&str; 8] = ["task", "trajectory", "strategy", "instruction", "id", "seed", "verified", "votes"];

impl ParaphraseSet {
    /// Reads a paraphrase file: `.jsonl`, `.csv` or `.parquet`.
    ///
    /// # Errors
    /// A file that cannot be read or is of another format; a missing column, with those present; with its line: both or
    /// neither of task and trajectory, and what [`ParaphraseSet::new`] refuses.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let rows = Rows::read(path, &COLUMNS)?;
        rows.require(&["strategy", "instruction"])?;
        if !rows.has("trajectory") {
            rows.require(&["task"])?;
        }
        let paraphrases = rows.iter().map(paraphrase).collect::<Result<_>>()?;
        Self::build(paraphrases, |index| rows.line(index).to_string()).map_err(|error| error.at(path.display()))
    }

    /// Writes a paraphrase file in the format that the extension of `path` names; an old file stays as it was until the
    /// new one is whole.
    ///
    /// # Errors
    /// Another extension (wrong usage), or a folder or disk that does not take the file.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<()> {
        write(&mut self.to_frame()?, path.as_ref())
    }

    /// A table of a row a paraphrase, with the columns of the file: `task`, `trajectory`, `strategy`, `instruction`,
    /// `id`, `seed` (str), `verified` (bool), `votes` (i64); null where not known.
    ///
    /// # Errors
    /// None that is known: polars takes these columns.
    pub fn to_frame(&self) -> Result<DataFrame> {
        let text = |name: &str, get: fn(&Paraphrase) -> Option<&str>| {
            Column::new(name.into(), self.iter().map(get).collect::<Vec<_>>())
        };
        let columns = vec![
            text("task", |it| match &it.key {
                Key::Task(task) => Some(task),
                Key::Trajectory(_) => None,
            }),
            text("trajectory", |it| match &it.key {
                Key::Task(_) => None,
                Key::Trajectory(id) => Some(id),
            }),
            text("strategy", |it| Some(it.strategy.as_str())),
            text("instruction", |it| Some(&it.instruction)),
            text("id", |it| it.id.as_deref()),
            text("seed", |it| it.seed.as_deref()),
            Column::new("verified".into(), self.iter().map(|it| it.verified).collect::<Vec<_>>()),
            Column::new("votes".into(), self.iter().map(|it| it.votes).collect::<Vec<_>>()),
        ];
        Ok(DataFrame::new(self.len(), columns)?)
    }
}

fn paraphrase(row: Row<'_>) -> Result<Paraphrase> {
    let one = |what: &str| {
        row.at(Error::input(what))
            .with_help("a row names either the task that it rewords or the trajectory that it is for")
    };
    let key = match (row.text("task")?, row.name("trajectory")?) {
        (Some(_), Some(_)) => return Err(one("both task and trajectory")),
        (None, None) => return Err(one("neither task nor trajectory")),
        (Some(task), None) => Key::Task(task.to_owned()),
        (None, Some(id)) => Key::Trajectory(id),
    };
    Ok(Paraphrase {
        key,
        strategy: Strategy::from(row.words("strategy")?),
        instruction: row.words("instruction")?.to_owned(),
        id: row.name("id")?,
        seed: row.name("seed")?,
        verified: row.flag("verified")?,
        votes: row.whole("votes")?,
    })
}
