//! Several processes, one ledger.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use roborm::study::{Ledger, Study};

use super::crash::{PAIRS, sends, start};
use super::kit::*;

#[test]
fn processes_that_share_a_ledger_call_each_pair_once() {
    let folder = tempfile::tempdir().unwrap();
    // Made first, so that the children meet in the middle of their work and not at its creation.
    drop(Ledger::open(folder.path().join("ledger.db")).unwrap());
    let mut children: Vec<_> = (0..3).map(|_| start(folder.path(), "go 0")).collect();
    for child in &mut children {
        // Each ends with the whole table: see the assertions of the child.
        assert!(child.wait().unwrap().success());
    }
    let sends = sends(folder.path());
    assert_eq!(sends.iter().collect::<BTreeSet<_>>().len() as u64, PAIRS);
    assert_eq!(sends.len() as u64, PAIRS, "none twice");
}

#[test]
fn processes_may_make_the_ledger_at_the_same_time() {
    let folder = tempfile::tempdir().unwrap();
    let mut children: Vec<_> = (0..3).map(|_| start(folder.path(), "go 0")).collect();
    assert!(children.iter_mut().all(|child| child.wait().unwrap().success()));
    assert_eq!(sends(folder.path()).len() as u64, PAIRS);
}

#[test]
fn runs_of_one_process_share_too() {
    let bench = Bench::new();
    let ledger = bench.ledger();
    let model = Arc::new(Fake { latency_ms: 2, ..Fake::new("m") });
    let runs: Vec<_> = (0..2)
        .map(|_| {
            let study = Study::new(plan(10, 3), ledger.clone()).frames(sampler()).model(model.clone());
            std::thread::spawn(move || study.run().unwrap())
        })
        .collect();
    let outcomes: Vec<_> = runs.into_iter().map(|run| run.join().unwrap()).collect();
    assert_eq!(model.asked().len(), 40);
    assert_eq!(outcomes.iter().map(|outcome| outcome.counts.called).sum::<u64>(), 40);
    for outcome in outcomes {
        assert_eq!((outcome.counts.cached + outcome.counts.called, outcome.scores.len()), (40, 40));
    }
    assert_eq!(model.under_way.load(Ordering::SeqCst), 0);
}
