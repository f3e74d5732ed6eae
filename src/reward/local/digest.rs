//! What a checkpoint is: a digest over every file that can change a reply.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use std::{env, io};

use crate::{Error, Result};

/// What a checkpoint's files are.
pub(super) struct Digest {
    /// Sixteen hex digits over the names and bytes of the configuration, the tokenizer and the weights.
    pub(super) hex: String,
    known: Known,
    /// A file of weights was read that no earlier look remembered.
    pub(super) is_new: bool,
}

impl Digest {
    /// Remembers the digests of the large files, so that the next look need not read them.
    pub(super) fn remember(&self) {
        self.known.write();
    }
}

/// Takes the digest of a checkpoint.
///
/// A model of 17 GB takes some ten seconds the first time, in which its files come into memory, where loading then finds
/// them. The digest of each large file can be remembered beside its size and time of change, in the user's cache folder
/// ([`Digest::remember`]); where that cannot be written, it is taken again each time.
///
/// # Errors
/// Where a file cannot be read.
pub(super) fn digest(folder: &Path, tell: &dyn Fn(&str)) -> Result<Digest> {
    let mut known = Known::read();
    let mut is_new = false;
    let mut told = false;
    let mut long = || {
        if !std::mem::replace(&mut told, true) {
            tell(&format!("reading all of {} once, for what it is and whether it is whole", folder.display()));
        }
    };
    let mut hasher = blake3::Hasher::new();
    for path in files(folder)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let (bytes, remembered) = known
            .digest(&path, &mut long)
            .map_err(|error| Error::io(format!("cannot read {}", path.display()), &error))?;
        is_new |= name.ends_with(".safetensors") && !remembered;
        hasher.update(format!("{name}\0{bytes}\n").as_bytes());
    }
    Ok(Digest { hex: hasher.finalize().to_hex()[..16].to_owned(), known, is_new })
}

/// The files that count, in the order of their names.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let listed =
        fs::read_dir(folder).map_err(|error| Error::io(format!("cannot list {}", folder.display()), &error))?;
    let mut files: Vec<PathBuf> = listed
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.file_name().and_then(|name| name.to_str()).is_some_and(counts))
        .collect();
    files.sort();
    Ok(files)
}

/// Whether a file of this name can change a reply.
pub(super) fn counts(name: &str) -> bool {
    name.ends_with(".safetensors") && name.starts_with("model")
        || name.ends_with(".safetensors.index.json")
        || matches!(
            name,
            "config.json"
                | "generation_config.json"
                | "tokenizer.json"
                | "tokenizer_config.json"
                | "preprocessor_config.json"
                | "video_preprocessor_config.json"
                | "processor_config.json"
                | "chat_template.json"
                | "chat_template.jinja"
        )
}

/// Digests of files that have not changed since.
struct Known {
    place: Option<PathBuf>,
    digests: BTreeMap<String, String>,
    changed: bool,
}

/// Smaller files are read each time.
const LARGE: u64 = 64 << 20;

impl Known {
    fn read() -> Self {
        let place = cache_folder().map(|folder| folder.join("checkpoint-digests.json"));
        let text = place.as_ref().and_then(|place| fs::read_to_string(place).ok());
        let digests = text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        Self { place, digests, changed: false }
    }

    /// The digest of a file, and whether it was remembered; `long` is called before a large file is read.
    fn digest(&mut self, path: &Path, long: &mut dyn FnMut()) -> io::Result<(String, bool)> {
        let about = fs::metadata(path)?;
        if !about.is_file() {
            return Err(io::Error::other("no regular file"));
        }
        let time = about.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        // The hub's files are links to blobs: the blob is what does not change.
        let whole = path.canonicalize()?;
        let key = time.map(|time| format!("{}|{}|{}", whole.display(), about.len(), time.as_nanos()));
        if about.len() >= LARGE
            && let Some(found) = key.as_ref().and_then(|key| self.digests.get(key))
        {
            return Ok((found.clone(), true));
        }
        if about.len() >= LARGE {
            long();
        }
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(File::open(&whole)?)?;
        let digest = hasher.finalize().to_hex().to_string();
        if let Some(key) = key
            && about.len() >= LARGE
        {
            let same_file = format!("{}|", whole.display());
            self.digests.retain(|old, _| !old.starts_with(&same_file));
            self.digests.insert(key, digest.clone());
            self.changed = true;
        }
        Ok((digest, false))
    }

    /// Written beside and moved into place, so that another process never reads half of it.
    fn write(&self) {
        let (Some(place), true) = (&self.place, self.changed) else { return };
        let Some(folder) = place.parent() else { return };
        let _ = fs::create_dir_all(folder).and_then(|()| {
            let mut beside = tempfile::NamedTempFile::new_in(folder)?;
            serde_json::to_writer(&mut beside, &self.digests)?;
            beside.persist(place).map(|_| ()).map_err(io::Error::from)
        });
    }
}

fn cache_folder() -> Option<PathBuf> {
    let named = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = named("XDG_CACHE_HOME").or_else(|| named("HOME").map(|home| home.join(".cache")))?;
    Some(folder.join("roborm"))
}
