//! A message on the socket: four bytes of length, least significant first, then that much JSON.

use std::io::{self, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// No message is longer, in bytes: the index of two days of video at 30 frames a second fits.
pub const LONGEST: u32 = 64 << 20;

/// Writes one message.
///
/// # Errors
/// Those of the stream, and `InvalidData` where the message is over [`LONGEST`].
pub fn send<T: Serialize>(stream: &mut impl Write, message: &T) -> io::Result<()> {
    // One buffer and one write: a message is one system call and wakes its reader once.
    let mut bytes = vec![0; 4];
    serde_json::to_writer(&mut bytes, message)?;
    let length = u32::try_from(bytes.len() - 4).unwrap_or(u32::MAX);
    if length > LONGEST {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("a message of {length} bytes is too long")));
    }
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    stream.write_all(&bytes)
}

/// Reads one message; `None` where the other side closed the stream between messages.
///
/// # Errors
/// Those of the stream, `UnexpectedEof` where it ends inside a message, `InvalidData` where the bytes are no message.
pub fn receive<T: DeserializeOwned>(stream: &mut impl Read) -> io::Result<Option<T>> {
    let mut head = [0; 4];
    let mut got = 0;
    while got < head.len() {
        match stream.read(&mut head[got..]) {
            Ok(0) if got == 0 => return Ok(None),
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(n) => got += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let length = u32::from_le_bytes(head);
    if length > LONGEST {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("a message of {length} bytes is too long")));
    }
    // The length is a claim of the other side: memory is taken as bytes arrive, not before.
    let mut bytes = Vec::with_capacity(length.min(1 << 16) as usize);
    stream.take(u64::from(length)).read_to_end(&mut bytes)?;
    if bytes.len() < length as usize {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some(serde_json::from_slice(&bytes)?))
}
