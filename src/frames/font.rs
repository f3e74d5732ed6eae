//! A font of 5 by 7 pixels for captions: digits and what stands beside them.

use image::{Rgb, RgbImage};

/// Pixels of a glyph's height.
pub(super) const GLYPH_HEIGHT: u32 = 7;
const GLYPH_WIDTH: u32 = 5;
const ADVANCE: u32 = GLYPH_WIDTH + 1;

/// Pixels of a line of text.
pub(super) fn width(text: &str) -> u32 {
    u32::try_from(text.chars().count()).unwrap_or(0) * ADVANCE
}

/// Draws a line of text with its upper left corner at (x, y), every pixel of the font a square of `scale` pixels; what
/// leaves the image is cut off.
pub(super) fn draw(image: &mut RgbImage, text: &str, x: u32, y: u32, scale: u32, ink: Rgb<u8>) {
    for (at, letter) in (0u32..).zip(text.chars()) {
        for (row, line) in (0u32..).zip(glyph(letter)) {
            for column in (0..GLYPH_WIDTH).filter(|column| line >> (GLYPH_WIDTH - 1 - column) & 1 == 1) {
                let (left, top) = (x + (at * ADVANCE + column) * scale, y + row * scale);
                for (dx, dy) in (0..scale).flat_map(|dy| (0..scale).map(move |dx| (dx, dy))) {
                    if let Some(pixel) = image.get_pixel_mut_checked(left + dx, top + dy) {
                        *pixel = ink;
                    }
                }
            }
        }
    }
}

/// The rows of a glyph from the top, five bits each; a box for a letter that is not in the font.
fn glyph(letter: char) -> [u8; 7] {
    match letter {
        '0' => [0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110],
        '1' => [0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110],
        '2' => [0b01110, 0b10001, 0b00001, 0b00010, 0b00100, 0b01000, 0b11111],
        '3' => [0b11111, 0b00010, 0b00100, 0b00010, 0b00001, 0b10001, 0b01110],
        '4' => [0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010],
        '5' => [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110],
        '6' => [0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110],
        '7' => [0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000],
        '8' => [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110],
        '9' => [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100],
        '.' => [0, 0, 0, 0, 0, 0b01100, 0b01100],
        '-' => [0, 0, 0, 0b11111, 0, 0, 0],
        '#' => [0b01010, 0b01010, 0b11111, 0b01010, 0b11111, 0b01010, 0b01010],
        's' => [0, 0, 0b01111, 0b10000, 0b01110, 0b00001, 0b11110],
        ' ' => [0; 7],
        _ => [0b11111, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b11111],
    }
}
