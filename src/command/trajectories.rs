//! `trajectories`: what a dataset holds.

use clap::Args;
use serde_json::json;

use super::options::Opening;
use super::{Answer, Block, Session};
use crate::Result;
use crate::display::{Cell, Column, Table, number};

/// Durations that the dataset does not tell are read from the videos up to so many; beyond, only when asked for.
const MEASURED: usize = 200;

/// List the trajectories of a dataset
#[derive(Debug, Args)]
pub(super) struct Trajectories {
    /// RoboReward split, LeRobot dataset, manifest, folder of frames, or demo
    dataset: Option<String>,

    #[command(flatten)]
    opening: Opening,

    /// Read every duration from its video, however many there are
    #[arg(long)]
    durations: bool,
}

impl Trajectories {
    pub(super) fn run(&self, session: &Session) -> Result<Answer> {
        let dataset = self.opening.open(self.dataset.as_deref(), session)?;
        let measure = self.durations || dataset.len() <= MEASURED;
        let mut table = Table::new([
            Column::text("trajectory"),
            Column::text("task"),
            Column::number("label"),
            Column::number("duration"),
        ]);
        let (mut rows, mut warnings) = (Vec::new(), Vec::new());
        for trajectory in dataset.iter() {
            let mut duration_s = trajectory.duration_s;
            if duration_s.is_none() && measure {
                match session.sampler.duration_s(trajectory) {
                    Ok(measured) => duration_s = Some(measured),
                    Err(error) => warnings.push(format!("warning: {error}")),
                }
            }
            table.row([
                Cell::text(&trajectory.id),
                Cell::text(&trajectory.task),
                Cell::from(trajectory.label.map(|label| Cell::number(label.to_string()))),
                Cell::from(duration_s.map(|seconds| Cell::number(format!("{} s", number::fixed(seconds, 1))))),
            ]);
            rows.push(json!({
                "trajectory": trajectory.id, "task": trajectory.task, "label": trajectory.label.map(|label| label.get()),
                "duration_s": duration_s, "source": trajectory.source.describe(),
            }));
        }
        let tasks = dataset.iter().map(|trajectory| &trajectory.task).collect::<std::collections::HashSet<_>>().len();
        table.note(&format!(
            "{}: {}, {}.",
            dataset.name(),
            number::things(dataset.len(), "trajectory", "trajectories"),
            number::things(tasks, "task", "tasks")
        ));
        if !measure {
            table
                .note("Durations that the dataset does not tell are left out: --durations reads them from the videos.");
        }
        let mut answer = Answer::new(rows.into()).show(Block::Table(table));
        answer.notes = dataset.notes().iter().map(|note| format!("note: {note}")).chain(warnings).collect();
        Ok(answer)
    }
}
