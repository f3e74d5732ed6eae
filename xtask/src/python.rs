//! The Python packages that the tests of the Jupyter kernel use, in an environment of their own.

use std::fs;
use std::process::Command;

use crate::shell::{self, Result, note};

/// Makes the environment (`python` in the folder that cargo builds into) where it is not there, or not as it should be.
pub fn environment() -> Result {
    let folder = shell::target().join("python");
    let wanted = shell::root().join("kernel").join("tests").join("jupyter").join("requirements.txt");
    let wanted = fs::read_to_string(&wanted).map_err(|error| format!("{}: {error}", wanted.display()))?;
    let list = folder.join("requirements.txt");
    if fs::read_to_string(&list).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    note("missing: jupyter_client, JupyterLab and what else tries the kernel; fetching from PyPI (about 60 MB)");
    shell::run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
    let asked = folder.join("asked.txt");
    let write = |path, text| fs::write(path, text).map_err(|error| format!("{}: {error}", folder.display()));
    write(&asked, &wanted)?;
    let mut pip = Command::new(folder.join("bin").join("python"));
    pip.args(["-m", "pip", "install", "-q", "--disable-pip-version-check", "--only-binary=:all:", "-r"]).arg(&asked);
    shell::run(&mut pip)?;
    // Last, so that what broke off is begun again.
    write(&list, &wanted)
}
