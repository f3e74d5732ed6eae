//! The evaluator of cells, against a toolkit that is assembled out of this very build.

#![allow(missing_docs, clippy::unwrap_used)]

mod assist;
mod bench;
mod commands;
mod compiling;
mod dependencies;
mod ends;
mod errors;
mod network;
mod program;
mod serve;
mod streams;
mod values;
mod warm;
