//! One connection: a thread that reads, a thread that writes, and the queue between the rest of the program and it.

use std::collections::VecDeque;
use std::io::Write;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::address::{Listener, Stream};
use super::codec::{self, Received};
use super::{Frames, handshake};

/// Bytes that may wait for a reader before the writer waits for it: plenty, for there are fronts that read what a cell has
/// shown after they have seen that it ended.
const ENOUGH: usize = 256 << 20;
/// How long a writer waits for a reader that takes nothing before it lets go of it.
const PATIENCE: Duration = Duration::from_secs(10);
/// Connections that may stand at one socket; a front has one or two.
const MOST: usize = 256;

/// What a socket does with its connections.
pub(super) trait Behaviour: Send + Sync + 'static {
    /// The kind of socket, as the other side is told it.
    const KIND: &'static str;

    /// A connection stands; the identity is what its side has chosen, or empty.
    fn joined(&self, peer: &Peer, identity: &[u8]);
    /// A message has come.
    fn received(&self, peer: &Peer, frames: Frames);
    /// A connection is gone.
    fn left(&self, peer: &Peer);
}

/// One connection, to send to. Clones are the same connection.
#[derive(Clone)]
pub(super) struct Peer {
    /// Unique among the connections of a socket.
    pub(super) number: u64,
    queue: Arc<Queue>,
}

struct Queue {
    state: Mutex<State>,
    changed: Condvar,
    stream: Stream,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Arc<[u8]>>,
    /// Of those waiting and of the one that is being written.
    bytes: usize,
    closed: bool,
}

impl Peer {
    /// Puts a message behind those that wait; waits itself where too many do.
    pub(super) fn send(&self, bytes: Arc<[u8]>) {
        let mut state = self.queue.lock();
        let mut last = state.bytes;
        let mut until = Instant::now() + PATIENCE;
        while !state.closed && state.bytes > ENOUGH {
            let now = Instant::now();
            if state.bytes < last {
                (last, until) = (state.bytes, now + PATIENCE);
            }
            if now >= until {
                state.closed = true;
                self.queue.stream.close();
                break;
            }
            let wait = self.queue.changed.wait_timeout(state, until - now);
            state = wait.unwrap_or_else(PoisonError::into_inner).0;
        }
        if !state.closed {
            state.bytes += bytes.len();
            state.waiting.push_back(bytes);
        }
        drop(state);
        self.queue.changed.notify_all();
    }

    /// Waits until all is written, until `deadline` at most.
    pub(super) fn flush(&self, deadline: Instant) {
        let mut state = self.queue.lock();
        while !state.closed && state.bytes > 0 {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            state = self.queue.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn write(&self, mut stream: Stream) {
        loop {
            let mut state = self.queue.lock();
            while state.waiting.is_empty() && !state.closed {
                state = self.queue.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            let Some(bytes) = state.waiting.pop_front() else { return };
            drop(state);
            let written = stream.write_all(&bytes).is_ok();
            let mut state = self.queue.lock();
            state.bytes -= bytes.len();
            if !written {
                state.closed = true;
            }
            let closed = state.closed;
            drop(state);
            self.queue.changed.notify_all();
            if closed {
                return;
            }
        }
    }

    fn close(&self) {
        self.queue.lock().closed = true;
        self.queue.changed.notify_all();
        self.queue.stream.close();
    }
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes connections for as long as the program runs.
pub(super) fn accept<B: Behaviour>(listener: Listener, behaviour: Arc<B>) {
    let open = Arc::new(());
    spawn(B::KIND, move || {
        for number in 0.. {
            let Ok(stream) = listener.accept() else {
                // Out of descriptors, most likely: that passes, and a loop at full speed helps nobody.
                thread::sleep(Duration::from_millis(50));
                continue;
            };
            if Arc::strong_count(&open) > MOST {
                continue;
            }
            let (behaviour, open) = (Arc::clone(&behaviour), Arc::clone(&open));
            spawn(B::KIND, move || {
                // A connection that breaks is the other side's affair: it comes back, or it is gone.
                let _ = serve(stream, &*behaviour, number);
                drop(open);
            });
        }
    });
}

fn serve<B: Behaviour>(mut stream: Stream, behaviour: &B, number: u64) -> std::io::Result<()> {
    let identity = handshake::shake(&mut stream, B::KIND)?;
    let queue = Queue { state: Mutex::default(), changed: Condvar::new(), stream: stream.try_clone()? };
    let peer = Peer { number, queue: Arc::new(queue) };
    let (writer, out) = (peer.clone(), stream.try_clone()?);
    spawn(B::KIND, move || writer.write(out));
    behaviour.joined(&peer, &identity);
    // Many small reads a message otherwise.
    let mut stream = std::io::BufReader::with_capacity(1 << 16, stream);
    let ended = loop {
        match codec::read(&mut stream) {
            Ok(Received::Message(frames)) => behaviour.received(&peer, frames),
            // A heartbeat carries a time to live, and a context that goes back.
            Ok(Received::Command(body)) => {
                if let Some(context) = body.strip_prefix(b"\x04PING").and_then(|rest| rest.get(2..)) {
                    peer.send(codec::command(&[b"\x04PONG".as_slice(), context].concat()).into());
                }
            }
            Err(error) => break error,
        }
    };
    peer.close();
    behaviour.left(&peer);
    Err(ended)
}

/// A thread with a small stack. Where none can be had its work is not done: a connection is dropped.
fn spawn(kind: &str, work: impl FnOnce() + Send + 'static) {
    let name = format!("zmtp-{}", kind.to_lowercase());
    let _ = thread::Builder::new().name(name).stack_size(256 << 10).spawn(work);
}
