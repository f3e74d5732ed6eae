//! Text from data, made safe to show and to fit.

use unicode_width::UnicodeWidthStr;

/// Columns that `text` takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// `text` with everything escaped that a terminal would act on or that would hide from a reader: control characters
/// (escape sequences start with one), line breaks and tabs, changes of writing direction, invisible characters. Letters
/// of every script, joiners and emoji stay.
pub fn clean(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_hostile(letter) {
            clean.extend(letter.escape_default());
        } else {
            clean.push(letter);
        }
    }
    clean
}

fn is_hostile(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            // Soft hyphen, marks, embeddings, overrides and isolates of direction, separators of lines.
            '\u{ad}' | '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            // Invisible operators, deprecated format characters, byte order mark, annotations, tags.
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// `text` cut to at most `columns`, with a sign where something is missing.
pub fn shorten(text: &str, columns: usize, sign: &str) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let (head, _) = split(text, columns.saturating_sub(width(sign)));
    let mut short = head.trim_end().to_owned();
    if width(sign) <= columns {
        short.push_str(sign);
    }
    short
}

/// What stands between the spaces of `text`, which are where it may be folded.
pub fn words_of(text: &str) -> impl Iterator<Item = &str> + Clone {
    text.split(' ').filter(|word| !word.is_empty())
}

/// `words` set in lines of at most `columns` with a space between; a word that is wider than a line is cut.
pub fn fold<'a>(words: impl IntoIterator<Item = &'a str>, columns: usize) -> Vec<String> {
    // A character may take two columns.
    let columns = columns.max(2);
    let mut lines = Vec::new();
    let mut line = String::new();
    for mut word in words.into_iter().filter(|word| !word.is_empty()) {
        loop {
            let lead = usize::from(!line.is_empty());
            let room = columns.saturating_sub(width(&line) + lead);
            let wide = width(word);
            // A long word (a path, a sentence in Chinese) starts where it is rather than on a line of its own.
            let cut = wide > columns && room >= 6.min(columns);
            if wide > room && !cut && lead > 0 {
                lines.push(std::mem::take(&mut line));
                continue;
            }
            if lead > 0 {
                line.push(' ');
            }
            if wide <= room {
                line.push_str(word);
                break;
            }
            let (head, tail) = split(word, room);
            line.push_str(head);
            lines.push(std::mem::take(&mut line));
            word = tail;
        }
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

/// The longest start of `text` that fits, at least one character, and the rest. A path is cut between its folders, where
/// that leaves no line nearly empty.
fn split(text: &str, columns: usize) -> (&str, &str) {
    // Marks without a width may pile up on a letter without end: no line is longer than this in bytes.
    let longest = columns.saturating_mul(16).saturating_add(64);
    let mut end = 0;
    for (start, letter) in text.char_indices() {
        let next = start + letter.len_utf8();
        let fits = next <= longest && text.get(..next).is_some_and(|head| width(head) <= columns);
        if !fits && end > 0 {
            break;
        }
        end = next;
    }
    let between = text[..end].rfind('/').map(|slash| slash + 1);
    let end = between.filter(|cut| width(&text[..*cut]) * 3 >= columns && *cut < text.len()).unwrap_or(end);
    text.split_at(end)
}
