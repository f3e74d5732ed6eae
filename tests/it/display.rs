//! What people read on a terminal, and what a pipe gets.

use proptest::prelude::*;
use roborm::display::number::{count, dollars, duration, fixed, rate, score};
use roborm::display::text::{clean, fold, shorten, width};
use roborm::display::{
    Bar, Cell, Color, Column, Estimate, Graphics, Lines, Progress, Sign, Surroundings, Table, Terminal, bars, picture,
    strip,
};

/// A terminal in colour with everything.
fn rich(columns: usize) -> Terminal {
    Terminal::detect(&Surroundings {
        tty: true,
        columns: Some(columns),
        env: &|name| match name {
            "TERM" => Some("xterm-256color".to_owned()),
            "COLORTERM" => Some("truecolor".to_owned()),
            "LANG" => Some("en_US.UTF-8".to_owned()),
            _ => None,
        },
    })
}

/// The same without colour, so that a golden text can be read.
fn pale(columns: usize) -> Terminal {
    rich(columns).with_color(Color::None)
}

fn estimate(value: f64, lo: f64, hi: f64, n: u64) -> Estimate {
    Estimate { value: Some(value), interval: Some((lo, hi)), n }
}

const NOTHING: Estimate = Estimate { value: None, interval: None, n: 0 };

fn example() -> Table {
    let mut table = Table::new([
        Column::text("model"),
        Column::text("strategy"),
        Column::number("pairs"),
        Column::number("crossing rate"),
        Column::number("failure rate"),
        Column::text("flips most on"),
        Column::text(""),
    ]);
    table.row([
        "openai/gpt-5.1".into(),
        "adversarial".into(),
        45_072.into(),
        estimate(0.3, 0.21, 0.4, 10_400).into(),
        estimate(0.1234, 0.1, 0.151, 41_600).into(),
        "leave the bottom drawer closed; it is the other one that must not stay shut".into(),
        Cell::sign(Sign::Flip),
    ]);
    table.row([
        "simulated".into(),
        "lexical".into(),
        7.into(),
        NOTHING.into(),
        estimate(0.0, 0.0, 0.2, 7).into(),
        Cell::missing(),
        Cell::sign(Sign::Success),
    ]);
    table.note("n: trajectories for crossing, pairs for failure; intervals: 95 %, bootstrap by trajectory");
    table
}

#[test]
fn table_at_80_columns() {
    assert_eq!(
        example().render(&pale(80)),
        "\
━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
                                         crossing                flips most
model           strategy      pairs          rate  failure rate  on
──────────────  ───────────  ──────  ────────────  ────────────  ───────────  ──
openai/gpt-5.1  adversarial  45,072          0.30          0.12  leave the    ✗✓
                                     [0.21, 0.40]  [0.10, 0.15]    bottom
                                         n=10,400      n=41,600    drawer
                                                                   closed;
                                                                   it is the
                                                                   other one
                                                                   that must
                                                                   not stay
                                                                   shut
simulated       lexical           7         – n=0          0.00  –            ✓
                                                   [0.00, 0.20]
                                                            n=7
━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
n: trajectories for crossing, pairs for failure; intervals: 95 %, bootstrap by
  trajectory
"
    );
}

#[test]
fn table_at_200_columns() {
    assert_eq!(example().render(&pale(200)), "\
━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
model           strategy      pairs               crossing rate                failure rate  flips most on
──────────────  ───────────  ──────  ──────────────────────────  ──────────────────────────  ───────────────────────────────────────────────────────────────────────────  ──
openai/gpt-5.1  adversarial  45,072  0.30 [0.21, 0.40] n=10,400  0.12 [0.10, 0.15] n=41,600  leave the bottom drawer closed; it is the other one that must not stay shut  ✗✓
simulated       lexical           7                       – n=0       0.00 [0.00, 0.20] n=7  –                                                                            ✓
━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
n: trajectories for crossing, pairs for failure; intervals: 95 %, bootstrap by trajectory
");
}

#[test]
fn table_in_a_pipe_is_ascii_and_has_a_line_a_row() {
    assert_eq!(example().render(&Terminal::plain()), "\
model           strategy      pairs               crossing rate                failure rate  flips most on
--------------  -----------  ------  --------------------------  --------------------------  ---------------------------------------------------------------------------  -
openai/gpt-5.1  adversarial  45,072  0.30 [0.21, 0.40] n=10,400  0.12 [0.10, 0.15] n=41,600  leave the bottom drawer closed; it is the other one that must not stay shut  !
simulated       lexical           7                       - n=0       0.00 [0.00, 0.20] n=7  -                                                                            +
n: trajectories for crossing, pairs for failure; intervals: 95 %, bootstrap by trajectory
");
}

#[test]
fn table_where_columns_do_not_fit_becomes_lists() {
    assert_eq!(
        example().render(&pale(36)),
        "\
model         openai/gpt-5.1
strategy      adversarial
pairs         45,072
crossing      0.30 [0.21, 0.40]
rate          n=10,400
failure rate  0.12 [0.10, 0.15]
              n=41,600
flips most    leave the bottom
on            drawer closed; it is
              the other one that
              must not stay shut
              ✗✓
──────────────────────────
model         simulated
strategy      lexical
pairs         7
crossing      – n=0
rate
failure rate  0.00 [0.00, 0.20] n=7
flips most    –
on
              ✓
n: trajectories for crossing, pairs
  for failure; intervals: 95 %,
  bootstrap by trajectory
"
    );
}

#[test]
fn colour_only_where_wanted_and_signs_everywhere() {
    let table = example();
    let in_colour = table.render(&rich(200));
    assert!(in_colour.contains("\x1b[38;5;208m✗✓\x1b[0m"));
    assert!(!table.render(&pale(200)).contains('\x1b'));
    // Colour adds nothing but escape sequences.
    assert_eq!(strip_sgr(&in_colour), table.render(&pale(200)));
    let ascii = table.render(&pale(200).with_unicode(false));
    assert!(ascii.contains(" !\n") && ascii.is_ascii());
    let basic = table.render(&rich(200).with_color(Color::Basic));
    assert!(basic.contains("\x1b[33m✗✓\x1b[0m") && !basic.contains("38;5"));
}

/// `text` without the escape sequences that this module writes itself.
fn strip_sgr(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\x1b[") {
        plain.push_str(before);
        let (parameters, after) = after.split_once('m').expect("a sequence ends in m");
        assert!(parameters.chars().all(|c| c.is_ascii_digit() || c == ';'), "{parameters:?}");
        rest = after;
    }
    plain + rest
}

#[test]
fn rows_of_the_wrong_length_are_made_to_fit() {
    let mut table = Table::new([Column::text("a"), Column::number("b")]);
    table.row(["one".into()]).row(["two".into(), 2.into(), "beyond".into()]);
    assert_eq!(table.render(&Terminal::plain()), "a    b\n---  -\none  -\ntwo  2\n");
    assert_eq!(Table::new([]).render(&Terminal::plain()), "");
    assert_eq!(Table::new([Column::text("model")]).render(&Terminal::plain()), "model\n-----\n");
}

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

fn detect(tty: bool, env: &[(&str, &str)]) -> Terminal {
    let env = |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
    Terminal::detect(&Surroundings { tty, columns: tty.then_some(100), env: &env })
}

#[test]
fn a_terminal_is_known_by_its_surroundings() {
    let xterm = ("TERM", "xterm-256color");
    let full = detect(true, &[xterm, ("COLORTERM", "truecolor"), ("LANG", "de_DE.UTF-8")]);
    assert_eq!((full.color(), full.unicode(), full.graphics()), (Color::True, true, Graphics::HalfBlocks));
    assert_eq!((full.width(), full.is_live()), (Some(100), true));

    let color = |env: &[(&str, &str)]| detect(true, env).color();
    assert_eq!(color(&[xterm]), Color::Ansi256);
    assert_eq!(color(&[("TERM", "xterm")]), Color::Basic);
    assert_eq!(color(&[xterm, ("NO_COLOR", "1")]), Color::None);
    assert_eq!(color(&[xterm, ("NO_COLOR", "")]), Color::Ansi256);
    assert_eq!(color(&[xterm, ("CLICOLOR", "0")]), Color::None);
    assert_eq!(color(&[("TERM", "dumb")]), Color::None);
    assert_eq!(color(&[xterm, ("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")]), Color::None);

    let pipe = detect(false, &[xterm, ("LANG", "C.UTF-8")]);
    assert_eq!(pipe, Terminal::plain());
    assert_eq!(detect(false, &[xterm, ("CLICOLOR_FORCE", "1")]).color(), Color::Ansi256);
    assert_eq!(detect(false, &[("CLICOLOR_FORCE", "0")]).color(), Color::None);
    assert_eq!(detect(false, &[("COLUMNS", "60")]).width(), Some(60));
    assert_eq!(detect(false, &[("COLUMNS", "many")]).width(), None);

    assert!(detect(true, &[xterm]).unicode());
    assert!(!detect(true, &[xterm, ("LANG", "C")]).unicode());
    assert!(!detect(true, &[xterm, ("LANG", "de_DE.UTF-8"), ("LC_ALL", "POSIX")]).unicode());
    assert!(detect(true, &[xterm, ("LANG", "C"), ("LC_ALL", "C.utf8")]).unicode());
    assert_eq!(detect(true, &[xterm, ("NO_COLOR", "1")]).graphics(), Graphics::None);
    assert!(!detect(true, &[("TERM", "dumb")]).is_live());
}

#[test]
fn a_picture_is_two_pixels_a_character() {
    // Two by two: red, green; blue, white. As small as that nothing is resized.
    let rgb = [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255];
    assert_eq!(
        picture(&rgb, 2, 2, 80, "four", &rich(80)),
        "\x1b[38;2;255;0;0;48;2;0;0;255m▀\x1b[38;2;0;255;0;48;2;255;255;255m▀\x1b[0m\n"
    );
    // xterm's palette: 196 is red, 46 green, 21 blue, 231 white.
    assert_eq!(
        picture(&rgb, 2, 2, 80, "four", &rich(80).with_color(Color::Ansi256)),
        "\x1b[38;5;196;48;5;21m▀\x1b[38;5;46;48;5;231m▀\x1b[0m\n"
    );
    // Greys: 8 + 10 k is 232 + k; one colour needs one sequence.
    assert_eq!(
        picture(&[128; 12], 2, 2, 80, "grey", &rich(80).with_color(Color::Ansi256)),
        "\x1b[38;5;244;48;5;244m▀▀\x1b[0m\n"
    );
}

#[test]
fn a_picture_fits_and_keeps_its_shape() {
    let frame = roborm::dataset::demo::scene("drawer").expect("a built-in scene").render(0);
    let drawn = picture(frame.as_raw(), 320, 240, 60, "drawer", &rich(80));
    let lines: Vec<String> = drawn.lines().map(strip_sgr).collect();
    // 320 : 240 is 60 : 45; two pixels a line, to the nearest.
    assert_eq!(lines.len(), 23);
    assert!(lines.iter().all(|line| width(line) == 60));
    assert_eq!(
        strip_sgr(picture(frame.as_raw(), 320, 240, 60, "", &rich(40)).lines().next().expect("a line")).chars().count(),
        40
    );
}

#[test]
fn where_no_picture_can_be_a_line_of_words_is() {
    let rgb = [0; 12];
    let said = "[picture, 2 x 2: demo:drawer at 3.0 s]\n";
    assert_eq!(picture(&rgb, 2, 2, 80, "demo:drawer at 3.0 s", &Terminal::plain()), said);
    assert_eq!(picture(&rgb, 2, 2, 80, "demo:drawer at 3.0 s", &pale(80)), said);
    // Not the bytes that it says.
    assert_eq!(picture(&rgb, 3, 2, 80, "x", &rich(80)), "[picture, 3 x 2: x]\n");
    assert_eq!(picture(&[], 0, 0, 80, "x", &rich(80)), "[picture, 0 x 0: x]\n");
    assert_eq!(picture(&[], u32::MAX, u32::MAX, 80, "x", &rich(80)).lines().count(), 1);
    assert_eq!(picture(&rgb, 2, 2, 80, "a long description", &pale(24)), "[picture, 2 x 2: a lon…]\n");
}

#[test]
fn bars_show_value_interval_and_n() {
    let data = [
        Bar { label: "lexical".into(), estimate: estimate(0.25, 0.125, 0.5, 40) },
        Bar { label: "structural".into(), estimate: estimate(1.0, 0.75, 1.0, 8) },
        Bar { label: "other".into(), estimate: NOTHING },
        Bar { label: "none".into(), estimate: estimate(0.0, 0.0, 0.0, 8) },
    ];
    // 10 for the label, 22 for the figures, 2 + 2 between: 16 are left of 52.
    assert_eq!(
        bars(&data, 1.0, &pale(52)),
        "lexical     ██▓▓───┤          0.25 [0.12, 0.50] n=40\n\
         structural  ████████████▓▓▓▓  1.00 [0.75, 1.00] n=8\n\
         other                         – n=0\n\
         none                          0.00 [0.00, 0.00] n=8\n"
    );
    assert_eq!(
        bars(&data[..1], 1.0, &Terminal::plain().with_width(Some(49))),
        "lexical  ##==---|          0.25 [0.12, 0.50] n=40\n"
    );
}

#[test]
fn a_strip_shows_counts_on_both_sides_of_the_boundary() {
    let ascii = Terminal::plain();
    assert_eq!(
        strip(&[1.0, 2.0, 4.0, 4.0, 5.0], 3.5, &ascii),
        "1       1               2       1\n\
         1-------2-------3---|---4-------5\n"
    );
    assert_eq!(strip(&[3.5; 12], 4.5, &pale(80)), "                    +\n1───────2───────3───────4───┃───5\n");
    // Outside the scale, or no number: left out. A boundary outside is not drawn.
    assert_eq!(strip(&[0.0, 6.0, f64::NAN], 9.0, &ascii), "\n1-------2-------3-------4-------5\n");
    let colour = strip(&[2.0, 4.0], 3.5, &rich(80));
    assert!(colour.contains("\x1b[38;5;208m1\x1b[0m") && colour.contains("\x1b[38;5;39m1\x1b[0m"));
}

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

/// Text as data has it: words of several scripts, emoji, marks, controls.
fn any_text() -> impl Strategy<Value = String> {
    proptest::collection::vec(
        prop_oneof![
            "[a-z]{1,14}",
            "[0-9]{1,6}",
            Just("抽屉を開けて".to_owned()),
            Just("👩‍🔬☁️🇩🇪".to_owned()),
            Just("e\u{301}\u{302}\u{303}".to_owned()),
            Just("\x1b[31m\n\u{202e}".to_owned()),
            ".{0,12}",
        ],
        0..14,
    )
    .prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn no_line_is_wider_than_the_terminal(
        columns in 20_usize..200,
        unicode: bool,
        heads in proptest::collection::vec((any_text(), any::<bool>()), 1..7),
        texts in proptest::collection::vec(any_text(), 0..20),
        value in 0.0..1.0_f64,
        n: u32,
    ) {
        let mut table = Table::new(heads.iter().map(|(name, figures)| {
            if *figures { Column::number("crossing rate") } else { Column::text(name) }
        }));
        for chunk in texts.chunks(heads.len()) {
            table.row(chunk.iter().zip(&heads).map(|(text, (_, figures))| {
                if *figures { estimate(value, 0.0, 1.0, u64::from(n)).into() } else { text.as_str().into() }
            }));
        }
        table.note(&texts.join(" "));
        let terminal = pale(columns).with_unicode(unicode);
        let drawn = table.render(&terminal);
        for line in drawn.lines() {
            prop_assert!(width(line) <= columns, "{} > {columns}: {line:?}", width(line));
            prop_assert_eq!(line.trim_end_matches(' '), line);
        }
        // Figures are whole.
        let figures = !table.is_empty() && heads.iter().any(|(_, figures)| *figures);
        if figures && texts.len() >= heads.len() {
            prop_assert!(drawn.contains(&rate(value)));
            prop_assert!(drawn.contains("[0.00, 1.00]"));
            let n = format!("n={}", count(u64::from(n)));
            prop_assert!(drawn.contains(&n));
        }
        let labelled: Vec<Bar> =
            texts.iter().map(|text| Bar { label: text.clone(), estimate: estimate(value, 0.0, 1.0, u64::from(n)) }).collect();
        for line in bars(&labelled, 1.0, &terminal).lines() {
            prop_assert!(width(line) <= columns, "{line:?}");
        }
    }

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

    #[test]
    fn a_picture_never_exceeds_its_columns(width_px in 1_u32..50, height in 1_u32..50, columns in 1_usize..60) {
        let rgb = vec![90; (width_px * height * 3) as usize];
        for line in picture(&rgb, width_px, height, columns, "x", &rich(200)).lines() {
            prop_assert!(width(&strip_sgr(line)) <= columns);
        }
    }
}
