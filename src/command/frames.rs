//! `frames`: the frames that a reward model would see.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::options::Opening;
use super::{Answer, Block, Session};
use crate::display::{Cell, Column, Table, number};
use crate::frames::{Frames, Sampling, SheetOptions, contact_sheet};
use crate::{Error, Result};

/// Sample the frames of a video or a trajectory by the frame rule
#[derive(Debug, Args)]
pub(super) struct FramesCommand {
    /// A video file, or DATASET#ID
    source: Option<String>,

    /// Frames a second
    #[arg(long, value_name = "F", default_value_t = 1.0)]
    fps: f64,

    /// At most so many frames, by uniform down-sampling that keeps first and last
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max: Option<u32>,

    /// Seconds from the trajectory's start
    #[arg(long, value_name = "S")]
    from: Option<f64>,

    /// Seconds from the trajectory's start, exclusive
    #[arg(long, value_name = "S")]
    to: Option<f64>,

    #[command(flatten)]
    opening: Opening,

    /// Write the frames there as PNG files
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl FramesCommand {
    pub(super) fn run(&self, session: &Session) -> Result<Answer> {
        let sampling =
            Sampling { fps: self.fps, max: self.max.map(|max| max as usize), from_s: self.from, to_s: self.to };
        let frames = self.sample(session, &sampling)?;
        let mut table = Table::new([
            Column::number("frame"),
            Column::number("time"),
            Column::number("frame of file"),
            Column::number("time of file"),
            Column::number("size"),
        ]);
        let mut rows = Vec::new();
        for frame in &frames.frames {
            table.row([
                Cell::from(frame.index),
                Cell::number(format!("{} s", number::fixed(frame.t_s, 2))),
                Cell::from(frame.file_index),
                Cell::number(format!("{} s", number::fixed(frame.file_t_s, 2))),
                Cell::number(format!("{}x{}", frame.width, frame.height)),
            ]);
            rows.push(json!({
                "index": frame.index, "t_s": frame.t_s, "file_index": frame.file_index, "file_t_s": frame.file_t_s,
                "width": frame.width, "height": frame.height,
            }));
        }
        let count = number::things(frames.frames.len(), "frame", "frames");
        table.note(&format!("{}: {count}, rule {}.", frames.source, frames.rule));
        let sheet = contact_sheet(&frames, &SheetOptions { dark: true, ..SheetOptions::default() })?;
        let what = format!("contact sheet of {count} of {}", frames.source);
        let mut answer = Answer::new(json!({ "source": frames.source, "rule": frames.rule, "frames": rows }))
            .show(Block::Picture { image: sheet, what })
            .show(Block::Table(table));
        if let Some(folder) = &self.out {
            write(&frames, folder)?;
            let others = others(&frames, folder);
            if others > 0 {
                let others = number::things(others, "picture", "pictures");
                answer = answer.note(format!("warning: {others} of other samplings in {}, too", folder.display()));
            }
            answer = answer.say(format!(
                "{} in {}",
                number::things(frames.frames.len(), "PNG file", "PNG files"),
                folder.display()
            ));
        }
        Ok(answer)
    }

    fn sample(&self, session: &Session, sampling: &Sampling) -> Result<Frames> {
        let path = Path::new(self.source.as_deref().unwrap_or_default());
        let is_table = path
            .extension()
            .is_some_and(|ending| ["jsonl", "csv", "parquet"].iter().any(|table| ending.eq_ignore_ascii_case(table)));
        if path.is_file() && !is_table {
            self.opening.none_for_video(path)?;
            return session.sampler.sample_file(path, sampling);
        }
        let dataset = self.opening.open_one(self.source.as_deref(), session)?;
        let trajectory = dataset
            .trajectories()
            .first()
            .ok_or_else(|| Error::input(format!("{} has no trajectories", path.display())))?;
        session.sampler.sample(trajectory, sampling)
    }
}

/// The file of a frame, by its index.
fn file_name(index: u64) -> String {
    format!("frame-{index:06}.png")
}

/// How many files of frames are in a folder that are not of these.
fn others(frames: &Frames, folder: &Path) -> usize {
    let ours: Vec<String> = frames.frames.iter().map(|frame| file_name(frame.index)).collect();
    let Ok(files) = std::fs::read_dir(folder) else { return 0 };
    let names = files.flatten().filter_map(|file| file.file_name().into_string().ok());
    names.filter(|name| name.starts_with("frame-") && name.ends_with(".png") && !ours.contains(name)).count()
}

/// Frames as `frame-000010.png`, by index.
fn write(frames: &Frames, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|error| Error::io(format!("cannot make {}", folder.display()), &error))?;
    frames.frames.iter().try_for_each(|frame| frame.write_png(folder.join(file_name(frame.index))))
}
