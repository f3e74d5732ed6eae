//! Confusion of predicted and true progress.

use plotly::common::{ColorScale, ColorScaleElement, Font, HoverInfo, Mode};
use plotly::layout::{AxisConstrain, AxisRange};
use plotly::{HeatMap, Plot, Scatter};

use super::layout::{Draft, axis};
use super::palette::{HEAT, ON_PALE, ON_STRONG};
use super::text::{count, n_text};
use super::{Cell, Column, Table};
use crate::paraphrase::Strategy;

const STEPS: [&str; 5] = ["1 none", "2 minimal", "3 partial", "4 near", "5 perfect"];
/// What is counted where no strategy is named.
const ALL: &str = "all rewordings, without the original instruction";
/// From this share on, words on a cell are light.
const STRONG: f64 = 0.6;

/// How often each true progress was scored as each predicted one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confusion {
    /// The model's name.
    pub model: String,
    /// The strategy; `None` where all rewordings are counted together. The original instruction is none of them.
    pub strategy: Option<Strategy>,
    /// `counts[label - 1][score - 1]`: (trajectory, wording) pairs; a score that is no whole number is rounded.
    pub counts: [[u64; 5]; 5],
    /// Unparsed replies to trajectories with a label; they are in no cell.
    pub unparsed: u64,
}

impl Confusion {
    /// Pairs in all cells.
    pub fn n(&self) -> u64 {
        self.counts.iter().flatten().sum()
    }

    fn with_label(&self, label: usize) -> u64 {
        self.counts[label].iter().sum()
    }
}

/// Confusion of predicted and true progress as a heat map: a column a true progress, its colour the share of that column.
/// A true progress that no trajectory has is a gap, not a column of zeros.
pub fn confusion(confusion: &Confusion) -> Plot {
    let mut facts = vec![format!("model: {}", confusion.model)];
    facts.push(match &confusion.strategy {
        Some(strategy) => format!("strategy: {strategy}"),
        None => ALL.to_owned(),
    });
    facts.push(n_text([confusion.n()], "(trajectory, wording) pair", "(trajectory, wording) pairs"));
    facts.push("colour: share of the column".to_owned());
    if confusion.unparsed > 0 {
        facts.push(format!("{} unparsed, in no cell", count(confusion.unparsed)));
    }
    let mut draft = Draft::new("Predicted against true progress", &facts, [confusion.model.as_str()], 430);
    if confusion.n() == 0 {
        draft.nothing("No readable reply to a trajectory with a known true progress.");
    }

    let share = |label: usize, score: usize| {
        let column = confusion.with_label(label);
        (column > 0).then(|| confusion.counts[label][score] as f64 / column as f64)
    };
    let cells = |score: usize| (0..5).map(move |label| share(label, score)).collect::<Vec<Option<f64>>>();
    let steps = vec![1.0, 2.0, 3.0, 4.0, 5.0];
    let hover = (0..5).map(|score| {
        let words = (0..5).map(|label| match share(label, score) {
            None => format!("no trajectory has true progress {}", label + 1),
            Some(share) => format!(
                "true {}, predicted {}<br>{} of {} pairs ({:.1} %)",
                label + 1,
                score + 1,
                count(confusion.counts[label][score]),
                count(confusion.with_label(label)),
                share * 100.0
            ),
        });
        words.collect::<Vec<_>>()
    });
    let scale = HEAT.iter().zip([0.0, 0.5, 1.0]).map(|(ink, at)| ColorScaleElement(at, ink.0.to_owned()));
    draft.add(
        HeatMap::new(steps.clone(), steps.clone(), (0..5).map(cells).collect::<Vec<_>>())
            .color_scale(ColorScale::Vector(scale.collect()))
            .zmin(0.0)
            .zmax(1.0)
            .show_scale(false)
            .x_gap(2)
            .y_gap(2)
            .hover_on_gaps(false)
            .hover_text_matrix(hover.collect::<Vec<_>>())
            .hover_info(HoverInfo::Text),
    );
    // Words as points, in two colours: plotly has one colour for all words of a heat map.
    for (strong, color) in [(false, ON_PALE.0), (true, ON_STRONG.0)] {
        let (mut x, mut y, mut words) = (Vec::new(), Vec::new(), Vec::new());
        for (label, score) in (0..25).map(|cell| (cell / 5, cell % 5)) {
            let Some(share) = share(label, score) else { continue };
            if (share >= STRONG) == strong {
                x.push(label as f64 + 1.0);
                y.push(score as f64 + 1.0);
                words.push(format!("{}<br>{:.0} %", count(confusion.counts[label][score]), share * 100.0));
            }
        }
        draft.add(
            Scatter::new(x, y)
                .mode(Mode::Text)
                .text_array(words)
                .text_font(Font::new().size(12).color(color))
                .hover_info(HoverInfo::Skip)
                .show_legend(false),
        );
    }

    let ticks = (0..5).map(|label| format!("{}<br>n = {}", label + 1, count(confusion.with_label(label))));
    draft.layout = draft
        .layout
        .x_axis(
            axis("true progress (label, 1 to 5)")
                .range(AxisRange::new(0.5, 5.5))
                .tick_values(steps.clone())
                .tick_text(ticks.collect())
                .show_grid(false)
                .constrain(AxisConstrain::Domain),
        )
        .y_axis(
            axis("predicted progress (score, 1 to 5)")
                .range(AxisRange::new(0.5, 5.5))
                .tick_values(steps)
                .tick_text(STEPS.to_vec())
                .show_grid(false),
        )
        .show_legend(false);
    draft.finish()
}

/// The figures of [`confusion`].
pub fn confusion_table(confusion: &Confusion) -> Table {
    let mut columns = vec![Column::text("true progress")];
    columns.extend(STEPS.iter().map(|step| Column::number(format!("scored {step}"), "pairs")));
    columns.push(Column::number("n", "pairs"));
    let caption = format!(
        "Predicted against true progress, model {}, {}, {}. {} unparsed.",
        confusion.model,
        confusion.strategy.as_ref().map_or(ALL.to_owned(), |s| format!("strategy {s}")),
        n_text([confusion.n()], "(trajectory, wording) pair", "(trajectory, wording) pairs"),
        count(confusion.unparsed)
    );
    let mut table = Table::new(caption, columns);
    for (label, step) in STEPS.iter().enumerate() {
        let mut cells = vec![Cell::text(step)];
        let n = confusion.with_label(label);
        cells.extend(confusion.counts[label].iter().map(|count| match n {
            0 => Cell::figure(None, None),
            _ => Cell::Count(*count),
        }));
        cells.push(Cell::Count(n));
        table.push(cells);
    }
    table
}
