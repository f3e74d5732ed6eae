//! What roborm and the worker of local checkpoints (`roborm-local`) say to each other.
//!
//! A message is a head in JSON and a body of raw bytes (the pixels), each after its length:
//! `u32 head length, head, u64 body length, body`, little-endian. roborm asks on the worker's standard input and reads
//! on its standard output; the worker answers an [`Ask`] with any number of [`Say::Alive`], [`Say::Answer`] and
//! [`Say::Refused`] and then exactly one of [`Say::Found`], [`Say::Ready`], [`Say::Done`], [`Say::Embedded`] or
//! [`Say::Failed`].

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Changes whenever a message does.
pub const PROTOCOL: u32 = 3;

/// Heads longer than this are taken for noise (a program that is not the worker writing to its standard output).
const LONGEST_HEAD: u32 = 64 << 20;

/// Bodies longer than this are taken for noise too.
const LONGEST_BODY: u64 = 64 << 30;

/// What roborm asks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ask {
    /// What is installed: answered by [`Say::Found`].
    Look,
    /// Look at everything of a checkpoint and load nothing: answered by [`Say::Ready`] where loading would go well.
    Check(Check),
    /// Load a checkpoint: answered by [`Say::Ready`].
    Load(Load),
    /// Score instructions of one trajectory: answered by an [`Say::Answer`] each, in any order, then [`Say::Done`].
    Score(Score),
    /// Make vectors of sentences: answered by [`Say::Embedded`].
    Embed(Embed),
}

/// Sentences for an encoder of the make of all-MiniLM-L6-v2, which runs on the CPU and stays loaded for the next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Embed {
    /// The encoder's folder.
    pub folder: String,
    /// The sentences; none only loads the encoder.
    pub texts: Vec<String>,
    /// Threads on the CPU; none is one a core.
    pub threads: Option<usize>,
}

/// A checkpoint to be looked at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// What would be loaded, and how.
    pub load: Load,
    /// Whether every weight is read, for numbers that are none: as long as reading the files takes.
    pub numbers: bool,
}

/// A checkpoint and how to run it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// The checkpoint's folder.
    pub folder: String,
    /// `cpu`, `cuda` or `cuda:N`.
    pub device: String,
    /// `stored`, `f32`, `bf16` or `f16`.
    pub dtype: String,
    /// Whether the outer pair of vision marks stays around an expanded video (`nested`, transformers 5.10 and later) or
    /// goes (`flat`, before); `stored` goes by the version that wrote the checkpoint.
    pub video: String,
    /// Threads on the CPU; none is one a core.
    pub threads: Option<usize>,
}

/// Instructions of one trajectory to score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// Names the frames. Where `clip` is absent the worker is to use the frames that it last got, which had this key.
    pub key: u64,
    /// The frames, whose pixels are the body.
    pub clip: Option<Clip>,
    /// The texts around and with the instruction, one a request. `<|` in them, with which marks of the chat begin, reaches the
    /// model as `< |`.
    pub texts: Vec<String>,
    /// Whether the text stands before the frames.
    pub text_first: bool,
    /// At most so many new tokens.
    pub max_tokens: usize,
    /// At most so many instructions at a time; the worker may take fewer.
    pub batch: Option<usize>,
}

/// Frames: 8-bit RGB, all of one size, one after another in the body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Clip {
    /// Pixels a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Seconds from the trajectory's start, one a frame.
    pub times: Vec<f64>,
}

/// What the worker says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Say {
    /// Still at work, and on what; sent at least between any two steps that can take long.
    Alive(String),
    /// What is installed.
    Found(Found),
    /// A checkpoint is loaded.
    Ready(Ready),
    /// One instruction is scored.
    Answer(Answer),
    /// One instruction cannot be scored; the others go on.
    Refused {
        /// Its place in [`Score::texts`].
        index: usize,
        /// Why.
        why: Failed,
    },
    /// All instructions of a [`Score`] are scored.
    Done {
        /// What the user should know: a smaller batch after too little memory, for example.
        notes: Vec<String>,
    },
    /// The vectors of the sentences of an [`Embed`], each of length 1.
    Embedded {
        /// In the order of [`Embed::texts`].
        vectors: Vec<Vec<f32>>,
    },
    /// The ask came to nothing; the worker goes on.
    Failed(Failed),
}

/// What is installed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// [`PROTOCOL`] of the worker.
    pub protocol: u32,
    /// The version of libtorch that the worker was built for.
    pub torch: String,
    /// Threads on the CPU.
    pub threads: usize,
    /// Bytes of memory that the system says are available.
    pub memory: Option<u64>,
    /// One line a CUDA device.
    pub cuda: Vec<String>,
    /// Why there is no CUDA device, where there is none.
    pub why_no_cuda: Option<String>,
}

/// A checkpoint that is loaded, or could be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ready {
    /// The device it runs on.
    pub device: String,
    /// The type it computes in.
    pub dtype: String,
    /// `nested` or `flat`, see [`Load::video`].
    pub video: String,
    /// Bytes of weights.
    pub weights: u64,
    /// Bytes that the keys and values of a token take.
    pub token: u64,
    /// Seconds that loading or looking took.
    pub seconds: f64,
    /// What the user should know of the checkpoint: defaults in place of an absent file, tensors that are not used.
    pub notes: Vec<String>,
}

/// One scored instruction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Its place in [`Score::texts`].
    pub index: usize,
    /// The generated text, special tokens left out.
    pub text: String,
    /// `stop` or `length`.
    pub finish: String,
    /// Tokens of the prompt.
    pub prompt_tokens: usize,
    /// Tokens of the prompt whose keys and values were there already or were made once for the whole batch.
    pub shared_tokens: usize,
    /// Tokens generated, the stop token included.
    pub completion_tokens: usize,
    /// Instructions that were computed together with this one.
    pub batch: usize,
    /// The digits from 1 to 5 among the generated tokens, in order. Which of them is the score, roborm's reader says.
    pub digits: Vec<Digit>,
}

/// A generated token that is a digit from 1 to 5.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Digit {
    /// The byte of [`Answer::text`] that it stands at.
    pub at: usize,
    /// The probabilities that each of the digits 1 to 5 had in its place.
    pub shares: [f64; 5],
}

/// Why an ask came to nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failed {
    /// What sort.
    pub kind: FailedKind,
    /// One line of what and where.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

/// What sort of failure, by what is to be done about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailedKind {
    /// Of the checkpoint, the device or the settings: nothing can be scored.
    Setup,
    /// Of this trajectory or instruction alone.
    Request,
    /// Too little memory even for one instruction of this trajectory.
    Memory,
    /// A fault of the worker itself.
    Internal,
}

/// What [`Load::video`] `stored` stands for: `nested` where version 5.10 of transformers or a later one wrote the
/// checkpoint, `flat` before, and where no version is given (the published RoboReward checkpoints are of 2025).
pub fn stored_video(version: Option<&str>) -> &'static str {
    let mut parts = version.unwrap_or_default().split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let version = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    if version >= (5, 10) { "nested" } else { "flat" }
}

/// What to do about a download that is not whole.
const FETCH: &str = "fetch what is missing: local:hub:OWNER/NAME,download=yes";

/// The folder itself, or the snapshot where `folder` is a model's folder in the cache of the hub
/// (`models--NAME/snapshots/COMMIT`): the one that `refs/main` names, else the only one.
///
/// # Errors
/// What is wrong, and what to do about it: no such folder, no snapshot, one that is named and not whole, or several and
/// none named.
pub fn resolve(folder: &Path) -> Result<PathBuf, [String; 2]> {
    let fault = |place: &Path, what: &str, help: &str| [format!("{}: {what}", place.display()), help.to_owned()];
    if !folder.is_dir() {
        let what = if folder.exists() { "no folder" } else { "no such folder" };
        return Err(fault(folder, what, "give the folder of a checkpoint: local:DIR"));
    }
    let snapshots = folder.join("snapshots");
    if folder.join("config.json").exists() || !snapshots.is_dir() {
        return Ok(folder.to_owned());
    }
    if let Ok(commit) = fs::read_to_string(folder.join("refs/main")) {
        // Another snapshot would be another version of the model.
        let named = snapshots.join(commit.trim());
        return match (named.is_dir(), named.join("config.json").exists()) {
            (_, true) => Ok(named),
            (true, false) => Err(fault(&named, "the snapshot that refs/main names has no config.json", FETCH)),
            (false, _) => Err(fault(&named, "refs/main names this snapshot, and it is not there", FETCH)),
        };
    }
    let listed = fs::read_dir(&snapshots).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = listed.filter(|path| path.join("config.json").exists()).collect();
    match (found.pop(), found.len()) {
        (Some(only), 0) => Ok(only),
        (None, _) => Err(fault(&snapshots, "no snapshot with a config.json", FETCH)),
        (Some(_), _) => {
            Err(fault(&snapshots, "several snapshots, and refs/main names none", "give the folder of one of them"))
        }
    }
}

/// Writes a message.
///
/// # Errors
/// Where the pipe does not take it.
pub fn send<M: Serialize>(to: &mut impl Write, message: &M, body: &[u8]) -> io::Result<()> {
    let head = serde_json::to_vec(message)?;
    let length = u32::try_from(head.len()).map_err(|_| io::Error::other("a message is too long to send"))?;
    to.write_all(&length.to_le_bytes())?;
    to.write_all(&head)?;
    to.write_all(&(body.len() as u64).to_le_bytes())?;
    to.write_all(body)?;
    to.flush()
}

/// Reads a message; `None` where the other side has closed the pipe between messages.
///
/// # Errors
/// Where the pipe breaks inside a message, or what comes is none.
pub fn receive<M: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<(M, Vec<u8>)>> {
    let mut length = [0; 4];
    match from.read(&mut length)? {
        0 => return Ok(None),
        read => from.read_exact(&mut length[read..])?,
    }
    let length = u32::from_le_bytes(length);
    if length > LONGEST_HEAD {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "not a message of the worker's protocol"));
    }
    let head = take(from, u64::from(length))?;
    let mut length = [0; 8];
    from.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    if length > LONGEST_BODY {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a message with an impossible length"));
    }
    let body = take(from, length)?;
    let message = serde_json::from_slice(&head)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, format!("a message that is not one: {error}")))?;
    Ok(Some((message, body)))
}

/// Reads `length` bytes, without believing the length before the bytes are there.
fn take(from: &mut impl Read, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(length.min(1 << 26) as usize);
    from.take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == length { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}
