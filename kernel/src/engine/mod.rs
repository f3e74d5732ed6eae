//! The evaluator of cells: Rust by evcxr, commands natively, one world for both.

mod event;

pub use event::{Bundle, Event, Failure, InputReply, Outcome};
