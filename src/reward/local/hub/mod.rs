//! Checkpoints of the hub (huggingface.co), in the cache that its own tools keep: `models--OWNER--NAME` with blobs by
//! checksum, snapshots of links to them, and refs. What is there is used; what is not is fetched only where that is asked
//! for.

mod cached;
mod checksum;
mod fetch;
mod listing;

use std::env;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use cached::Cached;

use crate::reward::Secret;
use crate::{Error, Result};

/// A model on the hub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HubModel {
    owner: String,
    name: String,
    /// A branch, a tag or a commit; `main` where none was said.
    revision: String,
}

impl HubModel {
    /// From `OWNER/NAME` or `OWNER/NAME@REVISION`.
    ///
    /// # Errors
    /// Where that is no name that the hub gives.
    pub fn parse(text: &str) -> Result<Self> {
        let (path, revision) = text.split_once('@').unwrap_or((text, "main"));
        // They become names of folders, and parts of an address.
        let good = |part: &str, also: &str| {
            !part.is_empty()
                && !part.contains("..")
                && !part.contains("--")
                && !part.starts_with(['.', '-', '/'])
                && !part.ends_with('/')
                && part
                    .chars()
                    .all(|letter| letter.is_ascii_alphanumeric() || "._-".contains(letter) || also.contains(letter))
        };
        match path.split_once('/') {
            Some((owner, name)) if good(owner, "") && good(name, "") && good(revision, "/") => {
                Ok(Self { owner: owner.into(), name: name.into(), revision: revision.into() })
            }
            _ => Err(Error::usage(format!("'{text}' names no model of the hub"))
                .with_help("give it as hub:OWNER/NAME, or hub:OWNER/NAME@REVISION")),
        }
    }

    /// Its folder in a cache.
    fn folder(&self, cache: &Path) -> PathBuf {
        cache.join(format!("models--{}--{}", self.owner, self.name))
    }
}

impl fmt::Display for HubModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.revision.as_str() {
            "main" => write!(f, "{}/{}", self.owner, self.name),
            revision => write!(f, "{}/{}@{revision}", self.owner, self.name),
        }
    }
}

/// Where the hub is, and where what comes from it is kept.
#[derive(Clone, Debug)]
pub struct Hub {
    /// Its address.
    pub endpoint: String,
    /// The folder of the cache.
    pub cache: PathBuf,
    /// For models that are not open to all; sent to the hub and to no server that it refers to.
    pub token: Option<Secret>,
    /// How long to wait for a connection, and for the next bytes of a file.
    pub patience: Duration,
    /// The first wait before a broken download goes on; doubled each time.
    pub first_wait: Duration,
}

impl Hub {
    /// As the hub's own tools have it: `HF_ENDPOINT`, `HF_HUB_CACHE`, `HF_HOME` and `HF_TOKEN` of this process's environment.
    ///
    /// # Errors
    /// Where neither those nor a home folder say where the cache is.
    pub fn of_process() -> Result<Self> {
        let named = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
        let home = || {
            let caches = named("XDG_CACHE_HOME").map(PathBuf::from);
            let caches = caches.or_else(|| named("HOME").map(|home| PathBuf::from(home).join(".cache")))?;
            Some(caches.join("huggingface"))
        };
        let cache = match named("HF_HUB_CACHE") {
            Some(cache) => PathBuf::from(cache),
            None => named("HF_HOME")
                .map(PathBuf::from)
                .or_else(home)
                .ok_or_else(|| {
                    Error::usage("no folder for the hub's cache is known")
                        .with_help("set HF_HUB_CACHE, HF_HOME or HOME")
                })?
                .join("hub"),
        };
        Ok(Self {
            endpoint: env::var("HF_ENDPOINT")
                .ok()
                .filter(|url| !url.is_empty())
                .unwrap_or_else(|| "https://huggingface.co".into()),
            cache,
            token: env::var("HF_TOKEN").ok().and_then(Secret::new),
            patience: Duration::from_secs(60),
            first_wait: Duration::from_secs(1),
        })
    }

    /// The snapshot of a model in the cache; none where it is not there, or not whole.
    pub fn find(&self, model: &HubModel) -> Option<PathBuf> {
        match cached::look(self, model) {
            Cached::Whole(snapshot) => Some(snapshot),
            Cached::Absent | Cached::Broken(_) => None,
        }
    }

    /// The snapshot of a model in the cache; where it is not there it is fetched if `download` says so. `tell` is told what
    /// is fetched and how far that is.
    ///
    /// # Errors
    /// Where it is not in the cache and is not to be fetched, or fetching fails. What has come by then is kept, and
    /// fetching goes on from there the next time.
    pub fn locate(&self, model: &HubModel, download: bool, tell: &(dyn Fn(&str) + Sync)) -> Result<PathBuf> {
        let cached = cached::look(self, model);
        let fetch = || format!("local:hub:{model},download=yes");
        match cached {
            Cached::Whole(snapshot) => Ok(snapshot),
            _ if download => fetch::fetch(self, model, tell),
            Cached::Absent => {
                Err(Error::input(format!("{model} is not in the hub's cache ({})", self.cache.display()))
                    .with_help(format!("to fetch it (a 4B model is 9 GB, an 8B one 18 GB): {}", fetch())))
            }
            Cached::Broken(what) => {
                let folder = model.folder(&self.cache);
                Err(Error::input(format!("{model} in the hub's cache is broken: {what} ({})", folder.display()))
                    .with_help(format!("to fetch what is missing, and nothing else: {}", fetch())))
            }
        }
    }
}
