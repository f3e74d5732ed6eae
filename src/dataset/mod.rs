//! Trajectories and where they come from.
//!
//! [`Dataset::open`] takes a path, or the word `demo`, and finds out by itself what lies there:
//!
//! * a **RoboReward split**: a folder with `metadata.jsonl`, or that file (`file_name`, `task`, `reward` 1 to 5);
//! * a **LeRobot dataset**, v2.0, v2.1 or v3.0: a folder with `meta/info.json`;
//! * a **manifest** of your own: `.jsonl`, `.csv` or `.parquet` with `trajectory`, `video` or `frames`, `task`, `label`;
//! * a **folder of frames**, PNG or JPEG: one trajectory, at a rate that you tell;
//! * **`demo`**: the rollouts built into the crate.
//!
//! ```no_run
//! use roborm::prelude::*;
//! # fn main() -> roborm::Result<()> {
//! let dataset = Dataset::open("RoboReward/test", &OpenOptions::default())?;
//! for trajectory in &dataset {
//!     println!("{} should {}", trajectory.id, trajectory.task);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Opening reads metadata only. A video that is not on the disk is no error here: its trajectory fails when its frames
//! are asked for, and the work on the others is kept. A path that leaves the dataset's folder is refused, unless it
//! lies in [`OpenOptions::root`]. A folder of one's own that is called demo is `./demo`.
//!
//! # Manifests
//!
//! | column | type | |
//! | --- | --- | --- |
//! | `trajectory` | str (or a whole number) | the id |
//! | `video` | str | a video file; in each row either this |
//! | `frames` | str | or a folder of PNG or JPEG files |
//! | `task` | str | the original instruction |
//! | `label` | 1 to 5 | true progress; null where unknown |
//! | `rate_hz` | f64 | frames a second of `frames`; without it, [`OpenOptions::rate_hz`] |
//! | `from_s`, `to_s` | f64, seconds | the part of `video` that is the trajectory, `to_s` exclusive; both or neither |
//!
//! Other columns are passed over. `label` may be missing as a whole; a [note](Dataset::notes) says so, for without labels
//! there is no failure rate and no error, only crossing and spread.
//!
//! # LeRobot
//!
//! An episode's id is its index; [`OpenOptions::camera`] tells which camera is taken. An episode of several tasks takes
//! the first, one of none is left out, and notes say of which. The format has no labels: where someone has added a
//! column `label` or `reward` (not both) to the episodes, and every value in it is a whole number from 1 to 5 (in
//! `reward`, not all 1, for that would be a success flag), it is read as the label.

pub mod demo;
mod fence;
mod find;
mod images;
mod label;
mod lerobot;
mod manifest;
mod open;
mod roboreward;
pub(crate) mod rows;
mod trajectory;

use std::collections::HashMap;
use std::sync::Arc;

use polars::prelude::{Column, DataFrame};

pub use find::split_spec;
pub use label::Label;
pub use open::OpenOptions;
pub use trajectory::{Source, Span, Trajectory};

use crate::{Error, Result};

/// A named collection of trajectories with unique ids, in the order of its files. Cheap to clone.
#[derive(Clone)]
pub struct Dataset(Arc<Inner>);

struct Inner {
    name: String,
    trajectories: Vec<Trajectory>,
    /// The place of each id in `trajectories`.
    places: HashMap<String, usize>,
    /// Ids are episode numbers: leading zeros mean nothing, and 7 is never short for 17.
    numbered: bool,
    notes: Vec<String>,
}

impl Dataset {
    /// A dataset of your own making.
    ///
    /// # Errors
    /// Two trajectories of one id.
    pub fn new(name: impl Into<String>, trajectories: Vec<Trajectory>) -> Result<Self> {
        Self::build(name.into(), trajectories, |index| format!("trajectory {}", index + 1))
    }

    /// As [`Dataset::new`]; `place` tells where in its file a trajectory stands.
    fn build(name: String, trajectories: Vec<Trajectory>, place: impl Fn(usize) -> String) -> Result<Self> {
        let mut places = HashMap::with_capacity(trajectories.len());
        for (index, trajectory) in trajectories.iter().enumerate() {
            if let Some(first) = places.insert(trajectory.id.clone(), index) {
                let message = format!(
                    "{name}: trajectory {} stands twice, at {} and {}",
                    trajectory.id,
                    place(first),
                    place(index)
                );
                return Err(Error::input(message).with_help("the id of a trajectory is unique in its dataset"));
            }
        }
        Ok(Self(Arc::new(Inner { name, trajectories, places, numbered: false, notes: Vec::new() })))
    }

    /// The inside, to be finished by a loader before anyone else holds it.
    fn inner(&mut self) -> &mut Inner {
        Arc::get_mut(&mut self.0).expect("a dataset just built is held once")
    }

    fn with_notes(mut self, notes: Vec<String>) -> Self {
        self.inner().notes = notes;
        self
    }

    fn numbered(mut self) -> Self {
        self.inner().numbered = true;
        self
    }

    /// The name that stands in the `dataset` column of score tables: that of the folder (with its parent's for a split
    /// named `train`, `val` or `test`) or of the manifest, without extension; `demo`.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// All trajectories, in the order of the dataset's files.
    pub fn trajectories(&self) -> &[Trajectory] {
        &self.0.trajectories
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.0.trajectories.len()
    }

    /// None at all?
    pub fn is_empty(&self) -> bool {
        self.0.trajectories.is_empty()
    }

    /// One after the other.
    pub fn iter(&self) -> std::slice::Iter<'_, Trajectory> {
        self.0.trajectories.iter()
    }

    /// What was decided or left out at opening, a sentence each: worth a line on stderr, no reason to stop.
    pub fn notes(&self) -> &[String] {
        &self.0.notes
    }

    /// The trajectories for which `keep` is true, under the same name.
    #[must_use]
    pub fn filter(&self, mut keep: impl FnMut(&Trajectory) -> bool) -> Self {
        let trajectories: Vec<_> = self.iter().filter(|trajectory| keep(trajectory)).cloned().collect();
        let places = trajectories.iter().enumerate().map(|(index, it)| (it.id.clone(), index)).collect();
        let Inner { name, numbered, notes, .. } = &*self.0;
        Self(Arc::new(Inner { name: name.clone(), trajectories, places, numbered: *numbered, notes: notes.clone() }))
    }

    /// The same trajectories under another name: of two datasets that would be called the same.
    #[must_use]
    pub fn renamed(&self, name: &str) -> Self {
        let Inner { trajectories, places, numbered, notes, .. } = &*self.0;
        Self(Arc::new(Inner {
            name: name.to_owned(),
            trajectories: trajectories.clone(),
            places: places.clone(),
            numbered: *numbered,
            notes: notes.clone(),
        }))
    }

    /// A table of a row a trajectory: `trajectory` (str), `task` (str), `label` (i64, 1 to 5 or null), `duration_s`
    /// (f64, seconds or null), `source` (str: a path, or `demo:ID`).
    ///
    /// # Errors
    /// None that is known: polars takes these columns.
    pub fn to_frame(&self) -> Result<DataFrame> {
        let columns = vec![
            Column::new("trajectory".into(), self.iter().map(|it| it.id.as_str()).collect::<Vec<_>>()),
            Column::new("task".into(), self.iter().map(|it| it.task.as_str()).collect::<Vec<_>>()),
            Column::new(
                "label".into(),
                self.iter().map(|it| it.label.map(|label| i64::from(label.get()))).collect::<Vec<_>>(),
            ),
            Column::new("duration_s".into(), self.iter().map(|it| it.duration_s).collect::<Vec<_>>()),
            Column::new("source".into(), self.iter().map(|it| it.source.describe()).collect::<Vec<_>>()),
        ];
        Ok(DataFrame::new(self.len(), columns)?)
    }
}

impl<'a> IntoIterator for &'a Dataset {
    type Item = &'a Trajectory;
    type IntoIter = std::slice::Iter<'a, Trajectory>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl std::fmt::Debug for Dataset {
    // What a notebook shows of a dataset is a line, not forty thousand trajectories.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Dataset {:?} of {} trajectories", self.name(), self.len())
    }
}
