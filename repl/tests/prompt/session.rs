//! A session as one has it.

use crate::bench::Bench;
use crate::screen::Screen;

const WIDTHS: [usize; 2] = [80, 200];

#[test]
fn the_prompt_is_there_and_ends_by_ctrl_d() {
    for columns in WIDTHS {
        let bench = Bench::new();
        let screen = Screen::ready(&bench, columns, &[]);
        screen.shows(":help lists the commands");
        screen.key("C-d").shows("status 0");
    }
}

#[test]
fn tab_completes_commands_flags_models_and_trajectories() {
    for columns in WIDTHS {
        let bench = Bench::new();
        let screen = Screen::ready(&bench, columns, &[]);
        screen.types(":tra").key("Tab").shows("roborm> :trajectories");
        screen.line("demo").shows("open the top drawer");
        screen.line(":open demo").shows("demo is open: 8 trajectories");
        screen.wait(|text| text.trim_end().ends_with("demo>"));
        screen.types(":spot bo").key("Tab").types("--mod").key("Tab").types("simulated-st").key("Tab");
        screen.shows("demo> :spot bowl --model simulated-steady");
        screen.key("Enter").shows("demo#bowl>");
        // Several that begin so: all are shown.
        screen.types(":s").key("Tab").key("Tab").shows(":scores");
    }
}

#[test]
fn what_was_typed_is_there_in_the_next_session() {
    for columns in WIDTHS {
        let bench = Bench::new();
        let first = Screen::ready(&bench, columns, &[]);
        first.line(":help next").shows("Go on to the next trajectory");
        first.line(":quit").shows("status 0");
        drop(first);
        let second = Screen::ready(&bench, columns, &[]);
        second.key("Up").shows("roborm> :quit");
        second.key("Up").shows("roborm> :help next");
        second.key("C-c").wait(|text| text.trim_end().ends_with("\nroborm>"));
        // Found by a part of it.
        second.key("C-r").types("xt").shows("`xt': :help next");
        second.key("Enter").shows("Go on to the next trajectory");
    }
}

#[test]
fn an_unknown_command_is_told_the_nearest() {
    let bench = Bench::new();
    let screen = Screen::ready(&bench, 80, &[]);
    screen.line(":sppot bowl").shows("error: no command :sppot");
    screen.shows("did you mean :spot");
    screen.line("spot bowl").says("turned off by ROBORM_KERNEL=none; commands begin with `:`");
    screen.shows("did you mean `:spot bowl`?");
    screen.line(":spot").shows("no dataset is open");
    screen.line(":help flipz").shows("did you mean :flips");
}

#[test]
fn ctrl_c_stops_a_study_and_keeps_the_session() {
    for columns in WIDTHS {
        let bench = Bench::new();
        let screen = Screen::ready(&bench, columns, &[]);
        screen.line(":open demo").wait(|text| text.trim_end().ends_with("demo>"));
        // Long enough to be stopped in the middle on any machine: a hundred calls and more, one at a time.
        let score = ":score --model simulated --ledger l.db --concurrency 1 --latency";
        screen.line(&format!("{score} 400")).shows("scoring");
        screen.wait(|text| {
            let bar = text.lines().rfind(|line| line.starts_with("scoring"));
            let done = bar.and_then(|bar| bar.split(" of ").next()?.split(' ').next_back()?.parse::<u32>().ok());
            done.is_some_and(|done| done > 0)
        });
        screen.key("C-c").shows("left unspent");
        screen.shows("go on with: :score --model simulated");
        screen.wait(|text| text.trim_end().ends_with("demo>"));
        // What is open is still open, and a study runs again; nothing is asked twice.
        screen.line(&format!("{score} 0"));
        let text = screen.wait(|text| text.matches("pairs planned").count() == 2 && text.trim_end().ends_with("demo>"));
        let last = text.lines().rev().find(|line| line.contains("pairs planned")).expect("just awaited");
        assert!(!last.contains("unspent") && !last.contains(": 0 in the ledger before"), "{last}");
    }
}

#[test]
fn a_paste_of_several_lines_is_run_line_by_line() {
    let bench = Bench::new();
    let screen = Screen::ready(&bench, 80, &[]);
    screen.paste(":open demo\n# the first\n:next\n:next").key("Enter");
    let text = screen.wait(|text| text.trim_end().ends_with(&format!("demo#{}>", second_of_the_demo())));
    assert!(text.contains("demo is open"), "{text}");
}

#[test]
fn of_lines_that_come_at_once_none_is_lost() {
    let bench = Bench::new();
    let screen = Screen::ready(&bench, 80, &[]);
    screen.types_at_once(":open demo\n:next\n:next\n:help ne");
    // What does not end its line waits in the next.
    let next = format!("demo#{}> :help ne", second_of_the_demo());
    screen.wait(|text| text.trim_end().ends_with(&next));
    screen.line("xt").shows("Go on to the next trajectory");
    // More than is read of a terminal at a time.
    screen.types_at_once(&format!("{}:quit\n", "# a comment of forty letters, as told you\n".repeat(60)));
    let text = screen.shows("status 0");
    assert_eq!(text.matches("> # a comment of forty letters, as told you").count(), 60, "{text}");
}

fn second_of_the_demo() -> String {
    let rows = Bench::new().json(&["trajectories", "demo"]);
    rows[1]["trajectory"].as_str().expect("an id").to_owned()
}

#[test]
fn a_command_goes_on_in_the_next_line() {
    let bench = Bench::new();
    let screen = Screen::ready(&bench, 80, &[]);
    screen.line(":help \\").line("next").shows("Go on to the next trajectory");
    screen.line(":help 'ne").line("xt'").shows("no command :ne");
}

#[test]
fn the_tour_is_walked_by_enter_and_answers_which_and_why() {
    for columns in WIDTHS {
        let bench = Bench::new();
        let screen = Screen::ready(&bench, columns, &[]);
        screen.line(":tour").shows("1 of 10.");
        for step in 2..=10 {
            screen.key("Enter").shows(&format!("{step} of 10."));
        }
        let text = screen.key("Enter").shows("That was the tour.");
        assert!(!text.contains("error:"), "{text}");
        // Where there is no room heads are folded.
        let heads = ["smallest rewording that flips", "what the model said"];
        let heads = if columns > 100 { &heads[..] } else { &[] };
        for shown in heads.iter().chain(&["crossing rate", "[In brackets]"]) {
            assert!(text.contains(shown), "{shown}: {text}");
        }
    }
}

#[test]
fn a_command_that_fails_leaves_what_is_looked_at() {
    let bench = Bench::new();
    let screen = Screen::ready(&bench, 100, &[]);
    screen.line(":open demo").wait(|text| text.trim_end().ends_with("demo>"));
    let text = screen.line(":spot drawer --model nosuch").shows("`:models` lists those that are known");
    assert!(text.contains("error: unknown model 'nosuch'") && !text.contains("roborm models"), "{text}");
    screen.wait(|text| text.trim_end().ends_with("\ndemo>"));
    screen.line(":spot drawer --model simulated").wait(|text| text.trim_end().ends_with("\ndemo#drawer>"));
}

#[test]
fn three_times_ctrl_c_tells_how_to_go_on_too() {
    let bench = Bench::new();
    let screen = Screen::ready(&bench, 120, &[]);
    screen.line(":open demo").wait(|text| text.trim_end().ends_with("demo>"));
    screen.line(":score --model simulated --ledger l.db --concurrency 1 --latency 20000").shows("scoring");
    screen.key("C-c").key("C-c").key("C-c");
    let text = screen.wait(|text| text.trim_end().ends_with("\ndemo>"));
    assert!(text.contains("go on with: :score --model simulated --ledger l.db"), "{text}");
}
