//! Which of the scores at hand a figure is made of.

use std::collections::BTreeSet;

use polars::prelude::{DataType, col, lit};

use super::{Session, current};
use crate::scores::{ScoreTable, column};
use crate::{Error, Result};

/// Scores, and what is to be said of those left out.
pub(super) struct Figures {
    pub scores: ScoreTable,
    pub note: Option<String>,
    /// Those of other datasets.
    pub others: Option<ScoreTable>,
}

impl Figures {
    /// All of a table.
    pub(super) fn of(scores: ScoreTable) -> Self {
        Self { scores, note: None, others: None }
    }
}

/// The scores of the session that figures are made of: those of the open dataset. Figures over several datasets answer
/// no question that anyone has asked. Where none is open, or a table was read since, all of them; what is made of them
/// tells datasets apart.
pub(super) fn of_session(session: &Session) -> Result<Figures> {
    let scores = session.current.scores().ok_or_else(current::no_scores)?;
    let all = |note| Figures { scores: scores.clone(), note, others: None };
    let Some(open) = session.current.dataset() else { return Ok(all(None)) };
    let names = datasets(&scores);
    let others: Vec<&str> = names.iter().map(String::as_str).filter(|name| *name != open.name()).collect();
    let unnamed = scores.frame().column(column::DATASET).map_or(true, |names| names.null_count() > 0);
    if others.is_empty() {
        return Ok(all(None));
    }
    let list = others.join(", ");
    if others.len() == names.len() && !unnamed {
        if session.current.read_last() {
            return Ok(all(Some(format!("note: {} is open, and these are scores of {list}", open.name()))));
        }
        let there = if others == ["demo"] {
            "`:open demo` shows those of demo".to_owned()
        } else {
            format!("there are scores of {list}: `:open` that dataset")
        };
        return Err(Error::usage(format!("{} is open, and has no scores yet", open.name()))
            .with_help(format!("score it: `:score --model NAME`; {there}")));
    }
    let whose = || col(column::DATASET).eq_missing(lit(open.name())).or(col(column::DATASET).is_null());
    let part = |of| ScoreTable::from_frame_unique(scores.lazy().filter(of).collect()?);
    Ok(Figures {
        scores: part(whose())?,
        note: Some(format!(
            "note: of {} alone, which is open; there are scores of {list}, too: `:open` another dataset for its figures",
            open.name()
        )),
        others: Some(part(whose().not())?),
    })
}

/// Those of one dataset, by its name or as the open one was opened; of the session's where no name is that of one.
pub(super) fn of_dataset(name: &str, session: &Session) -> Result<Figures> {
    let scores = session.current.scores().ok_or_else(current::no_scores)?;
    if session.current.spec().as_deref() == Some(name) || !datasets(&scores).contains(name) {
        return of_session(session);
    }
    let scores = scores.lazy().filter(col(column::DATASET).eq(lit(name))).collect()?;
    Ok(Figures { scores: ScoreTable::from_frame_unique(scores)?, note: None, others: None })
}

/// The names of the datasets that rows are of.
pub(super) fn datasets(scores: &ScoreTable) -> BTreeSet<String> {
    values(scores, column::DATASET)
}

/// The texts of a column; none where it is not there.
pub(super) fn values(scores: &ScoreTable, name: &str) -> BTreeSet<String> {
    let names = scores.frame().column(name).and_then(|names| names.unique()?.cast(&DataType::String));
    let Ok(names) = names else { return BTreeSet::new() };
    names.str().into_iter().flat_map(|names| names.iter().flatten().map(str::to_owned).collect::<Vec<_>>()).collect()
}
