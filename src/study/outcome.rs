//! What a study came to.

use super::ledger::Spend;
use crate::Error;
use crate::scores::ScoreTable;

/// How many of the planned pairs ended how. A pair is one call: (model, trajectory, text, repeat).
///
/// `planned = cached + called + failed + unknown + unspent`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    /// Pairs of the plan, over all models.
    pub planned: u64,
    /// Answered before this run, or by another one meanwhile.
    pub cached: u64,
    /// Answered by this run.
    pub called: u64,
    /// Of the answered ones, those whose reply gives no score.
    pub unparsed: u64,
    /// Failed.
    pub failed: u64,
    /// Sent, and it is not known what came of it.
    pub unknown: u64,
    /// Not sent: the budget was used up, or the run was stopped.
    pub unspent: u64,
    /// Dollars that this run spent; `None` where calls were made and no reply told its cost.
    pub cost_usd: Option<f64>,
}

/// Pairs that failed for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The trajectory's id; `None` where the failure is the plan's.
    pub trajectory: Option<String>,
    /// The model's name; `None` where no model was asked.
    pub model: Option<String>,
    /// One line.
    pub message: String,
    /// How many pairs; 0 where they could not even be planned.
    pub pairs: u64,
    /// Whether the same study, run again, tries them again: the fault may pass, and cost nothing.
    pub passes: bool,
}

/// What a study came to.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How many pairs ended how.
    pub counts: Counts,
    /// What this run spent, by model in the order given.
    pub by_model: Vec<Spend>,
    /// Why pairs failed, in the plan's order.
    pub failures: Vec<Failure>,
    /// Why the run ended before its time: the user, a server that refuses all, a ledger that cannot be written.
    pub stopped: Option<Error>,
    /// What the models say of the run, a line each.
    pub notes: Vec<String>,
    /// The rows of the plan that have a reply, whichever run got it.
    pub scores: ScoreTable,
}

impl Outcome {
    /// Every planned pair has a reply, and all that was wanted could be planned.
    pub fn is_complete(&self) -> bool {
        let Counts { failed, unknown, unspent, .. } = self.counts;
        self.stopped.is_none() && self.failures.is_empty() && failed + unknown + unspent == 0
    }

    /// 0 complete, 130 interrupted, 1 else.
    pub fn exit_status(&self) -> u8 {
        match &self.stopped {
            Some(error) if error.is_interrupted() => 130,
            _ if self.is_complete() => 0,
            _ => 1,
        }
    }
}
