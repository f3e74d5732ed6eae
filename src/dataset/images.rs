//! A folder of frames: one trajectory.

use std::path::Path;

use super::open::name_of;
use super::{Dataset, OpenOptions, Source, Trajectory};
use crate::{Error, Result};

/// The one trajectory of a folder of PNG or JPEG files. It has no instruction (`task` is empty): its frames can be
/// looked at; to score it, a manifest says what the robot was told.
pub(super) fn open(folder: &Path, options: &OpenOptions) -> Result<Dataset> {
    let shown = folder.display();
    let cannot_read = |error: std::io::Error| Error::io(format!("cannot read {shown}"), &error);
    let (mut images, mut folders) = (0u64, Vec::new());
    for entry in folder.read_dir().map_err(cannot_read)? {
        let entry = entry.map_err(cannot_read)?;
        if entry.path().is_dir() {
            folders.push(entry.path());
        } else if is_image(&entry.file_name().to_string_lossy()) {
            images += 1;
        }
    }
    if images == 0 {
        return Err(no_dataset(folder, &mut folders));
    }
    let rate_hz = options.rate_hz.ok_or_else(|| {
        Error::usage(format!("{shown} is a folder of {images} frames, whose rate nothing tells"))
            .with_help("give it with --rate HZ, frames a second")
    })?;
    let resolved = folder.canonicalize().map_err(cannot_read)?;
    let trajectory = Trajectory {
        id: resolved.file_name().map_or_else(|| name_of(folder), |name| name.to_string_lossy().into_owned()),
        task: String::new(),
        label: None,
        duration_s: Some(images as f64 / rate_hz),
        source: Source::Images { folder: resolved, rate_hz },
    };
    Dataset::new(name_of(folder), vec![trajectory])
}

/// PNG or JPEG by its name; hidden files (`._frame.png` of macOS) are not frames.
fn is_image(name: &str) -> bool {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    !name.starts_with('.') && matches!(extension.as_deref(), Some("png" | "jpg" | "jpeg"))
}

fn no_dataset(folder: &Path, folders: &mut [std::path::PathBuf]) -> Error {
    folders.sort();
    let within =
        folders.iter().find(|inside| inside.join("metadata.jsonl").exists() || inside.join("meta/info.json").exists());
    let error = Error::input(format!("{} is no dataset", folder.display()));
    match within {
        Some(inside) => error.with_help(format!("{} is one", inside.display())),
        None => error.with_help(
            "a folder is a dataset where it holds metadata.jsonl (RoboReward), meta/info.json (LeRobot) or PNG or JPEG \
             frames; for videos of your own, write a manifest: trajectory, video, task, label",
        ),
    }
}
