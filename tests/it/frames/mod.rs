//! Frames: the rule, decoding, what becomes of bad files, pictures for people and models.

mod clips;
mod damage;
mod folders;
mod pictures;
mod rule;
mod workers;

use std::path::{Path, PathBuf};

use roborm::frames::{Decoder, DecoderOptions, Sampler, Sampling};

/// A clip of the fixtures, each of them hard in a way of its own (tests/fixtures/clips/make.py).
fn clip(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/clips").join(name)
}

/// A sampler with workers of its own, so that tests that end workers leave the others alone.
fn sampler(options: DecoderOptions) -> Sampler {
    Sampler::with_decoder(Decoder::new(options))
}

/// `fps` frames a second, nothing else.
fn at(fps: f64) -> Sampling {
    Sampling { fps, ..Sampling::default() }
}

/// CRC-32 (IEEE 802.3), bit by bit: what the reference files hold of pixels.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 })
    })
}

#[test]
fn the_checksum_of_these_tests_is_right() {
    // The check value of the CRC's catalogue entry.
    assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
}
