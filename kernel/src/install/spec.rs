//! What Jupyter reads of a kernel: `kernel.json` and the pictures beside it.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::Plan;
use crate::engine::{Error, Result};

/// The pictures, by the names that Jupyter looks for.
pub(super) const LOGOS: [(&str, &[u8]); 3] = [
    ("logo-svg.svg", include_bytes!("logo.svg")),
    ("logo-64x64.png", include_bytes!("logo-64x64.png")),
    ("logo-32x32.png", include_bytes!("logo-32x32.png")),
];

/// A name as Jupyter takes it.
pub(super) fn check_name(name: &str) -> Result<()> {
    let taken = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if name.is_empty() || !name.chars().all(taken) || name.starts_with('.') {
        return Err(Error::new(format!("'{name}' cannot be the name of a kernel"))
            .with_help("letters, digits, and . _ - make a name"));
    }
    Ok(())
}

/// Whether a folder holds a kernel that roborm has installed.
pub(super) fn is_ours(folder: &Path) -> bool {
    let Ok(text) = fs::read_to_string(folder.join("kernel.json")) else { return false };
    serde_json::from_str::<Value>(&text).is_ok_and(|spec| spec["metadata"]["roborm"].is_object())
}

/// The toolkit of a kernel that roborm has installed: the one whose program it names.
pub(super) fn toolkit(folder: &Path) -> Result<PathBuf> {
    let file = folder.join("kernel.json");
    let wrong = |why: &dyn std::fmt::Display| {
        Error::new(format!("{}: {why}", file.display())).with_help("install the kernel anew: cargo xtask kernel")
    };
    let text = fs::read_to_string(&file).map_err(|error| wrong(&error))?;
    let spec: Value = serde_json::from_str(&text).map_err(|error| wrong(&error))?;
    let program = Path::new(spec["argv"][0].as_str().unwrap_or_default());
    program.ancestors().nth(2).map(Path::to_owned).ok_or_else(|| wrong(&"names no program"))
}

/// Writes what Jupyter reads into the folder of a kernel, `kernel.json` last and as a whole.
pub(super) fn write(folder: &Path, plan: &Plan, toolkit: &Path) -> Result<()> {
    let program = toolkit.join("bin").join("roborm-kernel");
    let Some(program) = program.to_str() else {
        return Err(Error::new(format!("{} is no UTF-8, which kernel.json needs", folder.display()))
            .with_help("--prefix DIR installs below another folder"));
    };
    let name = &plan.name;
    let shown = if name == "roborm" { "Rust (roborm)".to_owned() } else { format!("Rust ({name})") };
    let argv = match &plan.server {
        None => json!([program, "run", "{connection_file}"]),
        Some(server) => json!([program, "plain", server, "{connection_file}"]),
    };
    let spec = json!({
        "argv": argv,
        "display_name": shown,
        "language": "rust",
        "interrupt_mode": "message",
        "metadata": {"debugger": false, "roborm": {"version": env!("CARGO_PKG_VERSION")}},
    });
    let text = serde_json::to_string_pretty(&spec).map_err(|error| Error::new(format!("kernel.json: {error}")))?;
    let put = |name: &str, bytes: &[u8]| {
        let file = folder.join(name);
        fs::write(&file, bytes).map_err(|error| Error::io(format_args!("cannot write {}", file.display()), &error))
    };
    LOGOS.iter().try_for_each(|(name, bytes)| put(name, bytes))?;
    put("kernel.json.new", (text + "\n").as_bytes())?;
    let spec = folder.join("kernel.json");
    fs::rename(folder.join("kernel.json.new"), &spec)
        .map_err(|error| Error::io(format_args!("cannot write {}", spec.display()), &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_jupyter_finds_again() {
        for good in ["roborm", "roborm-2", "Rust_1.95"] {
            check_name(good).expect("a name");
        }
        for bad in ["", "a b", "é", "../up", "a/b", ".hidden"] {
            check_name(bad).expect_err("no name");
        }
    }
}
