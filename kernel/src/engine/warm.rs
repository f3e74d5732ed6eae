//! A rustc that has read all that cells are compiled against, and waits for the cell. See `toolkit/warm/hold.rs`.

use std::fs;
use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal};

use super::front::{arguments, clean, command};
use super::session::Files;
use super::watched::{self, Watched};
use crate::toolkit::{HOLD, Toolkit};

/// Where cells are compiled, below the session's folder for them.
pub(super) const OUT: &str = "target/build";
/// The file that rustc is given: it names the crates, then includes the cell.
const ROOT: &str = "root.rs";
/// What a cell begins with, as evcxr writes it. It cannot stand in a file that is included.
const HEAD: &str = "#![allow(unused_imports, unused_mut, dead_code)]";

/// A rustc that waits. It ends with this.
pub(super) struct Warm(Child);

impl Warm {
    /// Starts it; it is ready in a tenth of a second. `None`: cells are compiled as if there were none.
    pub fn start(toolkit: &Toolkit, files: &Files) -> Option<Self> {
        // Beside the cells: the name of a library that is loaded before all others must be free of blanks.
        fs::copy(toolkit.dir().join(HOLD), files.cells().join("hold.so")).ok()?;
        let folder = files.cells().join(OUT).join("src");
        fs::create_dir_all(&folder).ok()?;
        let root = format!("{HEAD}\nmod roborm_is_loaded {{\n    use roborm::prelude::*;\n}}\ninclude!(\"lib.rs\");\n");
        fs::write(folder.join(ROOT), root).ok()?;
        let cell = source();
        let mut rustc = command(toolkit.dir(), toolkit.recorded(), &toolkit.recorded().rustc);
        arguments(&mut rustc, &cell.with_file_name(ROOT), Path::new(OUT), "0");
        toolkit.recorded().link(toolkit.dir(), &mut rustc, false);
        rustc
            .env("LD_PRELOAD", "./hold.so")
            .env("ROBORM_WARM_CELL", &cell)
            .env("ROBORM_WARM_SOCKET", files.warm())
            .current_dir(files.cells())
            // What is typed at a terminal to interrupt a cell does not end it.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        Some(Self(rustc.spawn().ok()?))
    }
}

impl Drop for Warm {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Where the code of a cell is.
pub(super) fn source() -> PathBuf {
    Path::new(OUT).join("src/lib.rs")
}

/// Whether this code may be included in another.
pub(super) fn takes(code: &str) -> bool {
    let Some(rest) = code.strip_prefix(HEAD) else { return false };
    // What the user set for builds is not set here.
    !rest.lines().any(|line| line.trim_start().starts_with("#![")) && !rest.contains("env!")
}

/// Compiles code; what rustc says of it. `None`: that is to be asked of a rustc started for it.
///
/// # Errors
/// It was stopped.
pub(super) fn compile(files: &Files, code: &str, library: &Path) -> io::Result<Option<Vec<u8>>> {
    let Some(bare) = code.strip_prefix(HEAD) else { return Ok(None) };
    if fs::write(source(), bare).is_err() {
        return Ok(None);
    }
    clean(library);
    // From here on it is compiled.
    let Some((mut asked, group)) = copy(files) else { return Ok(None) };
    let watched = Watched::begin(group, &files.stop(), Signal::KILL);
    let mut said = Vec::new();
    let read = asked.read_to_end(&mut said);
    if watched.end() {
        return Err(watched::stopped());
    }
    if library.is_file() {
        return Ok(Some(said));
    }
    // An item of a cell may be in the way of another for the sole reason that both are included.
    let text = String::from_utf8_lossy(&said);
    let is_told = read.is_ok() && text.contains("\"level\":\"error\"") && !text.contains("\"E0659\"");
    Ok(is_told.then_some(said))
}

/// A copy of the rustc that waits, which has begun; and the group of processes that it is.
fn copy(files: &Files) -> Option<(UnixStream, Pid)> {
    let mut asked = UnixStream::connect(files.warm()).ok()?;
    let mut number = [0; 4];
    asked.read_exact(&mut number).ok()?;
    Some((asked, Pid::from_raw(i32::from_ne_bytes(number))?))
}
