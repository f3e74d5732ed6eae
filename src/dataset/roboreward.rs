//! A RoboReward split: `metadata.jsonl` with `file_name`, `task` and `reward`, videos beside it.

use std::path::Path;

use super::fence::Fence;
use super::open::name_of;
use super::rows::Rows;
use super::{Dataset, Label, OpenOptions, Source, Trajectory};
use crate::{Error, Result};

/// Is this the metadata of a RoboReward split, and not a manifest? It is where it names files and no trajectories, or
/// is called `metadata.jsonl` and has the columns of neither.
pub(super) fn is(file: &Path, rows: &Rows) -> bool {
    let named = file.file_name().is_some_and(|name| name == "metadata.jsonl");
    !rows.has("trajectory") && (rows.has("file_name") || named)
}

pub(super) fn open(file: &Path, rows: &Rows, options: &OpenOptions) -> Result<Dataset> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut fence = Fence::new(folder, options.root.as_deref())?;
    let mut trajectories = Vec::with_capacity(rows.len());
    for row in rows.iter() {
        let name = row.words("file_name")?;
        // That it is no file is an error of this trajectory, when its frames are wanted.
        let (path, _) = fence.resolve(name).map_err(|error| row.at(error))?;
        let reward = match row.whole("reward")? {
            Some(reward) => reward,
            None if rows.has("reward") => return Err(row.at(Error::input("no reward"))),
            None => return Err(rows.require(&["reward"]).err().unwrap_or_else(|| row.at(Error::input("no reward")))),
        };
        trajectories.push(Trajectory {
            id: without_extension(name).to_owned(),
            task: row.words("task")?.to_owned(),
            label: Some(Label::new(reward).map_err(|error| row.at(error.at("reward")))?),
            duration_s: None,
            source: Source::Video { path, span: None },
        });
    }
    let shown = file.display();
    Dataset::build(name_of(folder), trajectories, |index| format!("{} of {shown}", rows.line(index)))
}

/// `bridge/a.b.mp4` is `bridge/a.b`.
fn without_extension(name: &str) -> &str {
    let base = name.rfind('/').map_or(0, |slash| slash + 1);
    match name[base..].rfind('.') {
        Some(dot) if dot > 0 => &name[..base + dot],
        _ => name,
    }
}
