//! A server on loopback that answers like OpenRouter's chat completions, faults included.
//!
//! It checks what it is sent (images and their order, the instruction), bills what it answers, and keeps count, so that a
//! client can be held to "every answer paid for once". Answers and faults are functions of the seed and the request: a run
//! with faults ends with the same answers as one without.
//!
//! ```no_run
//! let stub = roborm_stub::Stub::start(roborm_stub::Config::default()).expect("a free port on loopback");
//! println!("{}", stub.base_url()); // http://127.0.0.1:PORT/api/v1
//! println!("{}", stub.tally().billed);
//! ```

mod answer;
mod bucket;
mod chat;
mod fault;
mod http;
mod question;
mod server;
mod state;

pub use bucket::Bucket;
pub use fault::{Fault, Rates, RetryAfter};
pub use server::Stub;
pub use state::{Expected, Tally};

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

/// How a stub behaves.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where it listens; port 0 takes a free one.
    pub address: SocketAddr,
    /// Answers, faults and latencies are functions of it.
    pub seed: u64,
    /// An answer takes between the one and the other.
    pub latency: (Duration, Duration),
    /// Shares of requests that go wrong.
    pub rates: Rates,
    /// What goes wrong with the first requests, one after another, before `rates` take over.
    pub script: Vec<Fault>,
    /// The limit on requests a second, if any.
    pub bucket: Option<Bucket>,
    /// The key that is asked for, if any.
    pub key: Option<String>,
    /// Providers behind it, by the names that replies show. A trajectory keeps to one; the next takes over where that one
    /// is to be ignored.
    pub providers: Vec<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            seed: 0,
            latency: (Duration::ZERO, Duration::ZERO),
            rates: Rates::default(),
            script: Vec::new(),
            bucket: None,
            key: None,
            providers: vec!["Stub".to_owned()],
        }
    }
}
