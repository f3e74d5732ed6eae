//! What people read on a terminal, and what a pipe gets.

mod drawings;
mod progress;
mod tables;
mod terminals;
mod words;

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
