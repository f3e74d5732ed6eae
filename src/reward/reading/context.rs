//! What the words around a number say of it: that it counts, names, compares or labels something.

use super::item::{Item, Value};
use super::token::{Kind, Token};
use super::words::{COMPARED, MAY_FOLLOW, MEASURED, NAMED};

/// Whether the number that ends at `end` counts what follows it: "3 cups", "5 reasons", "3 of 5".
pub(super) fn counts(tokens: &[Token], end: usize) -> bool {
    let Some(next) = tokens.get(end) else { return false };
    // "5-star", "3-finger".
    if next.is('-') && next.glued {
        return tokens.get(end + 1).is_some_and(|after| after.glued && after.word().is_some());
    }
    let Some(word) = next.word() else { return false };
    if next.glued && word.chars().next().is_some_and(|c| u32::from(c) >= 0x250) {
        // Points as such, in scripts that do not part words.
        return !["分", "点", "점"].iter().any(|point| word.starts_with(point));
    }
    let heading = next.capital && tokens.get(end + 1).is_some_and(|after| after.is(':'));
    !heading && !MAY_FOLLOW.contains(&word)
}

/// Whether a marked number counts things all the same: "Answer: 3 cups were placed".
pub(super) fn counts_plainly(tokens: &[Token], end: usize) -> bool {
    let plural = tokens.get(end).is_some_and(|next| {
        !next.capital
            && next
                .word()
                .is_some_and(|word| word.len() > 3 && word.ends_with('s') && !matches!(word, "points" | "marks"))
    });
    plural && counts(tokens, end)
}

/// Whether an item cannot be the answer whatever marks it.
pub(super) fn set_aside(tokens: &[Token], item: &Item) -> bool {
    item.value == Value::Nothing
        || named(tokens, item.start)
        || compared(tokens, item.start)
        || part_of_name(tokens, item)
}

/// "step 3", "frame #4", "Confidence: 4".
fn named(tokens: &[Token], start: usize) -> bool {
    let Some(before) = start.checked_sub(1) else { return false };
    let token = &tokens[before];
    match token.kind {
        Kind::Symbol('#' | '№' | '@' | '$' | '€' | '£' | '^' | '§') => true,
        Kind::Symbol(':' | '=' | '"') => last_word(tokens, before).is_some_and(|word| MEASURED.contains(&word)),
        Kind::Symbol('.') => last_word(tokens, before).is_some_and(|word| matches!(word, "no" | "fig" | "ver" | "sec")),
        // "it may 4" is nobody's sentence; "May 4" is a day.
        Kind::Word(_) if token.text == "may" => token.capital,
        Kind::Word(_) => NAMED.contains(&token.text.as_str()),
        _ => false,
    }
}

/// The word before the punctuation that ends at `at`.
fn last_word(tokens: &[Token], at: usize) -> Option<&str> {
    tokens[..=at].iter().rev().find(|token| !matches!(token.kind, Kind::Symbol(':' | '=' | '"' | '.')))?.word()
}

/// "not a 5", "below 4", "at least a 3", "~4", "a scale of 5".
fn compared(tokens: &[Token], start: usize) -> bool {
    let mut words = tokens[..start].iter().rev();
    let mut next = words.next();
    while next
        .and_then(Token::word)
        .is_some_and(|word| matches!(word, "a" | "an" | "the" | "full" | "perfect" | "clear"))
    {
        next = words.next();
    }
    let Some(token) = next else { return false };
    match token.kind {
        Kind::Symbol('~' | '≈' | '≥' | '≤' | '±' | '≠') => true,
        Kind::Symbol('<') => !closes(tokens, start),
        Kind::Symbol('>') => !tag_before(tokens, start - 1),
        Kind::Word(_) => {
            let word = token.text.as_str();
            let before = words.next();
            // "3 of 5": the 5 is how many there are.
            if word == "of" && before.is_some_and(Token::is_number) {
                return true;
            }
            let before = before.and_then(Token::word);
            match word {
                // "a score of 4" is none of these, "instead of 4" is.
                "of" => before.is_some_and(|before| {
                    matches!(before, "instead" | "short" | "scale" | "out" | "maximum" | "minimum" | "threshold")
                }),
                "to" => before == Some("up") || before == Some("close"),
                "least" | "most" => before == Some("at"),
                word => word.ends_with("n't") || COMPARED.contains(&word),
            }
        }
        _ => false,
    }
}

/// "<4>": a placeholder filled in.
fn closes(tokens: &[Token], start: usize) -> bool {
    tokens.get(start + 1).is_some_and(|token| token.is('>'))
}

/// Whether the '>' at `at` ends a tag: "<score>", "<|begin_of_box|>".
fn tag_before(tokens: &[Token], at: usize) -> bool {
    tokens[..at].iter().rev().take(8).take_while(|token| token.kind != Kind::Newline).any(|token| token.is('<'))
}

/// "gpt-4", "cam-2", "two-handed": a piece of a name.
fn part_of_name(tokens: &[Token], item: &Item) -> bool {
    let first = &tokens[item.start];
    if !first.glued || item.start < 2 {
        return false;
    }
    let (dash, name) = (&tokens[item.start - 1], &tokens[item.start - 2]);
    dash.glued
        && (dash.is('-') || dash.is('.') || dash.is('/'))
        && name.word().is_some_and(|word| !super::grammar::is_mark(word))
}

/// Numbers that label the lines of a rubric or a list ("1: no success, 2: …", "1. … 2. …"), by index of item: at least
/// two of them, with different values.
pub(super) fn labels(tokens: &[Token], items: &[Item]) -> Vec<usize> {
    let labels: Vec<usize> = (0..items.len()).filter(|&index| is_label(tokens, &items[index])).collect();
    let first = labels.first().map(|&index| items[index].value);
    if labels.iter().any(|&index| Some(items[index].value) != first) { labels } else { Vec::new() }
}

fn is_label(tokens: &[Token], item: &Item) -> bool {
    if !matches!(item.value, Value::Whole(_)) || item.end != item.start + 1 {
        return false;
    }
    let Some(next) = tokens.get(item.end) else { return false };
    let goes_on = tokens.get(item.end + 1).is_some_and(|token| token.kind != Kind::Newline);
    let separated = match next.kind {
        Kind::Symbol(':' | '=' | ')' | '→' | '(' | '|' | ']') => true,
        Kind::Symbol('.') => goes_on,
        Kind::Symbol('-' | '–' | '—') => goes_on,
        Kind::Word(_) => {
            matches!(
                next.text.as_str(),
                "means" | "indicates" | "represents" | "corresponds" | "denotes" | "if" | "for"
            )
        }
        _ => false,
    };
    // "Score: (4)" is an answer in brackets.
    let answer = item.start >= 2
        && matches!(tokens[item.start - 1].kind, Kind::Symbol('(' | '[' | '{' | '"' | '|'))
        && matches!(tokens[item.start - 2].kind, Kind::Symbol(':' | '='));
    separated && !answer && starts_segment(tokens, item.start)
}

/// Whether a line, sentence or clause starts at `start`, a mark word before it apart ("Score 1: no success").
pub(super) fn starts_segment(tokens: &[Token], start: usize) -> bool {
    let Some(before) = start.checked_sub(1) else { return true };
    let token = &tokens[before];
    match token.kind {
        Kind::Newline => true,
        Kind::Symbol(c) => matches!(c, ',' | ';' | '(' | '.' | '!' | '?' | '|' | '[' | '{' | '"' | '\''),
        Kind::Word(_) => {
            let light =
                matches!(token.text.as_str(), "and" | "a" | "of" | "while" | "final" | "overall" | "my" | "the");
            (light || super::grammar::is_mark(&token.text)) && starts_segment(tokens, before)
        }
        _ => false,
    }
}
