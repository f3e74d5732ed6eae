//! LeRobot datasets, against lerobot's own reader.

use super::*;

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
        ["1 episode (1) has no task and is left out", "1 episode (2) has several tasks, of which the first is taken"]
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

/// The v3.0 fixture with its episodes written anew, all in one file, with another value in place of some columns.
fn rewritten(columns: Vec<Series>) -> Folder {
    let folder = Folder::new(&[]);
    for name in ["info.json", "tasks.parquet"] {
        folder.add(
            &format!("set/meta/{name}"),
            &fs::read(fixture(&format!("lerobot/v3.0/meta/{name}"))).expect("it exists"),
        );
    }
    let of = |what: &str| format!("videos/observation.images.top/{what}").into();
    let mut frame = DataFrame::new(
        5,
        vec![
            Series::new("episode_index".into(), [0i64, 1, 2, 3, 4]).into(),
            Series::new("tasks".into(), ["t"; 5]).into(),
            Series::new(of("chunk_index"), [0i64; 5]).into(),
            Series::new(of("file_index"), [0i64; 5]).into(),
            Series::new(of("from_timestamp"), [0.0, 1.0, 2.0, 3.0, 4.0]).into(),
            Series::new(of("to_timestamp"), [1.0, 2.0, 3.0, 4.0, 5.0]).into(),
        ],
    )
    .expect("a table");
    for column in columns {
        frame.with_column(column.into()).expect("a column");
    }
    fs::create_dir_all(folder.path().join("set/meta/episodes/chunk-000")).expect("a folder");
    let file = fs::File::create(folder.path().join("set/meta/episodes/chunk-000/file-000.parquet")).expect("a file");
    polars_io::parquet::write::ParquetWriter::new(file).finish(&mut frame).expect("written");
    folder
}

#[test]
fn lerobot_v3_0_tasks_by_number() {
    let folder = rewritten(vec![Series::new("tasks".into(), [2i64, 1, 0, 1, 2])]);
    let dataset = folder.open_with("set", camera("top")).expect("it opens");
    let tasks: Vec<&str> = dataset.iter().map(|trajectory| trajectory.task.as_str()).collect();
    let [zero, one, two] =
        ["put the cup on the plate", "open the drawer", "wipe the table with the “blue” cloth, gently"];
    assert_eq!(tasks, [two, one, zero, one, two]);
    // Without a length, an episode lasts as long as its part of the video.
    assert!(dataset.iter().all(|trajectory| trajectory.duration_s == Some(1.0)));
}

#[test]
fn faults_of_a_lerobot_v3_0_dataset() {
    let of = |what: &str| format!("videos/observation.images.top/{what}");
    let said = |column: Series| {
        let folder = rewritten(vec![column]);
        folder.strip(&folder.open_with("set", camera("top")).expect_err("a fault"))
    };
    let place = "set/meta/episodes/chunk-000/file-000.parquet, row 2: ";
    assert_eq!(
        said(Series::new(of("to_timestamp").into(), [1.0, 1.0, 3.0, 4.0, 5.0])),
        format!("{place}{} 1 to {} 1 is no span", of("from_timestamp"), of("to_timestamp"))
    );
    assert_eq!(
        said(Series::new(of("from_timestamp").into(), [0.0, f64::NAN, 2.0, 3.0, 4.0])),
        format!("{place}{} NaN is not a number", of("from_timestamp"))
    );
    assert_eq!(
        said(Series::new(of("file_index").into(), [0i64, -1, 0, 0, 0])),
        format!("{place}{} -1 is no index", of("file_index"))
    );
    let folder = rewritten(Vec::new());
    let error = folder.strip(&folder.open_with("set", camera("wrist")).expect_err("not in the episodes"));
    assert!(error.starts_with(
        "set/meta/episodes/chunk-000/file-000.parquet: no column videos/observation.images.wrist/chunk_index\n  help: columns present: "
    ));
    fs::remove_dir_all(folder.path().join("set/meta/episodes/chunk-000")).expect("removed");
    assert_eq!(
        folder.strip(&folder.open_with("set", camera("top")).expect_err("no episodes")).lines().next(),
        Some("set/meta/episodes has no chunk-*/file-*.parquet")
    );
}
