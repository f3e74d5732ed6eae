//! The Jupyter kernel: the protocol (5.5) in front of an evaluator.
//!
//! One thread runs the cells. Beside it stand a thread for each socket that takes requests, so that a kernel answers
//! before its evaluator is up and while a cell runs, and one for completion and inspection, which may think for a
//! moment. What all fronts see goes through one writer (`outlet`), so that order is exact. The source of the protocol is
//! <https://jupyter-client.readthedocs.io/en/stable/messaging.html>.

mod assistance;
mod connection;
mod control;
mod desk;
mod execution;
mod history;
mod language;
mod message;
mod outlet;
mod shell;
mod stdin;
mod zmtp;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

pub use connection::Connection;
pub use language::{Assist, Evaluate, Events, Language, Running};

use crate::engine::{Error, Result, STACK};
use assistance::Helper;
use desk::Desk;
use execution::Job;
use history::History;
use message::{Request, Scribe};
use outlet::Outlet;
use stdin::Stdin;
use zmtp::{Address, Identity, Publisher, Router};

/// How long a cell may take to stop when the kernel ends.
const FAREWELL: Duration = Duration::from_secs(3);

/// A kernel that listens.
pub struct Kernel {
    shared: Arc<Shared>,
    stopped: Receiver<()>,
    ended: Receiver<()>,
    shell: Router,
    control: Router,
}

/// Stops a kernel, or the cell that it runs, from elsewhere. Clones are for the same kernel.
#[derive(Clone)]
pub struct Handle(Arc<Shared>);

/// What the threads of a kernel share.
struct Shared {
    version: String,
    outlet: Outlet,
    stdin: Stdin,
    history: History,
    jobs: Sender<Job>,
    stop: Sender<()>,
    stopping: AtomicBool,
    interrupt: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

impl Kernel {
    /// Listens at the addresses of a connection file, and starts the evaluator.
    ///
    /// # Errors
    /// Where an address cannot be listened at, or the system gives no more threads. That the evaluator does not come up
    /// is no error: its reason is the answer to every cell.
    pub fn open(connection: Connection, language: Language) -> Result<Self> {
        let scribe = Arc::new(Scribe::new(connection.key.clone()));
        let (shell, shell_requests) = router(&connection.shell, &scribe)?;
        let (control, control_requests) = router(&connection.control, &scribe)?;
        let stdin = Stdin::bind(&connection.stdin, &scribe).map_err(taken(&connection.stdin))?;
        let host = Arc::clone(&scribe);
        let publisher = Publisher::bind(&connection.iopub, move |topic| outlet::welcome(&host, topic));
        let publisher = publisher.map_err(taken(&connection.iopub))?;
        zmtp::echo(&connection.heartbeat).map_err(taken(&connection.heartbeat))?;

        let outlet = Outlet::new(publisher, Arc::clone(&scribe));
        outlet.starting();
        let (jobs, to_do) = mpsc::channel();
        let (stop, stopped) = mpsc::channel();
        let Language { version, completeness, start } = language;
        let shared = Arc::new(Shared {
            version,
            outlet,
            stdin,
            history: History::default(),
            jobs,
            stop,
            stopping: AtomicBool::new(false),
            interrupt: OnceLock::new(),
        });
        let desk = Desk::new(shell.clone(), &scribe);
        let (end, ended) = mpsc::channel();
        let (cells, cells_desk) = (Arc::clone(&shared), desk.clone());
        let (helper, coming) = mpsc::channel();
        spawn("cells", move || {
            execution::work(&cells, &cells_desk, &to_do, start, helper);
            // Nobody waits where the kernel's end is not waited for.
            let _ = end.send(());
        })?;
        let (questions, asked) = mpsc::channel();
        let (at_help, help_desk, helper) = (Arc::clone(&shared), desk.clone(), Helper::new(coming));
        spawn("assistance", move || assistance::work(&at_help, &help_desk, &asked, completeness, helper))?;
        let at_shell = Arc::clone(&shared);
        spawn("shell", move || shell::work(&at_shell, &desk, &shell_requests, &questions))?;
        let (at_control, control_desk) = (Arc::clone(&shared), Desk::new(control.clone(), &scribe));
        spawn("control", move || control::work(&at_control, &control_desk, &control_requests))?;
        Ok(Self { shared, stopped, ended, shell, control })
    }

    /// Stops it, or its cell, from elsewhere.
    pub fn handle(&self) -> Handle {
        Handle(Arc::clone(&self.shared))
    }

    /// Answers until it is told to stop; a cell that does not stop then is left. The program is to end then: its sockets
    /// stay open until it does.
    pub fn run(self) {
        // Both ends when the threads are gone: there is nothing more to wait for then.
        if self.stopped.recv().is_ok() {
            let _ = self.ended.recv_timeout(FAREWELL);
        }
        let deadline = Instant::now() + Duration::from_secs(1);
        self.shared.outlet.flush(deadline);
        self.shell.flush(deadline);
        self.control.flush(deadline);
    }
}

impl Handle {
    /// Stops the cell that runs.
    pub fn interrupt(&self) {
        self.0.interrupt();
    }

    /// Ends the kernel.
    pub fn stop(&self) {
        self.0.stop();
    }
}

impl Shared {
    fn interrupt(&self) {
        self.stdin.give_up();
        if let Some(interrupt) = self.interrupt.get() {
            interrupt();
        }
    }

    fn stop(self: &Arc<Self>) {
        if self.stopping.swap(true, Ordering::AcqRel) {
            return;
        }
        self.interrupt();
        // Either end may be gone already: then nobody has to be told.
        let _ = self.jobs.send(Job::Stop);
        let _ = self.stop.send(());
    }
}

/// A socket that takes requests, and those that come in there with a right signature.
fn router(address: &Address, scribe: &Arc<Scribe>) -> Result<(Router, Receiver<(Identity, Request)>)> {
    let (send, requests) = mpsc::channel();
    let (scribe, place) = (Arc::clone(scribe), address.to_string());
    let handle = move |front, frames: zmtp::Frames| match scribe.read(&frames) {
        // The receiving thread lives as long as the program.
        Ok(request) => drop(send.send((front, request))),
        Err(unread) => log(&format!("{place}: dropped a message: {unread}")),
    };
    Ok((Router::bind(address, handle).map_err(taken(address))?, requests))
}

fn taken(address: &Address) -> impl Fn(std::io::Error) -> Error {
    move |error| {
        Error::io(format_args!("cannot listen at {address}"), &error)
            .with_help("another program has this port, the same kernel perhaps; restart it from the front")
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<()> {
    let thread = std::thread::Builder::new().name(name.to_owned()).stack_size(STACK).spawn(work);
    thread.map(drop).map_err(|error| Error::io("cannot start a thread", &error))
}

/// A line for whoever runs the front: its log is this program's standard error.
#[allow(clippy::print_stderr)]
fn log(line: &str) {
    eprintln!("roborm-kernel: {line}");
}
