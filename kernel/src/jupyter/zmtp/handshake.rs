//! The greeting: who is there, in which version, as which kind of socket.

use std::io::{self, Read, Write};

use super::codec::{self, Received};

/// What both sides send first: a signature, version 3.0, the mechanism NULL, the role of a client, filler.
fn greeting() -> [u8; 64] {
    let mut bytes = [0; 64];
    bytes[0] = 0xff;
    bytes[9] = 0x7f;
    bytes[10] = 3;
    bytes[12..16].copy_from_slice(b"NULL");
    bytes
}

/// Greets, and gives the identity that the other side has chosen, which may be empty.
pub(super) fn shake(stream: &mut (impl Read + Write), kind: &str) -> io::Result<Vec<u8>> {
    stream.write_all(&greeting())?;
    let mut theirs = [0; 64];
    stream.read_exact(&mut theirs)?;
    if theirs[0] != 0xff || theirs[9] & 1 == 0 || theirs[10] < 3 {
        return Err(invalid("no greeting of ZMTP 3"));
    }
    if theirs[12..32] != greeting()[12..32] {
        return Err(invalid("a mechanism other than NULL"));
    }
    let mut ready = b"\x05READY".to_vec();
    put(&mut ready, "Socket-Type", kind.as_bytes());
    put(&mut ready, "Identity", b"");
    stream.write_all(&codec::command(&ready))?;
    let Received::Command(theirs) = codec::read(stream)? else { return Err(invalid("a message before READY")) };
    let properties = theirs.strip_prefix(b"\x05READY").ok_or_else(|| invalid("no READY"))?;
    identity(properties).ok_or_else(|| invalid("READY with broken properties"))
}

fn put(ready: &mut Vec<u8>, name: &str, value: &[u8]) {
    ready.push(name.len() as u8);
    ready.extend_from_slice(name.as_bytes());
    ready.extend((value.len() as u32).to_be_bytes());
    ready.extend_from_slice(value);
}

fn identity(mut properties: &[u8]) -> Option<Vec<u8>> {
    let mut found = Vec::new();
    while let Some((&length, rest)) = properties.split_first() {
        let (name, rest) = rest.split_at_checked(length.into())?;
        let (size, rest) = rest.split_first_chunk::<4>()?;
        let (value, rest) = rest.split_at_checked(u32::from_be_bytes(*size) as usize)?;
        if name.eq_ignore_ascii_case(b"Identity") {
            found = value.to_vec();
        }
        properties = rest;
    }
    Some(found)
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_is_found_among_properties() {
        let bytes = b"\x0bSocket-Type\x00\x00\x00\x06DEALER\x08identity\x00\x00\x00\x02me";
        assert_eq!(identity(bytes), Some(b"me".to_vec()));
        assert_eq!(identity(b""), Some(vec![]));
        for cut in 1..bytes.len() {
            // The end of the first property is the only place where less is whole.
            assert_eq!(identity(&bytes[..cut]), (cut == 22).then(Vec::new), "{cut}");
        }
    }
}
