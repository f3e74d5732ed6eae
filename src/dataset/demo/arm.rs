//! The robot: a column, two links and a two-finger hand.

use super::canvas::{Canvas, Ink, Spot, snap};
use super::timeline::Hand;

/// The shoulder joint.
const SHOULDER: Spot = (40.0, 122.0);
/// Where the column stands.
const FOOT: Spot = (40.0, 188.0);
/// Length of each link in pixels.
const LINK: f32 = 108.0;
/// From the wrist to the finger tips.
const HAND: f32 = 36.0;
/// From the wrist to where the fingers begin.
const PALM: f32 = 15.0;

const SHELL: u32 = 0xf2_f4f6;
const SHELL_DARK: u32 = 0xc3_cad2;
const OUTLINE: u32 = 0x4a_5562;
const JOINT: u32 = 0x2f_7fc1;
const JOINT_DARK: u32 = 0x1d_5c92;
const STEEL: u32 = 0x3a_424c;
const RUBBER: u32 = 0x16_1a1f;

/// The joints for one pose of the hand.
struct Pose {
    elbow: Spot,
    wrist: Spot,
    /// Unit vector from the wrist to the finger tips.
    aim: Spot,
}

/// Two-link inverse kinematics with the elbow up: the elbow is above the middle of the line from shoulder to wrist.
fn pose(hand: &Hand) -> Pose {
    let (sin, cos) = hand.aim.to_radians().sin_cos();
    let aim = (snap(sin), snap(cos));
    let (mut x, mut y) = (hand.tip.0 - aim.0 * HAND - SHOULDER.0, hand.tip.1 - aim.1 * HAND - SHOULDER.1);
    let reach = (x * x + y * y).sqrt().max(1.0);
    // Out of reach: as far as it goes in that direction.
    let longest = 2.0 * LINK - 0.5;
    if reach > longest {
        (x, y) = (x * longest / reach, y * longest / reach);
    }
    let span = reach.min(longest);
    let rise = (LINK * LINK - span * span / 4.0).max(0.0).sqrt();
    let elbow = (x / 2.0 + y / span * rise, y / 2.0 - x / span * rise);
    Pose { elbow: (SHOULDER.0 + elbow.0, SHOULDER.1 + elbow.1), wrist: (SHOULDER.0 + x, SHOULDER.1 + y), aim }
}

/// The shadow of arm and hand on the table, which is at height `ground` below the hand.
pub(super) fn shadow(canvas: &mut Canvas, hand: &Hand, ground: f32) {
    let Pose { wrist, elbow, .. } = pose(hand);
    canvas.shadow((FOOT.0 + 8.0, FOOT.1 + 2.0), 44.0, 11.0, 0.42);
    canvas.line(&[FOOT, (elbow.0 + 10.0, ground - 2.0), (wrist.0, ground)], 9.0, Ink::Glass(0x1c_1410, 0.09));
    let height = (ground - hand.tip.1).max(0.0);
    canvas.shadow((hand.tip.0, ground), 15.0 + height * 0.10, 4.5 + height * 0.03, 0.42 - (height * 0.0018).min(0.22));
}

/// Column, links and palm: all that is behind a held object.
pub(super) fn links(canvas: &mut Canvas, hand: &Hand) {
    let Pose { elbow, wrist, aim } = pose(hand);
    column(canvas);
    link(canvas, SHOULDER, elbow, 19.0);
    link(canvas, elbow, wrist, 15.0);
    joint(canvas, SHOULDER, 14.0);
    joint(canvas, elbow, 11.5);
    // The palm, across the direction of the hand.
    let across = (aim.1, -aim.0);
    let palm = (wrist.0 + aim.0 * PALM, wrist.1 + aim.1 * PALM);
    canvas.line(&[wrist, palm], 15.0, Ink::Flat(OUTLINE));
    canvas.line(&[wrist, palm], 12.0, Ink::Flat(STEEL));
    let wide = 13.0;
    let bar =
        [(palm.0 - across.0 * wide, palm.1 - across.1 * wide), (palm.0 + across.0 * wide, palm.1 + across.1 * wide)];
    canvas.line(&bar, 8.5, Ink::Flat(RUBBER));
    canvas.line(&bar, 6.0, Ink::Flat(STEEL));
    joint(canvas, wrist, 9.0);
}

/// The fingers: in front of what they hold.
pub(super) fn fingers(canvas: &mut Canvas, hand: &Hand) {
    let Pose { wrist, aim, .. } = pose(hand);
    let across = (aim.1, -aim.0);
    for side in [-1.0, 1.0] {
        let reach = side * (hand.grip + 2.5);
        let along =
            |forward: f32| (wrist.0 + aim.0 * forward + across.0 * reach, wrist.1 + aim.1 * forward + across.1 * reach);
        canvas.line(&[along(PALM + 2.0), along(HAND - 2.0)], 6.5, Ink::Flat(RUBBER));
        canvas.line(&[along(PALM + 2.0), along(HAND - 9.0)], 4.0, Ink::Flat(0x6d_7885));
        canvas.line(&[along(HAND - 7.0), along(HAND - 2.0)], 4.5, Ink::Flat(0xe0_8a2b));
    }
}

fn column(canvas: &mut Canvas) {
    let (x, y) = FOOT;
    canvas.oval((x, y), 31.0, 9.5, Ink::Flat(OUTLINE));
    canvas.oval((x, y - 2.0), 30.0, 8.5, Ink::Flat(0x5b_6775));
    canvas.oval((x, y - 4.5), 25.0, 6.5, Ink::Flat(STEEL));
    let bands = [(15.0, OUTLINE), (13.7, SHELL_DARK), (8.5, SHELL)];
    for (half, rgb) in bands {
        let left = if half == 8.5 { x - 11.0 } else { x - half };
        canvas.card(left, SHOULDER.1 - 4.0, half * 2.0, y - SHOULDER.1 + 1.0, 6.0, Ink::Flat(rgb));
    }
    canvas.card(x - 13.7, y - 30.0, 27.4, 7.0, 1.0, Ink::Flat(JOINT));
}

fn link(canvas: &mut Canvas, from: Spot, to: Spot, width: f32) {
    canvas.line(&[from, to], width + 2.5, Ink::Flat(OUTLINE));
    canvas.line(&[from, to], width, Ink::Flat(SHELL_DARK));
    // Light from above left.
    let shift = |(x, y): Spot| (x - width * 0.07, y - width * 0.15);
    canvas.line(&[shift(from), shift(to)], width * 0.58, Ink::Flat(SHELL));
}

fn joint(canvas: &mut Canvas, (x, y): Spot, radius: f32) {
    canvas.oval((x, y), radius + 1.3, radius + 1.3, Ink::Flat(OUTLINE));
    canvas.oval((x, y), radius, radius, Ink::Flat(JOINT_DARK));
    canvas.oval((x - radius * 0.08, y - radius * 0.1), radius * 0.86, radius * 0.86, Ink::Flat(JOINT));
    canvas.oval((x, y), radius * 0.42, radius * 0.42, Ink::Flat(SHELL));
    canvas.oval((x, y), radius * 0.2, radius * 0.2, Ink::Flat(OUTLINE));
}
