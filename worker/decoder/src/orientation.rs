//! How pictures are turned to be shown, from a container's display matrix.

/// Where a stored pixel is shown: `x' = a x + c y`, `y' = b x + d y`, with one of each pair 1 or -1 and the other 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Orientation {
    a: i8,
    b: i8,
    c: i8,
    d: i8,
}

impl Orientation {
    /// As stored.
    pub const UPRIGHT: Self = Self { a: 1, b: 0, c: 0, d: 1 };

    /// From the nine native-endian 32-bit numbers of a display matrix (ISO/IEC 14496-12, 8.3.2: a b u c d v x y w).
    ///
    /// Turns by quarters and mirrors are followed; a matrix that is neither is taken as the nearest of them, and one
    /// that is degenerate as upright.
    pub fn of(matrix: &[u8]) -> Self {
        let number = |at: usize| {
            matrix.get(at * 4..at * 4 + 4).and_then(|bytes| bytes.try_into().ok()).map_or(0, i32::from_ne_bytes)
        };
        let (a, b, c, d) = (number(0), number(1), number(3), number(4));
        let straight = i64::from(a).abs() + i64::from(d).abs();
        let crossed = i64::from(b).abs() + i64::from(c).abs();
        let sign = |number: i32| if number < 0 { -1 } else { 1 };
        if straight == 0 && crossed == 0 {
            Self::UPRIGHT
        } else if straight >= crossed {
            Self { a: sign(a), b: 0, c: 0, d: sign(d) }
        } else {
            Self { a: 0, b: sign(b), c: sign(c), d: 0 }
        }
    }

    /// The size shown of a picture stored as `width` by `height`.
    pub fn size(self, width: usize, height: usize) -> (usize, usize) {
        if self.a == 0 { (height, width) } else { (width, height) }
    }

    /// Copies RGB rows of `stride` bytes into rows without padding, turned.
    pub fn apply(self, stored: &[u8], stride: usize, width: usize, height: usize, shown: &mut [u8]) {
        let (shown_width, shown_height) = self.size(width, height);
        for (y, row) in shown.chunks_exact_mut(shown_width * 3).take(shown_height).enumerate() {
            for (x, pixel) in row.chunks_exact_mut(3).enumerate() {
                // The matrix is orthogonal: its transpose leads back from a shown pixel to the stored one.
                let along = if self.a != 0 { (self.a, x) } else { (self.b, y) };
                let down = if self.d != 0 { (self.d, y) } else { (self.c, x) };
                let at = |(sign, place): (i8, usize), length: usize| if sign < 0 { length - 1 - place } else { place };
                let from = at(down, height) * stride + at(along, width) * 3;
                pixel.copy_from_slice(&stored[from..from + 3]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(a: i32, b: i32, c: i32, d: i32) -> Orientation {
        let one = 1 << 16;
        let numbers = [a * one, b * one, 0, c * one, d * one, 0, 0, 0, 1 << 30];
        Orientation::of(&numbers.iter().flat_map(|n| n.to_ne_bytes()).collect::<Vec<u8>>())
    }

    /// Three by two: `1 2 3 / 4 5 6`.
    fn shown(orientation: Orientation) -> Vec<u8> {
        let stored: Vec<u8> = (1..=6u8).flat_map(|n| [n; 3]).collect();
        let mut out = vec![0; 18];
        orientation.apply(&stored, 9, 3, 2, &mut out);
        out.chunks(3).map(|pixel| pixel[0]).collect()
    }

    #[test]
    fn quarter_turns_and_mirrors() {
        assert_eq!(shown(matrix(1, 0, 0, 1)), [1, 2, 3, 4, 5, 6]);
        // x' = -y, y' = x: the top row becomes the right column.
        assert_eq!(shown(matrix(0, 1, -1, 0)), [4, 1, 5, 2, 6, 3]);
        assert_eq!(shown(matrix(-1, 0, 0, -1)), [6, 5, 4, 3, 2, 1]);
        assert_eq!(shown(matrix(0, -1, 1, 0)), [3, 6, 2, 5, 1, 4]);
        assert_eq!(shown(matrix(-1, 0, 0, 1)), [3, 2, 1, 6, 5, 4]);
    }

    #[test]
    fn a_degenerate_matrix_is_upright() {
        assert_eq!(Orientation::of(&[0; 36]), Orientation::UPRIGHT);
        assert_eq!(Orientation::of(&[1, 2]), Orientation::UPRIGHT);
    }
}
