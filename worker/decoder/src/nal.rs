//! Which H.264 and HEVC pictures no other picture refers to, read from the headers of their NAL units.

use ffmpeg_next::codec::Id;

/// How a stream's packets are cut into NAL units.
#[derive(Clone, Copy)]
pub struct Layout {
    codec: Codec,
    length_bytes: usize,
}

#[derive(Clone, Copy)]
enum Codec {
    H264,
    Hevc,
}

/// What one packet's headers say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Nature {
    /// No picture of the same temporal layer refers to it.
    pub unreferenced: bool,
    /// Temporal layer (HEVC; 0 in H.264, where "unreferenced" counts for all layers).
    pub layer: u8,
}

impl Layout {
    /// The layout of length-prefixed packets (MP4, Matroska); `None` where packets cannot be told apart cheaply, as in
    /// streams with start codes.
    pub fn of(codec: Id, extradata: &[u8]) -> Option<Self> {
        // ISO/IEC 14496-15: avcC has lengthSizeMinusOne in byte 4, hvcC in byte 21; both start with a version of 1.
        let (codec, at) = match codec {
            Id::H264 => (Codec::H264, 4),
            Id::HEVC => (Codec::Hevc, 21),
            _ => return None,
        };
        if extradata.first() != Some(&1) {
            return None;
        }
        let length_bytes = usize::from(extradata.get(at)? & 3) + 1;
        Some(Self { codec, length_bytes })
    }

    /// What a packet's headers say; where they make no sense, that it is referred to.
    pub fn nature(&self, packet: &[u8]) -> Nature {
        let referenced = Nature { unreferenced: false, layer: 0 };
        let mut slices = 0;
        let mut layer = 0;
        let mut rest = packet;
        while !rest.is_empty() {
            let Some((prefix, after)) = rest.split_at_checked(self.length_bytes) else { return referenced };
            let length = prefix.iter().fold(0usize, |sum, byte| sum << 8 | usize::from(*byte));
            let Some((unit, after)) = after.split_at_checked(length) else { return referenced };
            rest = after;
            match (self.codec, unit) {
                // ITU-T H.264, 7.3.1: forbidden bit, nal_ref_idc (2), nal_unit_type (5).
                (Codec::H264, [head, ..]) => match head & 0x1f {
                    1..=5 if head & 0x60 == 0 => slices += 1,
                    // Access unit delimiters, messages and filler carry no state; parameter sets, layers of scalable
                    // streams and whatever is unknown may.
                    6 | 9 | 12 => {}
                    _ => return referenced,
                },
                // ITU-T H.265, 7.3.1.2: forbidden bit, nal_unit_type (6), nuh_layer_id (6), nuh_temporal_id_plus1 (3).
                (Codec::Hevc, [head, second, ..]) => match head >> 1 & 0x3f {
                    // Table 7-1: the even types below 16 are the sub-layer non-reference pictures.
                    kind @ 0..=14 if kind % 2 == 0 => {
                        slices += 1;
                        layer = (second & 7).saturating_sub(1);
                    }
                    0..=31 => return Nature { unreferenced: false, layer: (second & 7).saturating_sub(1) },
                    35 | 38..=40 => {}
                    _ => return referenced,
                },
                _ => return referenced,
            }
        }
        Nature { unreferenced: slices > 0, layer }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AVCC: [u8; 7] = [1, 100, 0, 31, 0xff, 0xe1, 0];

    fn h264(units: &[&[u8]]) -> Nature {
        let packet: Vec<u8> =
            units.iter().flat_map(|unit| [&(unit.len() as u32).to_be_bytes(), *unit].concat()).collect();
        Layout::of(Id::H264, &AVCC)
            .map(|layout| layout.nature(&packet))
            .unwrap_or(Nature { unreferenced: false, layer: 9 })
    }

    #[test]
    fn a_picture_counts_as_unreferenced_only_when_every_slice_says_so() {
        assert!(h264(&[&[0x01, 0, 0]]).unreferenced);
        assert!(h264(&[&[0x06, 5], &[0x01, 0], &[0x01, 0]]).unreferenced);
        assert!(!h264(&[&[0x01, 0], &[0x41, 0]]).unreferenced);
        assert!(!h264(&[&[0x65, 0]]).unreferenced);
        // A parameter set in the packet is state that later pictures need.
        assert!(!h264(&[&[0x68, 0], &[0x01, 0]]).unreferenced);
        assert!(!h264(&[&[0x06, 5]]).unreferenced);
    }

    #[test]
    fn a_packet_that_makes_no_sense_is_kept() {
        let layout = Layout::of(Id::H264, &AVCC).map(|layout| layout.nature(&[0, 0, 0, 9, 1]));
        assert_eq!(layout, Some(Nature { unreferenced: false, layer: 0 }));
        assert!(Layout::of(Id::H264, &[0, 0, 0, 1, 0x67]).is_none());
        assert!(Layout::of(Id::VP9, &AVCC).is_none());
    }
}
