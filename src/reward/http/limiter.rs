//! How many calls at a time: as many as the server takes.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::{Semaphore, SemaphorePermit};

/// Additive increase, multiplicative decrease: the limit rises with every answer (by one each until the server first
/// pushes back, by one a round trip from then on) and halves when the server says "too many", once a round trip.
pub(super) struct Limiter {
    semaphore: Semaphore,
    state: Mutex<State>,
    most: usize,
}

struct State {
    limit: f64,
    /// Permits in the semaphore or handed out, less those owed.
    granted: usize,
    /// Permits handed out beyond the limit: taken away as they come back.
    owed: usize,
    last_cut: Option<Instant>,
}

/// Where the climb starts, where the user has not said how many the server takes.
pub(super) const FIRST: usize = 16;

impl Limiter {
    /// At most `most` at a time, at least one, and `first` of them to begin with.
    pub(super) fn new(most: usize, first: usize) -> Self {
        let most = most.clamp(1, Semaphore::MAX_PERMITS);
        let first = first.clamp(1, most);
        let state = State { limit: first as f64, granted: first, owed: 0, last_cut: None };
        Self { semaphore: Semaphore::new(first), state: Mutex::new(state), most }
    }

    /// Waits for a place, first come first served.
    pub(super) async fn place(&self) -> Place<'_> {
        // It is never closed.
        let permit = self.semaphore.acquire().await.ok();
        Place { limiter: self, permit, since: Instant::now() }
    }

    /// How many at a time just now.
    #[cfg(test)]
    pub(super) fn limit(&self) -> usize {
        self.state().limit as usize
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn raise(&self) {
        let mut state = self.state();
        let step = if state.last_cut.is_some() { 1.0 / state.limit } else { 1.0 };
        state.limit = (state.limit + step).min(self.most as f64);
        while state.granted < state.limit as usize {
            state.granted += 1;
            if state.owed > 0 {
                state.owed -= 1;
            } else {
                self.semaphore.add_permits(1);
            }
        }
    }

    fn cut(&self, sent: Instant) {
        let mut state = self.state();
        // Calls that were sent before the last cut tell of the limit that was cut already.
        if state.last_cut.is_some_and(|cut| sent <= cut) {
            return;
        }
        state.last_cut = Some(Instant::now());
        state.limit = (state.limit / 2.0).max(1.0);
        let surplus = state.granted - state.limit as usize;
        let idle = self.semaphore.forget_permits(surplus);
        state.owed += surplus - idle;
        state.granted -= surplus;
    }
}

/// A place among the calls at a time.
pub(super) struct Place<'a> {
    limiter: &'a Limiter,
    permit: Option<SemaphorePermit<'a>>,
    since: Instant,
}

impl Place<'_> {
    /// The server answered.
    pub(super) fn answered(&self) {
        self.limiter.raise();
    }

    /// The server said "too many".
    pub(super) fn too_many(&self) {
        self.limiter.cut(self.since);
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut state = self.limiter.state();
        if state.owed > 0 {
            state.owed -= 1;
            if let Some(permit) = self.permit.take() {
                permit.forget();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn it_climbs_to_its_most_while_all_is_well() {
        let limiter = Limiter::new(24, FIRST);
        assert_eq!(limiter.limit(), 16);
        for _ in 0..30 {
            limiter.place().await.answered();
        }
        assert_eq!(limiter.limit(), 24);
    }

    #[tokio::test]
    async fn it_halves_once_a_round_trip() {
        let limiter = Limiter::new(64, 64);
        let mut places = Vec::new();
        for _ in 0..64 {
            places.push(limiter.place().await);
        }
        // All 64 were sent under the old limit: they tell of one overload.
        places.iter().for_each(Place::too_many);
        assert_eq!(limiter.limit(), 32);
        drop(places);
        let one = limiter.place().await;
        one.too_many();
        assert_eq!(limiter.limit(), 16);
    }

    #[tokio::test]
    async fn after_a_cut_no_more_than_the_limit_are_let_in() {
        let limiter = Limiter::new(8, FIRST);
        let mut places = Vec::new();
        for _ in 0..8 {
            places.push(limiter.place().await);
        }
        places[0].too_many();
        assert_eq!(limiter.limit(), 4);
        // Four places are owed: as many come back without letting anyone in.
        for _ in 0..4 {
            places.pop();
            assert_eq!(limiter.semaphore.available_permits(), 0);
        }
        places.pop();
        assert_eq!(limiter.semaphore.available_permits(), 1);
        drop(places);
        assert_eq!(limiter.semaphore.available_permits(), 4);
    }

    #[tokio::test]
    async fn after_a_cut_it_climbs_by_one_a_round_trip() {
        let limiter = Limiter::new(64, FIRST);
        limiter.place().await.too_many();
        assert_eq!(limiter.limit(), 8);
        for _ in 0..9 {
            limiter.place().await.answered();
        }
        assert_eq!(limiter.limit(), 9);
    }

    #[tokio::test]
    async fn it_never_falls_below_one() {
        let limiter = Limiter::new(1, FIRST);
        limiter.place().await.too_many();
        limiter.place().await.too_many();
        assert_eq!(limiter.limit(), 1);
        drop(limiter.place().await);
    }
}
