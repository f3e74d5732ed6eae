//! A contact sheet in a report.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::chart::text::clean;
use crate::frames::EncodedImage;

/// Frames of a trajectory in one picture, carried inside the report.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactSheet {
    image: EncodedImage,
    alt: String,
    times_s: Vec<f64>,
}

impl ContactSheet {
    /// A picture, what it shows for those who cannot see it, and the time of each frame in it, seconds from the
    /// trajectory's start.
    pub fn new(image: EncodedImage, alt: impl AsRef<str>, times_s: impl IntoIterator<Item = f64>) -> Self {
        Self { image, alt: clean(alt.as_ref()), times_s: times_s.into_iter().collect() }
    }

    pub(super) fn width(&self) -> u32 {
        self.image.width
    }

    pub(super) fn height(&self) -> u32 {
        self.image.height
    }

    pub(super) fn alt(&self) -> String {
        format!("{} {}", self.alt, self.caption()).trim().to_owned()
    }

    pub(super) fn data_uri(&self) -> String {
        format!("data:{};base64,{}", self.image.mime, STANDARD.encode(&self.image.bytes))
    }

    /// `5 frames at 0.0, 1.0, 2.0, 3.0, 3.9 s.`
    pub(super) fn caption(&self) -> String {
        let times: Vec<String> = self.times_s.iter().map(|t| format!("{t:.1}")).collect();
        match times.as_slice() {
            [] => String::new(),
            [time] => format!("1 frame at {time} s."),
            times => format!("{} frames at {} s.", times.len(), times.join(", ")),
        }
    }
}
