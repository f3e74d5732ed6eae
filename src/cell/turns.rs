//! Text on two streams in the order in which it was printed.
//!
//! Two pipes do not tell which of them was written to first. So nothing is put into one while there is something in the
//! other: whoever prints looks there first, which costs next to nothing, and has the evaluator read it where it is not empty.
//! What was read before was told before. Looking at the pipe, and not at what this process did last, takes in what other
//! programs wrote that a cell has started, and what C has.

use std::io::{Read, Write};
use std::os::fd::RawFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Copies of both pipes, by the stream: the standard ones may be made something else by a cell.
static PIPES: [AtomicI32; 2] = [const { AtomicI32::new(-1) }; 2];

/// Where the evaluator is asked to read, and the process that asks there: a copy of it does not.
static READER: OnceLock<(Mutex<UnixStream>, u32)> = OnceLock::new();

/// These are the pipes.
pub(super) fn set_pipes(out: RawFd, err: RawFd) {
    for (place, pipe) in PIPES.iter().zip([out, err]) {
        place.store(pipe, Ordering::Relaxed);
    }
}

/// Whoever reads them is asked here.
pub(super) fn set_reader(stream: UnixStream) {
    // Set once, at the start of the one program that runs cells.
    let _ = READER.set((Mutex::new(stream), std::process::id()));
}

/// What Rust writes in the program that runs cells, whose `write` this is: after what was written to the other stream.
///
/// # Safety
/// As that of the C library: `buffer` has `count` bytes.
pub unsafe fn write(file: RawFd, buffer: *const u8, count: usize) -> isize {
    await_turn(file);
    // SAFETY: the caller's promise.
    let done = unsafe { libc::syscall(libc::SYS_write, file, buffer, count) };
    // It counts bytes that lie in memory, or is -1.
    done as isize
}

/// As [`write`], of several pieces.
///
/// # Safety
/// As that of the C library: `pieces` has `count` of them.
pub unsafe fn writev(file: RawFd, pieces: *const libc::iovec, count: i32) -> isize {
    await_turn(file);
    // SAFETY: the caller's promise.
    let done = unsafe { libc::syscall(libc::SYS_writev, file, pieces, count) };
    done as isize
}

fn await_turn(file: RawFd) {
    let other = match file {
        libc::STDOUT_FILENO => &PIPES[1],
        libc::STDERR_FILENO => &PIPES[0],
        _ => return,
    };
    let other = other.load(Ordering::Relaxed);
    if !is_waiting(other) {
        return;
    }
    read();
}

/// Before a program is started, or this one copied: neither waits for its turn, so all that was printed is read first.
pub(super) fn settle() {
    if PIPES.iter().any(|pipe| is_waiting(pipe.load(Ordering::Relaxed))) {
        read();
    }
}

/// What std starts programs by: after what the cell has printed on either stream.
///
/// # Safety
/// As that of the C library.
pub unsafe fn posix_spawnp(
    process: *mut libc::pid_t,
    file: *const libc::c_char,
    actions: *const libc::posix_spawn_file_actions_t,
    attributes: *const libc::posix_spawnattr_t,
    words: *const *mut libc::c_char,
    variables: *const *mut libc::c_char,
) -> i32 {
    type Real = unsafe extern "C" fn(
        *mut libc::pid_t,
        *const libc::c_char,
        *const libc::posix_spawn_file_actions_t,
        *const libc::posix_spawnattr_t,
        *const *mut libc::c_char,
        *const *mut libc::c_char,
    ) -> i32;
    settle();
    // SAFETY: the C library has a function of this name and of this signature.
    unsafe {
        let real = libc::dlsym(libc::RTLD_NEXT, c"posix_spawnp".as_ptr());
        if real.is_null() {
            return libc::ENOSYS;
        }
        std::mem::transmute::<*mut libc::c_void, Real>(real)(process, file, actions, attributes, words, variables)
    }
}

fn is_waiting(pipe: RawFd) -> bool {
    let mut waiting: libc::c_int = 0;
    // SAFETY: it writes a number to where one is.
    pipe >= 0 && unsafe { libc::ioctl(pipe, libc::FIONREAD, &raw mut waiting) } == 0 && waiting > 0
}

/// Has the evaluator read both pipes.
fn read() {
    if let Some((stream, process)) = READER.get()
        && *process == std::process::id()
    {
        let mut stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
        // Where nobody reads any more, there is no order to keep.
        let _ = stream.write_all(&[0]).and_then(|()| stream.read_exact(&mut [0]));
    }
}

/// Standard output goes to its pipe, as far as it was written. It is held back to the end of a line otherwise, and what is
/// printed on standard error in between would come first.
pub fn flush_out() {
    // Nobody is left to be told where the pipe is gone.
    let _ = std::io::stdout().flush();
}

/// C holds standard output back to the end of a line as Rust does, and not for as long as it is no terminal.
pub(super) fn have_c_print_lines() {
    unsafe extern "C" {
        static stdout: *mut libc::FILE;
    }
    // SAFETY: the stream is the C library's own, and nothing was written to it yet.
    unsafe { libc::setvbuf(stdout, std::ptr::null_mut(), libc::_IOLBF, 0) };
}
