//! One worker process and the conversation with it.

use std::collections::HashMap;
use std::fs::File as StdFile;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;

use roborm_wire::{Configure, Failure, File, Hello, Index, PROTOCOL, Picture, Reply, Request, receive, send};

use super::buffers::Buffers;
use super::memory::PictureMemory;
use super::watch::{self, Patience, Waited};
use super::{DecoderOptions, Raster};
use crate::{Error, Result};

/// No picture has a longer side, in pixels: what a worker claims is not believed beyond it.
const LONGEST_SIDE: u32 = 1 << 15;

/// A running worker.
pub(super) struct Worker {
    child: Child,
    socket: UnixStream,
    memory: PictureMemory,
    buffers: Arc<Buffers>,
    /// What it introduced itself as.
    pub hello: Hello,
    patience: Patience,
    /// The file it has open.
    pub file: Option<File>,
}

/// Of a worker that hangs.
const NO_SIGN: &str = "the video decoder gave no sign of life within the time limit and was ended";

/// Why a request came to nothing.
pub(super) enum Fault {
    /// The file's fault; the worker is as good as before.
    File(Failure),
    /// The worker cannot be used any more.
    Worker(String),
}

impl Worker {
    pub fn start(options: &DecoderOptions, program: &Path, buffers: Arc<Buffers>) -> Result<Self> {
        let trouble = |error: &io::Error| {
            Error::worker(format!("the video decoder {} cannot be started: {error}", program.display()))
        };
        let (socket, theirs) = UnixStream::pair().map_err(|error| trouble(&error))?;
        let memory = PictureMemory::new().map_err(|error| trouble(&error))?;
        let their_memory = memory.handle().map_err(|error| trouble(&error))?;
        // The socket as input and the memory file as output: both descriptors reach exactly this child, without unsafe
        // code and without a moment in which a child that another thread starts could inherit them.
        let child = Command::new(program)
            // No key leaves this process.
            .env_remove("OPENROUTER_API_KEY")
            .env_remove("ROBORM_API_KEY")
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::from(OwnedFd::from(their_memory)))
            .stderr(Stdio::null())
            // Ctrl-C in the terminal is for the program the user sees, which ends its workers itself.
            .process_group(0)
            .spawn()
            .map_err(|error| trouble(&error).with_help("is it a program for this machine?"))?;
        let hello = Hello { protocol: 0, version: String::new(), library: String::new() };
        let patience = Patience { idle: options.timeout, busy: options.silence };
        let mut worker = Self { child, socket, memory, buffers, hello, patience, file: None };
        // A word that has begun comes to its end.
        let longest = options.timeout.max(options.silence);
        worker.socket.set_read_timeout(Some(longest)).map_err(|error| trouble(&error))?;
        worker.socket.set_write_timeout(Some(longest)).map_err(|error| trouble(&error))?;
        if worker.wait() != Waited::Word {
            let patience = options.timeout.as_secs_f64();
            return Err(worker.unusable(program, &format!("no sign of life within {patience} s")));
        }
        worker.hello = match receive::<Hello>(&mut worker.socket) {
            Ok(Some(hello)) if hello.protocol == PROTOCOL => hello,
            Ok(Some(hello)) => {
                return Err(Error::worker(format!(
                    "the video decoder {} speaks protocol {}, this program {PROTOCOL}",
                    program.display(),
                    hello.protocol
                ))
                .with_help("build both from the same version"));
            }
            Ok(None) => return Err(worker.unusable(program, "ended at once")),
            Err(error) => return Err(worker.unusable(program, &error.to_string())),
        };
        let limits = Configure {
            memory_bytes: options.memory_bytes,
            cpu_s: options.cpu.as_secs().max(1),
            threads: options.threads.max(1),
        };
        send(&mut worker.socket, &Request::Configure(limits)).map_err(|error| trouble(&error))?;
        Ok(worker)
    }

    fn unusable(&mut self, program: &Path, reason: &str) -> Error {
        let status = self.end();
        let status = status.map_or(String::new(), |status| format!(" ({status})"));
        Error::worker(format!("the video decoder {} did not answer: {reason}{status}", program.display())).with_help(
            "run it by hand to see what it says: a library of FFmpeg may be missing, or it is another program",
        )
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Is the process still there?
    pub fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    pub fn index(&mut self, file: &File) -> Result<Index, Fault> {
        self.file = None;
        self.ask(&Request::Index(file.clone()))?;
        match self.answer()? {
            Reply::Index(index) => {
                self.file = Some(file.clone());
                Ok(index)
            }
            Reply::Failed(failure) => Err(Fault::File(failure)),
            Reply::Picture(_) | Reply::Done => Err(self.confused()),
        }
    }

    /// The pictures of the times `wanted`, in their order.
    pub fn decode(&mut self, file: &File, wanted: &[i64]) -> Result<Vec<Raster>, Fault> {
        let mut asked = wanted.to_vec();
        asked.sort_unstable();
        asked.dedup();
        self.file = None;
        let mut got: HashMap<i64, Raster> = HashMap::with_capacity(asked.len());
        self.ask(&Request::Decode { file: file.clone(), wanted: asked.clone() })?;
        loop {
            match self.answer()? {
                Reply::Picture(picture) if asked.binary_search(&picture.pts).is_ok() => {
                    let raster = self.take(&picture)?;
                    self.ask(&Request::Release)?;
                    got.insert(picture.pts, raster);
                }
                Reply::Done => break,
                Reply::Failed(failure) => return Err(Fault::File(failure)),
                Reply::Picture(_) | Reply::Index(_) => return Err(self.confused()),
            }
        }
        self.file = Some(file.clone());
        wanted.iter().map(|pts| got.get(pts).cloned()).collect::<Option<Vec<_>>>().ok_or_else(|| self.confused())
    }

    /// Copies a picture out of the memory file.
    fn take(&mut self, picture: &Picture) -> Result<Raster, Fault> {
        let Picture { width, height, offset, .. } = *picture;
        if !(1..=LONGEST_SIDE).contains(&width) || !(1..=LONGEST_SIDE).contains(&height) {
            return Err(self.confused());
        }
        match self.pixels(width as usize * height as usize * 3, offset) {
            Some(rgb) => Ok(Raster { width, height, rgb }),
            None => Err(self.confused()),
        }
    }

    /// So many bytes of the memory file; `None` where it does not hold them.
    fn pixels(&mut self, length: usize, offset: u64) -> Option<Arc<[u8]>> {
        let mut pixels = self.buffers.take(length);
        self.memory.copy_to(Arc::get_mut(&mut pixels)?, offset).ok()?;
        self.buffers.remember(&pixels);
        Some(pixels)
    }

    fn ask(&mut self, request: &Request) -> Result<(), Fault> {
        send(&mut self.socket, request).map_err(|error| self.fallen(&error))
    }

    fn wait(&self) -> Waited {
        watch::wait(&self.socket, self.child.id(), self.patience)
    }

    fn answer(&mut self) -> Result<Reply, Fault> {
        match self.wait() {
            Waited::Word => {}
            Waited::Idle => return Err(self.hung(NO_SIGN)),
            Waited::Busy => {
                let spent = self.patience.busy.as_secs_f64();
                return Err(
                    self.hung(&format!("the video decoder worked for {spent} s without a picture and was ended"))
                );
            }
        }
        match receive(&mut self.socket) {
            Ok(Some(reply)) => Ok(reply),
            Ok(None) => Err(self.fallen(&io::ErrorKind::UnexpectedEof.into())),
            Err(error) => Err(self.fallen(&error)),
        }
    }

    fn hung(&mut self, how: &str) -> Fault {
        self.end();
        Fault::Worker(how.to_owned())
    }

    fn confused(&mut self) -> Fault {
        self.end();
        Fault::Worker("the video decoder gave an answer that makes no sense".into())
    }

    /// What an error of the socket means: the worker hangs, or it is gone, and then how it went.
    fn fallen(&mut self, error: &io::Error) -> Fault {
        // SIGXCPU's number on every Linux that has one.
        const CPU_SPENT: i32 = 24;
        let hangs = hangs(error);
        let status = self.end();
        Fault::Worker(match status {
            _ if hangs => NO_SIGN.into(),
            Some(status) if status.signal() == Some(CPU_SPENT) => {
                "the video decoder used up its limit of CPU time and was ended".into()
            }
            Some(status) => format!("the video decoder crashed ({status})"),
            None => format!("the video decoder is gone ({error})"),
        })
    }

    /// Ends the process and says how it went; one that ended by itself keeps its own status.
    fn end(&mut self) -> Option<ExitStatus> {
        self.file = None;
        let _ = self.child.kill();
        self.child.wait().ok()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.end();
    }
}

/// Whether an error of the socket says that its time ran out.
fn hangs(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

/// What a file is asked for as: its absolute path, and what tells whether it has changed.
pub(super) fn identify(path: &Path) -> Result<File> {
    use std::os::unix::fs::MetadataExt;
    let show = path.display();
    let read = |error: &io::Error| Error::io(format!("cannot read {show}"), error);
    let data = std::fs::metadata(path).map_err(|error| read(&error))?;
    if data.is_dir() {
        return Err(Error::input(format!("{show} is a folder, not a video"))
            .with_help("in a manifest, a folder of PNG or JPEG files goes in the column frames"));
    }
    // Looked at before it is opened: nobody waits for a pipe.
    if !data.is_file() {
        return Err(Error::input(format!("{show} is a pipe, a socket or a device, not a video"))
            .with_help("write what comes out of it to a file, and name that"));
    }
    if data.len() == 0 {
        return Err(Error::input(format!("{show} is empty")).with_help("copy or download the file again"));
    }
    // The worker would say so too, but not as plainly.
    StdFile::open(path).map_err(|error| read(&error))?;
    let path: PathBuf = std::path::absolute(path).map_err(|error| read(&error))?;
    let stamp = roborm_wire::Stamp {
        device: data.dev(),
        inode: data.ino(),
        bytes: data.len(),
        modified_s: data.mtime(),
        modified_ns: data.mtime_nsec(),
    };
    Ok(File { path: path.into_os_string(), stamp })
}
