//! The system's proxy.

use roborm_stub::Config;

use crate::bench::{Bench, Run};
use crate::server::{KEY, MODEL, Rollouts};

#[test]
fn other_machines_are_reached_through_the_proxy_and_this_one_without() {
    let bench = Bench::new();
    let rollouts = Rollouts::lay_out(&bench, 2, 2);
    let stub = rollouts.serve(Config::default());
    let server = stub.base_url();
    let score = |base: &str, proxy: &str, around: &str| -> Run {
        let words = ["score", &rollouts.manifest, "--model", MODEL, "--paraphrases", &rollouts.paraphrases];
        let more = ["--base-url", base, "--ledger", "l.db", "--out", "s.csv", "--json"];
        let mut command = bench.command(&[&words[..], &more].concat());
        for name in ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "http_proxy", "no_proxy"] {
            command.env_remove(name);
        }
        command.env("HTTP_PROXY", proxy).env("NO_PROXY", around).env("ROBORM_API_KEY", KEY);
        command.output().expect("the program starts").into()
    };
    // The server takes whole addresses too, as a proxy is asked for them.
    let proxy = server.trim_end_matches("/api/v1");
    let run = score("http://node1.example/v1", proxy, "");
    assert_eq!((run.status, run.json()["called"].as_u64()), (0, Some(4)), "{}", run.stderr);
    assert_eq!(stub.tally().billed, 4);
    assert!(run.stderr.contains("clear text") && !run.stderr.contains(KEY), "{}", run.stderr);

    // Nobody listens there.
    let nowhere = "http://127.0.0.1:9";
    let run = score(&server, nowhere, "");
    assert_eq!((run.status, stub.tally().billed), (0, 8), "{}", run.stderr);
    let run = score("http://node2.example/v1", nowhere, "");
    assert_eq!((run.status, stub.tally().billed), (1, 8), "{}", run.stderr);
}
