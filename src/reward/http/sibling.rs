//! What the requests of one trajectory share while they are under way: the envelope, and who goes first.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use tokio::sync::{Mutex as AsyncMutex, MutexGuard};

use super::body::{Envelope, Template};
use crate::frames::EncodedImage;
use crate::reward::Request;

/// The requests of one trajectory.
pub(super) struct Siblings {
    images: Weak<Vec<EncodedImage>>,
    envelope: OnceLock<Envelope>,
    warm: AtomicBool,
    first: AsyncMutex<()>,
}

impl Siblings {
    /// The envelope, made by the first who asks.
    pub(super) fn envelope(&self, template: &Template, images: &[EncodedImage], session: Option<&str>) -> &Envelope {
        self.envelope.get_or_init(|| template.envelope(images, session))
    }

    /// Waits until the provider has the shared part in its cache, or for the turn to put it there: the first request goes
    /// alone, its siblings follow once it is answered. Where it fails the next one goes first.
    pub(super) async fn turn(&self) -> Turn<'_> {
        if self.warm.load(Ordering::Acquire) {
            return Turn { siblings: self, first: None };
        }
        let first = self.first.lock().await;
        if self.warm.load(Ordering::Acquire) {
            return Turn { siblings: self, first: None };
        }
        Turn { siblings: self, first: Some(first) }
    }
}

/// The turn of one request.
pub(super) struct Turn<'a> {
    siblings: &'a Siblings,
    first: Option<MutexGuard<'a, ()>>,
}

impl Turn<'_> {
    /// An answer came: the siblings may go.
    pub(super) fn answered(self) {
        if self.first.is_some() {
            self.siblings.warm.store(true, Ordering::Release);
        }
    }
}

/// The siblings of every trajectory that is under way.
#[derive(Default)]
pub(super) struct Families {
    by_images: Mutex<HashMap<(usize, String), Arc<Siblings>>>,
}

impl Families {
    /// Those of a request. Whose images are gone (nobody holds the trajectory any more) is forgotten, so that memory does
    /// not grow with the number of trajectories.
    pub(super) fn of(&self, request: &Request) -> Arc<Siblings> {
        let key = (Arc::as_ptr(&request.images) as usize, request.trajectory.clone());
        let mut families = self.by_images.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(siblings) = families.get(&key) {
            // The address is theirs: a weak pointer keeps it from being used again.
            return Arc::clone(siblings);
        }
        families.retain(|_, siblings| siblings.images.strong_count() > 0);
        let siblings = Arc::new(Siblings {
            images: Arc::downgrade(&request.images),
            envelope: OnceLock::new(),
            warm: AtomicBool::new(false),
            first: AsyncMutex::new(()),
        });
        families.insert(key, Arc::clone(&siblings));
        siblings
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frames::Frames;

    fn request(images: &Arc<Vec<EncodedImage>>) -> Request {
        Request {
            trajectory: "t".into(),
            frames: Arc::new(Frames { source: String::new(), rule: String::new(), frames: Vec::new() }),
            images: Arc::clone(images),
            instruction: String::new(),
            repeat: 0,
            label: None,
            strategies: Vec::new(),
        }
    }

    #[test]
    fn requests_with_the_same_images_are_siblings_and_the_dead_are_forgotten() {
        let families = Families::default();
        let images = Arc::new(Vec::new());
        assert!(Arc::ptr_eq(&families.of(&request(&images)), &families.of(&request(&images))));
        for _ in 0..100 {
            families.of(&request(&Arc::new(Vec::new())));
        }
        let held = families.by_images.lock().expect("not poisoned").len();
        assert!(held <= 2, "{held} are held, where one is alive and the last one has just gone");
    }

    #[tokio::test]
    async fn siblings_wait_for_the_first_answer_and_then_for_nobody() {
        let families = Families::default();
        let siblings = families.of(&request(&Arc::new(Vec::new())));
        let first = siblings.turn().await;
        let second = siblings.turn();
        tokio::pin!(second);
        assert!(futures_util::poll!(second.as_mut()).is_pending());
        first.answered();
        let second = second.await;
        assert!(second.first.is_none());
        assert!(siblings.turn().await.first.is_none(), "nobody is waited for while the second is under way");
    }

    #[tokio::test]
    async fn where_the_first_fails_the_next_goes_first() {
        let families = Families::default();
        let siblings = families.of(&request(&Arc::new(Vec::new())));
        drop(siblings.turn().await);
        let next = siblings.turn().await;
        assert!(next.first.is_some());
    }
}
