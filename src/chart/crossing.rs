//! Score-crossing rate by model and strategy.

use plotly::Plot;
use plotly::Scatter;
use plotly::common::{Anchor, HoverInfo, Marker, Mode};
use plotly::layout::AxisRange;

use super::layout::{Draft, axis, distinct, intervals, rate_end};
use super::text::{capital, count, escape, estimate, model_label, n_text, strategy_labels, wrapped};
use super::{Cell, Column, Method, Palette, Table};
use crate::paraphrase::Strategy;

/// The score-crossing rate of one model under one strategy.
#[derive(Clone, Debug, PartialEq)]
pub struct CrossingPoint {
    /// The model's name; with its config where several configs of one model are grouped apart.
    pub model: String,
    /// The strategy.
    pub strategy: Strategy,
    /// Share of trajectories, 0 to 1; `None` where n is 0.
    pub rate: Option<f64>,
    /// Its interval.
    pub interval: Option<(f64, f64)>,
    /// Trajectories with at least two parsed replies.
    pub n: u64,
}

impl CrossingPoint {
    /// A point.
    pub fn new(
        model: impl Into<String>,
        strategy: impl Into<Strategy>,
        rate: Option<f64>,
        interval: Option<(f64, f64)>,
        n: u64,
    ) -> Self {
        Self { model: model.into(), strategy: strategy.into(), rate, interval, n }
    }

    fn shown(&self) -> Option<f64> {
        self.rate.filter(|rate| rate.is_finite() && self.n > 0)
    }
}

/// Score-crossing rate by model and strategy, with intervals: one line a model from top to bottom in the order given, one
/// mark a strategy.
///
/// A group without a figure leaves a gap and the words `n = 0`; a strategy without any figure (the original instruction,
/// which is a single wording) is named in the subtitle.
pub fn crossing_by_model(points: &[CrossingPoint], method: &Method, palette: &Palette) -> Plot {
    let models = distinct(points.iter().map(|point| point.model.as_str()));
    let mut strategies = distinct(points.iter().map(|point| &point.strategy));
    strategies.sort();
    let empty: Vec<&&Strategy> =
        strategies.iter().filter(|s| points.iter().all(|p| p.strategy != ***s || p.shown().is_none())).collect();
    let without = empty.iter().map(|s| s.as_str()).collect::<Vec<_>>().join(", ");
    let drawn: Vec<&Strategy> = strategies.iter().filter(|s| !empty.contains(s)).copied().collect();

    let shown = points.iter().filter(|p| p.shown().is_some());
    let mut facts = vec![
        n_text(shown.clone().map(|p| p.n), "trajectory", "trajectories"),
        method.boundary_text(),
        method.interval_text(),
    ];
    if !without.is_empty() && !drawn.is_empty() {
        facts.push(format!("no figure (n = 0): {without}"));
    }

    let palette = palette.of_chart(&models, &drawn);
    let row = 22.0 + 15.0 * drawn.len().max(1) as f64;
    let height = (70.0 + row * models.len().max(3) as f64) as usize;
    let mut draft = Draft::new("Score-crossing rate by model and strategy", &facts, models.iter().copied(), height);
    if drawn.is_empty() {
        draft.nothing("No group has a trajectory with two readable replies, so nothing can cross.");
    }

    let place = |model: usize, strategy: usize| {
        let step = 0.64 / drawn.len().max(1) as f64;
        -(model as f64) + 0.32 - step * (strategy as f64 + 0.5)
    };
    let names = strategy_labels(&drawn);
    for (s, (strategy, name)) in drawn.iter().zip(names).enumerate() {
        let mark = palette.strategy(strategy);
        let (mut x, mut y, mut hover, mut spans) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (m, model) in models.iter().enumerate() {
            for point in points.iter().filter(|p| p.model == *model && p.strategy == **strategy) {
                let at = place(m, s);
                match point.shown() {
                    None => draft.note("n = 0".to_owned(), ("paper", 0.0), ("y", at), Anchor::Left),
                    Some(_) => spans.extend(point.interval.map(|(lo, hi)| ((lo, at), (hi, at)))),
                }
                x.push(point.shown());
                y.push(at);
                hover.push(format!(
                    "<b>{}</b><br>{}<br>crosses at {}<br>n = {} trajectories",
                    wrapped(model, 40, 2),
                    escape(strategy.as_str()),
                    estimate(point.shown(), point.interval, 3),
                    count(point.n)
                ));
            }
        }
        draft.add(intervals(spans, mark.color, &escape(strategy.as_str())));
        draft.add(
            Scatter::new(x, y)
                .name(name)
                .legend_group(escape(strategy.as_str()))
                .mode(Mode::Markers)
                .marker(Marker::new().color(mark.color).symbol(mark.symbol).size(10))
                .hover_text_array(hover)
                .hover_info(HoverInfo::Text),
        );
    }

    let highest = shown.flat_map(|p| [p.rate, p.interval.map(|(_, hi)| hi)]).flatten().fold(0.0, f64::max);
    let rows = models.len().max(1) as f64;
    let ticks: Vec<f64> = (0..models.len()).map(|m| -(m as f64)).collect();
    draft.layout = draft
        .layout
        .x_axis(
            axis("score-crossing rate (0 to 1)")
                .range(AxisRange::new(-0.02 * rate_end(highest), rate_end(highest)))
                .tick_format(".2~f"),
        )
        .y_axis(
            axis("model")
                .range(AxisRange::new(-rows + 0.5, 0.5))
                .tick_values(ticks)
                .tick_text(models.iter().map(|model| model_label(model)).collect())
                .show_grid(false),
        )
        .show_legend(true);
    for row in 1..models.len() {
        draft.rule(0.5 - row as f64);
    }
    draft.finish()
}

/// The figures of [`crossing_by_model`].
pub fn crossing_table(points: &[CrossingPoint], method: &Method) -> Table {
    let rate = format!("0 to 1, {} interval", method.level_text());
    let mut table = Table::new(
        format!("Score-crossing rate by model and strategy. {}.", capital(&method.boundary_text())),
        [
            Column::text("model"),
            Column::text("strategy"),
            Column::number("score-crossing rate", rate),
            Column::number("n", "trajectories"),
        ],
    );
    for point in points {
        table.push([
            Cell::text(&point.model),
            Cell::text(point.strategy.as_str()),
            Cell::figure(point.shown(), point.interval),
            Cell::Count(point.n),
        ]);
    }
    table
}
