//! The figures, each a ratio of two sums over trajectories, so that one resample serves them all.

use super::cell::Cell;

/// A number, what it is over, and how sure it is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// The figure; `None` where it is over nothing.
    pub value: Option<f64>,
    /// How many trajectories or pairs it is over.
    pub n: u64,
    /// Lower and upper end of the confidence interval; `None` without resamples or with fewer than two trajectories.
    pub interval: Option<(f64, f64)>,
}

/// A figure of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Share of trajectories with scores on both sides of the boundary.
    CrossingRate,
    /// Share of pairs whose score and label lie on different sides of the boundary.
    FailureRate,
    /// Share of trajectories with at least one such pair.
    FailedTrajectories,
    /// Mean |score - label|.
    MeanError,
    /// Mean over trajectories of max - min.
    Range,
    /// Mean over trajectories of the standard deviation.
    Std,
}

/// The sums that the figures are ratios of, for one trajectory or for many.
pub(super) type Totals = [f64; 10];

const CAN_CROSS: usize = 0;
const CROSSED: usize = 1;
const LABELLED: usize = 2;
const FAILED: usize = 3;
const UNITS_LABELLED: usize = 4;
const UNITS_FAILED: usize = 5;
const ERROR: usize = 6;
const RANGE: usize = 7;
const HAS_STD: usize = 8;
const STD: usize = 9;

impl Metric {
    /// All, in the order of a row.
    pub const ALL: [Self; 6] =
        [Self::CrossingRate, Self::FailureRate, Self::FailedTrajectories, Self::MeanError, Self::Range, Self::Std];

    /// The name of its column.
    pub fn name(self) -> &'static str {
        match self {
            Self::CrossingRate => "crossing_rate",
            Self::FailureRate => "failure_rate",
            Self::FailedTrajectories => "failed_trajectories",
            Self::MeanError => "mean_error",
            Self::Range => "range",
            Self::Std => "std",
        }
    }

    /// The stem of the names of its n and of its interval: shorter for the rates.
    pub(super) fn stem(self) -> &'static str {
        match self {
            Self::CrossingRate => "crossing",
            Self::FailureRate => "failure",
            other => other.name(),
        }
    }

    /// Places of numerator and denominator in [`Totals`].
    pub(super) fn ratio(self) -> (usize, usize) {
        match self {
            Self::CrossingRate => (CROSSED, CAN_CROSS),
            Self::FailureRate => (FAILED, LABELLED),
            Self::FailedTrajectories => (UNITS_FAILED, UNITS_LABELLED),
            Self::MeanError => (ERROR, LABELLED),
            Self::Range => (RANGE, CAN_CROSS),
            Self::Std => (STD, HAS_STD),
        }
    }

    /// The figure of these sums; `None` over nothing.
    pub(super) fn of(self, totals: &[f64]) -> Option<f64> {
        let (over, under) = self.ratio();
        let (over, under) = (totals.get(over)?, totals.get(under)?);
        (*under > 0.0).then(|| over / under)
    }
}

/// Adds what one unit contributes; `failed` counts its pairs on the wrong side of `boundary`.
pub(super) fn add(totals: &mut Totals, cell: &Cell, boundary: f64, failed: u32, ddof: u8) {
    if let Some(crossed) = cell.crosses(boundary) {
        totals[CAN_CROSS] += 1.0;
        totals[CROSSED] += f64::from(u8::from(crossed));
    }
    totals[RANGE] += cell.range().unwrap_or(0.0);
    if let Some(std) = cell.std(ddof) {
        totals[HAS_STD] += 1.0;
        totals[STD] += std;
    }
    if cell.labelled > 0 {
        totals[LABELLED] += f64::from(cell.labelled);
        totals[FAILED] += f64::from(failed);
        totals[UNITS_LABELLED] += 1.0;
        totals[UNITS_FAILED] += f64::from(u8::from(failed > 0));
        totals[ERROR] += cell.error;
    }
}

/// Sums over trajectories.
pub(super) fn sum<const N: usize>(trajectories: &[[f64; N]]) -> [f64; N] {
    let mut all = [0.0; N];
    for trajectory in trajectories {
        for (all, one) in all.iter_mut().zip(trajectory) {
            *all += one;
        }
    }
    all
}
