//! Score-crossing rate over the success boundary.

use plotly::common::{Anchor, HoverInfo, Line, Marker, Mode};
use plotly::layout::{Axis, AxisRange, Layout};
use plotly::{Plot, Scatter};

use super::layout::{Draft, axis, distinct, intervals, rate_end};
use super::text::{count, escape, estimate, model_label, n_text, number, strategy_labels, wrapped};
use super::{Cell, Column, Mark, Method, Palette, Table};
use crate::paraphrase::Strategy;

/// As many panels as plotly's layout type has axes for.
const PANELS: usize = 8;
/// More series than this in a panel, and intervals would cover each other; the table and the hover labels have them.
const SERIES_WITH_INTERVALS: usize = 4;

/// The score-crossing rate of one model under one strategy at one boundary.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundaryPoint {
    /// The model's name.
    pub model: String,
    /// The strategy.
    pub strategy: Strategy,
    /// Success is a score above this.
    pub boundary: f64,
    /// Share of trajectories, 0 to 1; `None` where n is 0.
    pub rate: Option<f64>,
    /// Its interval.
    pub interval: Option<(f64, f64)>,
    /// Trajectories with at least two parsed replies.
    pub n: u64,
}

impl BoundaryPoint {
    fn shown(&self) -> Option<f64> {
        self.rate.filter(|rate| rate.is_finite() && self.n > 0)
    }
}

/// Score-crossing rate over the success boundary. Of one model: a line a strategy. Of several: a panel a strategy, a line
/// a model. A boundary without a figure is a gap in the line.
pub fn crossing_over_boundary(points: &[BoundaryPoint], method: &Method, palette: &Palette) -> Plot {
    let models = distinct(points.iter().map(|p| p.model.as_str()));
    let mut strategies = distinct(points.iter().filter(|p| p.shown().is_some()).map(|p| &p.strategy));
    strategies.sort();
    let left_out = strategies.len().saturating_sub(PANELS);
    let by_strategy = models.len() <= 1;
    if !by_strategy {
        strategies.truncate(PANELS);
    }
    // One panel holding every strategy, or one for each.
    let panels: Vec<Vec<&Strategy>> = match by_strategy {
        true => vec![strategies.clone()],
        false => strategies.iter().map(|s| vec![*s]).collect(),
    };

    let shown = points.iter().filter(|p| p.shown().is_some());
    let mut facts = vec![n_text(shown.clone().map(|p| p.n), "trajectory", "trajectories"), method.interval_text()];
    if let [model] = models.as_slice() {
        facts.insert(0, format!("model: {model}"));
    }
    if !by_strategy && left_out > 0 {
        facts.push(format!("first {PANELS} of {} strategies; the table has all", PANELS + left_out));
    }
    let legend = if by_strategy { strategies.len() } else { models.len() };
    let height = 90 + panels.len().max(1) * if by_strategy { 300 } else { 220 };
    let height = height.max(60 + 34 * legend);
    let mut draft = Draft::new("Score-crossing rate over the success boundary", &facts, models.iter().copied(), height);
    if strategies.is_empty() {
        draft.nothing("No group has a trajectory with two readable replies, so nothing can cross.");
    }

    let mut boundaries: Vec<f64> = points.iter().map(|p| p.boundary).filter(|b| b.is_finite()).collect();
    boundaries.sort_by(f64::total_cmp);
    boundaries.dedup();
    let highest = shown.flat_map(|p| [p.rate, p.interval.map(|(_, hi)| hi)]).flatten().fold(0.0, f64::max);
    let x_range = match (boundaries.first(), boundaries.last()) {
        (Some(first), Some(last)) => (first - 0.3, last + 0.3),
        _ => (1.2, 4.8),
    };

    let palette = palette.of_chart(&models, &strategies);
    for (panel, strategies) in panels.iter().enumerate() {
        let y_axis = axis_name(panel);
        let names = strategy_labels(strategies);
        for (index, model) in models.iter().enumerate() {
            for (s, (strategy, name)) in strategies.iter().zip(&names).enumerate() {
                let mark = if by_strategy { palette.strategy(strategy) } else { palette.model(model) };
                let series: Vec<&BoundaryPoint> =
                    points.iter().filter(|p| p.model == *model && p.strategy == **strategy).collect();
                let lines = if by_strategy { strategies.len() } else { models.len() };
                let slot = if by_strategy { s } else { index };
                let name = if by_strategy { name.clone() } else { model_label(model) };
                let group = escape(if by_strategy { strategy.as_str() } else { model });
                let look = Look { mark, name, group, legend: panel == 0, shift: dodge(slot, lines), lines };
                add_series(&mut draft, &y_axis, &series, look);
            }
        }
    }

    draft.layout = draft
        .layout
        .x_axis(
            axis("success boundary (score above it is success)")
                .range(AxisRange::new(x_range.0, x_range.1))
                .tick_values(boundaries)
                .anchor(axis_name(panels.len().saturating_sub(1))),
        )
        .show_legend(true);
    let many = panels.len().max(1);
    for (panel, strategies) in panels.iter().enumerate() {
        let gap = if many > 1 { 0.25 / many as f64 } else { 0.0 };
        let top = 1.0 - panel as f64 / many as f64;
        let bottom = 1.0 - (panel as f64 + 1.0) / many as f64;
        let domain = if panel + 1 == many { [bottom.max(0.0), top - gap] } else { [bottom, top - gap] };
        let title = if many > 1 { "crossing rate (0 to 1)" } else { "score-crossing rate (0 to 1)" };
        let y_axis = axis(title)
            .range(AxisRange::new(-0.03 * rate_end(highest), rate_end(highest)))
            .domain(&domain)
            .tick_format(".2~f");
        draft.layout = with_y_axis(draft.layout, panel, y_axis);
        if let (true, [strategy]) = (many > 1, strategies.as_slice()) {
            let heading = format!("<b>{}</b>", wrapped(strategy.as_str(), 60, 1));
            draft.note(heading, ("paper", 0.0), ("paper", top - gap * 0.5), Anchor::Left);
        }
    }
    draft.finish()
}

/// How one line is drawn.
struct Look {
    mark: Mark,
    name: String,
    group: String,
    legend: bool,
    shift: f64,
    lines: usize,
}

fn add_series(draft: &mut Draft, y_axis: &str, series: &[&BoundaryPoint], look: Look) {
    let at = |point: &BoundaryPoint| point.boundary + look.shift;
    if look.lines <= SERIES_WITH_INTERVALS {
        let spans = series.iter().filter(|p| p.shown().is_some());
        let spans = spans.filter_map(|p| p.interval.map(|(lo, hi)| ((at(p), lo), (at(p), hi))));
        draft.add(intervals(spans, look.mark.color, &look.group).y_axis(y_axis));
    }
    let hover = series.iter().map(|point| {
        format!(
            "<b>{}</b><br>{}<br>boundary {}: crosses at {}<br>n = {} trajectories",
            wrapped(&point.model, 40, 2),
            escape(point.strategy.as_str()),
            number(point.boundary),
            estimate(point.shown(), point.interval, 3),
            count(point.n)
        )
    });
    draft.add(
        Scatter::new(series.iter().map(|p| at(p)).collect(), series.iter().map(|p| p.shown()).collect::<Vec<_>>())
            .name(&look.name)
            .legend_group(&look.group)
            .show_legend(look.legend)
            .mode(Mode::LinesMarkers)
            .line(Line::new().color(look.mark.color).width(2.0))
            .marker(Marker::new().color(look.mark.color).symbol(look.mark.symbol.clone()).size(9))
            .connect_gaps(false)
            .y_axis(y_axis)
            .hover_text_array(hover.collect::<Vec<_>>())
            .hover_info(HoverInfo::Text),
    );
}

/// A little to the side, so that the intervals of several lines at one boundary can be told apart.
fn dodge(index: usize, of: usize) -> f64 {
    if of <= 1 || of > SERIES_WITH_INTERVALS { 0.0 } else { 0.05 * (index as f64 - (of as f64 - 1.0) / 2.0) }
}

/// Plotly's name of the y axis of a panel, which traces and anchors use: `y`, `y2`, …
fn axis_name(panel: usize) -> String {
    if panel == 0 { "y".to_owned() } else { format!("y{}", panel + 1) }
}

fn with_y_axis(layout: Layout, panel: usize, axis: Axis) -> Layout {
    match panel {
        0 => layout.y_axis(axis),
        1 => layout.y_axis2(axis),
        2 => layout.y_axis3(axis),
        3 => layout.y_axis4(axis),
        4 => layout.y_axis5(axis),
        5 => layout.y_axis6(axis),
        6 => layout.y_axis7(axis),
        _ => layout.y_axis8(axis),
    }
}

/// The figures of [`crossing_over_boundary`].
pub fn boundary_table(points: &[BoundaryPoint], method: &Method) -> Table {
    let mut table = Table::new(
        "Score-crossing rate over the success boundary.",
        [
            Column::text("model"),
            Column::text("strategy"),
            Column::number("boundary", "score"),
            Column::number("score-crossing rate", format!("0 to 1, {} interval", method.level_text())),
            Column::number("n", "trajectories"),
        ],
    );
    for point in points {
        table.push([
            Cell::text(&point.model),
            Cell::text(point.strategy.as_str()),
            Cell::exact(point.boundary),
            Cell::figure(point.shown(), point.interval),
            Cell::Count(point.n),
        ]);
    }
    table
}
