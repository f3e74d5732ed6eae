//! Bars with intervals.

use super::number::{Estimate, MISSING};
use super::terminal::{Terminal, Tone};
use super::text::{clean, fold, shorten, width};

/// One bar.
#[derive(Clone, Debug)]
pub struct Bar {
    /// What it is of.
    pub label: String,
    /// How long it is, its interval, and what it is over.
    pub estimate: Estimate,
}

/// Columns of the scale that are worth a shorter label.
const LEAST: usize = 16;

/// Horizontal bars on one scale from 0 to `most`, a line each: label, bar, figures. A line marks the interval:
/// `█████▓▓▓───┤`. What is over nothing has no bar. A bar beyond the scale ends at its edge. Where labels are wider than
/// there is room for beside bars, each stands above its bar: what tells them apart may be their ends. Where there is no
/// room for a bar, label and figures stand alone, or one under the other.
pub fn bars(bars: &[Bar], most: f64, terminal: &Terminal) -> String {
    let room = terminal.columns(100);
    let figures: Vec<Vec<String>> = bars.iter().map(|bar| figures(&bar.estimate, terminal)).collect();
    let wide = figures.iter().map(|parts| width(&parts.join(" "))).max().unwrap_or(0);
    let labels: Vec<String> = bars.iter().map(|bar| clean(&bar.label)).collect();
    let beside = room.saturating_sub(wide + 4);
    let widest = labels.iter().map(|text| width(text)).max().unwrap_or(0);
    let is_above = widest > (beside / 2).max(beside.saturating_sub(LEAST)).max(8);
    // What stands above takes a margin of the bar.
    let label = if is_above { 0 } else { widest };
    let track = beside.saturating_sub(label).min(48);
    let sign = terminal.either("…", "~");

    let mut lines = Vec::new();
    for ((bar, figures), text) in bars.iter().zip(&figures).zip(&labels) {
        if label + 2 + wide > room {
            lines.push(shorten(text, room, sign));
            let parts = figures.iter().map(String::as_str);
            lines.extend(fold(parts, room.saturating_sub(2)).into_iter().map(|line| format!("  {line}")));
            continue;
        }
        if is_above {
            lines.push(shorten(text, room, sign));
        }
        let text = if is_above { String::new() } else { shorten(text, label, sign) };
        let mut line = format!("{text}{}", " ".repeat(label.saturating_sub(width(&text))));
        if track >= 8 {
            let (cells, drawn) = draw(&bar.estimate, most, track, terminal);
            line.push_str("  ");
            line.push_str(&cells);
            line.push_str(&" ".repeat(track.saturating_sub(drawn)));
        }
        lines.push(format!("{line}  {}", figures.join(" ")));
    }
    lines.into_iter().fold(String::new(), |chart, line| chart + line.trim_end() + "\n")
}

fn figures(estimate: &Estimate, terminal: &Terminal) -> Vec<String> {
    let missing = terminal.either(MISSING, "-");
    estimate.parts().into_iter().map(|part| if part == MISSING { missing.to_owned() } else { part }).collect()
}

/// The bar in colour, and how many columns it takes.
fn draw(estimate: &Estimate, most: f64, track: usize, terminal: &Terminal) -> (String, usize) {
    let Some(value) = estimate.value.filter(|value| value.is_finite()) else { return (String::new(), 0) };
    let scale = if most > 0.0 && most.is_finite() { track as f64 / most } else { 0.0 };
    let column = |value: f64| (value * scale).round().clamp(0.0, track as f64) as usize;
    let end = column(value);
    let (lo, hi) = estimate.interval.map_or((end, end), |(lo, hi)| (column(lo).min(end), column(hi).max(end)));
    let [full, unsure, whisker, tip] = terminal.either(["█", "▓", "─", "┤"], ["#", "=", "-", "|"]);
    let body = format!("{}{}", full.repeat(lo), unsure.repeat(end - lo));
    let beyond = match hi - end {
        0 => String::new(),
        over => format!("{}{tip}", whisker.repeat(over - 1)),
    };
    (format!("{}{}", terminal.paint(Tone::Good, &body), terminal.paint(Tone::Dim, &beyond)), hi)
}
