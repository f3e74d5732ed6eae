//! RoboReward splits.

use super::*;

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
