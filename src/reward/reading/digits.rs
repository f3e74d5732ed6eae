//! Digits of every script.

/// The zero of every run of decimal digits outside ASCII (general category Nd, Unicode 14.0.0); nine more follow each.
#[rustfmt::skip]
const ZEROS: [u32; 65] = [
    0x00660, 0x006F0, 0x007C0, 0x00966, 0x009E6, 0x00A66, 0x00AE6, 0x00B66, 0x00BE6, 0x00C66, 0x00CE6, 0x00D66,
    0x00DE6, 0x00E50, 0x00ED0, 0x00F20, 0x01040, 0x01090, 0x017E0, 0x01810, 0x01946, 0x019D0, 0x01A80, 0x01A90,
    0x01B50, 0x01BB0, 0x01C40, 0x01C50, 0x0A620, 0x0A8D0, 0x0A900, 0x0A9D0, 0x0A9F0, 0x0AA50, 0x0ABF0, 0x0FF10,
    0x104A0, 0x10D30, 0x11066, 0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650, 0x116C0, 0x11730,
    0x118E0, 0x11950, 0x11C50, 0x11D50, 0x11DA0, 0x16A60, 0x16AC0, 0x16B50, 0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC,
    0x1D7F6, 0x1E140, 0x1E2F0, 0x1E950, 0x1FBF0,
];

/// Circled and parenthesised digits, by the code of their digit one.
const CIRCLED_ONES: [u32; 6] = [0x2460, 0x2474, 0x24F5, 0x2776, 0x2780, 0x278A];

/// The decimal value of a digit of any script.
pub(super) fn value(c: char) -> Option<u8> {
    if c.is_ascii() {
        return c.to_digit(10).map(|digit| digit as u8);
    }
    let code = u32::from(c);
    let run = ZEROS.partition_point(|&zero| zero <= code);
    let in_run = run.checked_sub(1).and_then(|run| ZEROS.get(run)).map(|zero| code - zero).filter(|&digit| digit <= 9);
    let circled = || CIRCLED_ONES.iter().find(|&&one| (one..one + 9).contains(&code)).map(|one| code - one + 1);
    in_run.or_else(circled).map(|digit| digit as u8)
}
