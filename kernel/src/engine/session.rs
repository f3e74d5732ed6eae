//! The folder of a session, and the surroundings that evcxr is started in.

use std::env;
use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock, PoisonError};

use rustix::fs::{CWD, FileType, Mode, mknodat};
use tempfile::TempDir;

use super::front::TOOLKIT;
use super::{Error, Result};
use crate::toolkit::Toolkit;

/// What the folders of sessions are called.
const PREFIX: &str = "roborm-session-";

/// Where the files of a session are.
#[derive(Clone, Debug)]
pub(super) struct Files(PathBuf);

impl Files {
    /// Of the session whose cells are compiled in this folder.
    pub fn of_cells(cells: &Path) -> Self {
        Self(cells.parent().unwrap_or(cells).to_owned())
    }

    /// evcxr's crate of a cell.
    pub fn cells(&self) -> PathBuf {
        self.0.join("cells")
    }

    /// The crate of what `:dep` added.
    pub fn dependencies(&self) -> PathBuf {
        self.0.join("dependencies")
    }

    /// The pipes of a cell's output.
    pub fn streams(&self) -> PathBuf {
        self.0.join("streams")
    }

    /// Where the process that runs cells finds the evaluator.
    pub fn socket(&self) -> PathBuf {
        self.0.join("socket")
    }

    /// What is open and scored, for a process that comes after one that died.
    pub fn kept(&self) -> PathBuf {
        self.0.join("kept")
    }

    /// The file that is there once the cell is interrupted: a build that takes long looks for it.
    pub fn stop(&self) -> PathBuf {
        self.0.join("stop")
    }

    /// Where the rustc that waits for cells is asked.
    pub fn warm(&self) -> PathBuf {
        self.0.join("warm")
    }

    /// What is known of the types of variables: see [`super::holes`].
    pub fn types(&self) -> PathBuf {
        self.0.join("types")
    }

    /// Has a cell that fails fail at once: the evaluator asks for the errors by itself.
    pub fn set_quick(&self, quick: bool) {
        let _ = fs::remove_file(self.0.join("failed"));
        if quick {
            let _ = fs::remove_file(self.0.join("refused"));
        }
        let mark = self.0.join("quick");
        // Without the mark everything takes longer and comes to the same.
        let _ = if quick { fs::write(mark, "") } else { fs::remove_file(mark) };
    }

    /// Whether a cell that fails is to fail at once.
    pub fn is_quick(&self) -> bool {
        self.0.join("quick").exists()
    }

    /// The cell has failed; what evcxr tries after that need not be compiled.
    pub fn set_failed(&self) {
        let _ = fs::write(self.0.join("failed"), "");
    }

    /// Whether the cell has failed.
    pub fn has_failed(&self) -> bool {
        self.0.join("failed").exists()
    }

    /// The value of the cell cannot be shown: what evcxr tries after that is for the message.
    pub fn set_refused(&self) {
        let _ = fs::write(self.0.join("refused"), "");
    }

    /// Whether the value of the cell cannot be shown.
    pub fn is_refused(&self) -> bool {
        self.0.join("refused").exists()
    }

    fn config(&self) -> PathBuf {
        self.0.join("config")
    }

    /// Puts a line among what a cell says on standard error: a long build is not to look like a hang.
    pub fn say_on_stderr(&self, line: &str) {
        if env::var_os(roborm_wire::cell::PLAIN).is_some() {
            // Nobody reads the pipes there; evcxr's server passes this on.
            let _ = writeln!(std::io::stderr(), "{line}");
            return;
        }
        if let Ok(mut stream) = OpenOptions::new().write(true).read(true).open(self.streams().join("stderr")) {
            let _ = writeln!(stream, "{line}");
        }
    }
}

/// A session's folder, removed when it is dropped.
pub(super) struct Session {
    folder: TempDir,
    pub files: Files,
}

impl Session {
    /// A folder with the pipes in it.
    pub fn new() -> Result<Self> {
        let folder = short_temporary()?;
        if let Some(parent) = folder.path().parent() {
            sweep(parent);
        }
        let files = Files(folder.path().to_owned());
        let io = |error: std::io::Error| Error::io(format!("cannot write in {}", folder.path().display()), &error);
        for part in [files.cells(), files.streams(), files.config(), files.kept()] {
            fs::create_dir_all(part).map_err(io)?;
        }
        for stream in ["stdout", "stderr"] {
            mknodat(CWD, files.streams().join(stream), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)
                .map_err(|error| io(error.into()))?;
        }
        fs::write(folder.path().join("pid"), std::process::id().to_string()).map_err(io)?;
        let settings = "[evcxr]\nopt_level = \"0\"\npreserve_vars_on_panic = true\nallow_static_linking = true\noffline_mode = false\n";
        fs::write(files.config().join("evcxr.toml"), settings).map_err(io)?;
        Ok(Self { folder, files })
    }

    /// The process that runs cells, in the user's own surroundings.
    pub fn child(&self, toolkit: &Toolkit) -> Command {
        let mut command = Command::new(toolkit.program("roborm-cells"));
        command
            .env(roborm_wire::cell::SOCKET, self.files.socket())
            .env(roborm_wire::cell::KEPT, self.files.kept())
            .env(roborm_wire::cell::STREAMS, self.files.streams());
        if let Ok(here) = env::current_dir() {
            command.current_dir(here);
        }
        // What is set for evcxr is not set for the user's code.
        if env::var_os("RUST_MIN_STACK").is_some_and(|stack| stack == super::STACK.to_string().as_str()) {
            command.env_remove("RUST_MIN_STACK");
        }
        for (name, value) in before(toolkit, &self.files) {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command
    }

    /// Lets evcxr's own server find the fronts, and what every notebook begins with.
    pub fn of_server(&self, toolkit: &Toolkit, command: &mut Command) -> Result<()> {
        let prelude = self.files.config().join("prelude.rs");
        fs::write(&prelude, super::run::PRELUDE)
            .map_err(|error| Error::io(format!("cannot write {}", prelude.display()), &error))?;
        command.envs(changed(toolkit, &self.files)).env(roborm_wire::cell::PLAIN, "1");
        Ok(())
    }

    /// Leaves the folder where it is.
    pub fn leave(self) {
        let _ = self.folder.keep();
    }

    /// Runs `work` where evcxr finds our fronts in the place of cargo and rustc, and its own folders in the session's.
    /// `PATH` and what else the fronts need stays that way: evcxr calls them at every cell.
    pub fn surround<T>(&self, toolkit: &Toolkit, work: impl FnOnce() -> T) -> T {
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
        let _one = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let here = env::current_dir().ok();
        before(toolkit, &self.files);
        for (name, value) in changed(toolkit, &self.files) {
            // SAFETY: std's own readers are locked out; the C library's are time zones and host names, which are not
            // among these names.
            unsafe { env::set_var(name, value) };
        }
        // evcxr would take the settings of an evcxr.toml that lies about.
        if here.as_deref().is_some_and(|here| here.join("evcxr.toml").exists()) {
            let _ = env::set_current_dir(self.folder.path());
        }
        let done = work();
        if let Some(here) = here {
            let _ = env::set_current_dir(here);
        }
        done
    }
}

fn changed(toolkit: &Toolkit, files: &Files) -> Vec<(&'static str, OsString)> {
    let fronts = toolkit.fronts();
    let before = env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(fronts.clone()).chain(env::split_paths(&before).filter(|folder| *folder != fronts));
    let path = env::join_paths(folders).unwrap_or(before);
    vec![
        ("PATH", path),
        ("CARGO", fronts.join("cargo").into()),
        ("RUSTC", fronts.join("rustc").into()),
        ("RUSTUP", fronts.join("rustup").into()),
        ("EVCXR_CONFIG_DIR", files.config().into()),
        ("EVCXR_TMPDIR", files.cells().into()),
        (TOOLKIT, toolkit.dir().into()),
    ]
}

/// What stood there before this process changed it for the first time.
fn before(toolkit: &Toolkit, files: &Files) -> &'static [(&'static str, Option<OsString>)] {
    static BEFORE: OnceLock<Vec<(&str, Option<OsString>)>> = OnceLock::new();
    BEFORE.get_or_init(|| changed(toolkit, files).into_iter().map(|(name, _)| (name, env::var_os(name))).collect())
}

/// Removes what sessions left behind whose process was killed.
fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_session = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        let Some(pid) = is_session.then(|| fs::read_to_string(entry.path().join("pid")).ok()).flatten() else {
            continue;
        };
        if !Path::new("/proc").join(pid.trim()).exists() {
            // Another user's stays.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// A temporary folder whose path leaves room for a socket's: the system takes 107 bytes.
fn short_temporary() -> Result<TempDir> {
    let new = |builder: &mut tempfile::Builder<'_, '_>, folder: &Path| builder.tempdir_in(folder);
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    let usual = env::temp_dir();
    let first =
        if usual.as_os_str().len() < 70 { new(&mut builder, &usual) } else { new(&mut builder, Path::new("/tmp")) };
    first.or_else(|_| new(&mut builder, Path::new("/dev/shm"))).map_err(|error| {
        Error::io(format!("cannot make a folder in {}", usual.display()), &error)
            .with_help("let TMPDIR name a folder that can be written to")
    })
}
