//! `cargo xtask NAME`: installs what is missing (saying what and why), builds, and does the work.
//!
//! Standard library only, so that it compiles in a second and needs nothing else first.

mod libtorch;
mod python;
mod setup;
mod shell;

use std::env;
use std::process::{Command, ExitCode};
use std::time::Instant;

use shell::{Result, cargo, note, program};

const HELP: &str = "\
cargo xtask NAME [arguments]

  demo [--out DIR]   build roborm and run the main job on the built-in rollouts
  test [FILTER]      build everything and run every test
  kernel [arguments] build the Jupyter kernel and install it for this user (roborm-kernel install --help)
  stub [arguments]   a server on loopback that answers like OpenRouter, faults included (stub --help)
  libtorch           fetch libtorch (CPU) and build the worker for local checkpoints
  ci                 what .ci/run calls: format, lints, documentation, the demo, the tests, with libtorch and without

Each installs by itself whatever system packages are missing.";

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    let name = arguments.next().unwrap_or_default();
    let rest: Vec<String> = arguments.collect();
    let done = match name.as_str() {
        "demo" => demo(&rest),
        "test" => test(&rest),
        "kernel" => kernel(&rest),
        "stub" => stub(&rest),
        "libtorch" => setup::install(setup::LIBTORCH).and_then(|()| libtorch::libtorch(&libtorch::folder())),
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
    python::environment()?;
    build()?;
    note("building the Jupyter kernel");
    build_kernel()?;
    shell::run(cargo().args(["test", "--release", "--workspace", "--locked"]).args(arguments))
}

/// The Jupyter kernel, installed.
fn kernel(arguments: &[String]) -> Result {
    setup::install(setup::BUILD)?;
    let start = Instant::now();
    note("building the Jupyter kernel (the first time takes minutes: rust-analyzer's parser and analysis are inside)");
    build_kernel()?;
    note(&format!("built in {}", minutes(start)));
    shell::run(program("roborm-kernel").arg("install").args(arguments))?;
    if shell::succeeds(Command::new("jupyter").arg("--version")) {
        note("start `jupyter lab notebooks/01-first-look.ipynb` and run its cells");
    } else {
        note("for notebooks: `pip install jupyterlab`, then `jupyter lab notebooks/01-first-look.ipynb`");
    }
    Ok(())
}

fn stub(arguments: &[String]) -> Result {
    setup::install(setup::BUILD)?;
    shell::run(cargo().args(["build", "--release", "--locked", "--package", "roborm-stub"]))?;
    shell::run(program("roborm-stub").args(arguments))
}

fn ci() -> Result {
    setup::install(setup::BUILD)?;
    shell::run(cargo().args(["fmt", "--all", "--check"]))?;
    let lints = ["clippy", "--release", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"];
    shell::run(cargo().args(lints))?;
    // The program is named like the library: its page would take the library's place.
    let docs = ["doc", "--release", "--workspace", "--exclude", "roborm-repl", "--no-deps", "--locked"];
    shell::run(cargo().args(docs).env("RUSTDOCFLAGS", "-D warnings"))?;
    let out = shell::target().join("ci-demo");
    demo(&["--out".to_owned(), out.display().to_string()])?;
    setup::install(setup::LIBTORCH)?;
    libtorch::test(&libtorch::folder())?;
    test(&[])
}

fn build() -> Result {
    note("building roborm and its decoder (the first time takes minutes: most of it is polars)");
    shell::run(cargo().args(["build", "--release", "--locked"]))
}

/// The kernel, with the packages of the first build in the same selection: one choice of features, so that nothing that
/// was compiled for the programs is compiled again.
fn build_kernel() -> Result {
    let packages = ["roborm", "roborm-decoder", "roborm-repl", "roborm-kernel", "roborm-toolkit"];
    let packages = packages.iter().flat_map(|package| ["-p", package]);
    shell::run(cargo().args(["build", "--release", "--locked"]).args(packages))
}

fn minutes(start: Instant) -> String {
    let seconds = start.elapsed().as_secs();
    format!("{} min {:02} s", seconds / 60, seconds % 60)
}
