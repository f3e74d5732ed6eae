//! The words in which a paraphrase differs from its original.

use crate::chart;

/// `text` with the words in brackets that `original` does not have: `open the [uppermost] drawer`.
pub(super) fn marked(text: &str, original: &str) -> String {
    let pieces = chart::differences(text, original);
    pieces
        .into_iter()
        .map(|(piece, changed)| match changed {
            // A blank in front belongs to the text, not to the words.
            true => match piece.strip_prefix(' ') {
                Some(words) => format!(" [{words}]"),
                None => format!("[{piece}]"),
            },
            false => piece,
        })
        .collect()
}

/// How many words one has and the other has not, both ways.
pub(super) fn distance(text: &str, original: &str) -> usize {
    let changed = |text: &str, other: &str| -> usize {
        let pieces = chart::differences(text, other);
        pieces.iter().filter(|(_, changed)| *changed).map(|(piece, _)| piece.split_whitespace().count()).sum()
    };
    changed(text, original) + changed(original, text)
}

/// What the brackets of [`marked`] mean, for a note.
pub(super) const LEGEND: &str = "[In brackets]: words that the original instruction does not have there.";
