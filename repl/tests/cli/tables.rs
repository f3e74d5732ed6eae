//! Score tables: what is written, what is kept of what was there, what the report makes of them.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::bench::Bench;

/// A text that is there.
fn read(bench: &Bench, name: &str) -> String {
    std::fs::read_to_string(bench.path(name)).expect("it is there")
}

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
fn a_table_is_replaced_by_none_that_lacks_its_rows() {
    let bench = Bench::new();
    let score = |more: &[&str]| {
        let words = ["score", "demo", "--model", "simulated", "--ledger", "l.db", "--out", "s.jsonl"];
        bench.json(&[&words[..], more].concat())
    };
    let rows = |file: &str| read(&bench, file).lines().count();
    let whole = score(&[]);
    assert_eq!((&whole["written"], &whole["kept"]), (&json!(true), &json!(null)));
    assert_eq!(rows("s.jsonl"), 112);
    // A pilot, then the same under another setting, then all again: each row of each is somewhere.
    assert_eq!(score(&["--limit", "2"])["kept"], "s.1.jsonl");
    let pilot = rows("s.jsonl");
    assert!(pilot < 112 && rows("s.1.jsonl") == 112, "{pilot}");
    assert_eq!(score(&["--limit", "2", "--reply-seed", "4"])["kept"], "s.2.jsonl");
    assert_eq!(rows("s.2.jsonl"), pilot);
    assert_eq!(score(&[])["kept"], "s.3.jsonl");
    // The pilot is in it: with more of the same study one table takes the place of the other.
    bench.write("s.jsonl", &read(&bench, "s.2.jsonl"));
    assert_eq!(score(&[])["kept"], json!(null));
    assert_eq!(rows("s.jsonl"), 112);
}

/// A dataset of two pictures, without paraphrases.
fn small(bench: &Bench, folder: &str, id: &str) {
    std::fs::create_dir(bench.path(folder)).expect("a folder");
    let made = bench.run(&["frames", "demo#towel", "--max", "2", "--out", &format!("{folder}/frames")]);
    assert_eq!(made.status, 0, "{}", made.stderr);
    let line = json!({"trajectory": id, "frames": "frames", "task": "fold the towel", "label": 4, "rate_hz": 1});
    bench.write(&format!("{folder}/m.jsonl"), &line.to_string());
}

/// Two folders of one name with other trajectories in them.
#[test]
fn datasets_of_one_name_cost_each_other_no_table() {
    let bench = Bench::new();
    small(&bench, "a", "t1");
    small(&bench, "b", "t2");
    let score = |dataset: &str| {
        bench.json(&["score", dataset, "--model", "simulated", "--ledger", "l.db", "--out", "s.csv"])["kept"].clone()
    };
    assert_eq!(score("a/m.jsonl"), json!(null));
    assert_eq!(score("b/m.jsonl"), "s.1.csv");
    assert!(read(&bench, "s.1.csv").contains("t1") && read(&bench, "s.csv").contains("t2"));
}

#[test]
fn figures_over_several_models_or_frame_rules_say_so() {
    let bench = Bench::new();
    bench.write(
        "s.csv",
        "model,trajectory,strategy,instruction,score,label,frame_rule\nm,a,lexical,x,5,5,1fps+last\n\
         o,a,lexical,x,2,5,1fps+last\n",
    );
    let said = |words: &[&str]| bench.run(&[&["robustness", "s.csv", "--resamples", "0"], words].concat()).stderr;
    assert!(said(&["--by", "label"]).contains("over 2 models together"), "{}", said(&["--by", "label"]));
    assert!(!said(&["--by", "model,label"]).contains("together"));
    assert!(!said(&[]).contains("rules"));
    bench.write("s.csv", &read(&bench, "s.csv").replacen("1fps+last", "1fps+last;max=2;linspace-half-even", 1));
    assert!(said(&[]).contains("taken by 2 rules (1fps+last, 1fps+last;max=2"), "{}", said(&[]));
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

#[test]
fn one_wording_alone_is_told_of() {
    let bench = Bench::new();
    let spot = |trajectory: &str| bench.run(&["spot", trajectory, "--model", "simulated", "--ledger", "l.db"]).stderr;
    assert!(!spot("demo#towel").contains("one wording alone"));
    small(&bench, "a", "t1");
    assert!(spot("a/m.jsonl#t1").contains("one wording alone; --paraphrases FILE"), "{}", spot("a/m.jsonl#t1"));
}
