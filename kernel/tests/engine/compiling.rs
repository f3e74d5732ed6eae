//! Cells that are interrupted, or deserted, while rustc is at work on them. A pipe that a cell includes holds rustc for as
//! long as the test has it open for writing; and whoever opens it for that waits until rustc reads.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat};
use serde_json::json;

use crate::bench::{Bench, text};
use crate::program::Program;

/// A pipe, and a cell that includes it.
fn held(folder: &Path) -> (PathBuf, String) {
    let pipe = folder.join("pipe");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let cell = format!("include_str!({:?}).len()", pipe.display().to_string());
    (pipe, cell)
}

/// Waits until rustc reads the pipe.
fn until_read(pipe: &Path) -> File {
    OpenOptions::new().write(true).custom_flags(OFlags::CLOEXEC.bits().cast_signed()).open(pipe).unwrap()
}

/// Waits until nobody reads it any more.
fn until_left(pipe: &File) {
    let mut ready = [PollFd::new(pipe, PollFlags::empty())];
    let patience = Timespec { tv_sec: 120, tv_nsec: 0 };
    assert_eq!(poll(&mut ready, Some(&patience)).unwrap(), 1, "rustc goes on");
}

#[test]
fn an_interrupt_ends_the_compiler() {
    let folder = tempfile::tempdir().unwrap();
    let (pipe, cell) = held(folder.path());
    let mut bench = Bench::new();
    bench.value("let x = 41;");
    // What is bound has a type that rustc is asked for; what has an attribute of the whole is not for the rustc that waits.
    for cell in [cell.clone(), format!("let n = {cell};"), format!("#![allow(unused)]\n{cell}")] {
        let interrupter = bench.engine.interrupter();
        let failure = std::thread::scope(|scope| {
            let held = scope.spawn(|| {
                let held = until_read(&pipe);
                interrupter.interrupt();
                held
            });
            let failure = bench.failure(&cell);
            until_left(&held.join().unwrap());
            failure
        });
        assert_eq!(failure.name, "Interrupted", "{cell}: {}", text(&failure));
        assert!(failure.message.contains("while it was compiled"), "{cell}: {}", failure.message);
        assert_eq!(bench.value("x + 1"), "42", "{cell}");
    }
}

#[test]
fn no_compiler_outlives_its_evaluator() {
    for attribute in ["", "#![allow(unused)]\n"] {
        let folder = tempfile::tempdir().unwrap();
        let (pipe, cell) = held(folder.path());
        let mut program = Program::start();
        program.ask(&json!({ "ask": "run", "source": format!("{attribute}{cell}") }));
        let held = until_read(&pipe);
        program.kill();
        until_left(&held);
    }
}

#[test]
fn what_is_too_much_is_told_before_it_is_read() {
    let mut bench = Bench::new();
    let numbers = "0,".repeat(2_000_000);
    for (cell, words) in [
        (format!("let a = vec![{numbers}]; a.len()"), "more than 500000 words and signs"),
        ("(".repeat(200_000), "nested too deeply"),
        (format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000)), "nested too deeply"),
        (format!("0{}", "+1".repeat(100_000)), "nested too deeply"),
    ] {
        let said = text(&bench.failure(&cell));
        assert!(said.contains(words) && said.contains("help: "), "{said}");
        assert!(said.len() < 2000, "{}", said.len());
    }
    assert_eq!(bench.value("1 + 1"), "2");
}
