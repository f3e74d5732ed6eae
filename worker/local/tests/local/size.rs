//! The size that frames are brought to: values from `smart_resize` of transformers 5.24, run once by the maker.

use roborm_local::checkpoint::Checkpoint;
use roborm_local::input::{image_size, video_size};
use serde::Deserialize;

use crate::fixture::folder;

#[derive(Deserialize)]
struct Case {
    frames: Option<i64>,
    height: i64,
    width: i64,
    fewest: i64,
    most: i64,
    cap: bool,
    size: Option<(i64, i64)>,
}

#[test]
fn a_picture_that_is_too_long_is_told_by_its_own_size() {
    let checkpoint = Checkpoint::open(&folder("base")).expect("the fixture's");
    let (vision, video) = (&checkpoint.config.vision, &checkpoint.video);
    // It is enlarged before it is looked at: its shorter side is less than a patch.
    let error = video_size(2, 2, 640, video, vision).expect_err("too long");
    assert_eq!(error.to_string(), "640 x 2 pixels: one side is 320 times the other");
}

#[test]
fn sizes_are_those_of_transformers() {
    let checkpoint = Checkpoint::open(&folder("base")).expect("the fixture's");
    let text = std::fs::read_to_string(folder("sizes.json")).expect("the fixture is committed");
    let cases: Vec<Case> = serde_json::from_str(&text).expect("the maker wrote it");
    assert!(cases.len() > 100);
    for case in cases {
        let mut video = checkpoint.video.clone();
        video.image.fewest = case.fewest;
        video.image.most = case.most;
        video.cap_frames = case.cap;
        let vision = &checkpoint.config.vision;
        let got = match case.frames {
            Some(frames) => video_size(frames, case.height, case.width, &video, vision),
            None => image_size(case.height, case.width, &video.image, vision),
        };
        let place = format!("{:?} {}x{} {}..{}", case.frames, case.height, case.width, case.fewest, case.most);
        assert_eq!(got.ok(), case.size, "{place}");
    }
}
