//! Pictures by sixel graphics (DEC VT340; <https://vt100.net/docs/vt3xx-gp/chapter14.html>).

use std::fmt::Write;

use super::picture::COLUMN_PIXELS;
use crate::frames::resize::resize;

/// Levels of red, green and blue: 6 x 7 x 6 colours, within the 256 registers that terminals have. The eye is keenest
/// for green.
const LEVELS: [usize; 3] = [6, 7, 6];

/// Thresholds of ordered dithering (Bayer), in sixteenths.
const BAYER: [[usize; 4]; 4] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];

/// The picture in a fixed palette with ordered dithering, 8 pixels a column.
pub(super) fn picture(rgb: &[u8], width: u32, height: u32, columns: usize) -> Option<String> {
    let most = u32::try_from(columns).ok()?.saturating_mul(COLUMN_PIXELS);
    let wide = width.min(most);
    if wide == 0 || height == 0 || rgb.len() != width as usize * height as usize * 3 {
        return None;
    }
    let high = (f64::from(height) * f64::from(wide) / f64::from(width)).round().max(1.0) as u32;
    let small = resize(rgb, (width, height), (wide, high)).ok()?;
    let (wide, high) = (wide as usize, high as usize);
    let colors: Vec<usize> = small
        .chunks_exact(3)
        .enumerate()
        .map(|(place, pixel)| register(pixel, BAYER[place / wide % 4][place % wide % 4]))
        .collect();

    // Square pixels; what is not drawn stays as it was.
    let mut picture = format!("\x1bP0;1q\"1;1;{wide};{high}");
    let mut used: Vec<usize> = colors.clone();
    used.sort_unstable();
    used.dedup();
    for register in &used {
        let [red, green, blue] = percent(*register);
        let _ = write!(picture, "#{register};2;{red};{green};{blue}");
    }
    for band in colors.chunks(wide * 6) {
        let mut here = band.to_vec();
        here.sort_unstable();
        here.dedup();
        for register in here {
            let _ = write!(picture, "#{register}");
            let sixels = (0..wide).map(|x| {
                let rows = band.iter().skip(x).step_by(wide).enumerate();
                rows.fold(0_u8, |bits, (y, color)| bits | u8::from(*color == register) << y)
            });
            runs(sixels, &mut picture);
            // Back to the left edge for the next colour.
            picture.push('$');
        }
        picture.push('-');
    }
    picture.push_str("\x1b\\\n");
    Some(picture)
}

/// Sixels as characters, repeated ones by their number.
fn runs(sixels: impl Iterator<Item = u8>, picture: &mut String) {
    let mut run = (0_usize, 0_u8);
    let mut put = |(length, bits): (usize, u8)| {
        let letter = char::from(b'?' + bits);
        match length {
            0..=3 => (0..length).for_each(|_| picture.push(letter)),
            _ => {
                let _ = write!(picture, "!{length}{letter}");
            }
        }
    };
    for bits in sixels {
        if bits == run.1 {
            run.0 += 1;
        } else {
            put(std::mem::replace(&mut run, (1, bits)));
        }
    }
    // Blanks at the end of a line need not be drawn.
    if run.1 != 0 {
        put(run);
    }
}

/// The register of a pixel's colour, dithered by a threshold of 0 to 15.
fn register(pixel: &[u8], threshold: usize) -> usize {
    pixel.iter().zip(LEVELS).fold(0, |register, (value, levels)| {
        // In units of a 16th of a step between two levels.
        let place = usize::from(*value) * (levels - 1) * 16 / 255;
        register * levels + ((place + threshold) / 16).min(levels - 1)
    })
}

/// The colour of a register in per cent, as the protocol has it.
fn percent(register: usize) -> [usize; 3] {
    let [_, green, blue] = LEVELS;
    let levels = [register / (green * blue), register / blue % green, register % blue];
    let mut percent = [0; 3];
    for ((to, level), levels) in percent.iter_mut().zip(levels).zip(LEVELS) {
        *to = level * 100 / (levels - 1);
    }
    percent
}
