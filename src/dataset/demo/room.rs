//! Wall and table: what every scene stands in.

use super::canvas::{Canvas, Ink};
use super::{HEIGHT, WIDTH};

/// The colours of a room, so that scenes are told apart at a glance.
#[derive(Clone, Copy)]
pub(super) struct Room {
    /// The wall above and below.
    pub wall: (u32, u32),
    /// The table at its back and at its front.
    pub table: (u32, u32),
}

pub(super) const OAK: Room = Room { wall: (0xdf_e8ee, 0xc4_d2dc), table: (0xd9_b68c, 0xbd_9163) };
pub(super) const BIRCH: Room = Room { wall: (0xe9_e6dc, 0xd2_cdbd), table: (0xec_dcc0, 0xcf_b68e) };
pub(super) const SLATE: Room = Room { wall: (0xdc_e7df, 0xbf_d0c4), table: (0xa9_b3ba, 0x84_9099) };
pub(super) const WALNUT: Room = Room { wall: (0xe8_e0ea, 0xcd_c2d3), table: (0xb0_8866, 0x87_6246) };

/// Where the table meets the wall.
const BACK: f32 = 146.0;
/// Where its front edge is.
const FRONT: f32 = 226.0;

/// The empty room.
pub(super) fn paint(room: &Room) -> Canvas {
    let mut canvas = Canvas::new(WIDTH, HEIGHT);
    let (width, height) = (WIDTH as f32, HEIGHT as f32);
    canvas.area(
        &[(0.0, 0.0), (width, 0.0), (width, height), (0.0, height)],
        Ink::Fade(0.0, room.wall.0, BACK, room.wall.1),
    );
    // Daylight from a window to the left.
    for (left, right) in [(92.0, 128.0), (134.0, 170.0)] {
        canvas
            .area(&[(left, 0.0), (right, 0.0), (right + 52.0, BACK), (left + 52.0, BACK)], Ink::Glass(0xff_ffff, 0.20));
    }
    canvas.area(&[(0.0, BACK - 7.0), (width, BACK - 7.0), (width, BACK), (0.0, BACK)], Ink::Glass(0xff_ffff, 0.35));
    canvas.area(
        &[(0.0, BACK), (width, BACK), (width, FRONT), (0.0, FRONT)],
        Ink::Fade(BACK, room.table.0, FRONT, room.table.1),
    );
    canvas.area(&[(0.0, BACK), (width, BACK), (width, BACK + 5.0), (0.0, BACK + 5.0)], Ink::Glass(0x2a_1c10, 0.16));
    // Boards that run to one vanishing point.
    for board in -3_i16..=12 {
        let near = f32::from(board) * 44.0 - 64.0;
        let far = 160.0 + (near - 160.0) * 0.62;
        canvas.line(&[(far, BACK + 1.0), (near, FRONT)], 0.9, Ink::Glass(0x2a_1c10, 0.15));
    }
    canvas.area(
        &[(0.0, FRONT), (width, FRONT), (width, height), (0.0, height)],
        Ink::Fade(FRONT, room.table.1, height + 12.0, 0x3a_2a1e),
    );
    canvas.line(&[(0.0, FRONT), (width, FRONT)], 1.6, Ink::Glass(0xff_f4e2, 0.55));
    canvas
}
