//! Lines that a cell asks its front for.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use super::message::{Scribe, empty};
use super::zmtp::{Address, Identity, Router};
use crate::engine::InputReply;

/// The stdin socket, and the question that is open on it.
#[derive(Clone)]
pub(super) struct Stdin {
    router: Router,
    scribe: Arc<Scribe>,
    open: Arc<Mutex<Option<InputReply>>>,
}

impl Stdin {
    /// # Errors
    /// Where the address cannot be listened at.
    pub fn bind(address: &Address, scribe: &Arc<Scribe>) -> io::Result<Self> {
        let open = Arc::new(Mutex::<Option<InputReply>>::default());
        let (asked, reader) = (Arc::clone(&open), Arc::clone(scribe));
        let router = Router::bind(address, move |_, frames| {
            // What is not an answer to an open question is nobody's.
            let Ok(reply) = reader.read(&frames) else { return };
            if reply.kind == "input_reply"
                && let Some(asked) = asked.lock().unwrap_or_else(PoisonError::into_inner).take()
            {
                // A cell that no longer waits drops its end.
                let _ = asked.0.send(reply.text("value").to_owned());
            }
        })?;
        Ok(Self { router, scribe: Arc::clone(scribe), open })
    }

    /// Asks the front of a request.
    pub fn ask(&self, front: &Identity, parent: &Value, prompt: &str, password: bool, reply: InputReply) {
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = Some(reply);
        let content = json!({"prompt": prompt, "password": password});
        self.router.send(front, &self.scribe.write(None, "input_request", parent, &empty(), &content));
    }

    /// No answer is wanted any more: a cell that waits gets an end of input.
    pub fn give_up(&self) {
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
