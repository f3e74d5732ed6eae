//! Paths that stay in the dataset, and those that do not.

use super::*;

#[test]
#[cfg(unix)]
fn paths_that_leave_the_dataset_are_refused() {
    let folder = Folder::new(&[("out/secret.mp4", b""), ("in/here.mp4", b""), ("in/deep/x.mp4", b"")]);
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, folder.path().join(name)).expect("a link");
    link("../out/secret.mp4", "in/link.mp4");
    link("../out", "in/linked");
    link("here.mp4", "in/fine.mp4");
    link("../out/not-yet.mp4", "in/dangling.mp4");
    link("loop.mp4", "in/loop.mp4");
    let open = |video: &str, options: OpenOptions| {
        folder.add("in/m.jsonl", format!("{{\"trajectory\":\"a\",\"video\":{video:?},\"task\":\"t\"}}").as_bytes());
        folder.open_with("in/m.jsonl", options)
    };
    let absolute = folder.path().join("out/secret.mp4").display().to_string();
    for out in [
        "../out/secret.mp4",
        &absolute,
        "link.mp4",
        "linked/secret.mp4",
        "deep/../../out/secret.mp4",
        "dangling.mp4",
        "../out/absent.mp4",
        "/dev/zero",
    ] {
        let error = open(out, OpenOptions::default()).expect_err(out);
        assert!(error.is_input() && error.to_string().contains(&format!("line 1: path {out} leaves ")), "{error:?}");
        assert!(
            error.help().is_some_and(|help| help.starts_with("where that is meant") && help.contains("--root DIR"))
        );
    }
    assert!(open("loop.mp4", OpenOptions::default()).expect_err("a loop").to_string().contains("links without end"));
    assert!(open("absent/../../out/secret.mp4", OpenOptions::default()).is_err());

    let here = folder.path().join("in/here.mp4");
    let inside = here.display().to_string();
    for (within, path) in [
        ("here.mp4", here.clone()),
        ("fine.mp4", here.clone()),
        ("deep/../here.mp4", here.clone()),
        (&*inside, here),
        ("absent/absent.mp4", folder.path().join("in/absent/absent.mp4")),
    ] {
        assert_eq!(open(within, OpenOptions::default()).expect(within).trajectories()[0].source, video(path));
    }
    // With a root, a manifest's relative paths start there, and may lead anywhere in it.
    let secret = folder.path().join("out/secret.mp4");
    for within in ["out/secret.mp4", "in/link.mp4", &absolute] {
        let dataset = open(within, root(&folder.path())).expect(within);
        assert_eq!(dataset.trajectories()[0].source, video(secret.clone()));
    }
    assert!(open("../x.mp4", root(&folder.path())).is_err());
}

#[test]
#[cfg(unix)]
fn a_root_lets_the_links_of_a_download_cache_through() {
    // As huggingface_hub lays a download out: links from a snapshot to blobs.
    let line = br#"{"file_name": "a.mp4", "task": "t", "reward": 3}"#;
    let folder = Folder::new(&[("hub/blobs/1234", b""), ("hub/snapshots/abc/metadata.jsonl", line)]);
    std::os::unix::fs::symlink("../../blobs/1234", folder.path().join("hub/snapshots/abc/a.mp4")).expect("a link");
    assert!(folder.error("hub/snapshots/abc").contains("path a.mp4 leaves"));
    let dataset = folder.open_with("hub/snapshots/abc", root(&folder.path().join("hub"))).expect("it opens");
    assert_eq!(dataset.trajectories()[0].source, video(folder.path().join("hub/blobs/1234")));
}
