//! Calls a second of the client, beside a bare loop of reqwest that sends the same bodies to the same stub.
//!
//! `cargo bench --bench client` prints a line a round; the two take turns, so that a busy machine slows both.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints, and stops where something is wrong")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use roborm::frames::{EncodedImage, Frames};
use roborm::reward::{Call, Environment, Fault, ModelOptions, Request, RewardModel, open};
use roborm_stub::{Config, Stub};

const CONCURRENCY: usize = 64;
const WORDINGS: usize = 16;

/// A JPEG of 640 x 480 at quality 90 has about so many bytes.
const IMAGE_BYTES: usize = 60_000;

struct Silent;

impl Call for Silent {
    fn before_send(&self, _attempt: u32) -> Result<(), Fault> {
        Ok(())
    }

    fn id_came(&self, _id: &str) {}
}

fn requests(trajectories: usize, frames: usize, salt: usize) -> Vec<Request> {
    let mut requests = Vec::new();
    for trajectory in 0..trajectories {
        let image = |index: usize| {
            let mut bytes = vec![0xFF, 0xD8, 0xFF];
            bytes.resize(IMAGE_BYTES, (trajectory * 7 + index + salt) as u8);
            EncodedImage { mime: "image/jpeg", width: 640, height: 480, bytes: bytes.into() }
        };
        let images: Arc<Vec<EncodedImage>> = Arc::new((0..frames).map(image).collect());
        let none = Arc::new(Frames { source: String::new(), rule: String::new(), frames: Vec::new() });
        for wording in 0..WORDINGS {
            requests.push(Request {
                trajectory: format!("{salt} {trajectory}"),
                frames: Arc::clone(&none),
                images: Arc::clone(&images),
                instruction: format!("wording {wording}"),
                repeat: 0,
                label: None,
                strategies: Vec::new(),
            });
        }
    }
    requests
}

fn model(stub: &Stub) -> Arc<dyn RewardModel> {
    let options = ModelOptions {
        base_urls: vec![stub.base_url()],
        environment: Some(Environment::default()),
        concurrency: Some(CONCURRENCY),
        ..ModelOptions::default()
    };
    open("bench", &options).unwrap()
}

/// Calls a second of the client.
async fn client(stub: &Stub, requests: &[Request]) -> f64 {
    let model = model(stub);
    let start = Instant::now();
    let asked = requests.iter().map(|request| model.ask(request, &Silent));
    // As a study drives it: more questions open than calls at a time, since siblings wait for their first.
    let mut answers = futures_util::stream::iter(asked).buffer_unordered(CONCURRENCY * 4);
    while let Some(reply) = answers.next().await {
        reply.unwrap();
    }
    requests.len() as f64 / start.elapsed().as_secs_f64()
}

/// Calls a second of a loop that sends ready bodies and reads JSON.
async fn bare(stub: &Stub, bodies: &[bytes::Bytes]) -> f64 {
    let client = reqwest::Client::builder().no_proxy().tls_certs_only(Vec::new()).build().unwrap();
    let url = format!("{}/chat/completions", stub.base_url());
    let start = Instant::now();
    let sent = bodies.iter().map(|body| {
        let request = client.post(&url).header("content-type", "application/json").body(body.clone());
        async move { request.send().await.unwrap().json::<serde_json::Value>().await.unwrap() }
    });
    let mut answers = futures_util::stream::iter(sent).buffer_unordered(CONCURRENCY);
    while answers.next().await.is_some() {}
    bodies.len() as f64 / start.elapsed().as_secs_f64()
}

/// Bodies of the client's own size and form.
async fn bodies(requests: &[Request]) -> Vec<bytes::Bytes> {
    let stub = Stub::start(Config::default()).unwrap();
    let model = model(&stub);
    let mut bodies = Vec::new();
    for request in requests {
        model.ask(request, &Silent).await.unwrap();
        bodies.push(stub.tally().last_body.into());
    }
    bodies
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        for (frames, trajectories) in [(1, 256), (8, 32)] {
            let requests = requests(trajectories, frames, 0);
            let bodies = bodies(&requests).await;
            let bytes = bodies.first().map_or(0, bytes::Bytes::len);
            let mut ratios = Vec::new();
            for _ in 0..5 {
                let stub = Stub::start(Config::default()).unwrap();
                let by_client = client(&stub, &requests).await;
                let by_loop = bare(&stub, &bodies).await;
                ratios.push(by_client / by_loop);
                println!(
                    "instant stub, {frames} frames ({bytes} bytes): client {by_client:.0} calls/s, bare loop {by_loop:.0} calls/s"
                );
            }
            ratios.sort_by(f64::total_cmp);
            println!("instant stub, {frames} frames: median ratio {:.2}", ratios[ratios.len() / 2]);
        }
        let latency = Duration::from_millis(200);
        let stub = Stub::start(Config { latency: (latency, latency), ..Config::default() }).unwrap();
        let rate = client(&stub, &requests(320, 1, 1)).await;
        println!("200 ms of latency, {CONCURRENCY} calls at a time: {rate:.0} calls/s (at most {})", CONCURRENCY * 5);
    });
}
