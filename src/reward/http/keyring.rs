//! Keys in the system's keyring, by the programs that every desktop has for it: no library, nothing to link.
//!
//! Put one there with `secret-tool store --label roborm service roborm account OPENROUTER_API_KEY` (Linux) or
//! `security add-generic-password -s roborm -a OPENROUTER_API_KEY -w` (macOS); both ask for the key and keep it out of argv.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A locked keyring may ask its user; it is not waited for longer than this.
const PATIENCE: Duration = Duration::from_secs(10);

/// The key of a name, where the system has a keyring and it holds one.
pub(super) fn look_up(name: &str) -> Option<String> {
    let mut command = if cfg!(target_os = "macos") {
        let mut command = Command::new("security");
        command.args(["find-generic-password", "-s", "roborm", "-a", name, "-w"]);
        command
    } else {
        // Without a session bus there is no keyring, and the program would try to start one.
        std::env::var_os("DBUS_SESSION_BUS_ADDRESS")?;
        let mut command = Command::new("secret-tool");
        command.args(["lookup", "service", "roborm", "account", name]);
        command
    };
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    let start = Instant::now();
    let status = loop {
        match child.try_wait().ok()? {
            Some(status) => break status,
            None if start.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(10)),
            None => {
                // Nothing is lost where it has ended by itself in between.
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
        }
    };
    let mut key = String::new();
    child.stdout.take()?.read_to_string(&mut key).ok()?;
    (status.success() && !key.trim().is_empty()).then(|| key.trim().to_owned())
}
