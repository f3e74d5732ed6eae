//! The conversation with the parent.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

use ffmpeg_next::frame::Video as Frame;
use roborm_wire::{
    Configure, Failure, File, Hello, PROTOCOL, Picture, Reply, Request, SLOTS, end_with_parent, receive, send,
};

use crate::clip::Clip;
use crate::decode::{Engine, Stop};
use crate::limits;
use crate::memory::Memory;
use crate::picture::Painter;

/// Serves requests until the parent closes the socket.
///
/// # Errors
/// Where the socket or the memory file fails: there is nobody left to tell.
pub fn run() -> io::Result<()> {
    limits::keep_memory();
    end_with_parent()?;
    // For the words of its errors.
    ffmpeg_next::init().map_err(io::Error::other)?;
    ffmpeg_next::log::set_level(ffmpeg_next::log::Level::Quiet);
    // Descriptor 0 is a socket for both directions.
    let mut socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let hello = Hello { protocol: PROTOCOL, version: env!("CARGO_PKG_VERSION").into(), library: library() };
    send(&mut socket, &hello)?;
    let mut service = Service { socket, memory: Memory::new(), painter: Painter::new(), unread: 0, open: None };
    // Until the parent sets them there is nothing to limit: no file is opened before.
    let mut limits: Option<Configure> = None;
    while let Some(request) = receive(&mut service.socket)? {
        if let Some(limits) = &limits {
            limits::grant_cpu(limits.cpu_s)?;
        }
        match request {
            Request::Configure(asked) => {
                limits::confine(&asked)?;
                limits = Some(asked);
            }
            Request::Index(file) => {
                let reply = service.clip(&file).map_or_else(Reply::Failed, |open| Reply::Index(open.clip.index()));
                send(&mut service.socket, &reply)?;
            }
            Request::Decode { file, wanted } => {
                let reply = match service.decode(&file, &wanted, limits.as_ref().map_or(1, |limits| limits.threads)) {
                    Ok(()) => Reply::Done,
                    Err(Stop::File(failure)) => Reply::Failed(failure),
                    Err(Stop::Gone(error)) => return Err(error),
                };
                send(&mut service.socket, &reply)?;
            }
            Request::Release => service.unread = service.unread.saturating_sub(1),
        }
    }
    Ok(())
}

struct Service {
    socket: UnixStream,
    memory: Memory,
    painter: Painter,
    /// Pictures that the parent has not released.
    unread: usize,
    open: Option<Open>,
}

/// The file of the last request: in a dataset of many episodes a file, the next request is for the same one.
struct Open {
    clip: Clip,
    engine: Option<Engine>,
}

impl Service {
    fn clip(&mut self, file: &File) -> Result<&mut Open, Failure> {
        if self.open.as_ref().is_none_or(|open| open.clip.file != *file) {
            self.open = None;
            let clip = Clip::open(file)?;
            self.open = Some(Open { clip, engine: None });
        }
        self.open.as_mut().ok_or_else(|| Failure::Refused("no file is open".into()))
    }

    fn decode(&mut self, file: &File, wanted: &[i64], threads: u32) -> Result<(), Stop> {
        self.clip(file).map_err(Stop::File)?;
        let Self { socket, memory, painter, unread, open } = self;
        let Some(Open { clip, engine }) = open else { return Ok(()) };
        let places: Option<Vec<usize>> = wanted.iter().map(|pts| clip.place(*pts)).collect();
        let Some(places) = places else {
            return Err(Stop::File(Failure::Refused("a wanted time is not in the file's index".into())));
        };
        let orientation = clip.orientation;
        // A decoder that failed is not used again: what it holds of the damage would colour what follows.
        let mut working = match engine.take() {
            Some(engine) => engine,
            None => Engine::new(clip, threads).map_err(Stop::File)?,
        };
        working.decode(clip, &places, &mut |frame, pts| {
            hand_over(socket, memory, painter, unread, frame, orientation, pts)
        })?;
        *engine = Some(working);
        Ok(())
    }
}

fn hand_over(
    socket: &mut UnixStream,
    memory: &mut Memory,
    painter: &mut Painter,
    unread: &mut usize,
    frame: &Frame,
    orientation: crate::orientation::Orientation,
    pts: i64,
) -> Result<(), Stop> {
    let Some((width, height, bytes)) = Painter::measure(frame, orientation) else {
        return Err(Stop::File(Failure::Unreadable("its pictures have no size".into())));
    };
    let most = if memory.fits(bytes) { SLOTS - 1 } else { 0 };
    while *unread > most {
        match receive(socket).map_err(Stop::Gone)? {
            Some(Request::Release) => *unread -= 1,
            _ => return Err(Stop::Gone(io::ErrorKind::InvalidData.into())),
        }
    }
    memory.grow(bytes).map_err(Stop::Gone)?;
    let Some((offset, slot)) = memory.next_slot() else { return Err(Stop::Gone(io::ErrorKind::OutOfMemory.into())) };
    painter.paint(frame, orientation, slot).map_err(|reason| Stop::File(Failure::Unreadable(reason)))?;
    *unread += 1;
    send(socket, &Reply::Picture(Picture { pts, width, height, offset })).map_err(Stop::Gone)
}

/// Which libav this program runs with.
fn library() -> String {
    let version = ffmpeg_next::codec::version();
    format!("libavcodec {}.{}.{}", version >> 16, version >> 8 & 0xff, version & 0xff)
}
