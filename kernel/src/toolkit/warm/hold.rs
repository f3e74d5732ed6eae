//! Holds a rustc at the door of a cell, and lets copies of it in.
//!
//! Half of what a small cell costs rustc comes before the cell: it starts, and reads what three hundred crates have to say.
//! This library is loaded into a rustc (`LD_PRELOAD`) that is given a file which names those crates and then includes the
//! cell. Where rustc opens the cell, it is held. Each connection to a socket makes a copy of the process (fork), which goes
//! on with the cell as it is then, and reports to that connection as to its standard error: first, in four bytes, the number
//! of its process, which leads a group of its own, so that whoever asked can end it with the linker that it starts. The process itself compiles
//! nothing; it ends when its standard input does.
//!
//! A copy has one thread, the one that opened the cell: rustc's main thread waits for that one and does nothing more, and
//! the threads that that one starts before it comes here (rustc's own waits for leave to use more processors) are
//! started in the copies instead. Nothing else of the C library is touched. Where anything goes wrong, whoever asks finds
//! no library of the cell, and calls rustc as anybody does.
//!
//! Compiled on its own, without the standard library: it must not bring a second one into rustc.

#![no_std]

use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char, c_int, c_long, c_short, c_uint, c_void};
use core::mem::transmute;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

type Thread = usize;
type Start = extern "C" fn(*mut c_void) -> *mut c_void;

#[repr(C)]
struct Poll {
    file: c_int,
    events: c_short,
    found: c_short,
}

#[repr(C)]
struct Address {
    family: u16,
    path: [u8; 108],
}

#[link(name = "c")]
unsafe extern "C" {
    fn syscall(number: c_long, ...) -> c_long;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn getenv(name: *const c_char) -> *const c_char;
    fn unsetenv(name: *const c_char) -> c_int;
    fn strcmp(one: *const c_char, other: *const c_char) -> c_int;
    fn socket(domain: c_int, kind: c_int, protocol: c_int) -> c_int;
    fn bind(socket: c_int, address: *const Address, length: c_uint) -> c_int;
    fn listen(socket: c_int, backlog: c_int) -> c_int;
    fn accept(socket: c_int, address: *mut Address, length: *mut c_uint) -> c_int;
    fn poll(polls: *mut Poll, count: usize, timeout: c_int) -> c_int;
    fn fork() -> c_int;
    fn dup2(old: c_int, new: c_int) -> c_int;
    fn close(file: c_int) -> c_int;
    fn getpid() -> c_int;
    fn setpgid(process: c_int, group: c_int) -> c_int;
    fn write(file: c_int, bytes: *const c_void, count: usize) -> isize;
    fn gettid() -> c_int;
    fn _exit(status: c_int) -> !;
    fn signal(number: c_int, handler: usize) -> usize;
    fn pthread_attr_init(attributes: *mut [u64; 8]) -> c_int;
    fn pthread_attr_setstacksize(attributes: *mut [u64; 8], size: usize) -> c_int;
    fn pthread_attr_getstacksize(attributes: *const c_void, size: *mut usize) -> c_int;
}

#[cfg(target_arch = "x86_64")]
const OPENAT: c_long = 257;
#[cfg(not(target_arch = "x86_64"))]
const OPENAT: c_long = 56;
const HERE: c_int = -100;
const CLOSE_ON_EXEC: c_int = 0o2_000_000;
const CHILD_ENDED: c_int = 17;
const BY_DEFAULT: usize = 0;
const IGNORED: usize = 1;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    // SAFETY: it takes no pointer.
    unsafe { _exit(101) }
}

/// The cell was opened: this is a copy, or something went wrong.
static OPENED: AtomicBool = AtomicBool::new(false);

/// A file is opened; the C library's function by this name.
///
/// # Safety
/// As of the C library's: `path` is a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn open64(path: *const c_char, flags: c_int, mode: c_uint) -> c_int {
    // SAFETY: strings are strings.
    unsafe {
        if !OPENED.load(Ordering::Relaxed) {
            let cell = getenv(c"ROBORM_WARM_CELL".as_ptr());
            if !cell.is_null() && strcmp(path, cell) == 0 {
                OPENED.store(true, Ordering::Relaxed);
                hold();
            }
        }
        syscall(OPENAT, HERE, path, flags, mode) as c_int
    }
}

/// Makes a copy for each connection, and returns in the copies.
unsafe fn hold() {
    // SAFETY: all pointers are to what lives here or for ever; the process has no other thread that runs.
    unsafe {
        let name = getenv(c"ROBORM_WARM_SOCKET".as_ptr());
        if name.is_null() {
            return;
        }
        let mut address = Address { family: 1, path: [0; 108] };
        for (to, from) in address.path.iter_mut().zip(CStr::from_ptr(name).to_bytes()) {
            *to = *from;
        }
        unsetenv(c"LD_PRELOAD".as_ptr());
        let door = socket(1, 1 | CLOSE_ON_EXEC, 0);
        if door < 0 || bind(door, &address, size_of::<Address>() as c_uint) != 0 || listen(door, 8) != 0 {
            _exit(102);
        }
        signal(CHILD_ENDED, IGNORED);
        loop {
            let mut polls = [Poll { file: door, events: 1, found: 0 }, Poll { file: 0, events: 1, found: 0 }];
            if poll(polls.as_mut_ptr(), 2, -1) < 0 {
                continue;
            }
            if polls[1].found != 0 {
                _exit(0);
            }
            let asked = accept(door, null_mut(), null_mut());
            if asked < 0 {
                continue;
            }
            let copy = fork();
            if copy == 0 {
                signal(CHILD_ENDED, BY_DEFAULT);
                dup2(asked, 2);
                close(asked);
                close(door);
                setpgid(0, 0);
                let number = getpid();
                if write(2, (&raw const number).cast(), size_of::<c_int>()) != size_of::<c_int>() as isize {
                    _exit(104);
                }
                start_threads();
                return;
            }
            close(asked);
        }
    }
}

/// A thread as it was asked for.
#[derive(Clone, Copy)]
struct Later {
    /// What it is to run, where it is started in the copies only.
    start: Option<Start>,
    argument: *mut c_void,
    stack: usize,
    /// What it is in this copy; of one that was started at once, what it runs.
    thread: usize,
}

/// More than rustc starts.
const MOST: usize = 8;

struct Shared(UnsafeCell<[Later; MOST]>);

// SAFETY: rustc's main thread writes, then waits for the one thread that comes to the door, which writes and reads.
unsafe impl Sync for Shared {}

const NO: Later = Later { start: None, argument: null_mut(), stack: 0, thread: 0 };
static LATER: Shared = Shared(UnsafeCell::new([NO; MOST]));
static COUNT: AtomicUsize = AtomicUsize::new(0);
/// What is told of such a thread to whoever started it: this, and its number.
const FIRST: Thread = 0x10;

type Create = unsafe extern "C" fn(*mut Thread, *const c_void, Start, *mut c_void) -> c_int;
type Join = unsafe extern "C" fn(Thread, *mut *mut c_void) -> c_int;
type Kill = unsafe extern "C" fn(Thread, c_int) -> c_int;
type Detach = unsafe extern "C" fn(Thread) -> c_int;

/// The C library's own function.
unsafe fn own(name: &CStr) -> *mut c_void {
    // SAFETY: the name is a string; the library is the next after this one.
    unsafe { dlsym(usize::MAX as *mut c_void, name.as_ptr()) }
}

/// A thread is started; the C library's function by this name.
///
/// # Safety
/// As of the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_create(
    thread: *mut Thread,
    attributes: *const c_void,
    start: Start,
    argument: *mut c_void,
) -> c_int {
    // SAFETY: arguments are passed on as they came, or kept as the C library would keep them.
    unsafe {
        let count = COUNT.load(Ordering::Relaxed);
        let create = transmute::<*mut c_void, Create>(own(c"pthread_create"));
        if OPENED.load(Ordering::Relaxed) || count == MOST {
            return create(thread, attributes, start, argument);
        }
        let mut later = Later { start: Some(start), argument, stack: 0, thread: 0 };
        COUNT.store(count + 1, Ordering::Relaxed);
        let place = (*LATER.0.get()).as_mut_ptr().add(count);
        if getpid() == gettid() {
            // One that rustc's main thread waits for.
            later.start = None;
            later.thread = start as usize;
            place.write(later);
            return create(thread, attributes, run, place.cast());
        }
        if !attributes.is_null() {
            pthread_attr_getstacksize(attributes, &mut later.stack);
        }
        place.write(later);
        *thread = FIRST + count;
        0
    }
}

/// A thread of the main thread's. Where it ends in a copy, nobody waits for it: it ends the process.
extern "C" fn run(later: *mut c_void) -> *mut c_void {
    // SAFETY: the place is written once, before this thread starts; `thread` is what `pthread_create` put there.
    unsafe {
        let Later { argument, thread, .. } = *later.cast::<Later>();
        let result = transmute::<usize, Start>(thread)(argument);
        if OPENED.load(Ordering::Relaxed) {
            _exit(0);
        }
        result
    }
}

unsafe fn start_threads() {
    // SAFETY: as in `pthread_create`.
    unsafe {
        let create = transmute::<*mut c_void, Create>(own(c"pthread_create"));
        for later in (*LATER.0.get()).iter_mut().take(COUNT.load(Ordering::Relaxed)) {
            let Some(start) = later.start else { continue };
            let mut attributes = [0; 8];
            pthread_attr_init(&mut attributes);
            if later.stack > 0 {
                pthread_attr_setstacksize(&mut attributes, later.stack);
            }
            if create(&mut later.thread, (&raw const attributes).cast(), start, later.argument) != 0 {
                _exit(103);
            }
        }
    }
}

/// What a thread is in this process.
unsafe fn real(thread: Thread) -> Thread {
    match thread.checked_sub(FIRST) {
        // SAFETY: as in `pthread_create`.
        Some(at) if at < COUNT.load(Ordering::Relaxed) => unsafe { (*LATER.0.get())[at].thread },
        _ => thread,
    }
}

/// A thread is waited for; the C library's function by this name.
///
/// # Safety
/// As of the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_join(thread: Thread, result: *mut *mut c_void) -> c_int {
    // SAFETY: arguments are passed on.
    unsafe { transmute::<*mut c_void, Join>(own(c"pthread_join"))(real(thread), result) }
}

/// A thread is sent a signal; the C library's function by this name.
///
/// # Safety
/// As of the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_kill(thread: Thread, number: c_int) -> c_int {
    // SAFETY: arguments are passed on.
    unsafe { transmute::<*mut c_void, Kill>(own(c"pthread_kill"))(real(thread), number) }
}

/// A thread is let go of; the C library's function by this name.
///
/// # Safety
/// As of the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_detach(thread: Thread) -> c_int {
    // SAFETY: arguments are passed on.
    unsafe { transmute::<*mut c_void, Detach>(own(c"pthread_detach"))(real(thread)) }
}
