//! The evaluator as a program.

use std::process::Command;

use serde_json::{Value, json};

use crate::bench::toolkit;
use crate::program::Program;

#[test]
fn lines_of_json_in_both_directions() {
    let mut program = Program::start();
    program.ask(&json!({ "id": 1, "ask": "run", "source": "println!(\"hi\"); 1 + 1" }));
    assert_eq!(program.next(), json!({ "event": "stdout", "text": "hi\n" }));
    let value = program.next();
    assert_eq!((&value["id"], &value["outcome"]), (&json!(1), &json!("done")));
    assert_eq!(value["value"]["data"]["text/plain"], "2");
    program.ask(&json!({ "id": 2, "ask": "run", "source": "nothing" }));
    let value = program.next();
    assert_eq!((&value["outcome"], &value["name"]), (&json!("failed"), &json!("E0425")));
    program.ask(&json!({ "id": 3, "ask": "completeness", "source": "f({" }));
    assert_eq!(program.next(), json!({ "id": 3, "completeness": "incomplete", "indent": "        " }));
    program.ask(&json!({ "id": 4, "ask": "complete", "source": ":robu", "byte": 5 }));
    assert_eq!(program.next()["items"][0]["text"], ":robustness ");
    program.ask(&json!({ "ask": "what" }));
    assert!(program.next()["error"].is_string());
    program.ask(&json!({ "id": 5, "ask": "run", "source": "input(\"name? \")" }));
    assert_eq!(program.next(), json!({ "event": "input", "prompt": "name? ", "password": false }));
    program.ask(&json!({ "ask": "line", "text": "Ada" }));
    assert_eq!(program.next()["value"]["data"]["text/plain"], "Some(\"Ada\")");
    program.end();
}

#[test]
fn cells_that_are_deeply_nested() {
    let mut program = Program::start();
    let sum = |terms: usize| vec!["1"; terms].join("+");
    let nested = |depth: usize, open: &str, close: &str| format!("{}1{}", open.repeat(depth), close.repeat(depth));
    assert_eq!(program.run("let x = 41;")["outcome"], "done");
    for (source, value) in [(sum(8000), "8000"), (nested(3000, "(", ")"), "1"), (nested(1000, "{", "}"), "1")] {
        assert_eq!(program.value(&source), value);
    }
    let bare = format!("{}{}", "{".repeat(8_000), "}".repeat(8_000));
    for source in [sum(13_000), nested(13_000, "(", ")"), nested(8_000, "{", "}"), bare] {
        let answer = program.run(&format!("let y = 1;\n{source}"));
        let message = answer["message"].as_str().unwrap_or_default();
        assert!(message.contains("nested too deeply") && message.contains("(line 2, "), "{answer}");
    }
    let answer = program.run(&"{".repeat(8_000));
    assert_eq!(answer["message"], "`{` is not closed (line 1, column 8000)");
    assert_eq!(program.value("x + 1"), "42");
    program.end();
}

#[test]
fn libraries_of_the_same_name_elsewhere_are_not_taken() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("libroborm_toolkit.so"), "no library").unwrap();
    let mut program = Program::start_with(|command| {
        command.env("LD_LIBRARY_PATH", folder.path());
    });
    assert_eq!(program.value("let x = vec![41]; x[0] + 1"), "42");
    program.end();
}

#[test]
fn a_folder_that_is_no_toolkit() {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(toolkit().program("roborm-kernel"))
        .args(["engine", "--toolkit"])
        .arg(folder.path())
        .output()
        .unwrap();
    let line: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(line["ready"], json!(false));
    assert!(line["help"].as_str().unwrap().contains("cargo xtask kernel"), "{line}");
}
