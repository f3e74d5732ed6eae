//! A PUB: what is published goes to every reader that has subscribed to the beginning of its first frame.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::address::{Address, Listener};
use super::peer::{self, Behaviour, Peer};
use super::{Frames, codec};

/// The listening side of a PUB. Clones are the same socket.
#[derive(Clone)]
pub struct Publisher(Arc<Inner>);

/// What a reader of a topic is told first.
type Welcome = dyn Fn(&[u8]) -> Frames + Send + Sync;

struct Inner {
    readers: Mutex<Vec<Reader>>,
    welcome: Box<Welcome>,
}

struct Reader {
    peer: Peer,
    topics: Vec<Vec<u8>>,
}

impl Publisher {
    /// Listens; a new subscription is answered by what `welcome` makes of its topic, so that a reader knows that it
    /// misses nothing from then on.
    ///
    /// # Errors
    /// Where the address cannot be listened at.
    pub fn bind(address: &Address, welcome: impl Fn(&[u8]) -> Frames + Send + Sync + 'static) -> io::Result<Self> {
        let inner = Arc::new(Inner { readers: Mutex::default(), welcome: Box::new(welcome) });
        peer::accept(Listener::bind(address)?, Arc::clone(&inner));
        Ok(Self(inner))
    }

    /// Sends to all readers of the topic that the first frame is.
    pub fn publish(&self, frames: &[Vec<u8>]) {
        let topic = frames.first().map_or([].as_slice(), Vec::as_slice);
        let readers: Vec<Peer> = self
            .0
            .lock()
            .iter()
            .filter(|reader| reader.topics.iter().any(|wanted| topic.starts_with(wanted)))
            .map(|reader| reader.peer.clone())
            .collect();
        if readers.is_empty() {
            return;
        }
        let bytes: Arc<[u8]> = codec::message(frames).into();
        readers.iter().for_each(|peer| peer.send(Arc::clone(&bytes)));
    }

    /// Waits until all is written, until `deadline` at most.
    pub fn flush(&self, deadline: Instant) {
        let peers: Vec<Peer> = self.0.lock().iter().map(|reader| reader.peer.clone()).collect();
        peers.iter().for_each(|peer| peer.flush(deadline));
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, Vec<Reader>> {
        self.readers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Behaviour for Inner {
    const KIND: &'static str = "PUB";

    fn joined(&self, peer: &Peer, _: &[u8]) {
        self.lock().push(Reader { peer: peer.clone(), topics: Vec::new() });
    }

    fn received(&self, peer: &Peer, frames: Frames) {
        // A subscription is a message of one frame: a one and the topic; a zero ends it.
        let [frame] = frames.as_slice() else { return };
        let Some((&sign, topic)) = frame.split_first() else { return };
        let mut readers = self.lock();
        let Some(reader) = readers.iter_mut().find(|reader| reader.peer.number == peer.number) else { return };
        match sign {
            1 => {
                // Under the lock, so that the welcome comes before all that is published to it.
                reader.topics.push(topic.to_vec());
                peer.send(codec::message(&(self.welcome)(topic)).into());
            }
            0 => {
                if let Some(place) = reader.topics.iter().position(|known| known == topic) {
                    reader.topics.swap_remove(place);
                }
            }
            _ => {}
        }
    }

    fn left(&self, peer: &Peer) {
        self.lock().retain(|reader| reader.peer.number != peer.number);
    }
}
