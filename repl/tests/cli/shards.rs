//! A study on several machines: a shard and a ledger each, then one ledger of all.

use std::process::Stdio;

use roborm_stub::Config;
use serde_json::json;

use crate::bench::{Bench, Run};
use crate::server::Rollouts;

#[test]
fn shards_of_two_processes_merge_into_a_ledger_that_calls_nothing() {
    let bench = Bench::new();
    let rollouts = Rollouts::lay_out(&bench, 11, 4);
    let stub = rollouts.serve(Config::default());
    let shards: Vec<_> = [("1/2", "one.db", "one.csv"), ("2/2", "two.db", "two.csv")]
        .into_iter()
        .map(|(shard, ledger, out)| {
            let words = ["--shard", shard, "--ledger", ledger, "--out", out];
            let mut command = rollouts.command(&bench, &stub, "score", &words);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
        })
        .collect();
    let planned: Vec<u64> = shards
        .into_iter()
        .map(|shard| {
            let run: Run = shard.wait_with_output().expect("it ends").into();
            assert_eq!(run.status, 0, "{}", run.stderr);
            run.json()["called"].as_u64().expect("a count")
        })
        .collect();
    // Eleven rollouts in two shards: six and five, four wordings each.
    assert_eq!((planned.iter().sum::<u64>(), planned.iter().max()), (44, Some(&24)));
    assert_eq!((stub.tally().billed, stub.tally().billed_twice), (44, 0));

    bench.write("none.db", "no ledger");
    bench.run(&["ledger", "merge", "all.db", "one.db", "none.db"]).refuses(1, &["none.db"]);
    assert!(!bench.path("all.db").exists(), "a merge that fails leaves nothing behind");
    let merged = bench.json(&["ledger", "merge", "all.db", "one.db", "two.db"]);
    assert_eq!(merged, json!({"rows": 44, "duplicates": 0}));
    let words = ["--ledger", "all.db", "--out", "all.csv"];
    let run: Run = rollouts.command(&bench, &stub, "score", &words).output().expect("the program starts").into();
    assert_eq!(run.status, 0, "{}", run.stderr);
    let counts = run.json();
    assert_eq!((counts["planned"].as_u64(), counts["cached"].as_u64()), (Some(44), Some(44)));
    assert_eq!((counts["called"].as_u64(), stub.tally().billed), (Some(0), 44));
    let rows = std::fs::read_to_string(bench.path("all.csv")).expect("the table");
    assert_eq!(rows.lines().count(), 1 + 44);
}
