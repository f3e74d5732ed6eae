//! What is said, at the right edge of the window.

use crate::bench::Bench;
use crate::engine;
use crate::screen::Screen;

const WIDTHS: [usize; 3] = [40, 80, 200];

/// Waits for the prompt behind these words, wherever they are folded.
fn after<'a>(screen: &'a Screen<'a>, words: &str) {
    screen.wait(|text| {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        text.rsplit_once(words).is_some_and(|(_, rest)| rest.ends_with('>') && !rest.contains("> :"))
    });
}

#[test]
fn nothing_that_is_said_is_broken_in_a_word() {
    for columns in WIDTHS {
        let bench = Bench::new();
        let screen = Screen::ready(&bench, columns, &[]);
        for (line, said) in [
            (":sppot bowl", "`:help` lists the commands"),
            (":spot", "or name it in the command"),
            (":spot --boundry 3", "`:help spot`"),
            (":flips --top many", "`:help flips`"),
            (":why", "then `:why ID`"),
            (":open no-such-folder", "no-such-folder"),
            ("1 + 1", "`:help` lists the commands"),
            (":help", "those of vi."),
            (":help why", ":why scores.parquet#0412"),
            (":score --help", "--max-cost 1"),
            (":tour", ":open demo"),
            (":open demo", "demo is open"),
            (":flips", "or name one in the command"),
            (":doctor", "ROBORM_API_KEY not set"),
        ] {
            screen.line(line);
            after(&screen, said);
        }
        // What the window itself has folded is in one line here and in two there.
        assert_eq!(screen.rows(), screen.text().lines().map(str::trim_end).collect::<Vec<_>>().join("\n"));
        assert!(screen.rows().lines().all(|row| row.chars().count() <= columns));
    }
}

#[test]
fn what_does_not_fit_goes_on_set_in_and_paths_are_whole() {
    let bench = Bench::new();
    let screen = Screen::ready(&bench, 40, &[]);
    screen.line(":spot").shows("\n  help: open one first: `:open demo`, or\n    name it in the command\n");
    // As wide as the window less the margin, and wider than the window.
    for (length, margin) in [(38, "  "), (90, "")] {
        let path = format!("{}.csv", "p".repeat(length - 4));
        screen.line(&format!(":open {path}")).shows(&format!("error: there is no\n{margin}{path}\n"));
    }
}

#[test]
fn a_study_that_is_stopped_tells_how_to_go_on_in_lines_that_can_be_pasted() {
    for columns in WIDTHS {
        let bench = Bench::new();
        let screen = Screen::ready(&bench, columns, &[]);
        screen.line(":open demo").wait(|text| text.trim_end().ends_with("demo>"));
        screen.line(":score --model simulated --ledger l.db --concurrency 1 --latency 400").shows("scoring");
        let progress =
            screen.wait(|text| text.lines().any(|line| line.starts_with("scoring") && !line.contains(" 0 of ")));
        assert!(!progress.contains(" 0s left"), "{progress}");
        screen.key("C-c").shows("go on with: :score --model");
        let text = screen.wait(|text| text.trim_end().ends_with("demo>"));
        let (_, command) = text.split_once("go on with: ").expect("just awaited");
        let command: Vec<&str> = command.trim_end().lines().collect();
        let lines = command.iter().take_while(|line| line.ends_with('\\')).count() + 1;
        assert_eq!(lines > 1, columns < 80, "{text}");
        assert_eq!(screen.rows().lines().filter(|row| row.chars().count() > columns).count(), 0);
        screen
            .paste(&command[..lines].join("\n"))
            .key("Enter")
            .wait(|text| text.matches("pairs planned").count() == 2 || text.matches("scoring").count() > 1);
        screen.key("C-c").wait(|text| text.matches("left unspent").count() == 2);
    }
}

#[test]
fn code_that_is_wider_than_the_window_is_cut_around_what_is_wrong_in_it() {
    let Some(program) = engine::engine() else { return };
    for columns in [40, 80] {
        let bench = Bench::new();
        let screen = engine::screen(&bench, columns, program, &[]);
        let line = format!("let a = \"{}\"; let b: u8 = \"wrong\"; let c = \"{}\";", "x".repeat(60), "y".repeat(60));
        screen.line(&line).shows("E0308");
        let text = screen.wait(|text| text.trim_end().ends_with("\nroborm>"));
        let code = text.lines().find(|line| line.starts_with("1 | ")).expect("the code is shown");
        assert!(code.starts_with("1 | ...") && code.ends_with("...") && code.chars().count() <= columns, "{text}");
        // The signs stand below what is wrong.
        let signs = text.lines().find(|line| line.contains("^^^")).expect("it is marked");
        let at = signs.find('^').expect("a sign");
        assert!(code[at..].starts_with("\"wrong\"") && signs.contains("^^^^^^^"), "{text}");
        assert!(
            text.split_whitespace().collect::<Vec<_>>().join(" ").contains("expected `u8`, found `&str`"),
            "{text}"
        );
        // What is told of a name is prose.
        screen.line("?ScoreTable").shows("pub struct ScoreTable");
        screen.wait(|text| text.trim_end().ends_with("\nroborm>"));
        let rows = screen.rows();
        let told = rows.rsplit("?ScoreTable").next().unwrap_or_default();
        let whole = screen.text();
        let joined = whole.rsplit("?ScoreTable").next().unwrap_or_default();
        assert_eq!(told.trim_end().lines().count(), joined.trim_end().lines().count(), "{rows}");
    }
}
