//! The program that runs cells.

use std::env;
use std::ffi::{CStr, CString, c_void};
use std::fmt::Display;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use roborm_wire::cell::{Done, Event, FUNCTION, Failed, KEPT, Reply, Role, SOCKET, STREAMS, Work};
use roborm_wire::{receive, send};
use rustix::event::{PollFd, PollFlags, poll};

use super::interrupt::Interrupted;
use super::store::{VariableStore, create_variable_store};
use super::{interrupt, link, questions, state, streams, turns, width, work};
use crate::study::Cancel;

/// What evcxr is told on. Its own code prints these lines to standard output, which a cell's own output would garble.
static EVCXR: OnceLock<Mutex<File>> = OnceLock::new();

/// The number of the process, which a copy of it has not.
static PROCESS: AtomicU32 = AtomicU32::new(0);

const COMPLETE: &str = "EVCXR_EXECUTION_COMPLETE";
const PANICKED: &str = "EVCXR_PANIC_NOTIFICATION";

/// The main function of the program that runs cells: `fn main() -> ExitCode { roborm::cell::run() }`.
///
/// It obeys two masters: evcxr, on what were its standard streams, has it load cells; the evaluator, on a connection of
/// its own, has it run commands. It ends when either is gone.
pub fn run() -> ExitCode {
    match set_up().and_then(|(evcxr, work)| serve(evcxr, work)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            work::complain(&format!("error: the process that runs cells: {error}"));
            ExitCode::from(99)
        }
    }
}

fn set_up() -> io::Result<(File, UnixStream)> {
    PROCESS.store(std::process::id(), Ordering::Relaxed);
    let path = |name: &str| {
        env::var_os(name)
            .map(PathBuf::from)
            .ok_or_else(|| io::Error::other(format!("{name} is not set: this program is started by roborm-kernel")))
    };
    let (socket, pipes, kept) = (path(SOCKET)?, path(STREAMS)?, path(KEPT)?);
    for name in [SOCKET, STREAMS, KEPT, "EVCXR_IS_RUNTIME", "RUST_BACKTRACE"] {
        // SAFETY: there is no other thread yet.
        unsafe { env::remove_var(name) };
    }
    let evcxr = streams::take(&pipes)?;
    turns::set_reader(link::connect(&socket, Role::Streams)?);
    link::set_events(link::connect(&socket, Role::Events)?);
    let work = link::connect(&socket, Role::Work)?;
    let asked = link::connect(&socket, Role::Questions)?;
    std::thread::Builder::new().name("roborm-questions".to_owned()).spawn(move || questions::answer_all(asked))?;
    // What asks a server by TLS in a cell finds the cryptography that the programs use: of itself it would find none.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let _ = EVCXR.set(Mutex::new(evcxr.answers));
    catch_panics();
    interrupt::catch();
    if let Err(error) = state::keep_in(kept) {
        work::complain(&format!("note: what was open is not open any more: {error}"));
    }
    Ok((evcxr.commands, work))
}

fn serve(mut evcxr: File, mut channel: UnixStream) -> io::Result<()> {
    let store = create_variable_store();
    let mut lines = Vec::new();
    loop {
        let mut ready = [PollFd::new(&evcxr, PollFlags::IN), PollFd::new(&channel, PollFlags::IN)];
        match poll(&mut ready, None) {
            Err(rustix::io::Errno::INTR) => continue,
            other => other?,
        };
        let [from_evcxr, from_channel] = [!ready[0].revents().is_empty(), !ready[1].revents().is_empty()];
        if from_channel {
            let Some(wanted) = receive::<Work>(&mut channel)? else { return Ok(()) };
            if wanted.line.is_empty() {
                // SAFETY: as below.
                unsafe { &mut *store }.outdate(wanted.outdated);
                send(&mut channel, &Done::Ended { status: 0 })?;
                continue;
            }
            width::set(wanted.columns);
            // SAFETY: made by this function, and only this thread, which runs no cell now, touches it.
            let done = work::run(&wanted, unsafe { &*store });
            over(store);
            send(&mut channel, &done)?;
        }
        if from_evcxr {
            let mut piece = [0; 4096];
            let got = evcxr.read(&mut piece)?;
            if got == 0 {
                return Ok(());
            }
            lines.extend_from_slice(&piece[..got]);
            while let Some(end) = lines.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = lines.drain(..=end).collect();
                obey(String::from_utf8_lossy(&line).trim_end(), store)?;
            }
        }
    }
}

/// One line of evcxr: `LOAD_AND_RUN PATH FUNCTION`.
fn obey(line: &str, store: *mut VariableStore) -> io::Result<()> {
    let unknown = || io::Error::other(format!("evcxr said `{line}`"));
    let (path, function) =
        line.strip_prefix("LOAD_AND_RUN ").and_then(|rest| rest.rsplit_once(' ')).ok_or_else(unknown)?;
    let cell = match load(Path::new(path), function) {
        Ok(cell) => cell,
        Err(error) => {
            // A function is declared (`unsafe extern "C"`) that no library has.
            let message = error.to_string();
            let message = message.split_once(".so: ").map_or(message.as_str(), |(_, why)| why).to_owned();
            let help = "what a cell declares as extern must be in a library that the process has".to_owned();
            return not_run(Failed::Error { message, help: Some(help), place: None });
        }
    };
    match link::tell(&Event::Begin) {
        Some(Reply::Stop) => return not_run(Failed::Interrupted),
        Some(Reply::Begin { columns }) => width::set(columns),
        _ => {}
    }
    let cancel = Cancel::new();
    interrupt::begin(&cancel);
    {
        let _runtime = interrupt::enter();
        link::set_runs(true);
        // SAFETY: evcxr compiled it for this signature; a cell that needs no store passes the pointer through.
        unsafe { cell(store.cast()) };
        link::set_runs(false);
    }
    if std::process::id() != PROCESS.load(Ordering::Relaxed) {
        // The cell has forked, and did not end the copy of this process: there is nobody for it to go on with.
        streams::flush();
        // SAFETY: what is registered to be done at the end is the original's to do.
        unsafe { libc::_exit(0) };
    }
    if link::was_cut() {
        // Whatever it came to without its line.
        link::tell(&Event::Failed(Failed::Interrupted));
    }
    interrupt::end();
    over(store);
    tell_evcxr(COMPLETE);
    Ok(())
}

/// To evcxr, a cell that did not run is one that panicked: variables are as they were.
fn not_run(failed: Failed) -> io::Result<()> {
    link::tell(&Event::Failed(failed));
    tell_evcxr(PANICKED);
    tell_evcxr(COMPLETE);
    Ok(())
}

/// What ran is over: everything printed is in the pipes, and the evaluator has read it.
fn over(store: *mut VariableStore) {
    state::save();
    // SAFETY: made by `serve`, and only its thread, which runs no cell now, touches it.
    let tables = unsafe { &*store }.tables();
    link::tell(&Event::Over { tables });
}

type Cell = unsafe extern "C" fn(*mut c_void) -> *mut c_void;

/// Loads a cell. It stays: variables may have code of it.
fn load(path: &Path, function: &str) -> io::Result<Cell> {
    let text = |text: &[u8]| CString::new(text).map_err(io::Error::other);
    let path = text(path.as_os_str().as_encoded_bytes())?;
    let names = [text(function.as_bytes())?, text(FUNCTION.as_bytes())?];
    // SAFETY: the strings live; what the library runs when it is loaded is the user's own code.
    let (cell, refused) = unsafe {
        let library = libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL);
        let find = |name: &CString| libc::dlsym(library, name.as_ptr());
        let cell = match library.is_null() {
            true => library,
            // The last of the names has the last word on why there is none.
            false => names.iter().rev().map(find).find(|cell| !cell.is_null()).unwrap_or(std::ptr::null_mut()),
        };
        (cell, if cell.is_null() { Some(libc::dlerror()) } else { None })
    };
    match refused {
        // SAFETY: a function of that name is what evcxr has just compiled into the library.
        None => Ok(unsafe { std::mem::transmute::<*mut c_void, Cell>(cell) }),
        Some(why) if !why.is_null() => {
            // SAFETY: the string lasts until the next call.
            Err(io::Error::other(unsafe { CStr::from_ptr(why) }.to_string_lossy().into_owned()))
        }
        Some(_) => Err(io::Error::other("the cell cannot be loaded")),
    }
}

/// Says a line to evcxr.
pub(super) fn tell_evcxr(line: &str) {
    if let Some(evcxr) = EVCXR.get() {
        // Where evcxr is gone, this process is about to be.
        let _ = writeln!(evcxr.lock().unwrap_or_else(PoisonError::into_inner), "{line}");
    }
}

/// The last panic of the thread that runs cells, told when evcxr has caught it: a cell may catch its own.
static PANIC: Mutex<Option<Failed>> = Mutex::new(None);

fn catch_panics() {
    let cells = std::thread::current().id();
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if std::thread::current().id() != cells {
            return before(info);
        }
        let message = bounded(info.payload_as_str().unwrap_or("a panic without a message").to_owned());
        let place = info.location().map(|at| (at.file().to_owned(), at.line(), at.column()));
        *PANIC.lock().unwrap_or_else(PoisonError::into_inner) = Some(Failed::Panic { message, place });
    }));
}

/// Compiled into cells in the place of evcxr's notice: the cell's code has panicked.
pub fn panicked(payload: &(dyn std::any::Any + Send)) {
    let told = PANIC.lock().unwrap_or_else(PoisonError::into_inner).take();
    let failed = if payload.is::<Interrupted>() || link::was_cut() {
        Failed::Interrupted
    } else {
        told.unwrap_or(Failed::Panic { message: "a panic that was passed on".to_owned(), place: None })
    };
    link::tell(&Event::Failed(failed));
    tell_evcxr(PANICKED);
}

/// Compiled into cells in the place of evcxr's notice: `?` has passed an error on.
#[track_caller]
pub fn failed<E: Display>(error: &E) {
    let own = super::display::type_id::<E>() == std::any::TypeId::of::<crate::Error>();
    // SAFETY: the identifier says what is there.
    let own = own.then(|| unsafe { &*std::ptr::from_ref(error).cast::<crate::Error>() });
    fail(error.to_string(), own, std::panic::Location::caller());
}

/// What `?` at the top level of a cell makes of an error, in the place of a type of this name that evcxr writes into every
/// cell: to the compiler, its `From` costs a look at every `From` that there is.
pub struct EvcxrUserCodeError {}

impl<E: Display> From<E> for EvcxrUserCodeError {
    #[track_caller]
    fn from(error: E) -> Self {
        failed(&error);
        Self {}
    }
}

fn fail(message: String, own: Option<&crate::Error>, at: &std::panic::Location<'_>) {
    let failed = match own {
        Some(error) if error.is_interrupted() => Failed::Interrupted,
        _ if link::was_cut() => Failed::Interrupted,
        own => Failed::Error {
            message: bounded(message),
            help: own.and_then(crate::Error::help).map(str::to_owned),
            place: Some((at.file().to_owned(), at.line(), at.column())),
        },
    };
    link::tell(&Event::Failed(failed));
    tell_evcxr(super::store::USER_ERROR_OCCURRED);
}

/// Bytes of a message: more than anybody reads.
const LONGEST: usize = 1 << 16;

/// The message, or its two ends.
fn bounded(message: String) -> String {
    if message.len() <= LONGEST {
        return message;
    }
    let near = |at: usize| (0..=at).rev().find(|at| message.is_char_boundary(*at)).unwrap_or(0);
    let (head, tail) = (&message[..near(LONGEST / 2)], &message[near(message.len() - LONGEST / 2)..]);
    let left_out = message.len() - head.len() - tail.len();
    format!("{head}\n… {left_out} bytes …\n{tail}")
}
