//! How wide the columns of a table are, and the table set that way.

use super::table::{Cell, Content, Table};
use super::terminal::{Terminal, Tone};
use super::text::{fold, width, words_of};

/// Spaces between columns.
const GAP: usize = 2;
/// Words are not folded into less than this while anything else can give way, and never into less than the second.
const COMFORTABLE: usize = 24;
const TIGHT: usize = 10;

/// The width of every column so that the table fits, or `None` where it cannot.
///
/// What gives way, in order: words down to a comfortable width, then figures set one part under the other and heads
/// folded, then words down to a tight one, and last of all in
/// the middle.
pub(super) fn widths(table: &Table, terminal: &Terminal) -> Option<Vec<usize>> {
    let words: Vec<Vec<Vec<String>>> =
        table.rows.iter().map(|row| row.iter().map(|cell| cell.words(terminal)).collect()).collect();
    let cells = |column: usize| words.iter().filter_map(move |row| row.get(column));
    let longest = |words: &[String]| words.iter().map(|word| width(word)).max().unwrap_or(0);

    let heads: Vec<Vec<String>> =
        table.columns.iter().map(|column| words_of(&column.name).map(str::to_owned).collect()).collect();
    // In one line, and with every part on a line of its own.
    let whole: Vec<usize> = heads
        .iter()
        .enumerate()
        .map(|(index, head)| {
            cells(index).map(|words| line_width(words)).max().unwrap_or(0).max(line_width(head)).max(1)
        })
        .collect();
    let Some(room) = terminal.width() else { return Some(whole) };
    let stacked: Vec<usize> = heads
        .iter()
        .enumerate()
        .map(|(index, head)| cells(index).map(|words| longest(words)).max().unwrap_or(0).max(longest(head)).max(1))
        .collect();
    let gaps = GAP * table.columns.len().saturating_sub(1);

    let figures = |index: usize| table.columns.get(index).is_some_and(|column| column.figures);
    for (stack, floor, words_whole) in
        [(false, COMFORTABLE, true), (true, COMFORTABLE, true), (true, TIGHT, true), (true, TIGHT, false)]
    {
        let least: Vec<usize> = whole
            .iter()
            .zip(&stacked)
            .enumerate()
            .map(|(index, (&whole, &stacked))| match (figures(index), stack) {
                (true, false) => whole,
                (true, true) => stacked,
                // A word is broken only where it is long, or where nothing else helps.
                (false, _) if words_whole => whole.min(floor.max(stacked.min(COMFORTABLE))),
                (false, _) => whole.min(floor),
            })
            .collect();
        let spare = room.checked_sub(least.iter().sum::<usize>() + gaps);
        if let Some(spare) = spare {
            return Some(share(least, &whole, spare));
        }
    }
    None
}

/// `least` grown towards `most` by `spare` columns in all: the narrowest that still wants more first.
fn share(mut widths: Vec<usize>, most: &[usize], mut spare: usize) -> Vec<usize> {
    while spare > 0 {
        let hungry =
            widths.iter_mut().zip(most).filter(|(width, most)| **width < **most).min_by_key(|(width, _)| **width);
        let Some((width, _)) = hungry else { break };
        *width += 1;
        spare -= 1;
    }
    widths
}

fn line_width(words: &[String]) -> usize {
    words.iter().map(|word| width(word)).sum::<usize>() + words.len().saturating_sub(1)
}

/// Header, rules and rows.
pub(super) fn side_by_side(table: &Table, widths: &[usize], terminal: &Terminal) -> Vec<String> {
    if table.columns.is_empty() {
        return Vec::new();
    }
    let rule = |sign: &str| {
        let dashes: Vec<String> = widths.iter().map(|&width| sign.repeat(width)).collect();
        terminal.paint(Tone::Dim, &dashes.join(&" ".repeat(GAP)))
    };
    let full = |sign: &str| {
        terminal.paint(Tone::Dim, &sign.repeat(widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1)))
    };
    let heads: Vec<Block> = table
        .columns
        .iter()
        .zip(widths)
        .map(|(column, &width)| Block {
            lines: fold(words_of(&column.name), width),
            width,
            right: column.figures,
            tone: Tone::Strong,
        })
        .collect();
    let mut lines = Vec::new();
    if terminal.unicode() {
        lines.push(full("━"));
    }
    // Heads stand on the rule: short ones are lowered.
    let high = heads.iter().map(|head| head.lines.len()).max().unwrap_or(0);
    let lowered: Vec<Block> = heads
        .into_iter()
        .map(|mut head| {
            let missing = high - head.lines.len();
            head.lines.splice(0..0, std::iter::repeat_n(String::new(), missing));
            head
        })
        .collect();
    lines.extend(beside(&lowered, terminal));
    lines.push(rule(terminal.either("─", "-")));
    for row in &table.rows {
        let blocks: Vec<Block> = row
            .iter()
            .zip(&table.columns)
            .zip(widths)
            .map(|((cell, column), &width)| Block {
                lines: cell_lines(cell, width, terminal),
                width,
                right: column.figures,
                tone: cell.tone,
            })
            .collect();
        lines.extend(beside(&blocks, terminal));
    }
    if terminal.unicode() {
        lines.push(full("━"));
    }
    lines
}

/// One cell in lines; those after the first of a text are set in, so that one sees where a row starts.
fn cell_lines(cell: &Cell, width: usize, terminal: &Terminal) -> Vec<String> {
    let words = cell.words(terminal);
    let words = words.iter().map(String::as_str);
    match cell.content {
        Content::Text(_) if width > 6 && line_width(&cell.words(terminal)) > width => {
            hanging(words, width, width - 2, 2)
        }
        _ => fold(words, width),
    }
}

/// `words` folded with a first line of another width, the others set in.
fn hanging<'a>(words: impl Iterator<Item = &'a str> + Clone, first: usize, rest: usize, indent: usize) -> Vec<String> {
    // Folded at both widths: the first line of the wide folding, then what is left of the words at the narrow one.
    let wide = fold(words.clone(), first);
    let Some(head) = wide.first() else { return wide };
    let text: Vec<&str> = words.collect();
    let text = text.join(" ");
    let tail = text.strip_prefix(head.as_str()).unwrap_or("");
    let mut lines = vec![head.clone()];
    if !tail.trim().is_empty() {
        lines.extend(fold(words_of(tail), rest).into_iter().map(|line| format!("{}{line}", " ".repeat(indent))));
    }
    lines
}

/// A note below a table in lines, set in after the first: one sees where the next begins.
pub(super) fn note(note: &str, terminal: &Terminal) -> Vec<String> {
    match terminal.width() {
        Some(room) if room > 6 => hanging(words_of(note), room, room - 2, 2),
        room => fold(words_of(note), room.unwrap_or(usize::MAX)),
    }
}

/// A cell ready to be set.
struct Block {
    lines: Vec<String>,
    width: usize,
    right: bool,
    tone: Tone,
}

fn beside(blocks: &[Block], terminal: &Terminal) -> Vec<String> {
    let high = blocks.iter().map(|block| block.lines.len()).max().unwrap_or(0);
    (0..high)
        .map(|row| {
            let mut line = String::new();
            // Spaces that are owed before the next text: none are left at the end of a line.
            let mut owed = 0;
            for (index, block) in blocks.iter().enumerate() {
                let text = block.lines.get(row).map_or("", String::as_str);
                let pad = block.width.saturating_sub(width(text));
                owed += if index > 0 { GAP } else { 0 };
                owed += if block.right { pad } else { 0 };
                if !text.is_empty() {
                    line.push_str(&" ".repeat(owed));
                    line.push_str(&terminal.paint(block.tone, text));
                    owed = 0;
                }
                owed += if block.right { 0 } else { pad };
            }
            line
        })
        .collect()
}

/// Every row as a list of `name  value`.
pub(super) fn lists(table: &Table, terminal: &Terminal) -> Vec<String> {
    let room = terminal.width().unwrap_or(usize::MAX);
    let names = table.columns.iter().map(|column| width(&column.name)).max().unwrap_or(0).min(room / 3);
    let mut lines = Vec::new();
    for (index, row) in table.rows.iter().enumerate() {
        if index > 0 {
            lines.push(terminal.paint(Tone::Dim, &terminal.either("─", "-").repeat(room.min(names + GAP + 12))));
        }
        for (cell, column) in row.iter().zip(&table.columns) {
            let words = cell.words(terminal);
            let figure = if column.figures { words.iter().map(|word| width(word)).max().unwrap_or(0) } else { 0 };
            let value = room.saturating_sub(names + GAP).max(2);
            let lines_in = |columns: usize| fold(words.iter().map(String::as_str), columns);
            let block = |lines: Vec<String>, width: usize, tone: Tone| Block { lines, width, right: false, tone };
            if figure > value {
                // A figure that does not fit beside its name stands below it, whole.
                lines.extend(beside(&[block(fold(words_of(&column.name), room), room, Tone::Strong)], terminal));
                lines.extend(beside(&[block(lines_in(room), room, cell.tone)], terminal));
            } else {
                let name = block(fold(words_of(&column.name), names), names, Tone::Strong);
                lines.extend(beside(&[name, block(lines_in(value), value, cell.tone)], terminal));
            }
        }
    }
    lines
}
