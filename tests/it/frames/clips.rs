//! Every clip gives the frames that PyAV gives when it decodes all of them.

use std::collections::BTreeMap;
use std::path::Path;

use roborm::dataset::{Source, Span, Trajectory};
use roborm::frames::{DecoderOptions, Frames, Sampler, Sampling};
use serde::Deserialize;

use super::{at, clip, crc32};

#[derive(Deserialize)]
struct Expected {
    n_frames: u64,
    index: Vec<u64>,
    t_s: Vec<f64>,
    file_t_s: Option<Vec<f64>>,
    size: [u32; 2],
    rgb_crc32: Vec<u32>,
}

fn expected(file: &Path) -> BTreeMap<String, Expected> {
    serde_json::from_slice(&std::fs::read(file).expect("the right values")).expect("their format")
}

fn assert_times(name: &str, frames: &Frames, expected: &Expected) {
    let index: Vec<u64> = frames.frames.iter().map(|frame| frame.index).collect();
    assert_eq!(index, expected.index, "{name}");
    for (frame, t_s) in frames.frames.iter().zip(&expected.t_s) {
        assert!((frame.t_s - t_s).abs() < 1e-9, "{name}: {} s, not {t_s}", frame.t_s);
        assert_eq!(frame.file_index, frame.index, "{name}");
        assert_eq!([frame.width, frame.height], expected.size, "{name}");
        assert_eq!(frame.rgb.len() as u32, frame.width * frame.height * 3, "{name}");
    }
    for (frame, t_s) in frames.frames.iter().zip(expected.file_t_s.iter().flatten()) {
        assert!((frame.file_t_s - t_s).abs() < 1e-9, "{name}: {} s in the file, not {t_s}", frame.file_t_s);
    }
}

fn assert_pixels(name: &str, frames: &Frames, expected: &Expected) {
    let crc: Vec<u32> = frames.frames.iter().map(|frame| crc32(&frame.rgb)).collect();
    assert_eq!(crc, expected.rgb_crc32, "{name}");
}

#[test]
fn all_hard_clips() {
    let sampler = Sampler::new();
    for (name, expected) in expected(&clip("expected.json")) {
        let frames = sampler.sample_file(clip(&name), &Sampling::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(frames.rule, "1fps+last");
        assert_times(&name, &frames, &expected);
        let timeline = sampler.decoder().timeline(&clip(&name)).expect("its times");
        assert_eq!(timeline.pts().len() as u64, expected.n_frames, "{name}");
        // Versions of swscale differ in how they dither ten bits down to eight.
        if name != "ten_bit.mp4" {
            assert_pixels(&name, &frames, &expected);
        }
    }
}

#[test]
fn ten_bits_come_close() {
    let frames = Sampler::new().sample_file(clip("ten_bit.mp4"), &Sampling::default()).expect("frames");
    let reference = image::open(clip("ten_bit_1.png")).expect("the reference").into_rgb8();
    let apart: u64 = frames.frames[1].rgb.iter().zip(reference.as_raw()).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    let mean = apart as f64 / reference.as_raw().len() as f64;
    assert!(mean < 2.5, "{mean}");
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn the_rollouts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/rollouts");
    if !folder.join("expected_frames.json").is_file() {
        eprintln!("skipped: {} is not there", folder.display());
        return;
    }
    let sampler = Sampler::new();
    let clips = expected(&folder.join("expected_frames.json"));
    assert_eq!(clips.len(), 23);
    for (name, expected) in clips {
        let frames = sampler.sample_file(folder.join(&name), &Sampling::default()).expect("frames");
        assert_times(&name, &frames, &expected);
        assert_pixels(&name, &frames, &expected);
    }
}

#[test]
fn every_frame_is_the_same_whether_wanted_alone_or_with_all() {
    // Alone, a frame is decoded from its own key on, and pictures that nothing refers to are left out; with all, none.
    let sampler = Sampler::new();
    for name in ["bframes.mp4", "open_gop.mp4", "hevc.mp4", "hevc_layers.mp4", "refresh.mp4", "cues.mkv", "turning.gif"]
    {
        let all = sampler.sample_file(clip(name), &at(1000.0)).expect("all frames");
        let timeline = sampler.decoder().timeline(&clip(name)).expect("its times");
        assert_eq!(all.frames.len(), timeline.pts().len(), "{name}");
        for (frame, pts) in all.frames.iter().zip(timeline.pts()) {
            let alone = sampler.decoder().decode(&clip(name), &[*pts]).expect("one frame");
            assert!(alone[0].rgb == frame.rgb, "{name}, frame {}", frame.index);
        }
    }
}

#[test]
fn more_threads_give_the_same_frames() {
    let threads = super::sampler(DecoderOptions { threads: 4, ..DecoderOptions::default() });
    for name in ["bframes.mp4", "hevc.mp4", "vp9.webm", "av1.mp4", "turning.gif"] {
        let many = threads.sample_file(clip(name), &at(3.0)).expect("frames");
        assert!(many == Sampler::new().sample_file(clip(name), &at(3.0)).expect("frames"), "{name}");
    }
}

#[test]
fn frames_come_in_the_order_asked_for() {
    let sampler = Sampler::new();
    let path = clip("short_groups.mp4");
    let pts = sampler.decoder().timeline(&path).expect("its times").pts().to_vec();
    let asked = [pts[140], pts[3], pts[3], pts[77]];
    let got = sampler.decoder().decode(&path, &asked).expect("frames");
    let alone: Vec<_> =
        asked.iter().flat_map(|pts| sampler.decoder().decode(&path, &[*pts]).expect("a frame")).collect();
    assert!(got == alone);
    assert!(got[0] != got[1]);
    assert!(sampler.decoder().decode(&path, &[]).expect("nothing").is_empty());
}

#[test]
fn limits_and_windows_reach_the_file() {
    let sampler = Sampler::new();
    let sampling = Sampling { max: Some(3), from_s: Some(1.0), to_s: Some(4.0), ..Sampling::default() };
    let frames = sampler.sample_file(clip("bframes.mp4"), &sampling).expect("frames");
    // 10 frames a second: the window holds 10 to 39, the rule keeps 10, 20, 30, 39, of which three stay.
    assert_eq!(frames.frames.iter().map(|frame| frame.index).collect::<Vec<_>>(), [10, 30, 39]);
    assert_eq!(frames.rule, "1fps+last;from=1;to=4;max=3;linspace-half-even");
    let all = sampler.sample_file(clip("bframes.mp4"), &at(10.0)).expect("frames");
    assert!(frames.frames.iter().all(|frame| *frame == all.frames[frame.index as usize]));
}

fn episode(id: &str, from_s: f64, to_s: f64) -> Trajectory {
    Trajectory {
        id: id.into(),
        task: "lift the cup".into(),
        label: None,
        duration_s: None,
        source: Source::Video { path: clip("short_groups.mp4"), span: Some(Span { from_s, to_s }) },
    }
}

#[test]
fn an_episode_counts_from_its_own_start() {
    let sampler = Sampler::new();
    // 30 frames a second; the episode's times are as a float32 column gives them.
    let frames =
        sampler.sample(&episode("7", f64::from(1.7f32), f64::from(4.1f32)), &Sampling::default()).expect("frames");
    let seen: Vec<(u64, u64)> = frames.frames.iter().map(|frame| (frame.index, frame.file_index)).collect();
    assert_eq!(seen, [(0, 51), (30, 81), (60, 111), (71, 122)]);
    assert!((frames.frames[1].t_s - 1.0).abs() < 1e-9);
    assert!((frames.frames[1].file_t_s - 2.7).abs() < 1e-9);
    let moments = sampler.moments(&episode("7", 1.7, 4.1), &Sampling::default()).expect("moments");
    assert_eq!(moments.iter().map(|moment| moment.file_index).collect::<Vec<_>>(), [51, 81, 111, 122]);
}

#[test]
fn an_episode_that_does_not_meet_the_file_is_an_error_that_names_it() {
    let error = Sampler::new().sample(&episode("7", 1.7, 9.0), &Sampling::default()).expect_err("behind the end");
    assert!(error.is_input());
    assert!(error.to_string().starts_with("trajectory 7: "), "{error}");
    assert!(
        error.to_string().contains("short_groups.mp4: the end at 9 s is 4.000 s from the nearest frame"),
        "{error}"
    );
}
