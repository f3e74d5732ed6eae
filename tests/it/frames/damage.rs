//! Bad files: an error that names the file and what was readable, never fewer frames in silence.

use std::path::{Path, PathBuf};

use roborm::Error;
use roborm::dataset::{Dataset, OpenOptions};
use roborm::frames::{Sampler, Sampling};

use super::{at, clip};

/// A copy of a clip with its bytes changed.
fn changed(folder: &Path, name: &str, change: impl FnOnce(&mut Vec<u8>)) -> PathBuf {
    let mut bytes = std::fs::read(clip(name)).expect("the clip");
    change(&mut bytes);
    let path = folder.join(name);
    std::fs::write(&path, bytes).expect("a copy");
    path
}

fn error_of(path: &Path) -> Error {
    let error = Sampler::new().sample_file(path, &at(1000.0)).expect_err("a bad file");
    let name = path.file_name().expect("a name").to_string_lossy();
    assert!(error.to_string().contains(&*name), "the error does not name the file: {error}");
    error
}

fn cut(bytes: &mut Vec<u8>) {
    bytes.truncate(bytes.len() * 6 / 10);
}

#[test]
fn truncated_files_say_what_is_there() {
    let folder = tempfile::tempdir().expect("a folder");
    // The index stands in front, so it is known how many frames there should be.
    let error = error_of(&changed(folder.path(), "bframes.mp4", cut));
    assert!(error.is_input());
    assert!(error.to_string().contains("is truncated: "), "{error}");
    assert!(error.to_string().contains(" of 60 frames are there; last good frame at "), "{error}");
    let error = error_of(&changed(folder.path(), "cues.mkv", cut));
    assert!(error.to_string().contains("is truncated: "), "{error}");
    let error = error_of(&changed(folder.path(), "turning.gif", cut));
    assert!(error.is_input(), "{error}");
    // The index stands at the end and is gone with it.
    let error = error_of(&changed(folder.path(), "short_groups.mp4", cut));
    assert!(error.is_input() && error.to_string().contains("cannot be read as a video"), "{error}");
}

#[test]
fn corrupt_data_say_where_and_what_was_decoded_before() {
    let folder = tempfile::tempdir().expect("a folder");
    // Ten groups of pictures; the middle of the file lies in the fifth or sixth.
    let path = changed(folder.path(), "short_groups.mp4", |bytes| {
        let middle = bytes.len() / 2;
        bytes[middle..middle + 300].iter_mut().for_each(|byte| *byte = byte.wrapping_mul(7).wrapping_add(13));
    });
    let error = error_of(&path);
    assert!(error.is_input());
    assert!(error.to_string().contains("is corrupt at 2."), "{error}");
    assert!(error.to_string().contains(" of 150 wanted frames; last good frame at "), "{error}");
    // What lies before the damage is as good as ever.
    let sampling = Sampling { to_s: Some(1.9), ..at(30.0) };
    let good = Sampler::new().sample_file(clip("short_groups.mp4"), &sampling).expect("frames");
    let same = Sampler::new().sample_file(&path, &sampling).expect("frames before the damage");
    assert!(good.frames == same.frames);
}

#[test]
fn what_is_no_video_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("a file");
        path
    };
    assert!(error_of(&write("empty.mp4", b"")).to_string().ends_with("empty.mp4 is empty"));
    assert!(error_of(&write("words.mp4", b"these are words, not a video\n")).is_input());
    assert!(error_of(&write("zeros.mp4", &[0; 4096])).is_input());
    assert!(error_of(folder.path()).to_string().ends_with("is a folder, not a video"));
    let missing = error_of(&folder.path().join("missing.mp4"));
    assert!(missing.to_string().starts_with("cannot read "), "{missing}");
}

#[test]
fn playlists_and_other_protocols_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = clip("bframes.mp4");
    let write = |name: &str, text: String| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path
    };
    let playlist = format!("#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:6,\n{}\n#EXT-X-ENDLIST\n", target.display());
    let list = format!("ffconcat version 1.0\nfile {}\n", target.display());
    for path in [write("playlist.mp4", playlist), write("list.mp4", list)] {
        assert!(error_of(&path).to_string().contains("cannot be read as a video"));
    }
    // A name that looks like a protocol is a name.
    let odd = folder.path().join("concat:a|b.mp4");
    std::fs::copy(&target, &odd).expect("a copy");
    assert_eq!(Sampler::new().sample_file(&odd, &Sampling::default()).expect("frames").frames.len(), 7);
}

#[test]
fn names_that_are_not_unicode_work() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(std::ffi::OsStr::from_bytes(b"caf\xe9.mp4"));
    std::fs::copy(clip("single.mp4"), &path).expect("a copy");
    assert_eq!(Sampler::new().sample_file(&path, &Sampling::default()).expect("a frame").frames.len(), 1);
}

#[test]
fn a_file_that_is_replaced_is_read_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("clip.mp4");
    let sampler = Sampler::new();
    std::fs::copy(clip("bframes.mp4"), &path).expect("a copy");
    assert_eq!(sampler.sample_file(&path, &Sampling::default()).expect("frames").frames.len(), 7);
    std::fs::remove_file(&path).expect("gone");
    std::fs::copy(clip("single.mp4"), &path).expect("a copy");
    assert_eq!(sampler.sample_file(&path, &Sampling::default()).expect("a frame").frames.len(), 1);
}

#[test]
fn an_episode_is_as_long_as_its_dataset_says() {
    let spec = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/lerobot/v2.1");
    let options = OpenOptions { camera: Some("top".to_owned()), ..OpenOptions::default() };
    let sampler = Sampler::new();
    for mut episode in Dataset::open(spec, &options).expect("it opens").trajectories().iter().cloned() {
        let frames = sampler.sample(&episode, &at(1000.0)).expect("as long as lerobot made it").frames.len();
        let told_s = episode.duration_s.expect("LeRobot tells");
        let step_s = told_s / frames as f64;
        // A frame more or less, and many: neither the end that is lost nor what comes after it is the episode.
        for off in [-1.0, 1.0, 25.0] {
            episode.duration_s = Some(told_s + off * step_s);
            let error = sampler.sample(&episode, &Sampling::default()).expect_err("of another length");
            let told = format!(" has {frames} frames (");
            let said = format!("the dataset says about {:.0} (", frames as f64 + off);
            assert!(error.is_input(), "{error}");
            assert!(error.to_string().contains(&told) && error.to_string().contains(&said), "{error}");
            assert!(error.help().is_some_and(|help| help.contains("episodes.jsonl")), "{error:?}");
            assert!(sampler.moments(&episode, &Sampling::default()).is_err());
        }
        // Clocks that round are no other length.
        episode.duration_s = Some(told_s + 0.3 * step_s);
        sampler.sample(&episode, &Sampling::default()).expect("near enough");
    }
}
