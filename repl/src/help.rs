//! `:help`.

use clap::{Arg, Command};
use roborm::command::{Answer, Block, Line};
use roborm::display::{Cell, Column, Table};
use roborm::{Error, Result};

/// All commands of the prompt: those of every front, and its own.
pub fn grammar() -> Command {
    Line::grammar()
        .subcommand(Command::new("help").about("List the commands, or tell of one").arg(Arg::new("name")))
        .subcommand(Command::new("tour").about("A guided tour of ten steps on the demo rollouts").arg(Arg::new("step")))
        .subcommand(Command::new("quit").about("End the session, as Ctrl-D does"))
}

/// The names of all commands.
pub fn names() -> Vec<String> {
    grammar().get_subcommands().map(|command| command.get_name().to_owned()).collect()
}

/// `:help` and `:help NAME`.
pub fn answer(words: &[String]) -> Result<Answer> {
    match words {
        [] => Ok(all()),
        [name, ..] => one(name.trim_start_matches(':')),
    }
}

fn all() -> Answer {
    let mut table = Table::new([Column::text("command"), Column::text("does")]);
    for command in grammar().get_subcommands() {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        table.row([Cell::text(format!(":{}", command.get_name())), Cell::text(about)]);
    }
    table.note(
        "`:help spot` tells of one, with examples. `:open demo`, then the id of a trajectory is enough: `:spot bowl`.",
    );
    table.note("Tab completes, Ctrl-R searches what was typed before, Ctrl-C stops a command, Ctrl-D ends.");
    Answer::default().show(Block::Table(table))
}

fn one(name: &str) -> Result<Answer> {
    match name {
        "help" => Ok(Answer::default().say("List the commands, or tell of one\n\nExamples:\n  :help\n  :help spot")),
        "quit" => Ok(Answer::default().say("End the session, as Ctrl-D does")),
        "tour" => Ok(Answer::default().say(
            "A guided tour of ten steps on the demo rollouts: Enter runs the next, anything else may be tried in between\n\n\
             Examples:\n  :tour\n  :tour 7\n  :tour stop",
        )),
        _ => {
            let known = grammar();
            if known.find_subcommand(name).is_none() {
                return Err(Line::unknown(name, names().iter().map(String::as_str)));
            }
            match Line::parse_lasting([name, "--help"]) {
                Err(roborm::command::Unparsed::Help(text)) => Ok(Answer::default().say(text.trim_end())),
                _ => Err(Error::usage(format!("no help on {name}"))),
            }
        }
    }
}
