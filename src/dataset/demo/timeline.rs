//! What moves when: keyframes of the hand, and how the objects answer to it.

use super::canvas::{Spot, snap};

/// The hand at one moment; between moments it eases from one to the next.
#[derive(Clone, Copy)]
pub(super) struct Key {
    /// Seconds.
    pub t_s: f32,
    /// Where the finger tips are.
    pub place: Place,
    /// Degrees that the hand points away from straight down; 90 is to the right.
    pub aim: f32,
    /// Pixels from the middle to each finger tip.
    pub grip: f32,
}

/// Where the finger tips are.
#[derive(Clone, Copy)]
pub(super) enum Place {
    /// At a point of the picture.
    At(f32, f32),
    /// At this offset from the handle of the thing that the scene is about, wherever that is now.
    Handle(f32, f32),
}

/// The hand at a point, pointing down.
pub(super) const fn at(t_s: f32, x: f32, y: f32, grip: f32) -> Key {
    Key { t_s, place: Place::At(x, y), aim: 0.0, grip }
}

/// The hand at an offset from the handle, pointing down.
pub(super) const fn on(t_s: f32, dx: f32, dy: f32, grip: f32) -> Key {
    Key { t_s, place: Place::Handle(dx, dy), aim: 0.0, grip }
}

impl Key {
    /// The same key with the hand pointing elsewhere.
    pub const fn aim(mut self, degrees: f32) -> Self {
        self.aim = degrees;
        self
    }
}

/// The hand at one instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Hand {
    pub tip: Spot,
    pub aim: f32,
    pub grip: f32,
}

/// How an object of a scene moves.
#[derive(Clone, Copy)]
pub(super) enum Motion {
    /// It does not.
    Still,
    /// Something of it goes from one value to the next at these seconds (a drawer's way out in pixels, a lid's angle).
    Driven(&'static [(f32, f32)]),
    /// It is pushed this many pixels to the right by these seconds.
    Slid(&'static [(f32, f32)]),
    /// The hand takes it at a second, and lets go of it at another, if it does.
    Carried { grasp_s: f32, release_s: Option<f32> },
}

/// Smooth from 0 to 1: starts and stops at rest.
pub(super) fn ease(x: f32) -> f32 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}

fn mix(a: f32, b: f32, share: f32) -> f32 {
    a + (b - a) * share
}

/// The two keys around `t_s` and how far it is from one to the other, eased.
fn around<T: Copy>(keys: &[T], t_s: f32, time: impl Fn(&T) -> f32) -> Option<(T, T, f32)> {
    let later = keys.iter().position(|key| time(key) > t_s).unwrap_or(keys.len());
    let before = keys.get(later.saturating_sub(1))?;
    let after = keys.get(later).unwrap_or(before);
    let span = time(after) - time(before);
    let share = if span > 0.0 { ease((t_s - time(before)) / span) } else { 0.0 };
    Some((*before, *after, share))
}

/// A driven value at a second.
pub(super) fn driven(keys: &[(f32, f32)], t_s: f32) -> f32 {
    around(keys, t_s, |key| key.0).map_or(0.0, |(a, b, share)| mix(a.1, b.1, share))
}

/// The hand at a second; `handle` is where the handle is then.
pub(super) fn hand(keys: &[Key], t_s: f32, handle: Spot) -> Hand {
    let place = |key: &Key| match key.place {
        Place::At(x, y) => (x, y),
        Place::Handle(dx, dy) => (handle.0 + dx, handle.1 + dy),
    };
    match around(keys, t_s, |key| key.t_s) {
        None => Hand { tip: handle, aim: 0.0, grip: 0.0 },
        Some((a, b, share)) => {
            let (from, to) = (place(&a), place(&b));
            Hand {
                tip: (snap(mix(from.0, to.0, share)), snap(mix(from.1, to.1, share))),
                aim: mix(a.aim, b.aim, share),
                grip: mix(a.grip, b.grip, share),
            }
        }
    }
}

/// Where a carried object stands at `t_s`: at `home` until it is taken, then with the hand, then falling to the ground
/// that it was taken from.
pub(super) fn carried(home: Spot, grasp_s: f32, release_s: Option<f32>, t_s: f32, tip: impl Fn(f32) -> Spot) -> Spot {
    if t_s < grasp_s {
        return home;
    }
    let taken = tip(grasp_s);
    let held = |t: f32| {
        let now = tip(t);
        (home.0 + now.0 - taken.0, home.1 + now.1 - taken.1)
    };
    match release_s {
        Some(release_s) if t_s > release_s => {
            let (x, y) = held(release_s);
            let fallen = 450.0 * (t_s - release_s) * (t_s - release_s);
            (x, (y + fallen).min(home.1.max(y)))
        }
        _ => held(t_s),
    }
}
