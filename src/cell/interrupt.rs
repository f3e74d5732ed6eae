//! Interrupts, and waiting for what is asynchronous.

use std::future::IntoFuture;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use tokio::runtime::{Handle, Runtime};
use tokio::sync::Notify;

use crate::study::Cancel;

/// Interrupts since the cell began.
static COUNT: AtomicU32 = AtomicU32::new(0);
static RAISED: Notify = Notify::const_new();
static WATCHED: Mutex<Option<Cancel>> = Mutex::new(None);

/// Carried by the panic that ends a cell which was interrupted while it waited.
pub(super) struct Interrupted;

/// Whether the cell was interrupted. A loop that asks now and then keeps its variables when it is stopped; one that
/// does not is killed after two seconds.
pub fn interrupted() -> bool {
    COUNT.load(Ordering::Relaxed) > 0
}

/// From now on an interrupt does not end the process.
pub(super) fn catch() {
    runtime().spawn(async {
        let Ok(mut signal) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt()) else { return };
        while signal.recv().await.is_some() {
            raise();
        }
    });
}

fn raise() {
    let count = COUNT.fetch_add(1, Ordering::Relaxed) + 1;
    if let Some(cancel) = WATCHED.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
        match count {
            1 => cancel.cancel(),
            _ => cancel.abandon(),
        }
    }
    RAISED.notify_waiters();
}

/// A cell or a command begins; an interrupt stops what `cancel` stops.
pub(super) fn begin(cancel: &Cancel) {
    COUNT.store(0, Ordering::Relaxed);
    *WATCHED.lock().unwrap_or_else(PoisonError::into_inner) = Some(cancel.clone());
    crate::study::attend(Some(crate::study::Attended {
        cancel: cancel.clone(),
        progress: std::sync::Arc::new(super::progress::Bar::default()),
    }));
}

/// The cell or the command is over.
pub(super) fn end() {
    crate::study::attend(None);
    *WATCHED.lock().unwrap_or_else(PoisonError::into_inner) = None;
}

fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| {
        tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("roborm-cell")
            .enable_all()
            .build()
            .expect("a process that was just started can start two threads")
    })
}

/// Waits for a future on the notebook's own runtime: what `.await` is at the top level of a cell. An interrupt ends the
/// cell there, and keeps its variables.
///
/// # Panics
/// To end the cell where it is interrupted; and where it is called from async code on a runtime of one thread, which can
/// say `.await`.
pub fn wait<F: IntoFuture>(future: F) -> F::Output {
    let future = future.into_future();
    let waited = async {
        let raised = RAISED.notified();
        tokio::pin!(future, raised);
        // From here on no interrupt is missed; one that came before is seen.
        raised.as_mut().enable();
        if interrupted() {
            return None;
        }
        tokio::select! {
            biased;
            value = &mut future => Some(value),
            () = &mut raised => None,
        }
    };
    // A function that waits may itself be called by what is waited for.
    match tokio::task::block_in_place(|| runtime().block_on(waited)) {
        Some(value) => value,
        None => std::panic::resume_unwind(Box::new(Interrupted)),
    }
}

/// Lets code that is not asynchronous be run inside the notebook's runtime (what spawns tasks needs one about it).
pub(super) fn enter() -> tokio::runtime::EnterGuard<'static> {
    let handle: &'static Handle = {
        static HANDLE: OnceLock<Handle> = OnceLock::new();
        HANDLE.get_or_init(|| runtime().handle().clone())
    };
    handle.enter()
}

/// What `.await` at the top level of a cell is turned into.
pub trait AwaitInCell: IntoFuture + Sized {
    /// See [`wait`].
    fn await_in_cell(self) -> Self::Output {
        wait(self)
    }
}

impl<F: IntoFuture> AwaitInCell for F {}
