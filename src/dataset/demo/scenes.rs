//! The rollouts: one table, an entry a task. Read the keys as the story of the hand.

use super::props::Look;
use super::room::{BIRCH, OAK, SLATE, WALNUT};
use super::timeline::{Key, Motion, at, on};
use super::{Prop, Scene};
use crate::dataset::Label;

const RED: u32 = 0xd9_4a41;
const BLUE: u32 = 0x3a_6fc4;
const GREEN: u32 = 0x3c_a85a;
const YELLOW: u32 = 0xee_bd3a;
const PURPLE: u32 = 0x8a_5cb0;
const ORANGE: u32 = 0xe8_853a;

/// The line on the table where the hands of all scenes work.
pub(super) const GROUND: f32 = 200.0;
/// Where the hand waits.
const HOME: (f32, f32) = (146.0, 124.0);

const fn still(look: Look, x: f32, y: f32) -> Prop {
    Prop { look, foot: (x, y), motion: Motion::Still }
}

const fn driven(look: Look, x: f32, y: f32, keys: &'static [(f32, f32)]) -> Prop {
    Prop { look, foot: (x, y), motion: Motion::Driven(keys) }
}

const fn carried(look: Look, x: f32, y: f32, grasp_s: f32, release_s: Option<f32>) -> Prop {
    Prop { look, foot: (x, y), motion: Motion::Carried { grasp_s, release_s } }
}

const fn home(t_s: f32) -> Key {
    at(t_s, HOME.0, HOME.1, 9.0)
}

pub(super) static SCENES: [Scene; 8] = [
    // Takes the handle, pulls the drawer all the way out, lets go.
    Scene {
        id: "drawer",
        task: "open the top drawer",
        label: Label::ALL[4],
        frames: 90,
        room: OAK,
        back: &[still(Look::Mug(YELLOW), 104.0, 172.0)],
        subject: driven(Look::Chest, 246.0, 204.0, &[(0.0, 0.0), (3.6, 0.0), (6.4, 58.0), (9.0, 58.0)]),
        front: &[still(Look::Can(RED), 252.0, 93.0)],
        hand: &[
            home(0.0),
            home(0.6),
            on(2.6, -26.0, 0.0, 11.0).aim(90.0),
            on(3.2, 3.0, 0.0, 11.0).aim(90.0),
            on(3.6, 3.0, 0.0, 3.0).aim(90.0),
            on(6.4, 3.0, 0.0, 3.0).aim(90.0),
            on(6.9, 3.0, 0.0, 11.0).aim(90.0),
            on(7.5, -14.0, -12.0, 10.0).aim(70.0),
            on(8.4, 14.0, -44.0, 9.0).aim(30.0),
        ],
    },
    // Carries the red block right above the blue one and never sets it down.
    Scene {
        id: "block",
        task: "stack the red block on top of the blue block",
        label: Label::ALL[3],
        frames: 100,
        room: BIRCH,
        back: &[still(Look::Ball(GREEN), 286.0, 172.0), still(Look::Block(YELLOW), 176.0, 172.0)],
        subject: carried(Look::Block(RED), 132.0, GROUND, 3.0, None),
        front: &[still(Look::Block(BLUE), 234.0, GROUND)],
        hand: &[
            home(0.0),
            home(0.5),
            at(1.8, 132.0, 150.0, 20.0),
            at(2.6, 132.0, GROUND - 14.0, 20.0),
            at(3.0, 132.0, GROUND - 14.0, 14.0),
            at(4.4, 140.0, 118.0, 14.0),
            at(6.6, 228.0, 116.0, 14.0),
            at(8.4, 234.0, GROUND - 28.0 - 14.0 - 27.0, 14.0),
            at(10.0, 234.0, GROUND - 28.0 - 14.0 - 25.0, 14.0),
        ],
    },
    // Lifts the sponge, loses it half-way, arrives over the bin with nothing.
    Scene {
        id: "sponge",
        task: "put the sponge into the bin",
        label: Label::ALL[2],
        frames: 90,
        room: SLATE,
        back: &[still(Look::Mug(PURPLE), 112.0, 168.0), still(Look::Banana, 196.0, 166.0)],
        subject: carried(Look::Sponge, 118.0, GROUND, 2.8, Some(5.0)),
        front: &[still(Look::Bin, 262.0, 206.0)],
        hand: &[
            home(0.0),
            home(0.4),
            at(1.8, 118.0, 150.0, 27.0),
            at(2.4, 118.0, GROUND - 9.0, 27.0),
            at(2.8, 118.0, GROUND - 9.0, 20.0),
            at(4.0, 132.0, 130.0, 20.0),
            at(5.0, 182.0, 116.0, 20.0),
            at(5.3, 192.0, 116.0, 22.0),
            at(7.0, 250.0, 122.0, 22.0),
            at(7.8, 251.0, 128.0, 27.0),
            at(9.0, 250.0, 125.0, 27.0),
        ],
    },
    // Takes the rim of the lying cup and turns it up.
    Scene {
        id: "cup",
        task: "set the cup upright",
        label: Label::ALL[4],
        frames: 80,
        room: WALNUT,
        back: &[still(Look::Book(BLUE), 262.0, 176.0), still(Look::Ball(ORANGE), 128.0, 170.0)],
        subject: driven(Look::Cup, 206.0, GROUND, &[(0.0, 90.0), (2.8, 90.0), (5.4, 0.0), (8.0, 0.0)]),
        front: &[still(Look::Can(GREEN), 284.0, 212.0)],
        hand: &[
            home(0.0),
            home(0.4),
            on(1.8, 0.0, -40.0, 22.0),
            on(2.4, 0.0, 6.0, 22.0),
            on(2.8, 0.0, 6.0, 17.0),
            on(5.4, 0.0, 2.0, 16.0),
            on(5.9, 0.0, 2.0, 22.0),
            on(7.2, -22.0, -52.0, 12.0),
        ],
    },
    // Presses the table beside the button, and the button stays dark.
    Scene {
        id: "button",
        task: "press the green button",
        label: Label::ALL[0],
        frames: 70,
        room: OAK,
        back: &[still(Look::Can(BLUE), 290.0, 170.0), still(Look::Block(YELLOW), 106.0, 172.0)],
        subject: driven(Look::Button(GREEN), 244.0, GROUND, &[(0.0, 0.0)]),
        front: &[],
        hand: &[
            home(0.0),
            home(0.4),
            at(2.0, 168.0, 140.0, 4.0),
            at(3.2, 172.0, GROUND - 1.0, 1.0),
            at(4.0, 172.0, GROUND - 1.0, 1.0),
            at(5.4, 164.0, 140.0, 4.0),
            at(7.0, 152.0, 128.0, 6.0),
        ],
    },
    // Slips off the rim: the bowl moves a little towards the plate, no more.
    Scene {
        id: "bowl",
        task: "place the bowl on the plate",
        label: Label::ALL[1],
        frames: 80,
        room: SLATE,
        back: &[still(Look::Mug(RED), 196.0, 168.0), still(Look::Banana, 286.0, 168.0)],
        subject: Prop {
            look: Look::Bowl,
            foot: (136.0, GROUND),
            motion: Motion::Slid(&[(0.0, 0.0), (3.2, 0.0), (4.4, 20.0), (8.0, 20.0)]),
        },
        front: &[still(Look::Plate, 258.0, 206.0)],
        hand: &[
            home(0.0),
            home(0.4),
            on(2.0, 0.0, -42.0, 11.0),
            on(2.8, 0.0, 6.0, 11.0),
            on(3.2, 0.0, 6.0, 4.0),
            on(4.4, 0.0, 4.0, 4.0),
            on(4.8, -4.0, -14.0, 6.0),
            on(6.4, 2.0, -52.0, 8.0),
            on(8.0, 2.0, -54.0, 8.0),
        ],
    },
    // Folds the towel over, but the edges do not meet.
    Scene {
        id: "towel",
        task: "fold the towel in half",
        label: Label::ALL[3],
        frames: 100,
        room: BIRCH,
        back: &[still(Look::Can(ORANGE), 292.0, 166.0), still(Look::Mug(BLUE), 122.0, 166.0)],
        subject: driven(Look::Towel, 196.0, 212.0, &[(0.0, 0.0), (3.0, 0.0), (6.6, 1.0), (10.0, 1.0)]),
        front: &[],
        hand: &[
            home(0.0),
            home(0.5),
            on(2.0, 0.0, -44.0, 12.0),
            on(2.7, 0.0, 2.0, 12.0),
            on(3.0, 0.0, 2.0, 3.0),
            on(6.6, 0.0, 2.0, 3.0),
            on(7.1, 0.0, 2.0, 12.0),
            on(8.8, -40.0, -62.0, 9.0),
        ],
    },
    // Pushes the door half-way and stops there.
    Scene {
        id: "door",
        task: "close the cabinet door",
        label: Label::ALL[2],
        frames: 80,
        room: WALNUT,
        back: &[],
        subject: driven(Look::Locker, 246.0, 186.0, &[(0.0, 112.0), (2.8, 112.0), (5.6, 48.0), (8.0, 48.0)]),
        front: &[still(Look::Ball(RED), 300.0, 214.0)],
        hand: &[
            home(0.0),
            home(0.4),
            on(2.0, -22.0, 0.0, 3.0).aim(90.0),
            on(2.8, -2.0, 0.0, 2.0).aim(90.0),
            on(5.6, -2.0, 0.0, 2.0).aim(90.0),
            on(7.0, -46.0, -6.0, 4.0).aim(70.0),
            on(8.0, -48.0, -6.0, 4.0).aim(70.0),
        ],
    },
];
