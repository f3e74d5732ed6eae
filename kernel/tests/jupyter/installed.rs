//! The kernel as it is installed: in a folder with a blank and a letter that is not ASCII, away from the build folder.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use super::python;

/// The prefix of an installation that all tests of this file use, for as long as this program runs.
fn prefix() -> &'static Path {
    PREFIX
        .get_or_init(|| {
            let folder = tempfile::Builder::new().prefix("roborm é ").tempdir().unwrap();
            python::passed(&program(&["install", "--prefix", folder.path().to_str().unwrap()]));
            assert_eq!(atexit(remove_prefix), 0);
            folder.keep()
        })
        .as_path()
}

static PREFIX: OnceLock<PathBuf> = OnceLock::new();

unsafe extern "C" {
    safe fn atexit(what: extern "C" fn()) -> std::ffi::c_int;
}

/// What a `static` holds is never dropped, and an installation is hundreds of megabytes.
extern "C" fn remove_prefix() {
    if let Some(prefix) = PREFIX.get() {
        let _ = std::fs::remove_dir_all(prefix);
    }
}

/// The kernel's folder below the prefix.
fn kernel() -> PathBuf {
    prefix().join("share").join("jupyter").join("kernels").join("roborm")
}

/// Runs `roborm-kernel`.
fn program(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_roborm-kernel")).args(arguments).output().unwrap()
}

/// Runs a script of Python's against the installed kernel. Whatever would go out to the network goes nowhere.
fn drive(script: &str, arguments: &[&Path]) -> Option<Output> {
    let python = python::interpreter()?;
    let home = tempfile::tempdir().unwrap();
    let mut command = Command::new(&python);
    command.arg(python::script(script)).args(arguments).current_dir(home.path());
    command.env("JUPYTER_PATH", prefix().join("share").join("jupyter"));
    for folder in
        ["HOME", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "XDG_DATA_HOME"]
    {
        command.env(folder, home.path());
    }
    // rustup keeps toolchains in the home folder; cells need the one that there is.
    for (name, place) in [("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo")] {
        if std::env::var_os(name).is_none() {
            command.env(name, std::env::home_dir().unwrap().join(place));
        }
    }
    // Cargo's, for tests: nobody who runs notebooks has it.
    command.env_remove("LD_LIBRARY_PATH");
    for name in ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        command.env(name, "http://127.0.0.1:9");
    }
    command.env("no_proxy", "127.0.0.1,localhost").env("PYTHONDONTWRITEBYTECODE", "1");
    Some(command.output().unwrap())
}

macro_rules! scripts {
    ($($name:ident: $script:literal $(, $argument:expr)*;)+) => {
        $(#[test]
        fn $name() {
            if let Some(output) = drive($script, &[$(Path::new($argument)),*]) {
                python::passed(&output);
            }
        })+
    };
}

const NOTEBOOKS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../notebooks");

scripts! {
    jupyter_kernel_test_passes: "suite.py";
    cells_commands_and_errors: "cells.py";
    nbclient_runs_the_notebooks: "notebook.py", NOTEBOOKS;
    a_browser_shows_table_sheet_and_chart: "lab.py", NOTEBOOKS, env!("CARGO_TARGET_TMPDIR");
}

#[test]
fn what_is_installed_is_listed_and_leaves_with_all_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let prefix = folder.path().to_str().unwrap();
    python::passed(&program(&["install", "--prefix", prefix, "--name", "second"]));
    let kernels = folder.path().join("share/jupyter/kernels");
    let spec: serde_json::Value =
        serde_json::from_slice(&std::fs::read(kernels.join("second/kernel.json")).unwrap()).unwrap();
    assert_eq!(spec["interrupt_mode"], "message");
    assert_eq!(spec["language"], "rust");
    assert!(Path::new(spec["argv"][0].as_str().unwrap()).starts_with(&kernels), "{spec}");
    for logo in ["logo-svg.svg", "logo-64x64.png", "logo-32x32.png"] {
        assert!(kernels.join("second").join(logo).is_file(), "{logo}");
    }
    let listed = Command::new(env!("CARGO_BIN_EXE_roborm-kernel"))
        .arg("list")
        .env("JUPYTER_PATH", folder.path().join("share/jupyter"))
        .output()
        .unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(listed.lines().any(|line| line.starts_with("second  ") && line.ends_with("  ready")), "{listed}");
    python::passed(&program(&["uninstall", "--prefix", prefix, "--name", "second"]));
    assert_eq!(std::fs::read_dir(&kernels).unwrap().count(), 0, "nothing is left");
}

#[test]
fn the_names_of_std_are_read_once() {
    let index = |kernel: &Path| {
        let spec: serde_json::Value =
            serde_json::from_slice(&std::fs::read(kernel.join("kernel.json")).unwrap()).unwrap();
        let toolkit = Path::new(spec["argv"][0].as_str().unwrap()).ancestors().nth(2).unwrap();
        let index: serde_json::Value =
            serde_json::from_slice(&std::fs::read(toolkit.join("names.json")).unwrap()).unwrap();
        let entries = index["entries"].as_array().unwrap().iter();
        entries.filter(|entry| entry["from"] == "std").cloned().collect::<Vec<_>>()
    };
    let first = index(&kernel());
    let output = program(&["install", "--prefix", prefix().to_str().unwrap(), "--name", "third"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    python::passed(&output);
    assert!(said.contains("compiling the program that runs cells"), "{said}");
    assert!(!said.contains("the names of std"), "{said}");
    let third = index(&kernel().with_file_name("third"));
    assert_eq!((first.is_empty(), first == third), (false, true));
    python::passed(&program(&["uninstall", "--prefix", prefix().to_str().unwrap(), "--name", "third"]));
}

#[test]
fn a_failed_installation_leaves_the_kernel_that_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let prefix = folder.path().to_str().unwrap();
    let kernel = folder.path().join("share/jupyter/kernels/roborm");
    std::fs::create_dir_all(kernel.join("toolkit")).unwrap();
    std::fs::write(kernel.join("kernel.json"), r#"{"metadata": {"roborm": {}}}"#).unwrap();
    let empty = tempfile::tempdir().unwrap();
    let output = program(&["install", "--prefix", prefix, "--build", empty.path().to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("help: build and install the kernel: cargo xtask kernel"),
        "{output:?}"
    );
    assert!(kernel.join("kernel.json").is_file());
    assert_eq!(std::fs::read_dir(kernel.parent().unwrap()).unwrap().count(), 1, "and nothing beside it");
    // One of another maker is left alone.
    std::fs::write(kernel.join("kernel.json"), r#"{"argv": ["other"]}"#).unwrap();
    for task in ["install", "uninstall"] {
        let output = program(&[task, "--prefix", prefix]);
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&output.stderr).contains("roborm did not install it"), "{output:?}");
    }
    assert!(kernel.join("kernel.json").is_file());
}

#[test]
fn an_installation_leaves_the_toolkit_of_a_session_that_runs() {
    let folder = tempfile::tempdir().unwrap();
    let prefix = folder.path().to_str().unwrap();
    let kernel = folder.path().join("share/jupyter/kernels/roborm");
    let install = || python::passed(&program(&["install", "--prefix", prefix]));
    install();
    // The prompt's engine is a session as well.
    let mut session = Command::new(kernel.join("toolkit-1/bin/roborm-kernel"))
        .arg("engine")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = session.stdin.take().unwrap();
    let mut lines = BufReader::new(session.stdout.take().unwrap()).lines();
    let mut next = || lines.next().unwrap().unwrap();
    assert_eq!(next(), "{\"ready\":true}");
    install();
    writeln!(input, "{{\"id\":1,\"ask\":\"run\",\"source\":\"let x = vec![41]; x[0] + 1\"}}").unwrap();
    let answer = next();
    assert!(answer.contains("\"42\""), "{answer}");
    let output = program(&["uninstall", "--prefix", prefix]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("the kernel 'roborm' runs"), "{output:?}");
    drop(input);
    assert!(session.wait().unwrap().success());
    install();
    let left = |number: u32| kernel.join(format!("toolkit-{number}")).exists();
    assert!(!left(1) && !left(2) && left(3), "those that nobody uses are gone");
    python::passed(&program(&["uninstall", "--prefix", prefix]));
    assert!(!kernel.exists());
}

#[test]
fn plain_needs_evcxrs_own_server() {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_roborm-kernel"))
        .args(["install", "--plain", "--prefix"])
        .arg(folder.path())
        .env("PATH", folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("error: --plain needs evcxr_jupyter, which is not on PATH\n"), "{said}");
    assert!(said.contains("cargo install evcxr_jupyter --version 0.22.0 --locked"), "{said}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is begun");
    // Only with --plain.
    assert_eq!(program(&["install", "--evcxr", "/bin/true"]).status.code(), Some(2));
}

#[test]
fn plain_starts_the_server_on_the_toolkit() {
    let folder = tempfile::tempdir().unwrap();
    let (prefix, server) = (folder.path().join("prefix"), folder.path().join("a server"));
    // One that tells what it finds.
    std::fs::write(&server, "#!/bin/sh\necho \"$@\"\nrustup which cargo\ncat \"$EVCXR_CONFIG_DIR/prelude.rs\"\n")
        .unwrap();
    std::fs::set_permissions(&server, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let (prefix, server) = (prefix.to_str().unwrap(), server.to_str().unwrap());
    python::passed(&program(&["install", "--plain", "--evcxr", server, "--prefix", prefix]));
    let kernel = Path::new(prefix).join("share/jupyter/kernels/roborm-plain");
    let spec: serde_json::Value = serde_json::from_slice(&std::fs::read(kernel.join("kernel.json")).unwrap()).unwrap();
    let argv: Vec<&str> = spec["argv"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    assert_eq!(argv[1..], ["plain", server, "{connection_file}"]);
    let output =
        Command::new(argv[0]).args(&argv[1..3]).arg("the file").env_remove("LD_LIBRARY_PATH").output().unwrap();
    python::passed(&output);
    let said = String::from_utf8(output.stdout).unwrap();
    let cargo = kernel.join("toolkit-1/fronts/cargo").display().to_string();
    assert_eq!(said, format!("--control_file the file\n{cargo}\nuse roborm::prelude::*;"));
    python::passed(&program(&["uninstall", "--name", "roborm-plain", "--prefix", prefix]));
}

#[test]
fn evcxrs_own_server_runs_cells_on_the_toolkit() {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let named = std::env::var_os("EVCXR_JUPYTER").map(PathBuf::from);
    let on_path = std::env::split_paths(&path).map(|folder| folder.join("evcxr_jupyter"));
    let Some(server) = named.into_iter().chain(on_path).find(|file| file.is_file()) else {
        eprintln!("skipped: evcxr_jupyter is not on PATH, and EVCXR_JUPYTER names none");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let (prefix, server) = (folder.path().to_str().unwrap(), server.to_str().unwrap());
    python::passed(&program(&["install", "--plain", "--evcxr", server, "--prefix", prefix]));
    if let Some(output) = drive("plain.py", &[&folder.path().join("share/jupyter")]) {
        python::passed(&output);
    }
}

#[test]
fn what_is_no_connection_file_ends_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("not one.json");
    std::fs::write(&file, "{\"argv\": []}").unwrap();
    for (file, expected) in
        [(file, "not a connection file"), (folder.path().join("absent"), "cannot read the connection file")]
    {
        let output = program(&["run", file.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(1));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.starts_with("error: ") && said.contains(expected), "{said}");
    }
    assert_eq!(program(&["dance"]).status.code(), Some(2));
}

#[test]
fn a_rustc_that_changed_is_told_of_by_the_first_cell() {
    let folder = tempfile::tempdir().unwrap();
    let prefix = folder.path().to_str().unwrap();
    python::passed(&program(&["install", "--prefix", prefix]));
    let recorded = folder.path().join("share/jupyter/kernels/roborm/toolkit-1/toolkit.json");
    let mut record: serde_json::Value = serde_json::from_slice(&std::fs::read(&recorded).unwrap()).unwrap();
    record["version"] = "rustc 1.2.3 (an older one)\n".into();
    std::fs::write(&recorded, record.to_string()).unwrap();
    let Some(output) = drive("changed.py", &[&folder.path().join("share/jupyter")]) else { return };
    python::passed(&output);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("rustc changed") && said.contains("1.2.3") && said.contains("cargo xtask kernel"), "{said}");
}

#[test]
fn an_installation_nobody_may_write_runs_for_a_user_without_a_home() {
    let Some(python) = python::interpreter() else { return };
    let kernel = kernel();
    // Mounted read-only where this may be done: root is not held by permissions.
    let mount = "mount --bind \"$0\" \"$0\" && mount -o remount,ro,bind \"$0\"";
    let may = Command::new("unshare").args(["-rm", "sh", "-c", mount]).arg(&kernel).output();
    let mut command = if may.is_ok_and(|output| output.status.success()) {
        let mut command = Command::new("unshare");
        command.args(["-rm", "sh", "-c", &format!("{mount} && exec \"$@\"")]).arg(&kernel).arg(&python);
        command
    } else {
        eprintln!("not read-only here: no file system can be mounted");
        Command::new(&python)
    };
    command
        .env_remove("LD_LIBRARY_PATH")
        .arg(python::script("homeless.py"))
        .arg(prefix().join("share").join("jupyter"));
    python::passed(&command.output().unwrap());
}
