//! Opening files, within limits: containers that hold their own frames, by the protocol of local files.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::ptr;

use ffmpeg_next::codec::Id;
use ffmpeg_next::format::context::Input;
use ffmpeg_next::{Dictionary, Error as AvError, Stream, ffi, media};
use roborm_wire::{Failure, File};

use crate::nal::Layout;

/// Containers with their own frames and nothing else: no playlists, no lists of other files, no devices.
const DEMUXERS: &str =
    "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,gif,mpegts,mpeg,flv,ogg,ivf,apng,asf,nut,mjpeg,yuv4mpegpipe";

/// Containers whose headers say all that a decoder needs, so that no packet has to be decoded to find it out.
const TELLING: [&str; 3] = ["mov,mp4,m4a,3gp,3g2,mj2", "matroska,webm", "gif"];

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
pub fn extradata(stream: &Stream<'_>) -> Vec<u8> {
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
pub fn open(file: &File) -> Result<(Input, usize), Failure> {
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
