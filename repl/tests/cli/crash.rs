//! kill -9 at chosen rows of the ledger: each pair is answered once in the end.

use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::bench::{Bench, rollout_paraphrases, rollouts};

/// Kills the program when its ledger has at least `rows` replies.
fn kill_at(mut program: Child, ledger: &Path, rows: u64) {
    loop {
        if let Some(status) = program.try_wait().expect("the program can be asked") {
            panic!("it ended ({status}) before row {rows} was seen");
        }
        if replies(ledger).is_some_and(|replies| replies >= rows) {
            program.kill().expect("SIGKILL");
            program.wait().expect("it is dead");
            return;
        }
        // The ledger is another process's: there is nothing to wait on but the file.
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn replies(ledger: &Path) -> Option<u64> {
    let db = Connection::open_with_flags(ledger, OpenFlags::SQLITE_OPEN_READ_ONLY).ok()?;
    db.query_row("SELECT count(*) FROM replies", (), |row| row.get::<_, i64>(0)).ok().map(|count| count as u64)
}

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
