//! `:help`, where something lasts.

use clap::{Arg, Command};

use super::{Answer, Block, Line};
use crate::display::{Cell, Column, Table};
use crate::{Error, Result};

/// The commands that every front which lasts has, `help` included.
pub fn grammar() -> Command {
    Line::grammar().subcommand(Command::new("help").about("List the commands, or tell of one").arg(Arg::new("name")))
}

/// The names of the commands of a grammar.
pub fn names(grammar: &Command) -> Vec<String> {
    grammar.get_subcommands().map(|command| command.get_name().to_owned()).collect()
}

/// `:help` and `:help NAME`.
///
/// # Errors
/// There is no command of that name.
pub fn answer(grammar: &Command, words: &[String]) -> Result<Answer> {
    answer_in(grammar, words, None)
}

/// The same for a window of so many columns.
///
/// # Errors
/// There is no command of that name.
pub fn answer_in(grammar: &Command, words: &[String], columns: Option<usize>) -> Result<Answer> {
    match words {
        [] => Ok(Answer::default().show(Block::Table(all(grammar)))),
        [name, ..] => one(grammar, name.trim_start_matches(':'), columns),
    }
}

fn all(grammar: &Command) -> Table {
    let mut table = Table::new([Column::text("command"), Column::text("does")]);
    for command in grammar.get_subcommands().filter(|command| !command.is_hide_set()) {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        table.row([Cell::text(format!(":{}", command.get_name())), Cell::text(about)]);
    }
    table.note(
        "A first round: `:open demo`, `:score --model simulated-flighty`, `:flips` (which trajectories flip), `:why towel` (on \
         which words; `--strategy adversarial`: among those written to mislead), `:chart`.",
    );
    table.note(
        "`:help spot` tells of one, with examples. `:open demo`, then the id of a trajectory is enough: `:spot towel`.",
    );
    table
}

fn one(grammar: &Command, name: &str, columns: Option<usize>) -> Result<Answer> {
    if name == "help" {
        return Ok(Answer::default().say("List the commands, or tell of one\n\nExamples:\n  :help\n  :help spot"));
    }
    if grammar.find_subcommand(name).is_none() {
        return Err(Line::unknown(name, names(grammar).iter().map(String::as_str)));
    }
    match Line::help(name, columns) {
        Some(text) => Ok(Answer::default().say(text.trim_end())),
        None => Err(Error::usage(format!("no help on {name}"))),
    }
}
