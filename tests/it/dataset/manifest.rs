//! Manifests in their three formats, and what is wrong with them.

use super::*;

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
fn line_ends_and_blank_lines_of_a_csv_make_no_rows() {
    for end in ["\n", "\r\n", "\r\n\r\n", "\n\n\n"] {
        let lines = ["trajectory,video,task,label", "a,a.mp4,\"two\n\nlines\",4", "b,a.mp4,t,"];
        let folder = Folder::new(&[("m.csv", format!("{end}{}{end}", lines.join(end)).as_bytes()), ("a.mp4", b"a")]);
        let dataset = folder.open("m.csv").unwrap_or_else(|error| panic!("{end:?}: {error:?}"));
        let rows: Vec<_> = dataset.iter().map(|it| (it.id.as_str(), it.task.as_str(), it.label)).collect();
        assert_eq!(rows, [("a", "two\n\nlines", label(4)), ("b", "t", None)], "{end:?}");
    }
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

#[test]
fn manifests_as_pandas_writes_them() {
    // tests/fixtures/manifest/make.py: whole numbers as floats for the gap among them, categories.
    let expected =
        [("a", "open the drawer", label(5)), ("b", "wipe the table", None), ("c", "open the drawer", label(1))];
    for name in ["plain.parquet", "plain.csv", "category.parquet"] {
        let dataset = Dataset::open(&fixture(&format!("manifest/{name}")), &OpenOptions::default()).expect("it opens");
        let rows: Vec<_> = dataset.iter().map(|it| (it.id.as_str(), it.task.as_str(), it.label)).collect();
        assert_eq!(rows, expected, "{name}");
    }
    let time = Dataset::open(&fixture("manifest/time.parquet"), &OpenOptions::default()).expect_err("no text");
    assert!(time.to_string().ends_with("time.parquet, row 1: task (a value of another type) is not text"));
}

#[test]
fn a_cut_parquet_file_is_an_error_that_names_it() {
    let whole = fs::read(fixture("manifest/plain.parquet")).expect("it exists");
    for cut in (1..whole.len()).step_by(151) {
        let folder = Folder::new(&[("cut.parquet", &whole[..cut])]);
        let error = folder.open("cut.parquet").expect_err("cut");
        assert!(error.is_input() && error.to_string().contains("cut.parquet is "), "{error:?}");
    }
}

#[test]
fn a_file_that_would_fill_the_memory_is_refused_before_it_does() {
    // tests/fixtures/manifest/make.py: 9 kB that come to 1.6 GB.
    let bytes = fs::read(fixture("manifest/bomb.parquet")).expect("it exists");
    let error = Folder::new(&[("m.parquet", &bytes)]).error("m.parquet");
    let told = "m.parquet is not a readable Parquet file: its 9229 bytes would take 1.1 GB of memory or more";
    assert!(error.starts_with(told), "{error}");
    // Nor is a page believed that says it comes to two gigabytes, or that there are more of them than there are.
    let plain = fs::read(fixture("manifest/plain.parquet")).expect("it exists");
    for at in 4..plain.len() {
        let mut bytes = plain.clone();
        bytes[at] ^= 0xff;
        let folder = Folder::new(&[("m.parquet", &bytes)]);
        // What it comes to is the damage's affair; that it comes to something at all is this test.
        drop(folder.open("m.parquet"));
    }
}

#[test]
fn a_row_count_that_its_groups_do_not_have_is_damage() {
    let mut bytes = fs::read(fixture("manifest/plain.parquet")).expect("it exists");
    // Thrift: the file's number of rows (field 3, an i64, 3 in zigzag) stands before its list of row groups.
    let at = bytes.windows(5).rposition(|it| it[..4] == [0x16, 0x06, 0x19, 0x1c]).expect("the field");
    bytes[at + 1] = 0x08;
    let error = Folder::new(&[("m.parquet", &bytes)]).error("m.parquet");
    let told = "m.parquet is not a readable Parquet file: its footer contradicts itself";
    assert_eq!(error, format!("{told}\n  help: write it again, or take the copy it came from"));
}
