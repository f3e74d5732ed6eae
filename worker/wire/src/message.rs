//! The messages.

use std::ffi::OsString;

use serde::{Deserialize, Serialize};

/// The version of these messages: the two sides must agree on it.
pub const PROTOCOL: u32 = 1;

/// So many pictures may lie in the memory file, unread by the parent, at one time.
pub const SLOTS: usize = 4;

/// The worker's first message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// [`PROTOCOL`] as the worker was built with.
    pub protocol: u32,
    /// The worker's own version.
    pub version: String,
    /// The library it decodes with, for people to read.
    pub library: String,
}

/// Limits that the worker puts on itself, once, before it opens any file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Configure {
    /// Bytes of address space.
    pub memory_bytes: u64,
    /// Seconds of CPU time for each request.
    pub cpu_s: u64,
    /// Threads a decoder may use; 1 costs the least CPU time.
    pub threads: u32,
}

/// A file, and what tells whether it is still the same one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct File {
    /// Absolute.
    pub path: OsString,
    /// As it was when the parent looked.
    pub stamp: Stamp,
}

/// What changes when a file is replaced or rewritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Stamp {
    /// Device number.
    pub device: u64,
    /// Inode number.
    pub inode: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// Seconds of the last change.
    pub modified_s: i64,
    /// Nanoseconds beside them.
    pub modified_ns: i64,
}

/// What the parent asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Request {
    /// Once, first.
    Configure(Configure),
    /// List the frames of a file.
    Index(File),
    /// Decode frames of a file.
    Decode {
        /// The file.
        file: File,
        /// Presentation times in ticks, each of them in the file's [`Index`].
        wanted: Vec<i64>,
    },
    /// One picture has been read: its place in the memory file is free.
    Release,
}

/// What the worker answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    /// To [`Request::Index`].
    Index(Index),
    /// To [`Request::Decode`], in any order, once for each distinct time wanted.
    Picture(Picture),
    /// After the last picture.
    Done,
    /// The request came to nothing, or stopped half-way; the worker goes on.
    Failed(Failure),
}

/// The frames of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Index {
    /// Seconds a tick, as numerator and denominator, both positive.
    pub time_base: (u32, u32),
    /// Presentation times of all frames that are shown, in ticks, ascending.
    pub pts: Vec<i64>,
    /// How long the last frame is shown, in ticks; 0 where the file does not say.
    pub last_duration: i64,
}

/// One decoded picture: 8-bit RGB, rows from the top, no padding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    /// Presentation time in ticks.
    pub pts: i64,
    /// Pixels a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Where its `width * height * 3` bytes start in the memory file.
    pub offset: u64,
}

/// Why a request came to nothing. Times are in seconds of the file's own time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Failure {
    /// The file cannot be opened as a video.
    Unreadable(String),
    /// The file opens but holds no frame that can be shown.
    NoFrames(String),
    /// The file stops early.
    Truncated {
        /// What the library said.
        reason: String,
        /// Frames that are there.
        readable: u64,
        /// Frames that the file's own index promises, where it has one.
        promised: Option<u64>,
        /// Time of the last frame that is there.
        last_s: Option<f64>,
    },
    /// A frame could not be decoded.
    Corrupt {
        /// What the library said.
        reason: String,
        /// Where.
        at_s: f64,
        /// Wanted frames decoded before.
        decoded: u64,
        /// Wanted frames in all.
        wanted: u64,
        /// Time of the last of those decoded.
        last_s: Option<f64>,
    },
    /// The file asks for more memory than the limit allows.
    OutOfMemory,
    /// The request makes no sense: a fault of the parent.
    Refused(String),
}
