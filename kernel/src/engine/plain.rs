//! The toolkit with evcxr's own server of Jupyter in front of it, `evcxr_jupyter`: a fallback, and what ours is measured
//! against.
//!
//! The server finds the fronts in the place of cargo and rustc as our evaluator does, so that cells compile against the
//! toolkit. It runs them in a process of its own, which has no connection to anybody: there are no commands, `data()` and
//! `scores()` are what cells themselves opened and kept, and of a cell that shows several values the last is seen. It asks
//! rust-analyzer for the types of variables, which reads sources: of roborm where they were at installation, of its
//! dependencies where cargo keeps them. Where they are gone, a `let` needs its type written.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::session::Session;
use super::{Error, Result};
use crate::toolkit::{Toolkit, workspace};

/// Packages whose types people name: rust-analyzer reads no others.
const READ: [&str; 8] =
    ["roborm", "polars", "polars-core", "polars-lazy", "polars-plan", "polars-ops", "polars-utils", "plotly"];
/// What is recorded of them.
const FILE: &str = "packages.json";

/// Becomes the server, in surroundings of a session's own.
///
/// # Errors
/// The folder of the session cannot be made, or the server cannot be started.
pub fn become_server(toolkit: &Toolkit, server: &Path, connection: &Path) -> Result<std::convert::Infallible> {
    let session = Session::new()?;
    let mut command = Command::new(server);
    command.arg("--control_file").arg(connection);
    session.of_server(toolkit, &mut command)?;
    toolkit.hold_on();
    // It is removed by a later session, as that of a process that was killed.
    session.leave();
    let error = command.exec();
    Err(Error::io(format!("cannot start {}", server.display()), &error)
        .with_help("install it (cargo install evcxr_jupyter --version 0.22.0 --locked), then the kernel anew"))
}

/// Records what `cargo metadata` says of the packages whose types people name. Whether it could be found out.
pub(crate) fn record(build: &Path, toolkit: &Path) -> bool {
    let read = || -> Option<Value> {
        let manifest = workspace(build)?.join("Cargo.toml");
        let asked = Command::new("cargo")
            .args(["metadata", "--format-version=1", "--offline", "--locked", "--manifest-path"])
            .arg(manifest)
            .output()
            .ok()?;
        let all: Value = serde_json::from_slice(&asked.stdout).ok()?;
        Some(pruned(&all))
    };
    read().is_some_and(|packages| fs::write(toolkit.join(FILE), packages.to_string()).is_ok())
}

/// The packages that are read, and how they depend on each other.
fn pruned(all: &Value) -> Value {
    let named = |package: &&Value| READ.contains(&package["name"].as_str().unwrap_or_default());
    let mut packages: Vec<Value> = all["packages"].as_array().into_iter().flatten().filter(named).cloned().collect();
    let ids: BTreeSet<String> = packages.iter().filter_map(|it| it["id"].as_str().map(str::to_owned)).collect();
    for package in &mut packages {
        // Programs, tests and build scripts are for others.
        if let Some(targets) = package["targets"].as_array_mut() {
            targets
                .retain(|target| target["kind"].as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "lib")));
        }
    }
    let kept = |id: &Value| id.as_str().is_some_and(|id| ids.contains(id));
    let mut nodes: Vec<Value> = all["resolve"]["nodes"].as_array().cloned().unwrap_or_default();
    nodes.retain(|node| kept(&node["id"]));
    for node in &mut nodes {
        if let Some(all) = node["dependencies"].as_array_mut() {
            all.retain(kept);
        }
        if let Some(all) = node["deps"].as_array_mut() {
            all.retain(|dependency| kept(&dependency["pkg"]));
        }
    }
    json!({ "packages": packages, "nodes": nodes })
}

/// The metadata of the cell crate with those packages.
pub(super) fn with_packages(mut own: Value, toolkit: &Path) -> Value {
    let read = fs::read(toolkit.join(FILE)).unwrap_or_default();
    let Ok(recorded) = serde_json::from_slice::<Value>(&read) else { return own };
    let packages = recorded["packages"].as_array().cloned().unwrap_or_default();
    let (mut named, mut ids, mut dependencies) = (Vec::new(), Vec::new(), Vec::new());
    for package in
        packages.iter().filter(|package| ["roborm", "polars", "plotly"].iter().any(|name| package["name"] == *name))
    {
        ids.push(package["id"].clone());
        named.push(
            json!({ "name": package["name"], "pkg": package["id"], "dep_kinds": [{ "kind": null, "target": null }] }),
        );
        dependencies.push(json!({
            "name": package["name"], "source": package["source"], "req": "*", "kind": null, "rename": null,
            "optional": false, "uses_default_features": true, "features": [], "target": null, "registry": null,
        }));
    }
    own["packages"][0]["dependencies"] = dependencies.into();
    own["resolve"]["nodes"][0]["dependencies"] = ids.into();
    own["resolve"]["nodes"][0]["deps"] = named.into();
    if let Some(all) = own["packages"].as_array_mut() {
        all.extend(packages);
    }
    if let Some(all) = own["resolve"]["nodes"].as_array_mut() {
        all.extend(recorded["nodes"].as_array().cloned().unwrap_or_default());
    }
    own
}
