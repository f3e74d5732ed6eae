//! The evaluator as a program.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::bench::toolkit;

#[test]
fn lines_of_json_in_both_directions() {
    let mut program = Command::new(toolkit().program("roborm-kernel"))
        .arg("engine")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = program.stdin.take().unwrap();
    let mut lines = BufReader::new(program.stdout.take().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    assert_eq!(next(), json!({ "ready": true }));
    let mut ask = |question: Value| writeln!(input, "{question}").unwrap();
    ask(json!({ "id": 1, "ask": "run", "source": "println!(\"hi\"); 1 + 1" }));
    assert_eq!(next(), json!({ "event": "stdout", "text": "hi\n" }));
    let value = next();
    assert_eq!((&value["id"], &value["outcome"]), (&json!(1), &json!("done")));
    assert_eq!(value["value"]["data"]["text/plain"], "2");
    ask(json!({ "id": 2, "ask": "run", "source": "nothing" }));
    let value = next();
    assert_eq!((&value["outcome"], &value["name"]), (&json!("failed"), &json!("E0425")));
    ask(json!({ "id": 3, "ask": "completeness", "source": "f({" }));
    assert_eq!(next(), json!({ "id": 3, "completeness": "incomplete", "indent": "        " }));
    ask(json!({ "id": 4, "ask": "complete", "source": ":robu", "byte": 5 }));
    assert_eq!(next()["items"][0]["text"], ":robustness ");
    ask(json!({ "ask": "what" }));
    assert!(next()["error"].is_string());
    ask(json!({ "id": 5, "ask": "run", "source": "input(\"name? \")" }));
    assert_eq!(next(), json!({ "event": "input", "prompt": "name? ", "password": false }));
    ask(json!({ "ask": "line", "text": "Ada" }));
    assert_eq!(next()["value"]["data"]["text/plain"], "Some(\"Ada\")");
    drop(input);
    assert!(program.wait().unwrap().success());
}

#[test]
fn cells_that_are_deeply_nested() {
    let mut program = Command::new(toolkit().program("roborm-kernel"))
        .arg("engine")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = program.stdin.take().unwrap();
    let mut lines = BufReader::new(program.stdout.take().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    assert_eq!(next(), json!({ "ready": true }));
    let mut ask = |question: Value| writeln!(input, "{question}").unwrap();
    let sum = |terms: usize| vec!["1"; terms].join("+");
    let nested = |depth: usize, open: &str, close: &str| format!("{}1{}", open.repeat(depth), close.repeat(depth));
    ask(json!({ "ask": "run", "source": "let x = 41;" }));
    assert_eq!(next()["outcome"], "done");
    for (source, value) in [(sum(8000), "8000"), (nested(3000, "(", ")"), "1")] {
        ask(json!({ "ask": "run", "source": source }));
        let answer = next();
        assert_eq!(answer["value"]["data"]["text/plain"], value, "{answer}");
    }
    for source in [sum(13_000), nested(13_000, "(", ")")] {
        ask(json!({ "ask": "run", "source": format!("let y = 1;\n{source}") }));
        let answer = next();
        let message = answer["message"].as_str().unwrap_or_default();
        assert!(message.contains("nested too deeply") && message.contains("(line 2, "), "{answer}");
    }
    ask(json!({ "ask": "run", "source": "x + 1" }));
    assert_eq!(next()["value"]["data"]["text/plain"], "42");
    drop(input);
    assert!(program.wait().unwrap().success());
}

#[test]
fn libraries_of_the_same_name_elsewhere_are_not_taken() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("libroborm_toolkit.so"), "no library").unwrap();
    let mut program = Command::new(toolkit().program("roborm-kernel"))
        .arg("engine")
        .env("LD_LIBRARY_PATH", folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = program.stdin.take().unwrap();
    let mut lines = BufReader::new(program.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "{\"ready\":true}");
    writeln!(input, "{}", json!({ "ask": "run", "source": "let x = vec![41]; x[0] + 1" })).unwrap();
    let answer = lines.next().unwrap().unwrap();
    assert!(answer.contains("\"42\""), "{answer}");
    drop(input);
    assert!(program.wait().unwrap().success());
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
