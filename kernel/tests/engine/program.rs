//! The evaluator as a program, spoken to in lines.

use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::bench::toolkit;

pub struct Program {
    child: Child,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Program {
    /// One that is ready.
    pub fn start() -> Self {
        Self::start_with(|_| {})
    }

    /// One that is ready, in surroundings of its own.
    pub fn start_with(set: impl FnOnce(&mut Command)) -> Self {
        let mut command = Command::new(toolkit().program("roborm-kernel"));
        command.arg("engine").stdin(Stdio::piped()).stdout(Stdio::piped());
        set(&mut command);
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut program = Self { child, input, lines };
        assert_eq!(program.next(), json!({ "ready": true }));
        program
    }

    /// Says a line.
    pub fn ask(&mut self, question: &Value) {
        writeln!(self.input, "{question}").unwrap();
    }

    /// The next line that it says.
    pub fn next(&mut self) -> Value {
        serde_json::from_str(&self.lines.next().unwrap().unwrap()).unwrap()
    }

    /// Runs a cell that shows nothing on its way: what becomes of it.
    pub fn run(&mut self, source: &str) -> Value {
        self.ask(&json!({ "ask": "run", "source": source }));
        self.next()
    }

    /// The value of a cell as plain text.
    pub fn value(&mut self, source: &str) -> String {
        let answer = self.run(source);
        let value = answer["value"]["data"]["text/plain"].as_str();
        value.unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    /// Ends it as nobody can hear.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Nobody asks any more.
    pub fn end(mut self) {
        drop(self.input);
        assert!(self.child.wait().unwrap().success());
    }
}
