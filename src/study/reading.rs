//! How a stored reply becomes a score: when the table is made, so that a newer reader reads old replies anew.

use crate::reward::{READER_VERSION, Reading, Reply, read_reply};

/// What the reader makes of the reply.
pub(super) fn read(reply: &Reply) -> Reading {
    read_reply(reply)
}

/// The score, or `None` where the reply is unparsed.
pub(super) fn score(reply: &Reply) -> Option<u8> {
    read(reply).score()
}

/// The version of the grammar.
pub(super) fn version() -> &'static str {
    READER_VERSION
}
