//! Mean error against score-crossing rate: is an accurate model a stable one?

use plotly::common::{HoverInfo, Marker, Mode};
use plotly::layout::AxisRange;
use plotly::{Plot, Scatter};

use super::label;
use super::layout::{Draft, axis, distinct, rate_end};
use super::text::{count, escape, estimate, model_label, n_text, wrapped};
use super::{Cell, Column, Method, Palette, Table};
use crate::paraphrase::Strategy;

/// More points than this, and their strategies' names would cover each other; the hover labels have them.
const NAMED_POINTS: usize = 12;
/// A longer name of a strategy is cut where it stands beside its point.
const NAME_LETTERS: usize = 18;

/// Accuracy and stability of one model under one strategy.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorPoint {
    /// The model's name.
    pub model: String,
    /// The strategy.
    pub strategy: Strategy,
    /// Mean |score - true progress|, points of the scale; `None` where no pair has a label.
    pub mean_error: Option<f64>,
    /// Its interval.
    pub mean_error_interval: Option<(f64, f64)>,
    /// (trajectory, wording) pairs with a parsed reply and a label.
    pub mean_error_n: u64,
    /// Share of trajectories, 0 to 1; `None` where its n is 0.
    pub crossing_rate: Option<f64>,
    /// Its interval.
    pub crossing_interval: Option<(f64, f64)>,
    /// Trajectories with at least two parsed replies.
    pub crossing_n: u64,
}

impl ErrorPoint {
    fn error(&self) -> Option<f64> {
        self.mean_error.filter(|error| error.is_finite() && self.mean_error_n > 0)
    }

    fn crossing(&self) -> Option<f64> {
        self.crossing_rate.filter(|rate| rate.is_finite() && self.crossing_n > 0)
    }
}

/// Mean error against score-crossing rate: a mark a model, a point a strategy. Best is the lower left corner: accurate and
/// stable. Points that lack either figure are not drawn, and the subtitle says how many.
pub fn error_against_crossing(points: &[ErrorPoint], method: &Method, palette: &Palette) -> Plot {
    let models = distinct(points.iter().map(|p| p.model.as_str()));
    let drawn: Vec<&ErrorPoint> = points.iter().filter(|p| p.error().is_some() && p.crossing().is_some()).collect();
    let mut facts = vec![
        n_text(drawn.iter().map(|p| p.crossing_n), "trajectory", "trajectories"),
        n_text(drawn.iter().map(|p| p.mean_error_n), "pair", "pairs"),
        method.boundary_text(),
        "best: lower left".to_owned(),
    ];
    let missing = points.len() - drawn.len();
    if missing > 0 {
        facts.push(format!("{} without both figures, not drawn", count(missing as u64)));
    }
    // Room for the legend: long names stand in two lines.
    let height = (60 + 34 * models.len()).max(400);
    let mut draft = Draft::new("Mean error against score-crossing rate", &facts, models.iter().copied(), height);
    if drawn.is_empty() {
        draft.nothing("No group has both a mean error and a score-crossing rate.");
    }

    let furthest = drawn.iter().filter_map(|p| p.error()).fold(0.0, f64::max);
    let highest = drawn.iter().filter_map(|p| p.crossing()).fold(0.0, f64::max);
    let x_end = (furthest * 1.15).clamp(0.5, 4.0);
    let shares: Vec<(f64, f64)> = drawn
        .iter()
        .map(|p| (p.error().unwrap_or_default() / x_end, p.crossing().unwrap_or_default() / rate_end(highest * 1.08)))
        .collect();
    let letters: Vec<usize> = drawn.iter().map(|p| p.strategy.as_str().chars().count().min(NAME_LETTERS)).collect();
    let places = label::places(&shares, &letters);

    let palette = palette.of_chart(&models, &[]);
    let named = drawn.len() <= NAMED_POINTS;
    for model in &models {
        let mark = palette.model(model);
        let of_model = |point: &&ErrorPoint| point.model == **model;
        let series: Vec<&&ErrorPoint> = drawn.iter().filter(|point| of_model(point)).collect();
        let places = drawn.iter().zip(&places).filter(|(point, _)| of_model(point)).map(|(_, place)| place.clone());
        let hover = series.iter().map(|p| {
            format!(
                "<b>{}</b><br>{}<br>mean error {}<br>n = {} pairs<br>crosses at {}<br>n = {} trajectories",
                wrapped(model, 40, 2),
                escape(p.strategy.as_str()),
                estimate(p.error(), p.mean_error_interval, 3),
                count(p.mean_error_n),
                estimate(p.crossing(), p.crossing_interval, 3),
                count(p.crossing_n)
            )
        });
        let names = series.iter().map(|p| wrapped(p.strategy.as_str(), NAME_LETTERS, 1));
        draft.add(
            Scatter::new(
                series.iter().map(|p| p.error()).collect::<Vec<_>>(),
                series.iter().map(|p| p.crossing()).collect::<Vec<_>>(),
            )
            .name(model_label(model))
            .mode(if named { Mode::MarkersText } else { Mode::Markers })
            .marker(Marker::new().color(mark.color).symbol(mark.symbol).size(11))
            .text_array(names.collect::<Vec<_>>())
            .text_position_array(places.collect())
            .clip_on_axis(false)
            .hover_text_array(hover.collect::<Vec<_>>())
            .hover_info(HoverInfo::Text),
        );
    }

    draft.layout = draft
        .layout
        .x_axis(axis("mean error (points of 1 to 5)").range(AxisRange::new(-0.02 * x_end, x_end)))
        .y_axis(
            axis("score-crossing rate (0 to 1)")
                .range(AxisRange::new(-0.03 * rate_end(highest), rate_end(highest * 1.08)))
                .tick_format(".2~f"),
        )
        .show_legend(true);
    draft.finish()
}

/// The figures of [`error_against_crossing`].
pub fn error_table(points: &[ErrorPoint], method: &Method) -> Table {
    let level = method.level_text();
    let mut table = Table::new(
        "Mean error and score-crossing rate by model and strategy.",
        [
            Column::text("model"),
            Column::text("strategy"),
            Column::number("mean error", format!("points, {level} interval")),
            Column::number("n", "pairs"),
            Column::number("score-crossing rate", format!("0 to 1, {level} interval")),
            Column::number("n", "trajectories"),
        ],
    );
    for point in points {
        table.push([
            Cell::text(&point.model),
            Cell::text(point.strategy.as_str()),
            Cell::figure(point.error(), point.mean_error_interval),
            Cell::Count(point.mean_error_n),
            Cell::figure(point.crossing(), point.crossing_interval),
            Cell::Count(point.crossing_n),
        ]);
    }
    table
}
