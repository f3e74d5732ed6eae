//! A server that fails in every way, a program that is killed: in the end each pair is answered, and paid for, once.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use roborm_stub::{Bucket, Config, Rates};
use rusqlite::Connection;
use serde_json::Value;

use crate::bench::{Bench, Run};
use crate::kill::kill_at;
use crate::server::Rollouts;

const TRAJECTORIES: usize = 625;
const WORDINGS: usize = 16;
const PAIRS: u64 = (TRAJECTORIES * WORDINGS) as u64;
const CONCURRENCY: u64 = 64;

fn count(ledger: &Path, what: &str) -> u64 {
    let db = Connection::open(ledger).expect("a ledger opens, whatever was killed");
    let count: i64 = db.query_row(&format!("SELECT count(*) FROM {what}"), (), |row| row.get(0)).expect("a count");
    count as u64
}

fn metrics(bench: &Bench, scores: &str) -> Value {
    bench.json(&["robustness", scores, "--by", "strategy,label", "--resamples", "200"])
}

#[test]
fn ten_thousand_pairs_through_faults_and_three_kills_end_as_without() {
    let bench = Bench::new();
    let rollouts = Rollouts::lay_out(&bench, TRAJECTORIES, WORDINGS);
    let concurrency = CONCURRENCY.to_string();

    let calm = rollouts.serve(Config::default());
    let words = ["--ledger", "calm.db", "--out", "calm.csv", "--concurrency", &concurrency];
    let run: Run = rollouts.command(&bench, &calm, "score", &words).output().expect("the program starts").into();
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_eq!((run.json()["planned"].as_u64(), run.json()["called"].as_u64()), (Some(PAIRS), Some(PAIRS)));
    assert_eq!((calm.tally().billed, calm.tally().mismatches), (PAIRS, Vec::new()));

    let stormy = rollouts.serve(Config {
        latency: (Duration::from_millis(20), Duration::from_millis(400)),
        rates: Rates { overloaded: 0.02, error_in_200: 0.01, dropped: 0.01, empty: 0.01, ..Rates::default() },
        bucket: Some(Bucket { rate: 160.0, burst: 20.0 }),
        ..Config::default()
    });
    let words = ["--ledger", "storm.db", "--out", "storm.csv", "--concurrency", &concurrency];
    let ledger = bench.path("storm.db");
    let mut in_flight = 0;
    for rows in [1_500, 4_500, 8_000] {
        let mut command = rollouts.command(&bench, &stormy, "score", &words);
        let program = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts");
        kill_at(program, &ledger, rows);
        let open = count(&ledger, "pairs WHERE open = 1");
        assert!(open <= CONCURRENCY, "{open} intents are open at row {rows}");
        in_flight += open;
    }
    let run: Run = rollouts.command(&bench, &stormy, "score", &words).output().expect("the program starts").into();
    assert_eq!(run.status, 0, "{}", run.stderr);
    let counts = run.json();
    assert_eq!(counts["planned"].as_u64(), Some(PAIRS));
    assert_eq!((counts["failed"].as_u64(), counts["unknown"].as_u64()), (Some(0), Some(0)));

    // Each pair has exactly one accepted answer.
    assert_eq!(count(&ledger, "pairs"), PAIRS);
    assert_eq!((count(&ledger, "replies"), count(&ledger, "old_replies")), (PAIRS, 0));

    // The server saw the right images in the right order with the right instruction, every time.
    let tally = stormy.tally();
    assert_eq!(tally.mismatches, Vec::<String>::new());
    // What it billed beyond the ledger's was in flight when the program was killed.
    let beyond = tally.billed - PAIRS;
    assert!(beyond <= in_flight, "{beyond} were billed and are not in the ledger, {in_flight} were in flight");
    assert_eq!(tally.billed_twice, beyond);
    assert!(tally.most_at_a_time <= CONCURRENCY, "{} at a time", tally.most_at_a_time);
    for (fault, least) in [("Status", 100), ("ErrorIn200", 50), ("Dropped", 50), ("EmptyContent", 50), ("Limited", 1)] {
        assert!(tally.faults.get(fault).is_some_and(|times| *times >= least), "{fault}: {:?}", tally.faults);
    }
    eprintln!(
        "{} requests, {} billed, {in_flight} in flight at the kills; {:?}",
        tally.requests, tally.billed, tally.faults
    );

    assert_eq!(metrics(&bench, "storm.csv"), metrics(&bench, "calm.csv"));

    let run: Run = rollouts.command(&bench, &stormy, "score", &words).output().expect("the program starts").into();
    assert_eq!((run.status, run.json()["called"].as_u64()), (0, Some(0)), "{}", run.stderr);
    assert_eq!(stormy.tally().requests, tally.requests, "nothing is asked again");
}
