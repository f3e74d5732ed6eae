//! What roborm and its decoder say to each other.
//!
//! The decoder is a process of its own, so that a hostile file can take down nothing but that process. It inherits two
//! descriptors: 0 is a socket for messages in both directions ([`send`], [`receive`]), 1 is a memory file it writes
//! pixels into. The parent has sealed that file against shrinking before it starts the worker, so that it can map it
//! without fear: what lies behind a file's end is a signal to whoever reads it.
//!
//! ```text
//! parent                          worker
//!                                 Hello
//! Configure
//! Index {file}                    Index
//! Decode {file, wanted}           Picture … Picture   (at most SLOTS of them unreleased)
//! Release … Release               Done
//! any of them                     Failed
//! ```

pub mod cell;
mod framing;
mod json;
pub mod local;
mod message;
mod parent;

pub use framing::{LONGEST, receive, send};
pub use json::no_json;
pub use message::{Configure, Failure, File, Hello, Index, PROTOCOL, Picture, Reply, Request, SLOTS, Stamp};
pub use parent::end_with_parent;
