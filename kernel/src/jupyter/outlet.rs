//! What all fronts see: states, streams, values. The one writer of the iopub socket.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::message::{Request, Scribe, empty};
use super::zmtp::{Frames, Publisher};
use crate::engine::{Bundle, Failure};

/// Text that waits this long at most for more of the same stream.
const GATHER: Duration = Duration::from_millis(20);
/// Bytes of text that wait for nothing.
const PLENTY: usize = 1 << 16;

/// The writer of the iopub socket. Clones are the same one.
#[derive(Clone)]
pub(super) struct Outlet(Arc<Inner>);

struct Inner {
    publisher: Publisher,
    scribe: Arc<Scribe>,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// The header of the request whose cell runs, or ran last: what comes late belongs to it.
    parent: Value,
    running: bool,
    gathered: String,
    stream: &'static str,
}

impl Outlet {
    pub fn new(publisher: Publisher, scribe: Arc<Scribe>) -> Self {
        let state = State { parent: empty(), running: false, gathered: String::new(), stream: "stdout" };
        let inner = Arc::new(Inner { publisher, scribe, state: Mutex::new(state), changed: Condvar::new() });
        let gatherer = Arc::clone(&inner);
        // Without this thread text comes at the end of a cell.
        let _ = std::thread::Builder::new().name("streams".to_owned()).spawn(move || gatherer.gather());
        Self(inner)
    }

    /// The kernel has come up.
    pub fn starting(&self) {
        self.0.publish(&empty(), "status", &json!({"execution_state": "starting"}));
    }

    /// Answers a request that is not a cell: busy before, idle after.
    pub fn around(&self, request: &Request, work: impl FnOnce()) {
        self.state(&request.header, "busy");
        work();
        self.state(&request.header, "idle");
        // Fronts show the state that they heard of last, and a cell may run still.
        let state = self.0.lock();
        if state.running {
            self.0.publish(&state.parent, "status", &json!({"execution_state": "busy"}));
        }
    }

    fn state(&self, parent: &Value, state: &str) {
        self.say(parent, "status", &json!({"execution_state": state}));
    }

    /// A message of its own, after all text that waits.
    pub fn say(&self, parent: &Value, kind: &str, content: &Value) {
        let mut state = self.0.lock();
        self.0.let_go(&mut state);
        self.0.publish(parent, kind, content);
    }

    /// A cell begins: what is shown from now on belongs to it.
    pub fn begin(&self, request: &Request) {
        let mut state = self.0.lock();
        self.0.let_go(&mut state);
        state.parent = request.header.clone();
        state.running = true;
        self.0.publish(&state.parent, "status", &json!({"execution_state": "busy"}));
    }

    /// The cell's text is all out.
    pub fn settle(&self) {
        self.0.let_go(&mut self.0.lock());
    }

    /// The cell has ended and is answered.
    pub fn end(&self) {
        let mut state = self.0.lock();
        self.0.let_go(&mut state);
        state.running = false;
        self.0.publish(&state.parent, "status", &json!({"execution_state": "idle"}));
    }

    /// The source of the cell that runs, for the other fronts.
    pub fn input(&self, source: &str, count: u64) {
        self.of_cell("execute_input", &json!({"code": source, "execution_count": count}));
    }

    /// The value of the cell that runs.
    pub fn result(&self, bundle: &Bundle, count: u64) {
        let content = json!({"execution_count": count, "data": bundle.data, "metadata": bundle.metadata});
        self.of_cell("execute_result", &content);
    }

    /// Why the cell that runs did not come to its end.
    pub fn failure(&self, failure: &Failure) {
        self.of_cell("error", &error(failure));
    }

    /// A value that the cell shows, or shows anew.
    pub fn display(&self, id: Option<&str>, update: bool, bundle: &Bundle) {
        let kind = if update { "update_display_data" } else { "display_data" };
        let transient = id.map_or_else(empty, |id| json!({"display_id": id}));
        self.of_cell(kind, &json!({"data": bundle.data, "metadata": bundle.metadata, "transient": transient}));
    }

    /// Text of the cell; it may wait a little for more.
    pub fn text(&self, stream: &'static str, text: &str) {
        let mut state = self.0.lock();
        if state.stream != stream {
            self.0.let_go(&mut state);
            state.stream = stream;
        }
        state.gathered.push_str(text);
        if state.gathered.len() >= PLENTY {
            self.0.let_go(&mut state);
        } else {
            drop(state);
            self.0.changed.notify_one();
        }
    }

    /// Waits until all is written, until `deadline` at most.
    pub fn flush(&self, deadline: Instant) {
        self.settle();
        self.0.publisher.flush(deadline);
    }

    fn of_cell(&self, kind: &str, content: &Value) {
        let mut state = self.0.lock();
        self.0.let_go(&mut state);
        self.0.publish(&state.parent, kind, content);
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Publishes the text that waits.
    fn let_go(&self, state: &mut State) {
        if !state.gathered.is_empty() {
            let text = std::mem::take(&mut state.gathered);
            self.publish(&state.parent, "stream", &json!({"name": state.stream, "text": text}));
        }
    }

    fn publish(&self, parent: &Value, kind: &str, content: &Value) {
        self.publisher.publish(&self.scribe.write(Some(kind.as_bytes()), kind, parent, &empty(), content));
    }

    fn gather(&self) {
        let mut state = self.lock();
        loop {
            while state.gathered.is_empty() {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            drop(state);
            std::thread::sleep(GATHER);
            state = self.lock();
            self.let_go(&mut state);
        }
    }
}

/// What a new reader is told: from now on it misses nothing (JEP 65). It stands under the topic that was subscribed to, the
/// one thing that this reader is known to take.
pub(super) fn welcome(scribe: &Scribe, topic: &[u8]) -> Frames {
    let content = json!({"subscription": String::from_utf8_lossy(topic)});
    scribe.write(Some(topic), "iopub_welcome", &empty(), &empty(), &content)
}

/// A failure as messages have it.
pub(super) fn error(failure: &Failure) -> Value {
    json!({"ename": failure.name, "evalue": failure.message, "traceback": failure.traceback})
}
