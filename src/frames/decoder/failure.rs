//! What a worker's failures mean to the user.

use std::path::Path;

use roborm_wire::Failure;

use crate::Error;

/// A request that came to nothing by the file's fault.
pub(super) fn file_error(path: &Path, failure: &Failure) -> Error {
    let path = path.display();
    let at = |time: &Option<f64>| time.map_or(String::new(), |t| format!("{}", rounded(t)));
    match failure {
        Failure::Unreadable(reason) => Error::input(format!("{path} cannot be read as a video: {}", lower(reason)))
            .with_help("MP4, MOV, MKV, WebM, AVI and GIF can be read; an MP4 that was cut off cannot, since its index stands at the end"),
        Failure::NoFrames(reason) => Error::input(format!("{path} has no frames: {}", lower(reason))),
        Failure::Truncated { reason, readable, promised, last_s } => {
            let of = promised.map_or(String::new(), |promised| format!(" of {promised}"));
            let last = last_s.map_or(String::new(), |_| format!("; last good frame at {} s", at(last_s)));
            Error::input(format!("{path} is truncated: {readable}{of} frames are there{last} ({})", lower(reason)))
                .with_help("copy or download the file again")
        }
        Failure::Corrupt { reason, at_s, decoded, wanted, last_s } => {
            let last = last_s.map_or(String::new(), |_| format!("; last good frame at {} s", at(last_s)));
            Error::input(format!(
                "{path} is corrupt at {} s: decoded {decoded} of {wanted} wanted frames{last} ({})",
                rounded(*at_s),
                lower(reason)
            ))
            .with_help("copy or download the file again, or sample a window before the damage with --to")
        }
        Failure::OutOfMemory => Error::worker(format!("{path}: the video decoder reached its limit of memory"))
            .with_help("is it really so large a video? DecoderOptions::memory_bytes sets the limit"),
        Failure::Refused(reason) => Error::worker(format!("{path}: the video decoder refused: {reason}")),
    }
}

/// A worker that fell over a file.
pub(super) fn worker_error(path: &Path, reason: &str) -> Error {
    Error::worker(format!("{}: {reason}", path.display()))
        .with_help("the file may be damaged; the rest of the work goes on with a new decoder")
}

/// Milliseconds are all that a reader wants.
fn rounded(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}

/// libav's messages start with a capital.
fn lower(message: &str) -> String {
    let mut letters = message.chars();
    letters.next().map_or(String::new(), |first| first.to_lowercase().chain(letters).collect())
}
