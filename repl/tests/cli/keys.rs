//! A key goes to its server and shows nowhere else.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use roborm_stub::{Config, Fault, Stub};

use crate::bench::{Bench, Run};
use crate::kill::replies;
use crate::server::{KEY, Rollouts};

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() { all.extend(files(&entry)) } else { all.push(entry) }
    }
    all
}

fn holds_key(bytes: &[u8]) -> bool {
    // Half of it would be too much as well.
    let half = &KEY.as_bytes()[..KEY.len() / 2];
    bytes.windows(half.len()).any(|window| window == half)
}

fn no_key_in(what: &str, bytes: &[u8]) {
    assert!(!holds_key(bytes), "{what} holds the key");
}

/// Runs to its end; the key is in nothing that it said.
fn said(mut command: Command) -> Run {
    let output: Output = command.env("RUST_BACKTRACE", "full").output().expect("the program starts");
    no_key_in("stdout", &output.stdout);
    no_key_in("stderr", &output.stderr);
    output.into()
}

fn with_key(bench: &Bench, stub: &Stub, words: &[&str]) -> Command {
    let mut command = bench.command(words);
    command.env("OPENROUTER_BASE_URL", stub.base_url()).env("OPENROUTER_API_KEY", KEY);
    command
}

#[test]
fn a_key_is_in_no_output_and_in_no_file() {
    assert!(holds_key(format!("Bearer {KEY}").as_bytes()), "the search finds what is there");
    let bench = Bench::new();
    let rollouts = Rollouts::lay_out(&bench, 5, 3);
    let stub = rollouts.serve(Config::default());
    let score =
        |words: &[&str]| said(rollouts.command(&bench, &stub, "score", &[&["--ledger", "l.db"], words].concat()));

    let good = score(&["--out", "s.csv"]);
    assert_eq!(good.status, 0, "{}", good.stderr);
    assert_eq!(stub.tally().keys.keys().collect::<Vec<_>>(), [&format!("Bearer {KEY}")], "the server has it");
    for words in [
        &["robustness", "s.csv", "--chart", "report.html"][..],
        &["doctor"],
        &["doctor", "--json"],
        &["models"],
        &["estimate", "demo", "--model", "openai/gpt-5.1"],
        &["score", "demo", "--model", "no-such-model"],
        &["score", "demo", "--nonsense"],
    ] {
        said(with_key(&bench, &stub, words));
    }

    // The server shows the key in an error, which goes to the ledger and to the user.
    stub.script([Fault::EchoedKey]);
    let echoed = score(&["--reasoning", "low", "--out", "e.csv"]);
    assert_eq!(echoed.status, 1);
    assert!(echoed.stderr.contains("***"), "{}", echoed.stderr);

    // The server wants another key.
    let strict = Stub::start(Config { key: Some("another".to_owned()), ..Config::default() }).expect("a free port");
    let refused = said(rollouts.command(&bench, &strict, "score", &["--ledger", "r.db", "--out", "r.csv"]));
    assert_eq!(refused.status, 1);
    assert!(refused.stderr.contains("OPENROUTER_API_KEY"), "{}", refused.stderr);

    // A key that cannot be sent.
    let mut broken = rollouts.command(&bench, &stub, "score", &["--ledger", "b.db"]);
    broken.env("OPENROUTER_API_KEY", format!("{KEY}\nx"));
    assert_eq!(said(broken).status, 2);

    // An address that would send it in clear text, and one that is no address.
    for address in ["http://gateway.example/api/v1", "nowhere"] {
        let mut wrong = rollouts.command(&bench, &stub, "score", &["--ledger", "b.db"]);
        wrong.env("OPENROUTER_BASE_URL", address);
        assert_eq!(said(wrong).status, 2, "{address}");
    }

    let folder = bench.path("");
    let written = files(&folder);
    for file in ["l.db", "r.db", "s.csv", "e.csv", "report.html"] {
        assert!(written.contains(&bench.path(file)), "{file} is there to be searched");
    }
    for file in written {
        no_key_in(&file.display().to_string(), &std::fs::read(&file).expect("a file can be read"));
    }
}

#[test]
fn a_key_is_in_no_process_s_arguments() {
    let bench = Bench::new();
    let rollouts = Rollouts::lay_out(&bench, 8, 3);
    let latency = Duration::from_millis(200);
    let stub = rollouts.serve(Config { latency: (latency, latency), ..Config::default() });
    let mut command = rollouts.command(&bench, &stub, "score", &["--ledger", "l.db", "--concurrency", "1"]);
    let mut program = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts");
    let mut seen = 0;
    while program.try_wait().expect("the program can be asked").is_none() {
        for process in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
            // One that has ended meanwhile has none.
            let arguments = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
            no_key_in(&format!("the command line of {}", process.path().display()), &arguments);
        }
        if replies(&bench.path("l.db")).is_some_and(|replies| replies > 0) {
            seen += 1;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(seen > 0, "it was looked at while it called");
    assert!(program.wait().expect("it has ended").success());
}
