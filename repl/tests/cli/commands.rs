//! The commands do what their table says.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::bench::Bench;

#[test]
fn demo_writes_a_report_and_scores_and_is_free_the_second_time() {
    let bench = Bench::new();
    let answer = bench.json(&["demo", "--out", "out"]);
    assert_eq!(answer["report"], "out/report.html");
    assert_eq!(answer["scores"], "out/scores.parquet");
    let rows = answer["robustness"].as_array().expect("a row a group");
    let strategies: BTreeSet<&str> = rows.iter().filter_map(|row| row["strategy"].as_str()).collect();
    assert_eq!(strategies, BTreeSet::from(["original", "lexical", "structural", "adversarial"]));
    let report = std::fs::read_to_string(bench.path("out/report.html")).expect("the report is there");
    assert!(report.contains("Simulated"), "simulated figures are named as such");

    let again = bench.run(&["demo", "--out", "out", "--json"]);
    assert_eq!(again.status, 0);
    assert_eq!(again.json()["robustness"], answer["robustness"]);
}

#[test]
fn trajectories_of_the_demo_have_every_true_progress() {
    let rows = Bench::new().json(&["trajectories", "demo"]);
    let rows = rows.as_array().expect("a row a trajectory");
    let labels: BTreeSet<i64> = rows.iter().filter_map(|row| row["label"].as_i64()).collect();
    assert_eq!(labels, BTreeSet::from([1, 2, 3, 4, 5]));
    for row in rows {
        let keys: BTreeSet<&str> = row.as_object().expect("an object").keys().map(String::as_str).collect();
        assert_eq!(keys, BTreeSet::from(["trajectory", "task", "label", "duration_s", "source"]));
        assert!(row["duration_s"].as_f64().is_some_and(|seconds| seconds > 0.0));
    }
}

#[test]
fn frames_are_one_a_second_and_the_last() {
    let bench = Bench::new();
    let answer = bench.json(&["frames", "demo#drawer", "--out", "pngs"]);
    let frames = answer["frames"].as_array().expect("frames");
    // Ten frames a second: a whole second is every tenth frame; the last is kept whatever its time.
    let indices: Vec<u64> = frames.iter().filter_map(|frame| frame["index"].as_u64()).collect();
    let (last, whole) = indices.split_last().expect("at least one frame");
    assert_eq!(whole, (0..whole.len() as u64).map(|second| second * 10).collect::<Vec<_>>());
    assert!(*last > whole.last().copied().unwrap_or(0) && *last < (whole.len() as u64) * 10 + 1);
    assert_eq!(std::fs::read_dir(bench.path("pngs")).expect("the folder").count(), indices.len());

    // round_half_even(linspace(0, last, 3)) keeps the first, the middle and the last.
    let few = bench.json(&["frames", "demo#drawer", "--max", "3"]);
    let few: Vec<u64> = few["frames"].as_array().expect("frames").iter().filter_map(|f| f["index"].as_u64()).collect();
    assert_eq!(few.len(), 3);
    assert_eq!((few.first(), few.last()), (indices.first(), indices.last()));
}

#[test]
fn a_score_is_called_once_whatever_is_asked_of_it_later() {
    let bench = Bench::new();
    let words = ["score", "demo", "--model", "simulated", "--ledger", "l.db", "--out"];
    let first = bench.json(&[&words[..], &["s.parquet"]].concat());
    assert_eq!(first["planned"], first["called"]);
    assert_eq!(first["cached"], 0);
    let second = bench.json(&[&words[..], &["s.csv"]].concat());
    assert_eq!((&second["cached"], &second["called"]), (&first["planned"], &json!(0)));

    // The same rows, whichever run made them and whatever the file's format.
    let figures = |file: &str| bench.json(&["robustness", file]);
    assert_eq!(figures("s.parquet"), figures("s.csv"));

    // An answer less: what is left out of a plan is not in its table.
    let pilot = bench.json(&[&words[..], &["p.jsonl", "--limit", "2"]].concat());
    assert_eq!(pilot["called"], 0);
    let rows = std::fs::read_to_string(bench.path("p.jsonl")).expect("the table");
    let trajectories: BTreeSet<String> =
        rows.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON")["trajectory"].to_string()).collect();
    assert_eq!(trajectories.len(), 2);
}

#[test]
fn estimate_counts_what_is_left_to_call() {
    let bench = Bench::new();
    let before = bench.json(&["estimate", "demo", "--model", "simulated", "--ledger", "l.db"]);
    let scored = bench.json(&["score", "demo", "--model", "simulated", "--ledger", "l.db"]);
    assert_eq!(before["calls"], scored["planned"]);
    assert!(before["prompt_tokens"].is_u64() && before["cost_usd"].is_number());
    let after = bench.json(&["estimate", "demo", "--model", "simulated", "--ledger", "l.db"]);
    assert_eq!(after["calls"], 0);
}

#[test]
fn an_estimate_leaves_no_ledger_behind() {
    let bench = Bench::new();
    assert_eq!(bench.json(&["estimate", "demo", "--model", "simulated", "--ledger", "l.db"])["calls"], 112);
    assert!(!bench.path("l.db").exists());
    bench.json(&["estimate", "demo", "--model", "simulated"]);
    assert!(!bench.path("data").exists(), "nor one in the data folder");
}

#[test]
fn spot_shows_one_trajectory_across_its_wordings() {
    let bench = Bench::new();
    let rows = bench.json(&["spot", "demo#drawer", "--model", "simulated"]);
    let rows = rows.as_array().expect("a row a wording");
    assert_eq!(rows.iter().filter(|row| row["strategy"] == "original").count(), 1);
    for row in rows {
        let keys: BTreeSet<&str> = row.as_object().expect("an object").keys().map(String::as_str).collect();
        assert_eq!(keys, BTreeSet::from(["strategy", "instruction", "score", "success"]));
        match row["score"].as_f64() {
            Some(score) => assert_eq!(row["success"], score > 3.5),
            None => assert_eq!(row["success"], Value::Null),
        }
    }
    let text = bench.run(&["spot", "demo#drawer", "--model", "simulated"]);
    assert_eq!(text.status, 0);
    for row in rows {
        let first = row["instruction"].as_str().and_then(|text| text.split(' ').next()).expect("words");
        assert!(text.stdout.contains(first));
    }
}

/// Two trajectories, one model, one strategy; every figure by hand.
const SCORES: &str = "\
model,trajectory,strategy,instruction,score,label
m,a,lexical,one,5,5
m,a,lexical,two,3,5
m,b,lexical,one,2,1
m,b,lexical,two,2,1
m,b,lexical,three,,1
";

#[test]
fn robustness_prints_the_metrics_of_a_table() {
    let bench = Bench::new();
    bench.write("s.csv", SCORES);
    let rows = bench.json(&["robustness", "s.csv", "--seed", "7", "--resamples", "200"]);
    let row = &rows[0];
    assert_eq!((&row["model"], &row["strategy"]), (&json!("m"), &json!("lexical")));
    assert_eq!((&row["trajectories"], &row["pairs"], &row["unparsed"]), (&json!(2), &json!(5), &json!(1)));
    // Of two trajectories one crosses 3.5 (5 and 3). Of four parsed pairs one is on the wrong side of its label (3 for
    // 5). Errors: 0, 2, 1, 1. Ranges: 2 and 0. Population standard deviations: 1 and 0.
    let close = |name: &str, value: f64| assert!((row[name].as_f64().expect(name) - value).abs() < 1e-12, "{name}");
    close("crossing_rate", 0.5);
    close("failure_rate", 0.25);
    close("failed_trajectories", 0.5);
    close("mean_error", 1.0);
    close("range", 1.0);
    close("std", 0.5);
    assert_eq!((&row["crossing_n"], &row["failure_n"], &row["mean_error_n"]), (&json!(2), &json!(4), &json!(4)));
    assert_eq!((&row["seed"], &row["resamples"]), (&json!(7), &json!(200)));
    for interval in ["crossing_ci", "failure_ci", "mean_error_ci", "range_ci", "std_ci"] {
        assert_eq!(row[interval].as_array().map(Vec::len), Some(2), "{interval}");
    }
    // Over 4.5 the crossing of `a` (5 and 3) stays, over 1.5 nothing crosses.
    assert_eq!(bench.json(&["robustness", "s.csv", "--boundary", "1.5"])[0]["crossing_rate"], 0.0);

    let chart = bench.run(&["robustness", "s.csv", "--chart", "c.html"]);
    assert_eq!(chart.status, 0, "{}", chart.stderr);
    assert!(std::fs::read_to_string(bench.path("c.html")).expect("the charts").contains("Score-crossing rate"));
}

#[test]
fn models_lists_the_catalogue() {
    let rows = Bench::new().json(&["models"]);
    let rows = rows.as_array().expect("a row a model");
    let of = |name: &str| rows.iter().find(|row| row["model"] == name).unwrap_or_else(|| panic!("no {name}"));
    assert_eq!(of("openai/gpt-5.1")["temperature"], 1.0);
    assert_eq!(of("google/gemini-2.5-flash")["top_p"], 0.95);
    assert!(rows.iter().any(|row| row["model"] == "simulated"));
}

#[test]
fn help_and_version_end_well_and_go_to_stdout() {
    let bench = Bench::new();
    for words in [&["--help"][..], &["help", "score"], &["score", "--help"], &["--version"]] {
        let run = bench.run(words);
        assert_eq!(run.status, 0, "{words:?}");
        assert!(!run.stdout.is_empty() && run.stderr.is_empty(), "{words:?}");
    }
}

#[test]
fn scripts_are_listed_and_told_of_like_commands() {
    let bench = Bench::new();
    assert!(bench.run(&["--help"]).stdout.contains("Run the lines of a file"));
    let (asked, help) = (bench.run(&["help", "run"]), bench.run(&["run", "--help"]));
    assert_eq!((asked.status, asked.stdout.as_str()), (0, help.stdout.as_str()));
    // `/proc` is there, and takes no files.
    let run = bench.run(&["score", "demo", "--model", "simulated", "--out", "/proc/x.parquet"]);
    run.refuses(1, &["cannot write /proc/x.parquet: /proc takes no new files"]);
}
