//! Fetching a model: what broke off goes on where it stopped, and no file is taken whose checksum is not the hub's.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, CONTENT_RANGE, RANGE};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode, Url};
use serde_json::Value;

use super::listing::{Listed, Listing};
use super::{Hub, HubModel};
use crate::reward::Environment;
use crate::reward::http::{causes, certificates, is_loopback};
use crate::{Error, Result};

/// Attempts in a row that bring no byte.
const ATTEMPTS: u32 = 5;

/// Fetches all files of a model that are not in the cache yet, and gives the snapshot.
pub(super) fn fetch(hub: &Hub, model: &HubModel, tell: &(dyn Fn(&str) + Sync)) -> Result<PathBuf> {
    let work = || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Error::io("cannot start the download", &error))?;
        runtime.block_on(Fetch { client: client(hub)?, hub, model, tell }.all())
    };
    // On a thread of its own: whoever opens a model may be inside a runtime.
    std::thread::scope(|scope| scope.spawn(work).join())
        .unwrap_or_else(|_| Err(Error::io("the download", &std::io::Error::other("its thread ended"))))
}

fn client(hub: &Hub) -> Result<Client> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let endpoint = address(hub)?;
    if hub.token.is_some() && endpoint.scheme() != "https" && !is_loopback(&endpoint) {
        return Err(Error::usage(format!("{endpoint} would get HF_TOKEN in clear text"))
            .with_help("give an https address in HF_ENDPOINT"));
    }
    let mut builder = Client::builder()
        .user_agent(concat!("roborm/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(hub.patience)
        .read_timeout(hub.patience)
        // The hub refers to the servers that hold its files; reqwest takes the token off where it leaves the hub.
        .redirect(Policy::limited(10))
        // Bytes as they are: a range of something compressed is none of the file.
        .no_gzip()
        .referer(false);
    if is_loopback(&endpoint) {
        builder = builder.no_proxy();
    }
    if endpoint.scheme() == "http" && is_loopback(&endpoint) {
        builder = builder.tls_certs_only(Vec::new());
    } else if let Some(path) = Environment::of_process().ca_bundle {
        builder = builder.tls_certs_merge(certificates(&path)?);
    }
    builder.build().map_err(|error| Error::service(format!("no client for {endpoint}: {}", causes(&error))))
}

fn address(hub: &Hub) -> Result<Url> {
    Url::parse(hub.endpoint.trim_end_matches('/'))
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https") && url.host_str().is_some())
        .ok_or_else(|| Error::usage(format!("HF_ENDPOINT '{}' is no address", hub.endpoint)))
}

/// Why a request came to nothing.
enum Trouble {
    /// It may go better: what, and how long the server wants to be left alone.
    Passing(String),
    Lasting(Error),
}

struct Fetch<'a> {
    client: Client,
    hub: &'a Hub,
    model: &'a HubModel,
    tell: &'a (dyn Fn(&str) + Sync),
}

impl Fetch<'_> {
    async fn all(&self) -> Result<PathBuf> {
        let listing = self.listing().await?;
        let folder = self.model.folder(&self.hub.cache);
        let blobs = folder.join("blobs");
        make(&blobs)?;
        let lacking: u64 = listing.files.iter().map(|file| file.size - there(&blobs, file).min(file.size)).sum();
        room(&blobs, lacking)?;
        (self.tell)(&format!(
            "fetching {}: {} files, {} ({} of them to come), into {}",
            self.model,
            listing.files.len(),
            gigabytes(listing.size()),
            gigabytes(lacking),
            folder.display()
        ));
        let mut progress = Progress { total: listing.size(), done: 0, told: 0, model: self.model, tell: self.tell };
        for file in &listing.files {
            self.file(&listing.commit, file, &blobs, &mut progress).await?;
        }
        // Links and the name of the commit only now: a snapshot that is there is whole.
        let snapshot = folder.join("snapshots").join(&listing.commit);
        make(&snapshot)?;
        for file in &listing.files {
            let link = snapshot.join(&file.name);
            let _ = fs::remove_file(&link);
            symlink(Path::new("../../blobs").join(file.checksum.name()), &link)
                .map_err(|error| Error::io(format!("cannot write {}", link.display()), &error))?;
        }
        let name = folder.join("refs").join(&self.model.revision);
        make(name.parent().unwrap_or(&folder))?;
        fs::write(&name, &listing.commit)
            .map_err(|error| Error::io(format!("cannot write {}", name.display()), &error))?;
        Ok(snapshot)
    }

    async fn listing(&self) -> Result<Listing> {
        let mut url = address(self.hub)?;
        self.extend(
            &mut url,
            &["api", "models", &self.model.owner, &self.model.name, "revision", &self.model.revision],
        );
        url.set_query(Some("blobs=true"));
        let mut wait = self.hub.first_wait;
        for attempt in 1.. {
            let answer = match self.get(&url, 0).await {
                Ok(response) => response.json::<Value>().await.map_err(|error| Trouble::Passing(causes(&error))),
                Err(trouble) => Err(trouble),
            };
            match answer {
                Ok(answer) => return Listing::read(self.model, &answer),
                Err(Trouble::Passing(_)) if attempt < ATTEMPTS => pause(&mut wait).await,
                Err(Trouble::Passing(what)) => {
                    return Err(Error::service(format!("{}: {what}", self.model))
                        .with_help("try again later: what has come is kept"));
                }
                Err(Trouble::Lasting(error)) => return Err(error),
            }
        }
        Err(Error::service(format!("{}: no answer", self.model)))
    }

    fn extend(&self, url: &mut Url, parts: &[&str]) {
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(parts);
        }
    }

    /// Asks for what an address holds from byte `from` on.
    async fn get(&self, url: &Url, from: u64) -> Result<Response, Trouble> {
        let mut request = self.client.get(url.clone());
        if from > 0 {
            request = request.header(RANGE, format!("bytes={from}-"));
        }
        if let Some(header) = self.hub.token.as_ref().and_then(|token| token.header()) {
            request = request.header(AUTHORIZATION, header);
        }
        let response = request.send().await.map_err(|error| Trouble::Passing(causes(&error)))?;
        let status = response.status();
        let lasting = |what: &str, help: &str| {
            Err(Trouble::Lasting(Error::service(format!("{}: {what}", self.model)).with_help(help)))
        };
        match status {
            StatusCode::OK | StatusCode::PARTIAL_CONTENT | StatusCode::RANGE_NOT_SATISFIABLE => Ok(response),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => lasting(
                "not open to all, or not there",
                "check the name; where the model asks for consent, give it on its page and set HF_TOKEN",
            ),
            StatusCode::NOT_FOUND => lasting("there is no such model or revision", "check the name on the hub"),
            _ if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS => {
                Err(Trouble::Passing(format!("the hub answers {status}")))
            }
            _ => lasting(&format!("the hub answers {status}"), "try again later, or fetch it with the hub's own tools"),
        }
    }

    /// Sees to it that the blob of a file is there.
    async fn file(&self, commit: &str, file: &Listed, blobs: &Path, progress: &mut Progress<'_>) -> Result<()> {
        let blob = blobs.join(file.checksum.name());
        let begun = begun(&blob);
        let cannot = |error: &std::io::Error| Error::io(format!("cannot write {}", begun.display()), error);
        // A blob of another length is no copy of the file, whoever put it there.
        let is_whole = || fs::metadata(&blob).is_ok_and(|about| about.is_file() && about.len() == file.size);
        if is_whole() {
            progress.at(file.size);
            progress.next(file.size);
            return Ok(());
        }
        let mut out = OpenOptions::new().create(true).append(true).open(&begun).map_err(|error| cannot(&error))?;
        self.lock(&out, &begun)?;
        // Another process may have had the lock, and be done.
        if !is_whole() {
            let mut url = address(self.hub)?;
            self.extend(&mut url, &[&self.model.owner, &self.model.name, "resolve", commit, &file.name]);
            self.bytes(&url, file, &mut out, progress).await?;
            out.sync_all().map_err(|error| cannot(&error))?;
            if !file.checksum.is_of(&begun).map_err(|error| cannot(&error))? {
                let _ = fs::remove_file(&begun);
                return Err(Error::service(format!(
                    "{}: {} came with another checksum than the hub's",
                    self.model, file.name
                ))
                .with_help("it was thrown away; fetch it again"));
            }
            fs::rename(&begun, &blob).map_err(|error| cannot(&error))?;
        } else {
            let _ = fs::remove_file(&begun);
        }
        progress.next(file.size);
        Ok(())
    }

    fn lock(&self, file: &File, path: &Path) -> Result<()> {
        match file.try_lock() {
            Ok(()) => Ok(()),
            Err(TryLockError::WouldBlock) => {
                (self.tell)(&format!("{}: another process is fetching it; waiting", self.model));
                file.lock().map_err(|error| Error::io(format!("cannot lock {}", path.display()), &error))
            }
            // A file system without locks: two processes at a time are then for the user to avoid.
            Err(TryLockError::Error(_)) => Ok(()),
        }
    }

    /// Appends to `out` what it lacks of a file, and goes on where the connection breaks.
    async fn bytes(&self, url: &Url, file: &Listed, out: &mut File, progress: &mut Progress<'_>) -> Result<()> {
        let cannot = |error: std::io::Error| Error::io(format!("cannot write {}", file.name), &error);
        let (mut wait, mut idle) = (self.hub.first_wait, 0);
        loop {
            let have = out.seek(SeekFrom::End(0)).map_err(cannot)?;
            if have > file.size {
                out.set_len(0).map_err(cannot)?;
                continue;
            }
            if have == file.size {
                return Ok(());
            }
            progress.at(have);
            let what = match self.get(url, have).await {
                Ok(response) => match self.take(response, have, file, out, progress).await? {
                    None => continue,
                    Some(what) => what,
                },
                Err(Trouble::Passing(what)) => what,
                Err(Trouble::Lasting(error)) => return Err(error),
            };
            if out.seek(SeekFrom::End(0)).map_err(cannot)? > have {
                (wait, idle) = (self.hub.first_wait, 0);
            }
            idle += 1;
            if idle >= ATTEMPTS {
                return Err(Error::service(format!("{}: {}: {what}", self.model, file.name))
                    .with_help("what has come is kept: the same command goes on from there"));
            }
            pause(&mut wait).await;
        }
    }

    /// Writes what comes; gives what broke it off, if anything.
    async fn take(
        &self,
        mut response: Response,
        have: u64,
        file: &Listed,
        out: &mut File,
        progress: &mut Progress<'_>,
    ) -> Result<Option<String>> {
        let cannot = |error: std::io::Error| Error::io(format!("cannot write {}", file.name), &error);
        let mut at = have;
        let range = response.headers().get(CONTENT_RANGE).and_then(|range| range.to_str().ok());
        let goes_on = range.is_some_and(|range| range.starts_with(&format!("bytes {have}-")));
        if have > 0 && !(response.status() == StatusCode::PARTIAL_CONTENT && goes_on) {
            // A server that does not know ranges: from the beginning.
            out.set_len(0).map_err(cannot)?;
            at = 0;
            if response.status() != StatusCode::OK {
                return Ok(Some(format!("the server cannot go on at byte {have}")));
            }
        }
        loop {
            match response.chunk().await {
                Ok(Some(bytes)) => {
                    at += bytes.len() as u64;
                    if at > file.size {
                        out.set_len(0).map_err(cannot)?;
                        return Ok(Some(format!("more than the {} bytes that the hub lists", file.size)));
                    }
                    out.write_all(&bytes).map_err(cannot)?;
                    progress.at(at);
                }
                Ok(None) if at == file.size => return Ok(None),
                Ok(None) => return Ok(Some(format!("ended after {at} of {} bytes", file.size))),
                Err(error) => return Ok(Some(causes(&error))),
            }
        }
    }
}

/// Waits, and twice as long the next time.
async fn pause(wait: &mut Duration) {
    tokio::time::sleep(*wait).await;
    *wait = (*wait * 2).min(Duration::from_secs(60));
}

/// Where a file is written until it is whole, as the hub's own tools name it.
fn begun(blob: &Path) -> PathBuf {
    blob.with_extension("incomplete")
}

/// Bytes of a file that are in the cache.
fn there(blobs: &Path, file: &Listed) -> u64 {
    let blob = blobs.join(file.checksum.name());
    let size = |path: &Path| fs::metadata(path).map_or(0, |about| about.len());
    match size(&blob) {
        whole if whole == file.size => whole,
        _ => size(&begun(&blob)),
    }
}

/// Said before the first byte, and not after the last that fits.
fn room(folder: &Path, needed: u64) -> Result<()> {
    match rustix::fs::statvfs(folder) {
        Ok(disk) if disk.f_bavail.saturating_mul(disk.f_frsize) < needed => Err(Error::input(format!(
            "{}: {} are to come, and the disk has room for {}",
            folder.display(),
            gigabytes(needed),
            gigabytes(disk.f_bavail.saturating_mul(disk.f_frsize))
        ))
        .with_help("set HF_HUB_CACHE to a folder on another disk")),
        _ => Ok(()),
    }
}

fn make(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).map_err(|error| Error::io(format!("cannot make {}", folder.display()), &error))
}

fn gigabytes(bytes: u64) -> String {
    if bytes < 100_000_000 { format!("{:.1} MB", bytes as f64 / 1e6) } else { format!("{:.1} GB", bytes as f64 / 1e9) }
}

/// Tells at every twentieth of the way.
struct Progress<'a> {
    total: u64,
    /// Of the files before this one.
    done: u64,
    told: u64,
    model: &'a HubModel,
    tell: &'a (dyn Fn(&str) + Sync),
}

impl Progress<'_> {
    fn at(&mut self, of_this: u64) {
        let at = self.done + of_this;
        let twentieth = at * 20 / self.total.max(1);
        if twentieth > self.told {
            self.told = twentieth;
            (self.tell)(&format!("{}: {} of {}", self.model, gigabytes(at), gigabytes(self.total)));
        }
    }

    fn next(&mut self, size: u64) {
        self.done += size;
    }
}
