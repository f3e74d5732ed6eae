//! What is taken off a reply before it is read: think tags, the marks of Markdown, odd forms of plain characters.

/// A reply without its trimmings.
pub(super) struct Cleaned {
    /// The text that is left.
    pub(super) text: String,
    /// Whether think tags were taken off.
    pub(super) thought: bool,
}

pub(super) fn clean(text: &str) -> Cleaned {
    let (text, thought) = without_thought(text);
    let text: String = text.chars().filter_map(plain).collect();
    let text = text.replace("->", "→").replace("=>", "→").replace("~~", "  ");
    let lines: Vec<String> = text.lines().map(plain_line).collect();
    Cleaned { text: lines.join("\n"), thought }
}

/// Names of the tags that models think in.
const THOUGHT: [&str; 5] = ["think", "thinking", "thought", "reasoning", "analysis"];

/// Without the spans between think tags. A tag that is never closed runs to the end (the reply stopped while thinking);
/// one that was never opened starts at the beginning (chat templates that open it in the prompt).
fn without_thought(text: &str) -> (String, bool) {
    // Same length in bytes as the text, so that places in one are places in the other.
    let lower = text.to_ascii_lowercase();
    let mut kept = String::new();
    let mut thought = false;
    let mut at = 0;
    while let Some(tag) = next_tag(&lower, at) {
        thought = true;
        if tag.closing {
            kept.clear();
            at = tag.end;
            continue;
        }
        kept.push_str(&text[at..tag.start]);
        let close = format!("</{}>", tag.name);
        match lower[tag.end..].find(&close) {
            Some(found) => at = tag.end + found + close.len(),
            None => return (kept, true),
        }
    }
    kept.push_str(&text[at..]);
    (kept, thought)
}

struct Tag {
    start: usize,
    end: usize,
    name: &'static str,
    closing: bool,
}

fn next_tag(lower: &str, from: usize) -> Option<Tag> {
    lower[from..].match_indices('<').find_map(|(offset, _)| {
        let start = from + offset;
        let inner = &lower[start + 1..];
        let (closing, inner) = match inner.strip_prefix('/') {
            Some(inner) => (true, inner),
            None => (false, inner),
        };
        let name =
            THOUGHT.into_iter().find(|name| inner.strip_prefix(name).is_some_and(|rest| rest.starts_with('>')))?;
        Some(Tag { start, end: start + 2 + usize::from(closing) + name.len(), name, closing })
    })
}

/// A character in its plain form, or nothing where it only shapes its neighbours.
fn plain(c: char) -> Option<char> {
    Some(match c {
        // Zero width, direction marks, variation selectors, the key of a keycap digit, soft hyphen.
        '\u{200B}'..='\u{200F}'
        | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{2069}'
        | '\u{FEFF}'
        | '\u{FE00}'..='\u{FE0F}'
        | '\u{20E3}'
        | '\u{AD}' => return None,
        // Full-width forms of ASCII.
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(u32::from(c) - 0xFEE0).unwrap_or(c),
        '。' | '।' | '۔' => '.',
        '、' | '،' => ',',
        '∶' | '꞉' => ':',
        '⁄' | '∕' => '/',
        '−' | '‐' | '‑' => '-',
        '⟶' | '⇒' | '➔' | '➡' => '→',
        '“' | '”' | '„' | '«' | '»' => '"',
        '’' | '‘' => '\'',
        '`' | '*' => ' ',
        // Before digits are given their values, so that a digit of any script is told by `char::to_digit` from here on.
        c => match super::digits::value(c) {
            Some(digit) => char::from(b'0' + digit),
            None => c,
        },
    })
}

/// A line without its quote marks, heading marks, bullet or rule, and without emphasis by underscores.
fn plain_line(line: &str) -> String {
    let mut line = line.trim();
    loop {
        let shorter = line.trim_start_matches('>').trim_start();
        // "#4" is an id, "# 4" a heading.
        let unheaded = shorter.trim_start_matches('#');
        let shorter = if unheaded.len() < shorter.len() && unheaded.starts_with(char::is_whitespace) {
            unheaded.trim_start()
        } else {
            shorter
        };
        let shorter = ["- ", "+ ", "• ", "◦ ", "▪ ", "– ", "— "]
            .iter()
            .find_map(|bullet| shorter.strip_prefix(bullet))
            .map_or(shorter, str::trim_start);
        if shorter.len() == line.len() {
            break;
        }
        line = shorter;
    }
    if !line.is_empty() && line.chars().all(|c| matches!(c, '-' | '_' | '=' | '~' | '|' | ':' | ' ')) && line.len() >= 3
    {
        return String::new();
    }
    without_emphasis(line)
}

/// Underscores that hug a word or a number go ("_4_", "__Score__: 4"); those inside a name stay ("final_score").
fn without_emphasis(line: &str) -> String {
    let chars: Vec<char> = line.chars().collect();
    let inside = |at: usize| chars.get(at).is_some_and(|c| c.is_alphanumeric());
    (0..chars.len())
        .map(|at| {
            if chars[at] != '_' {
                return chars[at];
            }
            let before = chars[..at].iter().rposition(|&c| c != '_');
            let after = chars[at..].iter().position(|&c| c != '_').map(|offset| at + offset);
            if before.is_some_and(inside) && after.is_some_and(inside) { '_' } else { ' ' }
        })
        .collect()
}
