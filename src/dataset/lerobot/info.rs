//! `meta/info.json`: version, rate, cameras, and where the videos are.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{Error, Result};

/// The largest `info.json` that is read; real ones are a few kilobytes.
const LARGEST: u64 = 16 << 20;

/// How the episodes are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// v2.0 and v2.1: a line of `episodes.jsonl` and a video file an episode.
    FileAnEpisode,
    /// v3.0: Parquet, several episodes in a video file.
    FilesOfMany,
}

/// A stream of pictures among the features.
pub(super) struct Camera {
    pub(super) key: String,
    pub(super) depth: bool,
    /// Videos, and not pictures inside the data files.
    pub(super) video: bool,
}

pub(super) struct Info {
    pub(super) layout: Layout,
    pub(super) fps: f64,
    pub(super) episodes: Option<usize>,
    pub(super) chunks_size: i64,
    pub(super) cameras: Vec<Camera>,
    /// A Python format string.
    video_path: Option<String>,
}

#[derive(Deserialize)]
struct Raw {
    codebase_version: String,
    fps: f64,
    total_episodes: Option<usize>,
    chunks_size: Option<i64>,
    video_path: Option<String>,
    features: Map<String, Value>,
}

impl Info {
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let path = folder.join("meta/info.json");
        let shown = path.display();
        let cannot_read = |error: std::io::Error| Error::io(format!("cannot read {shown}"), &error);
        if path.metadata().map_err(cannot_read)?.len() > LARGEST {
            return Err(Error::input(format!("{shown} is larger than {} MiB", LARGEST >> 20)));
        }
        let bytes = std::fs::read(&path).map_err(cannot_read)?;
        let raw: Raw = serde_json::from_slice(&bytes).map_err(|error| Error::input(format!("{shown}: {error}")))?;
        let layout = match raw.codebase_version.as_str() {
            "v2.0" | "v2.1" => Layout::FileAnEpisode,
            "v3.0" => Layout::FilesOfMany,
            other => {
                return Err(Error::input(format!("{shown}: LeRobot version {other} is not known"))
                    .with_help("v2.0, v2.1 and v3.0 are read; lerobot converts older ones"));
            }
        };
        if !(raw.fps.is_finite() && raw.fps > 0.0) {
            return Err(Error::input(format!("{shown}: fps {} is not above 0", raw.fps)));
        }
        let chunks_size = raw.chunks_size.unwrap_or(1000);
        if chunks_size < 1 {
            return Err(Error::input(format!("{shown}: chunks_size {chunks_size} is not above 0")));
        }
        let cameras = raw.features.iter().filter_map(|(key, feature)| camera(key, feature)).collect();
        let (fps, episodes, video_path) = (raw.fps, raw.total_episodes, raw.video_path);
        Ok(Self { layout, fps, episodes, chunks_size, cameras, video_path })
    }

    /// The path of a video, relative to the dataset, by the format string of `video_path`.
    pub(super) fn video(&self, fields: &[(&str, Field<'_>)]) -> Result<String> {
        let template = self.video_path.as_deref().ok_or_else(|| Error::input("meta/info.json has no video_path"))?;
        fill(template, fields).ok_or_else(|| {
            let names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
            Error::input(format!("video_path {template} of meta/info.json cannot be filled"))
                .with_help(format!("fields it can name: {}", names.join(", ")))
        })
    }
}

fn camera(key: &str, feature: &Value) -> Option<Camera> {
    let video = match feature.get("dtype")?.as_str()? {
        "video" => true,
        "image" => false,
        _ => return None,
    };
    // The key has moved about between versions.
    let depth = ["info", "video_info"].iter().any(|place| {
        ["video.is_depth_map", "is_depth_map"]
            .iter()
            .any(|flag| feature.get(place).and_then(|info| info.get(flag)) == Some(&Value::Bool(true)))
    });
    Some(Camera { key: key.to_owned(), depth, video })
}

/// What a field of a format string stands for.
#[derive(Clone, Copy)]
pub(super) enum Field<'a> {
    Number(i64),
    Text(&'a str),
}

impl From<i64> for Field<'_> {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl<'a> From<&'a str> for Field<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

/// Fills `{name}` and `{name:03d}`, all that LeRobot's paths use of Python's format language.
fn fill(template: &str, fields: &[(&str, Field<'_>)]) -> Option<String> {
    let (mut filled, mut rest) = (String::new(), template);
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let (field, after) = after.split_once('}')?;
        rest = after;
        let (name, format) = field.split_once(':').unwrap_or((field, ""));
        match (fields.iter().find(|(known, _)| *known == name)?.1, format) {
            (Field::Text(text), "") => filled.push_str(text),
            (Field::Number(number), "" | "d") => filled.push_str(&number.to_string()),
            (Field::Number(number), format) => {
                let width: usize = format.strip_prefix('0')?.strip_suffix('d')?.parse().ok().filter(|&it| it <= 32)?;
                filled.push_str(&format!("{number:0width$}"));
            }
            _ => return None,
        }
    }
    filled.push_str(rest);
    Some(filled)
}
