//! A bench to try the program on: a folder of its own, and no way to the user's data, keys or keyring.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A folder that the program runs in.
pub struct Bench(tempfile::TempDir);

/// What a run came to.
pub struct Run {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Bench {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder to work in"))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("a folder can be made");
        std::fs::write(&path, text).expect("a file can be written");
        path
    }

    /// The program with these words, ready to be started.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_roborm"));
        command
            .args(words)
            .current_dir(self.0.path())
            .env("XDG_DATA_HOME", self.path("data"))
            .env_remove("DBUS_SESSION_BUS_ADDRESS")
            .env_remove("COLUMNS")
            .env_remove("OPENROUTER_API_KEY")
            .env_remove("OPENROUTER_BASE_URL")
            .env_remove("ROBORM_API_KEY");
        command
    }

    pub fn run(&self, words: &[&str]) -> Run {
        self.command(words).output().expect("the program starts").into()
    }

    /// Runs to a good end and reads the one JSON document on stdout.
    pub fn json(&self, words: &[&str]) -> Value {
        let run = self.run(&[words, &["--json"]].concat());
        assert_eq!(run.status, 0, "{words:?}: {}", run.stderr);
        run.json()
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).expect("the program prints UTF-8"),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Run {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("not JSON ({error}): {}", self.stdout))
    }

    /// The program refused: this status, one line with all of `words` on stderr, and nothing on stdout.
    pub fn refuses(&self, status: i32, words: &[&str]) {
        assert_eq!(self.status, status, "{}{}", self.stdout, self.stderr);
        assert_eq!(self.stdout, "", "nothing but the answer goes to stdout");
        for word in words {
            assert!(self.stderr.contains(word), "`{word}` is missing in: {}", self.stderr);
        }
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
    }
}

/// Real rollouts beside the checkout; a line and `None` where they are not there.
pub fn rollouts() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/rollouts");
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: no rollouts at {}", folder.display());
    None
}

/// The project's paraphrases of the tasks of the rollouts.
pub fn rollout_paraphrases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/rollouts-paraphrases.jsonl")
}
