use std::path::PathBuf;
use std::sync::Arc;

use roborm::reward::FaultKind;
use roborm::study::{Ledger, Merged, PlanOptions, Shard, Study};

use super::kit::*;

fn shard(folder: &tempfile::TempDir, part: usize, of: usize, model: Fake) -> PathBuf {
    let path = folder.path().join(format!("shard-{part}.db"));
    let options = PlanOptions { shard: Some(Shard::new(part, of).unwrap()), ..PlanOptions::default() };
    let plan = plan_of(&trajectories(9), &paraphrases(3), &options).unwrap();
    let study = Study::new(plan, Ledger::open(&path).unwrap()).frames(sampler());
    study.model(Arc::new(model)).run().unwrap();
    path
}

#[test]
fn shards_come_together() {
    let folder = tempfile::tempdir().unwrap();
    let shards: Vec<PathBuf> = (1..=3).map(|part| shard(&folder, part, 3, Fake::new("m"))).collect();
    let out = folder.path().join("all.db");
    assert_eq!(Ledger::merge(&out, &shards).unwrap(), Merged { rows: 36, duplicates: 0 });
    let idle = Arc::new(Fake::new("m"));
    let study = Study::new(plan(9, 3), Ledger::open(&out).unwrap()).frames(sampler()).model(idle.clone());
    let outcome = study.run().unwrap();
    assert_eq!((outcome.counts.cached, outcome.counts.called, outcome.scores.len()), (36, 0, 36));

    // Once more: nothing changes, nothing is kept twice.
    assert_eq!(Ledger::merge(&out, &shards).unwrap(), Merged { rows: 36, duplicates: 36 });
    assert_eq!(Ledger::open(&out).unwrap().spend().unwrap()[0].calls, 36);
}

#[test]
fn two_replies_to_one_pair() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("all.db");
    let one = shard(
        &folder,
        1,
        1,
        Fake::answering("m", |request, _| match request.trajectory.as_str() {
            "t000" => Ok(says("hard to say")),
            "t001" => Err(fault(FaultKind::Refused, "moderated")),
            _ => Ok(says("2")),
        }),
    );
    let elsewhere = tempfile::tempdir().unwrap();
    let two = shard(&elsewhere, 1, 3, Fake::answering("m", |_, _| Ok(says("4"))));
    // Shard 1 of 3 has t000, t003 and t006.
    let merged = Ledger::merge(&out, &[one, two]).unwrap();
    assert_eq!(merged, Merged { rows: 32, duplicates: 12 });
    let ledger = Ledger::open(&out).unwrap();
    assert_eq!(ledger.totals().unwrap().failed, 4);
    assert_eq!(ledger.spend().unwrap()[0].calls, 44, "all were paid for");
    let outcome = Study::new(plan(9, 3), ledger).frames(sampler()).model(Arc::new(Fake::new("m"))).run().unwrap();
    for (trajectory, _, _, _, score) in rows(&outcome) {
        // A score takes the place of an unparsed reply; else the first stays.
        assert_eq!(score, Some(if trajectory == "t000" { 4.0 } else { 2.0 }), "{trajectory}");
    }
}

#[test]
fn refuses_what_it_cannot_join() {
    let folder = tempfile::tempdir().unwrap();
    let one = shard(&folder, 1, 3, Fake::new("m"));
    let error = Ledger::merge(&one, std::slice::from_ref(&one)).unwrap_err();
    assert!(error.is_usage() && error.to_string().contains("into itself"), "{error}");
    let out = folder.path().join("all.db");
    let error = Ledger::merge(&out, &[one, folder.path().join("none.db")]).unwrap_err();
    assert!(error.to_string().ends_with("none.db") && error.to_string().starts_with("no ledger"), "{error}");
    assert!(!folder.path().join("none.db").exists());
}
