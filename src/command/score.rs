//! `score`: every (trajectory, paraphrase, repeat) once.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use clap::Args;
use serde_json::json;

use super::options::Scoring;
use super::replaced::{self, Written};
use super::{Answer, Block, GO_ON, Session, interrupt};
use crate::Result;
use crate::dataset::Dataset;
use crate::display::{Cell, Column, Progress, Table, number};
use crate::scores::ScoreTable;
use crate::study::{self, Counts, Event, Outcome, Study};

/// Score every (trajectory, paraphrase, repeat) that the ledger has no reply to
#[derive(Debug, Args)]
pub(super) struct Score {
    /// RoboReward split, LeRobot dataset, manifest, folder of frames, or demo
    dataset: Option<String>,

    #[command(flatten)]
    scoring: Scoring,

    /// Score table to write (.parquet, .csv, .jsonl)
    #[arg(long, value_name = "FILE", default_value = "scores.parquet")]
    out: PathBuf,
}

impl Score {
    pub(super) fn run(&self, session: &Session) -> Result<Answer> {
        self.scoring.check_out(&self.out, self.dataset.as_deref())?;
        ScoreTable::check_writable(&self.out)?;
        let dataset = self.scoring.open(self.dataset.as_deref(), session)?;
        let (study, prices) = self.scoring.study(session, &dataset, false)?;
        // Of DATASET#ID the rest of the file is left out on purpose.
        if let Some(unused) = study.plan().unused_told().filter(|_| !self.is_part()) {
            session.progress.say(&format!("note: {unused}"));
        }
        let outcome = run(study, session)?;
        // A table without rows would take the place of one that has some.
        let whole = outcome.exit_status() == 0;
        let written = match outcome.scores.is_empty() {
            true => Ok(None),
            false => replaced::write(&outcome.scores, &self.out, whole).map(Some),
        };
        session.current.add_scores(&outcome.scores)?;
        let Counts { planned, cached, called, unparsed, failed, unknown, unspent, cost_usd } = outcome.counts;
        let mut answer = Answer::new(json!({
            "scores": written.as_ref().is_ok_and(Option::is_some).then_some(&self.out),
            "planned": planned, "cached": cached, "called": called, "unparsed": unparsed, "failed": failed,
            "unknown": unknown, "unspent": unspent, "cost_usd": cost_usd,
            "written": written.as_ref().is_ok_and(|written| written.as_ref().is_some_and(|written| !written.left)),
            "kept": written.as_ref().ok().and_then(|written| written.as_ref()?.kept.as_ref()),
        }));
        answer = answer.say(counted(&outcome.counts));
        if outcome.by_model.iter().any(|spend| spend.priced > 0) {
            answer = answer.show(Block::Table(spend(&outcome)));
        }
        answer = match &written {
            Ok(Some(Written { told, left: true, .. })) => answer.note(told.clone().unwrap_or_default()),
            Ok(Some(Written { told, .. })) => {
                let answer = answer.say(format!("scores: {}", self.out.display()));
                told.iter().fold(answer, |answer, told| answer.note(format!("note: {told}")))
            }
            Ok(None) if self.out.exists() => {
                answer.note(format!("no reply, so {} was left as it was", self.out.display()))
            }
            Ok(None) => answer.note("no reply, so no score table"),
            // The replies are what was paid for, and they are safe.
            Err(error) => answer.note(format!("error: {error}; the replies are in the ledger")),
        };
        for note in self.scoring.limit_notes(&prices) {
            answer = answer.note(format!("--max-cost: {note}"));
        }
        let mut answer = finish(answer, &outcome, session);
        if let Err(error) = written {
            if let Some(help) = error.help() {
                answer = answer.note(format!("  help: {help}"));
            }
            if answer.status == 0 {
                answer.status = 1;
                answer = go_on(answer, session);
            }
        }
        Ok(answer)
    }
}

impl Score {
    fn is_part(&self) -> bool {
        self.dataset.as_deref().is_some_and(|spec| Dataset::split_spec(spec).1.is_some())
    }
}

/// The line that goes on where this one ended.
fn go_on(answer: Answer, session: &Session) -> Answer {
    if session.typed.is_empty() { answer } else { answer.note(format!("{GO_ON}{}", session.typed)) }
}

/// Runs a study with the session's progress.
pub(super) fn run(study: Study, session: &Session) -> Result<Outcome> {
    if session.owns_interrupts {
        interrupt::listen(&session.cancel);
    }
    let _spending = session.spend();
    // Before any money is spent.
    if let Some(bare) = study.plan().bare_tasks_told() {
        session.progress.say(&format!("{bare}; scored by their original instruction alone"));
    }
    let teller = Arc::new(Teller { progress: Arc::clone(&session.progress), retries: AtomicU64::new(0) });
    study.progress(teller).run()
}

/// Adds to an answer what kept the study from being whole, and its status.
pub(super) fn finish(mut answer: Answer, outcome: &Outcome, session: &Session) -> Answer {
    /// Failures told one by one; the rest are counted.
    const TOLD: usize = 10;
    // What could not even be planned was named before the first call.
    let (bare, failures): (Vec<_>, Vec<_>) =
        outcome.failures.iter().partition(|failure| failure.trajectory.is_none() && failure.pairs == 0);
    for failure in failures.iter().take(TOLD) {
        let whose = match (&failure.trajectory, &failure.model) {
            (Some(trajectory), Some(model)) => format!("trajectory {trajectory}, {model}: "),
            // Without a model the frames were at fault, and the message says whose.
            _ => String::new(),
        };
        let pairs = match failure.pairs {
            0 => String::new(),
            1 => " (1 pair)".to_owned(),
            n => format!(" ({n} pairs)"),
        };
        answer = answer.note(format!("failed: {whose}{}{pairs}", failure.message));
    }
    if failures.len() > TOLD {
        answer = answer.note(format!("failed: {} more reasons", failures.len() - TOLD));
    }
    for note in &outcome.notes {
        answer = answer.note(note.clone());
    }
    if let Some(error) = &outcome.stopped {
        answer = answer.note(format!("stopped: {error}"));
        if let Some(help) = error.help() {
            answer = answer.note(format!("  help: {help}"));
        }
    }
    answer.status = outcome.exit_status();
    // It is no better next time, unless the file is.
    if !bare.is_empty() {
        answer = answer
            .note("not whole: the tasks without paraphrases, named at the start")
            .note("  help: add paraphrases of them to the file and score again: only those are called then");
    }
    let Counts { unknown, unspent, .. } = outcome.counts;
    // Frames that could not be had are tried again in any case.
    let passes = outcome.failures.iter().any(|failure| failure.passes);
    let left_alone = session.typed.contains("--no-resend");
    if outcome.stopped.is_some() || passes || unspent > 0 || unknown > 0 && !left_alone {
        answer = go_on(answer, session);
    } else if unknown > 0 {
        answer = answer.note("  help: without --no-resend the unknown ones are sent again; they may have been billed");
    }
    let refused = outcome.failures.iter().any(|failure| failure.model.is_some() && !failure.passes);
    if refused && !session.typed.contains("--retry") {
        let again =
            if session.typed.is_empty() { "--retry failed" } else { &format!("{} --retry failed", session.typed) };
        answer = answer.note(format!("what failed for good is asked again only with: {again}"));
    }
    answer
}

/// What is said when no more calls are sent.
pub(crate) fn stopping(in_flight: u64, billed: bool, reason: &str) -> String {
    match in_flight {
        0 => format!("stopping ({reason})"),
        n => {
            let calls = number::things(n as usize, "call", "calls");
            let price = if billed { ", they may be billed" } else { "" };
            format!("stopping ({reason}); waiting for {calls} under way (Ctrl-C again: not waiting{price})")
        }
    }
}

/// `416 pairs: 0 from the ledger, 410 called, 6 failed; 3 unparsed; $0.42`
fn counted(counts: &Counts) -> String {
    let mut line = format!(
        "{} planned: {} in the ledger before, {} called",
        number::things(counts.planned as usize, "pair", "pairs"),
        number::count(counts.cached),
        number::count(counts.called)
    );
    for (count, what) in [(counts.failed, "failed"), (counts.unknown, "unknown"), (counts.unspent, "left unspent")] {
        if count > 0 {
            line.push_str(&format!(", {} {what}", number::count(count)));
        }
    }
    line.push_str(&format!("; {} unparsed", number::count(counts.unparsed)));
    match counts.cost_usd {
        Some(cost) => line.push_str(&format!("; {}", number::dollars(cost))),
        None => line.push_str("; cost not told by the server"),
    }
    line
}

fn spend(outcome: &Outcome) -> Table {
    let mut table = Table::new([
        Column::text("model"),
        Column::number("calls"),
        Column::number("prompt tokens"),
        Column::number("cached"),
        Column::number("completion tokens"),
        Column::number("cost"),
    ]);
    for spend in &outcome.by_model {
        table.row([
            Cell::text(&spend.model),
            Cell::from(spend.calls),
            Cell::from(spend.prompt_tokens),
            Cell::from(spend.cached_share().map(|share| Cell::number(format!("{:.0} %", share * 100.0)))),
            Cell::from(spend.completion_tokens),
            if spend.priced > 0 { Cell::number(number::dollars(spend.cost_usd)) } else { Cell::missing() },
        ]);
    }
    table
}

/// Tells a front's progress what a study tells.
struct Teller {
    progress: Arc<dyn Progress>,
    /// Calls tried again so far.
    retries: AtomicU64,
}

impl Teller {
    /// The first of them is told, then the tenth, the hundredth, …: one that waits must know why, and not be drowned.
    fn retrying(&self, message: &str, wait_s: f64) {
        let count = self.retries.fetch_add(1, Ordering::Relaxed) + 1;
        if count.ilog10() > 0 && 10_u64.pow(count.ilog10()) != count {
            return;
        }
        if count == 1 || count.ilog10() > 0 {
            self.progress.say(&format!("trying again in {wait_s:.1} s ({count} so far): {message}"));
        }
    }
}

impl study::Progress for Teller {
    fn begin(&self, pairs: u64) {
        self.progress.begin(pairs, 0, "scoring");
    }

    fn advance(&self, event: &Event<'_>) {
        match event {
            Event::Cached { pairs, .. } | Event::Unknown { pairs, .. } => self.progress.advance(*pairs, ""),
            Event::Called { .. } => self.progress.advance(1, ""),
            Event::Failed { pairs, .. } => self.progress.advance(*pairs, ""),
            Event::Retrying { message, wait_s } => self.retrying(message, *wait_s),
            Event::Stopping { in_flight, billed, reason } => {
                self.progress.say(&stopping(*in_flight, *billed, reason));
            }
        }
    }

    fn end(&self, _counts: &Counts) {
        self.progress.end("");
    }
}
