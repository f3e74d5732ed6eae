//! How cells end before their end: panics, crashes, interrupts.

use std::time::Duration;

use crate::bench::{Bench, Told, text};

/// Interrupts, again and again, from when something is told until the cell has ended. How long that takes is asserted
/// nowhere.
fn interrupted_when_told(bench: &mut Bench, source: &str, times: u32) -> roborm_kernel::engine::Failure {
    let interrupter = bench.engine.interrupter();
    // The cell says by a file that it runs.
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("runs");
    let source = source.replace("MARK", &format!("std::fs::write({:?}, \"\").unwrap();", mark.display().to_string()));
    std::thread::scope(|scope| {
        scope.spawn(move || {
            while !mark.exists() {
                std::thread::sleep(Duration::from_millis(5));
            }
            for _ in 0..times {
                interrupter.interrupt();
            }
        });
        bench.failure(&source)
    })
}

#[test]
fn a_panic_keeps_variables() {
    let mut bench = Bench::new();
    bench.value("let x = 41;");
    let failure = bench.failure("let y = 1;\nlet v: Vec<i32> = vec![];\nv[3];");
    assert_eq!(failure.name, "Panic");
    assert!(
        failure.message.contains("index out of bounds") && failure.message.contains("line 3"),
        "{}",
        failure.message
    );
    assert_eq!(bench.value("x"), "41");
    assert_eq!(bench.failure("y").name, "E0425");
}

#[test]
fn crashes_lose_variables_and_say_so() {
    let mut bench = Bench::new();
    for (cell, words) in [
        ("unsafe { *(8 as *mut i32) = 1; }", "segmentation fault"),
        ("std::process::abort()", "aborted"),
        ("std::process::exit(3)", "exited with status 3"),
        (
            "fn deep(n: u64) -> u64 { let a = [n; 1000]; if n == u64::MAX { 0 } else { deep(n + 1) + a[(n % 1000) as usize] } }\ndeep(0)",
            "aborted",
        ),
    ] {
        bench.value("fn answer() -> i32 { 42 }\nlet x = 41;");
        let failure = bench.failure(cell);
        assert_eq!(failure.name, "Died", "{cell}");
        let said = text(&failure);
        assert!(said.contains(words) && said.contains("lost: the variable x\n"), "{cell}: {said}");
        assert!(said.contains("kept: functions and types; the next cell runs in a new process"), "{cell}: {said}");
        assert_eq!(bench.failure("x").name, "E0425", "{cell}");
        assert!(text(&bench.failure("data()?")).contains("no dataset is open"));
        assert_eq!(bench.value("answer()"), "42");
    }
}

#[test]
fn what_is_open_and_scored_outlives_a_crash() {
    let mut bench = Bench::new();
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("ledger.db");
    bench.value(&format!(":open demo\n:spot towel --model simulated --ledger '{}'", ledger.display()));
    let rows = bench.value("scores()?.len()");
    for cell in ["std::process::abort()", "std::process::exit(3)"] {
        let said = text(&bench.failure(cell));
        assert!(
            said.contains(&format!("kept: functions and types, the open dataset (demo) and {rows} scores;")),
            "{said}"
        );
        assert_eq!(bench.value("data()?.len()"), "8");
        assert_eq!(bench.value("trajectory()?.id"), "\"towel\"");
        assert_eq!(bench.value("scores()?.len()"), rows);
    }
    // Of a cell that opens and dies, what it opened is there too.
    bench.failure("keep(&ScoreTable::from_frame(scores()?.frame().head(Some(2)))?); std::process::abort()");
    assert_eq!(bench.value("scores()?.len()"), "2");
    assert_eq!(bench.value(":clear\nscores()?.len() + data()?.len()"), "10");
}

#[test]
fn what_cannot_be_opened_again_is_told() {
    let mut bench = Bench::new();
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("rollouts.csv");
    std::fs::create_dir(folder.path().join("pics")).unwrap();
    std::fs::write(folder.path().join("pics/1.png"), "").unwrap();
    std::fs::write(&list, "trajectory,frames,task\nt1,pics,go\n").unwrap();
    bench.value(&format!(":open '{}' --rate 1", list.display()));
    std::fs::remove_file(&list).unwrap();
    bench.told();
    bench.failure("std::process::abort()");
    // The process that follows may be there before the cell is over, or not.
    assert_eq!(bench.value("1 + 1"), "2");
    let told = bench.told();
    let note =
        |it: &Told| matches!(it, Told::Err(text) if text.starts_with("note: what was open is not open any more: "));
    assert!(told.iter().any(note), "{told:?}");
    assert!(text(&bench.failure("data()?")).contains("no dataset is open"));
}

#[test]
fn code_that_cooperates_keeps_variables() {
    let mut bench = Bench::new();
    bench.value("let x = 41;");
    let failure =
        interrupted_when_told(&mut bench, "MARK tokio::time::sleep(std::time::Duration::from_secs(600)).await;", 1);
    assert_eq!(failure.name, "Interrupted");
    let failure = interrupted_when_told(
        &mut bench,
        "MARK while !interrupted() { std::thread::sleep(std::time::Duration::from_millis(5)); } panic!(\"told\");",
        1,
    );
    assert_eq!(failure.name, "Panic");
    assert_eq!(bench.value("x"), "41");
}

#[test]
fn code_that_does_not_is_killed() {
    let mut bench = Bench::new();
    bench.value("let x = 41;");
    for times in [1, 2] {
        let failure = interrupted_when_told(&mut bench, "MARK loop { std::hint::black_box(1); }", times);
        assert_eq!(failure.name, "Interrupted");
        assert!(text(&failure).contains("kept: functions and types"), "{}", text(&failure));
        assert_eq!(bench.value("1 + 1"), "2");
    }
    assert_eq!(bench.failure("x").name, "E0425");
}

#[test]
fn a_study_stops_and_keeps_what_was_paid_for() {
    let mut bench = Bench::new();
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("ledger.db");
    bench.value("let x = 41;");
    let command = format!(
        ":score demo --model simulated --latency 300 --concurrency 1 --ledger '{}' --out '{}'",
        ledger.display(),
        folder.path().join("scores.parquet").display()
    );
    let interrupter = bench.engine.interrupter();
    let bundles = std::sync::Arc::clone(&bench.bundles);
    let over = std::sync::atomic::AtomicBool::new(false);
    let failure = std::thread::scope(|scope| {
        scope.spawn(|| {
            // The bar has moved: some calls are paid for.
            let moved = || bundles.lock().unwrap().iter().any(|(_, update, _)| *update);
            while !moved() && !over.load(std::sync::atomic::Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(5));
            }
            interrupter.interrupt();
        });
        let failure = bench.failure(&command);
        over.store(true, std::sync::atomic::Ordering::SeqCst);
        failure
    });
    assert_eq!(failure.name, "Interrupted", "{}", text(&failure));
    assert!(text(&failure).contains("ledger"), "{}", text(&failure));
    assert_eq!(bench.value("x"), "41");
    assert!(ledger.exists());
}

#[test]
fn an_interrupt_between_cells_does_nothing() {
    let mut bench = Bench::new();
    bench.engine.interrupter().interrupt();
    assert_eq!(bench.value("1 + 1"), "2");
}

#[test]
fn two_engines_do_not_meet() {
    let (mut one, mut other) = (Bench::new(), Bench::new());
    one.value("let x = 1; println!(\"one\");");
    other.value("let x = 2; println!(\"other\");");
    assert_eq!((one.value("x"), other.value("x")), ("1".into(), "2".into()));
    assert_eq!(one.told().len() + other.told().len(), 2);
}

#[test]
fn a_cell_that_waits_for_a_line_stops_where_it_is_interrupted() {
    for asks in [
        "input(\"name? \")",
        "{ let mut line = String::new(); std::io::stdin().read_line(&mut line)?; line }",
        "{ let mut line = String::new(); std::io::stdin().read_line(&mut line).unwrap(); line }",
        "{ let mut line = String::new(); let _ = std::io::stdin().read_line(&mut line); line }",
    ] {
        let (mut bench, interrupter) = Bench::with_interrupts();
        interrupter.set(bench.engine.interrupter()).unwrap_or_else(|_| panic!("it is set once"));
        bench.value("let x = 41;");
        let failure = bench.failure(&format!("let line = {asks}; println!(\"{{line:?}} is the rest\");"));
        assert_eq!(failure.name, "Interrupted", "{asks}: {}", failure.message);
        assert_eq!(bench.value("x + 1"), "42", "{asks}");
    }
}

/// Kills a process of the evaluator's, and waits until it has ended; its end is left for the evaluator to ask for.
fn kill(id: i32) {
    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
    let process = Pid::from_raw(id).unwrap();
    kill_process(process, Signal::KILL).unwrap();
    waitid(WaitId::Pid(process), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT).unwrap();
}

#[test]
fn a_process_that_died_between_cells_costs_no_cell() {
    let mut bench = Bench::new();
    for cell in ["1 + 1", ":open demo", "answer()"] {
        bench.value("fn answer() -> i32 { 42 }\nlet x = 41;");
        let id = bench.value("std::process::id()").parse().unwrap();
        bench.told();
        kill(id);
        bench.value(cell);
        let told = bench.told();
        let note = |it: &Told| match it {
            Told::Err(text) => text.contains("since the last cell") && text.contains("lost: the variable x\n"),
            _ => false,
        };
        assert!(told.iter().any(note), "{cell}: {told:?}");
        let said = text(&bench.failure("x"));
        assert!(said.contains("`x` was lost with the process"), "{cell}: {said}");
    }
}

#[test]
fn a_variable_that_was_lost_between_cells_is_told_of_in_the_cell_that_names_it() {
    let mut bench = Bench::new();
    bench.value("let x = 41;");
    let id = bench.value("std::process::id()").parse().unwrap();
    kill(id);
    let said = text(&bench.failure("x + 1"));
    assert!(
        said.contains("`x` was lost with the process") && said.contains("run the cell again that makes it"),
        "{said}"
    );
}
