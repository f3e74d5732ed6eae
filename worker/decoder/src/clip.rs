//! One open video file: its index, and its packets in decode order from any key on.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::ptr;

use ffmpeg_next::codec::Id;
use ffmpeg_next::codec::packet::Ref;
use ffmpeg_next::codec::packet::side_data::Type as SideData;
use ffmpeg_next::format::context::Input;
use ffmpeg_next::{Dictionary, Error as AvError, Packet, Stream, ffi, media};
use roborm_wire::{Failure, File, Index};

use crate::container;
use crate::nal::{Layout, Nature};
use crate::orientation::Orientation;
use crate::plan::Entry;

/// Containers with their own frames and nothing else: no playlists, no lists of other files, no devices.
const DEMUXERS: &str =
    "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,gif,mpegts,mpeg,flv,ogg,ivf,apng,asf,nut,mjpeg,yuv4mpegpipe";

/// Containers whose headers say all that a decoder needs, so that no packet has to be decoded to find it out.
const TELLING: [&str; 3] = ["mov,mp4,m4a,3gp,3g2,mj2", "matroska,webm", "gif"];

/// An open file.
pub struct Clip {
    /// What it was opened as.
    pub file: File,
    /// Every packet of the video stream, in decode order.
    pub entries: Vec<Entry>,
    /// Seconds a tick.
    pub time_base: (u32, u32),
    /// How its pictures are turned to be shown.
    pub orientation: Orientation,
    last_duration: i64,
    /// Every time and its place, ascending.
    by_time: Vec<(i64, usize)>,
    input: Input,
    stream: usize,
    /// The place in `entries` of the packet that comes next, where it is known.
    next: Option<usize>,
    /// Read already, while finding out where a seek had led.
    pending: Option<Packet>,
}

impl Clip {
    /// Opens a file and lists its packets.
    pub fn open(file: &File) -> Result<Self, Failure> {
        let (input, stream) = open(file)?;
        let (time_base, orientation, layout, promised, is_gif) = {
            let stream = input.stream(stream).ok_or_else(|| Failure::NoFrames("it holds no video stream".into()))?;
            let base = stream.time_base();
            let time_base = match (u32::try_from(base.numerator()), u32::try_from(base.denominator())) {
                (Ok(num @ 1..), Ok(den @ 1..)) => (num, den),
                _ => return Err(Failure::Unreadable("its video stream has no time base".into())),
            };
            let orientation = stream
                .side_data()
                .find(|data| data.kind() == SideData::DisplayMatrix)
                .map_or(Orientation::UPRIGHT, |data| Orientation::of(data.data()));
            let layout = Layout::of(stream.parameters().id(), &extradata(&stream));
            // SAFETY: the stream lives as long as `input`.
            let promised = unsafe { ffi::avformat_index_get_entries_count(stream.as_ptr()) };
            let is_mov = input.format().name().starts_with("mov");
            let promised = is_mov.then(|| u64::try_from(promised).unwrap_or(0));
            (time_base, orientation, layout, promised, input.format().name() == "gif")
        };
        let mut clip = Self {
            file: file.clone(),
            entries: Vec::new(),
            time_base,
            orientation,
            last_duration: 0,
            by_time: Vec::new(),
            input,
            stream,
            next: None,
            pending: None,
        };
        clip.list(layout, promised, is_gif)?;
        Ok(clip)
    }

    /// Reads every packet once.
    fn list(&mut self, layout: Option<Layout>, promised: Option<u64>, is_gif: bool) -> Result<(), Failure> {
        let mut natures: Vec<Nature> = Vec::new();
        let mut latest: Option<i64> = None;
        let mut damage: Option<AvError> = None;
        loop {
            let packet = match self.next_packet() {
                Ok(packet) => packet,
                Err(AvError::Eof) => break,
                Err(error) => {
                    damage = Some(error);
                    break;
                }
            };
            let corrupt = packet.is_corrupt();
            if corrupt {
                damage = Some(AvError::InvalidData);
            }
            // A GIF's pictures are changes to the one before, whatever the container says of them.
            let key = if is_gif { self.entries.is_empty() } else { packet.is_key() };
            let pts = packet.pts();
            // SAFETY: reads a plain field; the wrapper's own flags leave this bit out.
            let discard = unsafe { (*packet.as_ptr()).flags } & ffi::AV_PKT_FLAG_DISCARD != 0;
            if pts >= latest {
                latest = pts;
                self.last_duration = packet.duration().max(0);
            }
            self.entries.push(Entry { pts, key, shown: pts.is_some() && !discard && !corrupt, disposable: false });
            if let Some(layout) = layout {
                natures
                    .push(packet.data().map_or(Nature { unreferenced: false, layer: 0 }, |data| layout.nature(data)));
            }
        }
        // A picture that its own temporal layer does not need may still carry the layers above it: only those of the
        // top layer can go.
        let top = natures.iter().map(|nature| nature.layer).max().unwrap_or(0);
        for (entry, nature) in self.entries.iter_mut().zip(&natures) {
            entry.disposable = nature.unreferenced && nature.layer == top && !entry.key;
        }
        self.hide_undecodable();
        self.by_time = self.entries.iter().enumerate().filter_map(|(at, entry)| Some((entry.pts?, at))).collect();
        self.by_time.sort_unstable();
        let readable = self.entries.len() as u64;
        let short = promised.filter(|promised| *promised > readable);
        if damage.is_some_and(is_memory) {
            return Err(Failure::OutOfMemory);
        }
        if damage.is_some() || short.is_some() || container::is_cut(&self.file) {
            return Err(Failure::Truncated {
                reason: damage.map_or_else(|| "it ends before its header says".into(), |error| error.to_string()),
                readable,
                promised,
                last_s: self
                    .entries
                    .iter()
                    .filter(|e| e.shown)
                    .filter_map(|e| e.pts)
                    .max()
                    .map(|pts| self.seconds(pts)),
            });
        }
        if !self.entries.iter().any(|entry| entry.shown) {
            return Err(Failure::NoFrames(match self.entries.is_empty() {
                true => "its video stream is empty".into(),
                false => "none of its frames has a time or is shown".into(),
            }));
        }
        Ok(())
    }

    /// Frames before the first key packet, in either order, cannot be decoded: the part of their group that they need
    /// was cut off.
    fn hide_undecodable(&mut self) {
        let Some(first) = self.entries.iter().position(|entry| entry.key && entry.pts.is_some()) else {
            if let Some(entry) = self.entries.first_mut() {
                entry.key = true;
            }
            return;
        };
        let start = self.entries[first].pts;
        for (at, entry) in self.entries.iter_mut().enumerate() {
            if at < first || entry.pts < start {
                entry.shown = false;
            }
        }
    }

    /// What the parent needs of the index.
    pub fn index(&self) -> Index {
        let mut pts: Vec<i64> = self.entries.iter().filter(|entry| entry.shown).filter_map(|entry| entry.pts).collect();
        pts.sort_unstable();
        Index { time_base: self.time_base, pts, last_duration: self.last_duration }
    }

    /// The packet with that presentation time; of several, the last that is shown.
    pub fn place(&self, pts: i64) -> Option<usize> {
        let those = self.places(pts);
        let shown = those.iter().rev().find(|(_, at)| self.entries[*at].shown);
        shown.or(those.last()).map(|(_, at)| *at)
    }

    fn places(&self, pts: i64) -> &[(i64, usize)] {
        let start = self.by_time.partition_point(|(time, _)| *time < pts);
        let count = self.by_time[start..].iter().take_while(|(time, _)| *time == pts).count();
        &self.by_time[start..start + count]
    }

    /// A time in seconds.
    pub fn seconds(&self, pts: i64) -> f64 {
        pts as f64 * f64::from(self.time_base.0) / f64::from(self.time_base.1)
    }

    /// How many packets at most come before one whose frame is shown earlier than theirs: what a decoder must hold back
    /// to bring frames in order.
    pub fn reordering(&self) -> usize {
        let mut most = 0;
        // The times of later frames decoded already, descending from the end, as many as any codec allows.
        let mut ahead: Vec<i64> = Vec::new();
        for pts in self.entries.iter().filter_map(|entry| entry.pts) {
            let at = ahead.partition_point(|earlier| *earlier <= pts);
            most = most.max(ahead.len() - at);
            ahead.insert(at, pts);
            if ahead.len() > 32 {
                ahead.remove(0);
            }
        }
        most
    }

    /// The video stream's parameters.
    pub fn parameters(&self) -> Option<ffmpeg_next::codec::Parameters> {
        Some(self.input.stream(self.stream)?.parameters())
    }

    /// Makes the packet at `place` the next one that [`Clip::read`] gives, or one before it.
    pub fn seek(&mut self, place: usize) -> Result<(), AvError> {
        // Reading on costs less than a seek where little lies between.
        const NEAR: usize = 8;
        if self.next.is_some_and(|next| next <= place && place - next <= NEAR) {
            return Ok(());
        }
        self.pending = None;
        let mut attempt = place;
        loop {
            if self.jump(attempt) && self.next.is_some_and(|next| next <= place) {
                return Ok(());
            }
            // MP4 looks a time up among decode times, Matroska among cues: some streams land behind the key asked for.
            match self.entries[..attempt].iter().rposition(|entry| entry.key && entry.pts.is_some()) {
                Some(earlier) => attempt = earlier,
                None => return self.rewind(),
            }
        }
    }

    /// Seeks to a packet's time and finds out where that led.
    fn jump(&mut self, place: usize) -> bool {
        self.next = None;
        self.pending = None;
        let (Some(pts), Ok(stream)) = (self.entries[place].pts, i32::try_from(self.stream)) else { return false };
        // SAFETY: the context is open and owned by `input`; the call keeps no pointer.
        let status = unsafe { ffi::av_seek_frame(self.input.as_mut_ptr(), stream, pts, ffi::AVSEEK_FLAG_BACKWARD) };
        if status < 0 {
            return false;
        }
        let Ok(packet) = self.next_packet() else { return false };
        // A time that two packets share would leave the place in doubt.
        self.next = match packet.pts().map(|pts| self.places(pts)) {
            Some([(_, at)]) => Some(*at),
            _ => None,
        };
        self.pending = Some(packet);
        self.next.is_some()
    }

    /// Back to the first packet, by opening the file anew: what works in every container.
    fn rewind(&mut self) -> Result<(), AvError> {
        (self.input, self.stream) = open(&self.file).map_err(|_| AvError::InvalidData)?;
        self.pending = None;
        self.next = Some(0);
        Ok(())
    }

    /// The next packet of the video stream, wherever that is.
    fn next_packet(&mut self) -> Result<Packet, AvError> {
        loop {
            // A fresh one each time: reading into one that holds data would lose these data.
            let mut packet = Packet::empty();
            packet.read(&mut self.input)?;
            if packet.stream() == self.stream {
                return Ok(packet);
            }
        }
    }

    /// The next packet of the video stream and its place.
    pub fn read(&mut self) -> Result<(usize, Packet), AvError> {
        let at = self.next.ok_or(AvError::Bug)?;
        let packet = match self.pending.take() {
            Some(packet) => packet,
            None => self.next_packet()?,
        };
        if self.entries.get(at).is_none_or(|entry| entry.pts != packet.pts()) {
            // The file changed under us, or the demuxer is not of one mind.
            self.next = None;
            return Err(AvError::InvalidData);
        }
        self.next = Some(at + 1);
        Ok((at, packet))
    }
}

/// Is it the memory limit?
pub fn is_memory(error: AvError) -> bool {
    error == AvError::Other { errno: ffmpeg_next::error::ENOMEM }
}

/// A file that does not open.
pub fn unreadable(error: AvError) -> Failure {
    if is_memory(error) { Failure::OutOfMemory } else { Failure::Unreadable(error.to_string()) }
}

/// Do the container's packets need no parser to be told apart? So in MP4 and Matroska with today's codecs, in the packing
/// made for them.
fn cuts_by_itself(input: &Input) -> bool {
    let container = input.format().name().to_owned();
    (container.starts_with("mov") || container.starts_with("matroska"))
        && input.streams().best(media::Type::Video).is_some_and(|stream| match stream.parameters().id() {
            Id::AV1 | Id::VP9 | Id::VP8 => true,
            codec => Layout::of(codec, &extradata(&stream)).is_some(),
        })
}

/// What a stream's decoder is told before its first packet.
fn extradata(stream: &Stream<'_>) -> Vec<u8> {
    let parameters = stream.parameters();
    // SAFETY: the parameters live as long as the stream; extradata holds extradata_size bytes.
    unsafe {
        let raw = parameters.as_ptr();
        match usize::try_from((*raw).extradata_size) {
            Ok(size @ 1..) if !(*raw).extradata.is_null() => {
                std::slice::from_raw_parts((*raw).extradata.cast_const(), size).to_vec()
            }
            _ => Vec::new(),
        }
    }
}

/// Opens a file with its best video stream; other streams are not read.
fn open(file: &File) -> Result<(Input, usize), Failure> {
    // With the protocol in front, a name like "concat:x" is a file of that name and nothing else.
    let url = CString::new([b"file:", file.path.as_bytes()].concat())
        .map_err(|_| Failure::Unreadable("its name holds a zero byte".into()))?;
    let mut options = Dictionary::new();
    options.set("protocol_whitelist", "file,pipe");
    options.set("format_whitelist", DEMUXERS);
    let mut context = ptr::null_mut();
    // SAFETY: `url` and the dictionary live through the call, which replaces the dictionary by what it did not use;
    // on success the context is owned by `Input` from here on.
    let mut input = unsafe {
        let mut raw = options.disown();
        let status = ffi::avformat_open_input(&raw mut context, url.as_ptr(), ptr::null_mut(), &raw mut raw);
        drop(Dictionary::own(raw));
        if status < 0 {
            return Err(unreadable(AvError::from(status)));
        }
        Input::wrap(context)
    };
    let telling = TELLING.contains(&input.format().name())
        && input.streams().best(media::Type::Video).is_some_and(|stream| {
            let parameters = stream.parameters();
            // SAFETY: the parameters live as long as the stream.
            unsafe { (*parameters.as_ptr()).width > 0 && (*parameters.as_ptr()).height > 0 }
        });
    if telling && cuts_by_itself(&input) {
        // Every packet is a whole picture with its time and key flag: parsing its bits again would tell nothing new.
        // SAFETY: a plain field of an open context, set before the first packet is read.
        unsafe { (*input.as_mut_ptr()).flags |= ffi::AVFMT_FLAG_NOPARSE | ffi::AVFMT_FLAG_NOFILLIN };
    }
    if !telling {
        // SAFETY: the context is open and owned by `input`.
        let status = unsafe { ffi::avformat_find_stream_info(input.as_mut_ptr(), ptr::null_mut()) };
        if status < 0 {
            return Err(unreadable(AvError::from(status)));
        }
    }
    let best = input.streams().best(media::Type::Video).map(|stream| stream.index());
    let best = best.ok_or_else(|| Failure::NoFrames("it holds no video stream".into()))?;
    // SAFETY: the context has nb_streams streams, each of them alive as long as it.
    unsafe {
        let context = input.as_mut_ptr();
        for at in 0..(*context).nb_streams as usize {
            if at != best {
                (**(*context).streams.add(at)).discard = ffi::AVDiscard::AVDISCARD_ALL;
            }
        }
    }
    Ok((input, best))
}
