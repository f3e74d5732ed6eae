//! Which of the cameras.

use std::path::Path;

use super::info::{Camera, Info};
use crate::{Error, Result};

/// Words in a camera's name that say it moves with the robot's hand, so that it does not show the scene.
const ON_THE_HAND: [&str; 4] = ["wrist", "gripper", "hand", "palm"];

/// The key of the camera that `wanted` names or, without it, of the one that shows the scene as
/// [`OpenOptions::camera`](crate::dataset::OpenOptions::camera) has it; and a note where that was a choice.
pub(super) fn choose<'a>(folder: &Path, info: &'a Info, wanted: Option<&str>) -> Result<(&'a str, Option<String>)> {
    let shown = folder.display();
    let videos: Vec<&Camera> = info.cameras.iter().filter(|camera| camera.video).collect();
    let listed = || videos.iter().map(|camera| camera.key.as_str()).collect::<Vec<_>>().join(", ");
    if videos.is_empty() {
        return Err(match info.cameras[..] {
            [] => Error::input(format!("{shown} has no camera")),
            _ => Error::input(format!("the pictures of {shown} are inside its Parquet files, not in videos"))
                .with_help("lerobot converts such a dataset to videos (lerobot-edit-dataset, convert_image_to_video)"),
        });
    }
    if let Some(wanted) = wanted {
        return match named(&videos, wanted)[..] {
            [only] => Ok((&only.key, None)),
            [] => {
                Err(Error::usage(format!("{shown} has no camera {wanted}"))
                    .with_help(format!("its cameras: {}", listed())))
            }
            _ => Err(Error::usage(format!("camera {wanted} of {shown} could be several"))
                .with_help(format!("its cameras: {}", listed()))),
        };
    }
    if let [only] = videos[..] {
        return Ok((&only.key, None));
    }
    let scene: Vec<&&Camera> = videos.iter().filter(|camera| !camera.depth && !on_the_hand(&camera.key)).collect();
    match scene[..] {
        [only] => Ok((&only.key, Some(format!("camera {} is taken, of {}", only.key, listed())))),
        _ => Err(Error::usage(format!("{shown} has several cameras"))
            .with_help(format!("choose one with --camera: {}", listed()))),
    }
}

/// The camera of this key, or those whose key ends in it: whole parts first (`top` is `observation.images.top` and not
/// `observation.images.desktop`), then letters.
fn named<'a>(cameras: &[&'a Camera], wanted: &str) -> Vec<&'a Camera> {
    let part = format!(".{wanted}");
    let by =
        |fits: &dyn Fn(&str) -> bool| cameras.iter().copied().filter(|camera| fits(&camera.key)).collect::<Vec<_>>();
    let tries: [&dyn Fn(&str) -> bool; 3] =
        [&|key| key == wanted, &|key| key.ends_with(&part), &|key| !wanted.is_empty() && key.ends_with(wanted)];
    tries.into_iter().map(by).find(|found| !found.is_empty()).unwrap_or_default()
}

fn on_the_hand(key: &str) -> bool {
    key.split(|letter: char| !letter.is_alphanumeric()).any(|word| ON_THE_HAND.contains(&word.to_lowercase().as_str()))
}
