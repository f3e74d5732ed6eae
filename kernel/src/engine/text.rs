//! Bytes of a stream on their way to text.

/// Bytes of text that one cell may print; what is beyond is counted, not kept.
pub(super) const MOST: usize = 8 << 20;

/// Bytes on their way to text: a character may come in two pieces, and evcxr's own way to show values is lines of text.
#[derive(Default)]
pub(super) struct Text {
    pending: Vec<u8>,
    content: Option<(String, String)>,
    seen: usize,
    left_out: usize,
}

/// What came.
pub(super) enum Piece {
    Text(String),
    /// A value shown in evcxr's own way: its MIME type and its form.
    Content(String, String),
}

const BEGIN: &str = "EVCXR_BEGIN_CONTENT ";
const END: &str = "EVCXR_END_CONTENT";

impl Text {
    /// A cell begins.
    pub fn begin(&mut self) {
        (self.seen, self.left_out) = (0, 0);
        self.content = None;
    }

    /// A cell ends: what is left of its text.
    pub fn end(&mut self) -> String {
        let rest = std::mem::take(&mut self.pending);
        self.bounded(String::from_utf8_lossy(&rest).into_owned())
    }

    /// Bytes that came; what can be told of them.
    pub fn take(&mut self, bytes: &[u8], is_out: bool) -> Vec<Piece> {
        if self.left_out > 0 && self.content.is_none() {
            // It is too much already: nothing more is looked at.
            self.left_out += bytes.len();
            return Vec::new();
        }
        self.pending.extend_from_slice(bytes);
        let whole = whole(&self.pending);
        let rest = self.pending.split_off(whole);
        let text = std::mem::replace(&mut self.pending, rest);
        let text = String::from_utf8_lossy(&text).into_owned();
        if !is_out || (self.content.is_none() && !text.contains(BEGIN)) {
            let text = self.bounded(text);
            return if text.is_empty() { Vec::new() } else { vec![Piece::Text(text)] };
        }
        self.with_content(&text)
    }

    /// Bytes of the cell that are not told of.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    fn with_content(&mut self, text: &str) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut plain = String::new();
        for line in text.split_inclusive('\n') {
            let bare = line.trim_end_matches('\n');
            match &mut self.content {
                Some(_) if bare == END => {
                    if let Some((mime, content)) = self.content.take() {
                        pieces.push(Piece::Content(mime, content.trim_end_matches('\n').to_owned()));
                    }
                }
                Some((_, content)) => content.push_str(line),
                None => match bare.strip_prefix(BEGIN) {
                    Some(mime) => {
                        let text = self.bounded(std::mem::take(&mut plain));
                        pieces.push(Piece::Text(text));
                        self.content = Some((mime.to_owned(), String::new()));
                    }
                    None => plain.push_str(line),
                },
            }
        }
        pieces.push(Piece::Text(self.bounded(plain)));
        pieces
    }

    /// `text`, or as much of it as the cell may still print.
    fn bounded(&mut self, mut text: String) -> String {
        let room = MOST.saturating_sub(self.seen);
        if text.len() > room {
            let cut = (0..=room).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            self.left_out += text.len() - cut;
            text.truncate(cut);
        }
        self.seen += text.len();
        text
    }
}

/// How many of the bytes are whole characters, or no characters at all.
fn whole(bytes: &[u8]) -> usize {
    let tail = bytes.len().saturating_sub(3);
    for at in (tail..bytes.len()).rev() {
        let length = match bytes[at] {
            0xc0..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf7 => 4,
            _ => continue,
        };
        return if at + length > bytes.len() { at } else { bytes.len() };
    }
    bytes.len()
}
