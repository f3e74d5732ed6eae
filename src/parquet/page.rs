//! The headers of a column's pages, in Thrift's compact protocol.

/// Fields of a page's header, and of what it holds (parquet.thrift, `PageHeader`).
const KIND: i16 = 1;
const UNCOMPRESSED: i16 = 2;
const COMPRESSED: i16 = 3;
const DATA: i16 = 5;
const DICTIONARY: i16 = 7;
const DATA_V2: i16 = 8;
const VALUES: i16 = 1;

/// Structs in structs, at most: those of a page's header have three.
const DEPTH: u8 = 16;

/// The bytes that the pages of a column of `values` values come to once they are decompressed.
///
/// # Errors
/// What is wrong with them.
pub(super) fn bytes(pages: &[u8], values: u64) -> Result<u64, &'static str> {
    const CUT: &str = "a page's header cannot be read";
    let mut rest = Bytes(pages);
    let (mut total, mut seen) = (0u64, 0u64);
    while !rest.0.is_empty() && seen < values {
        let header = header(&mut rest).ok_or(CUT)?;
        rest.take(header.compressed).ok_or("a page is longer than its column")?;
        if header.in_dictionary > header.uncompressed {
            return Err("a dictionary of more values than bytes");
        }
        seen += header.values;
        total += header.uncompressed;
    }
    match seen <= values {
        true => Ok(total),
        false => Err("its pages hold more values than its footer says"),
    }
}

/// What is needed of a header.
#[derive(Default)]
struct Header {
    uncompressed: u64,
    compressed: u64,
    /// Values of a page of data.
    values: u64,
    /// Values of a dictionary.
    in_dictionary: u64,
}

fn header(rest: &mut Bytes<'_>) -> Option<Header> {
    let mut header = Header::default();
    let mut field = 0;
    while let Some(kind) = rest.field(&mut field)? {
        let count = |number: i64| u64::try_from(number).ok().filter(|number| *number <= i32::MAX as u64);
        match (field, kind) {
            (UNCOMPRESSED, Kind::Number) => header.uncompressed = count(rest.number()?)?,
            (COMPRESSED, Kind::Number) => header.compressed = count(rest.number()?)?,
            (DATA | DATA_V2, Kind::Struct) => header.values = count(rest.first_number(VALUES)?)?,
            (DICTIONARY, Kind::Struct) => header.in_dictionary = count(rest.first_number(VALUES)?)?,
            (KIND, Kind::Number) => drop(rest.number()?),
            (_, kind) => rest.skip(kind, DEPTH)?,
        }
    }
    Some(header)
}

/// Types of values, as far as they take different room.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Nothing follows: the type is the value.
    Flag,
    Byte,
    /// A whole number of any width.
    Number,
    Double,
    Text,
    List,
    Map,
    Struct,
}

impl Kind {
    fn of(code: u8) -> Option<Self> {
        Some(match code {
            1 | 2 => Self::Flag,
            3 => Self::Byte,
            4..=6 => Self::Number,
            7 => Self::Double,
            8 => Self::Text,
            9 | 10 => Self::List,
            11 => Self::Map,
            12 => Self::Struct,
            _ => return None,
        })
    }
}

/// What is still to be read; `None` everywhere where it ends too early or makes no sense.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn take(&mut self, count: u64) -> Option<()> {
        self.0 = self.0.get(usize::try_from(count).ok()?..)?;
        Some(())
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// Zigzag: the sign is the last bit.
    fn number(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// The type of the next field, whose id becomes `field`; `Some(None)` at the end of the struct.
    fn field(&mut self, field: &mut i16) -> Option<Option<Kind>> {
        let byte = self.byte()?;
        if byte == 0 {
            return Some(None);
        }
        *field = match byte >> 4 {
            0 => i16::try_from(self.number()?).ok()?,
            delta => field.checked_add(delta.into())?,
        };
        Kind::of(byte & 0x0f).map(Some)
    }

    /// The number in field `wanted` of a struct, of which the rest is read past.
    fn first_number(&mut self, wanted: i16) -> Option<i64> {
        let (mut field, mut found) = (0, None);
        while let Some(kind) = self.field(&mut field)? {
            match kind {
                Kind::Number if field == wanted => found = Some(self.number()?),
                kind => self.skip(kind, DEPTH)?,
            }
        }
        found
    }

    fn skip(&mut self, kind: Kind, depth: u8) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match kind {
            Kind::Flag => Some(()),
            Kind::Byte => self.take(1),
            Kind::Number => self.varint().map(drop),
            Kind::Double => self.take(8),
            Kind::Text => {
                let length = self.varint()?;
                self.take(length)
            }
            Kind::List => {
                let byte = self.byte()?;
                let count = match byte >> 4 {
                    15 => self.varint()?,
                    count => count.into(),
                };
                let kind = Kind::of(byte & 0x0f)?;
                self.skip_all(&[kind], count, depth)
            }
            Kind::Map => match self.varint()? {
                0 => Some(()),
                count => {
                    let byte = self.byte()?;
                    self.skip_all(&[Kind::of(byte >> 4)?, Kind::of(byte & 0x0f)?], count, depth)
                }
            },
            Kind::Struct => {
                let mut field = 0;
                while let Some(kind) = self.field(&mut field)? {
                    self.skip(kind, depth)?;
                }
                Some(())
            }
        }
    }

    /// Elements of a list or a map: a flag takes a byte there.
    fn skip_all(&mut self, kinds: &[Kind], count: u64, depth: u8) -> Option<()> {
        for _ in 0..count {
            for kind in kinds {
                match kind {
                    Kind::Flag => self.take(1)?,
                    kind => self.skip(*kind, depth)?,
                }
            }
        }
        Some(())
    }
}
