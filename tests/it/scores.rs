//! Score tables in and out.

use std::path::Path;

use polars::prelude::*;
use proptest::prelude::*;
use roborm::scores::{ScoreTable, column};

fn small() -> DataFrame {
    df! {
        "model" => ["m", "m", "m"],
        "trajectory" => ["0001", "0001", "0002"],
        "strategy" => ["original", "lexical", "original"],
        "instruction" => ["open the drawer", "pull, \"gently\"\nthe drawer", "schließe die Tür"],
        "score" => [Some(4.0), None, Some(2.5)],
        "label" => [Some(4_i64), Some(4), None],
    }
    .unwrap()
}

fn with(mut frame: DataFrame, column: Column) -> DataFrame {
    frame.with_column(column).unwrap();
    frame
}

fn strings(table: &ScoreTable, name: &str) -> Vec<Option<String>> {
    let column = table.frame().column(name).unwrap();
    column.str().unwrap().iter().map(|value| value.map(str::to_owned)).collect()
}

fn floats(table: &ScoreTable, name: &str) -> Vec<Option<f64>> {
    table.frame().column(name).unwrap().f64().unwrap().iter().collect()
}

fn ints(table: &ScoreTable, name: &str) -> Vec<Option<i64>> {
    table.frame().column(name).unwrap().i64().unwrap().iter().collect()
}

#[test]
fn line_ends_and_blank_lines_of_a_csv_make_no_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.csv");
    let rows = [
        "model,trajectory,strategy,instruction,score",
        "m,a,original,\"one\n\ntwo\",5",
        "m,a,lexical,\"x, y\",",
        "m,b,original,z,2",
    ];
    let read = |text: String| {
        std::fs::write(&path, text).unwrap();
        let table = ScoreTable::read(&path).unwrap();
        assert_eq!(ScoreTable::read_columns(&path, &["score"]).unwrap().len(), table.len());
        (strings(&table, "instruction"), floats(&table, "score"))
    };
    let plain = read(rows.join("\n"));
    assert_eq!(plain.0, ["one\n\ntwo", "x, y", "z"].map(|text| Some(text.to_owned())));
    assert_eq!(plain.1, [Some(5.0), None, Some(2.0)]);
    for end in ["\n", "\n\n", "\r\n", "\r\n\r\n", "\n\n\n"] {
        assert_eq!(read(rows.join(end) + end), plain, "{end:?}");
        assert_eq!(read(format!("{end}{}", rows.join(end))), plain, "{end:?}");
    }
    // Lines are counted as they stand in the file.
    let error = {
        std::fs::write(&path, "model,trajectory,strategy,instruction,score\n\nm,a,original,x,5\nm,a,lexical\n")
            .unwrap();
        ScoreTable::read(&path).unwrap_err()
    };
    assert!(error.to_string().contains("line 4: 3 fields, but the header has 5"), "{error}");
}

#[test]
fn takes_types_in() {
    let frame = df! {
        "model" => ["m", "m", "m"],
        "trajectory" => [1_i64, 2, 3],
        "strategy" => ["original", "original", "original"],
        "instruction" => ["a", "b", "c"],
        "score" => [4.0, f64::NAN, 1.0],
        "label" => [Some(5.0), None, Some(1.0)],
        "repeat" => [Some(0_i64), None, Some(2)],
        "mine" => [true, false, true],
    };
    let table = ScoreTable::from_frame(frame.unwrap()).unwrap();
    assert_eq!(strings(&table, "trajectory"), ["1", "2", "3"].map(|id| Some(id.to_owned())));
    assert_eq!(floats(&table, "score"), [Some(4.0), None, Some(1.0)]);
    assert_eq!(ints(&table, "label"), [Some(5), None, Some(1)]);
    assert_eq!(ints(&table, "repeat"), [Some(0), Some(0), Some(2)]);
    assert_eq!(table.unparsed(), 1);
    assert_eq!(table.frame().column("mine").unwrap().dtype(), &DataType::Boolean);

    // Whole scores as pandas or a spreadsheet has them.
    let frame = with(small(), Column::new("score".into(), [4_i64, 3, 2]));
    assert_eq!(floats(&ScoreTable::from_frame(frame).unwrap(), "score"), [Some(4.0), Some(3.0), Some(2.0)]);
}

#[test]
fn names_what_is_wrong() {
    let error = |frame: DataFrame| ScoreTable::from_frame(frame).unwrap_err();
    assert_eq!(
        error(small().drop("strategy").unwrap()).to_string(),
        "column `strategy` is missing; present: model, trajectory, instruction, score, label"
    );
    let mut renamed = small();
    renamed.rename("trajectory", "trajectories".into()).unwrap();
    assert_eq!(error(renamed).help(), Some("rename `trajectories` to `trajectory`, if that is what it is"));
    assert_eq!(
        error(with(small(), Column::new("label".into(), [4_i64, 5, 6]))).to_string(),
        "row 3: `label` is 6, outside 1 to 5"
    );
    assert_eq!(
        error(with(small(), Column::new("label".into(), [4.0, 2.5, 1.0]))).to_string(),
        "row 2: `label` is 2.5, not a whole number"
    );
    assert_eq!(
        error(with(small(), Column::new("model".into(), [Some("m"), None, Some("m")]))).to_string(),
        "row 2: `model` is null"
    );
    assert_eq!(
        error(with(small(), Column::new("score".into(), [1.0, 2.0, f64::INFINITY]))).to_string(),
        "row 3: `score` is infinite"
    );
    assert_eq!(
        error(with(small(), Column::new("score".into(), ["4", "2", "x"]))).to_string(),
        "row 3: `score` is \"x\", not a number"
    );
    assert_eq!(
        error(with(small(), Column::new("score".into(), ["4", "2", "3"]))).to_string(),
        "column `score` has type str where numbers should be"
    );
    assert_eq!(
        error(with(small(), Column::new("label".into(), [1.0, 2.0, 1e300]))).to_string(),
        "row 3: `label` is 1e300, outside 1 to 5"
    );
    assert_eq!(
        error(with(small(), Column::new("repeat".into(), [0_i64, -1, 0]))).to_string(),
        "row 2: `repeat` is -1, not a whole number from 0"
    );
    assert!(error(small().drop("score").unwrap()).is_input());
}

#[test]
fn a_word_among_the_numbers_of_a_csv_is_named_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.csv");
    let read = |rows: &str| {
        std::fs::write(&path, format!("model,trajectory,strategy,instruction,score,label\n{rows}")).unwrap();
        ScoreTable::read(&path)
    };
    // An instruction of two lines: lines are counted as an editor does.
    let error = read("m,a,original,\"lift\nit\",NaN,5\nm,a,lexical,raise it,NA,5\n").unwrap_err();
    let told = error.to_string();
    assert!(told.ends_with("s.csv: line 4: `score` is \"NA\", not a number"), "{told}");
    assert!(error.help().is_some_and(|help| help.contains("empty")), "{error:?}");
    // A row that is cut must not become an unparsed reply, nor a quote swallow the rows after it.
    for (rows, told) in [
        ("m,a,original,lift it,4,5\n\nm,a,lexical,raise it\n", "line 4: 4 fields, but the header has 6"),
        ("m,a,original,\"lift, it\",4,5,\n", "line 2: 7 fields, but the header has 6"),
        (
            "m,a,original,\"lift\n\"\"it\"\"\",4,5\nm,a,lexical,\"raise it,4,5\nm,a,x,y,1,2\n",
            "line 4: a quote is opened and never closed",
        ),
    ] {
        let error = read(rows).unwrap_err().to_string();
        assert!(error.ends_with(&format!("s.csv: {told}")), "{error}");
    }
    assert_eq!(read("m,a,original,the \"top\" one,4,5\r\nm,a,lexical,\"a 5\"\" one\",,\r\n").unwrap().len(), 2);
    let error = read("m,a,original,lift it,4,five\n").unwrap_err().to_string();
    assert!(error.ends_with("s.csv: line 2: `label` is \"five\", not a number"), "{error}");
    std::fs::write(&path, b"model,trajectory,strategy,instruction,score\nm,a,original,x,4\nm,a,lexical,\xff,4\n")
        .unwrap();
    let error = ScoreTable::read(&path).unwrap_err().to_string();
    assert!(error.ends_with("s.csv: line 3: not UTF-8"), "{error}");
    std::fs::write(&path, "model;trajectory;strategy;instruction;score\nm;a;original;x;4\n").unwrap();
    assert!(ScoreTable::read(&path).unwrap_err().help().is_some_and(|help| help.contains("commas")));
    assert_eq!(read("m,a,original,lift it,NaN,5\nm,a,lexical,raise it,,5\n").unwrap().unparsed(), 2);
}

#[test]
fn a_file_that_would_fill_the_memory_is_refused_before_it_does() {
    // tests/fixtures/manifest/make.py: 13 kB whose replies come to 1.6 GB.
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/scores/bomb.parquet");
    let error = ScoreTable::read(path).unwrap_err();
    let told = "bomb.parquet: cannot be read as Parquet: its 12575 bytes would take 1.1 GB of memory or more";
    assert!(error.to_string().ends_with(told) && error.help().is_some(), "{error:?}");
    // Its other columns are as harmless as they look.
    assert_eq!(ScoreTable::read_columns(path, &["model", "score"]).unwrap().len(), 12);
    roborm::robustness::Analysis::new().run_file(path).unwrap();
}

#[test]
fn refuses_a_key_that_stands_twice() {
    let twice = small().vstack(&small().slice(1, 1)).unwrap();
    assert_eq!(
        ScoreTable::from_frame(twice.clone()).unwrap_err().to_string(),
        "rows 2 and 4 have the same key: model \"m\", trajectory \"0001\", strategy \"lexical\", instruction \
         \"pull, \"gently\"\nthe drawer\""
    );
    // Any part of the key tells rows apart; null counts as a value.
    for part in ["dataset", "config", "seed"] {
        let told_apart = with(twice.clone(), Column::new(part.into(), [None, Some("a"), None, Some("b")]));
        ScoreTable::from_frame(told_apart).unwrap();
        let alike = with(twice.clone(), Column::new(part.into(), [None::<&str>, None, None, None]));
        ScoreTable::from_frame(alike).unwrap_err();
    }
    ScoreTable::from_frame(with(twice.clone(), Column::new("repeat".into(), [0_i64, 0, 0, 1]))).unwrap();
    // What is no part of the key does not.
    ScoreTable::from_frame(with(twice, Column::new("score".into(), [1.0, 2.0, 3.0, 4.0]))).unwrap_err();
}

#[test]
fn finds_one_repeated_key_among_many() {
    let rows = 200_000_usize;
    let many = |last: usize| {
        let of = |n: usize| if n == rows - 1 { last } else { n };
        df! {
            "model" => vec!["m"; rows],
            "trajectory" => (0..rows).map(|n| format!("t{}", of(n) / 16)).collect::<Vec<_>>(),
            "strategy" => vec!["lexical"; rows],
            "instruction" => (0..rows).map(|n| format!("wording {}", of(n) % 16)).collect::<Vec<_>>(),
            "score" => vec![1.0; rows],
        }
        .unwrap()
    };
    ScoreTable::from_frame(many(rows - 1)).unwrap();
    let error = ScoreTable::from_frame(many(777)).unwrap_err().to_string();
    assert!(error.starts_with("rows 778 and 200000 have the same key"), "{error}");
}

#[test]
fn joins_tables() {
    let one = ScoreTable::from_frame(small()).unwrap();
    let other = df! {
        "model" => ["n"], "trajectory" => ["0001"], "strategy" => ["original"], "instruction" => ["open the drawer"],
        "score" => [3.0], "provider" => ["p"],
    };
    let other = ScoreTable::from_frame(other.unwrap()).unwrap();
    let both = ScoreTable::concat(&[one.clone(), other]).unwrap();
    assert_eq!(both.len(), 4);
    assert_eq!(ints(&both, "label"), [Some(4), Some(4), None, None]);
    assert_eq!(strings(&both, "provider"), [None, None, None, Some("p".to_owned())]);
    assert!(ScoreTable::concat(&[one.clone(), one]).unwrap_err().to_string().contains("rows 1 and 4"));
}

#[test]
fn reads_what_pandas_writes() {
    let table = ScoreTable::read(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/scores/pandas.parquet")).unwrap();
    // The values of make.py.
    assert_eq!(strings(&table, "model"), ["m1", "m1", "m2", "m2"].map(|name| Some(name.to_owned())));
    assert_eq!(strings(&table, "trajectory"), ["7", "7", "7", "8"].map(|name| Some(name.to_owned())));
    assert_eq!(floats(&table, "score"), [Some(4.0), None, Some(2.0), Some(5.0)]);
    assert_eq!(ints(&table, "label"), [Some(4), Some(4), Some(4), None]);
    assert_eq!(strings(&table, "note"), [Some("a".to_owned()), None, Some("c".to_owned()), Some("d".to_owned())]);
}

#[test]
fn reads_some_columns() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["t.parquet", "t.csv", "t.jsonl"] {
        let path = folder.path().join(name);
        ScoreTable::from_frame(small()).unwrap().write(&path).unwrap();
        let table = ScoreTable::read_columns(&path, &["score", "label", "dataset"]).unwrap();
        assert_eq!(table.frame().get_column_names(), ["score", "label"], "{name}");
        assert_eq!(floats(&table, "score"), [Some(4.0), None, Some(2.5)]);
        let names = ScoreTable::column_names(&path).unwrap();
        assert_eq!(names, ["model", "trajectory", "strategy", "instruction", "score", "label"], "{name}");
    }
}

#[test]
fn refuses_files_that_are_none() {
    let folder = tempfile::tempdir().unwrap();
    let error = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let error = ScoreTable::read(&path).unwrap_err();
        let message = error.to_string();
        assert!(message.contains(name), "{message}");
        message.replace(&path.display().to_string(), "FILE")
    };
    assert_eq!(error("a.csv", b""), "FILE is empty");
    assert_eq!(error("a.xlsx", b"x"), "FILE: not a format of score tables");
    error("a.parquet", b"PAR1 but not for long PAR1");
    assert_eq!(
        error("b.csv", b"model,trajectory,instruction,score\nm,1,a,2\n"),
        "FILE: column `strategy` is missing; present: model, trajectory, instruction, score"
    );
    assert_eq!(
        error("c.csv", b"model,trajectory,strategy,instruction,score,label\nm,1,original,a,2,9\n"),
        "FILE: row 1: `label` is 9, outside 1 to 5"
    );
    let good = r#"{"model":"m","trajectory":"1","strategy":"original","instruction":"a","score":2}"#;
    assert_eq!(error("d.jsonl", format!("{good}\n\n[1]\n").as_bytes()), "FILE: line 3: not a JSON object");
    assert!(error("e.jsonl", format!("{good}\n{{\"model\":\n").as_bytes()).starts_with("FILE: line 2: not JSON"));
    assert_eq!(error("f.jsonl", br#"{"model":"m"}"#), "FILE: column `trajectory` is missing; present: model");
    let gone = ScoreTable::read(folder.path().join("gone.csv")).unwrap_err().to_string();
    assert!(gone.starts_with("cannot read ") && gone.contains("gone.csv"), "{gone}");
    let error = ScoreTable::read(folder.path()).unwrap_err();
    assert!(error.is_usage(), "a folder has no extension: {error}");
}

#[test]
fn keeps_ids_of_digits_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ids.csv");
    std::fs::write(
        &path,
        "model,trajectory,strategy,instruction,score,seed,repeat,label,mine\n\
         m,000017,original,007,,,0,4,1\n\
         m,17,original,7,3,012,1,,2\n",
    )
    .unwrap();
    let table = ScoreTable::read(&path).unwrap();
    assert_eq!(strings(&table, "trajectory"), ["000017", "17"].map(|id| Some(id.to_owned())));
    assert_eq!(strings(&table, "instruction"), ["007", "7"].map(|id| Some(id.to_owned())));
    assert_eq!(strings(&table, "seed"), [None, Some("012".to_owned())]);
    assert_eq!(floats(&table, "score"), [None, Some(3.0)]);
    assert_eq!(ints(&table, "label"), [Some(4), None]);
    assert_eq!(ints(&table, "mine"), [Some(1), Some(2)]);
}

#[test]
fn writes_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    let table = ScoreTable::from_frame(small()).unwrap();
    table.write(&path).unwrap();
    let before = std::fs::read(&path).unwrap();
    // A list has no place in a CSV file.
    let list = Column::new(
        "list".into(),
        [Series::new("".into(), [1_i64]), Series::new("".into(), [2_i64]), Series::new("".into(), [3_i64])],
    );
    let nested = ScoreTable::from_frame(with(small(), list)).unwrap();
    let error = nested.write(&path).unwrap_err().to_string();
    assert!(error.contains("t.csv"), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left lying about");
    nested.write(folder.path().join("t.parquet")).unwrap();
    nested.write(folder.path().join("t.jsonl")).unwrap();

    let error = table.write(folder.path().join("no/such/t.csv")).unwrap_err();
    assert!(error.to_string().starts_with("cannot write "), "{error}");
    assert!(table.write(folder.path().join("t.txt")).unwrap_err().is_usage());
}

#[test]
fn a_link_stays_a_link_and_a_pipe_a_pipe() {
    use std::os::unix::fs::{FileTypeExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let table = ScoreTable::from_frame(small()).unwrap();
    std::fs::write(at("there.csv"), "old").unwrap();
    symlink(at("there.csv"), at("link.csv")).unwrap();
    table.write(at("link.csv")).unwrap();
    assert!(at("link.csv").is_symlink());
    assert!(std::fs::read_to_string(at("there.csv")).unwrap().starts_with("model,"));
    symlink(at("nowhere.csv"), at("loose.csv")).unwrap();
    assert!(table.write(at("loose.csv")).unwrap_err().to_string().contains("loose.csv, a link"));
    std::fs::create_dir(at("folder.csv")).unwrap();
    assert!(table.write(at("folder.csv")).unwrap_err().to_string().ends_with("it is a folder"));

    assert!(std::process::Command::new("mkfifo").arg(at("pipe.csv")).status().unwrap().success());
    let read = std::thread::spawn({
        let pipe = at("pipe.csv");
        move || std::fs::read_to_string(pipe).unwrap()
    });
    table.write(at("pipe.csv")).unwrap();
    assert!(read.join().unwrap().starts_with("model,"));
    assert!(std::fs::metadata(at("pipe.csv")).unwrap().file_type().is_fifo());
}

#[derive(Clone, Debug)]
struct Line {
    model: String,
    trajectory: String,
    strategy: String,
    instruction: String,
    score: Option<f64>,
    label: Option<i64>,
    seed: Option<String>,
    cost: Option<f64>,
    mine: Option<String>,
}

prop_compose! {
    // A text is never empty: CSV cannot tell an empty one from none.
    fn line()(
        model in "[a-z/.:-]{1,8}",
        trajectory in "[0-9]{1,6}|\\PC{1,8}",
        strategy in "original|lexical|[a-z ]{1,5}",
        instruction in "[\\PC\n\r\t,;\"']{1,20}",
        score in proptest::option::of(prop_oneof![1.0..5.0_f64, (1..=5_i32).prop_map(f64::from)]),
        label in proptest::option::of(1..=5_i64),
        seed in proptest::option::of("\\PC{1,5}"),
        cost in proptest::option::of(0.0..1e-2_f64),
        mine in proptest::option::of("[a-z]{1,4}"),
    ) -> Line {
        Line { model, trajectory, strategy, instruction, score, label, seed, cost, mine }
    }
}

fn table_of(lines: &[Line]) -> ScoreTable {
    let text = |field: fn(&Line) -> &String| lines.iter().map(|line| field(line).as_str()).collect::<Vec<_>>();
    let frame = df! {
        "model" => text(|line| &line.model),
        "trajectory" => text(|line| &line.trajectory),
        "strategy" => text(|line| &line.strategy),
        "instruction" => text(|line| &line.instruction),
        "score" => lines.iter().map(|line| line.score).collect::<Vec<_>>(),
        "label" => lines.iter().map(|line| line.label).collect::<Vec<_>>(),
        "seed" => lines.iter().map(|line| line.seed.clone()).collect::<Vec<_>>(),
        "repeat" => (0..lines.len() as i64).collect::<Vec<_>>(),
        "cost_usd" => lines.iter().map(|line| line.cost).collect::<Vec<_>>(),
        // Of text for certain: an unknown column that is null throughout has no type in CSV and JSONL.
        "mine" => lines.iter().enumerate().map(|(n, line)| if n == 0 { Some("x".to_owned()) } else { line.mine.clone() }).collect::<Vec<_>>(),
    };
    ScoreTable::from_frame(frame.unwrap()).unwrap()
}

fn round_trip(table: &ScoreTable, path: &Path) -> DataFrame {
    table.write(path).unwrap();
    ScoreTable::read(path).unwrap().into_frame()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn comes_back_as_it_was(lines in proptest::collection::vec(line(), 1..12)) {
        let table = table_of(&lines);
        let folder = tempfile::tempdir().unwrap();
        for name in ["t.parquet", "t.csv", "t.jsonl"] {
            let back = round_trip(&table, &folder.path().join(name));
            prop_assert!(back.equals_missing(table.frame()), "{}: {:?} against {:?}", name, back, table.frame());
        }
    }
}

#[test]
fn names_of_columns_are_those_of_the_contract() {
    assert_eq!(column::REQUIRED, ["model", "trajectory", "strategy", "instruction", "score"]);
    assert_eq!(column::KEY, ["dataset", "model", "config", "trajectory", "strategy", "instruction", "seed", "repeat"]);
}
