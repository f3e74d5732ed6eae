//! GPT-2's way to write any bytes as printable characters, which the vocabulary of a byte-level tokenizer is written in.

/// The character that stands for each byte: itself where it is printable and no space, else one from U+0100 on.
pub(super) fn characters() -> [char; 256] {
    let printable = |byte: u8| matches!(byte, b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF);
    let mut next = 0x100_u32;
    std::array::from_fn(|byte| {
        let byte = byte as u8;
        if printable(byte) {
            return char::from(byte);
        }
        let character = char::from_u32(next).unwrap_or(char::REPLACEMENT_CHARACTER);
        next += 1;
        character
    })
}

/// The bytes that a word of the vocabulary stands for; none where it has a character that stands for no byte.
pub(super) fn bytes(word: &str, characters: &[char; 256]) -> Option<Vec<u8>> {
    let byte = |character: char| {
        // The first 256 code points are nearly all themselves, so that the search is short.
        let itself = u32::from(character) as usize;
        if itself < 256 && characters[itself] == character {
            return Some(itself as u8);
        }
        characters.iter().position(|&known| known == character).map(|byte| byte as u8)
    };
    word.chars().map(byte).collect()
}
