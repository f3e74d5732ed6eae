//! Crates that a session adds with `:dep`: built once, by the real cargo, in a crate of their own; cells are then linked
//! against them beside the toolkit.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use rustix::process::{Pid, Signal};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::engine::watched::{self, Watched};

/// A crate as it is added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Added {
    pub name: String,
    /// What stands behind the `=`.
    pub config: String,
}

/// Crates that were built.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Built {
    /// Where libraries are, and where macros are that are libraries of the compiler.
    folders: Vec<PathBuf>,
    externs: BTreeMap<String, PathBuf>,
}

impl Built {
    /// Adds them to a call of rustc.
    pub fn link(&self, rustc: &mut Command) {
        for folder in &self.folders {
            rustc.arg("-L").arg(format!("dependency={}", folder.display()));
        }
        for (name, file) in &self.externs {
            rustc.arg("--extern").arg(format!("{name}={}", file.display()));
        }
    }
}

/// The dependencies of a manifest that evcxr wrote: one a line.
pub(crate) fn of_manifest(manifest: &str) -> Vec<Added> {
    manifest
        .lines()
        .map(str::trim)
        .skip_while(|line| *line != "[dependencies]")
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split_once('='))
        .map(|(name, config)| Added { name: name.trim().to_owned(), config: config.trim().to_owned() })
        .collect()
}

fn manifest(name: &str, added: &[Added]) -> String {
    let lines: String = added.iter().map(|it| format!("{} = {}\n", it.name, it.config)).collect();
    format!(
        "[package]\nname = \"{name}\"\nversion = \"0.0.1\"\nedition = \"2024\"\n\n[lib]\npath = \"lib.rs\"\n\n[workspace]\n\n\
         [profile.release]\nopt-level = 2\ndebug = 0\n\n[dependencies]\n{lines}"
    )
}

/// Cargo, set in a folder, with short waits for a network that is not there.
fn cargo(base: &Command, folder: &Path, words: &[&str], offline: bool) -> Command {
    let mut command = Command::new(base.get_program());
    for (name, value) in base.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.current_dir(folder).env("CARGO_NET_RETRY", "1").env("CARGO_HTTP_TIMEOUT", "10").args(words);
    // What the user has set for his own builds, in variables or in a config.toml, may be of another machine, another place or
    // another way to panic. What is empty here is nothing, whatever is written there.
    for name in ["RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "CARGO_ENCODED_RUSTFLAGS"] {
        command.env(name, "");
    }
    let target = Value::from(folder.join("target").display().to_string());
    for setting in [
        format!("build.target-dir={target}"),
        format!("build.build-dir={target}"),
        "profile.release.panic=\"unwind\"".to_owned(),
        "profile.release.lto=\"off\"".to_owned(),
    ] {
        command.arg("--config").arg(setting);
    }
    if offline {
        command.arg("--offline");
    }
    command.stdin(Stdio::null());
    command
}

/// Whether cargo failed for want of a network.
fn is_network(stderr: &str) -> bool {
    let signs = [
        "resolve host",
        "Could not connect",
        "Couldn't connect",
        "network",
        "timed out",
        "Timeout was reached",
        "spurious",
        "download of config.json failed",
        "failed to download",
        "Failed to connect",
    ];
    signs.iter().any(|sign| stderr.contains(sign))
}

/// Whether cargo says what it does: that is no part of an error.
fn is_of_work(line: &str) -> bool {
    let words =
        ["Updating", "Locking", "Blocking", "Downloading", "Downloaded", "Adding", "Compiling", "Checking", "Finished"];
    words.iter().any(|work| line.trim_start().starts_with(work))
}

/// Why cargo did not build, in the words of a session: the crate that it builds for one is none of the user's.
fn reason(complaint: &str) -> String {
    let kept: Vec<&str> = complaint.lines().filter(|line| !is_of_work(line)).collect();
    let kept = kept.join("\n");
    let kept = kept.trim();
    let (name, place) = ("the crate `roborm-added v0.0.1 (", ")`");
    match kept.split_once(name).and_then(|(head, rest)| Some((head, rest.split_once(place)?.1))) {
        Some((head, rest)) => format!("{head}this session{rest}"),
        None => kept.to_owned(),
    }
}

/// Has cargo keep what it downloads in a folder of the session's, where the user's own cannot be made.
pub(crate) fn find_home(cargo: &mut Command, folder: &Path) {
    let named = std::env::var_os("CARGO_HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
    let usual = || std::env::var_os("HOME").filter(|home| !home.is_empty()).map(|home| Path::new(&home).join(".cargo"));
    if let Some(home) = named.or_else(usual)
        && fs::create_dir_all(home).is_err()
    {
        cargo.env("CARGO_HOME", folder.join("home"));
    }
}

const OFFLINE: &str = "offline: the network cannot be reached, so only crates that cargo has downloaded before, and crates in folders \
                       (`:dep NAME = { path = \"…\" }`), can be added";

/// Whether there are such crates: cargo's word on them, as evcxr reads it.
pub(crate) fn look(base: &Command, folder: &Path, added: &[Added], offline: bool, stop: &Path) -> io::Result<ExitCode> {
    let folder = folder.join("look");
    prepare(&folder, "evcxr_dummy_validate_dep", added)?;
    let words = ["metadata", "--format-version=1"];
    let mut output = watched::output(&mut cargo(base, &folder, &words, offline), stop)?;
    let mut without = offline;
    if !output.status.success() && !offline && is_network(&String::from_utf8_lossy(&output.stderr)) {
        output = watched::output(&mut cargo(base, &folder, &words, true), stop)?;
        without = true;
    }
    io::stdout().write_all(&output.stdout)?;
    let said = String::from_utf8_lossy(&output.stderr);
    for line in said.lines().filter(|line| !is_of_work(line)) {
        writeln!(io::stderr(), "{line}")?;
    }
    if output.status.success() {
        return Ok(ExitCode::SUCCESS);
    }
    if without {
        writeln!(io::stderr(), "\n{OFFLINE}")?;
    }
    Ok(ExitCode::from(101))
}

/// How crates are built.
pub(crate) struct Way<'w> {
    /// What machine for: that of the cells.
    pub host: &'w str,
    /// The file that ends it, where it comes to be.
    pub stop: &'w Path,
    /// Is told of what cargo does.
    pub tell: &'w dyn Fn(&str),
}

/// Builds crates, once: what was built for the same list before is taken as it is. The inner error is cargo's.
pub(crate) fn build(
    base: &Command,
    folder: &Path,
    added: &[Added],
    offline: bool,
    way: &Way<'_>,
) -> io::Result<Result<Built, String>> {
    let wanted = manifest("roborm-added", added);
    let done = folder.join("built.json");
    let same = fs::read_to_string(folder.join("Cargo.toml")).is_ok_and(|before| before == wanted);
    // A crate in a folder may have changed.
    let settled = same && !wanted.contains("path =");
    if settled && let Ok(built) = fs::read(&done) {
        return Ok(Ok(serde_json::from_slice(&built)?));
    }
    prepare(folder, "roborm-added", added)?;
    let mut attempt = attempt(base, folder, offline, way)?;
    if let Err(message) = &attempt
        && !offline
        && is_network(message)
    {
        attempt = self::attempt(base, folder, true, way)?.map_err(|message| format!("{message}\n{OFFLINE}"));
    }
    if let Ok(built) = &attempt {
        fs::write(&done, serde_json::to_vec(built)?)?;
    }
    Ok(attempt)
}

fn prepare(folder: &Path, name: &str, added: &[Added]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    // Cargo goes by the times of files.
    for (file, text) in [("lib.rs", String::new()), ("Cargo.toml", manifest(name, added))] {
        let file = folder.join(file);
        if fs::read_to_string(&file).ok().as_ref() != Some(&text) {
            fs::write(file, text)?;
        }
    }
    Ok(())
}

fn attempt(base: &Command, folder: &Path, offline: bool, way: &Way<'_>) -> io::Result<Result<Built, String>> {
    let words = ["build", "--release", "--message-format=json", "--target", way.host];
    let mut child =
        cargo(base, folder, &words, offline).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0).spawn()?;
    let watched = Watched::begin(Pid::from_child(&child), way.stop, Signal::INT);
    let mut stdout = child.stdout.take().expect("it was asked for");
    let messages = std::thread::spawn(move || {
        let mut text = Vec::new();
        stdout.read_to_end(&mut text).map(|_| text)
    });
    let mut complaint = String::new();
    for line in BufReader::new(child.stderr.take().expect("it was asked for")).lines() {
        let line = line?;
        if line.contains("roborm-added") && is_of_work(&line) {
            continue;
        }
        if line.trim_start().starts_with("Compiling") || line.trim_start().starts_with("Downloading") {
            (way.tell)(line.trim());
        }
        complaint.push_str(&line);
        complaint.push('\n');
    }
    let messages = messages.join().map_err(|_| io::Error::other("the reader of cargo's messages died"))??;
    let status = child.wait()?;
    watched.end();
    let messages: Vec<Value> =
        messages.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
    if !status.success() {
        for message in messages.iter().filter(|message| message["reason"] == "compiler-message") {
            complaint.push_str(message["message"]["rendered"].as_str().unwrap_or_default());
        }
        return Ok(Err(reason(&complaint)));
    }
    let names = names(base, folder, offline)?;
    let target = folder.join("target");
    let folders = vec![target.join(way.host).join("release/deps"), target.join("release/deps")];
    let mut built = Built { folders, externs: BTreeMap::new() };
    for message in messages.iter().filter(|message| message["reason"] == "compiler-artifact") {
        let Some(name) = message["package_id"].as_str().and_then(|id| names.get(id)) else { continue };
        let files = message["filenames"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let library = files.into_iter().find(|file| file.ends_with(".rlib") || file.ends_with(".so"));
        let is_script = message["target"]["kind"][0] == "custom-build" || message["target"]["kind"][0] == "bin";
        if let (Some(library), false) = (library, is_script) {
            built.externs.insert(name.clone(), PathBuf::from(library));
        }
    }
    Ok(Ok(built))
}

/// The names that the crates are called by, by the identifiers of their packages.
fn names(base: &Command, folder: &Path, offline: bool) -> io::Result<BTreeMap<String, String>> {
    let output = cargo(base, folder, &["metadata", "--format-version=1"], offline).output()?;
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let root = &metadata["resolve"]["root"];
    let nodes = metadata["resolve"]["nodes"].as_array().into_iter().flatten();
    let direct =
        nodes.filter(|node| node["id"] == *root).flat_map(|node| node["deps"].as_array().into_iter().flatten());
    Ok(direct.filter_map(|it| Some((it["pkg"].as_str()?.to_owned(), it["name"].as_str()?.to_owned()))).collect())
}
