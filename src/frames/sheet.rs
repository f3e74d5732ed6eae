//! Contact sheets: all frames of a trajectory on one page, each with its index and time.

use image::{Rgb, RgbImage, imageops};

use super::font::{self, GLYPH_HEIGHT};
use super::{Frame, Frames};
use crate::{Error, Result};

/// How a contact sheet is laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SheetOptions {
    /// Frames a row; `None` finds a number that makes the page about as wide as a screen.
    pub columns: Option<usize>,
    /// Pixels of each frame's width; frames are never enlarged.
    pub frame_width: u32,
    /// At most so many frames, by the rule's down-sampling.
    pub max_frames: usize,
    /// Dark page instead of a light one.
    pub dark: bool,
}

impl Default for SheetOptions {
    fn default() -> Self {
        Self { columns: None, frame_width: 240, max_frames: 64, dark: false }
    }
}

const GAP: u32 = 8;
const SCALE: u32 = 2;
const CAPTION: u32 = GLYPH_HEIGHT * SCALE + 8;

/// Draws a contact sheet: under each frame its index and time in the trajectory (`#25  1.00 s`).
///
/// # Errors
/// Where there are no frames or the options leave no room for any.
pub fn contact_sheet(frames: &Frames, options: &SheetOptions) -> Result<RgbImage> {
    if options.columns == Some(0) || options.frame_width == 0 || options.max_frames == 0 {
        return Err(Error::usage("a contact sheet needs at least one column, one pixel and one frame"));
    }
    let shown = frames.down_sample(options.max_frames);
    if shown.frames.is_empty() {
        return Err(Error::input(format!("{} has no frames to show", frames.source)));
    }
    let thumbs: Vec<Thumb> =
        shown.frames.iter().map(|frame| Thumb::new(frame, options.frame_width)).collect::<Result<_>>()?;
    let most = |side: fn(&Thumb) -> u32| thumbs.iter().map(side).max().unwrap_or(1);
    let cell_width = most(|thumb| thumb.image.width().max(font::width(&thumb.caption) * SCALE)) + GAP;
    let cell_height = most(|thumb| thumb.image.height()) + CAPTION + GAP;
    let columns = options.columns.unwrap_or_else(|| (1300 / cell_width as usize).clamp(1, 6));
    let columns = columns.min(thumbs.len());
    let rows = thumbs.len().div_ceil(columns);
    let side = |cells: usize, cell: u32| {
        u32::try_from(cells).ok().and_then(|cells| cells.checked_mul(cell)).and_then(|side| side.checked_add(GAP))
    };
    let (Some(width), Some(height)) = (side(columns, cell_width), side(rows, cell_height)) else {
        return Err(Error::usage("so many frames of that width do not fit on one contact sheet"));
    };
    let (page, ink) = if options.dark { ([24, 24, 27], [228, 228, 231]) } else { ([255, 255, 255], [39, 39, 42]) };
    let mut sheet = RgbImage::from_pixel(width, height, Rgb(page));
    for (at, thumb) in thumbs.iter().enumerate() {
        let x = GAP + (at % columns) as u32 * cell_width;
        let y = GAP + (at / columns) as u32 * cell_height;
        imageops::replace(&mut sheet, &thumb.image, i64::from(x), i64::from(y));
        font::draw(&mut sheet, &thumb.caption, x, y + thumb.image.height() + 4, SCALE, Rgb(ink));
    }
    Ok(sheet)
}

struct Thumb {
    image: RgbImage,
    caption: String,
}

impl Thumb {
    fn new(frame: &Frame, width: u32) -> Result<Self> {
        let image = if frame.width > width {
            let height = u64::from(frame.height) * u64::from(width) / u64::from(frame.width);
            let height = u32::try_from(height).unwrap_or(u32::MAX).max(1);
            RgbImage::from_raw(width, height, frame.resize(width, height)?)
        } else {
            RgbImage::from_raw(frame.width, frame.height, frame.rgb.to_vec())
        };
        let image = image.ok_or_else(|| Error::input(format!("frame {} is not whole", frame.index)))?;
        Ok(Self { image, caption: format!("#{}  {:.2} s", frame.index, frame.t_s) })
    }
}
