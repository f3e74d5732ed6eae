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
    assert!(said.contains("3 scores of 2 trajectories by 2 models"), "{said}");
}
