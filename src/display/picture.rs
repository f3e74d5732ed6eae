//! Pictures by characters.

use std::fmt::Write;

use base64::Engine as _;

use super::terminal::{Color, Graphics, Terminal};
use super::{iterm, kitty, sixel, text};
use crate::frames::resize::resize;

/// An 8-bit RGB picture at most `columns` wide, in lines each ended by a line feed; `what` says in words what it shows.
///
/// On a terminal by its [`Graphics`]; with half blocks two pixels share a character: the upper one is the colour of a
/// half block, the lower one that of its ground. Elsewhere, and where `rgb` is not `width * height * 3` bytes, one line says what would be there:
/// `[picture, 320 x 240: demo:drawer at 3.0 s]`.
pub fn picture(rgb: &[u8], width: u32, height: u32, columns: usize, what: &str, terminal: &Terminal) -> String {
    let columns = terminal.columns(columns);
    let drawn = match terminal.graphics() {
        Graphics::HalfBlocks => half_blocks(rgb, width, height, columns, terminal.color()),
        Graphics::Kitty => kitty::picture(rgb, width, height, columns),
        Graphics::Iterm => iterm::picture(rgb, width, height, columns),
        Graphics::Sixel => sixel::picture(rgb, width, height, columns),
        Graphics::None => None,
    };
    drawn.unwrap_or_else(|| {
        let line = format!("[picture, {width} x {height}: {}]", text::clean(what));
        let sign = terminal.either("…]", "...]");
        match terminal.width() {
            Some(room) => format!("{}\n", text::shorten(&line, room, sign)),
            None => format!("{line}\n"),
        }
    })
}

/// A picture that comes as a PNG file in base64, as notebooks are given it; `None` where it is none.
pub fn picture_of_png(base64: &str, columns: usize, what: &str, terminal: &Terminal) -> Option<String> {
    let file = base64::engine::general_purpose::STANDARD.decode(base64.trim()).ok()?;
    let image = image::load_from_memory_with_format(&file, image::ImageFormat::Png).ok()?.into_rgb8();
    Some(picture(image.as_raw(), image.width(), image.height(), columns, what, terminal))
}

/// Pixels that a column of a terminal is taken for, where a protocol is not told in columns and to choose a size that
/// leaves small pictures small.
pub(super) const COLUMN_PIXELS: u32 = 8;

/// The picture as a PNG file, and the columns that it takes: at most `columns`, and no more than its pixels fill.
pub(super) fn png(rgb: &[u8], width: u32, height: u32, columns: usize) -> Option<(Vec<u8>, u32)> {
    let columns = u32::try_from(columns).ok()?.min(width.div_ceil(COLUMN_PIXELS));
    if columns == 0 || height == 0 || rgb.len() != width as usize * height as usize * 3 {
        return None;
    }
    let mut file = Vec::new();
    let encoder = image::codecs::png::PngEncoder::new(&mut file);
    image::ImageEncoder::write_image(encoder, rgb, width, height, image::ExtendedColorType::Rgb8).ok()?;
    Some((file, columns))
}

fn half_blocks(rgb: &[u8], width: u32, height: u32, columns: usize, color: Color) -> Option<String> {
    let wide = u32::try_from(columns).ok()?.min(width);
    if wide == 0 || height == 0 {
        return None;
    }
    // A character is about twice as high as wide, so that half of one is square.
    let high = (f64::from(height) * f64::from(wide) / f64::from(width) / 2.0).round().max(1.0) as u32 * 2;
    let small = resize(rgb, (width, height), (wide, high)).ok()?;
    let row_bytes = wide as usize * 3;
    let mut picture = String::with_capacity(small.len() * 8);
    for pair in small.chunks_exact(row_bytes * 2) {
        let (upper, lower) = pair.split_at(row_bytes);
        let mut last = None;
        for (above, below) in upper.chunks_exact(3).zip(lower.chunks_exact(3)) {
            let colors = (code(above, color), code(below, color));
            if last.as_ref() != Some(&colors) {
                let (above, below) = &colors;
                let _ = write!(picture, "\x1b[38;{above};48;{below}m");
                last = Some(colors);
            }
            picture.push('▀');
        }
        picture.push_str("\x1b[0m\n");
    }
    Some(picture)
}

/// The colour as the parameters of `38;` and `48;`.
fn code(pixel: &[u8], color: Color) -> String {
    let &[red, green, blue] = pixel else { return "5;0".to_owned() };
    if color == Color::True { format!("2;{red};{green};{blue}") } else { format!("5;{}", nearest(red, green, blue)) }
}

/// The nearest of the 6 x 6 x 6 cube (16 to 231) and the grey ramp (232 to 255) of the palette of 256, as xterm has it.
fn nearest(red: u8, green: u8, blue: u8) -> u8 {
    const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let level = |value: u8| -> (u8, u8) {
        (0_u8..).zip(LEVELS).min_by_key(|(_, level)| level.abs_diff(value)).unwrap_or_default()
    };
    let distance = |r: u8, g: u8, b: u8| -> u32 {
        [(r, red), (g, green), (b, blue)].iter().map(|(a, b)| u32::from(a.abs_diff(*b)).pow(2)).sum()
    };
    let (r, g, b) = (level(red), level(green), level(blue));
    let cube = (distance(r.1, g.1, b.1), 16 + 36 * r.0 + 6 * g.0 + b.0);
    (0_u8..24)
        .map(|step| {
            let grey = 8 + 10 * step;
            (distance(grey, grey, grey), 232 + step)
        })
        .chain([cube])
        .min()
        .map_or(16, |(_, index)| index)
}
