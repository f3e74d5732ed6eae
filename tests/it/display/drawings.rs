//! Pictures, bars and strips.

use super::*;

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

proptest! {
    #[test]
    fn a_picture_never_exceeds_its_columns(width_px in 1_u32..50, height in 1_u32..50, columns in 1_usize..60) {
        let rgb = vec![90; (width_px * height * 3) as usize];
        for line in picture(&rgb, width_px, height, columns, "x", &rich(200)).lines() {
            prop_assert!(width(&strip_sgr(line)) <= columns);
        }
    }
}
