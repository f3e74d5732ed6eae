//! Where the evaluator of Rust is, which a prompt starts and which is built and installed by itself.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::{Error, Result};

const PROGRAM: &str = "roborm-kernel";

/// The program that `ROBORM_KERNEL` names (`none`: there is to be none); else the one that this program was installed
/// with, that a Jupyter kernel was installed with where Jupyter looks for kernels, or that is on `PATH`.
///
/// # Errors
/// There is none: says where it was looked for and what to do.
pub fn engine_program() -> Result<PathBuf> {
    match look()? {
        Found::At(program) => Ok(program),
        Found::Off => {
            Err(Error::usage("Rust expressions are turned off by ROBORM_KERNEL=none; commands begin with `:`")
                .with_help("`:help` lists the commands"))
        }
        Found::Nowhere => Err(Error::usage(
            "Rust expressions need the engine, which is not built; commands begin with `:`",
        )
        .with_help(
            "`cargo xtask kernel` builds it, in the folder of roborm's sources; `:doctor` tells where it is looked \
                 for, `:help` lists the commands",
        )),
    }
}

/// Where it is looked for besides beside the program, in a line.
pub(super) const PLACES: &str = "The engine for Rust is that of the Jupyter kernel: where one was installed with --prefix DIR, \
                                 let JUPYTER_PATH name DIR/share/jupyter; ROBORM_KERNEL names any other.";

/// What there is of an engine.
pub(super) enum Found {
    At(PathBuf),
    /// There is to be none.
    Off,
    Nowhere,
}

/// Looks for it.
pub(super) fn look() -> Result<Found> {
    if let Some(named) = env::var_os("ROBORM_KERNEL").filter(|named| !named.is_empty()) {
        let named = PathBuf::from(named);
        if named.as_os_str() == "none" {
            return Ok(Found::Off);
        }
        return match named.is_file() {
            true => Ok(Found::At(named)),
            false => Err(Error::worker(format!("ROBORM_KERNEL names {}, which is no file", named.display()))
                .with_help(format!("let it name the program {PROGRAM}, or unset it"))),
        };
    }
    let file = format!("{PROGRAM}{}", env::consts::EXE_SUFFIX);
    let own = env::current_exe().ok();
    let beside = own.iter().filter_map(|own| own.parent()).map(|folder| folder.join(&file)).filter(|it| is_whole(it));
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path: Vec<PathBuf> =
        env::split_paths(&path).map(|folder| folder.join(&file)).filter(|it| is_whole(it)).collect();
    let found = beside.chain(installed()).chain(on_path).find(|program| program.is_file());
    Ok(found.map_or(Found::Nowhere, Found::At))
}

/// Whether all that cells are compiled against is there: `TOOLKIT/bin/roborm-kernel`.
fn is_whole(program: &Path) -> bool {
    let program = program.canonicalize().unwrap_or_else(|_| program.to_owned());
    program.ancestors().nth(2).is_some_and(|toolkit| toolkit.join("toolkit.json").is_file())
}

/// The programs that the user's Jupyter kernels name.
fn installed() -> Vec<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let data = set("JUPYTER_DATA_DIR").or_else(|| {
        let data = set("XDG_DATA_HOME").or_else(|| Some(set("HOME")?.join(".local/share")));
        Some(data?.join("jupyter"))
    });
    let prefixes = set("VIRTUAL_ENV").map(|prefix| prefix.join("share/jupyter"));
    let system = ["/usr/local/share/jupyter", "/usr/share/jupyter"].map(PathBuf::from);
    let named = env::var_os("JUPYTER_PATH").unwrap_or_default();
    let named = env::split_paths(&named).filter(|folder| !folder.as_os_str().is_empty()).collect::<Vec<_>>();
    let folders = named.into_iter().chain(data).chain(prefixes).chain(system).map(|folder| folder.join("kernels"));
    let mut found = Vec::new();
    for kernels in folders {
        let mut specs: Vec<PathBuf> = fs::read_dir(kernels)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path().join("kernel.json"))
            .collect();
        specs.sort();
        found.extend(specs.iter().filter_map(|spec| program_of(spec)));
    }
    found
}

fn program_of(spec: &Path) -> Option<PathBuf> {
    let spec: serde_json::Value = serde_json::from_str(&fs::read_to_string(spec).ok()?).ok()?;
    let program = PathBuf::from(spec["argv"][0].as_str()?);
    (program.file_stem()? == PROGRAM && is_whole(&program)).then_some(program)
}
