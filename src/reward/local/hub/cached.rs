//! What of a model is in the cache.

use std::fs;
use std::path::{Path, PathBuf};

use roborm_wire::no_json;
use serde_json::Value;

use super::{Hub, HubModel};

/// What is there, and where it is not whole, why not.
pub(super) enum Cached {
    /// The snapshot.
    Whole(PathBuf),
    /// Nothing of this revision.
    Absent,
    /// Something, and what is wrong with it: paths from the model's own folder.
    Broken(String),
}

/// Looks for a model.
pub(super) fn look(hub: &Hub, model: &HubModel) -> Cached {
    let folder = model.folder(&hub.cache);
    if !folder.is_dir() {
        return Cached::Absent;
    }
    let name = format!("refs/{}", model.revision);
    let named = fs::read_to_string(folder.join(&name)).ok();
    let commit = named.as_deref().map_or(model.revision.as_str(), str::trim).to_owned();
    let snapshot = format!("snapshots/{commit}");
    if !commit.is_empty() && folder.join(&snapshot).is_dir() {
        return match fault(&folder, &snapshot) {
            None => Cached::Whole(folder.join(snapshot)),
            Some(what) => Cached::Broken(what + &broken_off(&folder).unwrap_or_default()),
        };
    }
    match (named, broken_off(&folder)) {
        (Some(_), _) if commit.is_empty() => Cached::Broken(format!("{name} is empty")),
        (Some(_), more) => {
            Cached::Broken(format!("{name} names {snapshot}, which is not there{}", more.unwrap_or_default()))
        }
        (None, Some(more)) => Cached::Broken(format!("there is no {name}{more}")),
        (None, None) => Cached::Absent,
    }
}

/// What a checkpoint cannot do without and a snapshot has not; what is in the files, the worker looks at.
fn fault(folder: &Path, snapshot: &str) -> Option<String> {
    let lacks = |name: &str| {
        let path = folder.join(snapshot).join(name);
        match (path.exists(), path.read_link()) {
            (true, _) => None,
            (false, Ok(blob)) => Some(format!("{snapshot}/{name} is a link to {}, which is not there", blob.display())),
            (false, Err(_)) => Some(format!("{snapshot} has no {name}")),
        }
    };
    let index = "model.safetensors.index.json";
    let weights = || match fs::read_to_string(folder.join(snapshot).join(index)) {
        // A link that leads nowhere is an index that should be there.
        Err(_) if folder.join(snapshot).join(index).is_symlink() => lacks(index),
        Err(_) => lacks("model.safetensors"),
        Ok(text) => match serde_json::from_str::<Value>(&text) {
            Err(error) => Some(format!("{snapshot}/{index}, {}", no_json(&error))),
            Ok(index_file) => match index_file["weight_map"].as_object() {
                None => Some(format!("{snapshot}/{index} names no files")),
                Some(files) => files.values().find_map(|file| lacks(file.as_str().unwrap_or("file of that name"))),
            },
        },
    };
    ["config.json", "tokenizer.json"].into_iter().find_map(lacks).or_else(weights)
}

/// A download that has not come to its end.
fn broken_off(folder: &Path) -> Option<String> {
    let entries = fs::read_dir(folder.join("blobs")).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| name.ends_with(".incomplete"));
    names.sort();
    let first = names.first()?;
    let more = if names.len() > 1 { format!(" and {} more", names.len() - 1) } else { String::new() };
    Some(format!("; a download broke off (blobs/{first}{more})"))
}
