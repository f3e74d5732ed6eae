//! Many calls at a time against a stub that misbehaves.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use roborm::reward::{ModelOptions, Reading, Request, RewardModel, open, read_reply};
use roborm_stub::{Bucket, Config, Expected, Rates};

use super::support::{Notes, images, options, request, stub};

const TRAJECTORIES: usize = 625;
const WORDINGS: usize = 16;

/// The text of every reply, by trajectory and wording.
async fn run(model: &dyn RewardModel, requests: &[Request]) -> (BTreeMap<(String, String), Reading>, usize) {
    let asked = requests.iter().map(|request| async move {
        let notes = Notes::new();
        let reply = model.ask(request, &notes).await;
        ((request.trajectory.clone(), request.instruction.clone()), reply, notes.sends().len())
    });
    let mut readings = BTreeMap::new();
    let mut sends = 0;
    let mut answers = futures_util::stream::iter(asked).buffer_unordered(256);
    while let Some((pair, reply, sent)) = answers.next().await {
        let reply = reply.unwrap_or_else(|fault| panic!("{pair:?}: {fault}"));
        sends += sent;
        assert!(readings.insert(pair, read_reply(&reply)).is_none(), "one answer a pair");
    }
    (readings, sends)
}

fn requests() -> Vec<Request> {
    let mut requests: Vec<Request> = (0..TRAJECTORIES)
        .flat_map(|trajectory| {
            let images = images(trajectory, 4);
            (0..WORDINGS).map(move |wording| request(trajectory, &images, &format!("wording {wording}")))
        })
        .collect();
    // Sixteen trajectories are open at a time.
    requests.sort_by_key(|request| {
        let number: usize = request.trajectory.rsplit(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0);
        (number / 16, request.instruction.clone(), number)
    });
    requests
}

fn expected(requests: &[Request]) -> Vec<Expected> {
    let digests = |request: &Request| -> Vec<String> {
        request.images.iter().map(|image| blake3::hash(&image.bytes).to_hex().to_string()).collect()
    };
    let instructions: Vec<String> = (0..WORDINGS).map(|wording| format!("wording {wording}")).collect();
    let mut expected: Vec<Expected> = requests
        .iter()
        .map(|request| Expected { images: digests(request), instructions: instructions.clone(), label: None })
        .collect();
    expected.dedup();
    expected
}

fn concurrent(stub: &roborm_stub::Stub) -> Arc<dyn RewardModel> {
    let options = ModelOptions { concurrency: Some(64), ..options(stub) };
    open("openai/gpt-5.1", &options).expect("in the catalogue")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_pairs_with_every_fault_end_as_without() {
    let requests = requests();
    assert_eq!(requests.len(), 10_000);

    let calm = stub(Config::default());
    let (right, _) = run(&*concurrent(&calm), &requests).await;

    let stormy = stub(Config {
        latency: (Duration::from_millis(1), Duration::from_millis(20)),
        rates: Rates {
            overloaded: 0.02,
            error_in_200: 0.01,
            dropped: 0.01,
            half_sent: 0.005,
            empty: 0.01,
            gzipped: 0.05,
            streamed: 0.05,
            ..Rates::default()
        },
        bucket: Some(Bucket { rate: 2500.0, burst: 500.0 }),
        ..Config::default()
    });
    stormy.expect(expected(&requests));
    let (readings, sends) = run(&*concurrent(&stormy), &requests).await;

    assert!(readings == right, "every pair has the answer that it has without faults");
    let tally = stormy.tally();
    assert_eq!(tally.mismatches, Vec::<String>::new());
    assert_eq!((tally.billed, tally.billed_twice), (10_000, 0), "each answer is paid for once");
    assert_eq!(tally.requests, sends as u64, "every send was announced");
    assert!(tally.most_at_a_time <= 64, "{} at a time", tally.most_at_a_time);
    // All but a trajectory's first find the shared part in the cache.
    assert_eq!(tally.cached, (TRAJECTORIES * (WORDINGS - 1)) as u64);
    for fault in ["Status", "ErrorIn200", "Dropped", "HalfSent", "EmptyContent", "Gzipped", "Streamed"] {
        assert!(tally.faults.get(fault).is_some_and(|times| *times > 20), "{fault}: {:?}", tally.faults);
    }
}
