//! The program as its users meet it: words in, text, JSON, files and an exit status out.

// Why a test is skipped is said on standard error.
#![allow(clippy::print_stderr)]

mod bench;
mod commands;
mod crash;
mod faults;
mod keys;
mod kill;
mod prices;
mod proxy;
mod rollouts;
mod server;
mod shards;
mod signals;
mod storm;
mod tables;
