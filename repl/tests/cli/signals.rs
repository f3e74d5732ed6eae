//! A batch system's time limit, a closed terminal: work ends as it does by Ctrl-C.

use std::process::{Command, Stdio};

use rusqlite::Connection;

use crate::bench::{Bench, Run};
use crate::kill::{replies, wait_for};

#[test]
fn a_study_that_is_told_to_end_keeps_what_was_under_way() {
    for signal in ["INT", "TERM", "HUP"] {
        let bench = Bench::new();
        let mut words = vec!["score", "demo", "--model", "simulated", "--latency", "50", "--concurrency", "4"];
        words.extend(["--ledger", "l.db", "--out", "s.csv"]);
        let ledger = bench.path("l.db");
        let mut program =
            bench.command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
        wait_for(&mut program, &ledger, 10);
        let pid = program.id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &pid]).status().expect("kill starts").success());
        let run: Run = program.wait_with_output().expect("it ends").into();
        assert_eq!(run.status, 130, "{signal}: {}", run.stderr);
        assert!(run.stderr.contains("l.db"), "{signal}: where the replies are and how to go on: {}", run.stderr);

        // What was under way has arrived: no intent is left without a reply or withdrawn unsent. (One that is withdrawn
        // counts as an attempt, so attempts may be more than replies.)
        let db = Connection::open(&ledger).expect("the ledger opens");
        let kept = replies(&ledger).expect("the ledger counts");
        let count = |sql: &str| db.query_row(sql, (), |row| row.get::<_, i64>(0)).expect("a count");
        assert_eq!(count("SELECT count(*) FROM pairs WHERE open"), 0, "{signal}");
        assert!(count("SELECT coalesce(sum(attempts), 0) FROM pairs") as u64 >= kept, "{signal}");
        let again = bench.json(&words);
        assert_eq!((again["unknown"].as_u64(), again["failed"].as_u64()), (Some(0), Some(0)), "{signal}: {again}");
        assert_eq!(again["called"], again["planned"].as_u64().expect("a count") - kept, "{signal}");
    }
}

#[test]
fn what_is_broken_off_takes_the_place_of_no_fuller_table() {
    let bench = Bench::new();
    let whole = ["score", "demo", "--model", "simulated", "--ledger", "full.db", "--out", "s.csv"];
    assert_eq!(bench.json(&whole)["planned"], 112);
    let table = std::fs::read_to_string(bench.path("s.csv")).expect("a table");
    let script = ":score demo --model simulated --latency 50 --concurrency 4 --ledger l.db --out s.csv\n:models\n";
    bench.write("lesson.rs", script);
    let words = ["run", "lesson.rs"];
    let mut program =
        bench.command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    wait_for(&mut program, &bench.path("l.db"), 10);
    let pid = program.id().to_string();
    assert!(Command::new("kill").args(["-s", "INT", &pid]).status().expect("kill starts").success());
    let run: Run = program.wait_with_output().expect("it ends").into();
    // A script ends there, with its line.
    assert_eq!(run.status, 130, "{}", run.stderr);
    assert!(run.stderr.contains("lesson.rs, line 1"), "{}", run.stderr);
    assert!(!run.stdout.contains("gpt-5.1"), "{}", run.stdout);
    assert!(run.stderr.contains("s.csv was left as it was: it has 112 scores of the same study"), "{}", run.stderr);
    assert_eq!(std::fs::read_to_string(bench.path("s.csv")).expect("a table"), table);
}
