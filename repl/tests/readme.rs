//! The README's sessions are real: every command in a ```console block is run, and prints what stands below it.
//!
//! `ROBORM_UPDATE_README=1` writes what they print into the README instead.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const OPEN: &str = "```console";
const CLOSE: &str = "```";

#[test]
fn every_command_of_the_readme_prints_what_it_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let readme = fs::read_to_string(&path).expect("the README is there");
    // One folder for all blocks: a later one uses what an earlier one wrote, as a reader would.
    let folder = tempfile::tempdir().expect("a folder for the session");
    let mut commands = 0;
    let played: Vec<String> = split(&readme)
        .into_iter()
        .map(|(is_session, text)| if is_session { play(&text, folder.path(), &mut commands) } else { text })
        .collect();
    let played = played.concat();
    assert!(commands >= 5, "the README shows {commands} commands; it should show how to work");
    if std::env::var_os("ROBORM_UPDATE_README").is_some() {
        fs::write(&path, played).expect("the README can be written");
    } else {
        // The first line that differs says more than two whole READMEs.
        let differs = readme.lines().zip(played.lines()).position(|(stands, printed)| stands != printed);
        let place = differs.or_else(|| (readme != played).then(|| readme.lines().count().min(played.lines().count())));
        if let Some(place) = place {
            let line = |text: &str| text.lines().nth(place).unwrap_or("(nothing)").to_owned();
            panic!(
                "line {} of the README is behind the program: run with ROBORM_UPDATE_README=1 and look at the change\n \
                 stands: {}\nprinted: {}",
                place + 1,
                line(&readme),
                line(&played)
            );
        }
    }
}

/// The README in pieces: (is it the inside of a console block, its text).
fn split(readme: &str) -> Vec<(bool, String)> {
    let mut pieces = vec![(false, String::new())];
    for line in readme.split_inclusive('\n') {
        let inside = pieces.last().is_some_and(|(inside, _)| *inside);
        if inside && line.trim_end() == CLOSE {
            pieces.push((false, line.to_owned()));
        } else {
            if let Some((_, text)) = pieces.last_mut() {
                text.push_str(line);
            }
            if !inside && line.trim_end() == OPEN {
                pieces.push((true, String::new()));
            }
        }
    }
    pieces
}

/// Runs the lines that begin with `$ roborm` and gives the block as it should be.
fn play(block: &str, folder: &Path, commands: &mut usize) -> String {
    let mut played = String::new();
    for line in block.lines().filter(|line| line.starts_with("$ ")) {
        let typed = line.trim_start_matches("$ ");
        assert!(typed.starts_with("roborm "), "a console block runs roborm and nothing else: {line}");
        let output = Command::new("sh")
            .args(["-c", typed])
            .current_dir(folder)
            .env("PATH", path())
            .env("XDG_DATA_HOME", folder.join("data"))
            .env("COLUMNS", "120")
            .env_remove("OPENROUTER_API_KEY")
            .output()
            .expect("sh runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{typed}: {}\n{errors}", output.status);
        played.push_str(line);
        played.push('\n');
        played.push_str(&String::from_utf8_lossy(&output.stdout));
        *commands += 1;
    }
    played
}

/// The programs under test before all others.
fn path() -> std::ffi::OsString {
    let built = PathBuf::from(env!("CARGO_BIN_EXE_roborm"));
    let mut folders = vec![built.parent().expect("a program lies in a folder").to_owned()];
    folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    std::env::join_paths(folders).expect("no folder of PATH holds a colon")
}
