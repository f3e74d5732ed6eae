//! Charts.

use std::sync::atomic::{AtomicBool, Ordering};

use plotly::Plot;
use roborm_wire::cell::{Event, Reply};

use super::bundle::Bundle;
use super::{known, link};
use crate::chart;

/// Some chart brought plotly.js already, where no evaluator keeps count.
static CARRIED: AtomicBool = AtomicBool::new(false);

/// A chart: plotly's JSON for notebooks that draw it themselves, HTML that draws offline, and what it shows in words.
pub(super) fn bundle(plot: &Plot) -> Bundle {
    let json = match chart::plotly_json(plot) {
        Ok(json) => json,
        Err(error) => return known::of_debug(&error),
    };
    let (title, subtitle) = chart::headings(&json);
    let traces = json["data"].as_array().map_or(0, Vec::len);
    let below = if subtitle.is_empty() { String::new() } else { format!("\n{subtitle}") };
    let plain = format!("chart: {title} ({traces} traces){below}");
    // One output of a page brings plotly.js; the evaluator knows which.
    let carries = match link::tell(&Event::Chart) {
        Some(Reply::Carry(carries)) => carries,
        Some(_) => false,
        None => link::is_plain() && !CARRIED.swap(true, Ordering::Relaxed),
    };
    let bundle = Bundle::text(plain).with("application/vnd.plotly.v1+json", json);
    match chart::output(plot, carries) {
        Ok(html) => bundle.html(html),
        Err(_) => bundle,
    }
}
