//! Packing frames for a reward model.

use std::io::Write as _;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use image::codecs::png::{CompressionType, FilterType as PngFilter, PngEncoder};
use image::{ExtendedColorType, ImageEncoder, RgbImage};

use super::{EncodedImage, Encoding, Frame, Frames, ImageFormat};
use crate::{Error, Result, whole};

impl Frame {
    /// The frame packed as `encoding` says. The same pixels and encoding give the same bytes on every machine with the
    /// same version of this crate: they are part of a ledger's key.
    ///
    /// # Errors
    /// Where the quality is not from 1 to 100, `max_side` is 0, or a JPEG's side would be over 65,535 pixels.
    pub fn encode(&self, encoding: &Encoding) -> Result<EncodedImage> {
        let (width, height) = self.fit(encoding.max_side)?;
        let resized;
        let rgb: &[u8] = if (width, height) == (self.width, self.height) {
            &self.rgb
        } else {
            resized = self.resize(width, height)?;
            &resized
        };
        let (mime, bytes) = match encoding.format {
            ImageFormat::Jpeg { quality } => ("image/jpeg", jpeg(rgb, width, height, quality)?),
            ImageFormat::Png => ("image/png", png(rgb, width, height)?),
        };
        Ok(EncodedImage { mime, width, height, bytes: bytes.into() })
    }

    /// Writes the frame to a PNG file.
    ///
    /// # Errors
    /// Where the file cannot be written.
    pub fn write_png(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let bytes = png(&self.rgb, self.width, self.height)?;
        whole::write(path, |out| out.write_all(&bytes).map_err(|error| whole::refused(path, &error)))
    }

    /// The size at which the longer side is `max_side` at most, and neither is under one pixel.
    fn fit(&self, max_side: Option<u32>) -> Result<(u32, u32)> {
        let longer = self.width.max(self.height);
        match max_side {
            Some(0) => Err(Error::usage("the longer side of an image cannot be 0 pixels")),
            Some(limit) if limit < longer => {
                let scale = |side: u32| {
                    let scaled = (u64::from(side) * u64::from(limit) + u64::from(longer) / 2) / u64::from(longer);
                    u32::try_from(scaled).unwrap_or(limit).max(1)
                };
                Ok((scale(self.width), scale(self.height)))
            }
            _ => Ok((self.width, self.height)),
        }
    }

    /// The pixels at another size.
    pub(super) fn resize(&self, width: u32, height: u32) -> Result<Vec<u8>> {
        super::resize::resize(&self.rgb, (self.width, self.height), (width, height))
    }
}

impl EncodedImage {
    /// The image as a `data:` URI.
    pub fn data_uri(&self) -> String {
        let mut uri = format!("data:{};base64,", self.mime);
        BASE64.encode_string(&self.bytes, &mut uri);
        uri
    }
}

impl Frames {
    /// The same frames brought down to `n` at most, first and last kept, by the rule's own places; the rule's name
    /// tells of it. A limit that takes nothing away leaves everything as it is.
    pub fn down_sample(&self, n: usize) -> Self {
        if self.frames.len() <= n {
            return self.clone();
        }
        let frames = super::rule::down_sample(self.frames.len(), n).into_iter().map(|at| self.frames[at].clone());
        let rule = format!("{}{}", self.rule, super::rule::limit_name(n));
        Self { source: self.source.clone(), rule, frames: frames.collect() }
    }
}

fn jpeg(rgb: &[u8], width: u32, height: u32, quality: u8) -> Result<Vec<u8>> {
    if !(1..=100).contains(&quality) {
        return Err(Error::usage(format!("the quality of a JPEG is from 1 to 100, not {quality}")));
    }
    let (Ok(short_width), Ok(short_height)) = (u16::try_from(width), u16::try_from(height)) else {
        return Err(Error::input(format!("a frame of {width} x {height} pixels is too large for JPEG"))
            .with_help("limit the longer side, or send PNG"));
    };
    let mut bytes = Vec::with_capacity(rgb.len() / 8);
    jpeg_encoder::Encoder::new(&mut bytes, quality)
        .encode(rgb, short_width, short_height, jpeg_encoder::ColorType::Rgb)
        .map_err(|error| Error::input(format!("a frame cannot be packed as JPEG: {error}")))?;
    Ok(bytes)
}

fn png(rgb: &[u8], width: u32, height: u32) -> Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(rgb.len() / 2);
    PngEncoder::new_with_quality(&mut bytes, CompressionType::Fast, PngFilter::Adaptive)
        .write_image(rgb, width, height, ExtendedColorType::Rgb8)
        .map_err(|error| Error::input(format!("a frame cannot be packed as PNG: {error}")))?;
    Ok(bytes)
}

/// The bytes of a PNG file of an image, such as a contact sheet.
///
/// # Errors
/// Where the image has no pixels.
pub fn png_bytes(image: &RgbImage) -> Result<Vec<u8>> {
    png(image.as_raw(), image.width(), image.height())
}
