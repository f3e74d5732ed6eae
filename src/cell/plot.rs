//! Charts.

use plotly::Plot;
use roborm_wire::cell::{Event, Reply};

use super::bundle::Bundle;
use super::{known, link};
use crate::chart;

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
    let carries = matches!(link::tell(&Event::Chart), Some(Reply::Carry(true)));
    let bundle = Bundle::text(plain).with("application/vnd.plotly.v1+json", json);
    match chart::output(plot, carries) {
        Ok(html) => bundle.html(html),
        Err(_) => bundle,
    }
}
