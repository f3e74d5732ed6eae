//! Colours of a line.

use roborm::display::{Terminal, Tone};

/// The line with its command and flags painted: known ones, and those that there are not.
pub fn line(line: &str, grammar: &clap::Command, terminal: &Terminal) -> String {
    let mut painted = String::with_capacity(line.len() + 32);
    let mut command: Option<&clap::Command> = None;
    let mut first = true;
    let mut rest = line;
    while !rest.is_empty() {
        let blank = rest.find(|letter: char| !letter.is_whitespace()).unwrap_or(rest.len());
        let (blanks, tail) = rest.split_at(blank);
        // What was pasted may hold several commands.
        first |= blanks.contains('\n');
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
    painted
}

/// While a word is typed it is not wrong yet.
fn tone(known: bool, ended: bool) -> Tone {
    match (known, ended) {
        (true, _) => Tone::Good,
        (false, true) => Tone::Bad,
        (false, false) => Tone::Plain,
    }
}
