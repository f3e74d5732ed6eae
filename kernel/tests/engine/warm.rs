//! Cells are compiled by a rustc that waits for them, or by one that is started for each: it comes to the same.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::Value;

use crate::bench::{Bench, text, toolkit};
use crate::program::Program;

#[test]
fn a_toolkit_without_a_rustc_that_waits() {
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(toolkit().dir()).unwrap().flatten() {
        if entry.file_name() != "hold.so" {
            symlink(entry.path(), folder.path().join(entry.file_name())).unwrap();
        }
    }
    let mut program = Program::start_with(|command| {
        command.arg("--toolkit").arg(folder.path());
    });
    for (cell, value) in [("let numbers = vec![1, 2]; numbers.len()", "2"), ("numbers.iter().sum::<i32>()", "3")] {
        assert_eq!(program.value(cell), value, "{cell}");
    }
    program.end();
}

#[test]
fn what_cannot_be_included_is_compiled_on_its_own() {
    let mut bench = Bench::new();
    assert_eq!(bench.value("#![allow(non_snake_case)]\nlet X = 1; X"), "1");
    assert_eq!(bench.value("env!(\"PATH\").is_empty()"), "false");
    // In the place of what the prelude brings along.
    assert_eq!(bench.value("struct Series(i32);\nmacro_rules! df { () => { Series(2).0 } }\ndf!()"), "2");
    assert_eq!(bench.value("use Series as Other; Other(3).0"), "3");
}

#[test]
fn variables_that_a_cell_does_not_mention_stay() {
    let mut bench = Bench::new();
    bench.value("let kept = String::from(\"a\"); let mut other = vec![1.5];");
    bench.failure("other.push(2.5); panic!()");
    bench.value("let kept_too = 1;");
    assert_eq!(bench.value("format!(\"{kept} {kept_too}\")"), "\"a 1\"");
    bench.value("macro_rules! both { ($it:ident) => { (kept.clone(), $it) } }");
    assert_eq!(bench.value("let kept = 2; kept + kept_too"), "3");
}

#[test]
fn a_type_that_no_cell_can_name_is_asked_for() {
    let mut bench = Bench::new();
    bench.value("mod inner { #[derive(Debug, Clone)] pub struct Open(pub i32); }\nlet open = inner::Open(1);");
    assert_eq!(bench.value("let again = open.clone(); again"), "Open(1)");
    let failure = bench.failure("mod shut { mod inner { pub struct Hidden; } pub fn hidden() -> inner::Hidden { inner::Hidden } }\nlet hidden = shut::hidden();");
    assert!(text(&failure).contains("private"), "{}", text(&failure));
    assert_eq!(bench.value("again.0"), "1");
}

#[test]
fn arithmetic_is_checked_wherever_it_was_compiled() {
    let mut bench = Bench::new();
    let failure = bench.failure("vec![i32::MAX, 1].iter().sum::<i32>()");
    assert!(text(&failure).contains("overflow"), "{}", text(&failure));
}

#[test]
fn types_that_notebooks_are_made_of_need_not_be_asked_for() {
    let recorded = fs::read(toolkit().dir().join("toolkit.json")).unwrap();
    let recorded: Value = serde_json::from_slice(&recorded).unwrap();
    let known: Vec<&str> = recorded["types"].as_object().unwrap().values().filter_map(Value::as_str).collect();
    for name in ["roborm::prelude::DataFrame", "roborm::prelude::ScoreTable", "roborm::plotly::Plot"] {
        assert!(known.contains(&name), "{name}: {known:?}");
    }
}

#[test]
fn a_type_that_was_asked_for_lasts() {
    let mut bench = Bench::new();
    bench.value("let range = 1..4; let first = std::num::Wrapping(7u8);");
    bench.value("let second = first + std::num::Wrapping(250); let other = range.clone();");
    assert_eq!(bench.value("format!(\"{second} {}\", other.sum::<i32>() + range.len() as i32)"), "\"1 9\"");
    let types: std::collections::BTreeMap<String, String> = bench.engine.variables().into_iter().collect();
    assert_eq!(types["first"], types["second"]);
    assert!(types["first"].ends_with("Wrapping<u8>") && types["range"].ends_with("Range<i32>"), "{types:?}");
}
