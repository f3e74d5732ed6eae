//! The text of a cell as evcxr is given it, and the way back to what was typed.

/// The end of the line that comes before a value which evcxr shows in its second way.
const SHOWS: &str = "\"{:?}\",&(";

/// A piece of a text, and what stands in its place.
#[derive(Clone, Debug)]
pub(super) struct Edit {
    pub at: usize,
    pub until: usize,
    pub text: String,
}

/// A text with changes, none of which adds or removes a line, and the way back.
#[derive(Clone)]
pub(super) struct Edited {
    pub text: String,
    /// Line from 1; column in the changed text, from 1; characters that were there, and that are.
    changes: Vec<(usize, usize, usize, usize)>,
}

impl Edited {
    /// The text with these changes.
    pub fn new(source: &str, mut edits: Vec<Edit>) -> Self {
        edits.sort_by_key(|edit| edit.at);
        let mut text = String::with_capacity(source.len() + 64 * edits.len());
        let mut changes = Vec::new();
        let mut done = 0;
        for edit in edits {
            if edit.at < done {
                continue;
            }
            text.push_str(&source[done..edit.at]);
            let line = text.matches('\n').count() + 1;
            let column = text.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
            let (was, is) = (source[edit.at..edit.until].chars().count(), edit.text.chars().count());
            changes.push((line, column, was, is));
            text.push_str(&edit.text);
            done = edit.until;
        }
        text.push_str(&source[done..]);
        Self { text, changes }
    }

    /// Whether anything was changed.
    pub fn is_changed(&self) -> bool {
        !self.changes.is_empty()
    }

    /// The line and the column of the text, of those of what evcxr made of it: there every statement begins a line.
    pub fn place_of(&self, compiled: &str, line: usize, column: usize) -> Option<(usize, usize)> {
        // What is shown stands in brackets, whose beginning is the line before.
        let opens = |line: &str| line.trim() == "(" || line.ends_with(SHOWS);
        let typed = compiled.lines().nth(line.checked_sub(1)?)?;
        let (line, whole, column) = match opens(typed) {
            true => (line + 1, compiled.lines().nth(line)?, 1),
            false => (line, typed, column),
        };
        let bare = |line: &str| line.trim().to_owned();
        let wanted = bare(whole);
        if wanted.is_empty() {
            return None;
        }
        // Of statements that are the same, the one that comes as late.
        let before = compiled.lines().take(line - 1).filter(|line| bare(line) == wanted).count();
        let is_edge = |letter: Option<char>| letter.is_none_or(|it| it.is_whitespace() || ";{}".contains(it));
        let is_apart = |at: &usize| {
            is_edge(self.text[..*at].chars().next_back())
                && (wanted.ends_with([';', '}', '{']) || is_edge(self.text[at + wanted.len()..].chars().next()))
        };
        let places: Vec<usize> = self.text.match_indices(&wanted).map(|(at, _)| at).filter(|at| is_apart(at)).collect();
        let at = *places.get(before.min(places.len().checked_sub(1)?))?;
        let head = &self.text[..at];
        let blank = whole.chars().count() - whole.trim_start().chars().count();
        let start = head.rsplit('\n').next().unwrap_or_default().chars().count();
        Some((head.matches('\n').count() + 1, start + column.saturating_sub(blank).max(1)))
    }

    /// The column of the source, of a line and a column (from 1) of the text.
    pub fn back(&self, line: usize, column: usize) -> usize {
        let mut shift = 0_isize;
        for (_, at, was, is) in self.changes.iter().filter(|change| change.0 == line) {
            if column < *at {
                break;
            }
            let start = at.cast_signed() + shift;
            if column < at + is {
                return (start + (column - at).min(*was).cast_signed()).max(1).cast_unsigned();
            }
            shift += was.cast_signed() - is.cast_signed();
        }
        (column.cast_signed() + shift).max(1).cast_unsigned()
    }
}
