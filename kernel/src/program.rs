//! The command line.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use roborm_kernel::engine::{self, Error, Result};
use roborm_kernel::install::{self, Place, Plan};
use roborm_kernel::jupyter::{Connection, Handle, Kernel, Language};
use roborm_kernel::toolkit::Toolkit;

/// Rust notebooks for roborm: a Jupyter kernel.
#[derive(Parser)]
#[command(name = "roborm-kernel", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Make the kernel known to Jupyter: copies what it needs, so that the build folder is not needed afterwards
    Install {
        #[command(flatten)]
        place: Where,
        /// The name by which notebooks ask for it [default: roborm; with --plain roborm-plain]
        #[arg(long)]
        name: Option<String>,
        /// Put evcxr's own server, evcxr_jupyter, in front of the toolkit: no commands, and slower; to fall back on and to
        /// compare with
        #[arg(long)]
        plain: bool,
        /// The program evcxr_jupyter [default: the one on PATH]
        #[arg(long, value_name = "FILE", requires = "plain")]
        evcxr: Option<PathBuf>,
        /// The folder that cargo has built into (target/release) [default: that of this program]
        #[arg(long, value_name = "DIR")]
        build: Option<PathBuf>,
    },
    /// Remove a kernel that was installed, with all its files
    Uninstall {
        #[command(flatten)]
        place: Where,
        /// Its name
        #[arg(long, default_value = "roborm")]
        name: String,
    },
    /// Show the kernels that are installed, and whether they can run
    List,
    /// Be a kernel: what Jupyter starts
    Run {
        /// What the front has written: ports and key
        connection_file: PathBuf,
        /// The toolkit that cells are compiled against [default: that of the installation]
        #[arg(long, value_name = "DIR")]
        toolkit: Option<PathBuf>,
        /// Take a connection file without a key, or with an address that other machines reach: whoever reaches it can do
        /// all that you can
        #[arg(long)]
        trust_network: bool,
    },
    /// Become evcxr's own server on the toolkit: what Jupyter starts after `install --plain`
    #[command(hide = true)]
    Plain {
        /// evcxr_jupyter
        server: PathBuf,
        /// What the front has written
        connection_file: PathBuf,
    },
    /// Evaluate cells for a prompt: JSON lines on standard input and output
    Engine {
        /// What `roborm_kernel::engine::serve` reads by itself.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
        _arguments: Vec<String>,
    },
}

#[derive(Args)]
#[group(multiple = false)]
struct Where {
    /// For this user (the default)
    #[arg(long)]
    user: bool,
    /// Below DIR/share/jupyter
    #[arg(long, value_name = "DIR")]
    prefix: Option<PathBuf>,
    /// Into the Python that is active: a virtual environment
    #[arg(long)]
    sys_prefix: bool,
}

impl Where {
    fn place(self) -> Option<Place> {
        match self {
            Self { prefix: Some(folder), .. } => Some(Place::Prefix(folder)),
            Self { sys_prefix: true, .. } => Some(Place::Python),
            Self { user: true, .. } => Some(Place::User),
            Self { .. } => None,
        }
    }
}

/// The program.
pub fn main() -> ExitCode {
    let done = match Cli::parse().task {
        Task::Install { place, name, plain, evcxr, build } => {
            install(place.place().unwrap_or(Place::User), name, plain.then_some(evcxr), build)
        }
        Task::Uninstall { place, name } => install::uninstall(&name, place.place().as_ref())
            .map(|kernel| say(&format!("removed {}: {}", kernel.name, kernel.folder.display()))),
        Task::List => {
            list();
            Ok(())
        }
        Task::Run { connection_file, toolkit, trust_network } => run(&connection_file, toolkit, trust_network),
        Task::Plain { server, connection_file } => plain(&server, &connection_file),
        Task::Engine { .. } => return engine::serve::main(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error);
            ExitCode::FAILURE
        }
    }
}

/// `plain`: with evcxr's own server, which may be named.
fn install(place: Place, name: Option<String>, plain: Option<Option<PathBuf>>, build: Option<PathBuf>) -> Result<()> {
    let server = plain.map(install::server).transpose()?;
    let name = name.unwrap_or_else(|| if server.is_some() { "roborm-plain" } else { "roborm" }.to_owned());
    let prefix = match &place {
        Place::Prefix(folder) => std::path::absolute(folder).ok(),
        _ => None,
    };
    let build = match build {
        Some(build) => build,
        None => this_program()?.parent().map(Path::to_owned).unwrap_or_default(),
    };
    let plan = Plan { name, place, build, server };
    let kernel = install::install(&plan, &progress)?;
    say(&format!("installed {}: {}", kernel.name, kernel.folder.display()));
    if let Some(prefix) = prefix {
        let folder = prefix.join("share").join("jupyter");
        say(&format!("  Jupyter and the prompt find it where JUPYTER_PATH names {}", folder.display()));
    }
    Ok(())
}

fn list() {
    let kernels = install::list();
    if kernels.is_empty() {
        say("no kernel of roborm is installed; `roborm-kernel install` installs one");
    }
    for kernel in kernels {
        let state = match kernel.toolkit() {
            Ok(_) => "ready".to_owned(),
            Err(error) => match error.help() {
                Some(help) => format!("{error}\n  help: {help}"),
                None => error.to_string(),
            },
        };
        say(&format!("{}  {}  {state}", kernel.name, kernel.folder.display()));
    }
}

fn run(file: &Path, toolkit: Option<PathBuf>, trusting: bool) -> Result<()> {
    let connection = Connection::read(file, trusting)?;
    let folder = match toolkit {
        Some(folder) => folder,
        // It has this program in its bin/.
        None => this_program()?.ancestors().nth(2).map(Path::to_owned).unwrap_or_default(),
    };
    let toolkit = Toolkit::open(&folder);
    if let Err(error) = &toolkit {
        // For the log of the front; the notebook is told by its first cell.
        complain(error);
    }
    let kernel = Kernel::open(connection, Language::rust(toolkit))?;
    let (to_hear, to_watch) = (kernel.handle(), kernel.handle());
    std::thread::spawn(move || listen(&to_hear));
    std::thread::spawn(move || outlive_nobody(&to_watch));
    kernel.run();
    Ok(())
}

fn plain(server: &Path, connection: &Path) -> Result<()> {
    let folder = this_program()?.ancestors().nth(2).map(Path::to_owned).unwrap_or_default();
    match engine::plain::become_server(&Toolkit::open(&folder)?, server, connection)? {}
}

/// Hears the signals of the front and of the terminal: one to interrupt, others to end.
fn listen(handle: &Handle) {
    use tokio::signal::unix::{SignalKind, signal};
    // Without a runtime or a handler signals do what they always do.
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
    runtime.block_on(async {
        let (Ok(mut interrupt), Ok(mut end), Ok(mut hung_up)) =
            (signal(SignalKind::interrupt()), signal(SignalKind::terminate()), signal(SignalKind::hangup()))
        else {
            return;
        };
        loop {
            tokio::select! {
                _ = interrupt.recv() => handle.interrupt(),
                _ = end.recv() => handle.stop(),
                _ = hung_up.recv() => handle.stop(),
            }
        }
    });
}

/// Ends the kernel when the front that has started it is gone: one that was killed says no goodbye.
fn outlive_nobody(handle: &Handle) {
    // Set by Jupyter where the kernel is not to outlive it.
    if std::env::var("JPY_PARENT_PID").is_ok_and(|pid| pid.parse::<u32>().is_ok_and(|pid| pid > 0)) {
        let parent = std::os::unix::process::parent_id();
        while std::os::unix::process::parent_id() == parent {
            std::thread::sleep(Duration::from_secs(1));
        }
        handle.stop();
    }
}

fn this_program() -> Result<PathBuf> {
    std::env::current_exe().map_err(|error| Error::io("cannot tell where this program is", &error))
}

#[allow(clippy::print_stdout)]
fn say(line: &str) {
    println!("{line}");
}

/// A line on what is done: it may take a minute.
#[allow(clippy::print_stderr)]
fn progress(step: &str) {
    eprintln!("  {step} …");
}

#[allow(clippy::print_stderr)]
fn complain(error: &Error) {
    eprintln!("error: {error}");
    if let Some(help) = error.help() {
        eprintln!("  help: {help}");
    }
}
