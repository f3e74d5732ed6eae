//! Decoding the wanted frames of a clip and nothing that they do not need.

use std::collections::BTreeSet;

use ffmpeg_next::decoder::Video as Decoder;
use ffmpeg_next::frame::Video as Frame;
use ffmpeg_next::{Error as AvError, Packet, codec, threading};
use roborm_wire::Failure;

use crate::clip::{Clip, is_memory, unreadable};
use crate::plan::{Run, runs};

/// Why decoding stopped.
pub enum Stop {
    /// The file's fault.
    File(Failure),
    /// Not the file's fault: the parent is gone, or the memory file cannot grow.
    Gone(std::io::Error),
}

/// A decoder for a clip's video stream, kept while the clip is.
pub struct Engine {
    decoder: Decoder,
    frame: Frame,
}

/// What went wrong, before it is known what it cost.
enum Cause {
    Library(AvError),
    Words(&'static str),
}

/// How far a request has come.
struct Progress<'a> {
    clip: &'a Clip,
    wanted: usize,
    /// Places of the wanted packets decoded so far, in decode order.
    done: BTreeSet<usize>,
}

impl Engine {
    pub fn new(clip: &Clip, threads: u32) -> Result<Self, Failure> {
        let parameters = clip.parameters().ok_or_else(|| Failure::NoFrames("it holds no video stream".into()))?;
        let mut context = codec::Context::from_parameters(parameters).map_err(unreadable)?;
        context.set_threading(threading::Config {
            kind: threading::Type::Frame,
            count: threads.max(1) as usize,
            ..threading::Config::default()
        });
        // SAFETY: plain fields of a context that is not open yet.
        unsafe {
            let raw = context.as_mut_ptr();
            (*raw).pkt_timebase =
                ffmpeg_next::ffi::AVRational { num: clip.time_base.0 as i32, den: clip.time_base.1 as i32 };
            // Streams that do not declare how far their pictures are out of order are taken at the index's word; a
            // decoder that had to guess would drop pictures while it learns.
            (*raw).has_b_frames = clip.reordering().min(16) as i32;
        }
        let decoder = context.decoder().video().map_err(unreadable)?;
        Ok(Self { decoder, frame: Frame::empty() })
    }

    /// Decodes the frames at the `wanted` places and gives each of them to `sink` once.
    pub fn decode(
        &mut self,
        clip: &mut Clip,
        wanted: &[usize],
        sink: &mut dyn FnMut(&Frame, i64) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let mut missing: Vec<usize> = wanted.to_vec();
        let mut done = BTreeSet::new();
        // Some key packets promise too much (a stream of gradual refreshes): frames that did not come out are tried
        // from one key further back, twice as far each time, to the first packet.
        let mut back = 0;
        loop {
            let plan = runs(&clip.entries, &missing, back);
            for run in &plan {
                self.run(clip, run, wanted.len(), &mut done, sink)?;
            }
            missing.retain(|place| !done.contains(place));
            if missing.is_empty() {
                return Ok(());
            }
            if plan.iter().all(|run| run.key == 0) {
                let progress = Progress { clip, wanted: wanted.len(), done };
                return Err(Stop::File(progress.failure(missing[0], Cause::Words("no picture came out"))));
            }
            back = back * 2 + 1;
        }
    }

    fn run(
        &mut self,
        clip: &mut Clip,
        run: &Run,
        wanted: usize,
        done: &mut BTreeSet<usize>,
        sink: &mut dyn FnMut(&Frame, i64) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let before = done.clone();
        let fail = |clip: &Clip, place: usize, cause: Cause| {
            // What this run decoded beyond the damage may rest on it.
            let mut done = before.clone();
            done.extend(run.wanted.iter().filter(|at| **at < place));
            Stop::File(Progress { clip, wanted, done }.failure(place, cause))
        };
        let start = clip.entries[run.key].pts;
        clip.seek(run.key).map_err(|error| fail(clip, run.key, Cause::Library(error)))?;
        loop {
            let (at, packet) = clip.read().map_err(|error| fail(clip, run.end, Cause::Library(error)))?;
            if at < run.key {
                continue;
            }
            let entry = clip.entries[at];
            let is_wanted = run.wanted.binary_search(&at).is_ok();
            // Pictures that are stored behind the key but shown before it need what lies before the key.
            let leading = entry.pts < start;
            if is_wanted || !(leading || entry.disposable) {
                self.feed(Some(&packet)).map_err(|error| fail(clip, at, Cause::Library(error)))?;
                self.drain(clip, run, done, sink, &fail)?;
            }
            if at >= run.end {
                break;
            }
        }
        self.feed(None).map_err(|error| fail(clip, run.end, Cause::Library(error)))?;
        self.drain(clip, run, done, sink, &fail)?;
        self.decoder.flush();
        Ok(())
    }

    fn feed(&mut self, packet: Option<&Packet>) -> Result<(), AvError> {
        match packet {
            Some(packet) => self.decoder.send_packet(packet),
            None => self.decoder.send_eof(),
        }
    }

    fn drain(
        &mut self,
        clip: &Clip,
        run: &Run,
        done: &mut BTreeSet<usize>,
        sink: &mut dyn FnMut(&Frame, i64) -> Result<(), Stop>,
        fail: &dyn Fn(&Clip, usize, Cause) -> Stop,
    ) -> Result<(), Stop> {
        loop {
            match self.decoder.receive_frame(&mut self.frame) {
                Ok(()) => {}
                Err(AvError::Eof) => return Ok(()),
                Err(AvError::Other { errno: ffmpeg_next::error::EAGAIN }) => return Ok(()),
                Err(error) => return Err(fail(clip, run.end, Cause::Library(error))),
            }
            let frame = &self.frame;
            let Some(pts) = frame.pts().or_else(|| frame.timestamp()) else { continue };
            let Some(place) = clip.place(pts) else { continue };
            if frame.is_corrupt() || frame.has_decode_errors() {
                return Err(fail(clip, place, Cause::Words("its data are damaged")));
            }
            if run.wanted.binary_search(&place).is_ok() && done.insert(place) {
                sink(frame, pts)?;
            }
        }
    }
}

impl Progress<'_> {
    fn failure(&self, place: usize, cause: Cause) -> Failure {
        let reason = match cause {
            Cause::Library(error) if is_memory(error) => return Failure::OutOfMemory,
            Cause::Library(error) => error.to_string(),
            Cause::Words(words) => words.to_owned(),
        };
        let seconds = |place: usize| self.clip.entries.get(place).and_then(|e| e.pts).map(|pts| self.clip.seconds(pts));
        let last = self.done.iter().filter_map(|place| self.clip.entries.get(*place)?.pts).max();
        Failure::Corrupt {
            reason,
            at_s: seconds(place).unwrap_or(0.0),
            decoded: self.done.len() as u64,
            wanted: self.wanted as u64,
            last_s: last.map(|pts| self.clip.seconds(pts)),
        }
    }
}
