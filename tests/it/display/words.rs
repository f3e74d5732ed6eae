//! Text and figures as they are written.

use super::*;

#[test]
fn what_a_terminal_would_obey_is_escaped() {
    for (hostile, shown) in [
        ("\x1b[2J\x1b[31mred", "\\u{1b}[2J\\u{1b}[31mred"),
        ("\u{9b}2J", "\\u{9b}2J"),
        ("\x1b]0;title\x07", "\\u{1b}]0;title\\u{7}"),
        ("two\r\nlines\tand a tab", "two\\r\\nlines\\tand a tab"),
        ("a\u{202e}b\u{2066}c", "a\\u{202e}b\\u{2066}c"),
        ("in\u{200b}vis\u{feff}ible\u{e0041}", "in\\u{200b}vis\\u{feff}ible\\u{e0041}"),
        ("\0\x7f", "\\u{0}\\u{7f}"),
    ] {
        assert_eq!(clean(hostile), shown);
        let mut table = Table::new([Column::text(hostile), Column::number("n")]);
        table.row([hostile.into(), Cell::number(hostile)]).note(hostile);
        let everything = table.render(&pale(400))
            + &bars(&[Bar { label: hostile.to_owned(), estimate: NOTHING }], 1.0, &pale(400))
            + &picture(&[], 0, 0, 80, hostile, &pale(400));
        assert!(everything.chars().all(|c| c == '\n' || !c.is_control()), "{everything:?}");
        assert!(!everything.contains(['\u{202e}', '\u{2066}', '\u{200b}', '\u{feff}']), "{everything:?}");
    }
    for kept in ["פתח את המגירה", "打开抽屉", "क्‍ष", "👩‍🔬 öffne", "it's \"quoted\" \\ fine"]
    {
        assert_eq!(clean(kept), kept);
    }
}

#[test]
fn folding_breaks_at_spaces_and_only_then_in_words() {
    assert_eq!(fold("open the top drawer".split(' '), 8), ["open the", "top", "drawer"]);
    assert_eq!(fold("a incomprehensibilities".split(' '), 10), ["a incompre", "hensibilit", "ies"]);
    assert_eq!(fold(["打开最上面的抽屉"], 7), ["打开最", "上面的", "抽屉"]);
    assert_eq!(fold([""], 10), [""]);
    // A path between its folders, unless a line would be nearly empty for it.
    assert_eq!(
        fold("in /root/.local/share/roborm/ledger.db".split(' '), 18),
        ["in /root/.local/", "share/roborm/", "ledger.db"]
    );
    assert_eq!(fold(["a/very_long_name_of_a_file"], 12), ["a/very_long_", "name_of_a_fi", "le"]);
    assert_eq!(shorten("open the top drawer", 10, "…"), "open the…");
    assert_eq!(shorten("short", 10, "…"), "short");
}

#[test]
fn figures_are_written_the_same_everywhere() {
    assert_eq!(
        [rate(0.3), rate(-0.001), rate(1.0), rate(f64::NAN), rate(f64::INFINITY)],
        ["0.30", "0.00", "1.00", "–", "–"]
    );
    assert_eq!([score(4.0), score(3.5), score(f64::NAN)], ["4", "3.50", "–"]);
    assert_eq!([fixed(-0.0, 1), fixed(-1.25, 2), fixed(2.5, 0)], ["0.0", "-1.25", "2"]);
    assert_eq!(
        [count(0), count(999), count(1000), count(45_072), count(1_234_567)],
        ["0", "999", "1,000", "45,072", "1,234,567"]
    );
    for (value, shown) in [
        (0.0, "$0.00"),
        (0.000_000_2, "<$0.000001"),
        (0.003_42, "$0.0034"),
        (0.003, "$0.003"),
        (0.009_999, "$0.01"),
        (0.01, "$0.01"),
        (1234.567, "$1,234.57"),
        (-2.5, "-$2.50"),
        (f64::NAN, "–"),
    ] {
        assert_eq!(dollars(value), shown, "{value}");
    }
    for (value, shown) in [
        (0.0, "0 s"),
        (0.035, "35 ms"),
        (0.9996, "1.0 s"),
        (4.24, "4.2 s"),
        (9.96, "10 s"),
        (59.4, "59 s"),
        (59.6, "1 min 00 s"),
        (200.0, "3 min 20 s"),
        (3599.6, "1 h 00 min"),
        (7500.0, "2 h 05 min"),
        (86_399.0, "1 d 00 h"),
        (273_600.0, "3 d 04 h"),
        (-1.0, "–"),
    ] {
        assert_eq!(duration(value), shown, "{value}");
    }
    assert_eq!(estimate(0.3, 0.21, 0.4, 1040).to_string(), "0.30 [0.21, 0.40] n=1,040");
    assert_eq!(NOTHING.to_string(), "– n=0");
}

proptest! {
    #[test]
    fn folding_loses_nothing(text in any_text(), columns in 2_usize..60) {
        let text = clean(&text);
        let lines = fold(text.split(' '), columns);
        prop_assert!(lines.iter().all(|line| width(line) <= columns), "{lines:?}");
        let letters = |text: &str| text.chars().filter(|c| *c != ' ').collect::<String>();
        prop_assert_eq!(letters(&lines.concat()), letters(&text));
    }

    #[test]
    fn cleaning_leaves_nothing_to_obey_and_is_idempotent(text: String) {
        let once = clean(&text);
        prop_assert!(!once.chars().any(char::is_control));
        prop_assert_eq!(clean(&once), once);
    }

    #[test]
    fn grouped_counts_read_back(value: u64) {
        prop_assert_eq!(count(value).replace(',', "").parse::<u64>().ok(), Some(value));
    }
}
