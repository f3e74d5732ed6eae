//! What lies on a disk, opened as a dataset.

use std::fs;
use std::path::{Path, PathBuf};

use polars::prelude::{DataFrame, NamedFrom, Series};
use roborm::dataset::{Dataset, Label, OpenOptions, Source, Span, Trajectory, split_spec};
use roborm::paraphrase::Strategy;
use roborm::{Error, Result};
use serde_json::Value;

/// A folder of files for one test.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new(files: &[(&str, &[u8])]) -> Self {
        let folder = Self(tempfile::tempdir().expect("a temporary folder"));
        for (name, bytes) in files {
            folder.add(name, bytes);
        }
        folder
    }

    fn add(&self, name: &str, bytes: &[u8]) {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().expect("within the folder")).expect("a folder");
        fs::write(path, bytes).expect("a file");
    }

    /// Resolved, as the paths of sources are.
    fn path(&self) -> PathBuf {
        self.0.path().canonicalize().expect("it exists")
    }

    fn open(&self, name: &str) -> Result<Dataset> {
        self.open_with(name, OpenOptions::default())
    }

    fn open_with(&self, name: &str, options: OpenOptions) -> Result<Dataset> {
        let path = if name.is_empty() { self.path() } else { self.path().join(name) };
        Dataset::open(path.to_str().expect("UTF-8"), &options)
    }

    /// The error of opening `name` and its help, without the folder's own path.
    fn error(&self, name: &str) -> String {
        self.strip(&self.open(name).expect_err("an error"))
    }

    fn strip(&self, error: &Error) -> String {
        format!("{error:?}")
            .replace(&format!("{}/", self.path().display()), "")
            .replace(&self.path().display().to_string(), ".")
    }
}

fn manifest(lines: &str) -> Folder {
    Folder::new(&[("manifest.jsonl", lines.as_bytes()), ("a.mp4", b"a"), ("frames/1.png", b"1")])
}

fn fixture(name: &str) -> String {
    format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn camera(name: &str) -> OpenOptions {
    OpenOptions { camera: Some(name.to_owned()), ..OpenOptions::default() }
}

fn rate(rate_hz: f64) -> OpenOptions {
    OpenOptions { rate_hz: Some(rate_hz), ..OpenOptions::default() }
}

fn root(folder: &Path) -> OpenOptions {
    OpenOptions { root: Some(folder.to_owned()), ..OpenOptions::default() }
}

fn video(path: PathBuf) -> Source {
    Source::Video { path, span: None }
}

fn label(value: i64) -> Option<Label> {
    Some(Label::new(value).expect("1 to 5"))
}

fn ids(dataset: &Dataset) -> Vec<&str> {
    dataset.iter().map(|trajectory| trajectory.id.as_str()).collect()
}

// RoboReward

#[test]
fn shared_rollouts_are_those_of_their_metadata() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/rollouts");
    let Ok(metadata) = fs::read_to_string(folder.join("metadata.jsonl")) else {
        eprintln!("skipped: ../shared/data/rollouts is absent");
        return;
    };
    let dataset = Dataset::open(folder.to_str().expect("UTF-8"), &OpenOptions::default()).expect("it opens");
    assert_eq!((dataset.name(), dataset.len(), metadata.lines().count()), ("rollouts", 23, 23));
    for (trajectory, line) in dataset.iter().zip(metadata.lines()) {
        let line: Value = serde_json::from_str(line).expect("JSON");
        let name = line["file_name"].as_str().expect("a name");
        let Source::Video { path, span: None } = &trajectory.source else { panic!("{:?}", trajectory.source) };
        assert_eq!(Some(trajectory.id.as_str()), name.strip_suffix(".mp4"));
        assert_eq!(Some(trajectory.task.as_str()), line["task"].as_str());
        assert_eq!(trajectory.label, label(line["reward"].as_i64().expect("a number")));
        assert!(path.is_file() && path.ends_with(name));
    }
    assert_eq!(dataset.get("dp_put_carrot").expect("unique").id, "franka/dp_put_carrot");
}

#[test]
fn a_roboreward_split() {
    let lines = r#"{"file_name": "droid/a.b.mp4", "task": "lift the cheese", "reward": 5, "policy": {"x": [1]}}

{"reward": 1, "task": "öffne die “Schublade”", "file_name": "bridge/missing.mp4"}
"#;
    let folder =
        Folder::new(&[("RoboReward/test/metadata.jsonl", lines.as_bytes()), ("RoboReward/test/droid/a.b.mp4", b"")]);
    let by_folder = folder.open("RoboReward/test").expect("it opens");
    let by_file = folder.open("RoboReward/test/metadata.jsonl").expect("it opens");
    let split = folder.path().join("RoboReward/test");
    let expected = [
        Trajectory {
            id: "droid/a.b".into(),
            task: "lift the cheese".into(),
            label: label(5),
            duration_s: None,
            source: video(split.join("droid/a.b.mp4")),
        },
        // Not on the disk: its frames will fail, the other's will not.
        Trajectory {
            id: "bridge/missing".into(),
            task: "öffne die “Schublade”".into(),
            label: label(1),
            duration_s: None,
            source: video(split.join("bridge/missing.mp4")),
        },
    ];
    assert_eq!(by_folder.trajectories(), expected);
    assert_eq!(by_file.trajectories(), expected);
    assert_eq!((by_folder.name(), by_file.name()), ("RoboReward/test", "RoboReward/test"));
    assert_eq!(folder.error("RoboReward"), "RoboReward is no dataset\n  help: RoboReward/test is one");
}

#[test]
fn faults_of_a_roboreward_split_name_their_line() {
    let good = r#"{"file_name": "a.mp4", "task": "t", "reward": 3}"#;
    let help =
        "\n  help: a label is the true progress: 1 no success, 2 minimal, 3 partial, 4 near, 5 perfect completion";
    let json = "\n  help: one JSON object a line is expected";
    for (second, expected) in [
        (
            r#"{"file_name": "b.mp4", "task": "t", "reward": 0}"#,
            &*format!("line 2: reward: label 0 is outside 1 to 5{help}"),
        ),
        (r#"{"file_name": "b.mp4", "task": "t", "reward": 4.5}"#, "line 2: reward 4.5 is not a whole number"),
        (r#"{"file_name": "b.mp4", "task": "t", "reward": "good"}"#, "line 2: reward \"good\" is not a whole number"),
        (r#"{"file_name": "b.mp4", "task": "t", "reward": null}"#, "line 2: no reward"),
        (r#"{"file_name": "b.mp4", "task": "  ", "reward": 1}"#, "line 2: task is empty"),
        (r#"{"file_name": "b.mp4", "task": ["t"], "reward": 1}"#, "line 2: task (a list of 1) is not text"),
        (r#"{"file_name": "a\u0000.mp4", "task": "t", "reward": 1}"#, "line 2: file_name holds a NUL character"),
        (
            "{\"file_name\": \"b.mp4\", \"task\"",
            &*format!("line 2: not JSON: EOF while parsing an object at column 29{json}"),
        ),
        ("[1, 2]", &*format!("line 2: not a JSON object{json}")),
        ("{\"file_name\": \"b\0.mp4\"}", "line 2: holds a NUL byte, so this is not a text file"),
    ] {
        let folder = Folder::new(&[("metadata.jsonl", format!("{good}\n{second}\n").as_bytes())]);
        assert_eq!(folder.error(""), format!("metadata.jsonl, {expected}"));
    }
    let twice = format!("{good}\n\n{}\n", good.replace("a.mp4", "a.avi"));
    let folder = Folder::new(&[("set/metadata.jsonl", twice.as_bytes())]);
    assert_eq!(
        folder.error("set"),
        "set: trajectory a stands twice, at line 1 of set/metadata.jsonl and line 3 of set/metadata.jsonl\n  \
         help: the id of a trajectory is unique in its dataset"
    );
}

#[test]
fn missing_columns_are_named_with_those_present() {
    let folder = Folder::new(&[
        ("metadata.jsonl", br#"{"file": "a.mp4", "task": "t", "reward": 3}"#),
        ("m.csv", b"trajectory,path,task\n1,a.mp4,t\n"),
        ("n.csv", b"video,task\na.mp4,t\n"),
        ("o.jsonl", b"{\"trajectory\": \"1\", \"video\": \"a.mp4\", \"task\": \"t\"}\n{\"trajectory\": \"2\", \"video\": \"a.mp4\"}\n"),
    ]);
    assert_eq!(
        folder.error(""),
        "metadata.jsonl, line 1: no column file_name\n  help: columns present: file, task, reward"
    );
    assert_eq!(folder.error("m.csv"), "m.csv: no column video\n  help: columns present: trajectory, path, task");
    assert_eq!(folder.error("n.csv"), "n.csv: no column trajectory\n  help: columns present: video, task");
    assert_eq!(folder.error("o.jsonl"), "o.jsonl, line 2: no task");
}

#[test]
fn files_that_are_no_text() {
    let folder = Folder::new(&[
        ("empty.jsonl", b""),
        ("blank.jsonl", b"\n\n"),
        ("latin.jsonl", b"{}\n{\"task\": \"caf\xe9\"}\n"),
        ("latin.csv", b"trajectory,video,task\n1,a.mp4,caf\xe9\n"),
        ("header.csv", b"trajectory,video,task,label\n"),
        ("text.parquet", b"trajectory,video,task,label\n"),
        ("long.jsonl", &vec![b' '; (16 << 20) + 1]),
        ("nothing/.keep", b""),
        ("clip.mp4", b""),
        ("notes.txt", b"x"),
    ]);
    assert_eq!(folder.error("empty.jsonl"), "empty.jsonl is empty");
    assert_eq!(folder.error("blank.jsonl"), "blank.jsonl has no rows");
    assert_eq!(folder.error("latin.jsonl"), "latin.jsonl, line 2: not UTF-8");
    assert_eq!(folder.error("latin.csv"), "latin.csv, line 2: not UTF-8");
    assert_eq!(folder.error("header.csv"), "header.csv has no rows");
    assert_eq!(
        folder.error("long.jsonl"),
        "long.jsonl, line 1: longer than 16 MiB\n  help: one JSON object a line is expected, each of a few hundred bytes"
    );
    assert!(folder.error("text.parquet").starts_with("text.parquet is not a readable Parquet file: "));
    assert!(folder.error("nothing").starts_with("nothing is no dataset\n  help: a folder is a dataset where"));
    assert!(
        folder.error("clip.mp4").starts_with("clip.mp4 is a video, which has no instruction\n  help: `roborm frames`")
    );
    assert!(folder.open("clip.mp4").expect_err("an error").is_usage());
    assert!(folder.error("notes.txt").starts_with("notes.txt is no dataset\n"));
    assert!(folder.error("emty.jsonl").starts_with("there is no emty.jsonl\n  help: did you mean empty.jsonl"));
}

// Manifests

#[test]
fn one_manifest_in_three_formats() {
    let jsonl = r#"{"trajectory": "a", "video": "a.mp4", "task": "say \"hi\", twice", "label": 4}
{"trajectory": 7, "frames": "frames", "task": "two\nlines — ok", "rate_hz": 5, "note": "x"}
{"trajectory": "c", "video": "./x/../a.mp4", "task": "t", "label": 1.0, "from_s": 1.5, "to_s": 4}
"#;
    let csv = "\u{feff}trajectory,video,frames,note,task,label,rate_hz,from_s,to_s\r\n\
        a,a.mp4,,,\"say \"\"hi\"\", twice\",4,,,\r\n\
        7,,frames,x,\"two\nlines — ok\",,5,,\r\n\
        c,./x/../a.mp4,,,t,1.0,,1.5,4\r\n";
    let folder = Folder::new(&[
        ("m.jsonl", jsonl.as_bytes()),
        ("m.csv", csv.as_bytes()),
        ("a.mp4", b""),
        ("x/y", b""),
        ("frames/1.png", b""),
    ]);
    let mut frame = DataFrame::new(
        3,
        vec![
            Series::new("trajectory".into(), ["a", "7", "c"]).into(),
            Series::new("video".into(), [Some("a.mp4"), None, Some("./x/../a.mp4")]).into(),
            Series::new("frames".into(), [None, Some("frames"), None]).into(),
            Series::new("task".into(), ["say \"hi\", twice", "two\nlines — ok", "t"]).into(),
            Series::new("label".into(), [Some(4.0f32), None, Some(1.0)]).into(),
            Series::new("rate_hz".into(), [None, Some(5i32), None]).into(),
            Series::new("from_s".into(), [None, None, Some(1.5)]).into(),
            Series::new("to_s".into(), [None, None, Some(4u8)]).into(),
        ],
    )
    .expect("a table");
    let parquet = fs::File::create(folder.path().join("m.parquet")).expect("a file");
    polars_io::parquet::write::ParquetWriter::new(parquet).finish(&mut frame).expect("written");

    let (a, frames) = (folder.path().join("a.mp4"), folder.path().join("frames"));
    let expected = [
        Trajectory {
            id: "a".into(),
            task: "say \"hi\", twice".into(),
            label: label(4),
            duration_s: None,
            source: video(a.clone()),
        },
        Trajectory {
            id: "7".into(),
            task: "two\nlines — ok".into(),
            label: None,
            duration_s: None,
            source: Source::Images { folder: frames, rate_hz: 5.0 },
        },
        Trajectory {
            id: "c".into(),
            task: "t".into(),
            label: label(1),
            duration_s: Some(2.5),
            source: Source::Video { path: a, span: Some(Span { from_s: 1.5, to_s: 4.0 }) },
        },
    ];
    for name in ["m.jsonl", "m.csv", "m.parquet"] {
        let dataset = folder.open(name).unwrap_or_else(|error| panic!("{error:?}"));
        assert_eq!(dataset.trajectories(), expected, "{name}");
        assert_eq!((dataset.name(), dataset.notes().len()), ("m", 0));
    }
}

#[test]
fn faults_of_a_manifest_name_their_line() {
    let rate = "\n  help: add a column rate_hz, frames a second, or give --rate HZ for all";
    let either = "\n  help: a row names either a video or a folder of frames";
    for (row, expected) in [
        (
            r#""video": "a.mp4", "task": "t", "label": 6"#,
            "label 6 is outside 1 to 5\n  help: a label is the true progress: 1 no success, 2 minimal, 3 partial, 4 near, 5 perfect completion",
        ),
        (r#""video": "a.mp4", "frames": "frames", "task": "t""#, &*format!("both video and frames{either}")),
        (r#""task": "t", "video": null"#, &*format!("neither video nor frames{either}")),
        (r#""frames": "frames", "task": "t", "video": null"#, &*format!("no rate_hz for frames frames{rate}")),
        (r#""frames": "frames", "task": "t", "video": null, "rate_hz": 0"#, "rate_hz 0 is not above 0"),
        (
            r#""frames": "a.mp4", "task": "t", "video": null, "rate_hz": 1"#,
            "frames a.mp4 is a file\n  help: a video file goes in the column video",
        ),
        (
            r#""video": "frames", "task": "t""#,
            "video frames is a folder\n  help: a folder of PNG or JPEG files goes in the column frames",
        ),
        (r#""video": "a.mp4", "task": "t", "from_s": 2"#, "one of from_s and to_s without the other"),
        (r#""video": "a.mp4", "task": "t", "from_s": 2, "to_s": 2"#, "from_s 2 to to_s 2 is no span"),
        (r#""video": "", "task": "t""#, "an empty path"),
    ] {
        let folder = manifest(&format!(
            "{{\"trajectory\": \"first\", \"video\": \"a.mp4\", \"task\": \"t\"}}\n{{\"trajectory\": \"x\", {row}}}\n"
        ));
        assert_eq!(folder.error("manifest.jsonl"), format!("manifest.jsonl, line 2: {expected}"));
    }
}

#[test]
fn csv_lines_are_counted_through_quoted_line_breaks() {
    for (rows, expected) in [
        ("a,a.mp4,\"one\ntwo\",3\n\nb,a.mp4,t,9\n", "m.csv, line 5: label 9 is outside 1 to 5"),
        ("a,a.mp4,t,3\nb,a.mp4,t\n", "m.csv, line 3: 3 fields, but the header has 4"),
        ("a,a.mp4,t,3\nb,a.mp4,\"t,3\n", "m.csv, line 3: a quote is opened and never closed"),
        ("a,a.mp4,\"t\"x,3\n", "m.csv, line 2: text after the closing quote of a field"),
        ("a,a.mp4,\"t\nu\",3\na,a.mp4,t,3\n", "m: trajectory a stands twice, at line 2 of m.csv and line 4 of m.csv"),
    ] {
        let folder = Folder::new(&[("m.csv", format!("trajectory,video,task,label\n{rows}").as_bytes())]);
        assert_eq!(folder.error("m.csv").lines().next(), Some(expected));
    }
    let folder = Folder::new(&[("m.csv", b"task,task\na,b\n")]);
    assert_eq!(folder.error("m.csv"), "m.csv, line 1: two columns named task");
}

#[test]
fn the_rate_of_frames_comes_from_the_row_then_from_the_options() {
    let folder = manifest(
        "{\"trajectory\": \"a\", \"frames\": \"frames\", \"task\": \"t\", \"rate_hz\": 5}\n{\"trajectory\": \"b\", \"frames\": \"frames\", \"task\": \"t\"}\n",
    );
    let dataset = folder.open_with("manifest.jsonl", rate(12.5)).expect("it opens");
    let rates: Vec<f64> = dataset
        .iter()
        .map(|trajectory| match trajectory.source {
            Source::Images { rate_hz, .. } => rate_hz,
            _ => panic!("not images"),
        })
        .collect();
    assert_eq!(rates, [5.0, 12.5]);
    for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(folder.open_with("manifest.jsonl", rate(wrong)).expect_err("no rate").is_usage());
    }
}

#[test]
fn a_manifest_without_labels_says_so() {
    let folder = manifest("{\"trajectory\": \"a\", \"video\": \"a.mp4\", \"task\": \"t\", \"labels\": 3}\n");
    let dataset = folder.open("manifest.jsonl").expect("it opens");
    assert_eq!(dataset.trajectories()[0].label, None);
    let [note] = dataset.notes() else { panic!("{:?}", dataset.notes()) };
    assert!(note.contains("has no column label (is labels meant?)"), "{note}");
}

// Paths

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
        assert_eq!(error.help(), Some("where that is meant, allow a folder that holds both with --root DIR"));
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

// Folders of frames

#[test]
fn a_folder_of_frames_is_one_trajectory() {
    let folder = Folder::new(&[
        ("run/1.png", b""),
        ("run/2.JPG", b""),
        ("run/10.jpeg", b""),
        ("run/._1.png", b""),
        ("run/n.txt", b""),
    ]);
    let dataset = folder.open_with("run", rate(2.0)).expect("it opens");
    let [trajectory] = dataset.trajectories() else { panic!("one") };
    assert_eq!((trajectory.id.as_str(), trajectory.task.as_str(), trajectory.duration_s), ("run", "", Some(1.5)));
    assert_eq!(trajectory.source, Source::Images { folder: folder.path().join("run"), rate_hz: 2.0 });
    let error = folder.open("run").expect_err("no rate");
    assert!(error.is_usage());
    assert_eq!(error.help(), Some("give it with --rate HZ, frames a second"));
}

#[test]
fn options_given_in_vain_are_wrong_usage() {
    let folder = manifest("{\"trajectory\": \"a\", \"video\": \"a.mp4\", \"task\": \"t\", \"label\": 3}\n");
    let both = || OpenOptions { rate_hz: Some(1.0), ..camera("top") };
    for error in [
        folder.open_with("manifest.jsonl", camera("top")),
        folder.open_with("frames", both()),
        Dataset::open("demo", &camera("top")),
        Dataset::open("demo", &rate(1.0)),
        Dataset::open(&fixture("lerobot/v3.0"), &both()),
        Dataset::open("", &OpenOptions::default()),
    ] {
        assert!(error.expect_err("in vain").is_usage());
    }
}

// LeRobot

/// Every episode, by every camera, as lerobot's own reader has it (tests/fixtures/lerobot/make.py).
fn against_lerobot(version: &str) {
    let folder = PathBuf::from(fixture(&format!("lerobot/{version}"))).canonicalize().expect("it exists");
    let expected = fs::read(fixture(&format!("lerobot/expected-{version}.json"))).expect("it exists");
    let expected: Vec<Value> = serde_json::from_slice(&expected).expect("JSON");
    assert_eq!(expected.len(), 5);
    for key in ["observation.images.top", "observation.images.wrist"] {
        let dataset = Dataset::open(folder.to_str().expect("UTF-8"), &camera(key)).expect("it opens");
        assert_eq!((dataset.name(), dataset.len(), dataset.notes()), (version, expected.len(), [].as_slice()));
        for (trajectory, episode) in dataset.iter().zip(&expected) {
            let video = &episode["videos"][key];
            let path = folder.join(video["file"].as_str().expect("a path"));
            assert!(path.is_file(), "{}", path.display());
            let span = video["from"].as_f64().zip(video["to"].as_f64()).map(|(from_s, to_s)| Span { from_s, to_s });
            assert_eq!(span.is_some(), version == "v3.0");
            let (length, fps) = (episode["length"].as_f64().expect("frames"), episode["fps"].as_f64().expect("a rate"));
            assert_eq!(
                *trajectory,
                Trajectory {
                    id: episode["episode"].to_string(),
                    task: episode["tasks"][0].as_str().expect("a task").to_owned(),
                    label: None,
                    duration_s: Some(length / fps),
                    source: Source::Video { path, span },
                }
            );
        }
    }
}

#[test]
fn lerobot_v2_1_as_lerobot_reads_it() {
    against_lerobot("v2.1");
}

#[test]
fn lerobot_v3_0_as_lerobot_reads_it() {
    against_lerobot("v3.0");
}

#[test]
fn lerobot_v3_0_fixture_has_several_files_of_every_kind() {
    // Else the test against lerobot would be weaker than it claims.
    let dataset = Dataset::open(&fixture("lerobot/v3.0"), &camera("top")).expect("it opens");
    let videos: std::collections::BTreeSet<String> = dataset.iter().map(|it| it.source.describe()).collect();
    assert!(videos.len() >= 3 && videos.len() < dataset.len(), "{videos:?}");
    for folder in ["data/chunk-000", "meta/episodes/chunk-000"] {
        assert!(fs::read_dir(fixture(&format!("lerobot/v3.0/{folder}"))).expect("a folder").count() >= 2);
    }
}

#[test]
fn lerobot_episodes_by_number() {
    let dataset = Dataset::open(&fixture("lerobot/v2.1"), &camera("top")).expect("it opens");
    for id in ["3", "03", "000003"] {
        assert_eq!(dataset.get(id).expect("an episode").id, "3");
    }
    assert_eq!(dataset.get("000").expect("an episode").id, "0");
    assert!(
        format!("{:?}", dataset.get("5").expect_err("five of them")).ends_with("help: its trajectories: 0, 1, 2, 3, 4")
    );
}

/// A LeRobot dataset of these cameras and lines of episodes.
fn lerobot(features: &str, episodes: &str) -> Folder {
    let info = format!(
        r#"{{"codebase_version": "v2.1", "fps": 10, "chunks_size": 2, "features": {{{features}}},
        "video_path": "videos/chunk-{{episode_chunk:03d}}/{{video_key}}/episode_{{episode_index:06d}}.mp4"}}"#
    );
    Folder::new(&[("set/meta/info.json", info.as_bytes()), ("set/meta/episodes.jsonl", episodes.as_bytes())])
}

const TOP: &str = r#""top": {"dtype": "video"}"#;

#[test]
fn the_camera_that_shows_the_scene() {
    let episode = r#"{"episode_index": 3, "tasks": ["t"], "length": 20}"#;
    let video_of = |features: &[&str], wanted: Option<&str>| {
        let features: Vec<String> = features
            .iter()
            .map(|key| match key.strip_prefix("depth:") {
                Some(key) => format!(r#""{key}": {{"dtype": "video", "info": {{"video.is_depth_map": true}}}}"#),
                None => format!(r#""{key}": {{"dtype": "video", "info": {{"video.is_depth_map": false}}}}"#),
            })
            .collect();
        let folder = lerobot(&format!(r#""action": {{"dtype": "float32"}}, {}"#, features.join(", ")), episode);
        let options = OpenOptions { camera: wanted.map(str::to_owned), ..OpenOptions::default() };
        match folder.open_with("set", options) {
            Ok(dataset) => {
                let path = dataset.trajectories()[0].source.describe();
                assert!(path.ends_with("episode_000003.mp4") && path.contains("/videos/chunk-001/"), "{path}");
                path.rsplit('/').nth(1).expect("the camera's folder").to_owned()
            }
            Err(error) => {
                assert!(error.is_usage());
                folder.strip(&error)
            }
        }
    };
    let three = ["observation.images.front", "observation.images.wrist_left", "depth:observation.images.front_depth"];
    assert_eq!(video_of(&["cam"], None), "cam");
    assert_eq!(video_of(&three, None), "observation.images.front");
    assert_eq!(video_of(&three, Some("front")), "observation.images.front");
    assert_eq!(video_of(&three, Some("left")), "observation.images.wrist_left");
    assert_eq!(video_of(&["images.top", "images.desktop"], Some("top")), "images.top");
    assert_eq!(
        video_of(&["images.front", "images.side"], None),
        "set has several cameras\n  help: choose one with --camera: images.front, images.side"
    );
    assert_eq!(
        video_of(&["images.front", "images.side"], Some("back")),
        "set has no camera back\n  help: its cameras: images.front, images.side"
    );
    assert_eq!(
        video_of(&["left.rgb", "right.rgb"], Some("rgb")),
        "camera rgb of set could be several\n  help: its cameras: left.rgb, right.rgb"
    );
    let note = lerobot(&[TOP, r#""wrist": {"dtype": "video"}"#].join(", "), episode).open("set").expect("it opens");
    assert_eq!(note.notes(), ["camera top is taken, of top, wrist"]);
}

#[test]
fn lerobot_labels_only_where_they_cannot_be_anything_else() {
    let labels = |values: &[&str]| {
        let lines: String = values
            .iter()
            .enumerate()
            .map(|(index, value)| format!("{{\"episode_index\": {index}, \"tasks\": [\"t\"], {value}}}\n"))
            .collect();
        let dataset = lerobot(TOP, &lines).open("set").expect("it opens");
        (dataset.iter().map(|it| it.label.map_or(0, Label::get)).collect::<Vec<_>>(), dataset.notes().join("; "))
    };
    let none = |column: &str| {
        (vec![0, 0], format!("the episodes' {column} is not on the scale of labels, 1 to 5, and is not taken for it"))
    };
    assert_eq!(labels(&[r#""length": 1"#]), (vec![0], String::new()));
    assert_eq!(labels(&[r#""label": 5"#, r#""label": null"#, r#""label": 1.0"#]), (vec![5, 0, 1], String::new()));
    assert_eq!(labels(&[r#""reward": 2"#, r#""reward": 1"#]), (vec![2, 1], String::new()));
    assert_eq!(labels(&[r#""reward": 1.0"#, r#""reward": 1.0"#]), none("reward"));
    assert_eq!(labels(&[r#""reward": 1.0"#, r#""reward": 0.0"#]), none("reward"));
    assert_eq!(labels(&[r#""label": 3"#, r#""label": 2.5"#]), none("label"));
    assert_eq!(
        labels(&[r#""label": 3, "reward": 3"#]),
        (vec![0], "the episodes have both label and reward: neither is taken for the label".to_owned())
    );
}

#[test]
fn lerobot_tasks_by_number_none_and_several() {
    let episodes = r#"{"episode_index": 2, "tasks": ["a", "b"]}
{"episode_index": 0, "tasks": [1]}
{"episode_index": 1, "tasks": [""]}
{"episode_index": 4, "tasks": "c"}
"#;
    let folder = lerobot(TOP, episodes);
    folder.add(
        "set/meta/tasks.jsonl",
        b"{\"task_index\": 0, \"task\": \"zero\"}\n{\"task_index\": 1, \"task\": \"one\"}\n",
    );
    let dataset = folder.open("set").expect("it opens");
    let tasks: Vec<(&str, &str)> = dataset.iter().map(|it| (it.id.as_str(), it.task.as_str())).collect();
    assert_eq!(tasks, [("0", "one"), ("2", "a"), ("4", "c")]);
    assert_eq!(
        dataset.notes(),
        [
            "1 episodes (1) have no task and are left out",
            "1 episodes (2) have several tasks, of which the first is taken"
        ]
    );
}

#[test]
fn faults_of_a_lerobot_dataset() {
    let first = |folder: &Folder| folder.error("set").lines().next().unwrap_or_default().to_owned();
    let episode = r#"{"episode_index": 0, "tasks": ["t"]}"#;
    for (features, episodes, expected) in [
        (
            TOP,
            "{\"episode_index\": 0, \"tasks\": [\"t\"]}\n{\"episode_index\": 0, \"tasks\": [\"t\"]}",
            "set: trajectory 0 stands twice, at line 1 of set/meta/episodes.jsonl and line 2 of set/meta/episodes.jsonl",
        ),
        (
            TOP,
            r#"{"episode_index": -1, "tasks": ["t"]}"#,
            "set/meta/episodes.jsonl, line 1: episode_index -1 is no index",
        ),
        (TOP, r#"{"episode_index": 0}"#, "set/meta/episodes.jsonl: no column tasks"),
        (TOP, r#"{"episode_index": 0, "tasks": []}"#, "no episode of set has a task"),
        (
            TOP,
            r#"{"episode_index": 0, "tasks": [3]}"#,
            "set/meta/episodes.jsonl, line 1: cannot read set/meta/tasks.jsonl: No such file or directory (os error 2)",
        ),
        (r#""action": {"dtype": "float32"}"#, episode, "set has no camera"),
        (r#""top": {"dtype": "image"}"#, episode, "the pictures of set are inside its Parquet files, not in videos"),
        (
            r#""../../..": {"dtype": "video"}"#,
            episode,
            "set/meta/episodes.jsonl, line 1: episode 0: path videos/chunk-000/../../../episode_000000.mp4 \
             goes through a folder that does not exist, so that nobody can say where it leads",
        ),
    ] {
        let folder = lerobot(features, episodes);
        assert_eq!(first(&folder), expected);
    }
    let info = |text: &str| first(&Folder::new(&[("set/meta/info.json", text.as_bytes())]));
    assert_eq!(
        info(r#"{"codebase_version": "v1.6", "fps": 10, "features": {}}"#),
        "set/meta/info.json: LeRobot version v1.6 is not known"
    );
    assert_eq!(
        info(r#"{"codebase_version": "v3.0", "fps": 0, "features": {}}"#),
        "set/meta/info.json: fps 0 is not above 0"
    );
    assert_eq!(
        info(r#"{"codebase_version": "v3.0", "fps": 10}"#),
        "set/meta/info.json: missing field `features` at line 1 column 39"
    );
    assert!(info("{").starts_with("set/meta/info.json: EOF"));
}

// The type itself

fn named(ids: &[&str]) -> Dataset {
    let trajectory = |id: &&str| Trajectory {
        id: (*id).to_owned(),
        task: format!("task of {id}"),
        label: None,
        duration_s: None,
        source: video(PathBuf::from(format!("/{id}.mp4"))),
    };
    Dataset::new("named", ids.iter().map(trajectory).collect()).expect("unique ids")
}

#[test]
fn a_trajectory_by_a_unique_end_of_its_id() {
    let dataset = named(&["bridge/lift_cheese", "franka/lift_cheese", "franka/put_carrot", "carrot"]);
    assert_eq!(dataset.get("franka/lift_cheese").expect("exact").id, "franka/lift_cheese");
    assert_eq!(dataset.get("put_carrot").expect("unique").id, "franka/put_carrot");
    assert_eq!(dataset.get("carrot").expect("exact before suffix").id, "carrot");
    let said = |id: &str| format!("{:?}", dataset.get(id).expect_err("an error"));
    assert_eq!(
        said("lift_cheese"),
        "2 trajectories of named end in lift_cheese\n  help: name one of: bridge/lift_cheese, franka/lift_cheese"
    );
    assert_eq!(said("put_carot"), "no trajectory put_carot in named\n  help: did you mean franka/put_carrot?");
    assert!(
        said("zzz")
            .ends_with("help: its trajectories: bridge/lift_cheese, franka/lift_cheese, franka/put_carrot, carrot")
    );
    assert!(dataset.get("").expect_err("no id").is_usage());
}

#[test]
fn ids_are_unique() {
    let one = named(&["a"]).trajectories()[0].clone();
    let error = Dataset::new("mine", vec![one.clone(), one]).expect_err("twice");
    assert_eq!(error.to_string(), "mine: trajectory a stands twice, at trajectory 1 and trajectory 2");
}

#[test]
fn a_spec_is_parted_at_the_id() {
    let folder = Folder::new(&[("a#b/metadata.jsonl", b""), ("c", b"")]);
    let path = |name: &str| folder.path().join(name).display().to_string();
    assert_eq!(split_spec("demo"), ("demo", None));
    assert_eq!(split_spec("demo#drawer"), ("demo", Some("drawer")));
    assert_eq!(split_spec("demo#"), ("demo", Some("")));
    assert_eq!(split_spec("absent#x#y"), ("absent#x", Some("y")));
    assert_eq!(split_spec(&path("a#b")), (&*path("a#b"), None));
    assert_eq!(split_spec(&path("a#b#c#d")), (&*path("a#b"), Some("c#d")));
    assert_eq!(Dataset::split_spec(&path("c#1#2")), (&*path("c"), Some("1#2")));
}

#[test]
fn a_dataset_as_a_table() {
    let folder = manifest(
        "{\"trajectory\": \"a\", \"video\": \"a.mp4\", \"task\": \"t\", \"label\": 3, \"from_s\": 1, \"to_s\": 3}\n{\"trajectory\": \"b\", \"video\": \"a.mp4\", \"task\": \"u\"}\n",
    );
    let dataset = folder.open("manifest.jsonl").expect("it opens");
    let source = folder.path().join("a.mp4").display().to_string();
    let expected = DataFrame::new(
        2,
        vec![
            Series::new("trajectory".into(), ["a", "b"]).into(),
            Series::new("task".into(), ["t", "u"]).into(),
            Series::new("label".into(), [Some(3i64), None]).into(),
            Series::new("duration_s".into(), [Some(2.0), None]).into(),
            Series::new("source".into(), [source.as_str(), source.as_str()]).into(),
        ],
    )
    .expect("a table");
    assert!(dataset.to_frame().expect("a table").equals_missing(&expected));
    let kept = dataset.filter(|trajectory| trajectory.label.is_some());
    assert_eq!((ids(&kept), kept.name()), (vec!["a"], "manifest"));
    assert_eq!(kept.get("b").expect_err("left out").help(), Some("its trajectories: a"));
}

#[test]
fn demo_is_built_in_and_has_paraphrases_of_every_strategy() {
    let dataset = Dataset::open("demo", &OpenOptions::default()).expect("it opens");
    assert_eq!(
        (dataset.name(), dataset.get("drawer").expect("a scene").task.as_str()),
        ("demo", "open the top drawer")
    );
    let labels: std::collections::BTreeSet<_> = dataset.iter().map(|trajectory| trajectory.label).collect();
    assert_eq!(labels.len(), 5);
    for trajectory in &dataset {
        assert_eq!(trajectory.source.describe(), format!("demo:{}", trajectory.id));
        for strategy in [Strategy::Lexical, Strategy::Structural, Strategy::Adversarial] {
            let paraphrases = roborm::paraphrase::demo();
            let of = paraphrases.for_trajectory(trajectory).into_iter().filter(|it| it.strategy == strategy).count();
            assert!(of >= 4, "{of} {strategy} paraphrases of {}", trajectory.id);
        }
    }
}
