//! Messages at the right edge of a terminal.

use proptest::prelude::*;
use roborm::display::text::width;
use roborm::display::{Terminal, wrap, wrap_command};

fn terminal(columns: usize) -> Terminal {
    Terminal::plain().with_width(Some(columns))
}

const MESSAGE: &str = "error: no scores of the model 'n' in the table\n  help: did you mean m, which has scores?";

#[test]
fn a_message_is_folded_between_words_and_set_in() {
    assert_eq!(
        wrap(MESSAGE, &terminal(24)),
        "\
error: no scores of the
  model 'n' in the table
  help: did you mean m,
    which has scores?
"
    );
    // What fits stays as it is, blanks and all.
    assert_eq!(wrap("a  b   c", &terminal(8)), "a  b   c\n");
    assert_eq!(wrap("a  b   c", &terminal(7)), "a  b\n c\n");
    assert_eq!(wrap("", &terminal(7)), "");
    assert_eq!(wrap("a\n\nb", &terminal(7)), "a\n\nb\n");
}

#[test]
fn without_a_width_nothing_is_folded() {
    assert_eq!(wrap(MESSAGE, &Terminal::plain()), format!("{MESSAGE}\n"));
    assert_eq!(wrap_command(MESSAGE, &Terminal::plain()), format!("{MESSAGE}\n"));
}

#[test]
fn a_path_is_whole_and_gives_up_the_margin_for_that() {
    let path = "/a/path/of/some/length.csv";
    // Beside the margin, without it, and wider than the line: then it is the terminal that goes on with it.
    for (columns, margin) in [(29, 2), (28, 1), (27, 0), (12, 0)] {
        let lines = wrap(&format!("cannot read {path}: no such file"), &terminal(columns));
        let line = lines.lines().find(|line| line.contains("/a")).expect("a line has the path");
        assert_eq!(
            line.trim_end_matches(':'),
            format!("{}{path}", " ".repeat(margin)).trim_end_matches(':'),
            "{lines}"
        );
    }
}

#[test]
fn what_stands_between_backquotes_is_kept_together_where_it_fits() {
    let text = "build it by `cargo xtask kernel` now";
    assert_eq!(wrap(text, &terminal(24)), "build it by\n  `cargo xtask kernel`\n  now\n");
    assert_eq!(wrap(text, &terminal(16)), "build it by\n  `cargo xtask\n  kernel` now\n");
    // A mark without its partner keeps nothing together.
    assert_eq!(wrap("an open ` mark and more", &terminal(12)), "an open `\n  mark and\n  more\n");
}

#[test]
fn a_command_is_the_same_command_when_it_is_pasted() {
    let command = "roborm score 'my data/a b c.csv' --model simulated --out scores.parquet";
    for columns in 8..90 {
        let folded = wrap_command(command, &terminal(columns));
        let joined = folded.trim_end().replace("\\\n", "");
        assert_eq!(shlex::split(&joined), shlex::split(command), "{folded}");
    }
    assert_eq!(wrap_command("go on with: roborm a b", &terminal(20)), "go on with: roborm \\\n  a b\n");
}

#[test]
fn colours_take_no_room() {
    let coloured = "\x1b[1;31merror\x1b[0m\x1b[1m: a message\x1b[0m in colour";
    assert_eq!(wrap(coloured, &terminal(16)), "\x1b[1;31merror\x1b[0m\x1b[1m: a message\x1b[0m\n  in colour\n");
    assert_eq!(wrap(coloured, &terminal(26)), format!("{coloured}\n"));
}

proptest! {
    #[test]
    fn no_word_is_broken_and_no_line_of_short_words_too_wide(
        words in proptest::collection::vec("[a-z`'.:]{1,12}|[\u{4e00}-\u{4e20}]{1,5}", 1..30),
        indent in 0_usize..6,
        columns in 16_usize..80,
    ) {
        let text = format!("{}{}", " ".repeat(indent), words.join(" "));
        let folded = wrap(&text, &terminal(columns));
        let got: Vec<&str> = folded.split_whitespace().collect();
        prop_assert_eq!(got, words.iter().map(String::as_str).collect::<Vec<_>>());
        for line in folded.lines() {
            prop_assert!(width(line) <= columns, "{} > {columns}: {line:?}", width(line));
            prop_assert_eq!(line.trim_end_matches(' '), line);
        }
    }
}
