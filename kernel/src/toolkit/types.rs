//! Types of the toolkit that cells can name, in rustc's own words.
//!
//! rustc calls a type by a path that it finds; whether a cell may write that path is another matter. For the types that
//! notebooks are made of it is tried once, here.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::Recorded;
use crate::engine::written;

/// As the prelude, and a path from `roborm` on, name them.
const NAMES: [&str; 33] = [
    "DataFrame",
    "LazyFrame",
    "LazyGroupBy",
    "Series",
    "Column",
    "Expr",
    "DataType",
    "PlSmallStr",
    "AnyValue<'static>",
    "PolarsError",
    "Dataset",
    "Label",
    "Trajectory",
    "Frame",
    "Frames",
    "Sampling",
    "Paraphrase",
    "ParaphraseSet",
    "Strategy",
    "Analysis",
    "Robustness",
    "ScoreTable",
    "Error",
    "Html",
    "Markdown",
    "Bundle",
    "roborm::cell::Display",
    "roborm::study::Study",
    "roborm::plotly::Plot",
    "roborm::plotly::Layout",
    "roborm::plotly::common::Title",
    "roborm::serde_json::Value",
    "roborm::image::RgbImage",
];

/// Lines before the code that is checked.
const HEAD_LINES: u64 = 2;

/// Those of the paths of [`NAMES`] that a cell may write. Of other types, cells ask for what they are.
pub(super) fn find(toolkit: &Path, recorded: &Recorded) -> Vec<String> {
    let ask = |name: &&str| format!("fn {}(it: &{name}) {{ roborm::cell::type_of(it); }}\n", ident(name));
    let asked: String = NAMES.iter().map(ask).collect();
    let mut paths: Vec<String> = check(toolkit, recorded, &asked)
        .unwrap_or_default()
        .iter()
        .filter(|message| message["code"]["code"] == "E0277")
        .filter_map(|message| written("_", message["message"].as_str()?).ok())
        .map(|of| of.split('<').next().unwrap_or_default().to_owned())
        .collect();
    paths.sort();
    paths.dedup();
    let tried: String = paths.iter().map(|path| format!("pub use {path} as {};\n", ident(path))).collect();
    let refused: Vec<u64> = check(toolkit, recorded, &tried)
        .unwrap_or_default()
        .iter()
        .flat_map(|message| message["spans"].as_array().cloned().unwrap_or_default())
        .filter_map(|span| span["line_start"].as_u64())
        .collect();
    (HEAD_LINES + 1..).zip(paths).filter(|(line, _)| !refused.contains(line)).map(|(_, path)| path).collect()
}

fn ident(name: &str) -> String {
    name.chars().map(|letter| if letter.is_alphanumeric() { letter } else { '_' }).collect()
}

/// What rustc says of this code.
fn check(toolkit: &Path, recorded: &Recorded, code: &str) -> Option<Vec<Value>> {
    let work = tempfile::tempdir().ok()?;
    let source = work.path().join("lib.rs");
    fs::write(&source, format!("#![allow(warnings)]\nuse roborm::prelude::*;\n{code}")).ok()?;
    let mut rustc = Command::new(&recorded.rustc);
    rustc.args(["--crate-name=types", "--edition=2024", "--crate-type=rlib", "--emit=metadata", "--error-format=json"]);
    rustc.args(["-Zwrite-long-types-to-disk=no", "-Ztrim-diagnostic-paths=no"]).env("RUSTC_BOOTSTRAP", "1");
    rustc.arg("--out-dir").arg(work.path()).arg(&source);
    recorded.link(toolkit, &mut rustc, true);
    let output = rustc.output().ok()?;
    Some(String::from_utf8_lossy(&output.stderr).lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}
