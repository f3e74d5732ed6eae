//! What is open and scored, from one process to another: a prompt runs commands itself, its cells run elsewhere, and both
//! are to see the same.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use clap::Args;
use serde_json::{Value, json};

use super::current::{Changes, Opened, Scored};
use super::{Answer, Current, Session};
use crate::dataset::{Dataset, OpenOptions};
use crate::paraphrase::ParaphraseSet;
use crate::scores::ScoreTable;
use crate::{Error, Result};

const STATE: &str = "state.json";
const SCORES: &str = "scores.parquet";
const PROCESS: &str = "process";
/// There while what was kept is opened again.
const TRYING: &str = "trying";

/// Write what changed since it was last handed over or taken over to a folder
#[derive(Debug, Args)]
pub(super) struct HandOver {
    folder: PathBuf,
}

/// Take over what another process wrote to a folder
#[derive(Debug, Args)]
pub(super) struct TakeOver {
    folder: PathBuf,
}

impl HandOver {
    pub(super) fn run(&self, session: &Session) -> Result<Answer> {
        session.current.hand_over(&self.folder)?;
        Ok(Answer::default())
    }
}

impl TakeOver {
    pub(super) fn run(&self, session: &Session) -> Result<Answer> {
        session.current.take_over(&self.folder)?;
        Ok(Answer::default())
    }
}

impl Current {
    /// Writes to a folder what changed since it was last handed over or taken over, and which process this is. Whether
    /// there was anything to write.
    ///
    /// # Errors
    /// The folder cannot be written to.
    pub fn hand_over(&self, folder: &Path) -> Result<bool> {
        let (opened, scored) = self.hand();
        write(&folder.join(PROCESS), &std::process::id().to_string())?;
        if !opened && !scored {
            return Ok(false);
        }
        let scores = self.scored().filter(|_| scored);
        if let Some(Scored { table, .. }) = &scores {
            table.write(folder.join(SCORES))?;
        }
        write(&folder.join(STATE), &self.state_of(scores.as_ref()).to_string())?;
        Ok(true)
    }

    fn state_of(&self, scores: Option<&Scored>) -> Value {
        let open = self.opened().map(|opened| {
            json!({
                "spec": opened.spec, "rate": opened.options.rate_hz, "root": opened.options.root,
                "camera": opened.options.camera, "paraphrases": opened.paraphrase_file,
            })
        });
        let names: Vec<(PathBuf, String)> =
            self.names().pairs().map(|(place, name)| (place.to_owned(), name.to_owned())).collect();
        json!({
            "open": open, "trajectory": self.trajectory(), "models": self.models(), "names": names,
            "scores": scores.map(|scored| &scored.from), "rows": scores.map(|scored| scored.table.len()),
            "read": scores.map(|scored| scored.read), "read_last": self.read_last(),
        })
    }

    /// Takes over what another process wrote to a folder, and empties the folder. Which process it was.
    ///
    /// # Errors
    /// The folder holds something else, or what is named there cannot be opened any more.
    pub fn take_over(&self, folder: &Path) -> Result<Option<u32>> {
        let process = fs::read_to_string(folder.join(PROCESS)).ok().and_then(|text| text.trim().parse().ok());
        if self.read_state(folder)? {
            self.handed();
            for name in [STATE, SCORES] {
                // What is left there is written over by the next.
                let _ = fs::remove_file(folder.join(name));
            }
        }
        Ok(process)
    }

    /// Takes over what is written in a folder. Whether anything is.
    fn read_state(&self, folder: &Path) -> Result<bool> {
        let file = folder.join(STATE);
        if !file.exists() {
            return Ok(false);
        }
        let read = fs::read_to_string(&file).map_err(|error| Error::io(file.display(), &error))?;
        let state: Value =
            serde_json::from_str(&read).map_err(|error| Error::input(format!("{}: {error}", file.display())))?;
        if let Ok(names) = serde_json::from_value::<Vec<(PathBuf, String)>>(state["names"].clone()) {
            self.set_names(names.into_iter().collect());
        }
        // Before what is open is opened: the names of datasets go by the scores.
        if let Some(from) = state["scores"].as_str() {
            let table = ScoreTable::read(folder.join(SCORES))?;
            let read = state["read"].as_u64().and_then(|rows| usize::try_from(rows).ok());
            self.set_scored(Scored { table, from: from.to_owned(), read });
        }
        let open = &state["open"];
        if let Some(spec) = open["spec"].as_str() {
            let path = |name: &str| open[name].as_str().map(PathBuf::from);
            let options = OpenOptions {
                rate_hz: open["rate"].as_f64(),
                root: path("root"),
                camera: open["camera"].as_str().map(str::to_owned),
            };
            let is_open = |opened: &Opened| {
                opened.spec == spec && opened.options == options && opened.paraphrase_file == path("paraphrases")
            };
            if !self.opened().is_some_and(|opened| is_open(&opened)) {
                let dataset = self.named_to_open(Dataset::open(spec, &options)?, spec);
                let paraphrase_file = path("paraphrases");
                let paraphrases = paraphrase_file.as_ref().map(ParaphraseSet::read).transpose()?;
                self.open(Opened { dataset, paraphrases, spec: spec.to_owned(), options, paraphrase_file });
            }
        }
        if let Some(id) = state["trajectory"].as_str() {
            self.look_at(id);
        }
        let models = state["models"].as_array().into_iter().flatten().filter_map(Value::as_str);
        self.set_models(&models.map(str::to_owned).collect::<Vec<_>>());
        self.set_read_last(state["read_last"] == true);
        Ok(true)
    }
}

/// Keeps what is open and scored in a folder while it changes, so that a process that comes after one that died has it.
pub(crate) struct Keeper {
    folder: PathBuf,
    kept: Mutex<Changes>,
}

impl Keeper {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, kept: Mutex::default() }
    }

    /// Writes down what changed since the last time.
    ///
    /// # Errors
    /// The folder cannot be written to.
    pub(crate) fn keep(&self, current: &Current) -> Result<()> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let changes = current.changes();
        if *kept == changes {
            return Ok(());
        }
        // A process may die at any time: each file is there as a whole or not at all.
        let whole = |name: &str, fill: &dyn Fn(&Path) -> Result<()>| {
            let new = self.folder.join(format!("new-{name}"));
            fill(&new)?;
            let file = self.folder.join(name);
            fs::rename(&new, &file).map_err(|error| Error::io(format!("cannot write {}", file.display()), &error))
        };
        let scores = current.scored();
        if let Some(Scored { table, .. }) = scores.as_ref().filter(|_| kept.scored != changes.scored) {
            whole(SCORES, &|file| table.write(file))?;
        }
        let state = current.state_of(scores.as_ref()).to_string();
        whole(STATE, &|file| write(file, &state))?;
        *kept = changes;
        Ok(())
    }

    /// Takes over what the process before this one kept.
    ///
    /// # Errors
    /// What is named there cannot be opened any more; opening it ended a process before.
    pub(crate) fn restore(&self, current: &Current) -> Result<()> {
        let trying = self.folder.join(TRYING);
        if trying.exists() {
            let _ = fs::remove_file(self.folder.join(STATE));
            let _ = fs::remove_file(trying);
            return Err(Error::input("the process that opened it again died"));
        }
        write(&trying, "")?;
        let done = current.read_state(&self.folder);
        let _ = fs::remove_file(trying);
        current.handed();
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = current.changes();
        done.map(drop)
    }
}

fn write(file: &Path, text: &str) -> Result<()> {
    fs::write(file, text).map_err(|error| Error::io(format!("cannot write {}", file.display()), &error))
}
