//! Sampling frames from trajectories.

mod frame;

pub use frame::{EncodedImage, Encoding, Frame, Frames, ImageFormat, Sampling};
