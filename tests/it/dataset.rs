//! What lies on a disk, opened as a dataset.

// A test that is skipped says so.
#![allow(clippy::print_stderr)]

mod lerobot;
mod manifest;
mod paths;
mod roboreward;

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
