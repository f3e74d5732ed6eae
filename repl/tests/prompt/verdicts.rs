//! Which trajectories flip, and why: against a table counted by hand.

use serde_json::json;

use crate::bench::Bench;

/// Success is a score above 3.5.
///
/// a: the original succeeds (5); of its paraphrases 2 of 3 parsed ones fail. b: the original fails; 1 of 3 succeeds.
/// c: all succeed. For a the smallest rewording that flips is "open the upper drawer" (one word for another) and not
/// "do not leave it shut" (all words).
const SCORES: &str = "\
model,trajectory,task,strategy,instruction,score,label,reply
m,b,push it,original,push it,2,1,
m,b,push it,lexical,shove it,4,1,
m,b,push it,lexical,nudge it,2,1,
m,b,push it,adversarial,do not pull it,1,1,
m,c,lift it,original,lift it,5,5,
m,c,lift it,lexical,raise it,4,5,
m,a,open the top drawer,original,open the top drawer,5,5,All done. ANSWER: 5
m,a,open the top drawer,adversarial,do not leave it shut,1,5,ANSWER: 1
m,a,open the top drawer,lexical,open the upper drawer,3,5,Half way. ANSWER: 3
m,a,open the top drawer,lexical,pull the top drawer,4,5,ANSWER: 4
m,a,open the top drawer,structural,the top drawer is open,,5,no idea
";

#[test]
fn flips_are_the_trajectories_that_cross_worst_first() {
    let bench = Bench::new();
    bench.write("s.csv", SCORES);
    let rows = bench.json(&["flips", "s.csv"]);
    assert_eq!(
        rows,
        json!([
            {"model": "m", "config": null, "dataset": null, "trajectory": "a", "task": "open the top drawer", "label": 5, "flips": 2, "paraphrases": 3,
             "success": 2, "failure": 2, "unparsed": 1, "lowest": 1.0, "highest": 5.0, "strategy": "lexical",
             "instruction": "open the upper drawer"},
            {"model": "m", "config": null, "dataset": null, "trajectory": "b", "task": "push it", "label": 1, "flips": 1, "paraphrases": 3,
             "success": 1, "failure": 3, "unparsed": 0, "lowest": 1.0, "highest": 4.0, "strategy": "lexical",
             "instruction": "shove it"},
        ])
    );
    // Of the adversarial wordings only that of a flips.
    let rows = bench.json(&["flips", "s.csv", "--strategy", "adversarial"]);
    assert_eq!(rows.as_array().map(Vec::len), Some(1));
    assert_eq!(
        (&rows[0]["trajectory"], &rows[0]["flips"], &rows[0]["paraphrases"]),
        (&json!("a"), &json!(1), &json!(1))
    );
    // Above 0.5 all is success.
    assert_eq!(bench.json(&["flips", "s.csv", "--boundary", "0.5"]), json!([]));
    let text = bench.run(&["flips", "s.csv"]).stdout;
    assert!(text.contains("open the [upper] drawer") && text.contains("2 of 3"), "{text}");
}

#[test]
fn why_shows_the_wordings_in_order_of_score_with_what_differs_and_what_was_said() {
    let bench = Bench::new();
    bench.write("s.csv", SCORES);
    let answer = bench.json(&["why", "s.csv#a"]);
    assert_eq!((&answer["trajectory"], &answer["label"]), (&json!("a"), &json!(5)));
    let of = |key: &str| -> Vec<_> {
        answer["wordings"].as_array().expect("rows").iter().map(|row| row[key].clone()).collect()
    };
    assert_eq!(of("score"), [json!(1.0), json!(3.0), json!(4.0), json!(5.0), json!(null)]);
    assert_eq!(of("flips"), [json!(true), json!(true), json!(false), json!(false), json!(false)]);
    assert_eq!(of("reply")[1], "Half way. ANSWER: 3");
    // Of one strategy, with the original that it is held against.
    let lexical = bench.json(&["why", "s.csv#a", "--strategy", "lexical"]);
    let scores: Vec<_> = lexical["wordings"].as_array().expect("rows").iter().map(|row| row["score"].clone()).collect();
    assert_eq!(scores, [json!(3.0), json!(4.0), json!(5.0)]);
    bench.run(&["why", "s.csv#a", "--strategy", "lexica"]).refuses(2, &["did you mean lexical"]);
    let text = bench.run(&["why", "s.csv#a"]).stdout;
    for shown in [
        "[do not leave it shut]",
        "open the [upper] drawer",
        "[pull] the top drawer",
        "no idea",
        "2 success, 2 failure, 1 unparsed",
    ] {
        assert!(text.contains(shown), "{shown}: {text}");
    }
}

#[test]
fn what_is_not_there_is_told_with_what_is() {
    let bench = Bench::new();
    bench.write("s.csv", SCORES);
    bench.run(&["why", "s.csv#z"]).refuses(2, &["no trajectory z", "there are: a, b, c"]);
    bench.run(&["why", "s.csv"]).refuses(2, &["s.csv#ID"]);
    bench.run(&["why", "t.csv#a"]).refuses(2, &["t.csv"]);
    bench.run(&["why"]).refuses(2, &["CASE"]);
    bench.run(&["flips"]).refuses(2, &["SCORES"]);
    bench.run(&["flips", "s.csv", "--model", "n"]).refuses(2, &["no scores of the model 'n'", "there are: m"]);
    bench.run(&["flips", "s.csv", "--strategy", "lexica"]).refuses(2, &["did you mean lexical"]);
    bench.run(&["flips", "s.csv", "--boundary", "nan"]).refuses(2, &["boundary"]);
    bench.run(&["flips", "no.csv"]).refuses(1, &["no.csv"]);
    // In a shell nothing is open.
    bench.run(&["trajectories"]).refuses(2, &["DATASET"]);
    bench.run(&["spot", "demo#bowl"]).refuses(2, &["--model"]);
}

#[test]
fn models_of_several_settings_are_told_apart() {
    let bench = Bench::new();
    let row = |config: &str, instruction: &str, score: u8| format!("m,{config},t,lexical,{instruction},{score}\n");
    let rows = [row("c1", "x", 1), row("c1", "y", 5), row("c2", "x", 2), row("c2", "y", 2)].concat();
    bench.write("s.csv", &format!("model,config,trajectory,strategy,instruction,score\n{rows}"));
    let run = bench.run(&["flips", "s.csv"]);
    assert!(run.stdout.contains("m (config c1)") && !run.stdout.contains("m (config c2)"), "{}", run.stdout);
    let wordings = bench.json(&["why", "s.csv#t"])["wordings"].clone();
    let configs: Vec<&str> =
        wordings.as_array().expect("a list").iter().filter_map(|row| row["config"].as_str()).collect();
    assert_eq!(configs, ["c1", "c1", "c2", "c2"]);
}

#[test]
fn datasets_that_share_an_id_are_kept_apart() {
    let bench = Bench::new();
    bench.write(
        "s.csv",
        "model,dataset,trajectory,task,strategy,instruction,score,label\n\
         m,one,t,fold it,original,fold it,5,5\n\
         m,two,t,push it,original,push it,2,1\n\
         n,one,t,fold it,original,fold it,4,5\n",
    );
    let run = bench.run(&["why", "s.csv#t"]);
    let at = |words: &str| run.stdout.find(words).unwrap_or_else(|| panic!("{words}: {}", run.stdout));
    let heads = [at("one#t: \"fold it\", true progress 5 of 5"), at("two#t: \"push it\", true progress 1 of 5")];
    assert!(heads[0] < at("by n (dataset one)") && at("by n (dataset one)") < heads[1], "{}", run.stdout);
    assert!(heads[1] < at("by m (dataset two)"), "{}", run.stdout);
    assert!(run.stderr.contains("2 datasets have a trajectory t"), "{}", run.stderr);
    let datasets = bench.json(&["why", "s.csv#t"])["datasets"].clone();
    assert_eq!(
        datasets,
        json!([{"dataset": "one", "task": "fold it", "label": 5}, {"dataset": "two", "task": "push it", "label": 1}])
    );
    // Each is a trajectory of its own, where they are counted, too.
    let said = bench.run(&["-c", ":scores s.csv"]).stdout;
    assert!(said.contains("3 scores of 2 trajectories (of one, two) by 2 models"), "{said}");
}

#[test]
fn rows_of_several_datasets_are_grouped_apart_in_every_table() {
    let bench = Bench::new();
    let rows =
        ["kitchen", "hall"].map(|dataset| format!("m,{dataset},a,lexical,pull,2,5\nm,{dataset},a,lexical,tug,5,5\n"));
    bench.write("s.csv", &format!("model,dataset,trajectory,strategy,instruction,score,label\n{}", rows.concat()));
    let groups = bench.json(&["robustness", "s.csv", "--resamples", "0"]);
    let told: Vec<_> = groups
        .as_array()
        .expect("groups")
        .iter()
        .map(|it| (it["dataset"].as_str(), it["failure_n"].as_u64()))
        .collect();
    assert_eq!(told, [(Some("hall"), Some(2)), (Some("kitchen"), Some(2))]);
    let said = bench.run(&["robustness", "s.csv", "--resamples", "0"]).stdout;
    assert!(said.contains("grouped apart, by the column dataset"), "{said}");
    let pooled = bench.json(&["robustness", "s.csv", "--resamples", "0", "--pool-datasets"]);
    assert_eq!(
        (pooled[0]["dataset"].as_str(), pooled[0]["failure_n"].as_u64(), pooled[1].is_null()),
        (None, Some(4), true)
    );
    let run = bench.run(&["robustness", "s.csv", "--resamples", "0", "--chart", "r.html"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let report = std::fs::read_to_string(bench.path("r.html")).expect("a report");
    assert!(report.contains("m (on hall)") && report.contains("m (on kitchen)"));
}

/// Two datasets that are called the same and have the same id, and pictures for them.
fn namesakes(bench: &Bench) {
    bench.run(&["frames", "demo#drawer", "--max", "2", "--out", "pngs"]);
    let manifest = |task: &str, label: u8| format!("trajectory,frames,task,label,rate_hz\nt1,pngs,{task},{label},1\n");
    bench.write("a/m.csv", &manifest("pick up the cup", 5));
    bench.write("b/m.csv", &manifest("pick up the mug", 1));
}

#[test]
fn figures_of_a_session_are_of_the_open_dataset() {
    let bench = Bench::new();
    namesakes(&bench);
    let open = ":open demo\n:score --model simulated-flighty\n:open a/m.csv --root .\n";
    for command in [":flips", ":robustness", ":chart", ":why towel"] {
        let run = bench.run(&["-c", &format!("{open}{command}")]);
        assert_eq!(run.status, 2, "{command}: {}", run.stdout);
        assert!(run.stderr.contains("m is open, and has no scores yet"), "{command}: {}", run.stderr);
        assert!(run.stderr.contains("`:open demo` shows those of demo"), "{command}: {}", run.stderr);
    }
    let figures = ":score --out m.csv\n:robustness --resamples 0 --json";
    let run = bench.run(&["-c", &format!("{open}{figures}")]);
    assert!(run.stdout.contains("\"failure_n\": 1,") && !run.stdout.contains("\"failure_n\": 9,"), "{}", run.stdout);
    assert!(run.stderr.contains("note: of m alone, which is open; there are scores of demo, too"), "{}", run.stderr);
    // Where none is open, all of them, each by itself.
    let run =
        bench.run(&["-c", ":score demo --model simulated\n:score a/m.csv --root . --out m.csv\n:flips\n:robustness"]);
    assert!(run.stdout.contains("grouped apart, by the column dataset"), "{}", run.stdout);
    // Another is a word away.
    let run = bench.run(&["-c", &format!("{open}:score --out m.csv\n:why demo#towel")]);
    assert!(run.stdout.contains("towel: \"fold the towel in half\""), "{}{}", run.stdout, run.stderr);
}

#[test]
fn datasets_of_one_name_are_told_apart() {
    let bench = Bench::new();
    namesakes(&bench);
    let score =
        |folder: &str| format!(":open {folder}/m.csv --root .\n:score --model simulated-steady --out {folder}.csv\n");
    let both = format!("{}{}", score("a"), score("b"));
    let run = bench.run(&["-c", &format!("{both}:scores\n:flips\n:robustness --resamples 0 --json")]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    for said in
        ["b/m is open: 1 trajectory", "2 scores of 2 trajectories (of b/m, m) by 1 model", "0 of 1 (trajectory, model)"]
    {
        assert!(run.stdout.contains(said), "{said}: {}", run.stdout);
    }
    assert!(run.stdout.contains("\"failure_n\": 1,"), "{}", run.stdout);
    // The first is still called what it was, and nothing is asked twice.
    let again = bench.run(&["-c", &format!("{both}{}:scores", score("a"))]);
    assert!(again.stdout.contains("m is open: 1 trajectory") && again.stdout.contains("2 scores of 2 trajectories"));
    assert!(again.stdout.contains("1 pair planned: 1 in the ledger before, 0 called"), "{}", again.stdout);
    // A table that does not tell them apart is told.
    bench.write(
        "s.csv",
        "model,dataset,trajectory,strategy,instruction,score,label\n\
         m,m,t1,original,pick up the cup,5,5\nm,m,t1,original,pick up the mug,1,1\n",
    );
    let run = bench.run(&["flips", "s.csv"]);
    assert!(run.stderr.contains("1 trajectory has several original instructions"), "{}", run.stderr);
    assert!(!run.stdout.contains("of 0"), "{}", run.stdout);
}

#[test]
fn what_was_read_and_what_was_added_is_told() {
    let bench = Bench::new();
    bench.write("s.csv", "model,trajectory,strategy,instruction,score\nm,a,lexical,pull,2\nm,a,lexical,tug,5\n");
    let run = bench.run(&["-c", ":scores s.csv\n:spot demo#bowl --model simulated\n:scores"]);
    assert!(run.stdout.contains("s.csv: 2 scores of 1 trajectory by 1 model, 0 unparsed"), "{}", run.stdout);
    assert!(run.stdout.contains("s.csv (2) and 14 more: 16 scores"), "{}", run.stdout);
}

#[test]
fn a_table_without_scores_says_so() {
    let bench = Bench::new();
    bench.write("s.csv", "model,trajectory,strategy,instruction,score\nm,a,lexical,pull,\nm,a,lexical,tug,\n");
    let run = bench.run(&["flips", "s.csv"]);
    assert!(run.stdout.contains("2 of 2 replies gave no score"), "{}", run.stdout);
}
