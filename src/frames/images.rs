//! Folders of PNG and JPEG files.

use std::cmp::Ordering;
use std::io;
use std::path::{Path, PathBuf};

use image::{DynamicImage, ImageDecoder, ImageReader, RgbImage};

use super::decoder::Raster;
use crate::{Error, Result};

const ENDINGS: [&str; 3] = ["png", "jpg", "jpeg"];

/// The image files of a folder in natural order of their names: 1, 2, 10.
///
/// # Errors
/// Where the folder cannot be read or holds no PNG or JPEG file, or something of such a name is not there or no file: a
/// frame that is left out would have all others at another time.
pub(super) fn list(folder: &Path) -> Result<Vec<PathBuf>> {
    let refused = |error: &io::Error| Error::io(format!("cannot read the folder {}", folder.display()), error);
    if folder.metadata().is_ok_and(|there| !there.is_dir()) {
        return Err(Error::input(format!("{} is no folder of frames", folder.display()))
            .with_help("in a manifest, a video file goes in the column video"));
    }
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|error| refused(&error))? {
        let path = entry.map_err(|error| refused(&error))?.path();
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        // Hidden files are left by file managers and copies (`._1.png`), not frames.
        let is_hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if is_hidden || !ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str())) {
            continue;
        }
        match path.metadata() {
            Ok(there) if there.is_file() => files.push(path),
            Ok(there) if there.is_dir() => {}
            Ok(_) => {
                return Err(Error::input(format!("the frame {} is no file", path.display()))
                    .with_help("move it out of the folder"));
            }
            Err(error) => {
                return Err(Error::io(format!("cannot read the frame {}", path.display()), &error)
                    .with_help("a link that leads nowhere? put its file there, or move it out of the folder"));
            }
        }
    }
    if files.is_empty() {
        return Err(Error::input(format!("the folder {} holds no PNG or JPEG files", folder.display()))
            .with_help("frames are files whose names end in .png, .jpg or .jpeg"));
    }
    files.sort_by(|a, b| {
        let (a, b) = (a.file_name().unwrap_or_default(), b.file_name().unwrap_or_default());
        // Names that are no UTF-8 may look the same, and still need one order.
        natural(&a.to_string_lossy(), &b.to_string_lossy()).then_with(|| a.cmp(b))
    });
    Ok(files)
}

/// Compares names so that numbers in them count as numbers.
fn natural(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a, b);
    loop {
        let (left_run, left_rest) = run(left);
        let (right_run, right_rest) = run(right);
        let is_number = |run: &str| run.starts_with(|c: char| c.is_ascii_digit());
        let order = match (is_number(left_run), is_number(right_run)) {
            (true, true) => {
                let (x, y) = (left_run.trim_start_matches('0'), right_run.trim_start_matches('0'));
                x.len().cmp(&y.len()).then_with(|| x.cmp(y))
            }
            _ => left_run.cmp(right_run),
        };
        if order != Ordering::Equal || (left_run.is_empty() && right_run.is_empty()) {
            // Names that differ in leading zeros alone still need one order.
            return order.then_with(|| a.cmp(b));
        }
        (left, right) = (left_rest, right_rest);
    }
}

/// The digits, or what is no digit, that a name starts with; and the rest.
fn run(name: &str) -> (&str, &str) {
    let starts_with_digit = name.starts_with(|c: char| c.is_ascii_digit());
    let end = name.find(|c: char| c.is_ascii_digit() != starts_with_digit).unwrap_or(name.len());
    name.split_at(end)
}

/// Reads one image, turned as its EXIF data say.
///
/// # Errors
/// Where the file cannot be read or is no whole PNG or JPEG.
pub(super) fn read(path: &Path) -> Result<Raster> {
    let damaged = |error: image::ImageError| match error {
        image::ImageError::IoError(error) if error.kind() != io::ErrorKind::UnexpectedEof => {
            Error::io(format!("cannot read {}", path.display()), &error)
        }
        error => Error::input(format!("{} cannot be read as an image: {error}", path.display()))
            .with_help("a frame is a whole PNG or JPEG file; copy or write it again"),
    };
    let reader = ImageReader::open(path)
        .and_then(ImageReader::with_guessed_format)
        .map_err(|error| Error::io(format!("cannot read {}", path.display()), &error))?;
    let mut decoder = reader.into_decoder().map_err(damaged)?;
    let orientation = decoder.orientation().map_err(damaged)?;
    let mut image = DynamicImage::from_decoder(decoder).map_err(damaged)?;
    image.apply_orientation(orientation);
    Ok(raster(image.into_rgb8()))
}

/// An image as the sampler passes it on.
pub(super) fn raster(image: RgbImage) -> Raster {
    let (width, height) = image.dimensions();
    Raster { width, height, rgb: image.into_raw().into() }
}
