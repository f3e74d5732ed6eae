//! Terminals that can little, and files that are not as they should be.

use std::fs;

use crate::bench::Bench;
use crate::screen::Screen;

#[test]
fn without_term_in_another_encoding_and_dumb_it_works_all_the_same() {
    for env in [&["-uTERM"][..], &["LC_ALL=C"], &["LC_ALL=en_US.ISO-8859-1"], &["TERM=dumb"]] {
        let bench = Bench::new();
        let screen = Screen::ready(&bench, 80, env);
        screen.line(":open demo").shows("demo is open: 8 trajectories");
        let text = screen.line(":trajectories").shows("demo: 8 trajectories, ");
        assert!(text.is_ascii(), "{env:?}: {text}");
        screen.key("C-d").shows("status 0");
    }
}

#[test]
fn what_goes_on_is_marked_where_lines_cannot_be_edited_and_ctrl_c_drops_it() {
    for env in ["TERM=dumb", "-uTERM"] {
        let bench = Bench::new();
        let screen = Screen::ready(&bench, 80, &[env]);
        screen.line("if true {").wait(|text| text.trim_end().ends_with("\n..."));
        screen.types("half a").key("C-c").wait(|text| text.trim_end().ends_with("\nroborm>"));
        screen.line(":open demo").shows("demo is open: 8 trajectories");
        screen.wait(|text| text.trim_end().ends_with("\ndemo>"));
        screen.line(":trajectories \\").wait(|text| text.trim_end().ends_with("\n..."));
        screen.line("demo --json").shows("\"trajectory\": \"towel\"");
        screen.key("C-d").shows("status 0");
    }
}

#[test]
fn no_color_means_none_and_pictures_are_lines() {
    let bench = Bench::new();
    let plain = Screen::ready(&bench, 80, &["NO_COLOR=1"]);
    plain.line(":frames demo#drawer --max 2").shows("[picture, ");
    plain.line(":sppot").shows("did you mean :spot");
    assert!(!plain.colored().contains('\x1b'), "{}", plain.colored());
    drop(plain);
    let rich = Screen::ready(&bench, 80, &["TERM=xterm-256color"]);
    rich.line(":frames demo#drawer --max 2").shows("▀▀▀▀");
    assert!(rich.colored().contains("\x1b[38;5;"), "{}", rich.colored());
}

#[test]
fn a_damaged_history_is_put_aside_and_one_that_cannot_be_kept_is_told() {
    let bench = Bench::new();
    Screen::ready(&bench, 80, &[]).line(":models").shows("gpt-5.1");
    let folder = bench.path("state/roborm/history");
    let file = fs::read_dir(&folder).expect("a history").flatten().next().expect("a file").path();
    fs::write(&file, b"#V2\n:models\n\xff\xfe\x00\n").expect("can be written");
    let screen = Screen::ready(&bench, 80, &[]);
    screen.shows("note: the history was damaged");
    screen.line(":next").shows("no dataset is open");
    drop(screen);
    assert!(fs::read_to_string(&file).expect("a new one").contains(":next"));
    assert!(file.with_extension("damaged").exists());

    // Not by permissions: the tests may run as root.
    fs::remove_dir_all(bench.path("state")).expect("can be removed");
    bench.write("state", "not a folder");
    let screen = Screen::ready(&bench, 80, &[]);
    screen.shows("note: history is not kept");
    screen.line(":next").shows("no dataset is open");
    screen.key("Up").wait(|text| text.matches("roborm> :next").count() == 2);
}

#[test]
fn a_history_that_cannot_be_written_to_is_told_and_the_session_goes_on() {
    let bench = Bench::new();
    Screen::ready(&bench, 80, &[]).line(":models").shows("gpt-5.1");
    let folder = bench.path("state/roborm/history");
    let file = fs::read_dir(&folder).expect("a history").flatten().next().expect("a file").path();
    // Not by permissions: the tests may run as root.
    fs::remove_file(&file).and_then(|()| fs::create_dir(&file)).expect("the folder is ours");
    let screen = Screen::ready(&bench, 80, &[]);
    screen.shows("note: history is not kept");
    screen.line(":help next").shows("Go on to the next trajectory");
    screen.key("Up").wait(|text| text.matches("roborm> :help next").count() == 2);
    screen.key("C-c").key("C-d").shows("status 0");
}

#[test]
fn without_any_terminal_it_reads_what_comes_in() {
    let bench = Bench::new();
    bench.write("lesson", ":open demo\n:next\n");
    let run = |input: &str| {
        let line = format!("exec setsid env -i {} {input}", env!("CARGO_BIN_EXE_roborm"));
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &line]).current_dir(bench.path(""));
        let run: crate::bench::Run = command.output().expect("sh runs").into();
        run
    };
    let lesson = run("< lesson");
    assert_eq!((lesson.status, lesson.stderr.as_str()), (0, ""), "{}", lesson.stdout);
    assert!(lesson.stdout.contains("demo is open") && lesson.stdout.is_ascii(), "{}", lesson.stdout);
    for nothing in ["< /dev/null", "<&-"] {
        let run = run(nothing);
        assert_eq!(run.stdout, "", "{nothing}");
        assert!(!run.stderr.contains("panicked"), "{nothing}: {}", run.stderr);
    }
}

#[test]
fn settings_that_mean_nothing_are_told_once() {
    let bench = Bench::new();
    let screen = Screen::ready(&bench, 120, &["ROBORM_EDITING=foo", "ROBORM_GRAPHICS=nonsense"]);
    screen.line(":frames demo#drawer --max 2").shows("rule 1fps");
    let text = screen.line(":help").shows("ROBORM_EDITING=vi");
    assert_eq!(text.matches("note: ROBORM_EDITING=foo is passed over: it takes vi or emacs").count(), 1, "{text}");
    assert_eq!(text.matches("note: ROBORM_GRAPHICS=nonsense is passed over").count(), 1, "{text}");
    drop(screen);
    let screen = Screen::ready(&bench, 120, &["ROBORM_EDITING=vi", "ROBORM_GRAPHICS=blocks"]);
    let text = screen.line(":help next").shows("  :next");
    assert!(!text.contains("passed over"), "{text}");
}
