//! Folders of images, and the built-in rollouts.

use std::path::Path;

use image::{Rgb, RgbImage};
use roborm::dataset::{Source, Trajectory, demo};
use roborm::frames::{Sampler, Sampling};

use super::at;

fn folder(path: &Path, rate_hz: f64) -> Trajectory {
    Trajectory {
        id: "folder".into(),
        task: "lift the cup".into(),
        label: None,
        duration_s: None,
        source: Source::Images { folder: path.to_owned(), rate_hz },
    }
}

/// An image in one shade.
fn shade(value: u8) -> RgbImage {
    RgbImage::from_pixel(4, 3, Rgb([value; 3]))
}

#[test]
fn images_are_taken_in_natural_order_at_the_rate_given() {
    let dir = tempfile::tempdir().expect("a folder");
    for (value, name) in
        [(10, "frame10.png"), (2, "frame2.png"), (1, "frame01.PNG"), (9, "frame9.png"), (11, "frame11.png")]
    {
        shade(value).save_with_format(dir.path().join(name), image::ImageFormat::Png).expect("an image");
    }
    std::fs::write(dir.path().join("notes.txt"), "no frame").expect("a file");
    std::fs::write(dir.path().join("._frame3.png"), "no frame").expect("a file");
    let frames = Sampler::new().sample(&folder(dir.path(), 2.0), &at(2.0)).expect("frames");
    assert_eq!(frames.frames.iter().map(|frame| frame.rgb[0]).collect::<Vec<_>>(), [1, 2, 9, 10, 11]);
    assert_eq!(frames.frames.iter().map(|frame| frame.t_s).collect::<Vec<_>>(), [0.0, 0.5, 1.0, 1.5, 2.0]);
    // One a second: frames at 0, 1 and 2 s.
    let frames = Sampler::new().sample(&folder(dir.path(), 2.0), &at(1.0)).expect("frames");
    assert_eq!(frames.frames.iter().map(|frame| frame.index).collect::<Vec<_>>(), [0, 2, 4]);
}

#[test]
fn a_rate_that_does_not_divide_takes_the_frame_shown_then() {
    let dir = tempfile::tempdir().expect("a folder");
    for at in 0..7u8 {
        shade(at).save(dir.path().join(format!("{at}.png"))).expect("an image");
    }
    // 1.5 frames a second: frames at 0, 0.667, 1.333, 2, 2.667, 3.333, 4 s; the one shown at 1 s is frame 1, at 3 s 4.
    let frames = Sampler::new().sample(&folder(dir.path(), 1.5), &Sampling::default()).expect("frames");
    assert_eq!(frames.frames.iter().map(|frame| frame.index).collect::<Vec<_>>(), [0, 1, 3, 4, 6]);
}

#[test]
fn jpeg_and_png_may_stand_side_by_side() {
    let dir = tempfile::tempdir().expect("a folder");
    shade(200).save(dir.path().join("1.jpg")).expect("an image");
    shade(50).save(dir.path().join("2.png")).expect("an image");
    let frames = Sampler::new().sample(&folder(dir.path(), 1.0), &Sampling::default()).expect("frames").frames;
    assert_eq!(frames.iter().map(|frame| frame.rgb[0]).collect::<Vec<_>>(), [200, 50]);
}

#[test]
fn bad_folders_and_images_are_errors_that_name_them() {
    let dir = tempfile::tempdir().expect("a folder");
    let error = |path: &Path, rate: f64| {
        Sampler::new().sample(&folder(path, rate), &Sampling::default()).expect_err("a bad folder")
    };
    assert!(error(dir.path(), 1.0).to_string().contains("holds no PNG or JPEG files"));
    assert!(error(&dir.path().join("missing"), 1.0).to_string().contains("missing"));
    shade(1).save(dir.path().join("1.png")).expect("an image");
    assert!(error(dir.path(), 0.0).is_usage());
    assert!(error(dir.path(), f64::NAN).is_usage());
    let whole = std::fs::read(dir.path().join("1.png")).expect("an image");
    std::fs::write(dir.path().join("2.png"), &whole[..whole.len() - 20]).expect("a cut image");
    let cut = error(dir.path(), 1.0);
    assert!(cut.is_input() && cut.to_string().contains("2.png cannot be read as an image"), "{cut}");
}

#[test]
fn the_built_in_rollouts_are_sampled_like_any_other() {
    for trajectory in demo::trajectories() {
        let frames = Sampler::new().sample(&trajectory, &Sampling::default()).expect("frames");
        assert_eq!(frames.source, format!("demo:{}", trajectory.id));
        let moments = Sampler::new().moments(&trajectory, &Sampling::default()).expect("moments");
        assert_eq!(moments.len(), frames.frames.len());
        assert_eq!(Sampler::new().duration_s(&trajectory).ok(), trajectory.duration_s);
        let scene = demo::scene(&trajectory.id).expect("its scene");
        let last = frames.frames.last().expect("a last frame");
        assert_eq!(last.index, scene.frame_count() - 1);
        assert!(last.rgb[..] == scene.render(last.index).as_raw()[..]);
    }
}
