//! Eight small rollouts that are drawn on demand: what `demo` opens, without a file or a network.
//!
//! Each is one attempt of a two-link arm at a tabletop task of its own, seen from the side. The true progress is known
//! because it is staged: the hand misses the button (1), slips off the bowl (2), drops the sponge half-way (3), stops
//! with the block just above its place (4), opens the drawer (5). Frames are the same on every machine and in every
//! run: nothing is random, and coordinates are rounded before they are drawn.
//!
//! ```
//! let drawer = roborm::dataset::demo::scene("drawer").expect("a built-in scene");
//! assert_eq!(drawer.task(), "open the top drawer");
//! let last = drawer.render(drawer.frame_count() - 1);
//! assert_eq!((last.width(), last.height()), (320, 240));
//! ```

mod arm;
mod canvas;
mod furniture;
mod props;
mod room;
mod scenes;
mod timeline;

use image::RgbImage;

use self::canvas::Spot;
use self::props::Look;
use self::room::Room;
use self::timeline::{Key, Motion};
use super::{Label, Source, Trajectory};

/// Pixels a row of every frame.
pub const WIDTH: u32 = 320;
/// Rows of every frame.
pub const HEIGHT: u32 = 240;
/// Frames a second of every scene.
pub const RATE_HZ: f64 = 10.0;

/// One built-in rollout.
pub struct Scene {
    id: &'static str,
    task: &'static str,
    label: Label,
    frames: u16,
    room: Room,
    /// Stands behind what is worked on.
    back: &'static [Prop],
    /// What is worked on; the hand's keys may refer to its handle.
    subject: Prop,
    /// Stands in front, or is where the subject belongs.
    front: &'static [Prop],
    hand: &'static [Key],
}

/// One object of a scene.
#[derive(Clone, Copy)]
struct Prop {
    look: Look,
    /// Where the middle of its foot stands at the start.
    foot: Spot,
    motion: Motion,
}

/// All of them, in the order of the demo dataset.
pub fn scenes() -> &'static [Scene] {
    &scenes::SCENES
}

/// The one with this id.
pub fn scene(id: &str) -> Option<&'static Scene> {
    scenes().iter().find(|scene| scene.id == id)
}

/// The trajectories of the demo dataset.
pub fn trajectories() -> Vec<Trajectory> {
    scenes()
        .iter()
        .map(|scene| Trajectory {
            id: scene.id.to_owned(),
            task: scene.task.to_owned(),
            label: Some(scene.label),
            duration_s: Some(scene.duration_s()),
            source: Source::Demo { scene: scene.id },
        })
        .collect()
}

impl Scene {
    /// The id in the demo dataset, for example `drawer`.
    pub fn id(&self) -> &'static str {
        self.id
    }

    /// The original instruction.
    pub fn task(&self) -> &'static str {
        self.task
    }

    /// The true progress, as staged.
    pub fn label(&self) -> Label {
        self.label
    }

    /// How many frames it has.
    pub fn frame_count(&self) -> u64 {
        u64::from(self.frames)
    }

    /// Frames a second.
    pub fn rate_hz(&self) -> f64 {
        RATE_HZ
    }

    /// Seconds from the first to the end of the last frame.
    pub fn duration_s(&self) -> f64 {
        f64::from(self.frames) / RATE_HZ
    }

    /// Frame `index`, from 0; 320 x 240. An index past the end gives the last frame.
    pub fn render(&self, index: u64) -> RgbImage {
        let index = index.min(self.frame_count().saturating_sub(1));
        let t_s = index as f32 / RATE_HZ as f32;
        let hand = self.hand_at(t_s);
        let subject = self.subject_at(t_s);
        let value = self.subject.value(t_s);
        let look = self.subject.look;

        let mut canvas = room::paint(&self.room);
        for prop in self.back {
            props::shadow(&mut canvas, prop.look, prop.foot, 0.0);
            props::paint(&mut canvas, prop.look, prop.foot, 0.0);
        }
        // What the subject is put into or onto stands on the same ground: its shadow lies under all that follows.
        for prop in self.front {
            props::shadow(&mut canvas, prop.look, prop.foot, 0.0);
        }
        arm::shadow(&mut canvas, &hand, scenes::GROUND);
        let lift = (self.subject.foot.1 - subject.1).max(0.0);
        props::shadow(&mut canvas, look, (subject.0, self.subject.foot.1), lift);
        if self.arm_in_front() {
            props::paint(&mut canvas, look, subject, value);
            arm::links(&mut canvas, &hand);
        } else {
            arm::links(&mut canvas, &hand);
            props::paint(&mut canvas, look, subject, value);
        }
        arm::fingers(&mut canvas, &hand);
        for prop in self.front {
            props::paint(&mut canvas, prop.look, prop.foot, 0.0);
        }
        RgbImage::from_raw(WIDTH, HEIGHT, canvas.into_rgb()).expect("the canvas has the size of a frame")
    }

    /// Furniture stands behind the arm; what is carried or turned is between the fingers.
    fn arm_in_front(&self) -> bool {
        matches!(self.subject.look, Look::Chest | Look::Locker | Look::Button(_) | Look::Towel | Look::Bowl)
    }

    fn hand_at(&self, t_s: f32) -> timeline::Hand {
        // A carried object is where the hand is, so that its keys never refer to it.
        let foot = match self.subject.motion {
            Motion::Carried { .. } => self.subject.foot,
            _ => self.subject_at(t_s),
        };
        timeline::hand(self.hand, t_s, props::handle(self.subject.look, foot, self.subject.value(t_s)))
    }

    fn subject_at(&self, t_s: f32) -> Spot {
        let (x, y) = self.subject.foot;
        match self.subject.motion {
            Motion::Still | Motion::Driven(_) => (x, y),
            Motion::Slid(keys) => (x + timeline::driven(keys, t_s), y),
            Motion::Carried { grasp_s, release_s } => {
                timeline::carried((x, y), grasp_s, release_s, t_s, |t| self.hand_at(t).tip)
            }
        }
    }
}

impl Prop {
    fn value(&self, t_s: f32) -> f32 {
        match self.motion {
            Motion::Driven(keys) => timeline::driven(keys, t_s),
            _ => 0.0,
        }
    }
}

impl std::fmt::Debug for Scene {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scene")
            .field("id", &self.id)
            .field("task", &self.task)
            .field("label", &self.label)
            .field("frames", &self.frames)
            .finish_non_exhaustive()
    }
}
