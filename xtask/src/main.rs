//! `cargo xtask NAME`: installs what is missing (saying what and why), builds, and does the work.
//!
//! Standard library only, so that it compiles in a second and needs nothing else first.

mod setup;
mod shell;

use std::env;
use std::process::ExitCode;
use std::time::Instant;

use shell::{Result, cargo, note, program};

const HELP: &str = "\
cargo xtask NAME [arguments]

  demo [--out DIR]   build roborm and run the main job on the built-in rollouts
  test [FILTER]      build everything and run every test
  ci                 what .ci/run calls: format, lints, documentation, then the tests

Each installs by itself whatever system packages are missing.";

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    let name = arguments.next().unwrap_or_default();
    let rest: Vec<String> = arguments.collect();
    let done = match name.as_str() {
        "demo" => demo(&rest),
        "test" => test(&rest),
        "ci" => ci(),
        "" | "help" | "--help" | "-h" => {
            println!("{HELP}");
            Ok(())
        }
        other => Err(format!("unknown task '{other}'\n\n{HELP}")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

/// The main job on the built-in rollouts.
fn demo(arguments: &[String]) -> Result {
    setup::install(setup::BUILD)?;
    let start = Instant::now();
    build()?;
    note(&format!("built in {}", minutes(start)));
    let start = Instant::now();
    shell::run(program("roborm").arg("demo").args(arguments))?;
    note(&format!("the job itself took {:.1} s", start.elapsed().as_secs_f64()));
    Ok(())
}

/// Every test, by the profile that everything else uses, so that nothing is compiled twice.
fn test(arguments: &[String]) -> Result {
    setup::install(setup::BUILD)?;
    setup::install(setup::TEST)?;
    build()?;
    shell::run(cargo().args(["test", "--release", "--workspace", "--locked"]).args(arguments))
}

fn ci() -> Result {
    setup::install(setup::BUILD)?;
    shell::run(cargo().args(["fmt", "--all", "--check"]))?;
    shell::run(cargo().args([
        "clippy",
        "--release",
        "--workspace",
        "--all-targets",
        "--locked",
        "--",
        "-D",
        "warnings",
    ]))?;
    shell::run(
        cargo().args(["doc", "--release", "--workspace", "--no-deps", "--locked"]).env("RUSTDOCFLAGS", "-D warnings"),
    )?;
    test(&[])
}

fn build() -> Result {
    note("building roborm and its decoder (the first time takes minutes: most of it is polars)");
    shell::run(cargo().args(["build", "--release", "--locked"]))
}

fn minutes(start: Instant) -> String {
    let seconds = start.elapsed().as_secs();
    format!("{} min {:02} s", seconds / 60, seconds % 60)
}
