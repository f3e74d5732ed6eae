//! Numbers that belong together: ranges, fractions, enumerations.

use super::Why;
use super::token::{Kind, Token};

/// One or more numbers that say one thing.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// Its first token.
    pub(super) start: usize,
    /// One past its last token.
    pub(super) end: usize,
    /// What it would be as an answer.
    pub(super) value: Value,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    /// A whole number.
    Whole(i64),
    /// n/5 or "n out of 5": an answer by its form.
    OutOfFive(i64),
    /// Something that is no answer but looks like one.
    Not(Why),
    /// Nothing that could be meant as one: the scale itself, a date, a percentage.
    Nothing,
}

impl Value {
    /// The score, or why it is none; `None` where it says nothing.
    pub(super) fn score(self) -> Option<Result<u8, Why>> {
        match self {
            Self::Whole(n) | Self::OutOfFive(n) => Some(match u8::try_from(n) {
                Ok(score @ 1..=5) => Ok(score),
                _ => Err(Why::Outside),
            }),
            Self::Not(why) => Some(Err(why)),
            Self::Nothing => None,
        }
    }
}

pub(super) fn items(tokens: &[Token]) -> Vec<Item> {
    let mut items = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match item(tokens, at) {
            Some(item) => {
                at = item.end;
                items.push(item);
            }
            None => at += 1,
        }
    }
    items
}

fn item(tokens: &[Token], at: usize) -> Option<Item> {
    let done = |end: usize, value: Value| Some(Item { start: at, end, value });
    // The scale, with nothing before it: "/5", "out of 5", "(out of a possible 5)".
    if let Some(of) = out_of(tokens, at) {
        if tokens.get(of).is_some_and(Token::is_number) {
            return done(of + 1, Value::Nothing);
        }
        return None;
    }
    let (first, mut end) = number(tokens, at)?;
    if composite(tokens, end) {
        return done(after_composite(tokens, end), Value::Nothing);
    }
    let stars = tokens.get(end).and_then(Token::word).is_some_and(|word| matches!(word, "stars" | "star" | "points"));
    if let Some((of, past)) = out_of(tokens, end + usize::from(stars)).and_then(|of| number(tokens, of)) {
        return done(past, fraction(first, of));
    }
    // Chains: "1, 2, 3, 4 or 5", "3-4", "3 to 4", "between 1 (no success) and 5 (perfect)".
    let mut values = vec![first];
    let mut comma_only = true;
    let mut apart = false;
    let first_end = end;
    let between =
        at.checked_sub(1).and_then(|before| tokens[before].word()).is_some_and(|w| w == "between" || w == "from");
    while values.len() < 5 || !whole_scale(&values) {
        let Some((next, how)) = joint(tokens, end, between) else { break };
        let Some((value, past)) = number(tokens, next) else { break };
        comma_only &= how == Joint::Comma;
        values.push(value);
        apart = how == Joint::Comma || how == Joint::Dash && matches!(tokens[next].kind, Kind::Word(_));
        end = past;
    }
    if values.len() == 1 {
        let (value, end) = lone(tokens, first, end);
        return done(end, value);
    }
    // "4, 3 cups were moved", "4 - one cup fell": the comma or dash parts two things, it makes no range.
    if apart && values.len() == 2 && super::context::counts(tokens, end) {
        return done(first_end, lone(tokens, first, first_end).0);
    }
    let scale = whole_scale(&values) || !comma_only && values == [Number::Whole(1), Number::Whole(5)];
    let other_scale = !scale && on_a_scale(tokens, at, end);
    done(
        end,
        match (scale, other_scale, comma_only) {
            (true, _, _) => Value::Nothing,
            (_, true, _) => Value::Not(Why::OtherScale),
            (_, _, true) => Value::Not(Why::Disagree),
            _ => Value::Not(Why::Range),
        },
    )
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Number {
    Whole(i64),
    Decimal,
    Composite,
}

/// "1, 2, 3, 4, 5".
fn whole_scale(values: &[Number]) -> bool {
    values.len() == 5 && values.iter().zip(1..).all(|(value, n)| *value == Number::Whole(n))
}

/// The number at `at`, with its sign, and where it ends.
fn number(tokens: &[Token], at: usize) -> Option<(Number, usize)> {
    let token = tokens.get(at)?;
    if token.is('-') || token.word().is_some_and(|word| matches!(word, "minus" | "negative")) {
        let free = at == 0
            || !token.glued
            || matches!(tokens[at - 1].kind, Kind::Symbol(c) if !matches!(c, ')' | ']' | '"' | '\'' | '%'));
        let next = tokens.get(at + 1)?;
        let tight = next.glued || !token.is('-');
        return match next.whole() {
            Some(value) if free && tight && (!token.is('-') || matches!(next.kind, Kind::Whole(_))) => {
                Some((Number::Whole(-value), at + 2))
            }
            _ => None,
        };
    }
    match token.kind {
        Kind::Whole(value) | Kind::Word(Some(value)) => Some((Number::Whole(value), at + 1)),
        Kind::Decimal => Some((Number::Decimal, at + 1)),
        Kind::Composite => Some((Number::Composite, at + 1)),
        _ => None,
    }
}

/// A number by itself, and what belongs to it after it: "4+", "4%", "4 or higher".
fn lone(tokens: &[Token], number: Number, end: usize) -> (Value, usize) {
    let value = match number {
        Number::Whole(value) => Value::Whole(value),
        Number::Decimal => Value::Not(Why::Decimal),
        Number::Composite => Value::Nothing,
    };
    let Some(next) = tokens.get(end) else { return (value, end) };
    match next.kind {
        Kind::Symbol('%' | '°' | '‰' | '$' | '€' | '£' | '²' | '³') => (Value::Nothing, end + 1),
        Kind::Symbol('+') if next.glued => (Value::Not(Why::Range), end + 1),
        Kind::Symbol('±') => (Value::Not(Why::Range), end + 1),
        Kind::Word(_) if matches!(next.text.as_str(), "percent" | "per" | "pct") => (Value::Nothing, end + 1),
        Kind::Word(_) if next.text == "or" => {
            let inexact = tokens.get(end + 1).and_then(Token::word).is_some_and(|word| {
                matches!(
                    word,
                    "higher" | "more" | "above" | "better" | "greater" | "less" | "lower" | "fewer" | "below" | "so"
                )
            });
            if inexact { (Value::Not(Why::Range), end + 2) } else { (value, end) }
        }
        _ => (value, end),
    }
}

fn fraction(part: Number, whole: Number) -> Value {
    match (part, whole) {
        (Number::Composite, _) | (_, Number::Composite) => Value::Nothing,
        (Number::Whole(part), Number::Whole(5)) => Value::OutOfFive(part),
        (Number::Decimal, Number::Whole(5)) => Value::Not(Why::Decimal),
        _ => Value::Not(Why::OtherScale),
    }
}

/// Past "/" or "out of [a possible]".
fn out_of(tokens: &[Token], at: usize) -> Option<usize> {
    let token = tokens.get(at)?;
    if token.is('/') {
        return Some(at + 1);
    }
    if token.word()? != "out" || tokens.get(at + 1)?.word()? != "of" {
        return None;
    }
    let filler = |token: &Token| {
        token.word().is_some_and(|word| matches!(word, "a" | "the" | "possible" | "total" | "maximum" | "max" | "of"))
    };
    let skipped = tokens[at + 2..].iter().take_while(|token| filler(token)).count();
    Some(at + 2 + skipped)
}

/// "/5/2024", "-05-04" after a number: a date, an id.
fn composite(tokens: &[Token], at: usize) -> bool {
    let joined = |at: usize| {
        tokens.get(at).is_some_and(|token| token.glued && (token.is('/') || token.is('-') || token.is('.')))
            && tokens.get(at + 1).is_some_and(|token| token.glued && matches!(token.kind, Kind::Whole(_)))
    };
    joined(at) && joined(at + 2)
}

fn after_composite(tokens: &[Token], mut at: usize) -> usize {
    while tokens
        .get(at)
        .is_some_and(|token| token.glued && matches!(token.kind, Kind::Symbol('/' | '-' | '.') | Kind::Whole(_)))
    {
        at += 1;
    }
    at
}

/// How two numbers are joined.
#[derive(Clone, Copy, PartialEq)]
enum Joint {
    Comma,
    Dash,
    Range,
}

/// What joins a number that ends at `at` to a next one: where that starts, and how it is joined.
fn joint(tokens: &[Token], mut at: usize, between: bool) -> Option<(usize, Joint)> {
    // The anchors of a scale carry notes: "1 (no success) to 5 (perfect)".
    if tokens.get(at)?.is('(') && between {
        let close = tokens[at..].iter().take(10).position(|token| token.is(')'))?;
        at += close + 1;
    }
    let token = tokens.get(at)?;
    match token.kind {
        Kind::Symbol(',') => {
            let word = tokens.get(at + 1).and_then(Token::word);
            let joined = word.is_some_and(|word| matches!(word, "or" | "and"));
            Some(if joined { (at + 2, Joint::Range) } else { (at + 1, Joint::Comma) })
        }
        Kind::Symbol('-' | '–' | '—') => Some((at + 1, Joint::Dash)),
        Kind::Symbol('~' | '→' | '…' | '&') => Some((at + 1, Joint::Range)),
        Kind::Symbol('.') if tokens.get(at + 1).is_some_and(|next| next.is('.') && next.glued) => {
            let dots = tokens[at..].iter().take_while(|token| token.is('.')).count();
            tokens.get(at + dots).is_some_and(|token| token.glued).then_some((at + dots, Joint::Range))
        }
        Kind::Word(_) => match token.text.as_str() {
            "to" | "through" | "or" | "and" | "versus" | "vs" => Some((at + 1, Joint::Range)),
            _ => None,
        },
        _ => None,
    }
}

/// "on a scale of 1 to 10", "a 1-10 scale".
fn on_a_scale(tokens: &[Token], start: usize, end: usize) -> bool {
    let scale = |token: &Token| token.word() == Some("scale");
    tokens[start.saturating_sub(3)..start].iter().any(scale) || tokens.get(end).is_some_and(scale)
}
