//! The words of a line that is being typed, as a shell has them.

use crate::Error;

/// How a word is written so that it is one word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Quote {
    /// As it is.
    #[default]
    Bare,
    /// `my\ file`
    Backslash,
    /// `'my file'`
    Single,
    /// `"my file"`
    Double,
}

/// A line up to the cursor.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Words {
    /// The words that are whole, of the last command where several were pasted.
    pub before: Vec<String>,
    /// The byte that the last word starts at, its quotation mark included.
    pub start: usize,
    /// The last word without its quotation; empty after a blank.
    pub last: String,
    /// How the last word is quoted.
    pub quote: Quote,
}

impl Words {
    /// Reads a line.
    pub(super) fn of(typed: &str) -> Self {
        let mut words = Self::default();
        let mut inside = false;
        // The mark that is open.
        let mut open = None;
        let mut letters = typed.char_indices().peekable();
        while let Some((at, letter)) = letters.next() {
            if open.is_none() && letter.is_whitespace() {
                if inside {
                    words.before.push(std::mem::take(&mut words.last));
                }
                if letter == '\n' {
                    words.before.clear();
                }
                inside = false;
                words.quote = Quote::Bare;
                continue;
            }
            if !inside {
                inside = true;
                words.start = at;
            }
            match (open, letter) {
                (None, '\'' | '"') => {
                    open = Some(letter);
                    words.quote = if letter == '"' { Quote::Double } else { Quote::Single };
                }
                (Some(mark), _) if mark == letter => open = None,
                // Between double marks a backslash stands for itself before any other letter.
                (None, '\\') | (Some('"'), '\\') => match letters.peek() {
                    Some((_, '\n')) => {
                        letters.next();
                        // The line goes on.
                        inside = inside && !words.last.is_empty();
                    }
                    Some((_, next)) if open.is_none() || matches!(next, '$' | '`' | '"' | '\\') => {
                        words.last.push(*next);
                        letters.next();
                        if words.quote == Quote::Bare {
                            words.quote = Quote::Backslash;
                        }
                    }
                    _ if open.is_some() => words.last.push(letter),
                    _ => {}
                },
                (_, letter) => words.last.push(letter),
            }
        }
        if !inside {
            words.start = typed.len();
        }
        words
    }
}

/// Whether a word must be quoted to be one.
pub(super) fn needs_quotes(word: &str) -> bool {
    // Inside a word `#` begins no comment: `demo#drawer` is typed as it is. Nor is there a sign beyond ASCII but blanks.
    let is_plain = |at: usize, letter: char| match letter {
        '#' => at > 0,
        _ => !letter.is_ascii() && !letter.is_whitespace() && !letter.is_control(),
    };
    let word = word.char_indices().map(|(at, letter)| if is_plain(at, letter) { '_' } else { letter });
    let word: String = word.collect();
    shlex::try_quote(&word).is_ok_and(|quoted| quoted != word)
}

/// What is open at the end of a command that is not whole, and where it was opened.
pub fn not_closed(line: &str) -> Error {
    match open_quotation(line) {
        Some(at) => {
            let mark = &line[at..at + 1];
            let begins: String = line[at..].lines().next().unwrap_or_default().chars().take(24).collect();
            let column = line[..at].chars().rev().take_while(|letter| *letter != '\n').count() + 1;
            Error::usage(format!("the quotation is not closed that begins at column {column}: {}", begins.trim_end()))
                .with_help(format!("end it with {mark}, or write \\{mark} for the sign itself"))
        }
        None => Error::usage("nothing follows the \\ at the end").with_help("leave it out, or go on in the next line"),
    }
}

/// The byte of the sign that opens a quotation of a command which nothing closes.
fn open_quotation(text: &str) -> Option<usize> {
    let mut open = None;
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match (open, letter) {
            // In single marks a backslash is a letter.
            (None, '\\') | (Some((_, '"')), '\\') => drop(letters.next()),
            (None, '\'' | '"') => open = Some((at, letter)),
            (Some((_, mark)), _) if mark == letter => open = None,
            _ => {}
        }
    }
    open.map(|(at, _)| at)
}

/// What all these words begin with.
pub(super) fn common<'a>(words: impl IntoIterator<Item = &'a str>) -> &'a str {
    let mut words = words.into_iter();
    let first = words.next().unwrap_or_default();
    words.fold(first, |common, word| {
        let same = common.char_indices().zip(word.chars()).find(|((_, one), other)| one != other);
        let end = same.map_or(common.len().min(word.len()), |((at, _), _)| at);
        &common[..end]
    })
}

/// A word as it is typed; `ended` closes its quotation and puts a blank after it.
pub(super) fn typed(word: &str, quote: Quote, ended: bool) -> String {
    let mut typed = match quote {
        Quote::Bare => word.to_owned(),
        Quote::Backslash => {
            let plain = |letter: char| letter.is_alphanumeric() || "/._-+=:,%@#~".contains(letter);
            let escaped = |letter: char| if plain(letter) { vec![letter] } else { vec!['\\', letter] };
            word.chars().flat_map(escaped).collect()
        }
        Quote::Single => format!("'{}", word.replace('\'', r"'\''")),
        Quote::Double => {
            let escaped = |letter: char| if "$`\"\\".contains(letter) { vec!['\\', letter] } else { vec![letter] };
            let word: String = word.chars().flat_map(escaped).collect();
            format!("\"{word}")
        }
    };
    if ended {
        typed.push_str(match quote {
            Quote::Single => "' ",
            Quote::Double => "\" ",
            Quote::Bare | Quote::Backslash => " ",
        });
    }
    typed
}
