//! The objects: each is drawn standing with the middle of its foot at a point, and cast a shadow there.

use super::canvas::{Canvas, Ink, Spot, turn};
use super::furniture;

/// What an object looks like.
#[derive(Clone, Copy)]
pub(super) enum Look {
    /// A cube of a colour.
    Block(u32),
    /// A kitchen sponge.
    Sponge,
    /// An open bin.
    Bin,
    /// A chest of two drawers, its front to the left; driven by how far the top drawer is out, in pixels.
    Chest,
    /// A box with a large push button of a colour; driven by how far it is down, 0 to 1.
    Button(u32),
    /// A bowl.
    Bowl,
    /// A plate.
    Plate,
    /// A towel; driven by how far its left part is folded over, 0 to 1.
    Towel,
    /// A wall cabinet with a door; driven by the angle that the door is open, in degrees.
    Locker,
    /// A cup; driven by the degrees that it leans to the left.
    Cup,
    /// A mug with an ear.
    Mug(u32),
    /// A can with a label.
    Can(u32),
    /// A ball.
    Ball(u32),
    /// A banana.
    Banana,
    /// A lying book.
    Book(u32),
}

/// Side of a block in pixels.
pub(super) const BLOCK: f32 = 28.0;
/// Width and height of the cup.
const CUP: (f32, f32) = (30.0, 42.0);
/// Width of the towel.
const TOWEL: f32 = 116.0;
/// From the towel's left edge to where it is folded: not quite its middle, so that the edges do not meet.
const FOLD: f32 = 48.0;

/// Where a hand takes hold of an object that is driven.
pub(super) fn handle(look: Look, (x, y): Spot, value: f32) -> Spot {
    match look {
        Look::Chest => furniture::chest_handle((x, y), value),
        Look::Locker => furniture::locker_handle((x, y), value),
        Look::Button(_) => (x, y - 33.0 + value * 6.0),
        Look::Cup => turn((x, y - CUP.1 + 9.0), (x + CUP.0 / 2.0 - 4.0, y), -value),
        Look::Towel => {
            let (edge, lift) = towel_edge(x, value);
            (edge, y - 6.0 - lift)
        }
        Look::Bowl => (x - 29.0, y - 22.0),
        _ => (x, y),
    }
}

/// The shadow of an object whose foot is `lift` above the ground.
pub(super) fn shadow(canvas: &mut Canvas, look: Look, (x, y): Spot, lift: f32) {
    let (rx, ry) = match look {
        Look::Block(_) => (23.0, 7.5),
        Look::Sponge => (27.0, 7.5),
        Look::Bin => (39.0, 10.0),
        Look::Button(_) => (40.0, 10.0),
        Look::Bowl => (30.0, 8.0),
        Look::Plate => (44.0, 12.0),
        Look::Cup => (24.0, 7.0),
        Look::Mug(_) | Look::Can(_) => (20.0, 6.5),
        Look::Ball(_) => (17.0, 6.0),
        Look::Banana => (26.0, 6.5),
        Look::Book(_) => (32.0, 8.0),
        Look::Chest => (62.0, 12.0),
        Look::Towel | Look::Locker => return,
    };
    let spread = 1.0 + lift * 0.004;
    canvas.shadow((x + 3.0, y), rx * spread, ry * spread, 0.52 - (lift * 0.003).min(0.30));
}

/// The object.
pub(super) fn paint(canvas: &mut Canvas, look: Look, foot: Spot, value: f32) {
    match look {
        Look::Block(rgb) => block(canvas, foot, rgb),
        Look::Sponge => sponge(canvas, foot),
        Look::Bin => bin(canvas, foot),
        Look::Chest => furniture::chest(canvas, foot, value),
        Look::Button(rgb) => button(canvas, foot, rgb, value),
        Look::Bowl => bowl(canvas, foot),
        Look::Plate => plate(canvas, foot),
        Look::Towel => towel(canvas, foot, value),
        Look::Locker => furniture::locker(canvas, foot, value),
        Look::Cup => cup(canvas, foot, value),
        Look::Mug(rgb) => mug(canvas, foot, rgb),
        Look::Can(rgb) => can(canvas, foot, rgb),
        Look::Ball(rgb) => ball(canvas, foot, rgb),
        Look::Banana => banana(canvas, foot),
        Look::Book(rgb) => book(canvas, foot, rgb),
    }
}

/// `rgb` towards white (above 0) or black (below 0).
pub(super) fn shade(rgb: u32, by: f32) -> u32 {
    let [_, red, green, blue] = rgb.to_be_bytes();
    let goal = if by > 0.0 { 255.0 } else { 0.0 };
    let channel = |c: u8| (f32::from(c) + (goal - f32::from(c)) * by.abs()).round() as u8;
    u32::from_be_bytes([0, channel(red), channel(green), channel(blue)])
}

fn block(canvas: &mut Canvas, (x, y): Spot, rgb: u32) {
    let (half, top, deep) = (BLOCK / 2.0, y - BLOCK, (3.0, 9.0));
    let face = [(x - half, top), (x + half, top), (x + half, y), (x - half, y)];
    let lid = [face[0], face[1], (x + half - deep.0, top - deep.1), (x - half + deep.0, top - deep.1)];
    canvas.area(&face, Ink::Fade(top, shade(rgb, 0.06), y, shade(rgb, -0.20)));
    canvas.area(&lid, Ink::Flat(shade(rgb, 0.34)));
    canvas.edge(&face, 1.1, Ink::Flat(shade(rgb, -0.48)));
    canvas.edge(&lid, 1.1, Ink::Flat(shade(rgb, -0.48)));
}

fn sponge(canvas: &mut Canvas, (x, y): Spot) {
    canvas.card(x - 21.5, y - 18.5, 43.0, 19.0, 4.5, Ink::Flat(0x8a_6a12));
    canvas.card(x - 20.5, y - 17.5, 41.0, 17.0, 4.0, Ink::Fade(y - 18.0, 0xff_dd55, y, 0xe9_b52c));
    canvas.card(x - 20.5, y - 17.5, 41.0, 6.5, 3.0, Ink::Flat(0x4c_9a57));
    for (dx, dy, r) in [(-14.0, -5.0, 1.5), (-6.0, -8.0, 1.1), (1.0, -4.0, 1.6), (9.0, -7.5, 1.3), (15.0, -4.0, 1.1)] {
        canvas.oval((x + dx, y + dy), r, r, Ink::Flat(0xc8_951f));
    }
}

fn bin(canvas: &mut Canvas, (x, y): Spot) {
    let (top, mouth, base) = (y - 58.0, 37.0, 27.0);
    canvas.oval((x, top), mouth + 2.5, 10.0, Ink::Flat(0x26_4653));
    canvas.oval((x, top + 0.5), mouth - 1.5, 7.5, Ink::Fade(top - 8.0, 0x16_2a32, top + 8.0, 0x2c_4c59));
    let wall = [(x - mouth - 2.0, top), (x + mouth + 2.0, top), (x + base, y - 2.0), (x - base, y - 2.0)];
    // The front wall leaves the back half of the mouth to be seen.
    let front = [
        wall[0],
        (x - mouth * 0.55, top + 7.0),
        (x, top + 9.5),
        (x + mouth * 0.55, top + 7.0),
        wall[1],
        wall[2],
        (x + base * 0.5, y + 3.0),
        (x - base * 0.5, y + 3.0),
        wall[3],
    ];
    canvas.area(&front, Ink::Fade(top, 0x4f_93a5, y, 0x35_6b7b));
    canvas.edge(&front, 1.2, Ink::Flat(0x1d_3a45));
    for dx in [-0.5, 0.0, 0.5] {
        canvas.line(&[(x + mouth * dx, top + 18.0), (x + base * dx, y - 6.0)], 3.0, Ink::Glass(0x12_2a33, 0.28));
    }
}

fn button(canvas: &mut Canvas, (x, y): Spot, rgb: u32, down: f32) {
    let top = y - 18.0;
    canvas.card(x - 32.0, top - 4.0, 64.0, 22.5, 4.0, Ink::Flat(0x2b_3036));
    canvas.card(x - 31.0, top - 3.0, 62.0, 20.5, 3.5, Ink::Fade(top, 0x70_7a84, y, 0x4b_545d));
    canvas.oval((x, top), 23.0, 6.5, Ink::Flat(0x2b_3036));
    let lit = down > 0.85;
    let cap = top - 13.0 + down * 8.0;
    let body = if lit { shade(rgb, 0.30) } else { rgb };
    canvas.card(x - 18.5, cap, 37.0, top - cap + 2.0, 3.0, Ink::Fade(cap, body, top, shade(body, -0.35)));
    canvas.oval((x, cap), 18.5, 5.6, Ink::Flat(shade(body, 0.30)));
    canvas.ring((x, cap), 18.5, 5.6, 1.0, Ink::Flat(shade(rgb, -0.45)));
    canvas.oval((x + 24.5, y - 8.0), 3.4, 3.4, Ink::Flat(if lit { 0x8d_ff9a } else { 0x1f_2429 }));
}

fn bowl(canvas: &mut Canvas, (x, y): Spot) {
    let rim = y - 25.0;
    let body = [
        (x - 30.0, rim),
        (x - 27.0, rim + 10.0),
        (x - 20.0, y - 6.0),
        (x - 12.0, y),
        (x + 12.0, y),
        (x + 20.0, y - 6.0),
        (x + 27.0, rim + 10.0),
        (x + 30.0, rim),
    ];
    canvas.area(&body, Ink::Fade(rim, 0xf0_f3f7, y, 0xa8_b4c4));
    canvas.edge(&body, 1.2, Ink::Flat(0x5b_6779));
    canvas.line(&[(x - 27.0, rim + 9.0), (x + 27.0, rim + 9.0)], 3.2, Ink::Flat(0x3f_6fb0));
    canvas.oval((x, rim), 30.0, 8.0, Ink::Flat(0xff_ffff));
    canvas.oval((x, rim + 1.0), 26.0, 6.0, Ink::Fade(rim - 6.0, 0x9c_a9ba, rim + 7.0, 0xe1_e6ed));
    canvas.ring((x, rim), 30.0, 8.0, 1.1, Ink::Flat(0x5b_6779));
}

fn plate(canvas: &mut Canvas, (x, y): Spot) {
    canvas.oval((x, y - 2.0), 41.0, 11.0, Ink::Flat(0x8c_4a3c));
    canvas.oval((x, y - 4.0), 41.0, 11.0, Ink::Flat(0xe5_8a6f));
    canvas.oval((x, y - 4.0), 31.0, 7.8, Ink::Flat(0xf7_d9cb));
    canvas.oval((x, y - 3.6), 28.0, 6.6, Ink::Flat(0xff_f1ea));
    canvas.ring((x, y - 4.0), 41.0, 11.0, 1.0, Ink::Flat(0x8c_4a3c));
}

/// The moving edge of the towel: its x, and its height above the table.
fn towel_edge(x: f32, folded: f32) -> (f32, f32) {
    let (sin, cos) = (folded * std::f32::consts::PI).sin_cos();
    (x - TOWEL / 2.0 + FOLD - cos * FOLD, sin * FOLD * 0.85)
}

fn towel(canvas: &mut Canvas, (x, y): Spot, folded: f32) {
    let (left, right, deep, slant) = (x - TOWEL / 2.0, x + TOWEL / 2.0, 34.0, 10.0);
    let crease = left + FOLD;
    let quad = |a: f32, b: f32, rise: f32| {
        [(a + slant, y - deep - rise), (b + slant, y - deep), (b - slant, y), (a - slant, y - rise)]
    };
    let flat = |c: &mut Canvas, a: f32, b: f32| {
        let sheet = quad(a, b, 0.0);
        c.area(&sheet.map(|(px, py)| (px + 3.0, py + 3.0)), Ink::Glass(0x1c_1410, 0.25));
        c.area(&sheet, Ink::Fade(y - deep, 0xe4_6a6f, y, 0xc9_4c55));
        c.edge(&sheet, 1.1, Ink::Flat(0x85_2831));
    };
    flat(canvas, if folded > 0.0 { crease } else { left }, right);
    for stripe in [right - 18.0, right - 11.0] {
        let band = quad(stripe, stripe + 3.6, 0.0);
        canvas.area(&band, Ink::Flat(0xff_eef0));
    }
    if folded > 0.0 {
        let (edge, lift) = towel_edge(x, folded);
        let lift = lift.max(2.5 * folded);
        let over = edge > crease;
        let flap = quad(edge, crease, lift);
        canvas.area(&flap.map(|(px, py)| (px + 2.0, py + lift * 0.8 + 3.0)), Ink::Glass(0x1c_1410, 0.20));
        let (light, dark) = if over { (0xf6_a9a6, 0xe6_8887) } else { (0xe4_6a6f, 0xc9_4c55) };
        canvas.area(&flap, Ink::Fade(y - deep - lift, light, y, dark));
        canvas.edge(&flap, 1.1, Ink::Flat(0x85_2831));
    } else {
        canvas.area(&quad(left + 8.0, left + 11.6, 0.0), Ink::Flat(0xff_eef0));
    }
}

fn cup(canvas: &mut Canvas, (x, y): Spot, leaning: f32) {
    let (half, top) = (CUP.0 / 2.0, y - CUP.1);
    let pivot = (x + half - 4.0, y);
    let at = |px: f32, py: f32| turn((px, py), pivot, -leaning);
    let body = [at(x - half, top), at(x + half, top), at(x + half - 4.0, y), at(x - half + 4.0, y)];
    canvas.area(&body, Ink::Flat(0x36_8f8b));
    let lit = [at(x - half + 3.0, top), at(x - half + 10.0, top), at(x - half + 12.0, y), at(x - half + 6.0, y)];
    canvas.area(&lit, Ink::Glass(0xff_ffff, 0.28));
    let band = [at(x - half + 1.2, top + 13.0), at(x + half - 1.2, top + 13.0)];
    canvas.line(&band, 4.0, Ink::Flat(0xf4_e9d0));
    canvas.edge(&body, 1.2, Ink::Flat(0x17_4d4b));
    // The mouth: an ellipse seen from above when upright, from the side when lying.
    let mouth: Vec<Spot> = (0_u8..24)
        .map(|step| {
            let (sin, cos) = (f32::from(step) * 15.0).to_radians().sin_cos();
            at(x + cos * half, top + sin * 4.6)
        })
        .collect();
    canvas.area(&mouth, Ink::Flat(0x1f_5f5c));
    canvas.edge(&mouth, 2.0, Ink::Flat(0x6c_c3be));
}

fn mug(canvas: &mut Canvas, (x, y): Spot, rgb: u32) {
    let top = y - 30.0;
    canvas.ring((x + 15.0, y - 16.0), 8.0, 9.0, 5.5, Ink::Flat(shade(rgb, -0.45)));
    canvas.ring((x + 15.0, y - 16.0), 8.0, 9.0, 3.2, Ink::Flat(shade(rgb, -0.1)));
    canvas.card(x - 15.0, top, 30.0, 31.0, 5.0, Ink::Flat(shade(rgb, -0.45)));
    canvas.card(x - 14.0, top + 1.0, 28.0, 29.0, 4.5, Ink::Fade(top, shade(rgb, 0.1), y, shade(rgb, -0.2)));
    canvas.card(x - 11.0, top + 5.0, 5.0, 20.0, 2.5, Ink::Glass(0xff_ffff, 0.30));
    canvas.oval((x, top + 1.0), 14.5, 4.2, Ink::Flat(shade(rgb, -0.45)));
    canvas.oval((x, top + 1.3), 12.5, 3.2, Ink::Flat(0x3b_2a22));
}

fn can(canvas: &mut Canvas, (x, y): Spot, rgb: u32) {
    let top = y - 38.0;
    canvas.card(x - 13.0, top, 26.0, 39.0, 5.0, Ink::Flat(0x5e_666e));
    canvas.card(x - 12.0, top + 1.0, 24.0, 37.0, 4.5, Ink::Fade(top, 0xe8_ecf0, y, 0xaa_b2ba));
    canvas.area(
        &[(x - 12.0, top + 8.0), (x + 12.0, top + 8.0), (x + 12.0, y - 6.0), (x - 12.0, y - 6.0)],
        Ink::Fade(top, shade(rgb, 0.08), y, shade(rgb, -0.2)),
    );
    canvas.oval((x, y - 18.0), 6.5, 6.5, Ink::Glass(0xff_ffff, 0.75));
    canvas.oval((x, top + 1.5), 12.0, 3.6, Ink::Flat(0xc8_ced4));
    canvas.ring((x, top + 1.5), 12.0, 3.6, 1.0, Ink::Flat(0x5e_666e));
}

fn ball(canvas: &mut Canvas, (x, y): Spot, rgb: u32) {
    canvas.oval((x, y - 14.0), 14.0, 14.0, Ink::Flat(shade(rgb, -0.42)));
    canvas.oval((x - 0.3, y - 14.4), 12.8, 12.8, Ink::Fade(y - 28.0, shade(rgb, 0.18), y, shade(rgb, -0.18)));
    canvas.oval((x - 4.5, y - 19.5), 4.2, 3.2, Ink::Glass(0xff_ffff, 0.55));
}

fn banana(canvas: &mut Canvas, (x, y): Spot) {
    let bend = [(x - 20.0, y - 15.0), (x - 13.0, y - 8.0), (x, y - 5.0), (x + 13.0, y - 8.0), (x + 20.0, y - 15.0)];
    canvas.line(&bend, 10.5, Ink::Flat(0x9a_7614));
    canvas.line(&bend, 8.5, Ink::Flat(0xf2_cd3e));
    canvas.line(&bend.map(|(px, py)| (px, py - 1.6)), 2.6, Ink::Flat(0xff_e98a));
    canvas.line(&[(x + 20.0, y - 15.0), (x + 23.0, y - 20.0)], 4.0, Ink::Flat(0x6b_5413));
}

fn book(canvas: &mut Canvas, (x, y): Spot, rgb: u32) {
    let top = [(x - 20.0, y - 22.0), (x + 28.0, y - 22.0), (x + 22.0, y - 8.0), (x - 28.0, y - 8.0)];
    canvas.area(&[(x - 28.0, y - 8.0), (x + 22.0, y - 8.0), (x + 22.0, y), (x - 28.0, y)], Ink::Flat(0xf3_eedf));
    canvas
        .area(&[(x + 22.0, y - 8.0), (x + 28.0, y - 22.0), (x + 28.0, y - 14.0), (x + 22.0, y)], Ink::Flat(0xd8_d0bc));
    canvas.line(&[(x - 27.5, y), (x + 22.0, y), (x + 28.0, y - 14.0)], 1.8, Ink::Flat(shade(rgb, -0.3)));
    canvas.area(&top, Ink::Fade(y - 22.0, shade(rgb, 0.12), y - 8.0, shade(rgb, -0.05)));
    canvas.edge(&top, 1.1, Ink::Flat(shade(rgb, -0.45)));
    canvas.line(&[(x - 12.0, y - 17.0), (x + 14.0, y - 17.0)], 2.2, Ink::Glass(0xff_ffff, 0.65));
}
