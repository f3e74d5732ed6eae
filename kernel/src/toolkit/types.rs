//! Types of the toolkit that cells can name: where they are defined, and by what path.
//!
//! A compiled cell tells where the types of its variables are defined; whether a cell may write that path is another matter.
//! For the types that notebooks are made of, this is the path that it may write.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::Recorded;
use crate::engine::{arguments, types_in};

/// Paths, with parameters where the type has some.
const NAMES: [&str; 34] = [
    "roborm::prelude::DataFrame",
    "roborm::prelude::LazyFrame",
    "roborm::prelude::LazyGroupBy",
    "roborm::prelude::Series",
    "roborm::prelude::Column",
    "roborm::prelude::Expr",
    "roborm::prelude::DataType",
    "roborm::prelude::PlSmallStr",
    "roborm::prelude::AnyValue<'static>",
    "roborm::prelude::PolarsError",
    "roborm::prelude::Dataset",
    "roborm::prelude::Label",
    "roborm::prelude::Trajectory",
    "roborm::prelude::Frame",
    "roborm::prelude::Frames",
    "roborm::prelude::Sampling",
    "roborm::prelude::Paraphrase",
    "roborm::prelude::ParaphraseSet",
    "roborm::prelude::Strategy",
    "roborm::prelude::Analysis",
    "roborm::prelude::Robustness",
    "roborm::prelude::ScoreTable",
    "roborm::prelude::Error",
    "roborm::prelude::Html",
    "roborm::prelude::Markdown",
    "roborm::prelude::Bundle",
    "roborm::cell::Display",
    "roborm::study::Study",
    "roborm::plotly::Plot",
    "roborm::plotly::Layout",
    "roborm::plotly::common::Title",
    "roborm::serde_json::Value",
    "roborm::image::Rgb<u8>",
    "roborm::image::ImageBuffer<roborm::image::Rgb<u8>, Vec<u8>>",
];

/// Where the types of [`NAMES`] are defined, with the paths that cells may write. Of a type that is not among them, a cell
/// asks what it is.
pub(super) fn find(toolkit: &Path, recorded: &Recorded) -> BTreeMap<String, String> {
    let library = compile(toolkit, recorded).unwrap_or_default();
    let bare = |path: &str| path.split('<').next().unwrap_or_default().to_owned();
    types_in(&library).into_iter().filter_map(|(number, of)| Some((bare(&of), bare(NAMES.get(number)?)))).collect()
}

/// A library that keeps a value of each of the types.
fn compile(toolkit: &Path, recorded: &Recorded) -> Option<Vec<u8>> {
    let keep = |(number, name): (usize, &&str)| {
        format!("pub fn f{number}(store: &mut S, it: {name}) {{ store.put_found::<_, {number}>(\"\", it); }}\n")
    };
    let code: String = NAMES.iter().enumerate().map(keep).collect();
    let uses: String = (0..NAMES.len()).map(|number| format!("f{number} as *const u8 as usize, ")).collect();
    let code = format!(
        "use roborm::cell::store::VariableStore as S;\n{code}\
         #[unsafe(no_mangle)]\npub extern \"C\" fn all() -> usize {{\n    [{uses}].iter().sum()\n}}\n"
    );
    let work = tempfile::tempdir().ok()?;
    let source = work.path().join("lib.rs");
    fs::write(&source, code).ok()?;
    let mut rustc = Command::new(&recorded.rustc);
    arguments(&mut rustc, &source, work.path(), "0");
    recorded.link(toolkit, &mut rustc, false);
    let output = rustc.output().ok()?;
    output.status.success().then(|| fs::read(work.path().join("libctx.so")).ok()).flatten()
}
