//! Configs, datasets, repeats, variants, and what is refused.

use roborm::prelude::*;
use roborm::robustness::{Analysis, Key, LeftOut, Repeats, Robustness, Unparsed};

fn scores() -> DataFrame {
    df![
        "model" => ["m"; 6],
        "trajectory" => ["t1", "t1", "t1", "t2", "t2", "t2"],
        "strategy" => ["lexical"; 6],
        "instruction" => ["a", "b", "c", "a", "b", "c"],
        "score" => [5.0, 1.0, 5.0, 2.0, 2.0, 5.0],
        "label" => [5i64, 5, 5, 1, 1, 1],
    ]
    .unwrap()
}

fn with(column: Column) -> ScoreTable {
    let mut frame = scores();
    frame.with_column(column).unwrap();
    ScoreTable::from_frame(frame).unwrap()
}

fn rates(analysis: &Analysis, table: &ScoreTable) -> Vec<(String, Option<f64>, u64)> {
    rates_of(&analysis.run(table).unwrap())
}

fn rates_of(result: &Robustness) -> Vec<(String, Option<f64>, u64)> {
    result.rows.iter().map(|row| (row.group.to_string(), row.crossing_rate.value, row.crossing_rate.n)).collect()
}

#[test]
fn configs_of_one_model_are_grouped_apart_and_the_table_says_so() {
    // Under config x: t1 (5, 1) crosses, t2 (2, 2) does not. Under y: one reply each.
    let table = with(Column::new("config".into(), ["x", "x", "y", "x", "x", "y"]));
    let result = Analysis::new().run(&table).unwrap();
    assert_eq!(*result.by, ["model", "config", "strategy"]);
    assert_eq!(
        rates(&Analysis::new(), &table),
        [("m, x, lexical".to_owned(), Some(0.5), 2), ("m, y, lexical".to_owned(), None, 0)]
    );
    assert_eq!(result.to_json()[0]["config"], "x");
    assert!(result.to_frame().unwrap().column("config").is_ok());
    assert_eq!(*Analysis::new().by(["strategy"]).run(&table).unwrap().by, ["strategy", "config"]);

    let one = with(Column::new("config".into(), ["x"; 6]));
    assert_eq!(*Analysis::new().run(&one).unwrap().by, ["model", "strategy"]);
}

#[test]
fn equal_ids_of_two_datasets_are_two_trajectories() {
    // bridge: t1 (5, 1) crosses, t2 (2, 2) does not; droid: single replies.
    let table = with(Column::new("dataset".into(), ["bridge", "bridge", "droid", "bridge", "bridge", "droid"]));
    let result = Analysis::new().pool_datasets().run(&table).unwrap();
    assert_eq!((result.rows[0].trajectories, result.rows[0].crossing_rate.n), (4, 2));
    assert_eq!(result.rows[0].crossing_rate.value, Some(0.5));

    // Unless they are asked for as one, each stands by itself.
    let result = Analysis::new().run(&table).unwrap();
    assert_eq!(*result.by, ["dataset", "model", "strategy"]);
    let of = |row: usize| (result.rows[row].group.text("dataset"), result.rows[row].trajectories);
    assert_eq!((result.rows.len(), of(0), of(1)), (2, (Some("bridge"), 2), (Some("droid"), 2)));
    assert_eq!(result.rows[1].crossing_rate.value, None);
}

#[test]
fn only_repeat_0_enters_unless_the_mean_is_asked_for() {
    let table = ScoreTable::from_frame(
        df![
            "model" => ["m"; 6],
            "trajectory" => ["t"; 6],
            "strategy" => ["lexical"; 6],
            "instruction" => ["a", "a", "b", "b", "c", "c"],
            "repeat" => [0i64, 1, 0, 1, 0, 1],
            "score" => [Some(5.0), Some(1.0), Some(4.0), None, None, None],
            "label" => [4i64; 6],
        ]
        .unwrap(),
    )
    .unwrap();
    let first = Analysis::new().run(&table).unwrap();
    assert_eq!((first.rows[0].pairs, first.rows[0].unparsed), (3, 1));
    assert_eq!(first.rows[0].crossing_rate.value, Some(0.0)); // 5, 4
    assert_eq!(first.left_out, LeftOut { repeats: 3, ..Default::default() });

    let mean = Analysis::new().repeats(Repeats::Mean).run(&table).unwrap();
    assert_eq!((mean.rows[0].pairs, mean.rows[0].unparsed), (3, 1));
    assert_eq!(mean.rows[0].crossing_rate.value, Some(1.0)); // 3, 4
    assert_eq!(mean.rows[0].range.value, Some(1.0));
    assert_eq!(mean.rows[0].mean_error.value, Some(0.5)); // |3 - 4| and |4 - 4|
    assert_eq!(mean.rows[0].failure_rate.value, Some(0.5));

    let apart = Analysis::new().by(["repeat"]).run(&table).unwrap();
    let keys: Vec<_> = apart.rows.iter().map(|row| row.group.get("repeat").cloned()).collect();
    assert_eq!(keys, [Some(Key::Integer(0)), Some(Key::Integer(1))]);
    assert!(Analysis::new().by(["repeat"]).repeats(Repeats::Mean).run(&table).unwrap_err().is_usage());
}

#[test]
fn variants_made_for_aggregation_are_not_paraphrases() {
    // The third text of each trajectory is a variant of its second.
    let table = with(Column::new("seed".into(), [None, None, Some("b"), None, None, Some("b")]));
    let result = Analysis::new().run(&table).unwrap();
    assert_eq!(result.rows[0].pairs, 4);
    assert_eq!(result.rows[0].crossing_rate.value, Some(0.5)); // with the variants t2 (2, 2, 5) would cross
    assert_eq!(result.left_out, LeftOut { variants: 2, ..Default::default() });
    assert_eq!(rates(&Analysis::new().by(["seed", "strategy"]), &table).len(), 2);
}

#[test]
fn any_column_groups() {
    let label = Analysis::new().by(["label"]).run(&with(Column::new("x".into(), [1; 6]))).unwrap();
    assert_eq!(
        label.rows.iter().map(|row| row.group.get("label").cloned()).collect::<Vec<_>>(),
        [Some(Key::Integer(1)), Some(Key::Integer(5))]
    );
    assert_eq!(label.to_json()[1]["label"], 5);
    let flag = with(Column::new("held_out".into(), [Some(true), Some(true), Some(true), None, None, None]));
    let flag = Analysis::new().by(["held_out", "model"]).run(&flag).unwrap();
    assert_eq!(flag.to_json()[0]["held_out"], true);
    assert_eq!(flag.to_json()[1]["held_out"], serde_json::Value::Null);
    let trajectory =
        Analysis::new().by(["trajectory", "strategy"]).run(&with(Column::new("x".into(), [1; 6]))).unwrap();
    assert_eq!(trajectory.rows.len(), 2);
    // One trajectory says nothing about others.
    assert_eq!(trajectory.rows[0].crossing_rate.value, Some(1.0));
    assert_eq!(trajectory.rows[0].crossing_rate.interval, None);
}

#[test]
fn models_never_disagree_with_each_other() {
    let mut frame = scores();
    // Each model says one thing always.
    frame.with_column(Column::new("model".into(), ["a", "b", "a", "b", "b", "a"])).unwrap();
    frame.with_column(Column::new("score".into(), [5.0, 1.0, 5.0, 1.0, 1.0, 5.0])).unwrap();
    let pooled = Analysis::new().by(["strategy"]).run(&ScoreTable::from_frame(frame).unwrap()).unwrap();
    assert_eq!(pooled.rows[0].trajectories, 2);
    // Two units have two replies (t1 by a, t2 by b); none crosses.
    assert_eq!((pooled.rows[0].crossing_rate.value, pooled.rows[0].crossing_rate.n), (Some(0.0), 2));
}

#[test]
fn a_table_without_labels_has_crossing_but_no_failure() {
    let table = ScoreTable::from_frame(scores().drop("label").unwrap()).unwrap();
    let row = Analysis::new().run(&table).unwrap().rows.remove(0);
    assert_eq!((row.crossing_rate.value, row.crossing_rate.n), (Some(1.0), 2));
    assert_eq!((row.failure_rate.value, row.failure_rate.n), (None, 0));
    assert_eq!((row.mean_error.value, row.mean_error.n), (None, 0));
    assert!(Analysis::new().confusion(&table).unwrap_err().to_string().contains("label"));
}

#[test]
fn errors_say_what_and_what_to_do() {
    let table = ScoreTable::from_frame(scores()).unwrap();
    for boundary in [f64::NAN, f64::INFINITY] {
        let error = Analysis::new().boundary(boundary).run(&table).unwrap_err();
        assert!(error.is_usage() && error.to_string().contains("boundary"), "{error}");
    }
    let error = Analysis::new().by(["stratgy"]).run(&table).unwrap_err();
    assert!(error.is_usage() && error.to_string().contains("`stratgy`"), "{error}");
    let help = error.help().unwrap();
    assert!(help.contains("did you mean strategy") && help.contains("instruction"), "{help}");
    for level in [0.0, 1.0, 95.0, f64::NAN] {
        assert!(Analysis::new().level(level).run(&table).unwrap_err().is_usage());
    }
    assert!(Analysis::new().unparsed(Unparsed::As(f64::NAN)).run(&table).unwrap_err().is_usage());
    assert!("as-sucess".parse::<Unparsed>().unwrap_err().is_usage());
    let empty = ScoreTable::from_frame(scores().head(Some(0))).unwrap();
    assert!(Analysis::new().run(&empty).unwrap_err().to_string().contains("empty"));
    let error = Analysis::new().compare(&table, "m", "n").unwrap_err();
    assert!(error.is_usage() && error.to_string().contains("`n`"), "{error}");
    assert!(Analysis::new().compare(&table, "m", "lexical").unwrap_err().is_usage());
    assert!(Analysis::new().compare(&table, "m", "m").unwrap_err().is_usage());
}

#[test]
fn files_that_are_not_score_tables_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("empty.parquet"), b"").unwrap();
    std::fs::write(path("text.parquet"), b"model,trajectory,strategy,score\nm,t,lexical,5\n").unwrap();
    let mut frame = scores();
    let file = std::fs::File::create(path("whole.parquet")).unwrap();
    polars_io::prelude::ParquetWriter::new(file).finish(&mut frame).unwrap();
    let bytes = std::fs::read(path("whole.parquet")).unwrap();
    std::fs::write(path("cut.parquet"), &bytes[..bytes.len() / 2]).unwrap();
    // Damage in the middle of the file: an error or, where it hits nothing that is read, a result; never a panic.
    for at in (4..bytes.len() - 8).step_by(7) {
        let mut damaged = bytes.clone();
        for byte in &mut damaged[at..at + 4] {
            *byte ^= 0xa5;
        }
        std::fs::write(path("damaged.parquet"), damaged).unwrap();
        _ = Analysis::new().run_file(path("damaged.parquet"));
    }
    for name in ["empty.parquet", "text.parquet", "cut.parquet", "absent.parquet", "."] {
        let error = Analysis::new().run_file(path(name)).unwrap_err();
        assert!(error.to_string().contains(name), "{name}: {error}");
    }
    assert_eq!(Analysis::new().run_file(path("whole.parquet")).unwrap().rows.len(), 1);
}

#[test]
fn categories_of_pandas_are_texts() {
    // Written by `make.py` of the fixture through pandas, whose categories Parquet keeps as dictionaries.
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/robustness/categories.parquet");
    let result = Analysis::new().run_file(path).unwrap();
    assert_eq!(rates_of(&result), [("m, lexical".to_owned(), Some(0.5), 2)]);
}
