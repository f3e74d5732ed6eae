//! Progress of long work.

use super::*;

#[test]
fn progress_in_a_log_is_a_line_every_tenth() {
    let lines = Lines::new(Vec::new());
    lines.begin(1000, 250, "scoring");
    for _ in 0..740 {
        lines.advance(1, "$0.12\x1b[2J");
    }
    lines.say("one line\nof news");
    lines.advance(100, "");
    lines.end("scored 750, 250 were there");
    let told = String::from_utf8(lines.into_inner()).expect("text");
    let rows: Vec<&str> = told.lines().collect();
    assert_eq!(rows[0], "scoring: 250 of 1,000 (25 %)");
    assert_eq!(rows[1], "scoring: 300 of 1,000 (30 %), $0.12\\u{1b}[2J");
    assert_eq!(rows[7], "scoring: 900 of 1,000 (90 %), $0.12\\u{1b}[2J");
    assert_eq!(rows[8..], ["one line\\nof news", "scoring: 1,000 of 1,000 (100 %)", "scored 750, 250 were there"]);
}

#[test]
fn progress_of_nothing_is_told_as_done() {
    let lines = Lines::new(Vec::new());
    lines.begin(0, 0, "scoring");
    lines.advance(5, "");
    lines.end("");
    assert_eq!(String::from_utf8(lines.into_inner()).expect("text"), "scoring: 0 of 0 (100 %)\n");
}

#[test]
fn progress_of_many_threads_is_told_once_a_tenth() {
    let lines = Lines::new(Vec::new());
    lines.begin(4000, 0, "scoring");
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..500).for_each(|_| lines.advance(1, "")));
        }
    });
    let told = String::from_utf8(lines.into_inner()).expect("text");
    assert_eq!(told.lines().count(), 11);
    assert_eq!(told.lines().last(), Some("scoring: 4,000 of 4,000 (100 %)"));
}
