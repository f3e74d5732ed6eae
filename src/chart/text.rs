//! Text from data on its way into charts and pages: made harmless, wrapped, and numbers in one form.

use unicode_width::UnicodeWidthChar;

use crate::paraphrase::Strategy;

/// Columns of a hover label: what a phone of 390 pixels shows.
pub(super) const HOVER_WIDTH: usize = 44;
/// Lines of an instruction in a hover label; the tables have the rest.
const HOVER_LINES: usize = 9;

/// Drops control characters (NUL, escape sequences' lead-in, …) but line ends and tabs, and marks that reorder the text
/// around them, which could make a page show another instruction than the data has.
pub(super) fn clean(text: &str) -> String {
    text.chars()
        .filter(|c| matches!(c, '\n' | '\t') || !c.is_control())
        .filter(|c| !matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
        .collect()
}

/// `text` for plotly, which reads a small dialect of HTML in every label (`<b>`, `<br>`, `<a href>`, entities).
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in clean(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\n' | '\t' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// `text` cut into lines of at most `width` columns at blanks (words longer than a line are cut), at most `lines` of
/// them; an ellipsis where something was left out.
pub(super) fn wrap(text: &str, width: usize, lines: usize) -> Vec<String> {
    let mut done: Vec<String> = Vec::new();
    let (mut line, mut used) = (String::new(), 0);
    let text = clean(text);
    'words: for word in text.split_whitespace() {
        let word_width: usize = word.chars().map(|c| c.width().unwrap_or(0)).sum();
        if used > 0 && used + 1 + word_width > width {
            done.push(std::mem::take(&mut line));
            used = 0;
        } else if used > 0 {
            line.push(' ');
            used += 1;
        }
        for c in word.chars() {
            let w = c.width().unwrap_or(0);
            if used + w > width && used > 0 {
                done.push(std::mem::take(&mut line));
                used = 0;
            }
            if done.len() > lines {
                break 'words;
            }
            line.push(c);
            used += w;
        }
    }
    if !line.is_empty() {
        done.push(line);
    }
    if done.len() > lines {
        done.truncate(lines);
        if let Some(last) = done.last_mut() {
            last.push('…');
        }
    }
    done
}

/// [`wrap`]ped and [`escape`]d, lines joined by `<br>`, each isolated from the direction of the text around it.
pub(super) fn wrapped(text: &str, width: usize, lines: usize) -> String {
    let isolate = |line: &String| match line.chars().any(right_to_left) {
        true => format!("\u{2068}{}\u{2069}", escape(line)),
        false => escape(line),
    };
    wrap(text, width, lines).iter().map(isolate).collect::<Vec<_>>().join("<br>")
}

/// An instruction in a hover label.
pub(super) fn hover_instruction(instruction: &str) -> String {
    format!("“{}”", wrapped(instruction, HOVER_WIDTH, HOVER_LINES))
}

/// A model's name on an axis or in a legend: wrapped at its own separators where it is long.
pub(super) fn model_label(name: &str) -> String {
    const WIDTH: usize = 20;
    let mut lines: Vec<String> = vec![String::new()];
    for piece in clean(name).split_inclusive(['/', '-', ' ', ':', '_']) {
        let length = lines.last().map_or(0, |line| line.chars().count());
        if length > 0 && length + piece.chars().count() > WIDTH {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            line.push_str(piece);
        }
    }
    lines.iter().map(|line| wrapped(line, WIDTH + 8, 2)).collect::<Vec<_>>().join("<br>")
}

/// The names of strategies in a legend, one a strategy: wrapped, and where two would look alike once cut, with their ends.
pub(super) fn strategy_labels(strategies: &[&Strategy]) -> Vec<String> {
    const WIDTH: usize = 22;
    let cut = |name: &str| wrapped(name, WIDTH, 2);
    let shown: Vec<String> = strategies.iter().map(|strategy| cut(strategy.as_str())).collect();
    let with_end = |name: &str| {
        let letters: Vec<char> = clean(name).chars().collect();
        let piece = |from: usize, to: usize| letters[from..to].iter().collect::<String>();
        match letters.len() > 2 * WIDTH {
            true => {
                format!("{}…<br>…{}", cut(&piece(0, WIDTH - 1)), cut(&piece(letters.len() - WIDTH + 1, letters.len())))
            }
            false => cut(name),
        }
    };
    let alike = |label: &String| shown.iter().filter(|other| *other == label).count() > 1;
    strategies
        .iter()
        .zip(&shown)
        .map(|(strategy, label)| if alike(label) { with_end(strategy.as_str()) } else { label.clone() })
        .collect()
}

fn right_to_left(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}' | '\u{10800}'..='\u{10fff}'
        | '\u{1e800}'..='\u{1efff}')
}

/// Plotly's dialect of HTML back to plain text: tags dropped, entities read, `<br>` a blank.
pub(super) fn plain(label: &str) -> String {
    let mut out = String::with_capacity(label.len());
    let mut rest = label;
    while let Some(start) = rest.find('<') {
        out.push_str(&rest[..start]);
        let Some(length) = rest[start..].find('>') else {
            out.push_str(&rest[start..]);
            rest = "";
            break;
        };
        if rest[start..].starts_with("<br") {
            out.push(' ');
        }
        rest = &rest[start + length + 1..];
    }
    out.push_str(rest);
    out.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// The shortest decimal form: `3.5`, `4`.
pub(super) fn number(value: f64) -> String {
    let rounded = format!("{value:.6}");
    rounded.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A whole number with thousands apart: `2,831`.
pub(super) fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A figure to `digits` decimals, with its interval: `0.30 [0.21, 0.40]`, `–` where there is none.
pub(super) fn estimate(value: Option<f64>, interval: Option<(f64, f64)>, digits: usize) -> String {
    match (value.filter(|v| v.is_finite()), interval) {
        (None, _) => "–".to_owned(),
        (Some(value), None) => format!("{value:.digits$}"),
        (Some(value), Some((lo, hi))) => format!("{value:.digits$} [{lo:.digits$}, {hi:.digits$}]"),
    }
}

/// `n = 8 trajectories`, or `n = 5 to 8 trajectories a point` where it differs.
pub(super) fn n_text(ns: impl IntoIterator<Item = u64>, one: &str, many: &str) -> String {
    let mut ns = ns.into_iter();
    let Some(first) = ns.next() else { return format!("n = 0 {many}") };
    let (lo, hi) = ns.fold((first, first), |(lo, hi), n| (lo.min(n), hi.max(n)));
    match lo == hi {
        true if lo == 1 => format!("n = 1 {one}"),
        true => format!("n = {} {many}", count(lo)),
        false => format!("n = {} to {} {many} a point", count(lo), count(hi)),
    }
}

/// The text with its first letter large.
pub(super) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
