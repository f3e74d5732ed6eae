//! Sampling frames from trajectories.
//!
//! [`Sampler`] takes a trajectory or a video file to [`Frames`]: the [`rule`] chooses them by their times alone, the
//! [`Decoder`] decodes just those in a process of its own. A [`Frame`] is then packed for a reward model
//! ([`Frame::encode`]) or laid out for people ([`contact_sheet`]).

mod decoder;
mod demo;
mod encode;
mod font;
mod frame;
mod images;
pub(crate) mod resize;
pub mod rule;
mod sampler;
mod sheet;

pub use decoder::{Decoder, DecoderInfo, DecoderOptions, Raster, WorkerStatus};
pub use encode::png_bytes;
pub use frame::{EncodedImage, Encoding, Frame, Frames, ImageFormat, Sampling};
pub use sampler::{Moment, Sampler};
pub use sheet::{SheetOptions, contact_sheet};
