//! Score tables: what is written, what is kept of what was there, what the report makes of them.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::bench::Bench;

/// The models of a table, by its figures.
fn models(bench: &Bench, file: &str) -> BTreeSet<String> {
    let rows = bench.json(&["robustness", file, "--by", "model", "--resamples", "0"]);
    let of = |row: &Value| row["model"].as_str().map(str::to_owned);
    rows.as_array().expect("a row a model").iter().filter_map(of).collect()
}

#[test]
fn a_table_of_another_model_is_kept_beside_the_new_one() {
    let bench = Bench::new();
    let score = |models: &[&str]| {
        let words: Vec<&str> = models.iter().flat_map(|model| ["--model", model]).collect();
        let run = bench.run(&[&["score", "demo#towel", "--ledger", "l.db"], &words[..]].concat());
        assert_eq!(run.status, 0, "{}", run.stderr);
        run.stderr
    };
    let only = |model: &str| BTreeSet::from([model.to_owned()]);
    score(&["simulated"]);
    // The same study once more: nothing is lost, nothing is kept.
    assert!(!score(&["simulated"]).contains("kept as"));
    assert!(!bench.path("scores.1.parquet").exists());

    let told = score(&["simulated-steady"]);
    assert!(
        told.contains("scores.parquet held scores of demo by simulated") && told.contains("scores.1.parquet"),
        "{told}"
    );
    assert_eq!(models(&bench, "scores.parquet"), only("simulated-steady"));
    assert_eq!(models(&bench, "scores.1.parquet"), only("simulated"));

    // In turn: what is kept already is not kept again.
    assert!(score(&["simulated"]).contains("scores.2.parquet"));
    assert!(score(&["simulated-steady"]).contains("kept as scores.1.parquet"));
    assert!(!bench.path("scores.3.parquet").exists());

    // One table of both loses nothing.
    assert!(!score(&["simulated-steady", "simulated"]).contains("kept as"));
    assert_eq!(models(&bench, "scores.parquet").len(), 2);
}

#[test]
fn a_table_of_another_dataset_is_kept_whatever_its_format() {
    let bench = Bench::new();
    let theirs = "model,dataset,trajectory,strategy,instruction,score\nsimulated,kitchen,a,lexical,x,5\n";
    bench.write("s.csv", theirs);
    let run = bench.run(&["score", "demo#towel", "--model", "simulated", "--out", "s.csv"]);
    assert!(run.stderr.contains("scores of kitchen by simulated") && run.stderr.contains("s.1.csv"), "{}", run.stderr);
    assert_eq!(std::fs::read_to_string(bench.path("s.1.csv")).expect("it is kept"), theirs);
}

#[test]
fn what_has_no_paraphrases_is_named_once() {
    let bench = Bench::new();
    let row = json!({"task": "fold the towel in half", "strategy": "lexical", "instruction": "double the towel over"});
    bench.write("p.jsonl", &row.to_string());
    let run = bench.run(&["score", "demo", "--model", "simulated", "--paraphrases", "p.jsonl"]);
    assert_eq!(run.status, 1, "{}", run.stderr);
    assert_eq!(run.stderr.matches("no paraphrases for 7 of the tasks").count(), 1, "{}", run.stderr);
    assert!(run.stderr.contains("not whole") && run.stderr.contains("add paraphrases of them"), "{}", run.stderr);
    assert!(!run.stderr.contains("failed:"), "{}", run.stderr);
}

/// The original instruction, right, and two rewordings, wrong; another model with the original alone; a third under two
/// settings.
const CONFUSED: &str = "\
model,config,trajectory,strategy,instruction,score,label
m,,a,original,one,5,5
m,,a,lexical,two,2,5
m,,a,lexical,three,,5
o,,a,original,one,4,5
s,x,a,lexical,two,1,5
s,y,a,lexical,two,3,5
";

#[test]
fn confusion_is_told_of_rewordings_and_of_settings_apart() {
    let bench = Bench::new();
    bench.write("s.csv", CONFUSED);
    let run = bench.run(&["robustness", "s.csv", "--chart", "c.html"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let report = std::fs::read_to_string(bench.path("c.html")).expect("the charts");
    for caption in [
        "model m, all rewordings, without the original instruction, n = 1 (trajectory, wording) pair. 1 unparsed.",
        "model o, strategy original, n = 1 (trajectory, wording) pair. 0 unparsed.",
        "model s (x), all rewordings, without the original instruction, n = 1 (trajectory, wording) pair.",
        "model s (y), all rewordings, without the original instruction, n = 1 (trajectory, wording) pair.",
    ] {
        assert!(report.contains(caption), "{caption}");
    }
    // As the table has it that is made by label.
    let by_label = bench.json(&["robustness", "s.csv", "--by", "model,label", "--resamples", "0"]);
    let of_m = by_label.as_array().expect("rows").iter().find(|row| row["model"] == "m").expect("a row of m");
    assert_eq!((&of_m["pairs"], &of_m["unparsed"]), (&json!(2), &json!(1)));
}
