//! The kernel as fronts see it: conversations held by a client that this project did not write (Python's
//! `jupyter_client`). A test that needs Python is skipped, saying so, where `cargo xtask test` has not set it up.

// A test says where it fails by failing there, and why it is skipped on standard error.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stderr)]

mod echo;
mod installed;
mod once;
mod protocol;
mod python;
