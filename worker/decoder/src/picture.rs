//! From a decoded frame to RGB.

use std::ptr;

use ffmpeg_next::ffi::{self, AVColorRange, AVColorSpace, AVPixelFormat, SwsContext};
use ffmpeg_next::frame::Video;

use crate::orientation::Orientation;

/// Converts frames; keeps swscale's tables as long as frames look alike.
pub struct Painter {
    made: Option<(Look, Scaler)>,
    scratch: Vec<u8>,
}

/// What swscale's tables depend on.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Look {
    width: i32,
    height: i32,
    format: i32,
    matrix: i32,
    full_range: bool,
}

struct Scaler(ptr::NonNull<SwsContext>);

/// Vector code writes whole vectors: this much room behind a picture's last byte.
const MARGIN: usize = 64;

impl Painter {
    pub fn new() -> Self {
        Self { made: None, scratch: Vec::new() }
    }

    /// The size that a frame is shown at, and the bytes that [`Painter::paint`] needs to work in.
    pub fn measure(frame: &Video, orientation: Orientation) -> Option<(u32, u32, usize)> {
        let (width, height) = (frame.width() as usize, frame.height() as usize);
        let bytes = stride_of(width).checked_mul(height)?.checked_add(MARGIN)?;
        let (width, height) = orientation.size(width, height);
        (width > 0 && height > 0).then_some((u32::try_from(width).ok()?, u32::try_from(height).ok()?, bytes))
    }

    /// Writes the frame into `out`, turned as it is shown, without padding between rows.
    pub fn paint(&mut self, frame: &Video, orientation: Orientation, out: &mut [u8]) -> Result<(), String> {
        let (width, height) = (frame.width() as usize, frame.height() as usize);
        let stride = stride_of(width);
        let bytes = stride * height + MARGIN;
        if orientation == Orientation::UPRIGHT {
            let Some(out) = out.get_mut(..bytes) else { return Err("its slot is too small".into()) };
            self.scale(frame, out, stride)?;
            if stride != width * 3 {
                for row in 1..height {
                    out.copy_within(row * stride..row * stride + width * 3, row * width * 3);
                }
            }
        } else {
            let mut scratch = std::mem::take(&mut self.scratch);
            scratch.resize(bytes, 0);
            let scaled = self.scale(frame, &mut scratch, stride);
            if scaled.is_ok() {
                orientation.apply(&scratch, stride, width, height, out);
            }
            self.scratch = scratch;
            scaled?;
        }
        Ok(())
    }

    fn scale(&mut self, frame: &Video, out: &mut [u8], stride: usize) -> Result<(), String> {
        // SAFETY: reads plain fields of a frame that libav filled.
        let look = unsafe {
            let raw = frame.as_ptr();
            Look {
                width: (*raw).width,
                height: (*raw).height,
                format: (*raw).format,
                // As numbers: a file may name a matrix that the bindings' enum has no variant for.
                matrix: matrix((&raw const (*raw).colorspace).cast::<i32>().read()),
                full_range: (&raw const (*raw).color_range).cast::<i32>().read()
                    == AVColorRange::AVCOL_RANGE_JPEG as i32
                    || is_jpeg((*raw).format),
            }
        };
        if self.made.as_ref().is_none_or(|(made, _)| *made != look) {
            self.made = None;
            self.made = Some((look, Scaler::new(look)?));
        }
        let Some((_, scaler)) = &self.made else { return Err("no scaler".into()) };
        let stride = i32::try_from(stride).map_err(|_| "its rows are too long")?;
        let planes = [out.as_mut_ptr(), ptr::null_mut(), ptr::null_mut(), ptr::null_mut()];
        let strides = [stride, 0, 0, 0];
        // SAFETY: the frame's planes have the size and format the scaler was made for; `out` holds `height` rows of
        // `stride` bytes and a margin for whole vectors.
        let rows = unsafe {
            let raw = frame.as_ptr();
            ffi::sws_scale(
                scaler.0.as_ptr(),
                (*raw).data.as_ptr().cast(),
                (*raw).linesize.as_ptr(),
                0,
                look.height,
                planes.as_ptr(),
                strides.as_ptr(),
            )
        };
        if rows == look.height { Ok(()) } else { Err("its colours cannot be converted".into()) }
    }
}

/// Bytes a row while converting: swscale drops the last `width mod 8` columns of rows that have no room for whole
/// groups of eight pixels.
fn stride_of(width: usize) -> usize {
    width.next_multiple_of(8) * 3
}

/// swscale's number of a colour matrix; BT.601 where the file does not say.
fn matrix(space: i32) -> i32 {
    const BT2020: [AVColorSpace; 2] = [AVColorSpace::AVCOL_SPC_BT2020_NCL, AVColorSpace::AVCOL_SPC_BT2020_CL];
    let is = |named: AVColorSpace| space == named as i32;
    if is(AVColorSpace::AVCOL_SPC_BT709) {
        ffi::SWS_CS_ITU709
    } else if is(AVColorSpace::AVCOL_SPC_FCC) {
        ffi::SWS_CS_FCC
    } else if is(AVColorSpace::AVCOL_SPC_SMPTE240M) {
        ffi::SWS_CS_SMPTE240M
    } else if BT2020.into_iter().any(is) {
        ffi::SWS_CS_BT2020
    } else {
        ffi::SWS_CS_ITU601
    }
}

/// The formats whose name alone means full range.
fn is_jpeg(format: i32) -> bool {
    [
        AVPixelFormat::AV_PIX_FMT_YUVJ420P,
        AVPixelFormat::AV_PIX_FMT_YUVJ422P,
        AVPixelFormat::AV_PIX_FMT_YUVJ444P,
        AVPixelFormat::AV_PIX_FMT_YUVJ440P,
        AVPixelFormat::AV_PIX_FMT_YUVJ411P,
    ]
    .iter()
    .any(|jpeg| *jpeg as i32 == format)
}

impl Scaler {
    fn new(look: Look) -> Result<Self, String> {
        let none = || "its pixel format cannot be converted".to_owned();
        // SAFETY: the format is one that libav itself put into a frame; null filters and parameters mean defaults.
        unsafe {
            let format = std::mem::transmute::<i32, AVPixelFormat>(look.format);
            let context = ffi::sws_getContext(
                look.width,
                look.height,
                format,
                look.width,
                look.height,
                AVPixelFormat::AV_PIX_FMT_RGB24,
                // Neither ACCURATE_RND nor FULL_CHR: what PyAV and torchcodec give, bit for bit.
                ffi::SWS_BILINEAR,
                ptr::null_mut(),
                ptr::null_mut(),
                ptr::null(),
            );
            let scaler = Self(ptr::NonNull::new(context).ok_or_else(none)?);
            let (one, zero) = (1 << 16, 0);
            // Fails for formats that have no matrix, RGB among them: then there is nothing to set.
            ffi::sws_setColorspaceDetails(
                context,
                ffi::sws_getCoefficients(look.matrix),
                i32::from(look.full_range),
                ffi::sws_getCoefficients(ffi::SWS_CS_DEFAULT),
                0,
                zero,
                one,
                one,
            );
            Ok(scaler)
        }
    }
}

impl Drop for Scaler {
    fn drop(&mut self) {
        // SAFETY: the context is ours and freed once.
        unsafe { ffi::sws_freeContext(self.0.as_ptr()) };
    }
}
