//! Which number is the answer.

use super::Why;
use super::context::{counts, counts_plainly, labels, set_aside, starts_segment};
use super::item::{Item, Value, items};
use super::token::{Kind, Token};

/// The score, or why there is none.
pub(super) fn decide(tokens: &[Token]) -> Result<u8, Why> {
    let items = items(tokens);
    let labels = labels(tokens, &items);
    let mut aside: Vec<bool> =
        items.iter().enumerate().map(|(index, item)| labels.contains(&index) || set_aside(tokens, item)).collect();
    let other_scale = items.iter().any(|item| {
        item.value == Value::Not(Why::OtherScale)
            && !tokens[item.start..item.end].iter().any(|token| token.is('/'))
            && tokens[item.start.saturating_sub(3)..(item.end + 1).min(tokens.len())]
                .iter()
                .any(|token| token.word() == Some("scale"))
    });
    if other_scale {
        return Err(Why::OtherScale);
    }

    let mut marked = Vec::new();
    for mark in marks(tokens) {
        if let Some(index) = linked(tokens, &items, &aside, &mark) {
            if mark.scale {
                aside[index] = true;
            } else if !counts_plainly(tokens, items[index].end) {
                marked.push(index);
            }
        }
    }
    for (index, item) in items.iter().enumerate() {
        // "4/5 cups" counts; "4/5 Excellent." does not.
        let counting = counts(tokens, item.end) && !tokens.get(item.end).is_some_and(|next| next.capital);
        if matches!(item.value, Value::OutOfFive(_)) && !aside[index] && !counting {
            marked.push(index);
        }
    }
    if !marked.is_empty() {
        return agreed(marked.into_iter().map(|index| items[index].value));
    }
    agreed(
        items
            .iter()
            .zip(&aside)
            .filter(|(item, aside)| !**aside && !counts(tokens, item.end) && !is_pronoun(tokens, item))
            .map(|(item, _)| item.value),
    )
}

/// The one score that all values say.
fn agreed(values: impl Iterator<Item = Value>) -> Result<u8, Why> {
    let mut agreed = None;
    for value in values {
        let Some(score) = value.score() else { continue };
        let score = score?;
        match agreed {
            None => agreed = Some(score),
            Some(before) if before != score => return Err(Why::Disagree),
            Some(_) => {}
        }
    }
    agreed.ok_or(Why::NoScore)
}

/// "one" that stands for a thing and not for a number: everywhere but alone in its line or after an article.
fn is_pronoun(tokens: &[Token], item: &Item) -> bool {
    if tokens[item.start].word() != Some("one") {
        return false;
    }
    let before = item.start.checked_sub(1).map(|before| &tokens[before]);
    let after = tokens.get(item.end);
    let article = before.and_then(Token::word).is_some_and(|word| matches!(word, "a" | "an"));
    let edge = |token: Option<&Token>| token.is_none_or(|token| matches!(token.kind, Kind::Newline | Kind::Symbol(_)));
    !(article && edge(after) || edge(before) && edge(after))
}

/// A word that marks an answer.
struct Mark {
    /// Its token.
    at: usize,
    /// It speaks of the scale ("maximum score"): the number after it is no answer.
    scale: bool,
}

/// Whether a word, or the last part of a compound one ("final_score"), marks an answer.
pub(super) fn is_mark(word: &str) -> bool {
    matches!(word.rsplit('_').next(), Some("answer" | "score" | "rating" | "reward" | "boxed"))
        || matches!(
            word,
            "finalscore" | "finalanswer" | "finalrating" | "progressscore" | "overallscore" | "rewardscore"
        )
}

/// Words that make a mark speak of the scale or of something else than the answer.
const OF_SCALE: &[&str] = &[
    "max",
    "maximum",
    "highest",
    "top",
    "best",
    "lowest",
    "minimum",
    "min",
    "possible",
    "perfect",
    "full",
    "previous",
    "baseline",
    "threshold",
    "passing",
];

fn marks(tokens: &[Token]) -> Vec<Mark> {
    let mut marks = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let Some(word) = token.word() else { continue };
        let before = at.checked_sub(1).map(|before| &tokens[before]);
        // A JSON field of the name.
        let quoted = before.is_some_and(|token| token.is('"') || token.is('\''))
            && tokens.get(at + 1).is_some_and(|token| token.is('"') || token.is('\''))
            && tokens.get(at + 2).is_some_and(|token| token.is(':'));
        if !(is_mark(word) || quoted && word == "progress") {
            continue;
        }
        // The end of a tag: "</score>".
        if before.is_some_and(|token| token.is('/')) {
            continue;
        }
        let in_name = word.split('_').any(|part| OF_SCALE.contains(&part));
        let scale = in_name
            || before.and_then(Token::word).is_some_and(|word| OF_SCALE.contains(&word))
            || tokens.get(at + 1).and_then(Token::word).is_some_and(|word| matches!(word, "scale" | "threshold"));
        marks.push(Mark { at, scale });
    }
    marks
}

/// The item that a mark points at.
fn linked(tokens: &[Token], items: &[Item], aside: &[bool], mark: &Mark) -> Option<usize> {
    let item_at = |at: usize| items.iter().position(|item| item.start == at);
    // At once, with nothing but punctuation and light words between.
    let mut at = mark.at + 1;
    let mut pointed = starts_segment(tokens, mark.at) || tokens[mark.at].text == "boxed";
    let mut of = false;
    while let Some(token) = tokens.get(at) {
        if let Some(index) = item_at(at) {
            if aside[index] {
                break;
            }
            return (pointed && !of || mark.scale).then_some(index);
        }
        match token.kind {
            Kind::Symbol(':' | '=' | '>' | '→' | '|' | '-' | '–' | '—') | Kind::Newline => {
                (pointed, of) = (true, false)
            }
            Kind::Symbol('"' | '\'' | '(' | ')' | '[' | ']' | '{' | '}' | '$' | '\\' | '<' | ',') => {}
            Kind::Word(None) => match token.text.as_str() {
                "is" | "was" | "be" | "equals" | "as" | "boxed" => (pointed, of) = (true, false),
                // "a score of 4" is a number among others.
                "of" => of = true,
                "a" | "an" | "the" | "text" | "therefore" | "thus" | "so" | "should" => {}
                _ => break,
            },
            _ => break,
        }
        at += 1;
    }
    // Further on in the sentence, after "is" or a colon: "The score for this attempt (1-5) is a 4".
    let mut negated = false;
    for at in mark.at + 1..tokens.len().min(mark.at + 18) {
        let token = &tokens[at];
        match token.kind {
            Kind::Newline | Kind::Symbol('.' | '!' | '?' | ';') => return None,
            Kind::Word(_) if is_mark(&token.text) => return None,
            Kind::Word(_)
                if matches!(token.text.as_str(), "not" | "if" | "would" | "than") || token.text.ends_with("n't") =>
            {
                negated = true;
            }
            _ => {}
        }
        if let Some(index) = item_at(at) {
            if aside[index] || counts(tokens, items[index].end) {
                continue;
            }
            return (points(tokens, at) && !negated).then_some(index);
        }
    }
    None
}

/// Whether what stands before `at` points at it: "is 4", ": 4", "is a 4".
fn points(tokens: &[Token], at: usize) -> bool {
    let light = |token: &&Token| {
        matches!(token.kind, Kind::Symbol('"' | '\'' | '(' | '[' | '{' | '$' | '\\'))
            || token.word().is_some_and(|word| {
                matches!(word, "a" | "an" | "the" | "exactly" | "clearly" | "therefore" | "thus" | "boxed")
            })
    };
    tokens[..at].iter().rev().find(|token| !light(token)).is_some_and(|token| {
        token.is(':') || token.is('=') || token.word().is_some_and(|word| matches!(word, "is" | "be" | "as"))
    })
}
