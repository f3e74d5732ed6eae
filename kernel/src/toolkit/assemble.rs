//! Puts a toolkit together out of a build folder.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Recorded, Toolkit};
use crate::engine::{Engine, Error, Result};

const LIBRARY: &str = "libroborm_toolkit.so";
/// The same, as cargo builds it.
const BUILT: &str = "libroborm_toolkit.rlib";
/// A cell that does nothing, compiled.
pub(crate) const NOTHING: &str = "cells/nothing.so";
const BUILD: &str = "build and install the kernel: cargo xtask kernel";
/// Programs that go along; those in the second list where they were built. Without the decoder, commands that need it say
/// so.
const NEEDED: [&str; 1] = ["roborm-kernel"];
const WELCOME: [&str; 3] = ["roborm-decoder", "roborm", "roborm-local"];
/// Questions whose answers are recorded.
const ASKED: [&[&str]; 6] =
    [&["-vV"], &["-Vv"], &["--print", "target-libdir"], &["--print", "cfg"], &["--version"], &["-V"]];
/// Direct dependencies of roborm that a cell may name without its help: whoever writes `:dep` for one has it already.
const NAMED: [&str; 12] = [
    "polars",
    "plotly",
    "image",
    "rand",
    "rayon",
    "reqwest",
    "serde",
    "serde_json",
    "tokio",
    "futures_util",
    "tempfile",
    "base64",
];

/// What goes along with assembling.
pub(crate) struct How<'h> {
    /// Toolkits that there are: what takes long and stays the same is taken from them.
    pub earlier: Vec<PathBuf>,
    /// Is told of what is done next.
    pub tell: &'h dyn Fn(&str),
}

pub(super) fn assemble(build: &Path, into: &Path, how: &How<'_>) -> Result<()> {
    let into = std::path::absolute(into).map_err(|error| Error::io(into.display(), &error))?;
    let build = std::path::absolute(build).map_err(|error| Error::io(build.display(), &error))?;
    let library = newest(&build.join("deps"), "libroborm_toolkit-", ".rlib").unwrap_or_else(|| build.join(BUILT));
    if !library.is_file() {
        return Err(Error::new(format!("{BUILT} is not in {}", build.display())).with_help(BUILD));
    }
    for program in NEEDED {
        if !build.join(program).is_file() {
            return Err(Error::new(format!("{program} is not in {}", build.display())).with_help(BUILD));
        }
    }
    for folder in ["lib", "bin", "fronts", "cells", "stub"] {
        let folder = into.join(folder);
        match fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(refused(&folder)(error)),
            _ => {}
        }
        fs::create_dir_all(&folder).map_err(refused(&folder))?;
    }
    let mut recorded = record()?;
    (how.tell)("linking the libraries that cells use");
    let files = gather(&build, &library, &into, &mut recorded)?;
    for program in NEEDED.iter().chain(&WELCOME) {
        let from = build.join(program);
        if from.is_file() {
            copy(&from, &into.join("bin").join(program))?;
        }
    }
    for front in ["cargo", "rustup", "rustc"] {
        let link = into.join("fronts").join(front);
        std::os::unix::fs::symlink("../bin/roborm-kernel", &link).map_err(refused(&link))?;
    }
    (how.tell)("compiling the program that runs cells");
    compile_cells(&into, &recorded)?;
    recorded.linker = super::stub::make(&into, &into.join("lib").join(LIBRARY), &recorded)?;
    recorded.types = super::types::find(&into, &recorded);
    compile_nothing(&into, &recorded)?;
    index(&build, &into, &files, &mut recorded, how)?;
    super::warm::compile(&into, &recorded)?;
    recorded.write(&into)
}

/// Compiles what every session begins with, once, by beginning one.
pub(super) fn first_cells(toolkit: &Toolkit) -> Result<()> {
    let mark = toolkit.dir().join("cells/record");
    fs::write(&mark, "").map_err(refused(&mark))?;
    let started = Engine::start(toolkit, |_| {}).map(drop);
    let _ = fs::remove_file(&mark);
    started
}

/// The newest of the files whose names begin and end like this: older ones are of builds with other settings.
fn newest(folder: &Path, head: &str, tail: &str) -> Option<PathBuf> {
    let files = fs::read_dir(folder).ok()?.flatten();
    let named = files
        .filter(|file| file.file_name().to_str().is_some_and(|name| name.starts_with(head) && name.ends_with(tail)));
    named.max_by_key(|file| file.metadata().and_then(|it| it.modified()).ok()).map(|file| file.path())
}

fn refused(file: &Path) -> impl Fn(io::Error) -> Error {
    move |error| Error::io(format!("cannot write {}", file.display()), &error)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to)
        .map(drop)
        .map_err(|error| Error::io(format!("cannot copy {} to {}", from.display(), to.display()), &error))
}

fn ask(program: &Path, words: &[&str]) -> Result<String> {
    let output = Command::new(program).args(words).output().map_err(|error| {
        Error::io(format!("cannot run {}", program.display()), &error).with_help("install Rust: https://rustup.rs")
    })?;
    if !output.status.success() {
        return Err(Error::new(format!(
            "{} {} failed: {}",
            program.display(),
            words.join(" "),
            String::from_utf8_lossy(&output.stderr).trim()
        )));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The rustc that builds in the folder of now, behind whatever chooses it.
fn record() -> Result<Recorded> {
    let named = std::env::var_os("RUSTC").map_or_else(|| PathBuf::from("rustc"), PathBuf::from);
    let sysroot = PathBuf::from(ask(&named, &["--print", "sysroot"])?.trim());
    let behind = |tool: &str| {
        let direct = sysroot.join("bin").join(tool);
        if direct.is_file() { direct } else { PathBuf::from(tool) }
    };
    let (rustc, cargo) = (behind("rustc"), behind("cargo"));
    let mut answers = BTreeMap::new();
    for words in ASKED {
        answers.insert(words.join(" "), ask(&rustc, words)?);
    }
    let version = answers["-vV"].clone();
    Ok(Recorded { version, rustc, cargo, answers, ..Recorded::default() })
}

/// Copies the library and the metadata of the crates in it, whose files it returns. Which those are, rustc itself tells.
fn gather(build: &Path, library: &Path, into: &Path, recorded: &mut Recorded) -> Result<BTreeMap<String, String>> {
    let work = tempfile::tempdir().map_err(|error| Error::io("cannot make a temporary folder", &error))?;
    let source = work.path().join("lib.rs");
    fs::write(&source, "extern crate roborm_toolkit;").map_err(refused(&source))?;
    let list = work.path().join("list.d");
    let output = Command::new(&recorded.rustc)
        .args(["--crate-name=list", "--edition=2024", "--crate-type=rlib", "-Zbinary-dep-depinfo"])
        .arg(format!("--emit=metadata={},dep-info={}", work.path().join("list.rmeta").display(), list.display()))
        .arg(&source)
        .arg(format!("--extern=roborm_toolkit={}", library.display()))
        .arg(format!("-Ldependency={}", build.join("deps").display()))
        .env("RUSTC_BOOTSTRAP", "1")
        .output()
        .map_err(|error| Error::io("cannot run rustc", &error))?;
    if !output.status.success() {
        return Err(Error::new(format!(
            "rustc cannot read {}: {}",
            library.display(),
            String::from_utf8_lossy(&output.stderr)
        ))
        .with_help(BUILD));
    }
    let text = fs::read_to_string(&list).map_err(|error| Error::io(list.display(), &error))?;
    let lib = into.join("lib");
    let mut files = BTreeMap::new();
    let mut root = None;
    for file in listed(&text) {
        let in_build = file.starts_with(build);
        let (Some(name), true) = (file.file_name().and_then(|name| name.to_str()), in_build) else { continue };
        if name == BUILT || name.starts_with("libroborm_toolkit-") {
            continue;
        }
        if name.starts_with("libroborm-") {
            root = Some(file.with_extension("rlib"));
        }
        let metadata = file.with_extension("rmeta");
        let from = if name.ends_with(".rlib") && metadata.is_file() { metadata } else { file.clone() };
        let Some(name) = from.file_name().and_then(|name| name.to_str()).map(str::to_owned) else { continue };
        copy(&from, &lib.join(&name))?;
        let stem = name.trim_start_matches("lib").split(['-', '.']).next().unwrap_or_default().to_owned();
        if NAMED.contains(&stem.as_str()) {
            recorded.externs.insert(stem.clone(), name.clone());
        }
        files.insert(stem, name);
    }
    let root =
        root.ok_or_else(|| Error::new(format!("{} does not name roborm", library.display())).with_help(BUILD))?;
    link(build, &root, work.path(), &lib.join(LIBRARY), recorded)?;
    for name in ["roborm", "roborm_toolkit"] {
        recorded.externs.insert(name.to_owned(), LIBRARY.to_owned());
    }
    Ok(files)
}

/// Writes down what is known of names. Missing sources make a shorter index.
fn index(
    build: &Path,
    into: &Path,
    files: &BTreeMap<String, String>,
    recorded: &mut Recorded,
    how: &How<'_>,
) -> Result<()> {
    (how.tell)("reading the names that completion and `?` know");
    let sources = super::sources::Sources::of(build, files);
    let mut entries = super::index::index(&sources);
    recorded.standard = super::standard::fingerprint();
    entries.extend(how.earlier.iter().find_map(|earlier| of_std(earlier, recorded)).unwrap_or_else(|| {
        (how.tell)("reading the names of std: half a minute, once for a rustc");
        super::standard::index(recorded)
    }));
    let modules = super::modules::find(into, recorded, &sources);
    let file = into.join("names.json");
    let text = serde_json::to_vec(&super::Index { entries, modules }).expect("strings are JSON");
    fs::write(&file, text).map_err(refused(&file))
}

/// The names of std as another toolkit knows them, if it was made of the same rustc in the same way.
fn of_std(toolkit: &Path, recorded: &Recorded) -> Option<Vec<super::Entry>> {
    let other = Recorded::read(toolkit).ok()?;
    if (&other.version, &other.standard) != (&recorded.version, &recorded.standard) {
        return None;
    }
    let index: super::Index = serde_json::from_slice(&fs::read(toolkit.join("names.json")).ok()?).ok()?;
    let entries: Vec<_> = index.entries.into_iter().filter(|entry| entry.from == super::standard::FROM).collect();
    (!entries.is_empty()).then_some(entries)
}

/// Links the shared library. Not by cargo: it cannot be told to link one crate of a build, and no other, against the
/// shared std, which a process that loads libraries one by one must have once.
fn link(build: &Path, roborm: &Path, work: &Path, library: &Path, recorded: &Recorded) -> Result<()> {
    let source = work.join("toolkit.rs");
    let code = concat!(include_str!("../../toolkit/src/lib.rs"), "#[doc(hidden)]\npub mod shared;\n");
    fs::write(&source, code).map_err(refused(&source))?;
    let shared = work.join("shared.rs");
    fs::write(&shared, include_str!("../../toolkit/src/shared.rs")).map_err(refused(&shared))?;
    let output = Command::new(&recorded.rustc)
        .args([
            "--crate-name=roborm_toolkit",
            "--edition=2024",
            "--crate-type=dylib",
            "-Cprefer-dynamic",
            "-Cstrip=debuginfo",
        ])
        // Generic code that is compiled here is there for cells to call, small functions too: those only without
        // optimisation. It checks what code in a cell checks. The code of the crates themselves is compiled already.
        .args(["-Zshare-generics=yes", "-Copt-level=0", "-Cdebug-assertions=on", "-Coverflow-checks=on"])
        .env("RUSTC_BOOTSTRAP", "1")
        .arg(&source)
        .arg(format!("--extern=roborm={}", roborm.display()))
        .arg(format!("-Ldependency={}", build.join("deps").display()))
        .arg("-o")
        .arg(library)
        .output()
        .map_err(|error| Error::io("cannot run rustc", &error))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(Error::new(format!("the toolkit cannot be linked: {}", String::from_utf8_lossy(&output.stderr)))),
    }
}

/// The files of a makefile's first rule.
fn listed(text: &str) -> BTreeSet<PathBuf> {
    let rule = text.lines().next().unwrap_or_default();
    let files = rule.split_once(": ").map_or("", |(_, files)| files);
    // A blank in a path has a backslash before it.
    files
        .replace("\\ ", "\u{0}")
        .split(' ')
        .filter(|file| !file.is_empty())
        .map(|file| PathBuf::from(file.replace('\u{0}', " ")))
        .collect()
}

/// The cell that does nothing.
fn compile_nothing(into: &Path, recorded: &Recorded) -> Result<()> {
    let source = into.join("cells/nothing.rs");
    let code = format!(
        "#[unsafe(no_mangle)]\npub extern \"C\" fn {}(store: *mut u8) -> *mut u8 {{\n    store\n}}\n",
        roborm_wire::cell::FUNCTION
    );
    fs::write(&source, code).map_err(refused(&source))?;
    let mut rustc = Command::new(&recorded.rustc);
    rustc.args(["--crate-name=nothing", "--edition=2024", "--crate-type=cdylib", "-Cprefer-dynamic"]);
    rustc.arg("-Cstrip=debuginfo").arg(&source).arg("-o").arg(into.join(NOTHING));
    recorded.link(into, &mut rustc, false);
    let output = rustc.output().map_err(|error| Error::io("cannot run rustc", &error))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(Error::new(format!("a cell cannot be compiled: {}", String::from_utf8_lossy(&output.stderr)))),
    }
}

/// The program that runs cells.
fn compile_cells(into: &Path, recorded: &Recorded) -> Result<()> {
    let source = into.join("bin/roborm-cells.rs");
    let code = "/// std reads standard input by this name: the program's own comes before the C library's.\n\
                #[unsafe(no_mangle)]\n\
                pub unsafe extern \"C\" fn read(file: i32, buffer: *mut u8, most: usize) -> isize {\n    \
                unsafe { roborm::cell::read(file, buffer, most) }\n}\n\n\
                /// And it writes by these.\n\
                #[unsafe(no_mangle)]\n\
                pub unsafe extern \"C\" fn write(file: i32, buffer: *const u8, count: usize) -> isize {\n    \
                unsafe { roborm::cell::write(file, buffer, count) }\n}\n\n\
                #[unsafe(no_mangle)]\n\
                pub unsafe extern \"C\" fn writev(file: i32, pieces: *const std::ffi::c_void, count: i32) -> isize {\n    \
                unsafe { roborm::cell::writev(file, pieces.cast(), count) }\n}\n\n\
                /// And std starts programs by this.\n\
                #[unsafe(no_mangle)]\n\
                pub unsafe extern \"C\" fn posix_spawnp(a: *mut i32, b: *const i8, c: *const std::ffi::c_void, \
                d: *const std::ffi::c_void, e: *const *mut i8, f: *const *mut i8) -> i32 {\n    \
                unsafe { roborm::cell::posix_spawnp(a, b, c.cast(), d.cast(), e, f) }\n}\n\n\
                fn main() -> std::process::ExitCode {\n    roborm::cell::run()\n}\n";
    fs::write(&source, code).map_err(refused(&source))?;
    let std = recorded.answers["--print target-libdir"].trim().to_owned();
    let mut rustc = Command::new(&recorded.rustc);
    rustc
        .args(["--crate-name=roborm_cells", "--edition=2024", "--crate-type=bin", "-Cprefer-dynamic", "-Copt-level=1"])
        // Before LD_LIBRARY_PATH, where cargo and others name folders with libraries of the same name.
        .args(["-Cstrip=debuginfo", "-Clink-arg=-Wl,--disable-new-dtags", "-Clink-arg=-Wl,-rpath,$ORIGIN/../lib"])
        .arg(format!("-Clink-arg=-Wl,-rpath,{std}"))
        .args(
            ["read", "write", "writev", "posix_spawnp"]
                .map(|name| format!("-Clink-arg=-Wl,--export-dynamic-symbol={name}")),
        )
        .arg(&source)
        .arg("-o")
        .arg(into.join("bin/roborm-cells"));
    recorded.link(into, &mut rustc, true);
    let output = rustc.output().map_err(|error| Error::io("cannot run rustc", &error))?;
    if output.status.success() {
        return Ok(());
    }
    Err(Error::new(format!(
        "the program that runs cells cannot be compiled: {}",
        String::from_utf8_lossy(&output.stderr)
    )))
}
