//! A safetensors file, mapped into memory: `u64 header length, header in JSON, data`.

use std::ops::Range;
use std::path::{Path, PathBuf};

use memmap2::Mmap;
use roborm_wire::no_json;
use serde_json::Value;

use super::files::AGAIN;
use crate::{Error, Result};

/// Longer headers are refused, as the format's own reader does.
const LONGEST_HEADER: u64 = 100_000_000;

/// A file of tensors, mapped: its pages come in when they are first used and can be dropped again by the system.
pub struct Shard {
    path: PathBuf,
    map: Mmap,
    data: usize,
}

/// Where a tensor lies in its file, and what it is.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorInfo {
    /// The type of its numbers.
    pub dtype: Dtype,
    /// Its shape.
    pub shape: Vec<i64>,
    /// Its bytes in [`Shard::bytes`].
    pub range: Range<usize>,
}

/// The types of numbers that weights come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dtype {
    /// 32-bit float.
    F32,
    /// 16-bit float.
    F16,
    /// 16-bit float with the exponent of a 32-bit one.
    Bf16,
}

impl Dtype {
    /// Bytes a number.
    pub fn size(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F16 | Self::Bf16 => 2,
        }
    }

    /// Its name in settings and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
        }
    }
}

impl Shard {
    /// Maps a file and checks its header and its length.
    ///
    /// # Errors
    /// Where the file is missing, no regular file, cut short or no safetensors file.
    pub fn open(path: &Path) -> Result<Self> {
        let trouble = |what: String| Error::setup(format!("{}: {what}", path.display()));
        let file = super::files::open(path)?;
        // SAFETY: the map is only read. Another process that shortens the file meanwhile ends this worker with SIGBUS,
        // which its supervisor reports; no memory of another's is touched.
        let map = unsafe { Mmap::map(&file) }.map_err(|error| trouble(error.to_string()))?;
        let length = map.first_chunk::<8>().map(|bytes| u64::from_le_bytes(*bytes));
        let data = match length {
            Some(length) if length <= LONGEST_HEADER => 8 + length as usize,
            _ => {
                return Err(
                    trouble("no safetensors file".into()).with_help("a Git LFS pointer is fetched by: git lfs pull")
                );
            }
        };
        if data > map.len() {
            return Err(trouble(format!("cut short: {} bytes, and the header alone ends at {data}", map.len()))
                .with_help("download it again"));
        }
        Ok(Self { path: path.to_owned(), map, data })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file's bytes, mapped.
    pub fn bytes(&self) -> &[u8] {
        &self.map
    }

    /// The names of its tensors and where they lie, each checked to lie inside the file.
    ///
    /// # Errors
    /// Where the header is no JSON, a tensor's type, shape and place do not fit each other or the file, or tensors overlap or
    /// leave bytes over.
    pub fn tensors(&self) -> Result<Vec<(String, TensorInfo)>> {
        let trouble = |what: String| Error::setup(format!("{}: {what}", self.path.display()));
        let header: Value = serde_json::from_slice(&self.map[8..self.data])
            .map_err(|error| trouble(format!("a damaged header: {}", no_json(&error))).with_help(AGAIN))?;
        let Value::Object(header) = header else { return Err(trouble("a damaged header: no object".into())) };
        let room = (self.map.len() - self.data) as u64;
        let (mut tensors, mut places) = (Vec::with_capacity(header.len()), Vec::new());
        for (name, entry) in header {
            if name == "__metadata__" {
                continue;
            }
            let numbers = |value: &Value| value.as_array()?.iter().map(Value::as_u64).collect::<Option<Vec<u64>>>();
            // Older BERTs hold the row numbers 0, 1, 2 … of their positions as a tensor.
            if name.ends_with("embeddings.position_ids") {
                if let Some(&[start, end]) = numbers(&entry["data_offsets"]).as_deref() {
                    places.push((start, end, name));
                }
                continue;
            }
            let dtype = match entry["dtype"].as_str() {
                Some("F32") => Dtype::F32,
                Some("F16") => Dtype::F16,
                Some("BF16") => Dtype::Bf16,
                other => {
                    return Err(trouble(format!("{name} is stored as {}", other.unwrap_or("nothing known")))
                        .with_help(
                            "weights in bf16, f16 and f32 can be read; quantised ones run behind a server: --base-url",
                        ));
                }
            };
            let (Some(shape), Some(offsets)) = (numbers(&entry["shape"]), numbers(&entry["data_offsets"])) else {
                return Err(trouble(format!("a damaged header: {name} has no shape or no place")));
            };
            let size = shape.iter().try_fold(dtype.size() as u64, |size, &side| size.checked_mul(side));
            let (&[start, end], Some(size)) = (offsets.as_slice(), size) else {
                return Err(trouble(format!("a damaged header: {name} has an impossible shape or place")));
            };
            if end.checked_sub(start) != Some(size) {
                return Err(trouble(format!("a damaged header: {name} of shape {shape:?} does not fill its place")));
            }
            if end > room {
                return Err(trouble(format!("cut short: {name} ends {} bytes after the end of the file", end - room))
                    .with_help("download it again"));
            }
            let range = self.data + start as usize..self.data + end as usize;
            let shape = shape.into_iter().map(|side| side as i64).collect();
            places.push((start, end, name.clone()));
            tensors.push((name, TensorInfo { dtype, shape, range }));
        }
        gapless(places, room).map_err(trouble)?;
        Ok(tensors)
    }
}

/// The format wants every byte of the data to be of one tensor: what is not so was put together wrongly, and a tensor in
/// it may hold another's numbers.
fn gapless(mut places: Vec<(u64, u64, String)>, room: u64) -> Result<(), String> {
    places.sort();
    let (mut filled, mut before) = (0, None);
    for (start, end, name) in places {
        let last = before.as_deref().unwrap_or("the header");
        if start < filled {
            return Err(format!("a damaged header: {last} and {name} overlap"));
        }
        if start > filled {
            return Err(format!(
                "a damaged header: between {last} and {name} lie {} bytes of no tensor",
                start - filled
            ));
        }
        (filled, before) = (end, Some(name));
    }
    match room.saturating_sub(filled) {
        0 => Ok(()),
        bytes => Err(format!("after the last tensor come {bytes} bytes more")),
    }
}
