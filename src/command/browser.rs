//! The user's browser.

use std::env;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// A browser that cannot start says so within this; one that runs on is up.
const PATIENCE: Duration = Duration::from_millis(700);

/// Shows a file in the browser: by a command of `BROWSER`, else by what the desktop has for it. What is said where
/// that fails is why, and where the file is.
pub(super) fn open(file: &Path) -> Result<(), String> {
    let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let set = |name: &str| env::var(name).ok().filter(|value| !value.trim().is_empty());
    let mut commands = browsers(set("BROWSER").as_deref().unwrap_or_default(), &file);
    let desktop = set("DISPLAY").is_some() || set("WAYLAND_DISPLAY").is_some();
    if cfg!(target_os = "macos") {
        commands.push(vec!["open".to_owned(), file.display().to_string()]);
    } else if desktop {
        // Without a display it would start a browser of text in the middle of the prompt.
        commands.push(vec!["xdg-open".to_owned(), file.display().to_string()]);
    }
    let mut why = "BROWSER is not set, and there is no desktop to ask".to_owned();
    for words in commands {
        match start(&words) {
            Ok(()) => return Ok(()),
            Err(reason) => why = reason,
        }
    }
    Err(format!("{why}; the file is {}", file.display()))
}

/// The commands of `BROWSER`: several are parted by colons, and the file takes the place of `%s` or stands at the end.
fn browsers(value: &str, file: &Path) -> Vec<Vec<String>> {
    let file = file.display().to_string();
    let words = |command: &str| -> Option<Vec<String>> {
        let mut words = shlex::split(command).filter(|words| !words.is_empty())?;
        match words.iter().any(|word| word.contains("%s")) {
            true => words = words.into_iter().map(|word| word.replace("%s", &file)).collect(),
            false => words.push(file.clone()),
        }
        Some(words)
    };
    value.split(':').filter_map(words).collect()
}

fn start(words: &[String]) -> Result<(), String> {
    let Some((program, arguments)) = words.split_first() else { return Err("no browser is named".to_owned()) };
    let mut command = Command::new(program);
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .env_remove("OPENROUTER_API_KEY")
        .env_remove("ROBORM_API_KEY")
        // Ctrl-C at the prompt is not for it.
        .process_group(0);
    let mut child = command.spawn().map_err(|error| format!("{program} does not start: {error}"))?;
    let (sender, ended) = mpsc::channel();
    // It is waited for, so that it leaves nothing behind when it ends.
    let wait = move || {
        let _ = sender.send(child.wait());
    };
    thread::Builder::new().spawn(wait).map_err(|error| format!("a thread could not be started: {error}"))?;
    match ended.recv_timeout(PATIENCE) {
        Ok(Ok(status)) if !status.success() => Err(format!("{program} ended with {status}")),
        Ok(Err(error)) => Err(format!("{program} cannot be waited for: {error}")),
        _ => Ok(()),
    }
}
