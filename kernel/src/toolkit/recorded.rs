//! What a toolkit knows of the rustc that it was built with.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};

use crate::engine::{Error, Result};

const FILE: &str = "toolkit.json";

/// `toolkit.json`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Recorded {
    /// `rustc -vV`.
    pub version: String,
    /// The real programs, behind rustup's.
    pub rustc: PathBuf,
    pub cargo: PathBuf,
    /// The linker to call directly, where cells are linked against stubs.
    pub linker: Option<PathBuf>,
    /// What rustc answers to arguments, where the answer does not change.
    pub answers: BTreeMap<String, String>,
    /// Crates that a cell may name: their files in `lib`.
    pub externs: BTreeMap<String, String>,
    /// Types: where they are defined, and the path by which a cell can name them.
    #[serde(default)]
    pub types: BTreeMap<String, String>,
    /// How the names of std were read.
    #[serde(default)]
    pub standard: String,
}

impl Recorded {
    pub fn read(toolkit: &Path) -> Result<Self> {
        let file = toolkit.join(FILE);
        let text = std::fs::read(&file).map_err(|error| {
            Error::io(format!("there is no toolkit in {}", toolkit.display()), &error)
                .with_help("build and install the kernel: cargo xtask kernel")
        })?;
        serde_json::from_slice(&text).map_err(|error| {
            Error::new(format!("{}: {error}", file.display())).with_help("install the kernel anew: cargo xtask kernel")
        })
    }

    pub fn write(&self, toolkit: &Path) -> Result<()> {
        let file = toolkit.join(FILE);
        let text = serde_json::to_vec_pretty(self).expect("maps of strings are JSON");
        std::fs::write(&file, text).map_err(|error| Error::io(format!("cannot write {}", file.display()), &error))
    }

    /// The machine that rustc compiles for, if nobody asks for another.
    pub fn host(&self) -> &str {
        self.version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default()
    }

    /// Whether a cell may name this crate without adding it (`serde-json` is `serde_json`).
    pub fn carries(&self, name: &str) -> bool {
        self.externs.contains_key(&name.replace('-', "_"))
    }

    /// Adds to a call of rustc what a cell is compiled and linked against. With crates of the user's own, which may need
    /// libraries of the system, it is linked as anything is.
    pub fn link(&self, toolkit: &Path, rustc: &mut Command, with_own: bool) {
        let lib = toolkit.join("lib");
        let stubs = toolkit.join(super::stub::FOLDER);
        let linker = self.linker.as_deref().filter(|_| !with_own);
        rustc.arg("-L").arg(argument("dependency=", &lib));
        for (name, file) in &self.externs {
            let folder =
                if linker.is_some() && file.ends_with(".so") && stubs.join(file).is_file() { &stubs } else { &lib };
            rustc.arg("--extern").arg(argument(&format!("{name}="), &folder.join(file)));
        }
        if let Some(linker) = linker {
            super::stub::direct(rustc, linker, &stubs);
        }
    }

    /// A cell that was compiled before, by its code; put where the linker would have put it.
    pub fn cached(&self, toolkit: &Path, code: &str, shared: &Path) -> bool {
        std::fs::copy(Self::cell(toolkit, code), shared).is_ok()
    }

    /// Where the library of a cell is kept.
    pub fn cell(toolkit: &Path, code: &str) -> PathBuf {
        let mut hash = DefaultHasher::new();
        // evcxr writes what is imported in no order.
        let (mut uses, others): (Vec<&str>, Vec<&str>) = code.lines().partition(|line| line.starts_with("use "));
        uses.sort_unstable();
        (uses, others).hash(&mut hash);
        toolkit.join("cells").join(format!("{:016x}.so", hash.finish()))
    }
}

fn argument(head: &str, path: &Path) -> std::ffi::OsString {
    let mut argument = std::ffi::OsString::from(head);
    argument.push(path);
    argument
}
