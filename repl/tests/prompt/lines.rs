//! Lines without a terminal: `-c`, a file, standard input.

use std::io::Write;
use std::process::Stdio;

use roborm::command::{Line, Unparsed};

use crate::bench::{Bench, Run};

fn piped(bench: &Bench, script: &[u8]) -> Run {
    let mut child = bench
        .command(&[])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("was piped");
    input.write_all(script).expect("the program reads all of it");
    drop(input);
    child.wait_with_output().expect("the program ends").into()
}

#[test]
fn a_line_is_run_as_it_would_be_in_a_shell() {
    let bench = Bench::new();
    let words = ["spot", "demo#drawer", "--model", "simulated", "--json"];
    let shell = bench.run(&words);
    let line = bench.run(&["-c", &format!(":{}", words.join(" "))]);
    assert_eq!((line.status, line.json()), (0, shell.json()));
    assert!(!line.stdout.contains("roborm>"), "no prompt");
}

#[test]
fn what_is_open_goes_from_line_to_line() {
    let bench = Bench::new();
    let open = ":open demo\n: next\n:spot --model simulated --json";
    let first = bench.json(&["trajectories", "demo"])[0]["trajectory"].as_str().expect("an id").to_owned();
    let run = bench.run(&["-c", open]);
    let (_, json) = run.stdout.split_once('[').expect("an array");
    let shell = bench.json(&["spot", &format!("demo#{first}"), "--model", "simulated"]);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&format!("[{json}")).expect("JSON"), shell);
    // The model and the trajectory are those of before; the scores, too.
    let run = bench.run(&["-c", &format!("{open}\n:spot\n:scores --json")]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.contains(&format!("\"rows\": {}", shell.as_array().expect("rows").len())), "{}", run.stdout);
}

#[test]
fn a_script_stops_at_its_first_error_with_the_line_and_the_status() {
    let bench = Bench::new();
    let script = "# a lesson\n\n:open demo\n:open no-such-folder\n:trajectories\n";
    bench.write("lesson.txt", script);
    for (run, place) in [
        (bench.run(&["run", "lesson.txt"]), "lesson.txt"),
        (piped(&bench, script.as_bytes()), "stdin"),
        (bench.run(&["-c", script]), "-c"),
    ] {
        assert!(run.status > 0, "{}", run.stderr);
        assert!(run.stderr.starts_with(&format!("error: {place}, line 4: ")), "{}", run.stderr);
        assert!(run.stdout.contains("demo is open") && !run.stdout.contains("duration"), "{}", run.stdout);
    }
    // Wrong usage is 2, whoever finds it: the grammar, the command, the front, or nobody who knows the line.
    for line in [":spot --boundary x", ":next", ":sppot", "let x = 1;", ":open 'demo", ":"] {
        bench.run(&["-c", &format!("\n{line}\n:models")]).refuses(2, &["error: -c, line 2: "]);
    }
}

#[test]
fn lines_go_on_after_a_backslash_and_quit_ends() {
    let bench = Bench::new();
    let run = bench.run(&["-c", ":trajectories \\\n  demo --json\n:quit\n:sppot"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_eq!(run.json(), bench.json(&["trajectories", "demo"]));
}

#[test]
fn nothing_in_is_nothing_out_and_what_is_no_text_is_refused() {
    let bench = Bench::new();
    let empty = piped(&bench, b"");
    assert_eq!((empty.status, empty.stdout.as_str(), empty.stderr.as_str()), (0, "", ""));
    piped(&bench, b":models\n:\xff\n").refuses(1, &["stdin, line 2: not UTF-8"]);
    bench.run(&["run", "no-such-file"]).refuses(1, &["no-such-file"]);
    bench.run(&["run"]).refuses(2, &["run takes one file"]);
    bench.run(&["-c"]).refuses(2, &["-c takes one argument"]);
}

#[test]
fn a_piece_of_many_lines_ends_where_it_is_closed() {
    let bench = Bench::new();
    // Whether a bracket, a string, a comment or a quotation is open in a file of a megabyte is read once, not at every line.
    let inside = "some words of a line, (or [two\n".repeat(30_000);
    for (begin, end) in [("let s = (\"", "\");"), ("/* ", "*/ let s = 1;"), (":open 'no ", "'"), ("f(\n\"", "\", 1\n)")]
    {
        bench.write("big.rs", &format!("{begin}{inside}{end}\n:models\n"));
        let mut command = bench.command(&["run", "big.rs"]);
        let run: Run = command.env("ROBORM_KERNEL", "none").output().expect("the program starts").into();
        assert!(run.stderr.starts_with("error: big.rs, line 1: ") && run.stdout.is_empty(), "{begin}");
        // Without its end it is the last piece, and what is open in it is never closed.
        bench.write("big.rs", &format!(":models\n{begin}{inside}:models\n"));
        let mut command = bench.command(&["run", "big.rs"]);
        let run: Run = command.env("ROBORM_KERNEL", "none").output().expect("the program starts").into();
        assert!(run.stderr.starts_with("error: big.rs, line 2: ") && run.stdout.contains("gpt-5.1"), "{begin}");
        assert_eq!(run.stdout.matches("gpt-5.1 ").count(), 1, "{begin}");
    }
}

#[test]
fn every_command_has_help_with_examples() {
    let bench = Bench::new();
    let all = bench.run(&["-c", ":help"]).stdout;
    let names: Vec<&str> =
        all.lines().filter_map(|line| line.strip_prefix(':')).filter_map(|line| line.split(' ').next()).collect();
    assert!(names.len() >= 15, "{all}");
    for name in names {
        let one = bench.run(&["-c", &format!(":help {name}")]);
        assert_eq!(one.status, 0, "{}", one.stderr);
        assert!(name == "quit" || one.stdout.contains(&format!("  :{name}")), "{name}: {}", one.stdout);
    }
}

#[test]
fn what_cannot_be_written_is_an_error_here_as_elsewhere() {
    let bench = Bench::new();
    bench.write("s.txt", ":models\n:quit\n");
    for words in [&["models"][..], &["-c", ":models"], &["-c", ":help"], &["-c", ":models --help"], &["run", "s.txt"]] {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("Linux has it");
        let run = Run::from(bench.command(words).stdout(full).output().expect("the program starts"));
        run.refuses(1, &["cannot write to standard output"]);
        // A reader that has gone away is none.
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let run = Run::from(bench.command(words).stdout(writer).output().expect("the program starts"));
        run.refuses(0, &[]);
    }
}

#[test]
fn what_is_not_closed_is_told_with_its_place() {
    let bench = Bench::new();
    let run = bench.run(&["-c", ":open demo\n:why towel's\n:trajectories"]);
    assert_eq!(run.status, 2, "{}", run.stderr);
    for said in ["-c, line 2: the quotation is not closed that begins at column 11: 's\n", "end it with '"] {
        assert!(run.stderr.contains(said), "{}", run.stderr);
    }
    bench.run(&["-c", ":spot \"a\\\" b"]).refuses(2, &["begins at column 7: \"a\\\" b"]);
    bench.run(&["-c", ":spot a\\"]).refuses(2, &["nothing follows the \\ at the end"]);
}

#[test]
fn two_datasets_are_told_apart_in_the_headings_of_charts() {
    let bench = Bench::new();
    let rows =
        ["kitchen", "hall"].map(|dataset| format!("m,{dataset},a,lexical,pull,2,5\nm,{dataset},a,lexical,tug,5,5\n"));
    bench.write("s.csv", &format!("model,dataset,trajectory,strategy,instruction,score,label\n{}", rows.concat()));
    for words in [["chart", "s.csv#a"], ["chart", "s.csv"]] {
        let run = bench.run(&words);
        assert!(run.stdout.contains("m (dataset kitchen)"), "{}", run.stdout);
    }
    assert!(bench.run(&["chart", "s.csv#a"]).stdout.contains("m (dataset hall)"));
}

#[test]
fn help_is_laid_out_for_the_window() {
    for columns in [40, 60, 90] {
        let Err(Unparsed::Help(text)) = Line::parse_lasting_in(["score", "--help"], Some(columns)) else {
            panic!("help was asked for")
        };
        // Examples stand as they are typed.
        let (options, _) = text.split_once("Examples:").expect("examples come last");
        let widest = options.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(columns), "{widest:?} of {columns}: {options}");
        assert!(options.contains("--paraphrases"));
    }
}
