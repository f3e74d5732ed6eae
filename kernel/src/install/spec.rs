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

/// Writes `kernel.json` into `made`, which is to become `folder`.
pub(super) fn write(plan: &Plan, made: &Path, folder: &Path) -> Result<()> {
    let text = |path: PathBuf| {
        let shown = path.display().to_string();
        path.into_os_string().into_string().map_err(|_| {
            Error::new(format!("{shown} is no UTF-8, which kernel.json needs"))
                .with_help("--prefix DIR installs below another folder")
        })
    };
    let program = text(folder.join("bin").join("roborm-kernel"))?;
    let shown = "Rust (roborm)";
    let shown = if plan.name == "roborm" { shown.to_owned() } else { format!("{shown}, {}", plan.name) };
    let spec = json!({
        "argv": [program, "run", "{connection_file}"],
        "display_name": shown,
        "language": "rust",
        "interrupt_mode": "message",
        "env": {},
        "metadata": {"debugger": false, "roborm": {"version": env!("CARGO_PKG_VERSION")}},
    });
    let file = made.join("kernel.json");
    let text = serde_json::to_string_pretty(&spec).map_err(|error| Error::new(format!("kernel.json: {error}")))?;
    fs::write(&file, text + "\n").map_err(|error| Error::io(format_args!("cannot write {}", file.display()), &error))
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
