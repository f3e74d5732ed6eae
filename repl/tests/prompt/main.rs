//! The prompt in a terminal, and lines without one.

// Why a test is skipped is said on standard error.
#![allow(clippy::print_stderr)]

#[path = "../cli/bench.rs"]
#[allow(dead_code)]
mod bench;
mod charts;
mod completion;
mod edge;
mod engine;
mod lines;
mod screen;
mod session;
mod surroundings;
mod typing;
mod verdicts;
