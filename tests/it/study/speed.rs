//! Figures, not checks: `cargo test --release --test it study::speed -- --ignored --nocapture`.

use std::sync::Arc;
use std::time::Instant;

use polars::prelude::*;
use roborm::scores::ScoreTable;

use super::kit::*;

#[test]
#[ignore = "prints how fast the ledger is; checks nothing"]
fn pairs_a_second_with_an_instant_model() {
    for concurrency in [1, 8, 64] {
        let bench = Bench::new();
        let count = if concurrency == 1 { 50 } else { 500 };
        let model = Arc::new(Fake { concurrency, ..Fake::new("m") });
        let start = Instant::now();
        let outcome = bench.run(plan(count, 15), &model);
        let called = outcome.counts.called;
        let rate = called as f64 / start.elapsed().as_secs_f64();
        let start = Instant::now();
        bench.run(plan(count, 15), &model);
        let again = called as f64 / start.elapsed().as_secs_f64();
        eprintln!("concurrency {concurrency}: {called} pairs, {rate:.0} a second; all cached {again:.0} a second");
    }
}

#[test]
#[ignore = "prints how fast tables are checked; checks nothing"]
fn rows_a_second() {
    let rows = 3_000_000_usize;
    let text = |of: &dyn Fn(usize) -> String| (0..rows).map(of).collect::<Vec<_>>();
    let frame = df! {
        "model" => text(&|n| format!("model-{}", n / (rows / 20).max(1))),
        "trajectory" => text(&|n| format!("t{}", n / 48 % 10_400)),
        "strategy" => text(&|n| ["lexical", "structural", "adversarial"][n / 16 % 3].to_owned()),
        "instruction" => text(&|n| format!("wording {} of a task with some words in it", n % 16)),
        "score" => (0..rows).map(|n| (n * 7919 % 5 + 1) as f64).collect::<Vec<_>>(),
        "label" => (0..rows).map(|n| (n / 48 % 5 + 1) as i64).collect::<Vec<_>>(),
    };
    let frame = frame.unwrap();
    let start = Instant::now();
    let table = ScoreTable::from_frame(frame).unwrap();
    eprintln!("checked {rows} rows in {:.2} s", start.elapsed().as_secs_f64());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    let start = Instant::now();
    table.write(&path).unwrap();
    eprintln!("written in {:.2} s, {} bytes", start.elapsed().as_secs_f64(), path.metadata().unwrap().len());
    let start = Instant::now();
    ScoreTable::read(&path).unwrap();
    eprintln!("read whole and checked in {:.2} s", start.elapsed().as_secs_f64());
    let start = Instant::now();
    ScoreTable::read_columns(&path, &["model", "trajectory", "strategy", "score", "label"]).unwrap();
    eprintln!("five columns read in {:.2} s", start.elapsed().as_secs_f64());
}
