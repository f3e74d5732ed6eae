//! The smallest rewording that flips the verdict, and the words in which two wordings differ.

use super::trajectory::{ScorePoint, TrajectoryScores};

/// Words of a wording that are looked at; beyond, a comparison costs more than it tells.
const WORDS: usize = 60;
/// Wordings of each verdict that are compared with each other.
const WORDINGS: usize = 64;

/// Two wordings of one trajectory with different verdicts: `success`, then `failure`.
///
/// Of all such pairs the one with the fewest changed words (the longest common subsequence of words, letters of either
/// case alike, is what did not change); of equal ones the one whose scores lie furthest apart, then the first.
pub(super) fn smallest_flip(scores: &TrajectoryScores) -> Option<(&ScorePoint, &ScorePoint)> {
    let side = |success: bool| {
        let parsed = scores.points.iter().filter(move |p| p.parsed().is_some_and(|s| scores.success(s) == success));
        parsed.take(WORDINGS).map(|point| (point, words(&point.instruction))).collect::<Vec<_>>()
    };
    let (successes, failures) = (side(true), side(false));
    let mut best: Option<(usize, f64, (&ScorePoint, &ScorePoint))> = None;
    for (success, success_words) in &successes {
        for (failure, failure_words) in &failures {
            let common = common(success_words, failure_words).iter().filter(|kept| **kept).count();
            let changed = success_words.len() + failure_words.len() - 2 * common;
            let apart = success.score.unwrap_or(0.0) - failure.score.unwrap_or(0.0);
            if best.is_none_or(|(fewest, widest, _)| changed < fewest || (changed == fewest && apart > widest)) {
                best = Some((changed, apart, (success, failure)));
            }
        }
    }
    best.map(|(_, _, pair)| pair)
}

/// `text` in pieces, each with whether it is missing from `other`: runs of words, blanks between them kept.
pub(crate) fn differences(text: &str, other: &str) -> Vec<(String, bool)> {
    let mine: Vec<&str> = text.split_whitespace().collect();
    let kept = common(&words(text), &words(other));
    let mut pieces: Vec<(String, bool)> = Vec::new();
    for (index, word) in mine.iter().enumerate() {
        // Words past the limit were not compared: shown as they are.
        let changed = kept.get(index).is_some_and(|kept| !kept);
        match pieces.last_mut() {
            Some((run, state)) if *state == changed => {
                run.push(' ');
                run.push_str(word);
            }
            // The blank between two runs belongs to the one that is not marked.
            Some((run, false)) => {
                run.push(' ');
                pieces.push(((*word).to_owned(), changed));
            }
            Some(_) => pieces.push((format!(" {word}"), changed)),
            None => pieces.push(((*word).to_owned(), changed)),
        }
    }
    pieces
}

fn words(text: &str) -> Vec<String> {
    let bare = |word: &str| word.trim_matches(|c: char| c.is_ascii_punctuation()).to_lowercase();
    text.split_whitespace().take(WORDS).map(bare).collect()
}

/// Which words of `a` are in the longest common subsequence of `a` and `b`.
fn common(a: &[String], b: &[String]) -> Vec<bool> {
    let width = b.len() + 1;
    let mut length = vec![0_u32; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            length[i * width + j] = match a[i] == b[j] {
                true => length[(i + 1) * width + j + 1] + 1,
                false => length[(i + 1) * width + j].max(length[i * width + j + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut kept = vec![false; a.len()];
    while i < a.len() && j < b.len() {
        if a[i] == b[j] {
            kept[i] = true;
            (i, j) = (i + 1, j + 1);
        } else if length[(i + 1) * width + j] >= length[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    kept
}
