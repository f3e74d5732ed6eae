//! The table of tasks, for episodes that name theirs by number.

use std::collections::HashMap;
use std::path::PathBuf;

use super::info::Layout;
use crate::dataset::rows::Rows;
use crate::{Error, Result};

/// Tasks by number, read when first asked for: LeRobot's own episodes name their tasks in words.
pub(super) struct Tasks {
    path: PathBuf,
    known: Option<HashMap<i64, String>>,
}

impl Tasks {
    pub(super) fn new(folder: &std::path::Path, layout: Layout) -> Self {
        let name = match layout {
            Layout::FileAnEpisode => "meta/tasks.jsonl",
            Layout::FilesOfMany => "meta/tasks.parquet",
        };
        Self { path: folder.join(name), known: None }
    }

    pub(super) fn get(&mut self, number: i64) -> Result<String> {
        let known = match &mut self.known {
            Some(known) => known,
            unread => unread.insert(read(&self.path)?),
        };
        known
            .get(&number)
            .cloned()
            .ok_or_else(|| Error::input(format!("task {number} is not in {}", self.path.display())))
    }
}

fn read(path: &std::path::Path) -> Result<HashMap<i64, String>> {
    // In v3.0 the task is the index of a pandas table, which Parquet keeps under this name.
    let rows = Rows::read(path, &["task_index", "task", "__index_level_0__"])?;
    let task = if rows.has("task") { "task" } else { "__index_level_0__" };
    rows.require(&["task_index", task])?;
    let mut tasks = HashMap::new();
    for row in rows.iter() {
        if let (Some(number), Some(task)) = (row.whole("task_index")?, row.text(task)?) {
            tasks.insert(number, task.to_owned());
        }
    }
    Ok(tasks)
}
