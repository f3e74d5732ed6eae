//! What all charts share: title with subtitle, axes, notes.

use plotly::color::NamedColor;
use plotly::common::{Anchor, DashType, Font, Label, Line, Mode, Reference, Title};
use plotly::configuration::{Configuration, DisplayModeBar};
use plotly::layout::{Annotation, Axis, DragMode, HoverMode, Layout, Margin, Shape, ShapeLayer, ShapeLine, ShapeType};
use plotly::{Plot, Scatter, Trace};
use serde_json::{Value, json};

use super::palette::{NOTE, RULE, is_simulated};
use super::text::{escape, wrapped};

/// Columns of a subtitle's line where a chart stands alone; reports wrap it to the page instead.
const SUBTITLE_WIDTH: usize = 104;

/// A chart under way. It becomes a [`Plot`] late, because each of those carries a copy of plotly.js.
pub(super) struct Draft {
    pub layout: Layout,
    configuration: Configuration,
    traces: Vec<Box<dyn Trace>>,
    annotations: Vec<Annotation>,
    shapes: Vec<Shape>,
}

impl Draft {
    /// A chart of `height` pixels. `facts` (n, boundary, intervals, …) make up the subtitle; `models` are those whose
    /// figures it shows.
    pub fn new<'a>(title: &str, facts: &[String], models: impl IntoIterator<Item = &'a str>, height: usize) -> Self {
        let mut facts = facts.to_vec();
        if models.into_iter().any(is_simulated) {
            facts.push("simulated model: not the figures of a real one".to_owned());
        }
        let subtitle = lines_of(&facts, SUBTITLE_WIDTH);
        let lines = subtitle.len();
        let subtitle = subtitle.join(" ·<br>");
        let title = format!("<b>{}</b><br><span style=\"font-size: 13px\">{subtitle}</span>", escape(title));
        let layout = Layout::new()
            .title(
                Title::with_text(title)
                    .x(0.0)
                    .x_ref(Reference::Paper)
                    .x_anchor(Anchor::Left)
                    .font(Font::new().size(17)),
            )
            .height(height + 60 + 18 * lines)
            .margin(Margin::new().top(60 + 18 * lines).left(56).right(24).bottom(56))
            .hover_mode(HoverMode::Closest)
            .hover_label(Label::new().align("left"))
            .drag_mode(DragMode::False);
        let configuration =
            Configuration::new().responsive(true).display_logo(false).display_mode_bar(DisplayModeBar::Hover);
        Self { layout, configuration, traces: Vec::new(), annotations: Vec::new(), shapes: Vec::new() }
    }

    /// Adds a trace; later ones are drawn over earlier ones.
    pub fn add(&mut self, trace: Box<dyn Trace>) {
        self.traces.push(trace);
    }

    /// A word of explanation at a place: `x_ref`, `y_ref` are `paper` (0 to 1) or an axis (`x`, `y2`, …).
    pub fn note(&mut self, text: String, (x_ref, x): (&str, f64), (y_ref, y): (&str, f64), anchor: Anchor) {
        let shift = if matches!(anchor, Anchor::Left) { 4.0 } else { 0.0 };
        self.annotations.push(
            Annotation::new()
                .text(text)
                .x_ref(x_ref)
                .x(x)
                .y_ref(y_ref)
                .y(y)
                .x_anchor(anchor)
                .x_shift(shift)
                .show_arrow(false)
                .font(Font::new().size(12).color(NOTE.0)),
        );
    }

    /// Says in the middle of an empty chart why it is empty.
    pub fn nothing(&mut self, why: &str) {
        let middle = ("paper", 0.5);
        self.note(wrapped(why, 44, 4), middle, middle, Anchor::Center);
    }

    /// A line between two points.
    pub fn line(&mut self, x_ref: &str, (x0, x1): (f64, f64), y_ref: &str, (y0, y1): (f64, f64), dash: DashType) {
        self.shapes.push(
            Shape::new()
                .shape_type(ShapeType::Line)
                .layer(ShapeLayer::Below)
                .x_ref(x_ref)
                .x0(x0)
                .x1(x1)
                .y_ref(y_ref)
                .y0(y0)
                .y1(y1)
                .line(ShapeLine::new().color(NOTE.0).width(1.5).dash(dash)),
        );
    }

    /// A faint rule across the chart between two rows.
    pub fn rule(&mut self, y: f64) {
        self.shapes.push(
            Shape::new()
                .shape_type(ShapeType::Line)
                .layer(ShapeLayer::Below)
                .x_ref("paper")
                .x0(0.0)
                .x1(1.0)
                .y_ref("y")
                .y0(y)
                .y1(y)
                .line(ShapeLine::new().color(RULE.0).width(1.0)),
        );
    }

    /// A filled area behind everything.
    pub fn area(&mut self, x_ref: &str, (x0, x1): (f64, f64), y_ref: &str, (y0, y1): (f64, f64), color: &'static str) {
        self.shapes.push(
            Shape::new()
                .shape_type(ShapeType::Rect)
                .layer(ShapeLayer::Below)
                .x_ref(x_ref)
                .x0(x0)
                .x1(x1)
                .y_ref(y_ref)
                .y0(y0)
                .y1(y1)
                .fill_color(color)
                .line(ShapeLine::new().width(0.0).color(NamedColor::Transparent)),
        );
    }

    /// The finished chart.
    pub fn finish(self) -> Plot {
        let mut plot = Plot::new();
        plot.add_traces(self.traces);
        plot.set_layout(self.layout.annotations(self.annotations).shapes(self.shapes));
        plot.set_configuration(self.configuration);
        plot
    }

    /// The JSON of the finished chart.
    pub fn json(self) -> serde_json::Result<Value> {
        let layout = self.layout.annotations(self.annotations).shapes(self.shapes);
        Ok(json!({
            "data": serde_json::to_value(&self.traces)?,
            "layout": serde_json::to_value(layout)?,
            "config": serde_json::to_value(self.configuration)?,
        }))
    }
}

/// Facts put together to lines of about `width` columns, each fact whole where it fits a line.
fn lines_of(facts: &[String], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut used = 0;
    for fact in facts {
        let length = fact.chars().count();
        let text = wrapped(fact, width, usize::MAX);
        match lines.last_mut() {
            Some(line) if used + 3 + length <= width => {
                line.push_str(" · ");
                line.push_str(&text);
                used += 3 + length;
            }
            _ => {
                lines.push(text);
                used = length;
            }
        }
    }
    lines
}

/// An axis with its title.
pub(super) fn axis(title: &str) -> Axis {
    Axis::new().title(Title::with_text(escape(title))).auto_margin(true).zero_line(false).fixed_range(true)
}

/// Intervals as lines without ends, in one trace with gaps between them: error bars of plotly draw one of length 0 where
/// there is no interval at all, which reads as certainty.
pub(super) fn intervals(
    spans: impl IntoIterator<Item = ((f64, f64), (f64, f64))>,
    color: &'static str,
    group: &str,
) -> Box<Scatter<Option<f64>, Option<f64>>> {
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for ((x0, y0), (x1, y1)) in spans {
        x.extend([Some(x0), Some(x1), None]);
        y.extend([Some(y0), Some(y1), None]);
    }
    Scatter::new(x, y)
        .mode(Mode::Lines)
        .line(Line::new().color(color).width(2.0))
        .hover_info(plotly::common::HoverInfo::Skip)
        .legend_group(group)
        .show_legend(false)
        .connect_gaps(false)
}

/// The upper end of an axis of rates: a round tenth above `highest`, at most 1.
pub(super) fn rate_end(highest: f64) -> f64 {
    ((highest * 1.05 * 10.0).ceil() / 10.0).clamp(0.1, 1.0) * 1.02
}

/// The distinct values, in order of first appearance.
pub(super) fn distinct<T: PartialEq + Clone>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut seen = Vec::new();
    for value in values {
        if !seen.contains(&value) {
            seen.push(value);
        }
    }
    seen
}
