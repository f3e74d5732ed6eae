//! Lines of code that an error points into, cut to the width of the terminal.

use roborm::display::{self, Terminal, Tone, text};

/// What stands where something was cut.
const CUT: &str = "...";

/// A line of a traceback.
enum Line<'a> {
    /// `12 | let x = …`: what stands before the code, and the code.
    Code(&'a str, &'a str),
    /// `   |     ^^^ what is wrong`: what stands before, blanks, signs, label.
    Mark {
        gutter: &'a str,
        blanks: usize,
        signs: &'a str,
        label: &'a str,
    },
    Other,
}

impl<'a> Line<'a> {
    /// Of a line without colours.
    fn of(line: &'a str) -> Self {
        let Some(bar) = line.find('|') else { return Self::Other };
        let (number, rest) = (line[..bar].trim(), line.get(bar + 2..).unwrap_or_default());
        let gutter = &line[..line.len() - rest.len()];
        if !number.is_empty() {
            return match number.bytes().all(|byte| byte.is_ascii_digit()) {
                true => Self::Code(gutter, rest),
                false => Self::Other,
            };
        }
        let marked = rest.trim_start();
        let end = marked.find(|letter| letter != '^' && letter != '-').unwrap_or(marked.len());
        let (signs, label) = marked.split_at(end);
        match signs.is_empty() {
            true => Self::Other,
            false => Self::Mark { gutter, blanks: rest.len() - marked.len(), signs, label: label.trim() },
        }
    }
}

/// The lines of a failure, for this terminal: words are folded, code that is too wide is cut around what is marked in it.
/// `bare` is the same without colours.
pub fn fitted(lines: &[String], bare: &[String], terminal: &Terminal) -> String {
    let columns = terminal.width().unwrap_or(usize::MAX);
    let mut fitted = String::new();
    let mut at = 0;
    while at < lines.len() {
        let parsed = Line::of(&bare[at]);
        let marks = bare[at + 1..].iter().take_while(|line| matches!(Line::of(line), Line::Mark { .. })).count();
        let group = at..at + 1 + marks;
        match parsed {
            Line::Code(gutter, code) if bare[group.clone()].iter().any(|line| text::width(line) > columns) => {
                cut(gutter, code, &bare[at + 1..group.end], columns, terminal, &mut fitted);
                at = group.end;
            }
            Line::Code(..) => {
                lines[group.clone()].iter().for_each(|line| fitted.extend([line.as_str(), "\n"]));
                at = group.end;
            }
            Line::Mark { .. } => {
                fitted.extend([lines[at].as_str(), "\n"]);
                at += 1;
            }
            Line::Other => {
                fitted.push_str(&display::wrap(&format!("{}\n", lines[at]), terminal));
                at += 1;
            }
        }
    }
    fitted
}

/// A line of code and what is marked in it, as far as there is room.
fn cut(gutter: &str, code: &str, marks: &[String], columns: usize, terminal: &Terminal, fitted: &mut String) {
    let room = columns.saturating_sub(text::width(gutter)).max(2 * CUT.len() + 2);
    let marks: Vec<_> = marks
        .iter()
        .filter_map(|line| match Line::of(line) {
            Line::Mark { gutter, blanks, signs, label } => Some((gutter, blanks, signs, label)),
            _ => None,
        })
        .collect();
    let wide = text::width(code);
    let first = marks.iter().map(|mark| mark.1).min().unwrap_or(0);
    let last = marks.iter().map(|mark| mark.1 + mark.2.len()).max().unwrap_or(0);
    // The start of the line, where all that is marked is in it; else from a little before the first mark on.
    let from = match wide <= room || last + CUT.len() <= room {
        true => 0,
        false => first.saturating_sub(room / 4).min(wide.saturating_sub(room)),
    };
    let (shown, is_whole) = window(code, from, room);
    let (begin, end) = (if from > 0 { CUT } else { "" }, if is_whole { "" } else { CUT });
    fitted.push_str(&format!("{}{begin}{shown}{end}\n", terminal.paint(Tone::Dim, gutter)));
    for (gutter, blanks, signs, label) in marks {
        let start = blanks.saturating_sub(from).min(room - 1);
        let signs = &signs[..signs.len().min(room - start)];
        let line =
            format!("{}{}{}", terminal.paint(Tone::Dim, gutter), " ".repeat(start), terminal.paint(Tone::Bad, signs));
        if start + signs.len() + 1 + text::width(label) <= room {
            fitted.push_str(format!("{line} {}", terminal.paint(Tone::Bad, label)).trim_end());
            fitted.push('\n');
        } else {
            // What it says stands below.
            fitted.push_str(&format!("{line}\n"));
            fitted.push_str(&display::wrap(&format!("  {label}"), terminal));
        }
    }
}

/// `room` columns of a line from column `from` on, without those that the signs of what is cut take; and whether it is
/// shown up to its end.
fn window(code: &str, from: usize, room: usize) -> (String, bool) {
    let begin = if from > 0 { from + CUT.len() } else { 0 };
    let is_whole = text::width(code) <= from + room;
    let until = from + room - if is_whole { 0 } else { CUT.len() };
    let (mut column, mut shown) = (0, String::new());
    for letter in code.chars() {
        let wide = text::width(letter.encode_utf8(&mut [0; 4]));
        if column >= begin && column + wide <= until {
            shown.push(letter);
        }
        column += wide;
    }
    (shown, is_whole)
}
