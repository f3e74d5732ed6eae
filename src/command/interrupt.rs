//! Ctrl-C while a front is up.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

use tokio::signal::unix::{SignalKind, signal};

use super::{GO_ON, Session};
use crate::display::Progress;
use crate::frames::{Decoder, DecoderOptions, Sampler};
use crate::study::Cancel;
use crate::{Error, Result};

/// The stack of a command's thread: as much as a main thread has.
const STACK_BYTES: usize = 8 << 20;

/// Ctrl-C, caught for a front that outlives its commands. Clones share it.
///
/// While a study runs, the first Ctrl-C sends no more calls and waits for those under way, the second does not wait.
/// What was paid for is in the ledger in every case. A command that makes no calls is left at the first Ctrl-C. Between
/// commands Ctrl-C does nothing.
#[derive(Clone, Default)]
pub struct Interrupts(Arc<Mutex<Option<Watched>>>, Arc<AtomicU64>);

struct Watched {
    count: u32,
    /// Nothing is under way: a signal that ends programs ends this one.
    keys_only: bool,
    /// Is told the count of each.
    act: Box<dyn FnMut(u32) + Send>,
}

/// How a command on a thread of its own came to its end.
enum End<T> {
    Done(Result<T>),
    /// Ctrl-C: nobody waits for it any more.
    Left,
    /// Its thread panicked.
    Fell,
}

impl Interrupts {
    /// From now on Ctrl-C does not end the program.
    pub fn catch() -> Self {
        Self::listening(None)
    }

    /// The same for a front without anyone before it: where nothing is under way, Ctrl-C ends the program.
    pub fn catch_for_script() -> Self {
        Self::listening(Some(128 + 2))
    }

    /// `idle` is the exit status at a Ctrl-C while nothing is under way; without one it does nothing.
    fn listening(idle: Option<i32>) -> Self {
        let this = Self::default();
        let caught = this.clone();
        let (ready, wait) = mpsc::channel();
        let listen = move || {
            // Without a runtime or a handler Ctrl-C does what it always does: nothing is lost but comfort.
            let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
            runtime.block_on(async move {
                let (Ok(mut typed), Ok(mut told), Ok(mut hung_up)) =
                    (signal(SignalKind::interrupt()), signal(SignalKind::terminate()), signal(SignalKind::hangup()))
                else {
                    return;
                };
                let _ = ready.send(());
                loop {
                    // A closed terminal or a batch system's time limit ends work as Ctrl-C does: with what is under way
                    // kept. Where nothing is, it ends the program.
                    let ends = tokio::select! {
                        Some(()) = typed.recv() => idle,
                        Some(()) = told.recv() => Some(128 + 15),
                        Some(()) = hung_up.recv() => Some(128 + 1),
                        else => return,
                    };
                    let is_key = ends == idle;
                    if !caught.raise(is_key)
                        && let Some(status) = ends
                    {
                        std::process::exit(status);
                    }
                }
            });
        };
        if thread::Builder::new().name("roborm-interrupt".to_owned()).spawn(listen).is_ok() {
            // Until the handler is there; a thread that gave up drops its end.
            let _ = wait.recv();
        }
        this
    }

    /// The next Ctrl-C is for the work that `cancel` stops; the third ends the program.
    pub fn watch(&self, cancel: &Cancel) {
        let cancel = cancel.clone();
        self.call(move |count| match count {
            1 => cancel.cancel(),
            2 => cancel.abandon(),
            _ => std::process::exit(130),
        });
    }

    /// The next Ctrl-C, and those after it, are for `act`, which is told how many there were.
    pub fn call(&self, act: impl FnMut(u32) + Send + 'static) {
        self.set(Some(Watched { count: 0, keys_only: false, act: Box::new(act) }));
    }

    /// The same while a line is waited for: other signals end the program.
    pub fn call_for_key(&self, act: impl FnMut(u32) + Send + 'static) {
        self.set(Some(Watched { count: 0, keys_only: true, act: Box::new(act) }));
    }

    /// How many there were while something was under way.
    pub fn count(&self) -> u64 {
        self.1.load(Ordering::Relaxed)
    }

    /// Nothing is under way.
    pub fn rest(&self) {
        self.set(None);
    }

    /// Does `work` in a session that starts as `session` is, and takes over what it left there.
    ///
    /// The work has a thread of its own, so that Ctrl-C can leave one that does not listen: it goes on unheard until it
    /// ends by itself, on a state that nobody sees, and with a decoder that nobody waits for.
    ///
    /// # Errors
    /// Those of the work; that it was interrupted; that it panicked.
    pub fn run<T: Send + 'static>(
        &self,
        session: &mut Session,
        work: impl FnOnce(&Session) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let gate = Arc::new(Gate { inner: Arc::clone(&session.progress), is_shut: Mutex::new(false) });
        let own = Session {
            current: session.current.fork(),
            progress: Arc::clone(&gate) as Arc<dyn Progress>,
            spending: Arc::default(),
            ..session.clone()
        };
        let (sender, ends) = mpsc::channel();
        let (left, spending, cancel) = (sender.clone(), Arc::clone(&own.spending), own.cancel.clone());
        self.call(move |count| match count {
            1 if spending.load(Ordering::Relaxed) => cancel.cancel(),
            2 if spending.load(Ordering::Relaxed) => cancel.abandon(),
            _ => {
                cancel.abandon();
                // Whoever waited is gone where this fails.
                let _ = left.send(End::Left);
            }
        });
        let (current, spends) = (own.current.clone(), Arc::clone(&own.spending));
        let thread =
            thread::Builder::new().name("roborm-command".to_owned()).stack_size(STACK_BYTES).spawn(move || {
                let teller = Teller(sender);
                let done = work(&own);
                let _ = teller.0.send(End::Done(done));
            });
        let end = match thread {
            Ok(_) => ends.recv().unwrap_or(End::Fell),
            Err(error) => End::Done(Err(Error::io("a thread could not be started", &error))),
        };
        self.rest();
        match end {
            End::Done(done) => {
                session.current.adopt(&current);
                done
            }
            End::Left => {
                gate.shut();
                let is_study = spends.load(Ordering::Relaxed);
                // The workers of the decoder are busy with what nobody wants any more.
                session.sampler = Sampler::with_decoder(Decoder::new(DecoderOptions::default()));
                // Of a study that nobody waits for, what came is in the ledger.
                Err(match is_study && !session.typed.is_empty() {
                    true => Error::interrupted("interrupted; replies that came before are in the ledger")
                        .with_help(format!("{GO_ON}{}", session.typed)),
                    false => Error::interrupted("interrupted"),
                })
            }
            End::Fell => Err(Error::worker("the command ended by a fault of this program, which stands above")
                .with_help("the session goes on; what the command was about to change is as it was")),
        }
    }

    fn set(&self, watched: Option<Watched>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = watched;
    }

    /// Tells whoever watches; `false` where nobody does.
    fn raise(&self, is_key: bool) -> bool {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(watched) = state.as_mut().filter(|watched| is_key || !watched.keys_only) else { return false };
        self.1.fetch_add(1, Ordering::Relaxed);
        watched.count += 1;
        (watched.act)(watched.count);
        true
    }
}

/// Tells of a thread's end, however it ends.
struct Teller<T>(Sender<End<T>>);

impl<T> Drop for Teller<T> {
    fn drop(&mut self) {
        let _ = self.0.send(End::Fell);
    }
}

/// Progress that can be silenced: a command that was left must not write over the prompt.
struct Gate {
    inner: Arc<dyn Progress>,
    /// Held while something is told: nothing is under way any more once it is shut.
    is_shut: Mutex<bool>,
}

impl Gate {
    fn shut(&self) {
        let mut is_shut = self.is_shut.lock().unwrap_or_else(PoisonError::into_inner);
        *is_shut = true;
        self.inner.end("");
    }

    fn tell(&self, tell: impl FnOnce(&dyn Progress)) {
        let is_shut = self.is_shut.lock().unwrap_or_else(PoisonError::into_inner);
        if !*is_shut {
            tell(&*self.inner);
        }
    }
}

impl Progress for Gate {
    fn begin(&self, total: u64, done: u64, what: &str) {
        self.tell(|inner| inner.begin(total, done, what));
    }

    fn advance(&self, by: u64, note: &str) {
        self.tell(|inner| inner.advance(by, note));
    }

    fn say(&self, line: &str) {
        self.tell(|inner| inner.say(line));
    }

    fn end(&self, summary: &str) {
        self.tell(|inner| inner.end(summary));
    }
}

/// For a program that runs one command after the other: Ctrl-C is for the study of `cancel` from now on. Before the
/// first study it ends the program as always: a command that spends nothing has nothing to keep.
pub(super) fn listen(cancel: &Cancel) {
    static CAUGHT: OnceLock<Interrupts> = OnceLock::new();
    CAUGHT.get_or_init(Interrupts::catch).watch(cancel);
}
