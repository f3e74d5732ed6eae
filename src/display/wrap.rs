//! Messages folded to the width of a terminal.

use super::terminal::Terminal;
use super::text;

/// By how much the lines of a message after its first are set in, beyond the first.
const HANG: usize = 2;
/// What a line of a command ends with that goes on in the next, in shells and at the prompt.
const GOES_ON: &str = " \\";

/// `message` with each of its lines folded between words where it is wider than the terminal, what follows set in; each
/// line ended by a line feed. As it is where there is no limit to the width.
///
/// Words are never broken: a path or an address that is wider than a line stands at the start of one, whole, so that it
/// can be taken from the screen as it is. What stands between backquotes is kept together where it fits. Colours
/// (`ESC [ … m`) may be in the message and take no room.
pub fn wrap(message: &str, terminal: &Terminal) -> String {
    folded(message, terminal, &['`'], "")
}

/// The same for a command: its lines end in a backslash but for the last, and no quotation is broken, so that it is still
/// that command when it is pasted.
pub fn wrap_command(command: &str, terminal: &Terminal) -> String {
    folded(command, terminal, &['\'', '"'], GOES_ON)
}

fn folded(message: &str, terminal: &Terminal, marks: &[char], joint: &str) -> String {
    let mut folded = String::with_capacity(message.len() + 16);
    for line in message.lines() {
        match terminal.width() {
            Some(columns) if width(line) > columns => fold(line, columns, marks, joint, &mut folded),
            _ => folded.push_str(line),
        }
        folded.push('\n');
    }
    folded
}

fn fold(line: &str, columns: usize, marks: &[char], joint: &str, folded: &mut String) {
    // A margin may not take the room of what stands behind it.
    let indent = (line.len() - line.trim_start_matches(' ').len()).min(columns / 4);
    let hang = (indent + HANG).min(columns / 4);
    let room = columns.saturating_sub(width(joint));
    folded.push_str(&" ".repeat(indent));
    let (mut at, mut is_first) = (indent, true);
    // A quotation of a command is whole however wide it is.
    let widest = if joint.is_empty() { room.saturating_sub(hang) } else { usize::MAX };
    for (blanks, word) in words(line.trim_start_matches(' '), marks, widest) {
        let wide = width(word);
        if is_first {
            is_first = false;
            at += wide;
        } else if at + blanks + wide <= room {
            folded.push_str(&" ".repeat(blanks));
            at += blanks + wide;
        } else {
            // One that is wider than the line with its margin gives up the margin.
            let margin = hang.min(room.saturating_sub(wide));
            folded.push_str(joint);
            folded.push('\n');
            folded.push_str(&" ".repeat(margin));
            at = margin + wide;
        }
        folded.push_str(word);
    }
}

/// The words of a line, each with the number of blanks before it. What stands between two of the same mark is one word,
/// where that is no wider than `widest`.
fn words<'a>(line: &'a str, marks: &[char], widest: usize) -> Vec<(usize, &'a str)> {
    let mut words = Vec::new();
    let mut rest = line;
    loop {
        let tail = rest.trim_start_matches(' ');
        if tail.is_empty() {
            return words;
        }
        let blanks = rest.len() - tail.len();
        let short = tail.find(' ').unwrap_or(tail.len());
        let whole = end_of_word(tail, marks);
        let end = if whole > short && width(&tail[..whole]) > widest { short } else { whole };
        words.push((blanks, &tail[..end]));
        rest = &tail[end..];
    }
}

/// Where the first blank is that stands between no two marks. A mark that is not closed is a letter like any other.
fn end_of_word(text: &str, marks: &[char]) -> usize {
    let mut at = 0;
    while let Some(letter) = text[at..].chars().next() {
        if letter == ' ' {
            return at;
        }
        at += letter.len_utf8();
        if marks.contains(&letter)
            && let Some(length) = text[at..].find(letter)
        {
            at += length + letter.len_utf8();
        }
    }
    text.len()
}

/// Columns of a text, colours not counted.
fn width(text: &str) -> usize {
    let mut pieces = text.split("\x1b[");
    let first = pieces.next().map_or(0, text::width);
    let after_code = |piece: &str| piece.find(|letter: char| letter.is_ascii_alphabetic()).map_or(0, |at| at + 1);
    first + pieces.map(|piece| text::width(&piece[after_code(piece)..])).sum::<usize>()
}
