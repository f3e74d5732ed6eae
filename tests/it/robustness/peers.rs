//! The same figures by others: pandas, polars' lazy expressions, and the resampling written out in Python.

use std::fs::File;
use std::path::Path;

use polars_io::SerReader;
use polars_io::prelude::{CsvReadOptions, ParquetWriter};
use roborm::prelude::*;
use roborm::robustness::{Analysis, Metric, Repeats, Robustness, expr};

fn fixture(name: &str) -> DataFrame {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/robustness").join(name);
    let options = CsvReadOptions::default().with_infer_schema_length(None);
    options.try_into_reader_with_file_path(Some(path)).unwrap().finish().unwrap()
}

fn float(frame: &DataFrame, column: &str, row: usize) -> Option<f64> {
    frame.column(column).unwrap().cast(&DataType::Float64).unwrap().f64().unwrap().get(row)
}

fn text<'a>(frame: &'a DataFrame, column: &str, row: usize) -> &'a str {
    frame.column(column).unwrap().str().unwrap().get(row).unwrap()
}

fn close(a: Option<f64>, b: Option<f64>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() < 1e-9,
        (a, b) => a == b,
    }
}

#[test]
fn pandas_gives_the_same_figures_and_python_the_same_intervals() {
    let table = ScoreTable::from_frame(fixture("scores.csv")).unwrap();
    let expected = fixture("expected.csv");
    assert_eq!(expected.height(), 3 * 2 * 4);
    for i in 0..expected.height() {
        let number = |name: &str| float(&expected, name, i);
        let analysis = Analysis::new()
            .pool_datasets()
            .boundary(number("boundary").unwrap())
            .ddof(number("ddof").unwrap() as u8)
            .resamples(200)
            .seed(7);
        let result = analysis.run(&table).unwrap();
        let (model, strategy) = (text(&expected, "model", i), text(&expected, "strategy", i));
        let row = result.row(model, strategy).unwrap();
        assert_eq!(Some(row.trajectories as f64), number("trajectories"));
        assert_eq!(Some(row.pairs as f64), number("pairs"));
        assert_eq!(Some(row.unparsed as f64), number("unparsed"));
        for (metric, name) in [
            (Metric::CrossingRate, "crossing"),
            (Metric::FailureRate, "failure"),
            (Metric::FailedTrajectories, "failed_trajectories"),
            (Metric::MeanError, "mean_error"),
            (Metric::Range, "range"),
            (Metric::Std, "std"),
        ] {
            let ours = row.estimate(metric);
            let end = |end: &str| number(&format!("{name}_{end}"));
            assert_eq!(Some(ours.n as f64), end("n"), "{model} {strategy} {name}");
            assert!(close(ours.value, number(name)), "{model} {strategy} {name}: {ours:?}");
            assert!(close(ours.interval.map(|i| i.0), end("lo")), "{model} {strategy} {name}: {ours:?}");
            assert!(close(ours.interval.map(|i| i.1), end("hi")), "{model} {strategy} {name}: {ours:?}");
        }
    }
}

/// Every figure of the lazy expressions against those of the analysis.
pub fn agree(result: &Robustness, lazy: &DataFrame) {
    let native = result.to_frame().unwrap();
    assert_eq!(native.height(), lazy.height());
    for row in 0..native.height() {
        // The expressions sort strategies by name.
        let key = |frame: &DataFrame, row: usize| -> Vec<String> {
            result.by.iter().map(|name| frame.column(name).unwrap().get(row).unwrap().to_string()).collect()
        };
        let other = (0..lazy.height()).find(|other| key(lazy, *other) == key(&native, row)).expect("the same groups");
        for column in lazy.get_column_names().into_iter().skip(result.by.len()) {
            let (ours, theirs) = (float(&native, column, row), float(lazy, column, other));
            assert!(close(ours, theirs), "{column} of {:?}: {ours:?}, {theirs:?}", key(lazy, other));
        }
    }
}

#[test]
fn lazy_expressions_agree_with_the_analysis() {
    let frame = fixture("scores.csv");
    let table = ScoreTable::from_frame(frame.clone()).unwrap();
    let groupings: [&[&str]; 5] = [
        &["model", "strategy"],
        &["model"],
        &["strategy"],
        &["dataset", "label"],
        &["model", "strategy", "trajectory"],
    ];
    for by in groupings {
        for (boundary, ddof) in [(3.5, 0), (2.0, 1), (4.5, 2)] {
            let analysis =
                Analysis::new().pool_datasets().by(by.iter().copied()).boundary(boundary).ddof(ddof).resamples(0);
            let lazy = expr::robustness(frame.clone().lazy(), by, boundary, ddof).unwrap().collect().unwrap();
            agree(&analysis.run(&table).unwrap(), &lazy);
        }
    }
}

#[test]
fn a_file_read_in_pieces_gives_what_the_table_gives() {
    let mut frame = fixture("scores.csv");
    let table = ScoreTable::from_frame(frame.clone()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scores.parquet");
    for rows in [37, 1 << 20] {
        let writer = ParquetWriter::new(File::create(&path).unwrap()).with_row_group_size(Some(rows));
        writer.finish(&mut frame).unwrap();
        for analysis in
            [Analysis::new(), Analysis::new().by(["dataset"]).ddof(1), Analysis::new().repeats(Repeats::Mean)]
        {
            let (of_table, of_file) = (analysis.run(&table).unwrap(), analysis.run_file(&path).unwrap());
            for (a, b) in of_table.rows.iter().zip(&of_file.rows) {
                assert_eq!((&a.group, a.trajectories, a.pairs), (&b.group, b.trajectories, b.pairs));
                for metric in Metric::ALL {
                    let (a, b) = (a.estimate(metric), b.estimate(metric));
                    assert!(close(a.value, b.value) && a.n == b.n, "{a:?} {b:?}");
                    assert!(close(a.interval.map(|i| i.0), b.interval.map(|i| i.0)), "{a:?} {b:?}");
                }
            }
        }
        let compared = Analysis::new().compare_file(&path, "alpha", "beta").unwrap();
        // Four strategies of each of two datasets.
        assert_eq!(compared.rows.len(), 8);
        let pooled = Analysis::new().pool_datasets().compare_file(&path, "alpha", "beta").unwrap();
        assert_eq!(pooled.rows.len(), 4);
    }
}

#[test]
fn a_file_of_codes_gives_what_its_texts_give() {
    // Columns that a writer keeps as codes into a dictionary, with missing values (`scene`), and as they are (`episode`,
    // where nearly every text is new); rows in an order (two replies of a trajectory together) and in none.
    let rows = 2000;
    let pick = |i: usize| (i * 7919 + i / 3) % rows;
    for place in [|i: usize| i, |i: usize| (i * 1237) % 2000] {
        let of = |what: &dyn Fn(usize) -> Option<String>| -> Vec<Option<String>> {
            (0..rows).map(|i| what(place(i))).collect()
        };
        let mut frame = df![
            "model" => of(&|i| Some(format!("m{}", i / 1000))),
            "trajectory" => of(&|i| Some(format!("t{}", i % 1000 / 4))),
            "strategy" => of(&|i| Some(["lexical", "original", "structural"][i / 2 % 3].to_owned())),
            "instruction" => of(&|i| Some(format!("words {i}"))),
            "scene" => of(&|i| [None, Some("kitchen"), Some("lab"), None, Some("")][i / 400].map(str::to_owned)),
            "episode" => of(&|i| Some(format!("an episode of its own, {}", i / 2 * 2))),
            "score" => (0..rows).map(|i| (pick(place(i)) % 11 != 0).then(|| (pick(place(i)) % 5 + 1) as f64)).collect::<Vec<_>>(),
            "label" => (0..rows).map(|i| (place(i) % 1000 / 4 % 5 + 1) as i64).collect::<Vec<_>>(),
        ]
        .unwrap();
        let table = ScoreTable::from_frame(frame.clone()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("scores.parquet");
        for size in [300, 1 << 20] {
            let writer = ParquetWriter::new(File::create(&path).unwrap()).with_row_group_size(Some(size));
            writer.finish(&mut frame).unwrap();
            for by in [&["model", "strategy"][..], &["scene"], &["episode", "model"], &["strategy", "scene"]] {
                let analysis = Analysis::new().by(by.iter().copied()).resamples(50);
                let (of_table, of_file) = (analysis.run(&table).unwrap(), analysis.run_file(&path).unwrap());
                assert_eq!(of_table.left_out, of_file.left_out);
                assert_eq!(of_table.rows.len(), of_file.rows.len(), "{by:?}");
                for (a, b) in of_table.rows.iter().zip(&of_file.rows) {
                    assert_eq!(
                        (&a.group, a.trajectories, a.pairs, a.unparsed),
                        (&b.group, b.trajectories, b.pairs, b.unparsed)
                    );
                    for metric in Metric::ALL {
                        assert_eq!(a.estimate(metric), b.estimate(metric), "{by:?} {}", a.group);
                    }
                }
            }
        }
        // Rows 0 to 399 and 1200 to 1599 have no scene; two thirds of all rows are no original instruction.
        let scenes = Analysis::new().by(["scene"]).resamples(0).run_file(&path).unwrap();
        let pairs = |scene: &str| scenes.rows.iter().find(|row| row.group.to_string() == scene).map(|row| row.pairs);
        let paraphrases = |rows: std::ops::Range<usize>| rows.filter(|i| i / 2 % 3 != 1).count() as u64;
        assert_eq!(pairs("null"), Some(paraphrases(0..400) + paraphrases(1200..1600)));
        assert_eq!(pairs("lab"), Some(paraphrases(800..1200)));
    }
}
