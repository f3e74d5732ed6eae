//! Trajectories with all their wordings, out of a score table.

use std::collections::HashMap;

use polars::prelude::*;

use super::Session;
use crate::chart::{ScorePoint, TrajectoryScores};
use crate::dataset::{Dataset, Label, OpenOptions, Trajectory};
use crate::display::{Sign, number};
use crate::error::nearest;
use crate::paraphrase::Strategy;
use crate::scores::{ScoreTable, column};
use crate::{Error, Result};

/// The wordings of every (model, config, trajectory), in the table's order; within one by strategy, then by score. Of
/// several repeats the first stands.
pub(super) fn of(scores: &ScoreTable, boundary: f64) -> Result<Vec<TrajectoryScores>> {
    let frame = scores.frame();
    let rows = Rows::of(frame)?;
    let mut places: HashMap<(&str, &str, &str, &str), usize> = HashMap::new();
    let mut cases: Vec<TrajectoryScores> = Vec::new();
    for row in 0..frame.height() {
        if rows.repeat(row) != 0 {
            continue;
        }
        let (model, trajectory) = (rows.model.text(row), rows.trajectory.text(row));
        let key = (model, rows.config.text(row), rows.dataset.text(row), trajectory);
        let strategy = Strategy::from(rows.strategy.text(row));
        let instruction = rows.instruction.text(row);
        let place = *places.entry(key).or_insert_with(|| {
            cases.push(TrajectoryScores {
                trajectory: trajectory.to_owned(),
                task: rows.task.text(row).to_owned(),
                model: model.to_owned(),
                config: rows.config.text(row).to_owned(),
                dataset: rows.dataset.text(row).to_owned(),
                label: rows.label(row),
                boundary,
                points: Vec::new(),
            });
            cases.len() - 1
        });
        if let Some(case) = cases.get_mut(place) {
            if case.task.is_empty() && strategy == Strategy::Original {
                instruction.clone_into(&mut case.task);
            }
            case.points.push(ScorePoint { strategy, instruction: instruction.to_owned(), score: rows.score.get(row) });
        }
    }
    for case in &mut cases {
        case.points.sort_by(|a, b| {
            a.strategy.cmp(&b.strategy).then(a.score.unwrap_or(0.0).total_cmp(&b.score.unwrap_or(0.0)))
        });
    }
    Ok(cases)
}

/// The model of a case as it is told from others among `all`: with its settings where it was run under several, with the
/// dataset where there are several.
pub(super) fn model_name(case: &TrajectoryScores, all: &[TrajectoryScores]) -> String {
    let mut apart = Vec::new();
    if all.iter().any(|other| other.model == case.model && other.config != case.config) {
        apart.push(format!("config {}", if case.config.is_empty() { "not known" } else { &case.config }));
    }
    if all.iter().any(|other| other.dataset != case.dataset) {
        apart.push(format!("dataset {}", if case.dataset.is_empty() { "not known" } else { &case.dataset }));
    }
    if apart.is_empty() { case.model.clone() } else { format!("{} ({})", case.model, apart.join(", ")) }
}

/// A text as JSON; null where there is none.
pub(super) fn known(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

/// What models replied to wordings, by [`reply_key`].
pub(super) type Replies = HashMap<ReplyKey, String>;

/// Model, config and dataset, then strategy and instruction.
pub(super) type ReplyKey = ([String; 3], Strategy, String);

/// The place of a wording in [`Replies`].
pub(super) fn reply_key(case: &TrajectoryScores, point: &ScorePoint) -> ReplyKey {
    let of = [case.model.clone(), case.config.clone(), case.dataset.clone()];
    (of, point.strategy.clone(), point.instruction.clone())
}

/// The replies about one trajectory; none where the table does not keep them. Of several repeats the first stands.
pub(super) fn replies(scores: &ScoreTable, trajectory: &str) -> Result<Replies> {
    let frame = scores.frame();
    let rows = Rows::of(frame)?;
    let mut replies = Replies::new();
    for row in (0..frame.height()).filter(|row| rows.trajectory.text(*row) == trajectory && rows.repeat(*row) == 0) {
        let reply = rows.reply.text(row);
        if !reply.is_empty() {
            let strategy = Strategy::from(rows.strategy.text(row));
            let of = [&rows.model, &rows.config, &rows.dataset].map(|column| column.text(row).to_owned());
            let key = (of, strategy, rows.instruction.text(row).to_owned());
            replies.entry(key).or_insert_with(|| reply.to_owned());
        }
    }
    Ok(replies)
}

/// The trajectory that rows are of: in the dataset that is open, where they name it, or in the demo, which is always
/// there. `None` where its dataset is elsewhere.
pub(super) fn trajectory(id: &str, scores: &ScoreTable, session: &Session) -> Result<Option<Trajectory>> {
    trajectory_of(id, dataset_of(scores, id)?.as_deref(), session)
}

/// The same, where the name of its dataset is known: the scores of another may have the same ids.
pub(super) fn trajectory_of(id: &str, name: Option<&str>, session: &Session) -> Result<Option<Trajectory>> {
    let open = session.current.dataset().filter(|open| name.is_none_or(|name| name == open.name()));
    let dataset = match (open, name) {
        (Some(open), _) => open,
        (None, Some("demo")) => Dataset::open("demo", &OpenOptions::default())?,
        (None, _) => return Ok(None),
    };
    Ok(dataset.iter().find(|trajectory| trajectory.id == id).cloned())
}

/// The dataset that the rows of a trajectory name.
fn dataset_of(scores: &ScoreTable, trajectory: &str) -> Result<Option<String>> {
    let rows = Rows::of(scores.frame())?;
    let row = (0..scores.len()).find(|row| rows.trajectory.text(*row) == trajectory);
    Ok(row.map(|row| rows.dataset.text(row).to_owned()).filter(|name| !name.is_empty()))
}

/// What stands before a wording in a table.
pub(super) fn sign(case: &TrajectoryScores, point: &ScorePoint) -> Sign {
    match point.score.map(|score| case.success(score)) {
        _ if case.flips(point) => Sign::Flip,
        None => Sign::Unparsed,
        Some(true) => Sign::Success,
        Some(false) => Sign::Failure,
    }
}

/// The verdicts of a case, counted, for the note below its table.
pub(super) fn verdict(case: &TrajectoryScores) -> String {
    let (success, failure) = case.verdicts();
    let flips = case.points.iter().filter(|point| case.flips(point)).count();
    let original = |point: &ScorePoint| point.strategy == Strategy::Original && point.score.is_some();
    // What flips are held against.
    let reference = if case.points.iter().any(original) { "the original instruction" } else { "the true progress" };
    format!(
        "{success} success, {failure} failure, {} unparsed (success: score above {}); {} the \
         verdict of {reference}.",
        case.unparsed(),
        number::chosen(case.boundary),
        number::things(flips, "wording flips", "wordings flip"),
    )
}

/// Refuses a boundary that no score can be held against.
pub(super) fn check_boundary(boundary: f64) -> Result<()> {
    if boundary.is_finite() {
        return Ok(());
    }
    Err(Error::usage(format!("the boundary {boundary} is not a number"))
        .with_help("give a score such as 3.5: success is a score above it"))
}

/// Refuses a model that has no scores.
pub(super) fn check_models(cases: &[TrajectoryScores], models: &[String]) -> Result<()> {
    check("model", models, cases.iter().map(|case| case.model.as_str()))
}

/// Leaves out paraphrases of other strategies than these, where there are any named; refuses one that has no scores.
pub(super) fn keep_strategies(cases: &mut [TrajectoryScores], strategies: &[String]) -> Result<()> {
    check("strategy", strategies, cases.iter().flat_map(|case| &case.points).map(|point| point.strategy.as_str()))?;
    if !strategies.is_empty() {
        let wanted: Vec<Strategy> = strategies.iter().map(|name| Strategy::from(name.as_str())).collect();
        for case in cases {
            case.points.retain(|point| point.strategy == Strategy::Original || wanted.contains(&point.strategy));
        }
    }
    Ok(())
}

fn check<'a>(what: &str, wanted: &[String], there: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut there: Vec<&str> = there.collect();
    there.sort_unstable();
    there.dedup();
    if let Some(name) = wanted.iter().find(|name| !there.contains(&name.as_str())) {
        let near = nearest(name, there.iter().copied());
        let help = match near.as_slice() {
            [] => format!("there are: {}", there.join(", ")),
            near => format!("did you mean {}?", near.join(" or ")),
        };
        return Err(Error::usage(format!("no scores of the {what} '{name}'")).with_help(help));
    }
    Ok(())
}

/// The id in the table that is meant: itself, as the open dataset understands it, or the only one that ends so.
pub(super) fn find(all: &[TrajectoryScores], wanted: &str, session: &Session) -> Result<String> {
    let has = |id: &str| all.iter().any(|case| case.trajectory == id);
    if has(wanted) {
        return Ok(wanted.to_owned());
    }
    if let Some(id) = session.current.dataset().and_then(|dataset| Some(dataset.get(wanted).ok()?.id.clone())) {
        return match has(&id) {
            true => Ok(id),
            false => Err(Error::usage(format!("{id} has no scores yet")).with_help(format!("score it: `:spot {id}`"))),
        };
    }
    let unpadded = wanted.trim_start_matches('0');
    if wanted.bytes().all(|byte| byte.is_ascii_digit()) && has(unpadded) {
        return Ok(unpadded.to_owned());
    }
    let mut ids: Vec<&str> = all.iter().map(|case| case.trajectory.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    let ending: Vec<&str> = ids.iter().copied().filter(|id| !wanted.is_empty() && id.ends_with(wanted)).collect();
    match ending[..] {
        [only] => Ok(only.to_owned()),
        [] => {
            let near = nearest(wanted, ids.iter().copied());
            let known = if near.is_empty() { ids.into_iter().take(8).collect() } else { near };
            Err(Error::usage(format!("no trajectory {wanted} among the scores"))
                .with_help(format!("there are: {}", known.join(", "))))
        }
        _ => Err(Error::usage(format!("{} trajectories end in {wanted}", ending.len()))
            .with_help(format!("name one of: {}", ending.into_iter().take(8).collect::<Vec<_>>().join(", ")))),
    }
}

/// The columns of a score table that a case is made of.
struct Rows {
    model: Texts,
    trajectory: Texts,
    strategy: Texts,
    instruction: Texts,
    task: Texts,
    config: Texts,
    dataset: Texts,
    reply: Texts,
    score: Float64Chunked,
    label: Option<Int64Chunked>,
    repeat: Option<Int64Chunked>,
}

/// A column of text; one that is not there is all empty.
struct Texts(Option<StringChunked>);

impl Texts {
    fn text(&self, row: usize) -> &str {
        self.0.as_ref().and_then(|column| column.get(row)).unwrap_or_default()
    }
}

impl Rows {
    fn of(frame: &DataFrame) -> Result<Self> {
        let cast = |name: &str, to: DataType| -> Result<Option<Column>> {
            Ok(match frame.column(name) {
                Ok(column) => Some(column.cast(&to)?),
                Err(_) => None,
            })
        };
        let texts = |name: &str| -> Result<Texts> {
            Ok(Texts(cast(name, DataType::String)?.map(|column| column.str().cloned()).transpose()?))
        };
        let whole = |name: &str| -> Result<Option<Int64Chunked>> {
            Ok(cast(name, DataType::Int64)?.map(|column| column.i64().cloned()).transpose()?)
        };
        Ok(Self {
            model: texts(column::MODEL)?,
            trajectory: texts(column::TRAJECTORY)?,
            strategy: texts(column::STRATEGY)?,
            instruction: texts(column::INSTRUCTION)?,
            task: texts(column::TASK)?,
            config: texts(column::CONFIG)?,
            dataset: texts(column::DATASET)?,
            reply: texts(column::REPLY)?,
            score: frame.column(column::SCORE)?.cast(&DataType::Float64)?.f64()?.clone(),
            label: whole(column::LABEL)?,
            repeat: whole(column::REPEAT)?,
        })
    }

    fn label(&self, row: usize) -> Option<Label> {
        Label::new(self.label.as_ref()?.get(row)?).ok()
    }

    fn repeat(&self, row: usize) -> i64 {
        self.repeat.as_ref().and_then(|column| column.get(row)).unwrap_or(0)
    }
}
