//! `:help`.

use clap::{Arg, Command};
use roborm::Result;
use roborm::command::{Answer, Block, help};
use roborm::display::Terminal;

use crate::engine;

/// All commands of the prompt: those of every front that lasts, and its own.
pub fn grammar() -> Command {
    let commands = engine::COMMANDS.map(|(name, about, _)| Command::new(name).about(about));
    help::grammar()
        .subcommands(commands)
        .subcommand(
            Command::new("tour")
                .about("A guided tour of ten steps on the demo rollouts")
                .arg(Arg::new("step").value_parser(["stop"])),
        )
        .subcommand(Command::new("quit").about("End the session, as Ctrl-D does"))
}

/// The names of all commands.
pub fn names() -> Vec<String> {
    help::names(&grammar())
}

/// `:help` and `:help NAME`.
pub fn answer(words: &[String]) -> Result<Answer> {
    match words.first().map(|name| name.trim_start_matches(':')) {
        Some("quit") => Ok(Answer::default().say("End the session, as Ctrl-D does")),
        Some("tour") => Ok(Answer::default().say(
            "A guided tour of ten steps on the demo rollouts: Enter runs the next, anything else may be tried in between\n\n\
             Examples:\n  :tour\n  :tour 7\n  :tour stop",
        )),
        Some(name) if let Some((_, about, example)) = engine::COMMANDS.iter().find(|it| it.0 == name) => {
            Ok(Answer::default().say(format!("{about}\n\nExamples:\n  {example}")))
        }
        _ => {
            let mut answer = help::answer_in(&grammar(), words, Terminal::stdout().width())?;
            if let (true, Some(Block::Table(table))) = (words.is_empty(), answer.blocks.last_mut()) {
                table.note(
                    "All else is Rust, and sees the same: `data()?.len()`, `scores()?.frame().head(None)`. `?DataFrame` tells \
                     what a name means, `:why $id` hands a variable to a command.",
                );
                table.note(
                    "Tab completes, Ctrl-R searches what was typed before, Ctrl-C stops a command, Ctrl-D ends. Keys are \
                     those of emacs; `ROBORM_EDITING=vi`, or `set editing-mode vi` in ~/.inputrc, makes them those of vi.",
                );
            }
            Ok(answer)
        }
    }
}
