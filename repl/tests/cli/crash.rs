//! kill -9 at chosen rows of the ledger: each pair is answered once in the end.

use std::process::Stdio;

use rusqlite::Connection;

use crate::bench::{Bench, rollout_paraphrases, rollouts};
use crate::kill::{kill_at, replies};

#[test]
fn a_study_killed_three_times_ends_with_each_pair_once() {
    let bench = Bench::new();
    let (dataset, paraphrases) = match rollouts() {
        Some(folder) => (folder.display().to_string(), rollout_paraphrases().display().to_string()),
        None => ("demo".to_owned(), String::new()),
    };
    let mut words = vec!["score", &dataset, "--model", "simulated", "--latency", "50", "--concurrency", "8"];
    words.extend(["--ledger", "l.db", "--out", "s.csv", "--json"]);
    if !paraphrases.is_empty() {
        words.extend(["--paraphrases", &paraphrases]);
    }
    let ledger = bench.path("l.db");
    let planned = bench.json(
        &["estimate", &dataset, "--model", "simulated", "--ledger", "e.db"]
            .into_iter()
            .chain(if paraphrases.is_empty() { vec![] } else { vec!["--paraphrases", paraphrases.as_str()] })
            .collect::<Vec<_>>(),
    )["calls"]
        .as_u64()
        .expect("a number of calls");
    for share in [10, 40, 75] {
        let program =
            bench.command(&words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts");
        kill_at(program, &ledger, planned * share / 100);
        // It opens, and counts.
        assert!(replies(&ledger).is_some());
    }
    let run = bench.run(&words);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let answer = run.json();
    assert_eq!(answer["planned"], planned);
    assert_eq!((answer["failed"].as_u64(), answer["unknown"].as_u64()), (Some(0), Some(0)));
    assert_eq!(replies(&ledger), Some(planned), "each pair once");

    // The three runs that were killed may have sent what they could not write down: at most what was in flight.
    let db = Connection::open(&ledger).expect("the ledger opens");
    let attempts: i64 = db.query_row("SELECT sum(attempts) FROM pairs", (), |row| row.get(0)).expect("a count");
    assert!(attempts as u64 >= planned && attempts as u64 <= planned + 3 * 8, "{attempts} sends for {planned} pairs");

    let again = bench.run(&words).json();
    assert_eq!(again["called"], 0, "and nothing is called again");
}
