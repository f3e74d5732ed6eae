//! Processes that are killed. The child is this test binary again, which does [`child`] alone.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use roborm::reward::{Call, Fault, FaultKind, Reply, Request};
use roborm::study::{Counts, Event, Ledger, LedgerOptions, Progress, Study};
use rustix::process::{Pid, Signal};

use super::kit::*;

pub const TRAJECTORIES: usize = 12;
pub const EACH: usize = 4;
pub const PAIRS: u64 = (TRAJECTORIES * (EACH + 1)) as u64;
pub const CONCURRENCY: u64 = 4;

/// What a child is to do: `KIND N`.
const ORDER: &str = "ROBORM_TEST_CHILD";
const FOLDER: &str = "ROBORM_TEST_FOLDER";

/// Starts a child that runs the study on the ledger in `folder`.
pub fn start(folder: &Path, order: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "study::crash::child", "--nocapture"])
        .env(ORDER, order)
        .env(FOLDER, folder)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

fn die() {
    rustix::process::kill_process(rustix::process::getpid(), Signal::KILL).unwrap();
    // The signal is on its way; nothing of what follows may happen.
    std::thread::sleep(Duration::from_secs(60));
}

/// Kills the process when so many replies are in the ledger.
struct DieAt(AtomicUsize);

impl Progress for DieAt {
    fn advance(&self, event: &Event<'_>) {
        if matches!(event, Event::Called { .. }) && self.0.fetch_sub(1, Ordering::SeqCst) == 1 {
            die();
        }
    }
}

fn log(folder: &Path) -> PathBuf {
    folder.join("sends.log")
}

/// The calls that all children sent, as (trajectory, instruction).
pub fn sends(folder: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(log(folder)).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn child() {
    let (Ok(order), Some(folder)) = (std::env::var(ORDER), std::env::var_os(FOLDER)) else { return };
    let folder = PathBuf::from(folder);
    let (kind, at) = order.split_once(' ').unwrap();
    let at: usize = at.parse().unwrap();

    let (sent, sends) = (AtomicUsize::new(0), log(&folder));
    let dies = kind == "die-sending";
    let on_send = move |request: &Request| {
        let line = format!("{}\t{}\n", request.trajectory, request.instruction);
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(&sends).unwrap();
        file.write_all(line.as_bytes()).unwrap();
        if sent.fetch_add(1, Ordering::SeqCst) + 1 == at && dies {
            die();
        }
    };
    let (answered, leaks) = (AtomicUsize::new(0), kind == "leak");
    let answer = move |request: &Request, _: &dyn Call| -> Result<Reply, Fault> {
        let first = answered.fetch_add(1, Ordering::SeqCst) == 0;
        match std::env::var("OPENROUTER_API_KEY") {
            Ok(key) if leaks && first => Err(fault(FaultKind::Refused, &format!("401: the key {key} is wrong"))),
            Ok(key) if leaks => Ok(Reply { reasoning: Some(format!("Bearer {key}")), ..says(&format!("{key} 4")) }),
            _ => Ok(says(&score(&request.trajectory, &request.instruction).to_string())),
        }
    };
    let latency_ms = if kind == "slow" { 20 } else { 2 };
    let model = Fake {
        latency_ms,
        concurrency: CONCURRENCY as usize,
        on_send: Box::new(on_send),
        ..Fake::answering("m", answer)
    };
    let lease = if kind == "slow" { Duration::from_millis(400) } else { Duration::from_secs(60) };
    let options = LedgerOptions { lease, ..LedgerOptions::default() };
    let ledger = Ledger::open_with(folder.join("ledger.db"), options).unwrap();
    let replies = if kind == "die-answered" { at } else { usize::MAX };
    let study = Study::new(plan(TRAJECTORIES, EACH), ledger)
        .frames(sampler())
        .model(Arc::new(model))
        .progress(Arc::new(DieAt(AtomicUsize::new(replies))));
    let outcome = study.run().unwrap();
    let Counts { planned, cached, called, failed, .. } = outcome.counts;
    assert_eq!(planned, cached + called + failed, "{:?}", outcome.counts);
    if kind != "leak" {
        assert_eq!((outcome.scores.len() as u64, failed), (PAIRS, 0));
    }
}

/// The rule of "money and crashes", after kills that left `unknown` intents open altogether.
fn check(folder: &Path, unknown: u64) {
    let sends = sends(folder);
    let distinct: BTreeSet<&String> = sends.iter().collect();
    assert_eq!(distinct.len() as u64, PAIRS, "every pair was sent");
    let twice = sends.len() as u64 - PAIRS;
    assert!(twice <= unknown, "{twice} sent twice, {unknown} were unknown");
    let totals = Ledger::open(folder.join("ledger.db")).unwrap().totals().unwrap();
    assert_eq!((totals.pairs, totals.replies, totals.open, totals.failed), (PAIRS, PAIRS, 0, 0));
}

/// How many intents the last run left open. Those of earlier runs may be open still, even under its lease: it may have
/// been killed before it came to them.
fn unknown(folder: &Path) -> u64 {
    let db = rusqlite::Connection::open(folder.join("ledger.db")).unwrap();
    let of_last = "SELECT count(*) FROM pairs WHERE open AND sent_ms >= (SELECT max(started_ms) FROM runs)";
    let open: i64 = db.query_row(of_last, (), |row| row.get(0)).unwrap();
    assert!(open as u64 <= CONCURRENCY, "{open} unknown, {CONCURRENCY} calls at a time");
    open as u64
}

#[test]
fn killed_while_sending_and_after_replies() {
    let folder = tempfile::tempdir().unwrap();
    let mut open = 0;
    for order in ["die-sending 1", "die-answered 7", "die-sending 13", "die-answered 1", "die-sending 2"] {
        let status = start(folder.path(), order).wait().unwrap();
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(9), "{order}");
        open += unknown(folder.path());
    }
    assert!(start(folder.path(), "finish 0").wait().unwrap().success());
    check(folder.path(), open);
}

#[test]
fn killed_from_outside_at_rows_of_the_ledger() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = Ledger::open(folder.path().join("ledger.db")).unwrap();
    let mut open = 0;
    for row in [3, 17, 41] {
        let mut child = start(folder.path(), "go 0");
        while ledger.totals().unwrap().replies < row {
            assert!(child.try_wait().unwrap().is_none(), "the child ended before row {row}");
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        open += unknown(folder.path());
    }
    assert!(start(folder.path(), "finish 0").wait().unwrap().success());
    check(folder.path(), open);
}

/// Whether no process is in the middle of a transaction: one that is stopped there holds up all others, which is
/// SQLite's nature and not what is looked at here.
fn is_quiet(path: &Path) -> bool {
    let mut db = rusqlite::Connection::open(path).unwrap();
    db.busy_timeout(Duration::ZERO).unwrap();
    db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).is_ok()
}

#[test]
fn a_stopped_process_loses_its_leases_and_pays_nothing_when_it_wakes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.db");
    let ledger = Ledger::open(&path).unwrap();
    let mut child = start(folder.path(), "slow 0");
    let pid = Pid::from_child(&child);
    let held = loop {
        assert!(child.try_wait().unwrap().is_none(), "the child ended before it could be stopped");
        rustix::process::kill_process(pid, Signal::STOP).unwrap();
        rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::UNTRACED).unwrap();
        let open = ledger.totals().unwrap().open;
        if open > 0 && is_quiet(&path) {
            break open;
        }
        rustix::process::kill_process(pid, Signal::CONT).unwrap();
        std::thread::yield_now();
    };

    // Takes over what the stopped one held, once its leases have expired.
    assert!(start(folder.path(), "finish 0").wait().unwrap().success());
    check(folder.path(), held);

    // Awake again, it sends nothing but, at most, what it was about to send when it was stopped.
    rustix::process::kill_process(pid, Signal::CONT).unwrap();
    assert!(child.wait().unwrap().success());
    check(folder.path(), held);
}

#[test]
fn no_key_reaches_the_ledger() {
    let folder = tempfile::tempdir().unwrap();
    let key = "sk-or-v1-0123456789abcdef-secret";
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "study::crash::child", "--nocapture"])
        .env(ORDER, "leak 0")
        .env(FOLDER, folder.path())
        .env("OPENROUTER_API_KEY", key)
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
    assert!(found_in(folder.path(), "Bearer [key]"), "the rest of the reply is kept");
    assert!(!found_in(folder.path(), key));
}
