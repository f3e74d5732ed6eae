//! The heartbeat: a REP that gives every message back.

use std::io;
use std::sync::Arc;

use super::address::{Address, Listener};
use super::peer::{self, Behaviour, Peer};
use super::{Frames, codec};

struct Echo;

/// Listens, and gives every message back as it came.
///
/// # Errors
/// Where the address cannot be listened at.
pub fn echo(address: &Address) -> io::Result<()> {
    peer::accept(Listener::bind(address)?, Arc::new(Echo));
    Ok(())
}

impl Behaviour for Echo {
    const KIND: &'static str = "REP";

    fn joined(&self, _: &Peer, _: &[u8]) {}

    fn received(&self, peer: &Peer, frames: Frames) {
        peer.send(codec::message(&frames).into());
    }

    fn left(&self, _: &Peer) {}
}
