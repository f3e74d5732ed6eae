//! A ROUTER: requests come in from fronts that are told apart by their identity, replies go back by it.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::address::{Address, Listener};
use super::peer::{self, Behaviour, Peer};
use super::{Frames, codec};

/// By what a front is known: a front has the same identity on all sockets.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Identity(Vec<u8>);

/// The listening side of a ROUTER. Clones are the same socket.
#[derive(Clone)]
pub struct Router(Arc<Inner>);

struct Inner {
    peers: Mutex<HashMap<Identity, Peer>>,
    handle: Box<dyn Fn(Identity, Frames) + Send + Sync>,
}

impl Router {
    /// Listens; each message goes to `handle`, on the thread of its connection.
    ///
    /// # Errors
    /// Where the address cannot be listened at.
    pub fn bind(address: &Address, handle: impl Fn(Identity, Frames) + Send + Sync + 'static) -> io::Result<Self> {
        let inner = Arc::new(Inner { peers: Mutex::default(), handle: Box::new(handle) });
        peer::accept(Listener::bind(address)?, Arc::clone(&inner));
        Ok(Self(inner))
    }

    /// Sends to one front; to one that is gone, nothing.
    pub fn send(&self, to: &Identity, frames: &[Vec<u8>]) {
        let peer = self.0.lock().get(to).cloned();
        if let Some(peer) = peer {
            peer.send(codec::message(frames).into());
        }
    }

    /// Waits until all is written, until `deadline` at most.
    pub fn flush(&self, deadline: Instant) {
        let peers: Vec<Peer> = self.0.lock().values().cloned().collect();
        peers.iter().for_each(|peer| peer.flush(deadline));
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, HashMap<Identity, Peer>> {
        self.peers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn identity(&self, peer: &Peer) -> Option<Identity> {
        let peers = self.lock();
        peers.iter().find(|(_, known)| known.number == peer.number).map(|(identity, _)| identity.clone())
    }
}

impl Behaviour for Inner {
    const KIND: &'static str = "ROUTER";

    fn joined(&self, peer: &Peer, identity: &[u8]) {
        let identity = if identity.is_empty() {
            // One that no front can choose: theirs do not begin with a zero.
            [[0].as_slice(), &peer.number.to_be_bytes()].concat()
        } else {
            identity.to_vec()
        };
        // A front that comes back is the same front; its old connection may not be known to be dead yet.
        self.lock().insert(Identity(identity), peer.clone());
    }

    fn received(&self, peer: &Peer, frames: Frames) {
        if let Some(identity) = self.identity(peer) {
            (self.handle)(identity, frames);
        }
    }

    fn left(&self, peer: &Peer) {
        self.lock().retain(|_, known| known.number != peer.number);
    }
}
