//! A LeRobot dataset, v2.0, v2.1 or v3.0.
//!
//! What is read: `meta/info.json`, the episodes (`meta/episodes.jsonl`, or `meta/episodes/*/*.parquet` without their
//! statistics), and the table of tasks where episodes name tasks by number. The data files, which hold the states and
//! actions, are not needed.
//!
//! * An episode's id is its `episode_index`; its duration is `length / fps`.
//! * Up to v2.1 an episode has a video file a camera; in v3.0 a file holds several, told apart by `from_timestamp` and
//!   `to_timestamp`.

mod camera;
mod episodes;
mod info;
mod tasks;

use std::path::Path;

use super::fence::Fence;
use super::open::name_of;
use super::{Dataset, OpenOptions, Source, Span, Trajectory};
use crate::{Error, Result};
use episodes::{Episode, Episodes, Part};
use info::Info;

pub(super) fn open(folder: &Path, options: &OpenOptions) -> Result<Dataset> {
    let info = Info::read(folder)?;
    let (camera, note) = camera::choose(folder, &info, options.camera.as_deref())?;
    let mut notes: Vec<String> = note.into_iter().collect();
    let mut episodes = Episodes::read(folder, &info, camera)?;
    notes.append(&mut episodes.notes);

    let mut fence = Fence::new(folder, options.root.as_deref())?;
    let (mut trajectories, mut places) = (Vec::with_capacity(episodes.list.len()), Vec::new());
    let (mut silent, mut several) = (Vec::new(), Vec::new());
    for episode in &episodes.list {
        let Some(task) = episode.tasks.first() else {
            silent.push(episode.index);
            continue;
        };
        if episode.tasks.len() > 1 {
            several.push(episode.index);
        }
        let (path, span) = video(&info, camera, episode, &mut fence).map_err(|error| episodes.at(episode, error))?;
        let length_s = episode.length.map(|length| length as f64 / info.fps);
        trajectories.push(Trajectory {
            id: episode.index.to_string(),
            task: task.clone(),
            label: episode.label,
            duration_s: length_s.or_else(|| span.map(|span| span.to_s - span.from_s)),
            source: Source::Video { path, span },
        });
        places.push(episode.place);
    }
    if trajectories.is_empty() {
        return Err(Error::input(format!("no episode of {} has a task", folder.display()))
            .with_help("a language-conditioned reward model needs an instruction: add the tasks to the episodes"));
    }
    if !silent.is_empty() {
        let are = if silent.len() == 1 { "has no task and is" } else { "have no task and are" };
        notes.push(format!("{} {are} left out", counted(&silent)));
    }
    if !several.is_empty() {
        let have = if several.len() == 1 { "has" } else { "have" };
        notes.push(format!("{} {have} several tasks, of which the first is taken", counted(&several)));
    }
    let dataset = Dataset::build(name_of(folder), trajectories, |index| episodes.place(places[index]))?;
    Ok(dataset.numbered().with_notes(notes))
}

/// The file of an episode, and its part of it in v3.0.
fn video(
    info: &Info,
    camera: &str,
    episode: &Episode,
    fence: &mut Fence,
) -> Result<(std::path::PathBuf, Option<Span>)> {
    let named = match &episode.part {
        Some(part) => info.video(&[
            ("chunk_index", part.chunk.into()),
            ("file_index", part.file.into()),
            ("video_key", camera.into()),
        ])?,
        None => info.video(&[
            ("episode_chunk", (episode.index / info.chunks_size).into()),
            ("episode_index", episode.index.into()),
            ("video_key", camera.into()),
        ])?,
    };
    let (path, _) = fence.resolve(&named)?;
    let span = episode.part.as_ref().map(|&Part { from_s, to_s, .. }| Span { from_s, to_s });
    Ok((path, span))
}

/// `3 episodes (4, 9, 12)`.
fn counted(episodes: &[i64]) -> String {
    let shown: Vec<String> = episodes.iter().take(8).map(ToString::to_string).collect();
    let more = if episodes.len() > shown.len() { ", …" } else { "" };
    let word = if episodes.len() == 1 { "episode" } else { "episodes" };
    format!("{} {word} ({}{more})", episodes.len(), shown.join(", "))
}
