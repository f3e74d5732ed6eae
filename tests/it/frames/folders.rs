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

#[test]
fn a_frame_that_is_not_there_is_not_passed_over() {
    let dir = tempfile::tempdir().expect("a folder");
    let at = |name: &str| dir.path().join(name);
    for name in ["1.png", "3.png"] {
        shade(1).save(at(name)).expect("an image");
    }
    std::fs::create_dir(at("thumbnails.png")).expect("a folder of such a name is no frame");
    let sample = || Sampler::new().sample(&folder(dir.path(), 1.0), &Sampling::default());
    assert_eq!(sample().expect("frames").frames.len(), 2);
    std::os::unix::fs::symlink("gone.png", at("2.png")).expect("a link");
    let error = sample().expect_err("a link that leads nowhere");
    assert!(error.to_string().contains("2.png") && error.help().is_some_and(|help| help.contains("link")), "{error:?}");
    std::fs::remove_file(at("2.png")).expect("it was a link");
    // A socket stands for all that is no file.
    let _socket = std::os::unix::net::UnixListener::bind(at("2.png")).expect("a socket");
    assert!(sample().expect_err("no file").to_string().ends_with("2.png is no file"));
}

#[test]
fn names_that_are_no_utf8_are_read_in_one_order_and_named() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let dir = tempfile::tempdir().expect("a folder");
    let at = |name: &[u8]| dir.path().join(OsStr::from_bytes(name));
    // The same to the eye: 0xfe and 0xff are both shown as the sign of what is no UTF-8.
    for (value, name) in [(2, &b"a\xff1.png"[..]), (1, b"a\xfe1.png"), (3, b"a\xfe2.png")] {
        shade(value).save(at(name)).expect("an image");
    }
    let sample = || Sampler::new().sample(&folder(dir.path(), 1.0), &Sampling::default());
    assert_eq!(sample().expect("frames").frames.iter().map(|frame| frame.rgb[0]).collect::<Vec<_>>(), [1, 2, 3]);
    std::fs::write(at(b"a\xff3.png"), "no image").expect("a file");
    assert!(sample().expect_err("no image").to_string().contains("a\u{fffd}3.png"));
}

#[test]
fn a_video_that_is_no_file_is_an_error_of_its_trajectory_alone() {
    use roborm::dataset::{Dataset, OpenOptions};
    let dir = tempfile::tempdir().expect("a folder");
    let at = |name: &str| dir.path().join(name);
    std::fs::create_dir(at("folder")).expect("a folder");
    shade(1).save(at("folder/1.png")).expect("an image");
    let made = std::process::Command::new("mkfifo").arg(at("pipe.mp4")).status().expect("coreutils are there");
    assert!(made.success());
    let _socket = std::os::unix::net::UnixListener::bind(at("socket.mp4")).expect("a socket");
    let video = |id: &str, path: &str| format!("{{\"trajectory\": \"{id}\", \"video\": \"{path}\", \"task\": \"t\"}}");
    let frames = |id: &str, path: &str| {
        format!("{{\"trajectory\": \"{id}\", \"frames\": \"{path}\", \"rate_hz\": 1, \"task\": \"t\"}}")
    };
    let rows = [
        video("pipe", "pipe.mp4"),
        video("socket", "socket.mp4"),
        video("folder", "folder"),
        frames("file", "m.jsonl"),
        frames("pipes", "pipe.mp4"),
        frames("good", "folder"),
    ];
    std::fs::write(at("m.jsonl"), rows.join("\n")).expect("a manifest");
    let dataset = Dataset::open(at("m.jsonl").to_str().expect("UTF-8"), &OpenOptions::default()).expect("it opens");
    let sample = |id: &str| Sampler::new().sample(dataset.get(id).expect("a trajectory"), &Sampling::default());
    for (id, said) in [
        ("pipe", "pipe.mp4 is a pipe, a socket or a device, not a video"),
        ("socket", "socket.mp4 is a pipe, a socket or a device, not a video"),
        ("folder", "folder is a folder, not a video"),
        ("file", "m.jsonl is no folder of frames"),
        ("pipes", "pipe.mp4 is no folder of frames"),
    ] {
        let error = sample(id).expect_err(id);
        assert!(error.to_string().starts_with(&format!("trajectory {id}: ")), "{error}");
        assert!(error.to_string().ends_with(said) && error.help().is_some(), "{error:?}");
    }
    assert_eq!(sample("good").expect("frames").frames.len(), 1);
}
