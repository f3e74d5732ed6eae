//! Where Jupyter looks for kernels.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::engine::{Error, Result};

/// Below which folder a kernel is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The user's own data folder.
    User,
    /// `DIR/share/jupyter`.
    Prefix(PathBuf),
    /// `share/jupyter` of the Python that is active: a virtual environment.
    Python,
}

impl Place {
    /// The folder of kernels; it may not be there yet.
    ///
    /// # Errors
    /// There is no home folder, or no Python.
    pub fn kernels(&self) -> Result<PathBuf> {
        let data = match self {
            Self::User => user_data().ok_or_else(|| {
                Error::new("no home folder: neither HOME nor JUPYTER_DATA_DIR is set")
                    .with_help("--prefix DIR installs below another folder")
            })?,
            Self::Prefix(folder) => share(
                std::path::absolute(folder)
                    .map_err(|error| Error::io(format_args!("cannot use the prefix '{}'", folder.display()), &error))?,
            ),
            Self::Python => share(python_prefix().ok_or_else(|| {
                Error::new("no python3 on the path tells its prefix")
                    .with_help("activate an environment first, or give --prefix DIR")
            })?),
        };
        Ok(data.join("kernels"))
    }
}

/// The folders of kernels in which Jupyter looks, the nearest first; some may not be there.
pub fn folders() -> Vec<PathBuf> {
    let named = env::var_os("JUPYTER_PATH");
    let named = named.iter().flat_map(env::split_paths).filter(|folder| !folder.as_os_str().is_empty());
    let system = ["/usr/local/share/jupyter", "/usr/share/jupyter"].map(PathBuf::from);
    let all = named.chain(user_data()).chain(python_prefix().map(share)).chain(system);
    let mut folders: Vec<PathBuf> = Vec::new();
    for folder in all.map(|folder| folder.join("kernels")) {
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    folders
}

fn share(prefix: PathBuf) -> PathBuf {
    prefix.join("share").join("jupyter")
}

/// As `jupyter --data-dir` has it.
fn user_data() -> Option<PathBuf> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("JUPYTER_DATA_DIR").or_else(|| {
        if cfg!(target_os = "macos") {
            return Some(set("HOME")?.join("Library").join("Jupyter"));
        }
        let data = set("XDG_DATA_HOME").or_else(|| Some(set("HOME")?.join(".local").join("share")))?;
        Some(data.join("jupyter"))
    })
}

/// `sys.prefix` of the Python that is active.
fn python_prefix() -> Option<PathBuf> {
    ["python3", "python"].iter().find_map(|python| {
        let asked = Command::new(python)
            .args([
                "-I",
                "-S",
                "-c",
                "import sys; sys.stdout.buffer.write(sys.prefix.encode('utf-8', 'surrogateescape'))",
            ])
            .stderr(Stdio::null())
            .output()
            .ok()?;
        let text = asked.status.success().then_some(asked.stdout)?;
        #[cfg(unix)]
        let prefix = {
            use std::os::unix::ffi::OsStringExt;
            std::ffi::OsString::from_vec(text)
        };
        #[cfg(not(unix))]
        let prefix = String::from_utf8(text).ok()?;
        Some(PathBuf::from(prefix)).filter(|prefix| prefix.is_absolute())
    })
}
