//! Words, numbers and symbols of a cleaned reply.

/// A word, a number, a symbol or the end of a line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    /// What it is.
    pub(super) kind: Kind,
    /// In lower case.
    pub(super) text: String,
    /// No white space between it and the token before.
    pub(super) glued: bool,
    /// Starts with a capital letter.
    pub(super) capital: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// A whole number in digits.
    Whole(i64),
    /// Digits with a fraction.
    Decimal,
    /// Digits in groups: a date, a time, a version.
    Composite,
    /// A word; an English number word has its value.
    Word(Option<i64>),
    /// Anything else but white space.
    Symbol(char),
    /// The end of a line.
    Newline,
}

impl Token {
    pub(super) fn is(&self, symbol: char) -> bool {
        self.kind == Kind::Symbol(symbol)
    }

    /// The word in lower case, where it is one.
    pub(super) fn word(&self) -> Option<&str> {
        matches!(self.kind, Kind::Word(_)).then_some(self.text.as_str())
    }

    /// The value of a whole number, in digits or as a word.
    pub(super) fn whole(&self) -> Option<i64> {
        match self.kind {
            Kind::Whole(value) => Some(value),
            Kind::Word(value) => value,
            _ => None,
        }
    }

    /// A number of any kind.
    pub(super) fn is_number(&self) -> bool {
        matches!(self.kind, Kind::Whole(_) | Kind::Decimal | Kind::Composite | Kind::Word(Some(_)))
    }
}

const NUMBER_WORDS: [&str; 13] =
    ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

pub(super) fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut glued = false;
    while let Some(&c) = chars.get(at) {
        if c == '\n' {
            tokens.push(Token { kind: Kind::Newline, text: String::new(), glued: false, capital: false });
            (at, glued) = (at + 1, false);
            continue;
        }
        if c.is_whitespace() || c.is_control() {
            (at, glued) = (at + 1, false);
            continue;
        }
        let (kind, end) = token(&chars, at);
        let raw: String = chars[at..end].iter().collect();
        let text = raw.to_lowercase();
        let kind = match kind {
            Kind::Word(_) => Kind::Word(
                NUMBER_WORDS.iter().position(|word| *word == text).and_then(|value| i64::try_from(value).ok()),
            ),
            kind => kind,
        };
        tokens.push(Token { kind, text, glued, capital: c.is_uppercase() });
        (at, glued) = (end, true);
    }
    tokens
}

/// The kind of the token at `at` and where it ends.
fn token(chars: &[char], at: usize) -> (Kind, usize) {
    let digit = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
    let c = chars[at];
    if c.is_ascii_digit() {
        return number(chars, at);
    }
    let before = at.checked_sub(1).map(|before| chars[before]);
    if c == '.' && digit(at + 1) && !before.is_some_and(|before| before == '.' || before.is_alphanumeric()) {
        let (_, end) = number(chars, at + 1);
        return (Kind::Decimal, end);
    }
    if c.is_alphabetic() {
        return (Kind::Word(None), word_end(chars, at));
    }
    (Kind::Symbol(c), at + 1)
}

fn word_end(chars: &[char], from: usize) -> usize {
    let part = |at: usize| chars.get(at).is_some_and(|c| c.is_alphanumeric());
    let mut end = from;
    while part(end) || chars.get(end).is_some_and(|c| matches!(c, '_' | '\'')) && part(end + 1) {
        end += 1;
    }
    end
}

fn number(chars: &[char], from: usize) -> (Kind, usize) {
    let digit = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
    let mut end = from;
    let mut separators = Vec::new();
    let mut value: i64 = 0;
    loop {
        match chars.get(end).copied() {
            Some(c) if c.is_ascii_digit() => {
                value = value.saturating_mul(10).saturating_add(c.to_digit(10).map_or(0, i64::from));
                end += 1;
            }
            Some(c @ ('.' | ',' | ':')) if digit(end + 1) => {
                separators.push((c, end));
                end += 1;
            }
            _ => break,
        }
    }
    // "4th", "5cm", "3D", "4x": names and measures, not numbers. Scripts without spaces do not join.
    if chars.get(end).is_some_and(|&c| c == '_' || c.is_alphabetic() && u32::from(c) < 0x250) {
        return (Kind::Word(None), word_end(chars, end));
    }
    match separators.as_slice() {
        [] => (Kind::Whole(value), end),
        // "1,2,3,4,5": an enumeration, number by number; its last two are no decimal.
        [(_, first), ..]
            if separators.iter().all(|(c, _)| *c == ',')
                && (separators.len() > 1 || from >= 2 && chars[from - 1] == ',' && digit(from - 2)) =>
        {
            let value = chars[from..*first]
                .iter()
                .fold(0i64, |value, c| value.saturating_mul(10).saturating_add(c.to_digit(10).map_or(0, i64::from)));
            (Kind::Whole(value), *first)
        }
        [('.' | ',', _)] => (Kind::Decimal, end),
        _ => (Kind::Composite, end),
    }
}
