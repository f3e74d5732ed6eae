//! Where the worker programs are.

use std::env;
use std::path::{Path, PathBuf};

use crate::{Error, Result};

/// A worker program and how it is found.
pub(crate) struct Program {
    /// Its file, without the ending that some systems give programs.
    pub file: &'static str,
    /// The variable that names another one.
    pub variable: &'static str,
    /// What it is, as an error says it.
    pub what: &'static str,
    /// How it is built.
    pub build: &'static str,
}

impl Program {
    /// The program that the variable names, else one beside the running program or in the folder above it (where cargo
    /// puts what tests and examples use), else on `PATH`.
    pub fn find(&self) -> Result<PathBuf> {
        let Self { file, variable, what, build } = self;
        if let Some(named) = env::var_os(variable).filter(|named| !named.is_empty()) {
            let named = PathBuf::from(named);
            return match named.is_file() {
                true => Ok(named),
                false => Err(Error::worker(format!("{variable} names {}, which is no file", named.display()))
                    .with_help(format!("let it name the program {file}, or unset it"))),
            };
        }
        let name = format!("{file}{}", env::consts::EXE_SUFFIX);
        let beside = env::current_exe().ok();
        let beside = beside.iter().flat_map(|program| program.ancestors().skip(1).take(2)).map(Path::to_path_buf);
        let path = env::var_os("PATH").unwrap_or_default();
        beside
            .chain(env::split_paths(&path))
            .map(|folder| folder.join(&name))
            .find(|program| program.is_file())
            .ok_or_else(|| {
                Error::worker(format!("{what}, {file}, was not found beside this program or on PATH"))
                    .with_help(format!("{build}, or name it in {variable}"))
            })
    }
}
