//! That nothing is compiled twice: what `cargo xtask demo` has built is what `cargo xtask kernel` links.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// The files that cargo makes of each library for a selection of packages, by package.
fn libraries(selection: &[&str]) -> BTreeMap<String, Vec<String>> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let output = Command::new(env!("CARGO"))
        .args(["build", "--release", "--locked", "--message-format=json"])
        .args(selection)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .env("CARGO_TARGET_DIR", target)
        .output()
        .unwrap();
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
    // Of a build tool of another tree; nothing of the toolkit is built with it.
    let differ: Vec<_> = first
        .iter()
        .filter(|(package, files)| then.get(*package) != Some(files) && !package.contains("#winnow@"))
        .collect();
    assert!(differ.is_empty(), "compiled twice: {differ:?}");
}
