//! What libav does not say of a container: that a Matroska file is shorter than its header declares. Its demuxer takes
//! the missing end for a plain end.

use std::fs;
use std::io::Read;

use roborm_wire::File;

/// Does a Matroska or WebM file end before its segment does? False for every other file.
pub fn is_cut(file: &File) -> bool {
    let mut head = Vec::new();
    let read = fs::File::open(&file.path).and_then(|opened| opened.take(1 << 16).read_to_end(&mut head));
    read.is_ok() && segment_end(&head).is_some_and(|end| end > file.stamp.bytes)
}

/// Where the segment ends, in bytes from the file's start (RFC 8794, RFC 9559); `None` where the file is no Matroska, or
/// does not know its end, as a live recording.
fn segment_end(head: &[u8]) -> Option<u64> {
    const EBML: [u8; 4] = [0x1a, 0x45, 0xdf, 0xa3];
    const SEGMENT: [u8; 4] = [0x18, 0x53, 0x80, 0x67];
    let (size, at) = size_at(head.strip_prefix(&EBML)?)?;
    let segment = at.checked_add(EBML.len())?.checked_add(usize::try_from(size).ok()?)?;
    let (size, at) = size_at(head.get(segment..)?.strip_prefix(&SEGMENT)?)?;
    (segment as u64 + SEGMENT.len() as u64 + at as u64).checked_add(size)
}

/// An element's size and how many bytes it takes to say it; `None` for the unknown size.
fn size_at(bytes: &[u8]) -> Option<(u64, usize)> {
    let first = *bytes.first()?;
    let length = first.leading_zeros() as usize + 1;
    let field = bytes.get(..length).filter(|_| length <= 8)?;
    let value = field.iter().fold(0u64, |sum, byte| sum << 8 | u64::from(*byte));
    let mask = (1u64 << (7 * length)) - 1;
    (value & mask != mask).then_some((value & mask, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_segment() {
        let head = |size: &[u8]| [&[0x1a, 0x45, 0xdf, 0xa3, 0x82, 0, 0, 0x18, 0x53, 0x80, 0x67], size].concat();
        assert_eq!(segment_end(&head(&[0x85])), Some(12 + 5));
        assert_eq!(segment_end(&head(&[0x01, 0, 0, 0, 0, 0, 1, 0])), Some(19 + 256));
        assert_eq!(segment_end(&head(&[0x01, 255, 255, 255, 255, 255, 255, 255])), None);
        assert_eq!(segment_end(&head(&[])), None);
        assert_eq!(segment_end(b"\0\0\0\x20ftypisom"), None);
    }
}
