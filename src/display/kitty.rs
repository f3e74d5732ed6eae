//! Pictures by the graphics protocol of kitty (<https://sw.kovidgoyal.net/kitty/graphics-protocol/>).

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Bytes of base64 in one escape code, by the protocol.
const CHUNK: usize = 4096;

/// A PNG (`f=100`) sent and shown at once (`a=T`), so many columns wide, without an answer that nobody reads (`q=2`).
pub(super) fn picture(rgb: &[u8], width: u32, height: u32, columns: usize) -> Option<String> {
    let (file, columns) = super::picture::png(rgb, width, height, columns)?;
    let data = STANDARD.encode(file);
    let mut picture = String::with_capacity(data.len() + 256);
    let chunks = data.as_bytes().chunks(CHUNK);
    let last = chunks.len().saturating_sub(1);
    for (index, chunk) in chunks.enumerate() {
        let head = if index == 0 { format!("a=T,f=100,q=2,c={columns},") } else { String::new() };
        let more = u8::from(index < last);
        let _ = write!(picture, "\x1b_G{head}m={more};{}\x1b\\", std::str::from_utf8(chunk).ok()?);
    }
    picture.push('\n');
    Some(picture)
}
