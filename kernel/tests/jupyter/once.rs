//! That nothing is compiled twice: what `cargo xtask demo` has built is what `cargo xtask kernel` links.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// The files that cargo makes of each library for a selection of packages, by package.
fn libraries(selection: &[&str]) -> BTreeMap<String, Vec<String>> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--release", "--locked", "--message-format=json"]).args(selection);
    cargo.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).env("CARGO_TARGET_DIR", target);
    // What cargo tells this test of its package; the build script of ring takes it for a change.
    for (name, _) in std::env::vars_os() {
        if ["CARGO_MANIFEST_", "CARGO_PKG_"].iter().any(|begin| name.to_string_lossy().starts_with(begin)) {
            cargo.env_remove(name);
        }
    }
    let output = cargo.output().unwrap();
    super::python::passed(&output);
    let mut libraries: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let message: serde_json::Value = serde_json::from_slice(line).unwrap();
        let files = message["filenames"].as_array().into_iter().flatten().filter_map(|file| file.as_str());
        let files = files.filter(|file| [".rlib", ".so"].iter().any(|end| file.ends_with(end)));
        if let Some(package) = message["package_id"].as_str() {
            libraries.entry(package.to_owned()).or_default().extend(files.map(str::to_owned));
        }
    }
    libraries.retain(|_, files| !files.is_empty());
    libraries.values_mut().for_each(|files| files.sort());
    libraries
}

/// Two choices of a crate's features are two files: were there a second polars, it would have a name of its own.
#[test]
fn the_kernel_links_the_crates_that_the_first_build_has_made() {
    let first = libraries(&[]);
    let selection = ["roborm", "roborm-decoder", "roborm-repl", "roborm-kernel", "roborm-toolkit"];
    let then = libraries(&selection.map(|package| ["-p", package]).concat());
    assert!(first.keys().any(|package| package.contains("polars-core")), "{first:?}");
    // The kernel may need another one of a crate beside it: for a program of the build, or of the evaluator alone.
    let kept = |package: &String, file: &String| then.get(package).is_some_and(|files| files.contains(file));
    let differ: Vec<_> =
        first.iter().filter(|(package, files)| !files.iter().all(|file| kept(package, file))).collect();
    assert!(differ.is_empty(), "compiled twice: {differ:?}");
}
