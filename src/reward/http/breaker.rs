//! A circuit breaker: a server that fails again and again is left alone for a while, then tried with one call.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

/// Failures in a row that open it.
const FAILURES: u32 = 8;

/// How long it stays open, the first time; doubled each time the trial call fails.
const FIRST_PAUSE: Duration = Duration::from_secs(1);

/// How long it stays open, at most.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

pub(super) struct Breaker {
    state: Mutex<State>,
    changed: Notify,
    /// After so long without an answer calls are failed at once instead of waiting.
    given_up_after: Duration,
}

#[derive(Default)]
struct State {
    failures: u32,
    open_until: Option<Instant>,
    opened: u32,
    trying: bool,
    down_since: Option<Instant>,
    /// The server has said "too many" since then, and answered nothing.
    pressed_since: Option<Instant>,
    /// The server asked for a pause (`Retry-After`): no failure, but nothing is sent until then.
    paused_until: Option<Instant>,
}

/// What a call may do.
enum Leave<'a> {
    /// Go ahead.
    Go(Pass<'a>),
    /// Wait until then, or until something changes.
    Wait(Instant),
    /// Not at all: the server has been down too long.
    GivenUp,
}

/// Leave to send one call. Dropped without an outcome, it is as if it had never been given.
pub(super) struct Pass<'a> {
    breaker: &'a Breaker,
    /// The trial of an open breaker, for whose outcome everyone else waits.
    trial: bool,
}

impl Pass<'_> {
    /// The server answered, were it with a refusal.
    pub(super) fn answered(mut self) {
        self.trial = false;
        self.breaker.answered();
    }

    /// The server said "too many": it is up, but where it says nothing else for too long, it is given up like one that is
    /// not.
    pub(super) fn pressed(mut self) {
        self.trial = false;
        self.breaker.pressed();
    }

    /// The server failed: no connection, no answer, a 5xx.
    pub(super) fn failed(mut self) {
        self.breaker.failed(std::mem::take(&mut self.trial));
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        if self.trial {
            self.breaker.state().trying = false;
            self.breaker.changed.notify_waiters();
        }
    }
}

impl Breaker {
    pub(super) fn new(given_up_after: Duration) -> Self {
        Self { state: Mutex::default(), changed: Notify::new(), given_up_after }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether calls go through at present.
    pub(super) fn is_closed(&self) -> bool {
        self.state().open_until.is_none()
    }

    /// Waits for leave to send; `None` where the server has been down too long.
    pub(super) async fn pass(&self) -> Option<Pass<'_>> {
        loop {
            // Heard from here on, so that no change between the look and the wait is missed.
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            match self.leave() {
                Leave::Go(pass) => return Some(pass),
                Leave::GivenUp => return None,
                Leave::Wait(until) => {
                    // Either way the state is looked at again.
                    let _ = tokio::time::timeout_at(until.into(), changed).await;
                }
            }
        }
    }

    /// Leave to send, where it can be had without waiting.
    pub(super) fn pass_now(&self) -> Option<Pass<'_>> {
        match self.leave() {
            Leave::Go(pass) => Some(pass),
            Leave::Wait(_) | Leave::GivenUp => None,
        }
    }

    fn leave(&self) -> Leave<'_> {
        let now = Instant::now();
        let mut state = self.state();
        if let Some(until) = state.paused_until {
            if now + self.given_up_after < until {
                return Leave::GivenUp;
            }
            if now < until {
                return Leave::Wait(until);
            }
            state.paused_until = None;
        }
        if state.pressed_since.is_some_and(|since| now.duration_since(since) > self.given_up_after) {
            return Leave::GivenUp;
        }
        let Some(until) = state.open_until else { return Leave::Go(Pass { breaker: self, trial: false }) };
        if now >= until && !state.trying {
            state.trying = true;
            return Leave::Go(Pass { breaker: self, trial: true });
        }
        if state.down_since.is_some_and(|since| now.duration_since(since) > self.given_up_after) {
            return Leave::GivenUp;
        }
        // While the trial is under way its outcome wakes the others; the time is for the case that it never ends.
        Leave::Wait(if state.trying { now + LONGEST_PAUSE } else { until })
    }

    /// What is left of a pause that is longer than calls are waited for.
    pub(super) fn long_pause(&self) -> Option<Duration> {
        let left = self.state().paused_until?.checked_duration_since(Instant::now())?;
        (left > self.given_up_after).then_some(left)
    }

    /// Nothing is to be sent for so long.
    pub(super) fn pause(&self, pause: Duration) {
        // A server that asks for centuries is not the reason to fall over.
        let until = Instant::now() + pause.min(Duration::from_secs(366 * 24 * 3600));
        let mut state = self.state();
        state.paused_until = Some(state.paused_until.map_or(until, |before| before.max(until)));
    }

    fn answered(&self) {
        let mut state = self.state();
        let paused_until = state.paused_until;
        let was_open = state.open_until.is_some();
        *state = State { paused_until, ..State::default() };
        drop(state);
        if was_open {
            self.changed.notify_waiters();
        }
    }

    fn pressed(&self) {
        let since = self.state().pressed_since;
        self.answered();
        self.state().pressed_since = Some(since.unwrap_or_else(Instant::now));
    }

    fn failed(&self, trial: bool) {
        let mut state = self.state();
        state.failures = state.failures.saturating_add(1);
        state.down_since.get_or_insert_with(Instant::now);
        if trial {
            state.trying = false;
        }
        if trial || state.failures >= FAILURES && state.open_until.is_none() {
            let pause = FIRST_PAUSE.saturating_mul(1 << state.opened.min(6)).min(LONGEST_PAUSE);
            state.opened = state.opened.saturating_add(1);
            state.open_until = Some(Instant::now() + pause);
            drop(state);
            self.changed.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(patience: Duration) -> Breaker {
        let breaker = Breaker::new(patience);
        for _ in 0..FAILURES {
            breaker.pass_now().expect("closed until as many have failed").failed();
        }
        breaker
    }

    /// The pause is over.
    fn elapse(breaker: &Breaker) {
        breaker.state().open_until = Some(Instant::now());
    }

    #[test]
    fn failures_in_a_row_open_it_and_an_answer_between_does_not() {
        let breaker = Breaker::new(Duration::from_secs(60));
        for _ in 0..3 {
            for _ in 0..FAILURES - 1 {
                breaker.pass_now().expect("closed").failed();
            }
            breaker.pass_now().expect("closed").answered();
        }
        assert!(breaker.is_closed());
        assert!(!broken(Duration::from_secs(60)).is_closed());
    }

    #[test]
    fn one_trial_at_a_time_goes_through_and_its_answer_closes_it() {
        let breaker = broken(Duration::from_secs(60));
        assert!(breaker.pass_now().is_none());
        elapse(&breaker);
        let trial = breaker.pass_now().expect("a trial");
        assert!(breaker.pass_now().is_none(), "the trial is under way");
        trial.answered();
        assert!(breaker.is_closed() && breaker.pass_now().is_some());
    }

    #[test]
    fn a_trial_that_fails_opens_it_for_twice_as_long() {
        let breaker = broken(Duration::from_secs(60));
        elapse(&breaker);
        breaker.pass_now().expect("a trial").failed();
        let open_until = breaker.state().open_until.expect("open");
        assert!(open_until.duration_since(Instant::now()) > FIRST_PAUSE);
    }

    #[test]
    fn an_abandoned_trial_lets_another_try() {
        let breaker = broken(Duration::from_secs(60));
        elapse(&breaker);
        drop(breaker.pass_now().expect("a trial"));
        assert!(breaker.pass_now().is_some());
    }

    #[tokio::test]
    async fn those_who_wait_go_on_when_the_trial_is_answered() {
        let breaker = broken(Duration::from_secs(60));
        elapse(&breaker);
        let trial = breaker.pass_now().expect("a trial");
        let (passed, ()) = tokio::join!(breaker.pass(), async { trial.answered() });
        assert!(passed.is_some());
    }

    #[tokio::test]
    async fn a_server_that_stays_down_is_given_up() {
        assert!(broken(Duration::ZERO).pass().await.is_none());
    }

    #[test]
    fn a_server_that_says_nothing_but_too_many_is_given_up_and_an_answer_between_counts() {
        let breaker = Breaker::new(Duration::ZERO);
        breaker.pass_now().expect("closed").pressed();
        breaker.state().pressed_since = Instant::now().checked_sub(Duration::from_secs(1));
        assert!(matches!(breaker.leave(), Leave::GivenUp) && breaker.is_closed());
        let patient = Breaker::new(Duration::from_secs(60));
        patient.pass_now().expect("closed").pressed();
        patient.pass_now().expect("let through").answered();
        assert!(patient.state().pressed_since.is_none());
    }

    #[test]
    fn a_pause_that_the_server_asked_for_is_no_failure() {
        let breaker = Breaker::new(Duration::from_secs(60));
        breaker.pause(Duration::from_secs(3600));
        breaker.pause(Duration::from_secs(1));
        assert!(breaker.is_closed());
        assert!(matches!(breaker.leave(), Leave::GivenUp), "the longer pause holds, and nobody waits for it");
        assert!(breaker.long_pause().is_some_and(|left| left > Duration::from_secs(3000)));
        let patient = Breaker::new(Duration::from_secs(7200));
        patient.pause(Duration::from_secs(3600));
        let Leave::Wait(until) = patient.leave() else { panic!("paused") };
        assert!(until.duration_since(Instant::now()) > Duration::from_secs(3000));
        assert!(patient.long_pause().is_none());
    }
}
