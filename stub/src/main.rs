//! `roborm-stub`: the stub by hand, for teaching and for trying a study without paying.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use clap::Parser;
use roborm_stub::{Bucket, Config, Rates, Stub};

/// A server on loopback that answers like OpenRouter, faults included.
///
/// Use it as `OPENROUTER_BASE_URL=http://127.0.0.1:PORT/api/v1 OPENROUTER_API_KEY=any roborm score …`, or with `--base-url`.
/// GET /stub/tally tells what it has counted; POST /stub/expect takes a list of {"images": [blake3…], "instructions": […],
/// "label": 1 to 5} and from then on refuses all else.
#[derive(Parser)]
#[command(name = "roborm-stub", version)]
struct Arguments {
    /// The port; 0 takes a free one.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Answers, faults and latencies are functions of it.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Milliseconds that an answer takes: N, or FROM..TO.
    #[arg(long, default_value = "0", value_parser = latency)]
    latency_ms: (Duration, Duration),
    /// Share of 503.
    #[arg(long, default_value_t = 0.0)]
    overloaded: f64,
    /// Share of errors under 200.
    #[arg(long, default_value_t = 0.0)]
    error_in_200: f64,
    /// Share of connections dropped before the answer.
    #[arg(long, default_value_t = 0.0)]
    dropped: f64,
    /// Share of answers cut in the middle, which are billed.
    #[arg(long, default_value_t = 0.0)]
    half_sent: f64,
    /// Share of empty replies.
    #[arg(long, default_value_t = 0.0)]
    empty: f64,
    /// Share of requests that moderation refuses.
    #[arg(long, default_value_t = 0.0)]
    moderated: f64,
    /// Share of answers packed with gzip.
    #[arg(long, default_value_t = 0.0)]
    gzipped: f64,
    /// Share of answers that are streamed.
    #[arg(long, default_value_t = 0.0)]
    streamed: f64,
    /// Requests a second; more are answered 429.
    #[arg(long)]
    rate: Option<f64>,
    /// Requests at once that a rested limit lets through.
    #[arg(long, default_value_t = 50.0)]
    burst: f64,
    /// The key to ask for; any or none will do where left out. Not a real one: the command line can be seen by others.
    #[arg(long)]
    key: Option<String>,
}

fn latency(text: &str) -> Result<(Duration, Duration), String> {
    let number =
        |text: &str| text.trim().parse().map(Duration::from_millis).map_err(|_| format!("'{text}' is no whole number"));
    match text.split_once("..") {
        Some((from, to)) => Ok((number(from)?, number(to)?)),
        None => number(text).map(|latency| (latency, latency)),
    }
}

#[tokio::main(flavor = "current_thread")]
#[allow(clippy::print_stdout, reason = "the address and the tally are this program's output")]
async fn main() -> std::io::Result<()> {
    let arguments = Arguments::parse();
    let stub = Stub::start(Config {
        address: SocketAddr::from((Ipv4Addr::LOCALHOST, arguments.port)),
        seed: arguments.seed,
        latency: arguments.latency_ms,
        rates: Rates {
            overloaded: arguments.overloaded,
            error_in_200: arguments.error_in_200,
            dropped: arguments.dropped,
            half_sent: arguments.half_sent,
            empty: arguments.empty,
            moderated: arguments.moderated,
            gzipped: arguments.gzipped,
            streamed: arguments.streamed,
        },
        script: Vec::new(),
        bucket: arguments.rate.map(|rate| Bucket { rate, burst: arguments.burst }),
        key: arguments.key,
        ..Config::default()
    })?;
    println!("listening on {}", stub.base_url());
    tokio::signal::ctrl_c().await?;
    println!("{}", stub.tally().to_json());
    Ok(())
}
