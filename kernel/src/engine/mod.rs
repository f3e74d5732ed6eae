//! The evaluator of cells: Rust by evcxr, commands natively, one world for both.
//!
//! ```text
//! cell ── Engine ──┬─ Rust ──── evcxr ── cargo front ── rustc ──► a shared object ─┐
//!                  │                                                               ▼
//!                  └─ :command ───────────── channel ──────────────────────────► child
//! Event ◄────────────────────────────────── channel, pipes ◄───────────────────────┘
//! ```
//!
//! The child is a program of its own, linked to the toolkit's shared library ([`crate::toolkit::Toolkit`]): it loads
//! what rustc makes of a cell, and runs commands on the very state that the prelude's `data()` and `scores()` return.

mod advice;
mod assistant;
mod bounds;
mod cell;
mod check;
mod command;
mod complete;
mod defined;
mod earlier;
mod edited;
mod error;
mod event;
mod fault;
pub mod front;
mod generated;
mod gone;
mod holes;
mod impls;
mod includes;
mod infer;
mod interrupt;
mod keywords;
mod loss;
mod names;
mod offers;
mod path;
mod places;
pub mod plain;
mod pump;
mod quoted;
mod receiver;
mod refused;
mod run;
mod rust;
mod scope;
mod section;
pub mod serve;
mod session;
mod spelling;
mod syntax;
mod text;
mod types;
mod warm;
pub(crate) mod watched;

pub use assistant::{Assistant, Completion, Completions, Inspection};
pub use complete::{Completeness, completeness};
pub use error::{Error, Result};
pub use event::{Bundle, Event, Failure, InputReply, Outcome};
pub(crate) use front::arguments;
pub(crate) use holes::types_in;
pub use interrupt::Interrupter;
pub use run::Engine;

/// Bytes of stack, of which little is ever touched, for a thread that reads cells, and for rustc. Parsers, the analysis of
/// types and the compiler call themselves for every bracket, every operator and every method of a chain.
pub const STACK: usize = 256 << 20;
