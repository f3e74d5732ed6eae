//! Decodes video for roborm in a process of its own: started by roborm, spoken to over an inherited socket.

mod clip;
mod container;
mod decode;
mod limits;
mod memory;
mod nal;
mod open;
mod orientation;
mod picture;
mod plan;
mod service;

use std::io::IsTerminal;
use std::process::ExitCode;

fn main() -> ExitCode {
    // A person who types the name sees what it is, instead of a program that waits for messages that never come.
    if std::env::args_os().len() > 1 || std::io::stdin().is_terminal() {
        let about = concat!(
            "roborm-decoder ",
            env!("CARGO_PKG_VERSION"),
            ": decodes video for roborm, which starts it by itself"
        );
        let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("{about}\n").as_bytes());
        return ExitCode::from(2);
    }
    match service::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
