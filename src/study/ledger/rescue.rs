//! Where a reply goes that the ledger cannot take: a file of its own, which the next opening of the ledger takes in.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use rusqlite::{OptionalExtension, params};
use serde_json::Value;

use super::owner::now_ms;
use super::{Ledger, PairKey, record, store};
use crate::reward::Reply;
use crate::{Error, Result};

/// Writes `reply` beside the ledger, or where that cannot be, into the folder for temporary files; gives back `error` with
/// a word on where the reply is.
pub(super) fn keep(ledger: &Ledger, key: &PairKey, reply: &Reply, error: Error) -> Error {
    let line = serde_json::json!({ "key": key.to_string(), "at_ms": now_ms(), "reply": record::to_json(reply) });
    let line = format!("{line}\n");
    let names = names(ledger.path());
    for (folder, prefix) in &names {
        let path = folder.join(format!("{prefix}{}.jsonl", std::process::id()));
        if append(&path, &line).is_ok() {
            let help = format!(
                "the replies that were paid for are in {}, and the ledger takes them in when it is opened next",
                path.display()
            );
            return match error.help() {
                Some(first) => {
                    let help = format!("{first}; {help}");
                    error.with_help(help)
                }
                None => error.with_help(help),
            };
        }
    }
    error.with_help("free some space and give the same command again: a reply of this run could be kept nowhere")
}

/// Takes in what earlier runs left.
pub(super) fn take_in(ledger: &Ledger) -> Result<()> {
    for (folder, prefix) in names(ledger.path()) {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Some(pid) = name
                .to_str()
                .and_then(|name| name.strip_prefix(prefix.as_str()))
                .and_then(|name| name.strip_suffix(".jsonl"))
                .and_then(|pid| pid.parse::<u32>().ok())
            else {
                continue;
            };
            // Another process may be adding to its own.
            let busy = pid != std::process::id() && Path::new(&format!("/proc/{pid}")).exists();
            if !busy && is_mine(&entry.path()) {
                take_in_file(ledger, &entry.path())?;
            }
        }
    }
    Ok(())
}

fn take_in_file(ledger: &Ledger, path: &Path) -> Result<()> {
    let fail = |error: std::io::Error| Error::io(format!("cannot read {}", path.display()), &error);
    let mut replies = Vec::new();
    for line in BufReader::new(File::open(path).map_err(fail)?).lines() {
        let line = line.map_err(fail)?;
        // The last line may be half written: the disk was full, after all.
        let Ok(value) = serde_json::from_str::<Value>(&line) else { continue };
        let key = value.get("key").and_then(Value::as_str).and_then(|hex| blake3::Hash::from_hex(hex).ok());
        let reply = value.get("reply").and_then(record::from_json);
        let at_ms = value.get("at_ms").and_then(Value::as_i64).unwrap_or_else(now_ms);
        if let (Some(key), Some(reply)) = (key, reply) {
            replies.push((PairKey::from_bytes(*key.as_bytes()), at_ms, reply));
        }
    }
    ledger.0.writer.commit_blocking(move |db| {
        for (key, at_ms, reply) in &replies {
            let pair = db
                .query_row("SELECT id FROM pairs WHERE key = ?", [key.as_bytes()], |row| row.get::<_, i64>(0))
                .optional()?;
            let Some(pair) = pair else { continue };
            if store::reply(db, key)?.as_ref() != Some(reply) {
                store::replace_reply(db, None, pair, *at_ms, reply)?;
            }
            db.execute("UPDATE pairs SET open = 0 WHERE id = ?", params![pair])?;
        }
        Ok(())
    })?;
    std::fs::remove_file(path).map_err(|error| Error::io(format!("cannot remove {}", path.display()), &error))
}

/// Folders and beginnings of names to try, in order.
fn names(ledger: &Path) -> Vec<(PathBuf, String)> {
    let mut names = Vec::new();
    if let (Some(folder), Some(name)) = (ledger.parent(), ledger.file_name()) {
        names.push((folder.to_owned(), format!("{}.rescue-", name.to_string_lossy())));
    }
    let digest = &blake3::hash(ledger.as_os_str().as_encoded_bytes()).to_hex()[..16];
    names.push((std::env::temp_dir(), format!("roborm-rescue-{digest}-")));
    names
}

fn append(path: &Path, line: &str) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    if !is_mine(path) {
        return Err(std::io::ErrorKind::PermissionDenied.into());
    }
    let whole = file.metadata()?.len();
    let written = file.write_all(line.as_bytes()).and_then(|()| file.sync_all());
    if written.is_err() {
        // Half a line is worth nothing, and takes what the next try may need.
        drop(file.set_len(whole));
    }
    written
}

/// A plain file of this user's: in a folder that all can write, anybody could leave a file of that name.
fn is_mine(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::symlink_metadata(path)
        .is_ok_and(|meta| meta.is_file() && meta.uid() == rustix::process::geteuid().as_raw())
}
