//! How the figures were made: what a reader must know before a rate means anything.

use super::text::{count, number};

/// The success boundary and the way the intervals were made; part of every chart's subtitle and of the report's prose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Method {
    /// Success is a score above this.
    pub boundary: f64,
    /// Level of the intervals, between 0 and 1.
    pub level: f64,
    /// Bootstrap resamples.
    pub resamples: u64,
    /// Seed of the bootstrap.
    pub seed: u64,
    /// Delta degrees of freedom of the standard deviation: 0 is the population form.
    pub ddof: u8,
}

impl Default for Method {
    /// The protocol's: boundary 3.5, 95 % intervals, 2,000 resamples, seed 0, population standard deviation.
    fn default() -> Self {
        Self { boundary: 3.5, level: 0.95, resamples: 2000, seed: 0, ddof: 0 }
    }
}

impl Method {
    /// `success: score above 3.5`.
    pub(super) fn boundary_text(&self) -> String {
        format!("success: score above {}", number(self.boundary))
    }

    /// `95 % intervals: bootstrap clustered by trajectory, 2,000 resamples, seed 0`.
    pub(super) fn interval_text(&self) -> String {
        format!(
            "{} intervals: percentile bootstrap clustered by trajectory, {} resamples, seed {}",
            self.level_text(),
            count(self.resamples),
            self.seed
        )
    }

    /// `95 %`.
    pub(super) fn level_text(&self) -> String {
        format!("{} %", number(self.level * 100.0))
    }

    /// What each number of a report means, as pairs of term and explanation.
    pub fn definitions(&self) -> Vec<(&'static str, String)> {
        let b = number(self.boundary);
        let form = match self.ddof {
            0 => "population form, ddof 0".to_owned(),
            ddof => format!("ddof {ddof}"),
        };
        vec![
            (
                "success boundary",
                format!(
                    "A score from 1 to 5 counts as success where it is above {b}, and as failure where it is not. The \
                     true progress of the trajectory is cut at the same place."
                ),
            ),
            (
                "score-crossing rate",
                "Share of trajectories that the model calls a success under one wording and a failure under another, \
                 the frames being the same. From 0 (the verdict never depends on wording) to 1. Over trajectories with \
                 at least two readable replies: a single reply cannot disagree with itself."
                    .to_owned(),
            ),
            (
                "failure rate",
                "Share of (trajectory, wording) pairs whose score and true progress lie on different sides of the \
                 boundary. Over readable replies to trajectories with a known true progress."
                    .to_owned(),
            ),
            (
                "mean error",
                "Mean distance, in points of the five-point scale, between score and true progress. Over the same pairs \
                 as the failure rate."
                    .to_owned(),
            ),
            (
                "range and standard deviation",
                format!(
                    "How far the scores of one trajectory spread over its wordings ({form}), averaged over trajectories \
                     with at least two readable replies."
                ),
            ),
            (
                "n",
                "What a figure is over: trajectories for crossing, range and standard deviation, (trajectory, wording) \
                 pairs for failure rate and error. A figure over nothing is shown as a dash, never as 0."
                    .to_owned(),
            ),
            (
                "intervals",
                format!(
                    "{} percentile intervals from a bootstrap that draws whole trajectories ({} resamples, seed {}), so \
                     that the wordings of one trajectory stay together.",
                    self.level_text(),
                    count(self.resamples),
                    self.seed
                ),
            ),
            (
                "unparsed",
                "A reply from which no single score could be read. It is counted and shown, and left out of every \
                 figure."
                    .to_owned(),
            ),
        ]
    }
}
