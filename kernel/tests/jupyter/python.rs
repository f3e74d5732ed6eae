//! The Python that holds the other end of a conversation.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The interpreter that `cargo xtask test` has set up, or the one that `ROBORM_TEST_PYTHON` names; `None` after saying
/// that a test is skipped.
pub fn interpreter() -> Option<PathBuf> {
    let built = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("python").join("bin").join("python");
    let python = std::env::var_os("ROBORM_TEST_PYTHON").map_or(built, PathBuf::from);
    let there = Command::new(&python).args(["-c", "import jupyter_client"]).stderr(Stdio::null()).status();
    if there.is_ok_and(|status| status.success()) {
        return Some(python);
    }
    eprintln!("skipped: {} has no jupyter_client; `cargo xtask test` sets it up", python.display());
    None
}

/// A script beside this file.
pub fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join("jupyter").join(name)
}

/// Fails with all that a script had to say, where it failed.
pub fn passed(output: &Output) {
    assert!(
        output.status.success(),
        "{}\n{}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}
