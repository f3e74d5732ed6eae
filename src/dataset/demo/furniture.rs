//! The two objects with moving parts that are larger than a hand: a chest of drawers and a cabinet with a door.

use super::canvas::{Canvas, Ink, Spot};

/// What lies deeper is drawn further to the left and up: the fronts of the chest face left.
const DEEP: Spot = (-20.0, -17.0);
const CHEST_WIDE: f32 = 92.0;
const CHEST_HIGH: f32 = 104.0;
/// Top and bottom of each drawer, from the chest's top.
const DRAWERS: [(f32, f32); 2] = [(9.0, 47.0), (54.0, 97.0)];

/// Where the handle of the top drawer is.
pub(super) fn chest_handle((x, y): Spot, out: f32) -> Spot {
    let top = y - CHEST_HIGH;
    (x - CHEST_WIDE / 2.0 + DEEP.0 / 2.0 - out - 7.0, top + (DRAWERS[0].0 + DRAWERS[0].1) / 2.0 + DEEP.1 / 2.0)
}

pub(super) fn chest(canvas: &mut Canvas, (x, y): Spot, out: f32) {
    let (left, right, top) = (x - CHEST_WIDE / 2.0, x + CHEST_WIDE / 2.0, y - CHEST_HIGH);
    let back = |(px, py): Spot| (px + DEEP.0, py + DEEP.1);
    let line = Ink::Flat(0x4e_3524);
    let lid = [(left, top), (right, top), back((right, top)), back((left, top))];
    let side = [(left, top), (right, top), (right, y), (left, y)];
    let front = [(left, top), (left, y), back((left, y)), back((left, top))];
    canvas.area(&front, Ink::Fade(top, 0x8f_5f3c, y, 0x76_4b2d));
    canvas.area(&lid, Ink::Flat(0xe3_b184));
    canvas.area(&side, Ink::Fade(top, 0xc9_9062, y, 0xa8_7147));
    for grain in [0.26, 0.52, 0.78] {
        let gx = left + CHEST_WIDE * grain;
        canvas.line(&[(gx, top + 5.0), (gx + 2.0, y - 5.0)], 0.9, Ink::Glass(0x4e_3524, 0.22));
    }
    for shape in [&front, &lid, &side] {
        canvas.edge(shape, 1.3, line);
    }
    for (drawer, (high, low)) in DRAWERS.into_iter().enumerate() {
        let out = if drawer == 0 { out } else { 0.0 };
        let (high, low) = (top + high, top + low);
        let face_x = left - out;
        if out > 0.5 {
            // The hole, the box's side towards us, and its open top.
            canvas.area(&[(left, high), (left, low), back((left, low)), back((left, high))], Ink::Flat(0x2a_1b11));
            canvas.shadow((left - out / 2.0 - 8.0, y + 1.0), out * 0.6 + 12.0, 7.0, 0.40);
            let inside = [(face_x, high), (left, high), back((left, high)), back((face_x, high))];
            canvas.area(&inside, Ink::Flat(0x3c_2819));
            let floor = [(face_x + 2.0, high), (left, high), (left - 8.0, high - 7.0), (face_x - 6.0, high - 7.0)];
            canvas.area(&floor, Ink::Flat(0x7d_5638));
            let box_side = [(face_x, high), (left, high), (left, low - 3.0), (face_x, low - 3.0)];
            canvas.area(&box_side, Ink::Fade(high, 0xf0_cfa4, low, 0xd0_a676));
            canvas.edge(&inside, 1.2, line);
            canvas.edge(&box_side, 1.2, line);
        }
        let face = [(face_x, high), (face_x, low), back((face_x, low)), back((face_x, high))];
        canvas.area(&face, Ink::Fade(high - 16.0, 0xd8_9f6d, low, 0xb4_7c4d));
        canvas.edge(&face, 1.3, line);
        let (hx, hy) = (face_x + DEEP.0 / 2.0, f32::midpoint(high, low) + DEEP.1 / 2.0);
        canvas.line(&[(hx, hy), (hx - 7.0, hy)], 7.5, Ink::Flat(0x2c_3036));
        canvas.line(&[(hx - 5.0, hy), (hx - 7.0, hy)], 5.0, Ink::Flat(0xd6_dade));
    }
}

const LOCKER_WIDE: f32 = 92.0;
const LOCKER_HIGH: f32 = 104.0;
/// How much of the door's width is seen, and how far down its free edge comes, when it stands open.
const SWING: f32 = 0.26;

/// The free edge of the door at `angle`, from the hinge: to the right, and down.
fn swing(angle: f32) -> Spot {
    let (sin, cos) = angle.to_radians().sin_cos();
    (cos * (LOCKER_WIDE - 8.0), sin * (LOCKER_WIDE - 8.0) * SWING)
}

/// Where the hand pushes the door: at its free edge, above its middle.
pub(super) fn locker_handle((x, y): Spot, angle: f32) -> Spot {
    let (wide, near) = swing(angle);
    (x - LOCKER_WIDE / 2.0 + 4.0 + wide * 0.86, y - LOCKER_HIGH * 0.50 + near * 0.86)
}

pub(super) fn locker(canvas: &mut Canvas, (x, y): Spot, angle: f32) {
    let (left, right, top) = (x - LOCKER_WIDE / 2.0, x + LOCKER_WIDE / 2.0, y - LOCKER_HIGH);
    let line = Ink::Flat(0x2d_3c48);
    canvas.shadow((x + 4.0, y + 1.0), LOCKER_WIDE * 0.62, 9.0, 0.45);
    let lid = [(left, top), (right, top), (right - 9.0, top - 9.0), (left + 9.0, top - 9.0)];
    canvas.area(&lid, Ink::Flat(0xa9_c0cf));
    canvas.edge(&lid, 1.2, line);
    canvas.card(left, top, LOCKER_WIDE, LOCKER_HIGH, 2.0, Ink::Flat(0x2d_3c48));
    canvas.card(left + 1.2, top + 1.2, LOCKER_WIDE - 2.4, LOCKER_HIGH - 2.4, 2.0, Ink::Flat(0x7f_9bad));
    canvas.card(
        left + 6.0,
        top + 6.0,
        LOCKER_WIDE - 12.0,
        LOCKER_HIGH - 12.0,
        1.0,
        Ink::Fade(top, 0x23_2f38, y, 0x3a_4b57),
    );
    // A shelf and what stands on it.
    let shelf = top + 54.0;
    jar(canvas, (left + 28.0, shelf), 0xe0_8a2b);
    jar(canvas, (left + 48.0, shelf), 0x7a_b648);
    jar(canvas, (right - 20.0, shelf), 0xc2_4d5c);
    canvas.line(&[(left + 7.0, shelf + 2.0), (right - 7.0, shelf + 2.0)], 4.0, Ink::Flat(0x8f_a9ba));
    jar(canvas, (left + 36.0, y - 7.0), 0x5b_8fd0);
    jar(canvas, (right - 26.0, y - 7.0), 0xd9_c04a);

    let hinge = left + 4.0;
    let (wide, near) = swing(angle);
    let (high, low) = (top + 4.0, y - 4.0);
    // The near edge of an open door is larger: it is closer to us, below and above.
    let door = [(hinge, high), (hinge + wide, high - near * 0.42), (hinge + wide, low + near), (hinge, low)];
    if near > 2.0 {
        let foot = [
            (hinge, low + 3.0),
            (hinge + wide, low + near + 3.0),
            (hinge + wide + 16.0, low + near + 1.0),
            (right, low + 4.0),
        ];
        canvas.area(&foot, Ink::Glass(0x1c_1410, 0.18));
    }
    canvas.area(&door, Ink::Fade(high, 0xd3_e2ec, low, 0xa3_bccb));
    canvas.edge(&door, 1.5, line);
    // A panel inset, and a knob near the free edge.
    let point = |along: f32, down: f32| {
        let upper = high - near * 0.42 * along;
        let lower = low + near * along;
        (hinge + wide * along, upper + (lower - upper) * down)
    };
    let panel = [point(0.14, 0.08), point(0.84, 0.08), point(0.84, 0.92), point(0.14, 0.92)];
    canvas.edge(&panel, 1.1, Ink::Glass(0x2d_3c48, 0.55));
    let knob = point(0.90, 0.52);
    canvas.oval(knob, 3.8, 4.4, line);
    canvas.oval((knob.0 - 0.5, knob.1 - 0.8), 2.4, 3.0, Ink::Flat(0xf0_d58a));
}

fn jar(canvas: &mut Canvas, (x, y): Spot, rgb: u32) {
    canvas.card(x - 7.5, y - 24.0, 15.0, 24.0, 3.0, Ink::Flat(super::props::shade(rgb, -0.15)));
    canvas.card(x - 5.0, y - 20.0, 3.5, 15.0, 1.5, Ink::Glass(0xff_ffff, 0.35));
    canvas.card(x - 6.5, y - 28.0, 13.0, 5.0, 1.5, Ink::Flat(0xd9_dee2));
}
