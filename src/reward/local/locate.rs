//! Where the worker program is.

use std::env;
use std::path::{Path, PathBuf};

use crate::{Error, Result};

const PROGRAM: &str = "roborm-local";

/// The worker: `ROBORM_LOCAL`, else beside the running program or in the folder above it (where cargo puts what tests and
/// examples use), else on `PATH`.
pub(super) fn find() -> Result<PathBuf> {
    if let Some(named) = env::var_os("ROBORM_LOCAL").filter(|named| !named.is_empty()) {
        let named = PathBuf::from(named);
        return match named.is_file() {
            true => Ok(named),
            false => Err(Error::worker(format!("ROBORM_LOCAL names {}, which is no file", named.display()))
                .with_help("let it name the program roborm-local, or unset it")),
        };
    }
    let file = format!("{PROGRAM}{}", env::consts::EXE_SUFFIX);
    let beside = env::current_exe().ok();
    let beside = beside.iter().flat_map(|program| program.ancestors().skip(1).take(2)).map(Path::to_path_buf);
    let path = env::var_os("PATH").unwrap_or_default();
    beside.chain(env::split_paths(&path)).map(|folder| folder.join(&file)).find(|file| file.is_file()).ok_or_else(
        || {
            Error::worker(format!(
                "the worker of local checkpoints, {PROGRAM}, was not found beside this program or on PATH"
            ))
            .with_help("build it with `cargo xtask libtorch` (540 MB are fetched once), or name it in ROBORM_LOCAL")
        },
    )
}
