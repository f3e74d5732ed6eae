//! Charts as text, as a file, in the browser.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use crate::bench::{Bench, Run};

/// Success is a score above 3.5. Trajectory a crosses under `lexical` (4 and 2), b does not; under `adversarial` neither
/// does: one of two, none of two.
const SCORES: &str = "\
model,trajectory,task,strategy,instruction,score,label
m,a,open it,original,open it,5,5
m,a,open it,lexical,pull it open,4,5
m,a,open it,lexical,unclose it,2,5
m,a,open it,adversarial,do not leave it shut,2,5
m,a,open it,adversarial,shut is what it must not be,1,5
m,b,lift it,original,lift it,5,5
m,b,lift it,lexical,raise it,5,5
m,b,lift it,lexical,hoist it,4,5
m,b,lift it,adversarial,do not leave it down,4,5
m,b,lift it,adversarial,down is what it must not be,4,5
";

/// The program, far from any desktop, with this browser.
fn chart(bench: &Bench, browser: &str, words: &[&str]) -> Run {
    let mut command = bench.command(&[&["chart", "s.csv"], words].concat());
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").env("BROWSER", browser);
    command.output().expect("the program starts").into()
}

fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("s.csv", SCORES);
    bench
}

#[test]
fn rates_are_bars_and_scores_are_strips() {
    let bench = bench();
    let run = bench.run(&["chart", "s.csv"]);
    let bar = |strategy: &str| run.stdout.lines().find(|line| line.starts_with(strategy)).expect("a bar").to_owned();
    assert!(bar("m lexical").ends_with("0.50 [0.00, 1.00] n=2"), "{}", run.stdout);
    assert!(bar("m adversarial").ends_with("0.00 [0.00, 0.00] n=2"), "{}", run.stdout);
    // What flips most is a: of its five scores 1, 2, 2, 4, 5 three fail.
    let strip = "1       2               1       1\n1-------2-------3---|---4-------5\n";
    assert!(run.stdout.contains("Flips most by m: a, \"open it\"") && run.stdout.contains(strip), "{}", run.stdout);

    let one = bench.json(&["chart", "s.csv#a"]);
    let strips: Vec<_> = one["strips"]
        .as_array()
        .expect("strips")
        .iter()
        .map(|it| (it["strategy"].clone(), it["scores"].clone()))
        .collect();
    assert_eq!(
        strips,
        [
            (json!("original"), json!([5.0])),
            (json!("lexical"), json!([2.0, 4.0])),
            (json!("adversarial"), json!([1.0, 2.0])),
        ]
    );
    bench.run(&["chart", "s.csv#z"]).refuses(2, &["no trajectory z"]);
    bench.run(&["chart", "s.csv", "--model", "n"]).refuses(2, &["no scores of the model 'n'"]);
    bench.run(&["chart"]).refuses(2, &["CASE"]);
    bench.run(&["chart", "no.csv"]).refuses(1, &["no.csv"]);
}

#[test]
fn the_browser_is_given_the_file_and_none_of_the_keys() {
    let bench = bench();
    let browser = bench.write("my browser", "#!/bin/sh\n{ echo \"$1\"; env; } > seen\n");
    std::fs::set_permissions(&browser, std::fs::Permissions::from_mode(0o755)).expect("the file is ours");
    let named = format!("no-such-browser:'{}' %s", browser.display());
    let mut command = bench.command(&["chart", "s.csv", "--open"]);
    command.env("BROWSER", &named).env("OPENROUTER_API_KEY", "sk-very-secret").env_remove("DISPLAY");
    let run: Run = command.output().expect("the program starts").into();
    assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{}", run.stdout);
    assert!(run.stdout.ends_with("charts: roborm-chart.html\n"), "{}", run.stdout);
    let seen = std::fs::read_to_string(bench.path("seen")).expect("the browser ran");
    let page = std::path::Path::new(seen.lines().next().expect("a line"));
    assert!(page.is_absolute() && std::fs::read_to_string(page).expect("a page").contains("Score-crossing rate"));
    assert!(!seen.contains("sk-very-secret"));
}

#[test]
fn without_a_browser_the_file_is_named() {
    let bench = bench();
    let file = bench.path("t.html").display().to_string();
    for (browser, why) in
        [("", "BROWSER is not set"), ("no-such-browser", "no-such-browser does not start"), ("false", "false ended")]
    {
        let run = chart(&bench, browser, &["--open", "--out", "t.html"]);
        assert_eq!(run.status, 0, "{}", run.stderr);
        assert!(run.stderr.contains(why) && run.stderr.contains(&file), "{browser}: {}", run.stderr);
        assert!(bench.path("t.html").exists());
    }
    let run = chart(&bench, "", &["--out", "no-such-folder/t.html"]);
    run.refuses(1, &["no-such-folder/t.html"]);
}

#[test]
fn where_labels_are_wide_they_stand_whole_above_their_bars() {
    let bench = Bench::new();
    bench.write("s.csv", &SCORES.replace("\nm,", "\nsimulated-flighty,"));
    for columns in ["40", "60"] {
        let mut command = bench.command(&["chart", "s.csv"]);
        let run = Run::from(command.env("COLUMNS", columns).output().expect("the program starts"));
        let lines: Vec<&str> = run.stdout.lines().collect();
        for strategy in ["lexical", "adversarial"] {
            let label = format!("simulated-flighty {strategy}");
            let at =
                lines.iter().position(|line| *line == label).unwrap_or_else(|| panic!("{columns}: {}", run.stdout));
            assert!(lines[at + 1].starts_with("  ") && lines[at + 1].ends_with("n=2"), "{}", run.stdout);
        }
        let lexical = lines.iter().find(|line| line.contains("0.50 [")).expect("one of two");
        assert!(lexical.contains(['#', '=', '-']), "its bar is there: {lexical}");
    }
}
