//! libtorch for local checkpoints: fetched once, and the worker built against it.
//!
//! The CPU libraries are taken out of PyTorch's own wheels: no Python import, no CUDA stack. About 540 MB are downloaded and
//! 490 MB kept. Whoever has CUDA uses an installed PyTorch of the same version instead: with `LIBTORCH_USE_PYTORCH=1` set
//! nothing is fetched, and the worker is linked against the PyTorch that `python3` finds.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::shell::{self, Result, cargo, note};

/// The version of PyTorch that goes with the `tch` crate in worker/local/Cargo.toml.
const TORCH: &str = "2.11.0";

/// Takes the wanted members out of a wheel: arguments are the wheel, the folder, and whether it is PyTorch's own.
const UNPACK: &str = r"
import os, sys, zipfile
wheel, folder, kind = sys.argv[1:]
libraries = ['libtorch_cpu.so', 'libc10.so', 'libgomp.so.1', 'libcudart.so.13', 'libcupti.so.13']
with zipfile.ZipFile(wheel) as z:
    for name in z.namelist():
        base = name.rsplit('/', 1)[-1]
        if kind == 'torch' and name.startswith('torch/include/') and not name.endswith('/'):
            to = os.path.join(folder, name[len('torch/'):])
        elif base in libraries and '/lib/' in name:
            to = os.path.join(folder, 'lib', base)
        else:
            continue
        os.makedirs(os.path.dirname(to), exist_ok=True)
        with z.open(name) as source, open(to, 'wb') as target:
            while chunk := source.read(1 << 20):
                target.write(chunk)
";

/// Where libtorch is kept: `LIBTORCH`, else below the folder that cargo builds into.
pub fn folder() -> PathBuf {
    env::var_os("LIBTORCH").map_or_else(|| shell::target().join("libtorch"), PathBuf::from)
}

/// Fetches libtorch into a folder, where it is not there yet, and builds the worker against it.
pub fn libtorch(dir: &Path) -> Result {
    if env::var_os("LIBTORCH_USE_PYTORCH").is_none() {
        fetch(dir)?;
    }
    shell::run(with(
        dir,
        cargo().args(["build", "--release", "--locked", "-p", "roborm-local", "--features", "libtorch"]),
    ))
}

/// Lints the worker and runs its tests, the model's included.
pub fn test(dir: &Path) -> Result {
    libtorch(dir)?;
    let package = ["--release", "--locked", "-p", "roborm-local", "--features", "libtorch"];
    shell::run(with(dir, cargo().arg("clippy").args(package).args(["--all-targets", "--", "-D", "warnings"])))?;
    shell::run(with(dir, cargo().arg("test").args(package)))
}

/// A command that builds against libtorch in a folder.
fn with<'c>(dir: &Path, command: &'c mut Command) -> &'c mut Command {
    if env::var_os("LIBTORCH_USE_PYTORCH").is_some() { command } else { command.env("LIBTORCH", dir) }
}

fn fetch(dir: &Path) -> Result {
    let version = dir.join("build-version");
    if fs::read_to_string(&version).is_ok_and(|found| found.trim() == TORCH) {
        return Ok(());
    }
    if cfg!(not(all(target_os = "linux", target_arch = "x86_64"))) {
        return Err(
            "libtorch is fetched for Linux on x86-64 only; elsewhere install PyTorch and set LIBTORCH_USE_PYTORCH=1"
                .into(),
        );
    }
    note(&format!("missing: libtorch {TORCH} (runs local checkpoints); fetching 540 MB from PyPI"));
    let wheels = dir.join("wheels");
    make(&wheels)?;
    let torch = format!("torch=={TORCH}");
    let any = ["--only-binary=:all:", "--python-version", "3.11", "--platform", "manylinux_2_28_x86_64"];
    shell::run(pip(&wheels).args(any).arg(torch))?;
    // The CPU library is linked against these two all the same.
    shell::run(pip(&wheels).args(["nvidia-cuda-runtime==13.0.96", "nvidia-cuda-cupti==13.0.85"]))?;
    let listed = fs::read_dir(&wheels).map_err(|error| format!("{}: {error}", wheels.display()))?;
    for wheel in listed.filter_map(|entry| Some(entry.ok()?.path())) {
        let name = wheel.file_name().unwrap_or_default().to_string_lossy();
        let kind = if name.starts_with("torch-") { "torch" } else { "other" };
        shell::run(Command::new("python3").args(["-c", UNPACK]).arg(&wheel).arg(dir).arg(kind))?;
    }
    stub(&dir.join("lib"))?;
    fs::remove_dir_all(&wheels).map_err(|error| format!("{}: {error}", wheels.display()))?;
    // Last, so that a broken download is begun again.
    fs::write(&version, TORCH).map_err(|error| format!("{}: {error}", version.display()))
}

fn pip(wheels: &Path) -> Command {
    let mut command = Command::new("python3");
    command.args(["-m", "pip", "download", "-q", "--no-deps", "-d"]).arg(wheels);
    command
}

/// tch links `-ltorch`, which in a CUDA wheel drags in the whole CUDA stack; an empty library that needs only the CPU
/// ones stands for it.
fn stub(lib: &Path) -> Result {
    let source = lib.join("stub.c");
    fs::write(&source, "void libtorch_cpu_stub(void) {}\n")
        .map_err(|error| format!("{}: {error}", source.display()))?;
    let flags = "-Wl,-soname,libtorch.so,--no-as-needed,-rpath,$ORIGIN,--allow-shlib-undefined";
    let mut command = Command::new("cc");
    command.args(["-shared", "-fPIC", "stub.c", "-o", "libtorch.so", flags, "-L.", "-ltorch_cpu", "-lc10"]);
    shell::run(command.current_dir(lib))?;
    fs::remove_file(&source).map_err(|error| format!("{}: {error}", source.display()))
}

fn make(folder: &Path) -> Result {
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))
}
