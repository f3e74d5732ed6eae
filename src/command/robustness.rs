//! `robustness`: the table of metrics with intervals.

use std::path::{Path, PathBuf};

use clap::Args;

use super::options::parsed;
use super::{Answer, Block, Session, figures, report};
use crate::Result;
use crate::display::{self, Cell, Column, Table, number};
use crate::robustness::{
    Analysis, Comparison, DEFAULT_BOUNDARY, DEFAULT_RESAMPLES, Estimate, Key, Metric, Repeats, Robustness, Unparsed,
};
use crate::scores::{ScoreTable, column};

/// Beyond this a Parquet file is read a part at a time, without the check for repeated keys.
const LARGE_BYTES: u64 = 64 << 20;

/// Score-crossing rate, failure rate, error and spread, with intervals
#[derive(Debug, Args)]
pub(super) struct RobustnessCommand {
    /// Score table (.parquet, .csv, .jsonl)
    scores: Option<PathBuf>,

    /// Columns to group by
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', default_value = "model,strategy")]
    by: Vec<String>,

    /// Success is a score above this
    #[arg(long, value_name = "B", default_value_t = DEFAULT_BOUNDARY)]
    boundary: f64,

    /// Two models or two strategies, compared on the trajectories that both have
    #[arg(long, value_name = "A,B", value_delimiter = ',', num_args = 1)]
    compare: Vec<String>,

    /// Write the charts as one HTML file that works offline
    #[arg(long, value_name = "FILE.html")]
    chart: Option<PathBuf>,

    /// Bootstrap resamples behind each interval; 0 for none
    #[arg(long, value_name = "N", default_value_t = DEFAULT_RESAMPLES)]
    resamples: usize,

    /// Seed of the bootstrap
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// Degrees of freedom taken off in the standard deviation
    #[arg(long, value_name = "N", default_value_t = 0)]
    ddof: u8,

    /// Of several repeats: first, or their mean
    #[arg(long, value_name = "WHICH", default_value = "first", value_parser = parsed::<Repeats>)]
    repeats: Repeats,

    /// What stands in for an unparsed reply: exclude, as-failure (1), as-success (4), or a number
    #[arg(long, value_name = "POLICY", default_value = "exclude", value_parser = parsed::<Unparsed>)]
    unparsed: Unparsed,

    /// Several datasets as one; without it, each has rows of its own
    #[arg(long)]
    pool_datasets: bool,
}

impl RobustnessCommand {
    pub(super) fn run(&self, session: &Session) -> Result<Answer> {
        if let Some(file) = &self.chart {
            report::check_name(file)?;
        }
        let analysis = Analysis {
            by: self.by.clone(),
            boundary: self.boundary,
            ddof: self.ddof,
            resamples: self.resamples,
            seed: self.seed,
            level: 0.95,
            repeats: self.repeats,
            unparsed: self.unparsed,
            pool_datasets: self.pool_datasets,
        };
        let mut note = None;
        let source = match &self.scores {
            // A large table is not held in memory whole; a small one is, so that every row of it is checked.
            Some(path) if is_large(path) => Scores::File(path),
            Some(path) => Scores::Held(ScoreTable::read(path)?),
            None => {
                let figures = figures::of_session(session)?;
                note = figures.note;
                Scores::Held(figures.scores)
            }
        };
        let mut answer = match self.compare.as_slice() {
            [] => {
                let robustness = match &source {
                    Scores::Held(table) => analysis.run(table)?,
                    Scores::File(path) => analysis.run_file(path)?,
                };
                Answer::new(robustness.to_json()).show_all(tables(&robustness, &self.by).map(Block::Table))
            }
            [a, b] => {
                let comparison = match &source {
                    Scores::Held(table) => analysis.compare(table, a, b)?,
                    Scores::File(path) => analysis.compare_file(path, a, b)?,
                };
                Answer::new(comparison.to_json()).show(Block::Table(differences(&comparison, &self.by)))
            }
            _ => {
                return Err(crate::Error::usage("--compare takes two names")
                    .with_help("for example --compare gpt-5.1,claude-sonnet-4.6 or --compare lexical,adversarial"));
            }
        };
        let said = match &source {
            Scores::Held(table) => report::simulated(table)?,
            Scores::File(path) => report::simulated(&ScoreTable::read_columns(path, &[column::MODEL])?)?,
        };
        answer = answer.show_all(said.map(Block::Text));
        if let Some(note) = note {
            answer = answer.note(note);
        }
        match &source {
            Scores::Held(table) => {
                let told =
                    [report::off_the_scale(table)?, report::labels_apart(table)?, report::originals_apart(table)?];
                for warning in told.into_iter().flatten() {
                    answer = answer.note(format!("warning: {warning}"));
                }
                let models = if self.compare.is_empty() { report::models_together(table, &self.by)? } else { None };
                for note in [models, report::rules_together(table)?].into_iter().flatten() {
                    answer = answer.note(format!("note: {note}"));
                }
            }
            Scores::File(path) => {
                answer = answer.note(format!(
                    "{} is read a part at a time: that no key stands twice in it was not checked",
                    path.display()
                ));
            }
        }
        if let Some(file) = &self.chart {
            let scores = match source {
                Scores::Held(table) => table,
                Scores::File(path) => ScoreTable::read(path)?,
            };
            report::of(&scores, &analysis, report::Extra { command: &session.typed, ..report::Extra::default() })?
                .write(file)?;
            answer = answer.say(format!("charts: {}", file.display()));
        }
        Ok(answer)
    }
}

/// Where the scores are.
enum Scores<'a> {
    Held(ScoreTable),
    File(&'a Path),
}

/// Parquet of hundreds of megabytes: millions of rows.
fn is_large(path: &Path) -> bool {
    let parquet = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("parquet"));
    parquet && std::fs::metadata(path).is_ok_and(|file| file.len() > LARGE_BYTES)
}

fn cell(estimate: Estimate) -> Cell {
    Cell::from(display::Estimate { value: estimate.value, interval: estimate.interval, n: estimate.n })
}

/// A row a group, each figure with its interval and n: what becomes of verdicts, then what becomes of scores. Two tables,
/// because one of all figures is wider than most terminals.
pub(super) fn tables(robustness: &Robustness, asked: &[String]) -> [Table; 2] {
    let verdicts = [
        (Metric::CrossingRate, "crossing rate"),
        (Metric::FailureRate, "failure rate"),
        (Metric::FailedTrajectories, "failed trajectories"),
    ];
    let scores = [(Metric::MeanError, "mean error"), (Metric::Range, "range"), (Metric::Std, "std")];
    let mut verdicts = of_metrics(robustness, &verdicts, true);
    let mut scores = of_metrics(robustness, &scores, false);
    verdicts.note(&format!("Success: score above {}.", number::chosen(robustness.boundary)));
    for note in notes(robustness, asked) {
        scores.note(&note);
    }
    [verdicts, scores]
}

fn of_metrics(robustness: &Robustness, metrics: &[(Metric, &str)], unparsed: bool) -> Table {
    let mut columns: Vec<Column> = robustness.by.iter().map(|name| Column::text(name)).collect();
    columns.extend(metrics.iter().map(|(_, name)| Column::number(name)));
    if unparsed {
        columns.push(Column::number("unparsed"));
    }
    let mut table = Table::new(columns);
    for row in &robustness.rows {
        let mut cells: Vec<Cell> =
            robustness.by.iter().map(|name| Cell::from(row.group.get(name).map(shown))).collect();
        cells.extend(metrics.iter().map(|(metric, _)| cell(row.estimate(*metric))));
        if unparsed {
            cells.push(Cell::number(format!("{} of {}", number::count(row.unparsed), number::count(row.pairs))));
        }
        table.row(cells);
    }
    table
}

/// What a group is called: text, a label, …
fn shown(key: &Key) -> Cell {
    match key {
        Key::Missing => Cell::missing(),
        key => Cell::text(key.to_string()),
    }
}

fn notes(robustness: &Robustness, asked: &[String]) -> Vec<String> {
    let mut notes = vec![format!("Intervals: {}.", intervals(robustness.level, robustness.resamples, robustness.seed))];
    if robustness.by.iter().any(|name| name == "config") {
        notes.push("A model has rows of several configs: they are grouped apart, by the column config.".to_owned());
    }
    notes.extend(asked_datasets(&robustness.by, asked));
    let left = robustness.left_out;
    for (rows, what) in [
        (left.repeats, "repeats after the first"),
        (left.variants, "aggregation variants"),
        (left.original, "the original instruction, which enters no other group"),
    ] {
        if rows > 0 {
            notes.push(format!("Left out: {} rows of {what}.", number::count(rows)));
        }
    }
    notes
}

/// That datasets are grouped apart where nobody asked for it.
fn asked_datasets(by: &[String], asked: &[String]) -> Option<String> {
    let told = |names: &[String]| names.iter().any(|name| name == column::DATASET);
    (told(by) && !told(asked)).then(|| {
        "There are rows of several datasets: they are grouped apart, by the column dataset (--pool-datasets: as one)."
            .to_owned()
    })
}

fn differences(comparison: &Comparison, asked: &[String]) -> Table {
    let mut columns: Vec<Column> = comparison.by.iter().map(|name| Column::text(name)).collect();
    columns.push(Column::text("metric"));
    columns.extend([comparison.a.as_str(), comparison.b.as_str(), "difference"].map(Column::number));
    let mut table = Table::new(columns);
    for row in &comparison.rows {
        for metric in Metric::ALL {
            let mut cells: Vec<Cell> =
                comparison.by.iter().map(|name| Cell::from(row.group.get(name).map(shown))).collect();
            let paired = row.paired(metric);
            let figure = |value: Option<f64>| Cell::from(value.map(|value| Cell::number(number::rate(value))));
            cells.extend([Cell::text(metric.name()), figure(paired.a), figure(paired.b), cell(paired.difference)]);
            table.row(cells);
        }
    }
    table.note(&format!(
        "On the trajectories that both have. Success: score above {}. Intervals of the difference: paired, {}.",
        number::chosen(comparison.boundary),
        intervals(comparison.level, comparison.resamples, comparison.seed)
    ));
    if let Some(note) = asked_datasets(&comparison.by, asked) {
        table.note(&note);
    }
    table
}

pub(super) fn intervals(level: f64, resamples: usize, seed: u64) -> String {
    match resamples {
        0 => "none".to_owned(),
        n => format!(
            "{} %, percentile bootstrap clustered by trajectory, {}, seed {seed}",
            number::chosen(level * 100.0),
            number::things(n, "resample", "resamples")
        ),
    }
}
