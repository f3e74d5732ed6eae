//! Where replies go out.

use std::sync::Arc;

use serde_json::{Value, json};

use super::message::{Request, Scribe, empty};
use super::zmtp::{Identity, Router};

/// The reply side of a socket that takes requests. Clones are the same.
#[derive(Clone)]
pub(super) struct Desk {
    router: Router,
    scribe: Arc<Scribe>,
}

impl Desk {
    pub fn new(router: Router, scribe: &Arc<Scribe>) -> Self {
        Self { router, scribe: Arc::clone(scribe) }
    }

    /// Answers a request.
    pub fn reply(&self, front: &Identity, request: &Request, content: &Value) {
        self.send(front, request, &request.reply_kind(), content);
    }

    /// Says something to the front of a request.
    pub fn send(&self, front: &Identity, request: &Request, kind: &str, content: &Value) {
        self.router.send(front, &self.scribe.write(None, kind, &request.header, &empty(), content));
    }
}

/// What is said of the kernel.
pub(super) fn kernel_info(version: &str) -> Value {
    json!({
        "status": "ok",
        "protocol_version": super::message::PROTOCOL,
        "implementation": "roborm",
        "implementation_version": env!("CARGO_PKG_VERSION"),
        "language_info": {
            "name": "rust",
            "version": version,
            "mimetype": "text/x-rustsrc",
            "file_extension": ".rs",
            "pygments_lexer": "rust",
            "codemirror_mode": "rust",
        },
        "banner": format!(
            "roborm {}: robustness of robot reward models to rewording. Rust {version}; commands begin with a colon, as \
             in :open demo; :help lists them.",
            env!("CARGO_PKG_VERSION")
        ),
        "debugger": false,
        "help_links": [],
        "supported_features": [],
    })
}
