//! The program as its users meet it: words in, text, JSON, files and an exit status out.

mod bench;
mod commands;
mod crash;
mod faults;
mod rollouts;
