//! Pixels at another size.

use fast_image_resize::images::{TypedImage, TypedImageRef};
use fast_image_resize::pixels::U8x3;
use fast_image_resize::{FilterType, ResizeAlg, ResizeOptions, Resizer};

use crate::{Error, Result};

/// 8-bit RGB pixels at another size, by the filter that vision models' own preprocessing uses when it shrinks (bicubic).
///
/// The pixel type is spelled out: the library's dynamic interface compiles its convolutions for two dozen of them, which
/// was half of what it took to build this crate.
pub(crate) fn resize(rgb: &[u8], from: (u32, u32), to: (u32, u32)) -> Result<Vec<u8>> {
    let wrong = |error: &dyn std::fmt::Display| Error::input(format!("a frame cannot be resized: {error}"));
    let source = TypedImageRef::<U8x3>::from_buffer(from.0, from.1, rgb).map_err(|error| wrong(&error))?;
    let mut out = vec![0; to.0 as usize * to.1 as usize * 3];
    let mut target = TypedImage::<U8x3>::from_buffer(to.0, to.1, &mut out).map_err(|error| wrong(&error))?;
    let options = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::CatmullRom));
    Resizer::new().resize_typed(&source, &mut target, &options).map_err(|error| wrong(&error))?;
    Ok(out)
}
