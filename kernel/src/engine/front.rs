//! What evcxr finds where it looks for cargo, rustup and rustc.
//!
//! This program, by another name: it answers what is constant from what was recorded, and compiles a cell by calling
//! rustc directly. A cell costs two starts of a program (this one, which comes here first of all, and rustc) and no look
//! at hundreds of fingerprints. What was added by `:dep` is built once, by the real cargo, and linked beside the toolkit.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use serde_json::{Value, json};

use super::holes::Holes;
use super::session::Files;
use super::{STACK, generated, plain, warm, watched};
use crate::toolkit::{NOTHING, Recorded, dependencies};

/// The variable that tells a front where its toolkit is.
pub(super) const TOOLKIT: &str = "ROBORM_KERNEL_TOOLKIT";
/// Names a file that every call is written to with its time: to see what evcxr asks for.
const LOG: &str = "ROBORM_FRONT_LOG";
/// A cell that teaches evcxr that a cell may end at a `?`: it has to fail first. evcxr knows by the code it then writes.
pub(super) const QUESTION: &str = "core::result::Result::<(), roborm::Error>::Ok(())?;";
/// What evcxr calls the crate that it makes of a cell.
pub(super) const CELL: &str = "ctx";

/// Where this program was called by the name of a tool, does the tool's work and returns the exit status.
pub fn main() -> Option<ExitCode> {
    let mut words = env::args_os();
    let tool = PathBuf::from(words.next()?).file_name()?.to_str()?.to_owned();
    if !["cargo", "rustup", "rustc"].contains(&tool.as_str()) {
        return None;
    }
    let toolkit = PathBuf::from(env::var_os(TOOLKIT)?);
    watched::parent();
    let words: Vec<OsString> = words.collect();
    let began = std::time::Instant::now();
    let done = Recorded::read(&toolkit).map_err(|error| io::Error::other(error.to_string())).and_then(|recorded| {
        let plain = env::var_os(roborm_wire::cell::PLAIN).is_some();
        Front { toolkit, recorded, plain }.answer(&tool, &words)
    });
    if let Some(log) = env::var_os(LOG)
        && let Ok(mut log) = fs::OpenOptions::new().append(true).create(true).open(log)
    {
        let _ = writeln!(log, "{tool} {words:?} {:.1} ms", began.elapsed().as_secs_f64() * 1e3);
    }
    Some(match done {
        Ok(code) => code,
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::from(101)
        }
    })
}

struct Front {
    toolkit: PathBuf,
    recorded: Recorded,
    /// evcxr's own server asks: its code stays as it is, but for how values are shown.
    plain: bool,
}

impl Front {
    fn answer(&self, tool: &str, words: &[OsString]) -> io::Result<ExitCode> {
        let texts: Vec<&str> = words.iter().map(|word| word.to_str().unwrap_or_default()).collect();
        let texts = texts.as_slice();
        match tool {
            "rustup" => match texts {
                ["which", tool @ ("cargo" | "rustc")] => say(&self.toolkit.join("fronts").join(tool).display()),
                _ => self.real(Path::new("rustup"), words),
            },
            "rustc" => self.rustc(texts, words),
            _ => self.cargo(texts, words),
        }
    }

    fn rustc(&self, texts: &[&str], words: &[OsString]) -> io::Result<ExitCode> {
        if texts.contains(&"cfg") {
            return say(&self.recorded.answers.get("--print cfg").map_or("", |answer| answer.trim_end()));
        }
        if !self.plain && (texts.contains(&"sysroot") || texts.contains(&"target-spec-json")) {
            // rust-analyzer would read the sources of std, where there are any, before the first cell.
            return Ok(ExitCode::FAILURE);
        }
        match self.recorded.answers.get(&texts.join(" ")) {
            Some(answer) => say(&answer.trim_end()),
            None => self.real(&self.recorded.rustc, words),
        }
    }

    fn cargo(&self, texts: &[&str], words: &[OsString]) -> io::Result<ExitCode> {
        let offline = texts.contains(&"--offline");
        let has = |word: &str| texts.contains(&word);
        if has("metadata") {
            return self.metadata(offline);
        }
        if has("build") || has("check") {
            return self.compile(has("check"), offline);
        }
        if has("locate-project") {
            let root = env::current_dir()?.join("Cargo.toml");
            return say(&json!({ "root": root }));
        }
        if has("rustc") {
            // `cargo rustc --print cfg`, as rust-analyzer asks.
            return match self.recorded.answers.get("--print cfg") {
                Some(answer) if has("cfg") => say(&answer.trim_end()),
                _ => Ok(ExitCode::FAILURE),
            };
        }
        if has("--version") || has("-V") {
            return say(&"cargo 1.95.0");
        }
        if has("config") || has("clean") {
            return Ok(ExitCode::SUCCESS);
        }
        self.real(&self.recorded.cargo, words)
    }

    /// The real tool, with the surroundings that the user has.
    fn real(&self, program: &Path, words: &[OsString]) -> io::Result<ExitCode> {
        let status = self.command(program).args(words).status()?;
        Ok(ExitCode::from(u8::try_from(status.code().unwrap_or(101)).unwrap_or(101)))
    }

    fn command(&self, program: &Path) -> Command {
        command(&self.toolkit, &self.recorded, program)
    }

    fn cargo_for(&self, files: &Files) -> Command {
        let mut cargo = self.command(&self.recorded.cargo);
        dependencies::find_home(&mut cargo, &files.dependencies());
        cargo
    }

    /// The cell crate, alone: rust-analyzer reads nothing else then. A crate that is being added is looked at by the
    /// real cargo, once, where evcxr asks whether there is such a crate.
    fn metadata(&self, offline: bool) -> io::Result<ExitCode> {
        let root = env::current_dir()?;
        let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap_or_default();
        if manifest.contains("evcxr_dummy_validate_dep") {
            let added = dependencies::of_manifest(&manifest);
            let foreign: Vec<_> = added.iter().filter(|it| !self.recorded.carries(&it.name)).cloned().collect();
            if foreign.is_empty() {
                return say(&"{}");
            }
            let files = files()?;
            let cargo = self.cargo_for(&files);
            return dependencies::look(&cargo, &files.dependencies(), &foreign, offline, &files.stop());
        }
        let id = format!("path+file://{}#{CELL}@1.0.0", root.display());
        let target = root.join("target");
        let own = json!({
            "packages": [{
                "name": CELL, "version": "1.0.0", "id": id, "license": null, "license_file": null, "description": null,
                "source": null, "dependencies": [],
                "targets": [{
                    "kind": ["cdylib"], "crate_types": ["cdylib"], "name": CELL, "src_path": root.join("src/lib.rs"),
                    "edition": "2024", "doc": true, "doctest": false, "test": true,
                }],
                "features": {}, "manifest_path": root.join("Cargo.toml"), "metadata": null, "publish": null,
                "authors": [], "categories": [], "keywords": [], "readme": null, "repository": null,
                "homepage": null, "documentation": null, "edition": "2024", "links": null, "default_run": null,
                "rust_version": null,
            }],
            "workspace_members": [id], "workspace_default_members": [id],
            "resolve": { "nodes": [{ "id": id, "dependencies": [], "deps": [], "features": [] }], "root": id },
            "target_directory": target, "build_directory": target, "version": 1, "workspace_root": root, "metadata": null,
        });
        say(&if self.plain { plain::with_packages(own, &self.toolkit) } else { own })
    }

    /// The cell crate: one call of rustc.
    fn compile(&self, check: bool, offline: bool) -> io::Result<ExitCode> {
        let files = files()?;
        if files.stop().exists() {
            return Err(watched::stopped());
        }
        let source = fs::read_to_string("src/lib.rs")?;
        let manifest = fs::read_to_string("Cargo.toml")?;
        if !check && files.has_failed() {
            say(&nowhere())?;
            return Ok(ExitCode::from(101));
        }
        if !check
            && !source.contains("struct EvcxrUserCodeError")
            && let Some(line) = source.lines().position(|line| line.contains(QUESTION))
        {
            say(&unknown(line + 1, "E0277", "the `?` operator can only be used in a function that returns `Result`"))?;
            return Ok(ExitCode::from(101));
        }
        if !check && let Some(line) = generated::shows_too_early(&source) {
            say(&unknown(line, "E0599", "no method named `evcxr_display` found"))?;
            return Ok(ExitCode::from(101));
        }
        let mut holes = Holes::read(&files.types());
        // A server that is not ours knows evcxr's own type alone.
        let source = if self.plain { source } else { generated::with_shared_error(&source) };
        let (source, open) = holes.replace(&source.replace(generated::UNREAD, ""));
        let source = match (check, self.plain) {
            (true, _) => source,
            (false, true) => generated::shown_by_us(&source),
            (false, false) => generated::replace(&source),
        };
        let debugged = if check { None } else { generated::shown_otherwise(&source) };
        // Of what cannot be shown, evcxr's second way has the message that says why.
        let is_refused = !check && files.is_quick() && files.is_refused();
        let (mut source, debugged) = match debugged {
            Some(ours) if !is_refused => (ours, Some(source)),
            _ => (source, None),
        };
        // A cell that fails is compiled once more, without the mark, as evcxr wrote it.
        if !check && files.is_quick() {
            source = generated::without_idle_variables(&source);
        }
        // What is compiled is not what evcxr wrote, line by line it is: evcxr maps errors by lines.
        let out = PathBuf::from(if check { "target/check" } else { warm::OUT });
        fs::create_dir_all(&out)?;
        let shared = out.join(format!("lib{CELL}.so"));
        if !check && (source.contains(QUESTION) || (is_refused && generated::is_for_its_errors(&source))) {
            // It does nothing, whatever stands around it; or it is compiled for better errors, and there are none.
            fs::copy(self.toolkit.join(NOTHING), &shared)?;
            return built(&shared);
        }
        let added = dependencies::of_manifest(&manifest);
        let foreign: Vec<_> = added.iter().filter(|it| !self.recorded.carries(&it.name)).cloned().collect();
        if !check && !self.plain && foreign.is_empty() && self.recorded.cached(&self.toolkit, &source, &shared) {
            return built(&shared);
        }
        // rustc takes the path it is given for the file's name in messages; evcxr wants one that ends in lib.rs.
        let folder = out.join("src");
        fs::create_dir_all(&folder)?;
        let file = folder.join("lib.rs");

        let mut rustc = self.command(&self.recorded.rustc);
        let opt_level = generated::opt_level(&manifest);
        if check {
            // Types are read off the messages: they must be whole, and paths that can be written down.
            common(&mut rustc, &file, &out);
            rustc.args([
                "--emit=metadata",
                "--crate-type=rlib",
                "-Zwrite-long-types-to-disk=no",
                "-Ztrim-diagnostic-paths=no",
            ]);
        } else {
            arguments(&mut rustc, &file, &out, opt_level);
        }
        self.recorded.link(&self.toolkit, &mut rustc, check || self.plain || !foreign.is_empty());
        if self.plain {
            // The server's process has neither the toolkit nor std as libraries.
            let std = self.recorded.answers.get("--print target-libdir").map_or("", |answer| answer.trim());
            for folder in [self.toolkit.join("lib").as_path(), Path::new(std)] {
                rustc.arg(format!("-Clink-arg=-Wl,-rpath,{}", folder.display()));
            }
        }
        if !foreign.is_empty() {
            let tell = |line: &str| files.say_on_stderr(line);
            match dependencies::build(
                &self.cargo_for(&files),
                &files.dependencies(),
                &foreign,
                offline,
                &dependencies::Way { host: self.recorded.host(), stop: &files.stop(), tell: &tell },
            )? {
                Ok(built) => built.link(&mut rustc),
                Err(message) => {
                    say(&of_cargo(&message))?;
                    return Ok(ExitCode::from(101));
                }
            }
        }
        rustc.stdin(Stdio::null());
        let stop = files.stop();
        let may_be_warm = !check && !self.plain && foreign.is_empty() && opt_level == "0";
        let mut compile = |code: &str| -> io::Result<(bool, Vec<u8>)> {
            if may_be_warm
                && warm::takes(code)
                && let Some(said) = warm::compile(&files, code, &shared)?
            {
                return Ok((shared.is_file(), said));
            }
            clean(&shared);
            fs::write(&file, code)?;
            let output = watched::output(&mut rustc, &stop)?;
            Ok((output.status.success(), output.stderr))
        };
        let (mut succeeded, mut messages) = compile(&source)?;
        if check
            && String::from_utf8_lossy(&messages).contains("E0726")
            && let Some(other) = generated::with_variables_in_body(&source)
        {
            (succeeded, messages) = compile(&other)?;
        }
        if !succeeded
            && !check
            && String::from_utf8_lossy(&messages).contains("`roborm_display`")
            && let Some(other) = debugged.or_else(|| generated::shown_by_evcxr(&source))
        {
            let is_all = lacks_display(&messages);
            (succeeded, messages) = compile(&other)?;
            if !succeeded && is_all && lacks_display(&messages) && files.is_quick() {
                files.set_refused();
            }
        }
        if !succeeded && !check && files.is_quick() && !files.is_refused() && !can_be_fixed(&messages) {
            files.set_failed();
            say(&nowhere())?;
            return Ok(ExitCode::from(101));
        }
        if succeeded && !open.is_empty() {
            let library = fs::read(&shared)?;
            if holes.fill(&open, &library, &source, &self.recorded.types).is_none() && files.is_quick() {
                files.set_failed();
                say(&nowhere())?;
                return Ok(ExitCode::from(101));
            }
        }
        report(&messages, check)?;
        if succeeded {
            if check {
                return say(&json!({ "reason": "build-finished", "success": true }));
            }
            if self.toolkit.join("cells/record").exists() {
                fs::copy(&shared, Recorded::cell(&self.toolkit, &source))?;
            }
            return built(&shared);
        }
        say(&json!({ "reason": "build-finished", "success": false }))?;
        Ok(ExitCode::from(101))
    }
}

/// A command in the surroundings that the user has.
pub(super) fn command(toolkit: &Path, recorded: &Recorded, program: &Path) -> Command {
    let mut command = Command::new(program);
    let fronts = toolkit.join("fronts");
    if let Some(path) = env::var_os("PATH") {
        let kept = env::split_paths(&path).filter(|folder| *folder != fronts);
        if let Ok(path) = env::join_paths(kept) {
            command.env("PATH", path);
        }
    }
    for name in env::vars_os().filter_map(|(name, _)| name.into_string().ok()).filter(|name| is_of_builds(name)) {
        command.env_remove(name);
    }
    command.env("RUSTC", &recorded.rustc);
    command
}

/// Whether a variable of the user's says how or where cargo is to build: cells and what they are linked against are built in
/// one way.
fn is_of_builds(name: &str) -> bool {
    let names = [
        "CARGO",
        "CARGO_ENCODED_RUSTFLAGS",
        "CARGO_INCREMENTAL",
        "CARGO_TARGET_DIR",
        "RUSTC_BOOTSTRAP",
        "RUSTC_WORKSPACE_WRAPPER",
        "RUSTC_WRAPPER",
        "RUSTFLAGS",
    ];
    let heads = ["CARGO_BUILD_", "CARGO_PROFILE_", "CARGO_UNSTABLE_"];
    names.contains(&name)
        || heads.iter().any(|head| name.starts_with(head))
        || (name.starts_with("CARGO_TARGET_") && name.ends_with("_RUSTFLAGS"))
}

/// What every call of rustc for a cell is given.
fn common(rustc: &mut Command, file: &Path, out: &Path) {
    rustc.args(["--crate-name", CELL, "--edition=2024", "--error-format=json", "--json=diagnostic-rendered-ansi"]);
    rustc.arg(file).arg("--out-dir").arg(out).env("RUSTC_BOOTSTRAP", "1");
    if env::var_os("RUST_MIN_STACK").is_none() {
        rustc.env("RUST_MIN_STACK", STACK.to_string());
    }
}

/// What rustc is given to make a library of a cell.
pub(crate) fn arguments(rustc: &mut Command, file: &Path, out: &Path, opt_level: &str) {
    common(rustc, file, out);
    rustc.args(["--emit=link", "--crate-type=cdylib", "-Cprefer-dynamic", "-Ccodegen-units=1", "-Cstrip=debuginfo"]);
    rustc.args(["-Coverflow-checks=on", "-Cdebug-assertions=on"]);
    // The toolkit shares what it has compiled of generic code, without optimisation.
    rustc.arg(format!("-Zshare-generics={}", if opt_level == "0" { "yes" } else { "no" }));
    rustc.arg(format!("-Copt-level={opt_level}"));
    // Names that tell the types they are of.
    rustc.arg("-Csymbol-mangling-version=v0");
}

/// Removes what a cell before has left where the library is expected.
pub(super) fn clean(library: &Path) {
    let _ = fs::remove_file(library);
}

/// Whether evcxr may do something about what rustc says: show a value otherwise, forget a variable that was moved, wait
/// for a future. In all other cases it would compile the cell twice more for the sake of the message, which one check
/// gives; see [`Files::set_failed`].
fn can_be_fixed(messages: &[u8]) -> bool {
    let text = String::from_utf8_lossy(messages);
    ["roborm_display", "CellDisplay", "evcxr_variable_store", "E0728", "EvcxrUserCodeError"]
        .iter()
        .any(|sign| text.contains(sign))
}

/// Whether all that rustc finds wrong is that a value has no way to be shown.
fn lacks_display(messages: &[u8]) -> bool {
    let lines = messages.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let mut errors = lines.filter(|line| line["level"] == "error" && !line["code"].is_null()).peekable();
    // The message may name the trait alone: the place is what tells.
    let shows = |span: &Value| {
        let mut text = span["text"].as_array().into_iter().flatten().filter_map(|line| line["text"].as_str());
        span["is_primary"] == true && text.any(|text| text == ").roborm_display();" || text == ").evcxr_display();")
    };
    errors.peek().is_some()
        && errors
            .all(|error| error["code"]["code"] == "E0599" && error["spans"].as_array().into_iter().flatten().any(shows))
}

/// An error that evcxr does nothing about: it stands in no line of the cell.
fn nowhere() -> Value {
    of_cargo("the cell does not compile")
}

/// An error of cargo's own.
fn of_cargo(message: &str) -> Value {
    json!({ "reason": "compiler-message", "message": {
        "level": "error", "code": null, "children": [], "message": message, "rendered": "", "spans": [],
    }})
}

/// What rustc would say of a line.
fn unknown(line: usize, code: &str, message: &str) -> Value {
    json!({ "reason": "compiler-message", "message": {
        "level": "error", "code": { "code": code, "explanation": null }, "children": [], "message": message,
        "rendered": "", "spans": [{
            "file_name": "src/lib.rs", "line_start": line, "line_end": line, "column_start": 1, "column_end": 2,
            "byte_start": 0, "byte_end": 1, "is_primary": true, "label": null, "suggested_replacement": null,
            "expansion": null, "text": [],
        }],
    }})
}

fn files() -> io::Result<Files> {
    // evcxr runs cargo in the folder of the cell crate.
    Ok(Files::of_cells(&env::current_dir()?))
}

/// Tells evcxr where the cell's library is.
fn built(shared: &Path) -> io::Result<ExitCode> {
    let shared = env::current_dir()?.join(shared);
    if let Some(file) = env::var_os("EVCXR_EXECUTION_SO_PATH") {
        fs::write(file, shared.as_os_str().as_encoded_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Passes rustc's errors on as cargo would. evcxr takes a warning for an error, where the cell fails, and so it does what
/// rustc says of its errors as a whole.
fn report(messages: &[u8], check: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in messages.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        match serde_json::from_slice::<Value>(line) {
            Ok(message) if message["level"] == "warning" || message["level"] == "failure-note" => {}
            Ok(mut message) if message["$message_type"].is_null() || message["$message_type"] == "diagnostic" => {
                if !check {
                    generated::keep_to_the_move(&mut message);
                }
                writeln!(out, "{}", json!({ "reason": "compiler-message", "message": message }))?;
            }
            Ok(_) => {}
            Err(_) => {
                let mut err = io::stderr();
                err.write_all(line)?;
                err.write_all(b"\n")?;
            }
        }
    }
    Ok(())
}

fn say(text: &dyn std::fmt::Display) -> io::Result<ExitCode> {
    writeln!(io::stdout(), "{text}")?;
    Ok(ExitCode::SUCCESS)
}
