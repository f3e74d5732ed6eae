//! The part of ZeroMQ's wire protocol that a kernel needs: ZMTP 3.0 with the NULL mechanism, the listening side of a
//! ROUTER, a PUB and an echoing REP. Source: <https://rfc.zeromq.org/spec/23/>.
//!
//! Written here because it is small, and because what a library would do on its own stands between a cell and its
//! reader: a publisher that drops messages when a reader is slow, a runtime that has to start before the first reply.
//! Nothing is dropped here: a reader that is behind makes the writer wait, and one that stays behind is let go of.

mod address;
mod codec;
mod echo;
mod handshake;
mod peer;
mod publisher;
mod router;

pub use address::Address;
pub use echo::echo;
pub use publisher::Publisher;
pub use router::{Identity, Router};

/// A message of several frames.
pub type Frames = Vec<Vec<u8>>;
