//! A line while it is typed.

use crate::bench::Bench;
use crate::screen::Screen;

#[test]
fn tab_completes_a_path_with_blanks() {
    let bench = Bench::new();
    bench.write("my data/s p.csv", "model,trajectory,strategy,instruction,score\nm,t,original,go,4\n");
    let screen = Screen::ready(&bench, 80, &[]);
    screen.types(":scores my").key("Tab").shows("roborm> :scores 'my data/");
    screen.key("Tab").shows("roborm> :scores 'my data/s p.csv'");
    screen.key("Enter").shows("my data/s p.csv: 1 score of 1 trajectory");
}

#[test]
fn the_bracket_at_the_cursor_and_its_partner_are_marked() {
    let bench = Bench::new();
    let screen = Screen::ready(&bench, 80, &["TERM=xterm-256color"]);
    // The bracket inside the string is none.
    screen.types("f(vec![1, 2], \")\")").key("Left");
    screen.wait_colored(|text| underlined(text) == "()");
    for _ in 0..6 {
        screen.key("Left");
    }
    screen.wait_colored(|text| underlined(text) == "[]");
    // When the line is done nothing is marked in it.
    screen.key("End").key("Enter").shows("error: ");
    assert_eq!(underlined(&screen.colored()), "", "{}", screen.colored());
}

/// The letters of a screen that are underlined.
fn underlined(colored: &str) -> String {
    let (mut letters, mut is) = (String::new(), false);
    for piece in colored.split("\x1b[") {
        let (codes, text) = piece.split_once('m').unwrap_or(("", piece));
        for code in codes.split(';') {
            is = code == "4" || (is && code != "0" && !code.is_empty());
        }
        if is {
            letters.extend(text.split_whitespace());
        }
    }
    letters
}

#[test]
fn a_block_goes_on_until_its_brackets_and_strings_are_closed() {
    let bench = Bench::new();
    let screen = Screen::ready(&bench, 80, &[]);
    screen.line("fn f(x: i64) -> i64 {").line("    let s = \"}").line("\"; // }").line("    x /* { */ + 1").types("}");
    let text = screen.shows("x /* { */ + 1\n}");
    assert!(!text.contains("error"), "{text}");
    screen.key("Enter").shows("error: ");
    // So does what an operator stands at the end of.
    screen.line("let sum =").types("    1 +").key("Enter").types("    2;").shows("let sum =\n    1 +\n    2;");
}

#[test]
fn a_window_that_changes_its_width_shows_the_line_whole_and_nothing_else_is_lost() {
    let bench = Bench::new();
    let screen = Screen::ready(&bench, 80, &[]);
    screen.line(":help open").shows("  :open rollouts.csv --paraphrases p.jsonl");
    let line = ":score demo --model simulated --paraphrases a-file-of-a-rather-long-name.jsonl --out another.parquet";
    screen.types(line).shows("another.parquet");
    let whole = |text: &str| {
        let above = text.contains("  :open demo\n  :open rollouts.csv --paraphrases p.jsonl\n");
        above && text.trim_end().ends_with(&format!("p.jsonl\nroborm> {line}")) && text.matches(":score").count() == 1
    };
    for columns in [50, 30, 120, 60, 200, 80] {
        // The terminal alone folds the line anew; that a letter follows shows that the program has seen it, too.
        screen
            .resize(columns)
            .types("x")
            .wait(|text| whole(&text.replace(".parquetx", ".parquet")) && text.contains(".parquetx"));
        screen.key("BSpace").wait(whole);
    }
    // With the cursor at its start, too; and the line is still the line.
    screen.key("Home").types("x").shows("roborm> x:score");
    screen.key("BSpace").wait(whole);
    screen.resize(40).types("x").shows("roborm> x:score");
    screen.key("BSpace").wait(whole);
    screen.key("End").types("x").key("Enter").says("another.parquetx: not a format of score tables");
}

#[test]
fn ctrl_c_leaves_a_command_that_makes_no_calls_at_once() {
    let bench = Bench::new();
    bench.write("clip.mp4", "not a clip");
    // A decoder that never answers.
    let program = bench.write("decoder", "#!/bin/sh\nsleep 1000 &\nwait\n");
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("the file is ours");
    let screen = Screen::ready(&bench, 80, &[&format!("ROBORM_DECODER={}", program.display())]);
    screen.line(":open demo").wait(|text| text.trim_end().ends_with("demo>"));
    screen.line(":frames clip.mp4").wait(|_| is_run(&program));
    screen.key("C-c").shows("error: interrupted");
    // The session goes on, with what was open.
    screen.wait(|text| text.trim_end().ends_with("demo>"));
    screen.line(":next").shows("true progress");
}

/// Whether a process runs this script.
fn is_run(script: &std::path::Path) -> bool {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter_map(|process| std::fs::read(process.path().join("cmdline")).ok())
        .any(|line| line.split(|byte| *byte == 0).any(|word| word == script.as_os_str().as_encoded_bytes()))
}

#[test]
fn tab_sets_in_a_line_of_rust_that_goes_on() {
    let bench = Bench::new();
    let screen = Screen::ready(&bench, 80, &[]);
    screen.line("for i in 0..2 {").key("Tab").types("x").shows("for i in 0..2 {\n    x");
    screen.key("Enter").key("Tab").key("Tab").types("y;").shows("    x\n        y;");
    screen.key("C-c").wait(|text| text.trim_end().ends_with("\nroborm>"));
    // So does one of a text that comes without brackets around it.
    screen.types_at_once("fn f() {\n\tlet z = 1;\n\t\tz\n}").shows("fn f() {\n    let z = 1;\n        z\n}");
    screen.key("C-c").wait(|text| text.trim_end().ends_with("\nroborm>"));
    // A command goes on with its words.
    screen.line(":help \\").types("nex").key("Tab").shows("\nnext");
}

#[test]
fn tab_quotes_what_needs_it_once_it_is_whole() {
    let bench = Bench::new();
    let ids = ["towel", "0412", "run 7", "run 8", "runner", "naïve-é"];
    let row = |id: &str| format!("{{\"trajectory\": \"{id}\", \"video\": \"v.mp4\", \"task\": \"go\"}}\n");
    bench.write("v.mp4", "never looked into");
    bench.write("ids.jsonl", &ids.map(row).concat());
    let screen = Screen::ready(&bench, 80, &[]);
    screen.line(":open ids.jsonl").wait(|text| text.trim_end().ends_with("ids>"));
    let is_typed =
        |line: &str| screen.wait(|text| text.trim_end_matches([' ', '\n']).ends_with(&format!("ids> {line}")));
    // Nothing is common to all: they are shown, and nothing is put in.
    screen.types(":spot ").key("Tab").key("Tab").shows("0412");
    screen.types("ru").key("Tab").types("ne").key("Tab").types("-");
    is_typed(":spot runner -");
    // Two that are told apart only behind a blank: it is typed in a quotation.
    screen.key("C-u").types(":why 'run ").key("Tab").types("7").key("Tab").types("-");
    is_typed(":why 'run 7' -");
    // What is named once is not named again.
    screen.key("C-u").types(":why 'run 7' ").key("Tab").types("x");
    is_typed(":why 'run 7' x");
    screen.key("C-u").types(":why na").key("Tab").types("-");
    is_typed(":why naïve-é -");
}

#[test]
fn what_a_question_asks_about_is_completed_and_told_at_the_width_of_the_window() {
    let bench = Bench::new();
    let screen = Screen::ready(&bench, 60, &[]);
    screen.types("?:robu").key("Tab").shows("roborm> ?:robustness");
    screen.key("Enter").shows("  :robustness scores.parquet --chart report.html");
    screen.wait(|text| text.trim_end().ends_with("\nroborm>"));
    let text = screen.text();
    let lines = |text: &str| text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    assert_eq!(screen.rows(), lines(&text), "nothing is folded by the window");
    // What an option does stands in its column, the whole of it: none of it is folded once more.
    let options = text.split("Options:").nth(1).and_then(|rest| rest.split("Examples:").next()).expect("options");
    let is_set_in = |line: &&str| line.starts_with("      ") || line.starts_with("  -");
    assert!(options.lines().filter(|line| !line.is_empty()).all(|line| is_set_in(&line)), "{options}");
    screen.line("?").shows("A first round: `:open demo`");
}
