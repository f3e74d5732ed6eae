//! Running programs, and saying so.

use std::env;
use std::path::PathBuf;
use std::process::Command;

/// What every task gives: nothing, or a line of what went wrong.
pub type Result<T = ()> = std::result::Result<T, String>;

/// A line to the person who waits.
pub fn note(line: &str) {
    eprintln!("xtask: {line}");
}

/// The cargo that runs this task.
pub fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    // What cargo has told this task of its own package. The build script of ring takes it for a change: all that stands on
    // ring would be compiled again by a `cargo build` of the user's own, and back.
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_MANIFEST_") || text.starts_with("CARGO_PKG_") {
            command.env_remove(&name);
        }
    }
    command
}

/// A program of this workspace, built.
pub fn program(name: &str) -> Command {
    Command::new(target().join("release").join(name))
}

/// The top folder of the workspace.
pub fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// The folder that cargo builds into.
pub fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |folder| root().join(folder))
}

/// Runs a command to its end.
pub fn run(command: &mut Command) -> Result {
    let shown = format!("{command:?}").replace('"', "");
    let status = command.status().map_err(|error| format!("cannot start {shown}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{shown}\n  ended with {status}")) }
}

/// Does this command succeed, its output thrown away?
pub fn succeeds(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}
