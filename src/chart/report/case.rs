//! One trajectory in a report: its frames, its scores, and the wordings that flip the verdict.

use super::ContactSheet;
use crate::chart::TrajectoryScores;
use crate::chart::text::{count, number};

/// A trajectory whose wordings are laid out in a report.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    pub(super) scores: TrajectoryScores,
    pub(super) sheet: Option<ContactSheet>,
}

impl Case {
    /// A trajectory by its scores.
    pub fn new(scores: TrajectoryScores) -> Self {
        Self { scores, sheet: None }
    }

    /// With its frames.
    #[must_use]
    pub fn sheet(mut self, sheet: ContactSheet) -> Self {
        self.sheet = Some(sheet);
        self
    }

    /// What happened, in a sentence or two.
    pub(super) fn summary(&self) -> String {
        let scores = &self.scores;
        let (success, failure) = scores.verdicts();
        let mut text = match scores.range() {
            None => "No reply could be read.".to_owned(),
            Some((lo, hi)) if lo == hi => {
                let verdict = if success > 0 { "success" } else { "failure" };
                format!("Scored {} under every wording: always {verdict}.", number(lo))
            }
            Some((lo, hi)) => format!(
                "Scored from {} to {} by wording alone: {} success, {} failure.",
                number(lo),
                number(hi),
                count(success),
                count(failure)
            ),
        };
        if let Some(label) = scores.label {
            let side = if scores.success(f64::from(label.get())) { "success" } else { "failure" };
            text.push_str(&format!(" True progress {label} ({side})."));
        }
        if scores.unparsed() > 0 {
            text.push_str(&format!(" {} unparsed.", count(scores.unparsed())));
        }
        text
    }
}

/// Those whose verdict depends on wording come first; of these those with the widest range of scores, then those nearest to
/// an even split of verdicts; then by id.
pub(super) fn worst_first(cases: impl IntoIterator<Item = Case>) -> Vec<Case> {
    let mut cases: Vec<Case> = cases.into_iter().collect();
    cases.sort_by(|a, b| {
        let key = |case: &Case| {
            let (success, failure) = case.scores.verdicts();
            let range = case.scores.range().map_or(-1.0, |(lo, hi)| hi - lo);
            let minority = success.min(failure) as f64 / (success + failure).max(1) as f64;
            (case.scores.crosses(), range, minority)
        };
        let ((a_crosses, a_range, a_minority), (b_crosses, b_range, b_minority)) = (key(a), key(b));
        b_crosses
            .cmp(&a_crosses)
            .then(b_range.total_cmp(&a_range))
            .then(b_minority.total_cmp(&a_minority))
            .then_with(|| a.scores.trajectory.cmp(&b.scores.trajectory))
    });
    cases
}
