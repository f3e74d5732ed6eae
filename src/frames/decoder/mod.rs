//! Decoding video in worker processes.
//!
//! libav never runs in the process that holds the user's variables: a file that crashes it costs one request. Workers
//! start with the first request, stay up between files, and are replaced when they fall.

mod buffers;
mod failure;
mod memory;
mod pool;
mod process;
mod watch;

use std::collections::VecDeque;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use roborm_wire::File;

use super::rule::Timeline;
use crate::Result;
use crate::program::Program;
use pool::Pool;

/// The worker that decodes video.
const PROGRAM: Program = Program {
    file: "roborm-decoder",
    variable: "ROBORM_DECODER",
    what: "the video decoder",
    build: "build it with `cargo build --release -p roborm-decoder` (it needs FFmpeg's development packages, which \
            `cargo xtask demo` installs)",
};

/// Limits of the decoder's workers, and how many there may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecoderOptions {
    /// The worker program; `None` looks for it (see [`Decoder::find`]).
    pub program: Option<PathBuf>,
    /// Workers at one time; a caller beyond waits.
    pub workers: usize,
    /// Threads of each worker's decoder. One costs the least CPU time; more shorten the wait for a single long clip.
    pub threads: u32,
    /// The longest that a worker may say nothing while it does nothing either: it waits for something that does not come.
    pub timeout: Duration,
    /// CPU time that a worker may use without a word: it turns in circles. Each picture is a word, and a machine that is
    /// slow or shared takes longer for it and no more of this.
    pub silence: Duration,
    /// Address space of a worker, in bytes.
    pub memory_bytes: u64,
    /// CPU time for one request, in whole seconds.
    pub cpu: Duration,
}

impl Default for DecoderOptions {
    fn default() -> Self {
        Self {
            program: None,
            workers: std::thread::available_parallelism().map_or(1, usize::from),
            threads: 1,
            timeout: Duration::from_secs(30),
            silence: Duration::from_secs(120),
            memory_bytes: 4 << 30,
            cpu: Duration::from_secs(600),
        }
    }
}

/// A picture out of a video: 8-bit RGB, rows from the top, no padding.
#[derive(Clone, PartialEq, Eq)]
pub struct Raster {
    /// Pixels a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// `width * height * 3` bytes.
    pub rgb: Arc<[u8]>,
}

impl fmt::Debug for Raster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Raster({} x {})", self.width, self.height)
    }
}

/// What is known of a running worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerStatus {
    /// Its process id.
    pub pid: u32,
    /// The file it works on now.
    pub busy_with: Option<PathBuf>,
}

/// What the decoder is, for `doctor`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecoderInfo {
    /// The worker program.
    pub program: PathBuf,
    /// Its version.
    pub version: String,
    /// The library it decodes with.
    pub library: String,
}

/// Decodes video files. Cheap to clone; clones share workers and indexes; usable from several threads at once.
#[derive(Clone)]
pub struct Decoder(Arc<Shared>);

struct Shared {
    pool: Pool,
    indexes: Mutex<VecDeque<(File, Slot)>>,
}

/// A file's index: made by whoever comes first, while the others wait.
type Slot = Arc<Mutex<Option<Arc<Timeline>>>>;

/// Files whose index is kept.
const INDEXES: usize = 256;

impl Decoder {
    /// A decoder with workers of its own. Nothing is started yet.
    pub fn new(options: DecoderOptions) -> Self {
        Self(Arc::new(Shared { pool: Pool::new(options), indexes: Mutex::new(VecDeque::new()) }))
    }

    /// The decoder that the whole program shares.
    pub fn shared() -> Self {
        static SHARED: OnceLock<Decoder> = OnceLock::new();
        SHARED.get_or_init(|| Self::new(DecoderOptions::default())).clone()
    }

    /// Where the worker program is: `ROBORM_DECODER`, beside the running program, or on `PATH`.
    ///
    /// # Errors
    /// Where it is nowhere; the help says how to install it.
    pub fn find() -> Result<PathBuf> {
        PROGRAM.find()
    }

    /// What the decoder is; starts a worker if none is up.
    ///
    /// # Errors
    /// Where the worker program is missing or does not start.
    pub fn info(&self) -> Result<DecoderInfo> {
        self.0.pool.info()
    }

    /// The workers that are up.
    pub fn workers(&self) -> Vec<WorkerStatus> {
        self.0.pool.status()
    }

    /// When the frames of a file are shown. Read once for a file, as long as the file stays the same.
    ///
    /// # Errors
    /// Where the file is missing, no video, truncated or without frames, or the worker falls over it.
    pub fn timeline(&self, path: &Path) -> Result<Arc<Timeline>> {
        let file = process::identify(path)?;
        let slot = self.slot(&file);
        let mut slot = hold(&slot);
        if let Some(timeline) = slot.as_ref() {
            return Ok(timeline.clone());
        }
        let index = self.0.pool.with(path, &file, |worker| worker.index(&file))?;
        let timeline =
            Timeline::new(index.time_base, index.pts, index.last_duration).map_err(|error| error.at(path.display()))?;
        Ok(slot.insert(Arc::new(timeline)).clone())
    }

    /// The pictures of the presentation times `wanted`, which stand in the file's [`Timeline`], in their order.
    ///
    /// Only the groups of pictures they need are decoded, none twice.
    ///
    /// # Errors
    /// As [`Decoder::timeline`], and where a picture cannot be decoded: the error says how many came before it.
    pub fn decode(&self, path: &Path, wanted: &[i64]) -> Result<Vec<Raster>> {
        let file = process::identify(path)?;
        self.0.pool.with(path, &file, |worker| worker.decode(&file, wanted))
    }

    fn slot(&self, file: &File) -> Slot {
        let mut indexes = hold(&self.0.indexes);
        // The most recent stands last: a dataset is gone through file by file.
        if let Some((_, slot)) = indexes.iter().rev().find(|(known, _)| known == file) {
            return slot.clone();
        }
        if indexes.len() >= INDEXES {
            indexes.pop_front();
        }
        let slot = Slot::default();
        indexes.push_back((file.clone(), slot.clone()));
        slot
    }
}

impl Default for Decoder {
    fn default() -> Self {
        Self::shared()
    }
}

impl fmt::Debug for Decoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decoder").field("workers", &self.workers()).finish_non_exhaustive()
    }
}

/// A lock whose holder panicked guards data that is whole: every change under it is a single step.
fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
