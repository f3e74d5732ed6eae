//! Finding out what lies at a path.

use std::path::{Path, PathBuf};

use super::rows::Format;
use super::{Dataset, demo, images, lerobot, manifest, roboreward};
use crate::error::nearest;
use crate::{Error, Result};

/// Endings of what is a video and not a dataset, for a better error.
const VIDEOS: [&str; 8] = ["mp4", "mkv", "webm", "mov", "avi", "m4v", "gif", "ts"];

/// What opening a dataset may need to be told.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OpenOptions {
    /// Frames a second of folders of frames; in a manifest, of those rows that do not say themselves.
    pub rate_hz: Option<f64>,
    /// A folder in which the dataset's paths may lie besides the dataset's own. In a manifest, relative paths start here.
    pub root: Option<PathBuf>,
    /// The camera of a LeRobot dataset, by its key (`observation.images.top`) or the end of it (`top`). Without it, the
    /// only camera; of several, the only one that is neither a depth map nor, by its name, on the wrist, the gripper or
    /// the hand; where that leaves none or a choice, opening is an error that lists the cameras.
    pub camera: Option<String>,
}

impl OpenOptions {
    /// Refuses options that would change nothing: a rate or a camera given in vain is a misunderstanding.
    fn only(&self, what: &str, rate: bool, camera: bool) -> Result<()> {
        if self.camera.is_some() && !camera {
            return Err(Error::usage(format!("{what} has no cameras to choose from"))
                .with_help("leave the camera out: it is for LeRobot datasets"));
        }
        if self.rate_hz.is_some() && !rate {
            return Err(Error::usage(format!("{what} has its own rate"))
                .with_help("leave the rate out: it is for folders of frames, whose files tell none"));
        }
        Ok(())
    }
}

/// Is this a rate that frames can have?
pub(super) fn is_rate(rate_hz: f64) -> bool {
    rate_hz.is_finite() && rate_hz > 0.0
}

impl Dataset {
    /// Opens what `spec` names: a path of a dataset in any of the layouts of [the module](crate::dataset), or `demo`.
    ///
    /// # Errors
    /// Nothing there, a folder or file that is no dataset, or a fault in it (with its file and line); an option that
    /// does not fit (wrong usage).
    pub fn open(spec: &str, options: &OpenOptions) -> Result<Self> {
        if let Some(rate_hz) = options.rate_hz.filter(|&rate_hz| !is_rate(rate_hz)) {
            return Err(Error::usage(format!("a rate of {rate_hz} Hz"))
                .with_help("a rate is a number of frames a second above 0"));
        }
        if spec == "demo" {
            options.only("demo", false, false)?;
            if let Some(root) = &options.root {
                return Err(Error::usage(format!("demo is built in and has no paths, so none in {}", root.display()))
                    .with_help("leave the root out: it is for datasets whose paths lie in another folder"));
            }
            return Self::new("demo", demo::trajectories());
        }
        if spec.is_empty() {
            return Err(Error::usage("no dataset is named"));
        }
        let path = Path::new(spec);
        let metadata = path.metadata().map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => not_there(path),
            _ => Error::io(format!("cannot open {spec}"), &error),
        })?;
        match () {
            () if metadata.is_dir() => open_folder(path, options),
            () if metadata.is_file() => open_file(path, options),
            () => Err(Error::input(format!("{spec} is a device or a pipe, not a file"))
                .with_help("write what comes out of it to a file first")),
        }
    }
}

fn open_folder(folder: &Path, options: &OpenOptions) -> Result<Dataset> {
    if folder.join("meta/info.json").exists() {
        options.only("a LeRobot dataset", false, true)?;
        return lerobot::open(folder, options);
    }
    let metadata = folder.join("metadata.jsonl");
    if metadata.exists() {
        return open_file(&metadata, options);
    }
    options.only("a folder of frames", true, false)?;
    images::open(folder, options)
}

fn open_file(file: &Path, options: &OpenOptions) -> Result<Dataset> {
    if file.ends_with("meta/info.json") {
        let folder = file.parent().and_then(Path::parent).unwrap_or(Path::new("."));
        return open_folder(if folder.as_os_str().is_empty() { Path::new(".") } else { folder }, options);
    }
    let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_ascii_lowercase();
    if VIDEOS.contains(&extension.as_str()) {
        return Err(Error::usage(format!("{} is a video, which has no instruction", file.display())).with_help(
            "`roborm frames` takes it as it is; to score it, name it in a manifest: trajectory, video, task, label",
        ));
    }
    if Format::of(file).is_none() {
        return Err(Error::usage(format!("{} is no dataset", file.display()))
            .with_help("a file is a dataset where it is a manifest: .jsonl, .csv or .parquet"));
    }
    let rows = manifest::read(file)?;
    if roboreward::is(file, &rows) {
        options.only("a RoboReward split", false, false)?;
        roboreward::open(file, &rows, options)
    } else {
        options.only("a manifest", true, false)?;
        manifest::open(file, &rows, options)
    }
}

fn not_there(path: &Path) -> Error {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let wanted = path.file_name().unwrap_or_default().to_string_lossy();
    let names: Vec<String> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .collect();
    let near = nearest(&wanted, names.iter().map(String::as_str).chain(["demo"]));
    let error = Error::input(format!("there is no {}", path.display()));
    match near[..] {
        [] => error.with_help("a dataset is a folder or a manifest, or the word demo"),
        _ => error.with_help(format!("did you mean {}?", near.join(", "))),
    }
}

/// What a dataset at `path` is called: the folder's or file's own name however the path to it was spelled, since the
/// name is a key of score tables.
pub(super) fn name_of(path: &Path) -> String {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let last = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let name =
        if path.is_dir() { last(&path) } else { path.file_stem().map(|stem| stem.to_string_lossy().into_owned()) };
    let name = name.unwrap_or_else(|| "dataset".to_owned());
    match path.parent().and_then(last) {
        // RoboReward's splits: "test" alone would not say of what.
        Some(parent) if matches!(name.as_str(), "train" | "val" | "test") => format!("{parent}/{name}"),
        _ => name,
    }
}
