//! Ctrl-C while a front is up.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::study::Cancel;

/// Ctrl-C, caught for a front that outlives its commands. Clones share it.
///
/// The first Ctrl-C while a command runs sends no more calls and waits for those under way, the second does not wait,
/// the third ends the program on the spot: the way out of a command that does not listen. What was paid for is in the
/// ledger in every case. Between commands Ctrl-C does nothing.
#[derive(Clone, Default)]
pub struct Interrupts(Arc<Mutex<Option<Watched>>>);

struct Watched {
    cancel: Cancel,
    count: u32,
}

impl Interrupts {
    /// From now on Ctrl-C does not end the program.
    pub fn catch() -> Self {
        let this = Self::default();
        let caught = this.clone();
        let (ready, wait) = std::sync::mpsc::channel();
        let listen = move || {
            // Without a runtime or a handler Ctrl-C does what it always does: nothing is lost but comfort.
            let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
            runtime.block_on(async move {
                let kind = tokio::signal::unix::SignalKind::interrupt();
                let Ok(mut signal) = tokio::signal::unix::signal(kind) else { return };
                let _ = ready.send(());
                while signal.recv().await.is_some() {
                    caught.raise();
                }
            });
        };
        if std::thread::Builder::new().name("roborm-interrupt".to_owned()).spawn(listen).is_ok() {
            // Until the handler is there; a thread that gave up drops its end.
            let _ = wait.recv();
        }
        this
    }

    /// The next Ctrl-C is for the work that `cancel` stops.
    pub fn watch(&self, cancel: &Cancel) {
        self.set(Some(Watched { cancel: cancel.clone(), count: 0 }));
    }

    /// Nothing is under way.
    pub fn rest(&self) {
        self.set(None);
    }

    fn set(&self, watched: Option<Watched>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = watched;
    }

    fn raise(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(watched) = state.as_mut() else { return };
        watched.count += 1;
        match watched.count {
            1 => watched.cancel.cancel(),
            2 => watched.cancel.abandon(),
            _ => std::process::exit(130),
        }
    }
}

/// For a program that runs one command after the other: Ctrl-C is for the study of `cancel` from now on. Before the
/// first study it ends the program as always: a command that spends nothing has nothing to keep.
pub(super) fn listen(cancel: &Cancel) {
    static CAUGHT: OnceLock<Interrupts> = OnceLock::new();
    CAUGHT.get_or_init(Interrupts::catch).watch(cancel);
}
