//! The frame rule: which frames of a trajectory are kept. Integer arithmetic on presentation times, nothing else.
//!
//! At a rate of f frames a second, step k = 0, 1, 2, … keeps the frame with the greatest presentation time not after
//! `PTS0 + round(k / f / time_base)` ticks, where PTS0 is the first frame's; repeats are skipped, and the last frame is
//! appended. A limit of n keeps of that list the places `round(linspace(0, last, n))`. Both roundings go to the nearest
//! integer, halves to the even one, as numpy's do: a reward model has given another score where one program took the
//! floor and another rounded, so the rule's name is part of every score's record ([`rule_name`]).

use super::Sampling;
use crate::dataset::Span;
use crate::{Error, Result};

/// When the frames of a source are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeline {
    time_base: (u32, u32),
    pts: Vec<i64>,
    last_duration: i64,
}

/// The parts of a second that rates and times given as floating-point numbers are taken to.
const NANO: i128 = 1_000_000_000;

impl Timeline {
    /// A timeline from presentation times in ticks of `time_base.0 / time_base.1` seconds, in any order.
    ///
    /// `last_duration` is how long the last frame is shown, in ticks; 0 takes the usual distance between frames.
    ///
    /// # Errors
    /// Where there is no frame or the time base is not positive.
    pub fn new(time_base: (u32, u32), mut pts: Vec<i64>, last_duration: i64) -> Result<Self> {
        if time_base.0 == 0 || time_base.1 == 0 {
            return Err(Error::input("the time base is not positive"));
        }
        if pts.is_empty() {
            return Err(Error::input("there are no frames"));
        }
        pts.sort_unstable();
        Ok(Self { time_base, pts, last_duration })
    }

    /// A timeline of `count` frames at `rate_hz` frames a second from time 0.
    ///
    /// # Errors
    /// Where the rate is not a positive number or there is no frame.
    pub fn regular(count: u64, rate_hz: f64) -> Result<Self> {
        let rate = positive_nanos(rate_hz, "frame rate")?;
        // Nanoseconds, not frames, are the ticks: with a tick a frame, rounding would reach for later frames.
        let pts = (0..count)
            .map(|at| i64::try_from(divide_half_even(i128::from(at) * NANO * NANO, rate)).map_err(|_| too_long()))
            .collect::<Result<Vec<i64>>>()?;
        Self::new((1, 1_000_000_000), pts, 0)
    }

    /// Seconds a tick, as numerator and denominator.
    pub fn time_base(&self) -> (u32, u32) {
        self.time_base
    }

    /// The presentation times of all frames, in ticks, ascending.
    pub fn pts(&self) -> &[i64] {
        &self.pts
    }

    /// A number of ticks in seconds.
    pub fn seconds(&self, ticks: i64) -> f64 {
        // One rounding for all times that a program meets: products below 2^53 are exact.
        ticks as f64 * f64::from(self.time_base.0) / f64::from(self.time_base.1)
    }

    /// Seconds from the start of the first to the end of the last frame.
    pub fn duration_s(&self) -> f64 {
        let last = self.pts.last().copied().unwrap_or(0);
        let first = self.pts.first().copied().unwrap_or(0);
        self.seconds(last.saturating_sub(first).saturating_add(self.last_duration()))
    }

    /// The median distance between frames, in seconds.
    pub(super) fn usual_step_s(&self) -> f64 {
        self.seconds(self.usual_step())
    }

    fn last_duration(&self) -> i64 {
        if self.last_duration > 0 { self.last_duration } else { self.usual_step() }
    }

    /// The median distance between frames, in ticks; at least 1.
    fn usual_step(&self) -> i64 {
        let mut steps: Vec<i64> = self.pts.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).collect();
        let middle = steps.len() / 2;
        if steps.is_empty() {
            return self.last_duration.max(1);
        }
        (*steps.select_nth_unstable(middle).1).max(1)
    }

    /// `round(nanoseconds / time_base)`, halves to even.
    fn ticks(&self, nanoseconds: i128) -> Result<i64> {
        let (num, den) = self.time_base;
        let scaled = nanoseconds.checked_mul(i128::from(den)).ok_or_else(too_long)?;
        i64::try_from(divide_half_even(scaled, i128::from(num) * NANO)).map_err(|_| too_long())
    }

    /// The frames of a LeRobot episode: the frame nearest to `from_s` up to, not with, the one nearest to `to_s`.
    ///
    /// # Errors
    /// Where an end is further than half a frame from every frame, or nothing lies between them.
    pub fn span(&self, span: Span) -> Result<std::ops::Range<usize>> {
        let from = self.snap(span.from_s, "start", false)?;
        let to = self.snap(span.to_s, "end", true)?;
        if from >= to {
            return Err(Error::input(format!("no frame lies between {} s and {} s", span.from_s, span.to_s))
                .with_help("give a longer part, or leave its ends out for the whole file"));
        }
        Ok(from..to)
    }

    /// The place of the frame nearest to a time of the file; an end may also be the moment the last frame ends.
    fn snap(&self, at_s: f64, name: &str, is_end: bool) -> Result<usize> {
        let wanted =
            self.ticks(nanos(at_s).ok_or_else(|| Error::input(format!("the {name} of {at_s:?} s is no time")))?)?;
        let last = self.pts.last().copied().unwrap_or(0);
        let over = is_end.then(|| last.saturating_add(self.last_duration()));
        let time = |place: usize| self.pts.get(place).copied().or(over.filter(|_| place == self.pts.len()));
        let after = self.pts.partition_point(|pts| *pts < wanted);
        let nearest = [after.checked_sub(1), Some(after), over.map(|_| self.pts.len())]
            .into_iter()
            .flatten()
            .filter_map(|place| Some((time(place)?.abs_diff(wanted), place)))
            .min();
        match nearest {
            // Half of the usual step, in integers.
            Some((distance, place)) if distance.saturating_mul(2) <= self.usual_step().unsigned_abs() => Ok(place),
            Some((distance, place)) => Err(Error::input(format!(
                "the {name} at {at_s} s is {:.3} s from the nearest frame (at {:.3} s), more than half a frame",
                self.seconds(i64::try_from(distance).unwrap_or(i64::MAX)),
                self.seconds(time(place).unwrap_or(0)),
            ))),
            None => Err(Error::input("there are no frames")),
        }
    }

    /// The frames of `within` that the rule keeps, ascending.
    ///
    /// A window keeps the frames whose start lies in `from_s <= t < to_s`, in seconds from the first frame of `within`,
    /// and the rule then runs over them as over a trajectory of their own. A `max` of 1 keeps the first frame, which is
    /// what `linspace(0, last, 1)` gives.
    ///
    /// # Errors
    /// Where the sampling makes no sense, or no frame lies in its window.
    pub fn select(&self, within: std::ops::Range<usize>, sampling: &Sampling) -> Result<Vec<usize>> {
        let rate = positive_nanos(sampling.fps, "sampling rate")?;
        if sampling.max == Some(0) {
            return Err(Error::usage("a maximum of 0 frames leaves nothing to see"));
        }
        let window = self.window(within, sampling)?;
        let pts = self.pts.get(window.clone()).unwrap_or_default();
        let (Some(first), Some(last)) = (pts.first().copied(), pts.last().copied()) else {
            return Err(Error::input("there are no frames"));
        };
        let mut kept: Vec<usize> = Vec::new();
        let mut step: i128 = 0;
        let mut reached = 0;
        while reached < pts.len() {
            // k / f in nanoseconds would round twice: go to ticks in one division.
            let (num, den) = self.time_base;
            let up = step.checked_mul(NANO).and_then(|n| n.checked_mul(i128::from(den))).ok_or_else(too_long)?;
            let ticks = i64::try_from(divide_half_even(up, i128::from(num) * rate)).map_err(|_| too_long())?;
            let target = first.saturating_add(ticks);
            reached += pts[reached..].partition_point(|pts| *pts <= target);
            let place = reached - 1;
            if kept.last() != Some(&place) {
                kept.push(place);
            }
            if target >= last {
                break;
            }
            // Where the next frames are far away, so are the next steps that change anything: go to the last step that
            // is not after the next frame, so that a hole of years in a file's times costs nothing.
            let next = i128::from(pts[reached]) - i128::from(first);
            let skip = (next * i128::from(num)).checked_mul(rate).ok_or_else(too_long)? / (NANO * i128::from(den));
            step = (step + 1).max(skip - 1);
        }
        if kept.last() != Some(&(pts.len() - 1)) {
            kept.push(pts.len() - 1);
        }
        if let Some(max) = sampling.max {
            kept = down_sample(kept.len(), max).into_iter().map(|place| kept[place]).collect();
        }
        Ok(kept.into_iter().map(|place| window.start + place).collect())
    }

    fn window(&self, within: std::ops::Range<usize>, sampling: &Sampling) -> Result<std::ops::Range<usize>> {
        let pts = self.pts.get(within.clone()).unwrap_or_default();
        let Some(first) = pts.first().copied() else { return Err(Error::input("there are no frames")) };
        let place = |at_s: Option<f64>, name: &str, otherwise: usize| match at_s {
            None => Ok::<usize, Error>(otherwise),
            Some(at_s) => {
                let nanos = nanos(at_s)
                    .filter(|nanos| *nanos >= 0)
                    .ok_or_else(|| Error::usage(format!("{name} must be seconds from 0 on, not {at_s:?}")))?;
                let start = first.saturating_add(self.ticks(nanos)?);
                Ok(pts.partition_point(|pts| *pts < start))
            }
        };
        let from = place(sampling.from_s, "from", 0)?;
        let to = place(sampling.to_s, "to", pts.len())?;
        if from >= to {
            let last = pts.last().map_or(0.0, |last| self.seconds(last - first));
            let from = sampling.from_s.unwrap_or(0.0);
            let until = sampling.to_s.map_or(String::new(), |to| format!(" and before {to} s"));
            return Err(Error::usage(format!("no frame lies from {from} s on{until}"))
                .with_help(format!("the trajectory's last frame is at {last:.3} s")));
        }
        Ok(within.start + from..within.start + to)
    }
}

/// The places kept of a list of `length` when it is brought down to `n`: `round(linspace(0, length - 1, n))`, halves to
/// even, in exact arithmetic; all places where `length <= n`.
pub fn down_sample(length: usize, n: usize) -> Vec<usize> {
    if length <= n {
        return (0..length).collect();
    }
    let last = length.saturating_sub(1) as i128;
    let gaps = n.saturating_sub(1).max(1) as i128;
    (0..n).map(|at| usize::try_from(divide_half_even(at as i128 * last, gaps)).unwrap_or(0)).collect()
}

/// The rule's name, as the score table records it: `1fps+last;max=8;linspace-half-even`.
pub fn rule_name(sampling: &Sampling) -> String {
    let mut name = format!("{}fps+last", sampling.fps);
    if let Some(from) = sampling.from_s {
        name.push_str(&format!(";from={from}"));
    }
    if let Some(to) = sampling.to_s {
        name.push_str(&format!(";to={to}"));
    }
    if let Some(max) = sampling.max {
        name.push_str(&limit_name(max));
    }
    name
}

/// The part of a rule's name that tells of down-sampling.
pub(super) fn limit_name(max: usize) -> String {
    format!(";max={max};linspace-half-even")
}

fn too_long() -> Error {
    Error::input("its times are too far apart to count")
}

/// A number of seconds (or of anything a second) in billionths; `None` where it is no number or far too large.
fn nanos(value: f64) -> Option<i128> {
    (value.abs() < 1e12).then(|| (value * 1e9).round() as i128)
}

fn positive_nanos(rate_hz: f64, name: &str) -> Result<i128> {
    nanos(rate_hz).filter(|rate| *rate > 0).ok_or_else(|| match rate_hz > 0.0 {
        true => Error::usage(format!("a {name} of {rate_hz:?} frames a second is out of range"))
            .with_help("from 1e-9 to 1e12 can be counted; cameras give 5 to 60, and models are shown about 1"),
        false => Error::usage(format!("the {name} must be a positive number of frames a second, not {rate_hz:?}")),
    })
}

/// `round(numerator / denominator)` for a positive denominator, halves to the even neighbour.
fn divide_half_even(numerator: i128, denominator: i128) -> i128 {
    let floor = numerator.div_euclid(denominator);
    let rest = numerator.rem_euclid(denominator);
    match (rest * 2).cmp(&denominator) {
        std::cmp::Ordering::Less => floor,
        std::cmp::Ordering::Greater => floor + 1,
        std::cmp::Ordering::Equal => floor + (floor & 1),
    }
}
