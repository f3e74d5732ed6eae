//! What the dependencies are: their licences, and that none the workspace names stands twice.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

fn metadata() -> Value {
    let out = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline", "--filter-platform"])
        .arg(concat!("x86_64", "-unknown-linux-gnu"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    serde_json::from_slice(&out.stdout).expect("cargo writes JSON")
}

/// The licences that deny.toml allows.
fn allowed() -> BTreeSet<String> {
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("deny.toml")).expect("deny.toml is there");
    let list = text.split_once("allow = [").and_then(|(_, rest)| rest.split_once(']')).expect("deny.toml has a list").0;
    let quoted = list
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'))
        .flat_map(|line| line.split('"').skip(1).step_by(2));
    quoted.map(str::to_owned).collect()
}

/// Whether an SPDX expression can be met by the licences allowed: `OR` needs one side, `AND` both.
fn met(expression: &str, allowed: &BTreeSet<String>) -> bool {
    // The old form `MIT/Apache-2.0` means OR.
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let result = either(&words, &mut at, allowed);
    assert_eq!(at, words.len(), "cannot read the licence `{expression}`");
    result
}

fn either(words: &[&str], at: &mut usize, allowed: &BTreeSet<String>) -> bool {
    let mut result = both(words, at, allowed);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        result |= both(words, at, allowed);
    }
    result
}

fn both(words: &[&str], at: &mut usize, allowed: &BTreeSet<String>) -> bool {
    let mut result = one(words, at, allowed);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        result &= one(words, at, allowed);
    }
    result
}

fn one(words: &[&str], at: &mut usize, allowed: &BTreeSet<String>) -> bool {
    let Some(&word) = words.get(*at) else { return false };
    *at += 1;
    if word == "(" {
        let result = either(words, at, allowed);
        *at += 1;
        return result;
    }
    let mut name = word.to_owned();
    if words.get(*at) == Some(&"WITH") {
        name = format!("{word} WITH {}", words.get(*at + 1).copied().unwrap_or_default());
        *at += 2;
    }
    allowed.contains(&name)
}

#[test]
fn expressions_are_read_as_spdx_has_them() {
    let allowed: BTreeSet<String> = ["MIT", "ISC", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned).into();
    for (expression, is_met) in [
        ("MIT", true),
        ("GPL-3.0", false),
        ("GPL-3.0 OR MIT", true),
        ("GPL-3.0/MIT", true),
        ("MIT AND GPL-3.0", false),
        ("(MIT OR GPL-3.0) AND ISC", true),
        ("(MIT OR ISC) AND GPL-3.0", false),
        ("Apache-2.0 WITH LLVM-exception", true),
        ("Apache-2.0", false),
    ] {
        assert_eq!(met(expression, &allowed), is_met, "{expression}");
    }
}

#[test]
fn every_dependency_has_an_allowed_licence_and_comes_from_the_registry() {
    let (metadata, allowed) = (metadata(), allowed());
    let mut wrong = Vec::new();
    for package in metadata["packages"].as_array().expect("packages") {
        let name = &package["name"];
        match package["license"].as_str() {
            Some(licence) if met(licence, &allowed) => {}
            licence => wrong.push(format!("{name}: {licence:?}")),
        }
        match package["source"].as_str() {
            None => assert!(
                name.as_str().is_some_and(|name| name == "roborm" || name.starts_with("roborm-") || name == "xtask")
            ),
            Some(source) => assert_eq!(source, "registry+https://github.com/rust-lang/crates.io-index", "{name}"),
        }
    }
    assert!(wrong.is_empty(), "not allowed by deny.toml: {wrong:?}");
}

#[test]
fn the_workspace_names_one_version_of_each_crate() {
    let metadata = metadata();
    let of_workspace: BTreeSet<&str> =
        metadata["workspace_members"].as_array().expect("members").iter().filter_map(Value::as_str).collect();
    let mut named: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for node in metadata["resolve"]["nodes"].as_array().expect("nodes") {
        if !of_workspace.contains(node["id"].as_str().unwrap_or_default()) {
            continue;
        }
        for dependency in node["deps"].as_array().expect("deps") {
            let id = dependency["pkg"].as_str().expect("an id");
            let package = id.rsplit_once('#').map_or(id, |(_, package)| package);
            named.entry(package.split('@').next().unwrap_or(package)).or_default().insert(id);
        }
    }
    assert!(named.contains_key("polars"), "polars is named");
    let twice: Vec<_> = named.iter().filter(|(_, versions)| versions.len() > 1).collect();
    assert!(twice.is_empty(), "{twice:?}");
}
