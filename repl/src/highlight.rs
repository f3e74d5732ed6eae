//! Colours of what is typed.

use roborm::display::{Terminal, Tone};

use crate::engine::Alone;
use crate::lines;
use crate::rust::{self, Kind};

/// What is typed, painted: commands and flags by whether there are such, Rust by its tokens, and the bracket at `pos` with
/// its partner. `None` as `pos` marks no bracket.
pub fn text(text: &str, pos: Option<usize>, grammar: &clap::Command, terminal: &Terminal) -> String {
    let mut painted = String::with_capacity(text.len() + 64);
    let mut at = 0;
    for piece in lines::pieces(text, &Alone) {
        // Between pieces stand blanks and comments.
        painted.push_str(&terminal.paint(Tone::Dim, &text[at..piece.bytes.start]));
        let source = &text[piece.bytes.clone()];
        match lines::is_command(source) {
            true => command(source, grammar, terminal, &mut painted),
            false => code(source, pos.and_then(|pos| pos.checked_sub(piece.bytes.start)), terminal, &mut painted),
        }
        at = piece.bytes.end;
    }
    painted.push_str(&terminal.paint(Tone::Dim, &text[at..]));
    painted
}

/// Whether a bracket stands at `pos` or right before it: a move of the cursor changes what is marked.
pub fn is_at_bracket(text: &str, pos: usize) -> bool {
    let is_bracket = |letter: Option<&u8>| letter.is_some_and(|letter| b"()[]{}".contains(letter));
    let bytes = text.as_bytes();
    is_bracket(bytes.get(pos)) || is_bracket(pos.checked_sub(1).and_then(|pos| bytes.get(pos)))
}

fn code(source: &str, pos: Option<usize>, terminal: &Terminal, painted: &mut String) {
    let tokens = rust::tokens(source);
    let pair = pos.and_then(|pos| rust::pair(source, &tokens, pos));
    for token in &tokens {
        let start = token.bytes.start;
        let tone = match (token.kind, pair) {
            (Kind::Open | Kind::Close, Some((at, None))) if at == start => Tone::Bad,
            (Kind::Open | Kind::Close, Some((at, Some(partner)))) if at == start || partner == start => Tone::Mark,
            (Kind::Keyword, _) => Tone::Strong,
            (Kind::Text | Kind::Number, _) => Tone::Good,
            (Kind::Comment, _) => Tone::Dim,
            _ => Tone::Plain,
        };
        painted.push_str(&terminal.paint(tone, &source[token.bytes.clone()]));
    }
}

fn command(line: &str, grammar: &clap::Command, terminal: &Terminal, painted: &mut String) {
    let mut command: Option<&clap::Command> = None;
    let mut first = true;
    let mut rest = line;
    while !rest.is_empty() {
        let blank = rest.find(|letter: char| !letter.is_whitespace()).unwrap_or(rest.len());
        let (blanks, tail) = rest.split_at(blank);
        painted.push_str(blanks);
        let end = tail.find(char::is_whitespace).unwrap_or(tail.len());
        let (word, tail) = tail.split_at(end);
        let ended = !tail.is_empty();
        let tone = match word.strip_prefix(':').filter(|_| first) {
            Some(name) => {
                command = grammar.find_subcommand(name);
                tone(command.is_some(), ended)
            }
            None => match (word.strip_prefix("--"), command) {
                (Some(flag), Some(command)) => {
                    let flag = flag.split('=').next().unwrap_or(flag);
                    let all = command.get_arguments().chain(grammar.get_arguments()).filter_map(clap::Arg::get_long);
                    tone(flag == "help" || all.into_iter().any(|long| long == flag), ended)
                }
                _ => Tone::Plain,
            },
        };
        first = first && word.is_empty();
        painted.push_str(&terminal.paint(tone, word));
        rest = tail;
    }
}

/// While a word is typed it is not wrong yet.
fn tone(known: bool, ended: bool) -> Tone {
    match (known, ended) {
        (true, _) => Tone::Good,
        (false, true) => Tone::Bad,
        (false, false) => Tone::Plain,
    }
}
