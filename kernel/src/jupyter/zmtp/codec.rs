//! Frames on the wire: a byte of flags, a size of one byte or eight, the body.

use std::io::{self, Read};

use super::Frames;

const MORE: u8 = 1;
const LONG: u8 = 2;
const COMMAND: u8 = 4;

/// The largest message taken, in bytes: whoever can reach the port may send one before it is known who it is.
const LARGEST: u64 = 256 << 20;

/// What comes in on a connection.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Received {
    Message(Frames),
    Command(Vec<u8>),
}

/// The next message or command; an error of kind `UnexpectedEof` where the other side has closed.
pub(super) fn read(stream: &mut impl Read) -> io::Result<Received> {
    let mut frames = Frames::new();
    let mut left = LARGEST;
    loop {
        let mut flags = [0];
        stream.read_exact(&mut flags)?;
        let [flags] = flags;
        if flags & !(MORE | LONG | COMMAND) != 0 || (flags & COMMAND != 0 && (flags & MORE != 0 || !frames.is_empty()))
        {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "flags that no frame has"));
        }
        let size = if flags & LONG == 0 {
            let mut size = [0];
            stream.read_exact(&mut size)?;
            u64::from(size[0])
        } else {
            let mut size = [0; 8];
            stream.read_exact(&mut size)?;
            u64::from_be_bytes(size)
        };
        // An empty frame counts too, or a stream of them would be a message without end.
        let Some(rest) = left.checked_sub(size.saturating_add(1)) else {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a message of more than 256 MiB"));
        };
        left = rest;
        let mut body = Vec::new();
        // Grows as bytes come in: the size alone costs no memory.
        if stream.take(size).read_to_end(&mut body)? as u64 != size {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if flags & COMMAND != 0 {
            return Ok(Received::Command(body));
        }
        frames.push(body);
        if flags & MORE == 0 {
            return Ok(Received::Message(frames));
        }
    }
}

/// A message as bytes.
pub(super) fn message(frames: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(frames.iter().map(|frame| frame.len() + 9).sum());
    for (place, frame) in frames.iter().enumerate() {
        let more = if place + 1 < frames.len() { MORE } else { 0 };
        put(&mut bytes, more, frame);
    }
    bytes
}

/// A command as bytes.
pub(super) fn command(body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(body.len() + 9);
    put(&mut bytes, COMMAND, body);
    bytes
}

fn put(bytes: &mut Vec<u8>, flags: u8, body: &[u8]) {
    match u8::try_from(body.len()) {
        Ok(size) => bytes.extend([flags, size]),
        Err(_) => {
            bytes.push(flags | LONG);
            bytes.extend((body.len() as u64).to_be_bytes());
        }
    }
    bytes.extend_from_slice(body);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_are_those_of_the_specification() {
        let frames = vec![b"abc".to_vec(), vec![], vec![7; 256]];
        let mut expected = vec![1, 3, b'a', b'b', b'c', 1, 0, 2, 0, 0, 0, 0, 0, 0, 1, 0];
        expected.extend([7; 256]);
        assert_eq!(message(&frames), expected);
        assert_eq!(read(&mut expected.as_slice()).expect("a message"), Received::Message(frames));
        assert_eq!(command(b"\x04PING"), b"\x04\x05\x04PING");
    }

    #[test]
    fn what_is_no_frame_is_refused_without_costing_memory() {
        for bad in [
            [8, 0].as_slice(),                                   // an unknown flag
            &[5, 0],                                             // a command of two frames
            &[2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 255], // a size without end
            &[1, 0, 4, 0],                                       // a command inside a message
        ] {
            assert_eq!(read(&mut { bad }).expect_err("refused").kind(), io::ErrorKind::InvalidData, "{bad:?}");
        }
        assert_eq!(read(&mut [0, 9, 1].as_slice()).expect_err("cut").kind(), io::ErrorKind::UnexpectedEof);
    }
}
