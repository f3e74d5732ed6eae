//! Pictures for models and for people.

use std::sync::Arc;

use image::{DynamicImage, RgbImage};
use roborm::frames::{Encoding, Frame, Frames, ImageFormat, SheetOptions, contact_sheet, png_bytes};

/// A frame with a gradient each way.
fn frame(index: u64, width: u32, height: u32) -> Frame {
    let image =
        RgbImage::from_fn(width, height, |x, y| image::Rgb([(x * 255 / width) as u8, (y * 255 / height) as u8, 128]));
    let t_s = index as f64 / 10.0;
    Frame { index, t_s, file_index: index, file_t_s: t_s, width, height, rgb: image.into_raw().into() }
}

fn frames(count: u64) -> Frames {
    let frames = (0..count).map(|index| frame(index, 64, 48)).collect();
    Frames { source: "clip.mp4".into(), rule: "1fps+last".into(), frames }
}

fn decoded(bytes: &[u8]) -> DynamicImage {
    image::load_from_memory(bytes).expect("an image")
}

/// The largest difference of two images in a channel.
fn apart(a: &[u8], b: &[u8]) -> u8 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0)
}

#[test]
fn png_keeps_every_pixel() {
    let frame = frame(0, 33, 17);
    let packed = frame.encode(&Encoding { format: ImageFormat::Png, max_side: None }).expect("an image");
    assert_eq!((packed.mime, packed.width, packed.height), ("image/png", 33, 17));
    assert_eq!(decoded(&packed.bytes).into_rgb8().into_raw()[..], frame.rgb[..]);
    let dir = tempfile::tempdir().expect("a folder");
    frame.write_png(dir.path().join("a.png")).expect("a file");
    assert_eq!(image::open(dir.path().join("a.png")).expect("an image").into_rgb8().into_raw()[..], frame.rgb[..]);
    let error = frame.write_png(dir.path().join("missing/a.png")).expect_err("no folder");
    assert!(error.to_string().contains("missing/a.png"), "{error}");
}

#[test]
fn jpeg_comes_close_and_quality_counts() {
    let frame = frame(0, 64, 48);
    let pack = |quality| frame.encode(&Encoding { format: ImageFormat::Jpeg { quality }, max_side: None });
    let (fine, coarse) = (pack(95).expect("an image"), pack(20).expect("an image"));
    assert_eq!(fine.mime, "image/jpeg");
    assert!(fine.bytes.len() > coarse.bytes.len());
    assert!(apart(&decoded(&fine.bytes).into_rgb8().into_raw(), &frame.rgb) <= 8);
    assert_eq!(pack(95).expect("an image"), fine);
    for quality in [0, 101] {
        assert!(pack(quality).expect_err("no quality").is_usage());
    }
}

#[test]
fn the_longer_side_is_brought_down_never_up() {
    let size = |width, height, max_side| {
        let packed = frame(0, width, height).encode(&Encoding { format: ImageFormat::Png, max_side: Some(max_side) });
        packed.map(|packed| (packed.width, packed.height))
    };
    assert_eq!(size(64, 48, 32).ok(), Some((32, 24)));
    assert_eq!(size(48, 64, 32).ok(), Some((24, 32)));
    assert_eq!(size(64, 48, 64).ok(), Some((64, 48)));
    assert_eq!(size(64, 48, 1000).ok(), Some((64, 48)));
    assert_eq!(size(300, 1, 10).ok(), Some((10, 1)));
    assert!(size(64, 48, 0).expect_err("no size").is_usage());
}

#[test]
fn a_smaller_picture_shows_the_same() {
    let packed =
        frame(0, 128, 96).encode(&Encoding { format: ImageFormat::Png, max_side: Some(64) }).expect("an image");
    assert!(apart(&decoded(&packed.bytes).into_rgb8().into_raw(), &frame(0, 64, 48).rgb) <= 3);
}

#[test]
fn a_data_uri_is_the_file_in_base64() {
    let image = roborm::frames::EncodedImage { mime: "image/png", width: 1, height: 1, bytes: Arc::from(*b"robot") };
    assert_eq!(image.data_uri(), "data:image/png;base64,cm9ib3Q=");
}

#[test]
fn down_sampling_keeps_the_rule_in_step() {
    let few = frames(32).down_sample(8);
    assert_eq!(few.frames.iter().map(|frame| frame.index).collect::<Vec<_>>(), [0, 4, 9, 13, 18, 22, 27, 31]);
    assert_eq!(few.rule, "1fps+last;max=8;linspace-half-even");
    assert_eq!(frames(5).down_sample(8), frames(5));
}

#[test]
fn a_contact_sheet_shows_each_frame_with_its_caption() {
    let options = SheetOptions { columns: Some(2), ..SheetOptions::default() };
    let sheet = contact_sheet(&frames(3), &options).expect("a sheet");
    // Captions of 10 letters at 12 pixels are wider than the frames: cells of 120 + 8 by 48 + 22 + 8, a gap around.
    assert_eq!(sheet.dimensions(), (2 * 128 + 8, 2 * 78 + 8));
    let part = |x: u32, y: u32, width, height| image::imageops::crop_imm(&sheet, x, y, width, height).to_image();
    assert_eq!(part(8, 8, 64, 48).into_raw()[..], frame(0, 64, 48).rgb[..]);
    assert_eq!(part(136, 8, 64, 48).into_raw()[..], frame(0, 64, 48).rgb[..]);
    assert_eq!(part(8, 86, 64, 48).into_raw()[..], frame(0, 64, 48).rgb[..]);
    let ink = |image: RgbImage| image.pixels().filter(|pixel| pixel.0 == [39, 39, 42]).count();
    let captions: Vec<RgbImage> = [(8, 56), (136, 56), (8, 134)].map(|(x, y)| part(x, y, 120, 22)).into();
    assert!(captions.iter().all(|caption| ink(caption.clone()) > 100));
    // `#0 0.00 s`, `#1 0.10 s`, `#2 0.20 s` differ.
    assert!(captions[0] != captions[1] && captions[1] != captions[2]);
    // The fourth cell is empty.
    assert_eq!(ink(part(136, 86, 120, 70)), 0);
    assert!(decoded(&png_bytes(&sheet).expect("a file")).into_rgb8() == sheet);
}

#[test]
fn a_contact_sheet_of_many_frames_shows_some_of_them() {
    let options = SheetOptions { max_frames: 4, columns: Some(4), ..SheetOptions::default() };
    assert_eq!(contact_sheet(&frames(100), &options).expect("a sheet").height(), 78 + 8);
    assert!(contact_sheet(&frames(0), &options).is_err());
    for options in [
        SheetOptions { columns: Some(0), ..SheetOptions::default() },
        SheetOptions { frame_width: 0, ..SheetOptions::default() },
        SheetOptions { max_frames: 0, ..SheetOptions::default() },
    ] {
        assert!(contact_sheet(&frames(3), &options).expect_err("no room").is_usage());
    }
}
