//! Bars with intervals.

use super::number::Estimate;
use super::terminal::{Terminal, Tone};
use super::text::{clean, shorten, width};

/// One bar.
#[derive(Clone, Debug)]
pub struct Bar {
    /// What it is of.
    pub label: String,
    /// How long it is, its interval, and what it is over.
    pub estimate: Estimate,
}

/// Horizontal bars on one scale from 0 to `most`, a line each: label, bar, figures. A line marks the interval:
/// `█████▓▓▓───┤`. What is over nothing has no bar. A bar beyond the scale ends at its edge. Where there is no room for
/// a bar, label and figures stand alone.
pub fn bars(bars: &[Bar], most: f64, terminal: &Terminal) -> String {
    let room = terminal.columns(100);
    let figures: Vec<String> = bars.iter().map(|bar| figures(&bar.estimate, terminal)).collect();
    let wide = figures.iter().map(|text| width(text)).max().unwrap_or(0);
    let labels: Vec<String> = bars.iter().map(|bar| clean(&bar.label)).collect();
    let label =
        labels.iter().map(|text| width(text)).max().unwrap_or(0).min((room.saturating_sub(wide + 4) / 2).max(8));
    let track = room.saturating_sub(label + wide + 4).min(48);
    let sign = terminal.either("…", "~");

    let mut chart = String::new();
    for ((bar, figures), text) in bars.iter().zip(&figures).zip(&labels) {
        let text = shorten(text, label, sign);
        let mut line = format!("{text}{}", " ".repeat(label.saturating_sub(width(&text))));
        if track >= 8 {
            let (cells, drawn) = draw(&bar.estimate, most, track, terminal);
            line.push_str("  ");
            line.push_str(&cells);
            line.push_str(&" ".repeat(track.saturating_sub(drawn)));
        }
        let line = format!("{line}  {figures}");
        // Too narrow even for that: colours are cut with the bar, which is not there then.
        let line = if track < 8 && width(&line) > room { shorten(&line, room, sign) } else { line };
        chart.push_str(line.trim_end());
        chart.push('\n');
    }
    chart
}

fn figures(estimate: &Estimate, terminal: &Terminal) -> String {
    let text = estimate.to_string();
    if terminal.unicode() { text } else { text.replace(super::number::MISSING, "-") }
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
