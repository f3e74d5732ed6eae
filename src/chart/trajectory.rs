//! One trajectory's scores across its wordings.

use plotly::common::{Anchor, DashType, HoverInfo, Line, Marker, MarkerSymbol, Mode};
use plotly::layout::AxisRange;
use plotly::{Plot, Scatter};

use super::layout::{Draft, axis, distinct};
use super::palette::{BLUE, NOTE, SUCCESS_AREA, VERMILLION};
use super::text::{count, escape, hover_instruction, n_text, number, wrapped};
use super::{Cell, Column, Table};
use crate::dataset::Label;
use crate::paraphrase::Strategy;

/// The score of one wording.
#[derive(Clone, Debug, PartialEq)]
pub struct ScorePoint {
    /// How the wording was made.
    pub strategy: Strategy,
    /// The wording.
    pub instruction: String,
    /// 1 to 5; `None` is an unparsed reply.
    pub score: Option<f64>,
}

impl ScorePoint {
    /// A point.
    pub fn new(strategy: impl Into<Strategy>, instruction: impl Into<String>, score: Option<f64>) -> Self {
        Self { strategy: strategy.into(), instruction: instruction.into(), score }
    }

    pub(super) fn parsed(&self) -> Option<f64> {
        self.score.filter(|score| score.is_finite())
    }
}

/// The scores of one trajectory by one model, over all its wordings.
#[derive(Clone, Debug, PartialEq)]
pub struct TrajectoryScores {
    /// The trajectory's id.
    pub trajectory: String,
    /// The original instruction.
    pub task: String,
    /// The model.
    pub model: String,
    /// The digest of its settings; empty where it is not known.
    pub config: String,
    /// The dataset; empty where it is not known.
    pub dataset: String,
    /// True progress, where known.
    pub label: Option<Label>,
    /// Success is a score above this.
    pub boundary: f64,
    /// The scores; the original instruction among them, where it was scored.
    pub points: Vec<ScorePoint>,
}

impl TrajectoryScores {
    /// Is this score a success?
    pub fn success(&self, score: f64) -> bool {
        score > self.boundary
    }

    /// The verdict that the wordings are held against: that under the original instruction; where that was not scored,
    /// the one that is true by the label; else none.
    pub fn reference(&self) -> Option<bool> {
        let original = self.points.iter().filter(|p| p.strategy == Strategy::Original).find_map(ScorePoint::parsed);
        original.or(self.label.map(|label| f64::from(label.get()))).map(|score| self.success(score))
    }

    /// Whether a wording flips the verdict: its score and [`TrajectoryScores::reference`] are on different sides.
    pub fn flips(&self, point: &ScorePoint) -> bool {
        match (point.parsed(), self.reference()) {
            (Some(score), Some(reference)) => self.success(score) != reference,
            _ => false,
        }
    }

    /// Whether any two wordings, of whatever strategy, get different verdicts.
    pub fn crosses(&self) -> bool {
        let (success, failure) = self.verdicts();
        success > 0 && failure > 0
    }

    /// How many wordings are scored success, and how many failure.
    pub fn verdicts(&self) -> (u64, u64) {
        self.points.iter().filter_map(ScorePoint::parsed).fold((0, 0), |(success, failure), score| {
            if self.success(score) { (success + 1, failure) } else { (success, failure + 1) }
        })
    }

    /// Lowest and highest score.
    pub fn range(&self) -> Option<(f64, f64)> {
        let parsed = self.points.iter().filter_map(ScorePoint::parsed);
        parsed.fold(None, |range, s| Some(range.map_or((s, s), |(lo, hi): (f64, f64)| (lo.min(s), hi.max(s)))))
    }

    /// Unparsed replies.
    pub fn unparsed(&self) -> u64 {
        self.points.iter().filter(|point| point.parsed().is_none()).count() as u64
    }
}

/// One trajectory's scores across its wordings: a column a strategy, equal scores side by side, the boundary as a dashed
/// line, true progress as a dotted one, flips as diamonds. The wording is in the hover label.
pub fn trajectory_scores(scores: &TrajectoryScores) -> Plot {
    draft(scores).finish()
}

pub(super) fn draft(scores: &TrajectoryScores) -> Draft {
    let mut strategies = distinct(scores.points.iter().map(|point| &point.strategy));
    strategies.sort();
    let parsed = scores.points.iter().filter(|point| point.parsed().is_some());
    let n = parsed.clone().count() as u64;
    let flipped = scores.points.iter().filter(|point| scores.flips(point)).count() as u64;

    let mut facts = vec![
        format!("“{}”", scores.task),
        format!("model: {}", scores.model),
        n_text([n], "wording", "wordings"),
        format!("success: score above {}", number(scores.boundary)),
    ];
    if scores.reference().is_some() {
        facts.push(format!("{} flip", if flipped == 0 { "none".to_owned() } else { count(flipped) }));
    }
    if scores.unparsed() > 0 {
        facts.push(format!("{} unparsed, not drawn", count(scores.unparsed())));
    }
    // A task of thousands of letters would push the chart off its own page; the table has it in full.
    facts[0] = super::text::wrap(&facts[0], 200, 1).join(" ");
    let title =
        format!("Scores of trajectory {} across wordings", super::text::wrap(&scores.trajectory, 48, 1).join(""));
    let mut draft = Draft::new(&title, &facts, [scores.model.as_str()], 340);
    if n == 0 {
        draft.nothing("No reply could be read.");
    }

    let right = strategies.len().max(1) as f64 - 0.5;
    draft.area("x", (-0.5, right), "y", (scores.boundary, 5.5), SUCCESS_AREA.0);
    draft.line("x", (-0.5, right), "y", (scores.boundary, scores.boundary), DashType::Dash);
    if let Some(label) = scores.label {
        let y = f64::from(label.get());
        draft.line("x", (-0.5, right), "y", (y, y), DashType::Dot);
        draft.note(format!("true progress {label}"), ("x", right), ("y", y + 0.16), Anchor::Right);
    }
    let words = format!("success above {}", number(scores.boundary));
    draft.note(words, ("x", -0.5), ("y", scores.boundary + 0.16), Anchor::Left);

    let reference = match scores.points.iter().any(|p| p.strategy == Strategy::Original && p.parsed().is_some()) {
        true => "the original instruction",
        false => "the true progress",
    };
    let groups = [
        (false, "same verdict", BLUE.0, MarkerSymbol::Circle, 10),
        (true, "flips", VERMILLION.0, MarkerSymbol::Diamond, 13),
    ];
    for (flips, name, color, symbol, size) in groups {
        let (mut x, mut y, mut hover) = (Vec::new(), Vec::new(), Vec::new());
        for (s, strategy) in strategies.iter().enumerate() {
            for (point, offset) in swarm(scores, strategy) {
                if scores.flips(point) != flips {
                    continue;
                }
                let Some(score) = point.parsed() else { continue };
                x.push(s as f64 + offset);
                y.push(score);
                let side = if scores.success(score) { "success" } else { "failure" };
                let verdict = match flips {
                    true => format!("<b>flips to {side}</b>, against {reference}"),
                    false => side.to_owned(),
                };
                hover.push(format!(
                    "<b>{}</b> · {verdict}<br>{}<br>{}",
                    number(score),
                    escape(strategy.as_str()),
                    hover_instruction(&point.instruction)
                ));
            }
        }
        let line = Line::new().color(NOTE.0).width(if flips { 1.5 } else { 0.0 });
        draft.add(
            Scatter::new(x, y)
                .name(if scores.reference().is_some() { name } else { "score" })
                .mode(Mode::Markers)
                .marker(Marker::new().color(color).symbol(symbol).size(size).line(line))
                .hover_text_array(hover)
                .hover_info(HoverInfo::Text),
        );
    }

    let columns = strategies.iter().map(|strategy| {
        let n = parsed.clone().filter(|point| point.strategy == **strategy).count();
        format!("{}<br>n = {n}", wrapped(strategy.as_str(), 14, 2))
    });
    draft.layout = draft
        .layout
        .x_axis(
            axis("strategy of the wording")
                .range(AxisRange::new(-0.5, right))
                .tick_values((0..strategies.len()).map(|s| s as f64).collect())
                .tick_text(columns.collect())
                .show_grid(false),
        )
        .y_axis(
            axis("score (progress, 1 to 5)")
                .range(AxisRange::new(0.5, 5.5))
                .tick_values(vec![1.0, 2.0, 3.0, 4.0, 5.0])
                .tick_text(vec!["1 none", "2 minimal", "3 partial", "4 near", "5 perfect"]),
        )
        .show_legend(scores.reference().is_some());
    draft
}

/// The points of one strategy with their place across its column: equal scores side by side in the order given, so that
/// a chart is the same every time it is drawn.
fn swarm<'a>(scores: &'a TrajectoryScores, strategy: &Strategy) -> Vec<(&'a ScorePoint, f64)> {
    let points: Vec<&ScorePoint> = scores.points.iter().filter(|point| point.strategy == *strategy).collect();
    let tied = |point: &ScorePoint| points.iter().filter(|other| other.score == point.score).count();
    let mut placed: Vec<(&ScorePoint, f64)> = Vec::with_capacity(points.len());
    for point in &points {
        let (rank, ties) = (placed.iter().filter(|(other, _)| other.score == point.score).count(), tied(point));
        let step = (0.8 / ties as f64).min(0.14);
        placed.push((point, step * (rank as f64 - (ties as f64 - 1.0) / 2.0)));
    }
    placed
}

/// The wordings of one trajectory with their scores, lowest first; unparsed ones at the end.
pub fn wording_table(scores: &TrajectoryScores) -> Table {
    let mut table = Table::new(
        format!(
            "Trajectory {}, model {}: every wording and its score. Success: score above {}.",
            scores.trajectory,
            scores.model,
            number(scores.boundary)
        ),
        [Column::number("score", "1 to 5"), Column::text("strategy"), Column::text("wording")],
    );
    let mut points: Vec<&ScorePoint> = scores.points.iter().collect();
    let key = |point: &ScorePoint| point.parsed().unwrap_or(f64::INFINITY);
    points.sort_by(|a, b| key(a).total_cmp(&key(b)).then_with(|| a.strategy.cmp(&b.strategy)));
    for point in points {
        let success = point.parsed().is_some_and(|score| scores.success(score));
        let cell = Cell::Score { score: point.parsed(), success, flips: scores.flips(point) };
        table.push([cell, Cell::text(point.strategy.as_str()), Cell::text(&point.instruction)]);
    }
    table
}
