//! The worker of local checkpoints: one process, started, asked and heard.
//!
//! Those who ask it stand above: reward models on this machine ([`crate::reward::local`]) and the similarity of wordings
//! ([`crate::paraphrase::SentenceModel`]).

use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use roborm_wire::local::{Ask, Check, Failed, Found, Load, PROTOCOL, Ready, Say, receive, send};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::program::Program;
use crate::{Error, Result};

/// The program.
pub(crate) const PROGRAM: Program = Program {
    file: "roborm-local",
    variable: "ROBORM_LOCAL",
    what: "the worker of local checkpoints",
    build: "build it with `cargo xtask libtorch` (540 MB are fetched once)",
};

/// A running worker.
pub(crate) struct Worker {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// Its standard error, for the last words of one that crashed.
    log: File,
    silence: Duration,
}

/// How the worker's threads wait for each other: asleep, unless the user's environment says otherwise.
///
/// Threads that spin at every barrier take the processor from the very thread that they wait for, wherever another program
/// runs beside: measured on two busy cores, three times the time and the processor time of those that sleep. The library
/// reads this when it is loaded: the worker itself would come too late.
fn wait_policy() -> OsString {
    env::var_os("OMP_WAIT_POLICY").filter(|policy| !policy.is_empty()).unwrap_or_else(|| "passive".into())
}

/// How a worker ended that the system, or somebody, has killed.
const KILLED: &str = "was killed (perhaps for want of memory)";

/// Why a conversation with a worker broke off.
#[derive(Debug)]
pub(crate) enum Broken {
    /// It said that it cannot, and goes on.
    Failed(Failed),
    /// It ended or hung: one line of how.
    Gone(String),
}

impl Worker {
    /// Starts one; it is taken to hang where it says nothing for so long.
    ///
    /// # Errors
    /// Where the program cannot be started.
    pub(crate) fn start(program: &Path, silence: Duration) -> Result<Self> {
        let cannot = |error: &std::io::Error| {
            Error::worker(format!("cannot start {}: {error}", program.display()))
                .with_help("is it a program for this machine, and whole? `roborm doctor` looks")
        };
        let log = tempfile::tempfile().map_err(|error| cannot(&error))?;
        let errors = log.try_clone().map_err(|error| cannot(&error))?;
        let mut child = Command::new(program)
            // No key leaves this process.
            .env_remove("OPENROUTER_API_KEY")
            .env_remove("ROBORM_API_KEY")
            .env("OMP_WAIT_POLICY", wait_policy())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(errors)
            // Ctrl-C in a terminal is for the study, which asks the worker for nothing more.
            .process_group(0)
            .spawn()
            .map_err(|error| cannot(&error))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Error::worker(format!("cannot speak to {}", program.display())));
        };
        Ok(Self { child, input, output: BufReader::new(output), log, silence })
    }

    /// What is installed.
    ///
    /// # Errors
    /// Where the worker ends, or is of another version.
    pub(crate) fn look(&mut self) -> Result<Found> {
        let mut found = None;
        let result = self.ask(&Ask::Look, &[], |say| {
            if let Say::Found(what) = say {
                found = Some(what);
            }
        });
        let found = match (result, found) {
            (Ok(()), Some(found)) => found,
            (Ok(()), None) => {
                return Err(Error::worker("the worker of local checkpoints did not answer what was asked"));
            }
            (Err(broken), _) => return Err(broken.into()),
        };
        if found.protocol != PROTOCOL {
            return Err(Error::worker(format!(
                "the worker of local checkpoints speaks protocol {} and this roborm {PROTOCOL}",
                found.protocol
            ))
            .with_help("build both from the same sources: `cargo xtask libtorch`"));
        }
        Ok(found)
    }

    /// Looks at everything of a checkpoint, and at every number of its weights where `numbers` says so.
    ///
    /// # Errors
    /// What is wrong with it, or that the worker is gone.
    pub(crate) fn check(&mut self, load: Load, numbers: bool) -> Result<Ready, Broken> {
        self.ready(&Ask::Check(Check { load, numbers }))
    }

    /// Loads a checkpoint.
    ///
    /// # Errors
    /// What the worker says, or that it is gone.
    pub(crate) fn load(&mut self, load: Load) -> Result<Ready, Broken> {
        self.ready(&Ask::Load(load))
    }

    fn ready(&mut self, ask: &Ask) -> Result<Ready, Broken> {
        let mut ready = None;
        self.ask(ask, &[], |say| {
            if let Say::Ready(what) = say {
                ready = Some(what);
            }
        })?;
        ready.ok_or_else(|| Broken::Gone("did not answer what was asked".into()))
    }

    /// Asks, and hands on all that is said until the end of the answer.
    ///
    /// # Errors
    /// What the worker says, or that it is gone.
    pub(crate) fn ask(&mut self, ask: &Ask, body: &[u8], mut hear: impl FnMut(Say)) -> Result<(), Broken> {
        if let Err(error) = send(&mut self.input, ask, body) {
            return Err(self.gone(&error.to_string()));
        }
        loop {
            if self.output.buffer().is_empty() && !self.speaks() {
                let _ = self.child.kill();
                return Err(Broken::Gone(format!("said nothing for {} s", self.silence.as_secs())));
            }
            let say = match receive::<Say>(&mut self.output) {
                Ok(Some((say, _))) => say,
                Ok(None) => return Err(self.gone("it ended")),
                Err(error) => return Err(self.gone(&error.to_string())),
            };
            match say {
                Say::Failed(failed) => return Err(Broken::Failed(failed)),
                last @ (Say::Found(_) | Say::Ready(_) | Say::Done { .. } | Say::Embedded { .. }) => {
                    hear(last);
                    return Ok(());
                }
                say => hear(say),
            }
        }
    }

    /// Waits until there is something to read, or the end of the pipe.
    fn speaks(&self) -> bool {
        let until = Instant::now() + self.silence;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let Ok(timeout) = Timespec::try_from(left) else { return true };
            let mut waiting = [PollFd::new(self.output.get_ref(), PollFlags::IN)];
            match poll(&mut waiting, Some(&timeout)) {
                Ok(0) if left.is_zero() => return false,
                Ok(0) | Err(rustix::io::Errno::INTR) => {}
                // What is wrong, the read finds out.
                _ => return true,
            }
        }
    }

    /// How it ended, with its last words where it left any.
    fn gone(&mut self, what: &str) -> Broken {
        let _ = self.child.kill();
        let how = match self.child.wait().ok().map(|status| (status.signal(), status.code())) {
            Some((Some(9), _)) => KILLED.to_owned(),
            Some((Some(7), _)) => {
                "ended by a bus error (a file of the checkpoint was cut short while in use)".to_owned()
            }
            Some((Some(signal), _)) => format!("ended by signal {signal}"),
            Some((None, Some(code))) => format!("ended with status {code}"),
            _ => what.to_owned(),
        };
        match self.last_words() {
            Some(words) => Broken::Gone(format!("{how}: {words}")),
            None => Broken::Gone(how),
        }
    }

    fn last_words(&mut self) -> Option<String> {
        let end = self.log.seek(SeekFrom::End(0)).ok()?;
        self.log.seek(SeekFrom::Start(end.saturating_sub(2000))).ok()?;
        let mut words = Vec::new();
        self.log.read_to_end(&mut words).ok()?;
        let words = String::from_utf8_lossy(&words).into_owned();
        words.lines().map(str::trim).rfind(|line| !line.is_empty()).map(str::to_owned)
    }
}

impl Drop for Worker {
    /// It keeps nothing that would be lost.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl From<Broken> for Error {
    fn from(broken: Broken) -> Self {
        match broken {
            Broken::Failed(Failed { message, help: Some(help), .. }) => Error::input(message).with_help(help),
            Broken::Failed(Failed { message, help: None, .. }) => Error::input(message),
            Broken::Gone(how) => {
                let killed = how.starts_with(KILLED);
                let error = Error::worker(format!("the worker of local checkpoints {how}"));
                match killed {
                    true => error.with_help("free memory, for example by ending other programs, and try again"),
                    false => error.with_help("`roborm doctor` says whether the worker itself starts"),
                }
            }
        }
    }
}
