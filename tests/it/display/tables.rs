//! Tables, on wide and narrow terminals and in a pipe.

use super::*;

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

#[test]
fn rows_of_the_wrong_length_are_made_to_fit() {
    let mut table = Table::new([Column::text("a"), Column::number("b")]);
    table.row(["one".into()]).row(["two".into(), 2.into(), "beyond".into()]);
    assert_eq!(table.render(&Terminal::plain()), "a    b\n---  -\none  -\ntwo  2\n");
    assert_eq!(Table::new([]).render(&Terminal::plain()), "");
    assert_eq!(Table::new([Column::text("model")]).render(&Terminal::plain()), "model\n-----\n");
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
}
