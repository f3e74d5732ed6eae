//! What a study will cost, and the limit on it.

use roborm_stub::Config;

use crate::bench::{Bench, Run};
use crate::server::{MODEL, Rollouts};

#[test]
fn an_estimate_says_whether_its_prices_are_live() {
    let bench = Bench::new();
    let rollouts = Rollouts::lay_out(&bench, 3, 2);
    let stub = rollouts.serve(Config::default());
    let live: Run = rollouts.command(&bench, &stub, "estimate", &[]).output().expect("the program starts").into();
    assert_eq!(live.status, 0, "{}", live.stderr);
    assert_eq!(live.json()["prices"][MODEL], "live");
    // $1.25 and $10 a million tokens, by the server's list.
    let tokens = |name: &str| live.json()[name].as_f64().expect("tokens");
    let right = tokens("prompt_tokens") * 1.25e-6 + tokens("completion_tokens") * 1e-5;
    let cost = live.json()["cost_usd"].as_f64().expect("a cost");
    // Both counts are whole numbers of tokens, the cost is not rounded.
    assert!((cost - right).abs() <= 0.5 * (1.25e-6 + 1e-5), "{cost} for {right}");
    assert_eq!(stub.tally().requests, 0, "an estimate asks for prices and nothing else");

    let words = ["estimate", &rollouts.manifest, "--model", MODEL, "--paraphrases", &rollouts.paraphrases];
    assert_eq!(bench.json(&words)["prices"][MODEL], "stored");
    let told = bench.run(&words);
    assert!(told.stdout.contains("Stored prices") && told.stdout.contains("no OPENROUTER_API_KEY"), "{}", told.stdout);

    drop(stub);
    let down = rollouts.serve(Config::default());
    let mut command = rollouts.command(&bench, &down, "estimate", &[]);
    drop(down);
    let down: Run = command.output().expect("the program starts").into();
    assert_eq!((down.status, &down.json()["prices"][MODEL]), (0, &"stored".into()), "{}", down.stderr);
}

#[test]
fn an_estimate_says_what_it_goes_by_and_after_a_pilot_goes_by_what_calls_came_to() {
    let bench = Bench::new();
    let rollouts = Rollouts::lay_out(&bench, 20, 4);
    let stub = rollouts.serve(Config::default());
    let run = |command: &str, words: &[&str]| -> Run {
        let words = [words, &["--ledger", "l.db"]].concat();
        rollouts.command(&bench, &stub, command, &words).output().expect("the program starts").into()
    };
    assert_eq!(run("estimate", &[]).json()["from"][MODEL], "rules of thumb");
    // Which trajectories the pilot takes is no setting of their replies.
    let pilot = run("score", &["--limit", "5", "--seed", "7", "--out", "pilot.csv"]);
    assert_eq!(pilot.status, 0, "{}", pilot.stderr);
    let estimate = run("estimate", &[]).json();
    assert_eq!(estimate["from"][MODEL], "past calls");
    let (tokens, cost) = (estimate["prompt_tokens"].as_f64(), estimate["cost_usd"].as_f64());
    let spent = stub.tally().cost;
    let rest = run("score", &["--out", "all.csv"]).json();
    assert_eq!(rest["called"], estimate["calls"]);
    // Instructions differ in length, by a few tokens of hundreds.
    let near = |right: f64, told: Option<f64>| told.is_some_and(|told| (told / right - 1.0).abs() < 0.02);
    assert!(near(stub.tally().cost - spent, cost), "{cost:?} for {}", stub.tally().cost - spent);
    assert!(tokens.is_some_and(|tokens| tokens > 0.0));

    let words = ["estimate", "demo", "--model", "m", "--base-url", &stub.base_url(), "--ledger", "none.db"];
    let told = bench.run(&words).stdout;
    assert!(told.contains("Rules of thumb") && told.contains("--limit 20"), "{told}");
}

#[test]
fn a_limit_on_spending_is_kept_and_the_rest_left_for_another_day() {
    let bench = Bench::new();
    let rollouts = Rollouts::lay_out(&bench, 20, 4);
    let stub = rollouts.serve(Config::default());
    let words = ["--max-cost", "0.02", "--concurrency", "4", "--ledger", "l.db"];
    let run: Run = rollouts.command(&bench, &stub, "score", &words).output().expect("the program starts").into();
    assert_eq!(run.status, 1, "{}", run.stderr);
    assert!(run.stderr.contains("--max-cost") && run.stderr.contains("Live prices"), "{}", run.stderr);
    assert!(run.stderr.contains("go on with:"), "{}", run.stderr);
    let (counts, tally) = (run.json(), stub.tally());
    let unspent = counts["unspent"].as_u64().expect("a count");
    assert!(unspent > 0 && unspent + tally.billed == 80, "{counts}");
    // At most what the calls in flight cost beyond what was expected of them: a call costs about $0.0014.
    assert!(tally.cost <= 0.02 + 4.0 * 0.0014, "${} were spent", tally.cost);
    assert!((counts["cost_usd"].as_f64().expect("a cost") - tally.cost).abs() < 1e-9);

    let run: Run =
        rollouts.command(&bench, &stub, "score", &["--ledger", "l.db"]).output().expect("the program starts").into();
    assert_eq!((run.status, stub.tally().billed, stub.tally().billed_twice), (0, 80, 0), "{}", run.stderr);
}

#[test]
fn order_and_provider_are_settings_of_their_own() {
    let bench = Bench::new();
    let rollouts = Rollouts::lay_out(&bench, 1, 1);
    let paraphrases = bench.write("p.jsonl", "{\"task\": \"put block 0 into the bowl\", \"strategy\": \"lexical\", \"instruction\": \"block 0 into the bowl\"}\n");
    let mut expected = rollouts.expected.clone();
    expected[0].instructions.push("block 0 into the bowl".to_owned());
    let rollouts = Rollouts { paraphrases: paraphrases.display().to_string(), expected, ..rollouts };
    let stub = rollouts.serve(Config::default());
    let mut calls = 0;
    for (words, first) in [
        (&["--order", "frames-first"][..], "image_url"),
        (&["--order", "text-first"], "text"),
        (&["--order", "text-first", "--provider", "azure"], "text"),
    ] {
        let words = [words, &["--ledger", "l.db", "--out", "s.csv"]].concat();
        let run: Run = rollouts.command(&bench, &stub, "score", &words).output().expect("the program starts").into();
        assert_eq!((run.status, run.json()["called"].as_u64()), (0, Some(2)), "{}", run.stderr);
        calls += 2;
        let body: serde_json::Value = serde_json::from_str(&stub.tally().last_body).expect("JSON");
        assert_eq!(body["messages"][0]["content"][0]["type"], first);
        let pinned = words.contains(&"azure");
        assert_eq!(body["provider"]["order"] == serde_json::json!(["azure"]), pinned, "{}", body["provider"]);
        assert_eq!(body["provider"]["allow_fallbacks"] == false, pinned);
        assert_eq!(stub.tally().billed, calls);
    }
    let run = bench.run(&["score", "demo", "--model", "m", "--base-url", &stub.base_url(), "--provider", "azure"]);
    run.refuses(2, &["provider", "OpenRouter"]);
}
