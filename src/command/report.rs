//! From a score table to the report.

use std::collections::BTreeSet;
use std::path::Path;

use polars::prelude::{DataFrame, DataType, IntoLazy, UniqueKeepStrategy, col, lit};

use crate::chart::{
    self, BoundaryPoint, Case, Confusion, ContactSheet, CrossingPoint, ErrorPoint, Figure, Method, Palette, Report,
    Section,
};
use crate::display::number;
use crate::paraphrase::Strategy;
use crate::robustness::{Analysis, Robustness, Row};
use crate::scores::{ScoreTable, column};
use crate::{Error, Result};

use super::cases;

/// The boundaries that crossing is drawn over.
const BOUNDARIES: [f64; 4] = [1.5, 2.5, 3.5, 4.5];
/// Trajectories laid out wording by wording.
const CASES: usize = 12;

/// What a report can have besides its scores.
#[derive(Default)]
pub(super) struct Extra<'a> {
    /// The title; one that asks the question of the score table where empty.
    pub title: &'a str,
    /// The command that made it.
    pub command: &'a str,
    /// Contact sheets by trajectory.
    pub sheets: Vec<(String, ContactSheet)>,
}

/// The report of a score table: crossing by model and strategy, over the boundary, against error; confusion; the
/// trajectories that flip most.
pub(super) fn of(scores: &ScoreTable, analysis: &Analysis, extra: Extra<'_>) -> Result<Report> {
    let analysis = Analysis { by: Analysis::default().by, ..analysis.clone() };
    let robustness = analysis.run(scores)?;
    let method = Method {
        boundary: analysis.boundary,
        level: analysis.level,
        resamples: analysis.resamples as u64,
        seed: analysis.seed,
        ddof: analysis.ddof,
    };
    let models: Vec<String> = distinct(robustness.rows.iter().map(name));
    let strategies: Vec<Strategy> = robustness.rows.iter().map(strategy).collect();
    let palette = Palette::new(models.iter().map(String::as_str)).strategies(&strategies);
    let title = if extra.title.is_empty() { "How often does wording alone change the verdict?" } else { extra.title };

    let mut report = Report::new(title)
        .subtitle("Score-crossing of language-conditioned reward models under paraphrase")
        .method(method);
    for (term, value) in facts(scores, &models)? {
        report = report.fact(term, value);
    }
    for warning in warnings(scores, &robustness, &models) {
        report = report.warning(warning);
    }
    report = report
        .section(crossing(&robustness, &method, &palette))
        .section(over_boundary(scores, &analysis, &method, &palette)?);
    let has_labels = scores.frame().column(column::LABEL).is_ok_and(|labels| labels.null_count() < labels.len());
    if has_labels {
        report = report.section(error(&robustness, &method, &palette));
        report = report.section(confusions(scores, &analysis, &robustness)?);
    }
    report = report.section(flips(scores, analysis.boundary, extra.sheets)?);
    report = report.provenance("roborm", env!("CARGO_PKG_VERSION"));
    if !extra.command.is_empty() {
        report = report.provenance("command", extra.command);
    }
    Ok(report)
}

/// The report of one trajectory: what each model made of its wordings.
pub(super) fn of_one(scores: &ScoreTable, boundary: f64, extra: Extra<'_>) -> Result<Report> {
    let cases = cases::of(scores, boundary)?;
    let models: Vec<String> = distinct(cases.iter().map(|case| case.model.clone()));
    let mut report =
        Report::new(extra.title).subtitle("One robot rollout, and what reward models make of its wordings");
    for (term, value) in facts(scores, &models)? {
        report = report.fact(term, value);
    }
    if let Some(warning) = says_simulated(&models) {
        report = report.warning(warning);
    }
    let section = Section::new("Which words flip the verdict").cases(cases.into_iter().map(|scores| {
        let sheet = extra.sheets.iter().find(|(id, _)| *id == scores.trajectory);
        match sheet {
            Some((_, sheet)) => Case::new(scores).sheet(sheet.clone()),
            None => Case::new(scores),
        }
    }));
    report = report.section(section).provenance("roborm", env!("CARGO_PKG_VERSION"));
    Ok(if extra.command.is_empty() { report } else { report.provenance("command", extra.command) })
}

/// The model's name as the charts show it: with its config where the model has several, with the dataset where there
/// are several.
pub(super) fn name(row: &Row) -> String {
    named(row.group.text("model").unwrap_or_default(), row.group.text("config"), row.group.text("dataset"))
}

fn named(model: &str, config: Option<&str>, dataset: Option<&str>) -> String {
    match (config, dataset) {
        (None, None) => model.to_owned(),
        (Some(config), None) => format!("{model} ({config})"),
        (None, Some(dataset)) => format!("{model} (on {dataset})"),
        (Some(config), Some(dataset)) => format!("{model} ({config}, on {dataset})"),
    }
}

pub(super) fn strategy(row: &Row) -> Strategy {
    row.group.strategy().unwrap_or(Strategy::Original)
}

/// Groups of more than one wording: the original instruction alone cannot disagree with itself.
fn worded(robustness: &Robustness) -> impl Iterator<Item = &Row> {
    robustness.rows.iter().filter(|row| strategy(row) != Strategy::Original || row.crossing_rate.n > 0)
}

fn crossing(robustness: &Robustness, method: &Method, palette: &Palette) -> Section {
    let points: Vec<CrossingPoint> = worded(robustness)
        .map(|row| CrossingPoint {
            model: name(row),
            strategy: strategy(row),
            rate: row.crossing_rate.value,
            interval: row.crossing_rate.interval,
            n: row.crossing_rate.n,
        })
        .collect();
    Section::new("Score-crossing rate").figure(
        Figure::new(&chart::crossing_by_model(&points, method, palette))
            .note("The share of trajectories that some wordings call a success and others a failure. The robot does the same in all of them.")
            .table(chart::crossing_table(&points, method)),
    )
}

fn over_boundary(scores: &ScoreTable, analysis: &Analysis, method: &Method, palette: &Palette) -> Result<Section> {
    let mut points = Vec::new();
    for robustness in analysis.over_boundaries(scores, &BOUNDARIES)? {
        points.extend(worded(&robustness).map(|row| BoundaryPoint {
            model: name(row),
            strategy: strategy(row),
            boundary: robustness.boundary,
            rate: row.crossing_rate.value,
            interval: row.crossing_rate.interval,
            n: row.crossing_rate.n,
        }));
    }
    Ok(Section::new("Crossing over the success boundary").figure(
        Figure::new(&chart::crossing_over_boundary(&points, method, palette))
            .note("Where success begins is a choice. This shows how much the rate depends on it.")
            .table(chart::boundary_table(&points, method)),
    ))
}

fn error(robustness: &Robustness, method: &Method, palette: &Palette) -> Section {
    let points: Vec<ErrorPoint> = worded(robustness)
        .map(|row| ErrorPoint {
            model: name(row),
            strategy: strategy(row),
            mean_error: row.mean_error.value,
            mean_error_interval: row.mean_error.interval,
            mean_error_n: row.mean_error.n,
            crossing_rate: row.crossing_rate.value,
            crossing_interval: row.crossing_rate.interval,
            crossing_n: row.crossing_rate.n,
        })
        .collect();
    Section::new("Error against crossing").figure(
        Figure::new(&chart::error_against_crossing(&points, method, palette))
            .note("A model can be right on average and still flip, or be steadily wrong.")
            .table(chart::error_table(&points, method)),
    )
}

/// A chart a model: over its rewordings, as every figure that is not told by strategy; where a table has none, over the
/// original instructions.
fn confusions(scores: &ScoreTable, analysis: &Analysis, robustness: &Robustness) -> Result<Section> {
    let mut by = vec![column::MODEL];
    by.extend([column::CONFIG, column::DATASET].into_iter().filter(|name| robustness.by.iter().any(|by| by == name)));
    let rewordings = analysis.clone().by(by.iter().copied()).confusion(scores)?;
    by.push(column::STRATEGY);
    let by_strategy = analysis.clone().by(by).confusion(scores)?;
    let original = by_strategy.lazy().filter(col(column::STRATEGY).eq(lit("original"))).collect()?;

    let mut section = Section::new("Predicted against true progress");
    for model in distinct(robustness.rows.iter().map(name)) {
        let mut confusion = confusion(&rewordings, &model, None)?;
        if confusion.n() + confusion.unparsed == 0 {
            confusion = self::confusion(&original, &model, Some(Strategy::Original))?;
        }
        section = section.figure(Figure::new(&chart::confusion(&confusion)).table(chart::confusion_table(&confusion)));
    }
    Ok(section)
}

/// The counts of the model of this name.
fn confusion(counts: &DataFrame, model: &str, strategy: Option<Strategy>) -> Result<Confusion> {
    let mut confusion = Confusion { model: model.to_owned(), strategy, counts: [[0; 5]; 5], unparsed: 0 };
    let texts = |name: &str| counts.column(name).and_then(|column| column.str().cloned());
    let whole = |name: &str| counts.column(name)?.cast(&DataType::Int64)?.i64().cloned();
    let models = texts(column::MODEL)?;
    let [configs, datasets] = [column::CONFIG, column::DATASET].map(|name| texts(name).ok());
    let (labels, predicted, count) = (whole(column::LABEL)?, whole("predicted")?, whole("count")?);
    for row in 0..counts.height() {
        let [config, dataset] = [&configs, &datasets].map(|texts| texts.as_ref().and_then(|texts| texts.get(row)));
        if named(models.get(row).unwrap_or_default(), config, dataset) != model {
            continue;
        }
        let place = |step: Option<i64>| Some(usize::try_from(step?.clamp(1, 5)).ok()? - 1);
        let times = count.get(row).and_then(|count| u64::try_from(count).ok()).unwrap_or(0);
        match (place(labels.get(row)), place(predicted.get(row))) {
            (Some(label), Some(score)) => confusion.counts[label][score] += times,
            _ => confusion.unparsed += times,
        }
    }
    Ok(confusion)
}

fn flips(scores: &ScoreTable, boundary: f64, sheets: Vec<(String, ContactSheet)>) -> Result<Section> {
    let mut cases = cases::of(scores, boundary)?;
    let crossing = cases.iter().filter(|case| case.crosses()).count();
    let all = cases.len();
    // The report shows the worst; which these are is decided where it orders them, so hand it no more than it shows.
    cases.sort_by(|a, b| {
        let key = |case: &chart::TrajectoryScores| {
            let (success, failure) = case.verdicts();
            (case.crosses(), case.range().map_or(0.0, |(lo, hi)| hi - lo), success.min(failure))
        };
        let ((a0, a1, a2), (b0, b1, b2)) = (key(a), key(b));
        b0.cmp(&a0).then(b1.total_cmp(&a1)).then(b2.cmp(&a2))
    });
    cases.truncate(CASES);
    let shown = cases.len();
    let (some, of_all) = (number::count(crossing as u64), number::count(all as u64));
    let (some, laid_out) = match crossing {
        0 => ("None".to_owned(), "Those whose scores lie farthest apart are laid out here."),
        _ if crossing < shown => {
            (some, "They are laid out here, and after them those whose scores lie farthest apart.")
        }
        _ if crossing == shown => (some, "They are laid out here."),
        _ => (some, "Those that cross most are laid out here."),
    };
    let section = Section::new("Which trajectories flip, and on which words").text(format!(
        "{some} of {of_all} trajectories (counted once a model, over all wordings) cross the boundary. {laid_out}",
    ));
    Ok(section.cases(cases.into_iter().map(|scores| {
        let sheet = sheets.iter().find(|(id, _)| *id == scores.trajectory).map(|(_, sheet)| sheet.clone());
        let case = Case::new(scores);
        match sheet {
            Some(sheet) => case.sheet(sheet),
            None => case,
        }
    })))
}

fn facts(scores: &ScoreTable, models: &[String]) -> Result<Vec<(&'static str, String)>> {
    let mut facts = vec![("models", models.join(", "))];
    for (term, name) in [
        ("dataset", column::DATASET),
        ("frame rule", column::FRAME_RULE),
        ("prompt", column::PROMPT_VERSION),
        ("reader of replies", column::READER_VERSION),
    ] {
        let values = values(scores, name)?;
        if !values.is_empty() {
            facts.push((term, values.join(", ")));
        }
    }
    facts.push(("trajectories", number::count(trajectories(scores)? as u64)));
    facts.push(("rows", number::count(scores.len() as u64)));
    Ok(facts)
}

/// What is to be said of the simulated models in a score table, where there are any.
pub(super) fn simulated(scores: &ScoreTable) -> Result<Option<String>> {
    Ok(says_simulated(&values(scores, column::MODEL)?))
}

/// What is to be said of scores that no reply on the scale from 1 to 5 can have been, where there are any.
pub(super) fn off_the_scale(scores: &ScoreTable) -> Result<Option<String>> {
    let off =
        scores.frame().column(column::SCORE)?.f64()?.iter().flatten().filter(|s| !(1.0..=5.0).contains(s)).count();
    Ok((off > 0).then(|| {
        let scores = number::things(off, "score lies", "scores lie");
        format!(
            "{scores} outside 1 to 5; boundary, error and labels are on that scale: rescale them, or read with care"
        )
    }))
}

/// What is to be said of figures over several models, where they are not told apart by `by`.
pub(super) fn models_together(scores: &ScoreTable, by: &[String]) -> Result<Option<String>> {
    let models = values(scores, column::MODEL)?;
    let together = models.len() > 1 && !by.iter().any(|name| name == column::MODEL || name == column::CONFIG);
    Ok(together.then(|| {
        format!(
            "figures are over {} models together, n counts each trajectory once a model; --by model,{} tells them apart",
            models.len(),
            by.join(",")
        )
    }))
}

/// What is to be said of scores of frames that were taken by several rules, where there are any.
pub(super) fn rules_together(scores: &ScoreTable) -> Result<Option<String>> {
    let rules = values(scores, column::FRAME_RULE)?;
    Ok((rules.len() > 1).then(|| {
        format!(
            "the frames were taken by {} rules ({}): by --by frame_rule their scores are told apart",
            rules.len(),
            rules.join(", ")
        )
    }))
}

/// What is to be said of trajectories with several labels, where there are any: a label is the trajectory's own.
pub(super) fn labels_apart(scores: &ScoreTable) -> Result<Option<String>> {
    let frame = scores.frame();
    if frame.column(column::LABEL).is_err() {
        return Ok(None);
    }
    let trajectory = [column::DATASET, column::TRAJECTORY].into_iter().filter(|name| frame.column(name).is_ok());
    let label = || col(column::LABEL);
    let apart = frame
        .clone()
        .lazy()
        .group_by(trajectory.map(col).collect::<Vec<_>>())
        .agg([label().min().alias("least"), label().max().alias("greatest")])
        .filter(col("least").neq(col("greatest")))
        .collect()?
        .height();
    Ok((apart > 0).then(|| {
        let trajectories = number::things(apart, "trajectory has", "trajectories have");
        format!("{trajectories} several labels; each pair is held against the label in its own row")
    }))
}

/// What is to be said of trajectories with several original instructions, where there are any: they are several
/// trajectories, of datasets that have one name or none.
pub(super) fn originals_apart(scores: &ScoreTable) -> Result<Option<String>> {
    let frame = scores.frame();
    let of = [column::DATASET, column::TRAJECTORY].into_iter().filter(|name| frame.column(name).is_ok());
    let apart = scores
        .lazy()
        .filter(col(column::STRATEGY).eq(lit("original")))
        .group_by(of.map(col).collect::<Vec<_>>())
        .agg([col(column::INSTRUCTION).n_unique()])
        .filter(col(column::INSTRUCTION).gt(lit(1)))
        .collect()?
        .height();
    Ok((apart > 0).then(|| {
        let trajectories = number::things(apart, "trajectory has", "trajectories have");
        format!(
            "{trajectories} several original instructions: rows of two datasets, perhaps, that the column dataset does \
             not tell apart"
        )
    }))
}

/// The report is HTML, and its file must be named so: a browser goes by the name.
pub(super) fn check_name(file: &Path) -> Result<()> {
    let named =
        file.extension().is_some_and(|ending| ["html", "htm"].iter().any(|html| ending.eq_ignore_ascii_case(html)));
    if named {
        return Ok(());
    }
    Err(Error::usage(format!("the report is one HTML file, and {} is not named so", file.display()))
        .with_help("end the name in .html"))
}

fn says_simulated(models: &[String]) -> Option<String> {
    let simulated: Vec<&str> = models.iter().map(String::as_str).filter(|model| chart::is_simulated(model)).collect();
    (!simulated.is_empty()).then(|| {
        format!(
            "Simulated: {} answered from the true progress with made-up disturbance. These figures say nothing about a \
             real model.",
            simulated.join(", ")
        )
    })
}

fn warnings(scores: &ScoreTable, robustness: &Robustness, models: &[String]) -> Vec<String> {
    let mut warnings: Vec<String> = says_simulated(models).into_iter().collect();
    if scores.unparsed() > 0 {
        warnings.push(format!(
            "{} of {} replies gave no score; they are counted, and left out of every figure.",
            number::count(scores.unparsed() as u64),
            number::count(scores.len() as u64)
        ));
    }
    if robustness.by.iter().any(|name| name == "config") {
        warnings.push("A model was run under several settings; they are kept apart, by config.".to_owned());
    }
    if robustness.by.iter().any(|name| name == column::DATASET) {
        warnings.push("Several datasets were scored; they are kept apart, and each figure is of one.".to_owned());
    }
    warnings
}

/// How many trajectories there are. Datasets may have the same ids.
pub(super) fn trajectories(scores: &ScoreTable) -> Result<usize> {
    let frame = scores.frame();
    let of = [column::DATASET, column::TRAJECTORY].into_iter().filter(|name| frame.column(name).is_ok());
    Ok(scores.lazy().select(of.map(col).collect::<Vec<_>>()).unique(None, UniqueKeepStrategy::Any).collect()?.height())
}

/// The distinct texts of a column, sorted; none where it is not there.
fn values(scores: &ScoreTable, name: &str) -> Result<Vec<String>> {
    let Ok(column) = scores.frame().column(name) else { return Ok(Vec::new()) };
    let column = column.cast(&DataType::String)?;
    let values: BTreeSet<&str> = column.str()?.iter().flatten().collect();
    Ok(values.into_iter().map(str::to_owned).collect())
}

fn distinct(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut distinct: Vec<String> = Vec::new();
    for name in names {
        if !distinct.contains(&name) {
            distinct.push(name);
        }
    }
    distinct
}
