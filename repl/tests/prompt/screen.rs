//! A terminal to try the prompt in: tmux, with a server of its own.

use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::bench::Bench;

/// What is awaited comes within this, or not at all.
const DEADLINE: Duration = Duration::from_secs(60);
/// Between two looks at the screen.
const LOOK: Duration = Duration::from_millis(20);

/// A terminal of so many columns that the program runs in.
pub struct Screen<'a> {
    bench: &'a Bench,
    socket: String,
}

impl<'a> Screen<'a> {
    /// Starts the prompt; `env` is what `env` is to be given before the program, as `NO_COLOR=1` or `-uTERM`.
    pub fn start(bench: &'a Bench, columns: usize, env: &[&str]) -> Self {
        // A server of its own: one that is just ending would take a new session with it.
        static SCREENS: AtomicUsize = AtomicUsize::new(0);
        let name = format!("tmux{}", SCREENS.fetch_add(1, Ordering::Relaxed));
        let this = Self { bench, socket: bench.path(&name).display().to_string() };
        let (options, variables): (Vec<&str>, Vec<&str>) = env.iter().partition(|word| !word.contains('='));
        let mut command: Vec<String> = vec!["env".to_owned()];
        // Options come before variables, and the last of two variables stands.
        command.extend(options.into_iter().map(str::to_owned));
        command.extend(["-uOPENROUTER_API_KEY", "-uROBORM_API_KEY", "-uNO_COLOR", "LC_ALL=C.UTF-8"].map(str::to_owned));
        command.extend(["INPUTRC=/dev/null", "ROBORM_KERNEL=none"].map(str::to_owned));
        command.push(format!("XDG_DATA_HOME={}", bench.path("data").display()));
        command.push(format!("XDG_STATE_HOME={}", bench.path("state").display()));
        command.extend(variables.into_iter().map(str::to_owned));
        command.push(env!("CARGO_BIN_EXE_roborm").to_owned());
        let typed = shlex::try_join(command.iter().map(String::as_str)).expect("no NUL");
        let folder = bench.path("");
        this.tmux(&[
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            &columns.to_string(),
            "-y",
            "50",
            "-c",
            &folder.display().to_string(),
            // What the program leaves is still there to be looked at.
            &format!("{typed}; echo status $?; cat"),
        ]);
        this
    }

    /// The same, once the prompt is there.
    pub fn ready(bench: &'a Bench, columns: usize, env: &[&str]) -> Self {
        let this = Self::start(bench, columns, env);
        this.wait(|screen| screen.trim_end().ends_with("roborm>"));
        this
    }

    /// Types this text.
    pub fn types(&self, text: &str) -> &Self {
        // A semicolon at the end would end tmux' own command.
        let escaped = text.strip_suffix(';').map(|text| format!("{text}\\;"));
        self.tmux(&["send-keys", "-l", "--", escaped.as_deref().unwrap_or(text)]);
        self
    }

    /// Presses a key, by tmux's name for it.
    pub fn key(&self, name: &str) -> &Self {
        self.tmux(&["send-keys", name]);
        self
    }

    /// Types a line and ends it.
    pub fn line(&self, text: &str) -> &Self {
        self.types(text).key("Enter")
    }

    /// Pastes, as a terminal does for a program that asked for brackets.
    pub fn paste(&self, text: &str) -> &Self {
        self.tmux(&["set-buffer", "--", text]);
        self.tmux(&["paste-buffer", "-p"]);
        self
    }

    /// Types a text of several lines at once, without brackets.
    pub fn types_at_once(&self, text: &str) -> &Self {
        self.tmux(&["set-buffer", "--", text]);
        // Each line end as the key Enter.
        self.tmux(&["paste-buffer"]);
        self
    }

    /// Gives the window so many columns, and waits until the program is told: tmux takes its time for that.
    pub fn resize(&self, columns: usize) -> &Self {
        self.tmux(&["resize-window", "-x", &columns.to_string(), "-y", "50"]);
        let tty = String::from_utf8(self.tmux(&["display-message", "-p", "#{pane_tty}"]).stdout).expect("a path");
        let start = Instant::now();
        loop {
            let size = Command::new("stty").args(["-F", tty.trim(), "size"]).output().expect("stty runs");
            if String::from_utf8_lossy(&size.stdout).trim().ends_with(&format!(" {columns}")) {
                break;
            }
            assert!(start.elapsed() < DEADLINE, "the window does not become {columns} columns wide");
            std::thread::sleep(LOOK);
        }
        self
    }

    /// Everything that was on the screen, lines that were folded by the terminal joined.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.tmux(&["capture-pane", "-p", "-J", "-S", "-"]).stdout).into_owned()
    }

    /// The same row by row, as it is seen.
    pub fn rows(&self) -> String {
        let rows = self.tmux(&["capture-pane", "-p", "-S", "-"]).stdout;
        String::from_utf8_lossy(&rows).lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
    }

    /// The same with colours.
    pub fn colored(&self) -> String {
        String::from_utf8_lossy(&self.tmux(&["capture-pane", "-p", "-e", "-S", "-"]).stdout).into_owned()
    }

    /// Waits until the screen is as it should be.
    pub fn wait(&self, is: impl Fn(&str) -> bool) -> String {
        let start = Instant::now();
        loop {
            let text = self.text();
            if is(&text) {
                return text;
            }
            assert!(start.elapsed() < DEADLINE, "this is not what was awaited:\n{text}");
            std::thread::sleep(LOOK);
        }
    }

    /// Waits until the screen, with its colours, is as it should be.
    pub fn wait_colored(&self, is: impl Fn(&str) -> bool) {
        let start = Instant::now();
        while !is(&self.colored()) {
            assert!(start.elapsed() < DEADLINE, "this is not what was awaited:\n{}", self.colored());
            std::thread::sleep(LOOK);
        }
    }

    /// Waits for this text.
    pub fn shows(&self, wanted: &str) -> String {
        self.wait(|screen| screen.contains(wanted))
    }

    /// Waits for these words, wherever the lines are folded that they stand in.
    pub fn says(&self, words: &str) -> String {
        self.wait(|screen| screen.split_whitespace().collect::<Vec<_>>().join(" ").contains(words))
    }

    fn tmux(&self, words: &[&str]) -> Output {
        let mut command = Command::new("tmux");
        command.args(["-S", &self.socket]).args(words).current_dir(self.bench.path(""));
        // Not inside another tmux, and in UTF-8 whatever the tests run in.
        command.env_remove("TMUX").env("LC_ALL", "C.UTF-8");
        let output = command.output().expect("tmux runs: `cargo xtask test` installs it");
        assert!(output.status.success(), "tmux {words:?}: {}", String::from_utf8_lossy(&output.stderr));
        output
    }
}

impl Drop for Screen<'_> {
    fn drop(&mut self) {
        let _ = Command::new("tmux").args(["-S", &self.socket, "kill-server"]).output();
    }
}
