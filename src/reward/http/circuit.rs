//! A circuit: what fails again and again is left alone for a while, then tried with one call.

use std::time::{Duration, Instant};

/// Failures in a row that open it.
pub(super) const FAILURES: u32 = 8;

/// How long it stays open, the first time; doubled each time the trial call fails.
pub(super) const FIRST_PAUSE: Duration = Duration::from_secs(1);

/// How long it stays open, at most.
pub(super) const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// Closed while all is well, open after [`FAILURES`] in a row. When its pause is over, one call at a time is the trial:
/// answered, it closes the circuit, failed, it opens it for twice as long.
#[derive(Debug, Default)]
pub(super) struct Circuit {
    failures: u32,
    open_until: Option<Instant>,
    opened: u32,
    trying: bool,
}

/// What a call may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leave {
    /// Go ahead.
    Go,
    /// Go ahead as the trial: its outcome, or that there is none, is to be told.
    Trial,
    /// Not before then; `None` while the trial is under way.
    Wait(Option<Instant>),
}

impl Circuit {
    pub(super) fn is_closed(&self) -> bool {
        self.open_until.is_none()
    }

    pub(super) fn leave(&mut self, now: Instant) -> Leave {
        match self.open_until {
            None => Leave::Go,
            Some(_) if self.trying => Leave::Wait(None),
            Some(until) if now < until => Leave::Wait(Some(until)),
            Some(_) => {
                self.trying = true;
                Leave::Trial
            }
        }
    }

    /// Whether this ended a pause.
    pub(super) fn answered(&mut self) -> bool {
        let was_open = self.open_until.is_some();
        *self = Self::default();
        was_open
    }

    /// Whether this opened it.
    pub(super) fn failed(&mut self, trial: bool, now: Instant) -> bool {
        self.failures = self.failures.saturating_add(1);
        if trial {
            self.trying = false;
        }
        let opens = trial || self.failures >= FAILURES && self.open_until.is_none();
        if opens {
            let pause = FIRST_PAUSE.saturating_mul(1 << self.opened.min(6)).min(LONGEST_PAUSE);
            self.opened = self.opened.saturating_add(1);
            self.open_until = Some(now + pause);
        }
        opens
    }

    /// Opens it for so long, whatever came before.
    pub(super) fn open(&mut self, trial: bool, until: Instant) {
        if trial {
            self.trying = false;
        }
        self.open_until = Some(self.open_until.map_or(until, |before| before.max(until)));
    }

    /// The trial ended without telling anything: another may try.
    pub(super) fn abandon(&mut self) {
        self.trying = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(now: Instant) -> Circuit {
        let mut circuit = Circuit::default();
        for _ in 1..FAILURES {
            assert!(!circuit.failed(false, now));
        }
        assert!(circuit.failed(false, now));
        circuit
    }

    #[test]
    fn failures_in_a_row_open_it_and_an_answer_between_does_not() {
        let now = Instant::now();
        let mut circuit = Circuit::default();
        for _ in 0..3 {
            for _ in 1..FAILURES {
                circuit.failed(false, now);
            }
            circuit.answered();
        }
        assert!(circuit.is_closed() && circuit.leave(now) == Leave::Go);
        assert!(!opened(now).is_closed());
    }

    #[test]
    fn one_trial_at_a_time_goes_through_and_its_answer_closes_it() {
        let now = Instant::now();
        let mut circuit = opened(now);
        assert_eq!(circuit.leave(now), Leave::Wait(Some(now + FIRST_PAUSE)));
        assert_eq!(circuit.leave(now + FIRST_PAUSE), Leave::Trial);
        assert_eq!(circuit.leave(now + FIRST_PAUSE), Leave::Wait(None), "the trial is under way");
        circuit.abandon();
        assert_eq!(circuit.leave(now + FIRST_PAUSE), Leave::Trial, "an abandoned trial lets another try");
        assert!(circuit.answered() && circuit.is_closed());
    }

    #[test]
    fn a_trial_that_fails_opens_it_for_twice_as_long_up_to_the_longest() {
        let mut now = Instant::now();
        let mut circuit = opened(now);
        for seconds in [1, 2, 4, 8, 16, 32, 60, 60] {
            let until = now + Duration::from_secs(seconds);
            assert_eq!(circuit.leave(now), Leave::Wait(Some(until)));
            now = until;
            assert_eq!(circuit.leave(now), Leave::Trial);
            assert!(circuit.failed(true, now));
        }
    }
}
