//! The circuit breaker of a server: calls wait while its circuit is open, and are failed at once when it has been down for
//! too long.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use super::circuit::{self, Circuit, LONGEST_PAUSE};

pub(super) struct Breaker {
    state: Mutex<State>,
    changed: Notify,
    /// After so long without an answer calls are failed at once instead of waiting.
    given_up_after: Duration,
}

#[derive(Default)]
struct State {
    circuit: Circuit,
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
            self.breaker.state().circuit.abandon();
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
        self.state().circuit.is_closed()
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
        match state.circuit.leave(now) {
            circuit::Leave::Go => Leave::Go(Pass { breaker: self, trial: false }),
            circuit::Leave::Trial => Leave::Go(Pass { breaker: self, trial: true }),
            circuit::Leave::Wait(_)
                if state.down_since.is_some_and(|since| now.duration_since(since) > self.given_up_after) =>
            {
                Leave::GivenUp
            }
            // While the trial is under way its outcome wakes the others; the time is for the case that it never ends.
            circuit::Leave::Wait(until) => Leave::Wait(until.unwrap_or(now + LONGEST_PAUSE)),
        }
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
        let was_open = state.circuit.answered();
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
        let now = Instant::now();
        let mut state = self.state();
        state.down_since.get_or_insert(now);
        let opened = state.circuit.failed(trial, now);
        drop(state);
        if opened {
            self.changed.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(patience: Duration) -> Breaker {
        let breaker = Breaker::new(patience);
        for _ in 0..circuit::FAILURES {
            breaker.pass_now().expect("closed until as many have failed").failed();
        }
        breaker
    }

    /// The pause is over.
    fn elapsed() -> Breaker {
        let breaker = broken(Duration::from_secs(60));
        let mut circuit = Circuit::default();
        circuit.open(false, Instant::now());
        breaker.state().circuit = circuit;
        breaker
    }

    #[test]
    fn an_abandoned_trial_lets_another_try() {
        let breaker = elapsed();
        let trial = breaker.pass_now().expect("a trial");
        assert!(breaker.pass_now().is_none(), "one at a time");
        drop(trial);
        assert!(breaker.pass_now().is_some());
    }

    #[tokio::test]
    async fn those_who_wait_go_on_when_the_trial_is_answered() {
        let breaker = elapsed();
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
