//! Work on all cores whose results are taken in order.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::Result;

/// Does `work` for each of `0..count` on all cores and hands the results to `take` in order, one at a time.
///
/// `work` is given what its thread keeps from one to the next. No more than `ahead` a thread are under way or wait to be
/// taken; nobody waits for the slowest of a batch. It ends with the first error in order, whichever came first in time.
///
/// The threads are its own: one of a pool that waits here might hold up beneath it the very work that is waited for.
pub(super) fn in_order<T: Send, S: Default>(
    count: usize,
    ahead: usize,
    work: impl Fn(&mut S, usize) -> Result<T> + Sync,
    take: impl FnMut(T) + Send,
) -> Result<()> {
    let threads = rayon::current_num_threads().clamp(1, count.max(1));
    let queue = Queue {
        count,
        ahead: ahead * threads,
        state: Mutex::new(State { started: 0, taken: 0, done: BTreeMap::new(), take: Some(take), ended: None }),
        changed: Condvar::new(),
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|| queue.serve(&work));
        }
        queue.serve(&work);
    });
    queue.state.into_inner().unwrap_or_else(PoisonError::into_inner).ended.unwrap_or(Ok(()))
}

struct Queue<T, F> {
    count: usize,
    ahead: usize,
    state: Mutex<State<T, F>>,
    changed: Condvar,
}

struct State<T, F> {
    /// How many were started, and how many of them were taken.
    started: usize,
    taken: usize,
    /// What waits to be taken.
    done: BTreeMap<usize, Result<T>>,
    /// Who takes; none while somebody takes with it.
    take: Option<F>,
    /// Why no more is to be done before all is.
    ended: Option<Result<()>>,
}

impl<T, F: FnMut(T)> Queue<T, F> {
    fn serve<S: Default>(&self, work: &impl Fn(&mut S, usize) -> Result<T>) {
        let _guard = EndOnPanic(self);
        let mut kept = S::default();
        let mut state = self.hold();
        while state.ended.is_none() && state.taken < self.count {
            let next = state.taken;
            if state.take.is_some()
                && let Some(result) = state.done.remove(&next)
                && let Some(mut take) = state.take.take()
            {
                drop(state);
                let outcome = result.map(&mut take);
                state = self.hold();
                state.take = Some(take);
                state.taken += 1;
                if let Err(error) = outcome {
                    state.ended = Some(Err(error));
                }
                self.changed.notify_all();
            } else if state.started < self.count && state.started < state.taken + self.ahead {
                let place = state.started;
                state.started += 1;
                drop(state);
                let result = work(&mut kept, place);
                state = self.hold();
                state.done.insert(place, result);
                self.changed.notify_all();
            } else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }
}

impl<T, F> Queue<T, F> {
    fn hold(&self) -> MutexGuard<'_, State<T, F>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lets the others go when one of them panics: what it had at hand will never come.
struct EndOnPanic<'a, T, F>(&'a Queue<T, F>);

impl<T, F> Drop for EndOnPanic<'_, T, F> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.hold().ended = Some(Ok(()));
            self.0.changed.notify_all();
        }
    }
}
