//! One line of a shell, a prompt or a cell.

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use super::lasting::Lasting;
use super::{
    Answer, Session, chart, demo, doctor, estimate, examples, flips, frames, ledger, models, robustness, score, spot,
    trajectories, why,
};
use crate::error::nearest;
use crate::{Error, Result};

/// Columns of help, at most: longer lines are hard to read.
const WIDEST: usize = 100;

/// A command with its arguments.
#[derive(Debug)]
pub struct Line {
    json: bool,
    /// Of a front that lasts.
    lasts: bool,
    verb: Any,
}

/// What a shell takes.
#[derive(Debug, Parser)]
#[command(
    name = "roborm",
    version,
    about = "Robustness of robot reward models to rewording",
    after_help = "Without arguments: a prompt, where commands begin with a colon (`:help`, `:tour`).\n\
                  roborm -c ':trajectories demo' runs a line of it, roborm run FILE and roborm < FILE a file.\n\
                  Exit status: 0 every planned pair has a reply; 1 some pair failed or was left; 2 wrong usage; 130 interrupted.\n\
                  DATASET is a RoboReward split, a LeRobot dataset (v2.1 or v3.0), a manifest (.jsonl, .csv, .parquet), a folder\n\
                  of frames with --rate, or the word demo. DATASET#ID is one trajectory.",
    max_term_width = WIDEST,
    subcommand_required = true,
    arg_required_else_help = true
)]
struct Shell {
    /// Print one JSON document on stdout and nothing else there
    #[arg(long, global = true)]
    json: bool,

    #[command(subcommand)]
    verb: Verb,
}

/// What a front takes that lasts. Its name is what its commands begin with.
#[derive(Debug, Parser)]
#[command(
    name = ":",
    no_binary_name = true,
    max_term_width = WIDEST,
    subcommand_required = true,
    disable_help_subcommand = true
)]
struct Lasts {
    /// Print the answer as JSON
    #[arg(long, global = true)]
    json: bool,

    #[command(subcommand)]
    verb: Any,
}

#[derive(Debug, Subcommand)]
enum Any {
    #[command(flatten)]
    Lasting(Lasting),
    #[command(flatten)]
    Verb(Box<Verb>),
}

#[derive(Debug, Subcommand)]
enum Verb {
    Demo(demo::Demo),
    Trajectories(trajectories::Trajectories),
    Frames(frames::FramesCommand),
    Score(score::Score),
    Estimate(estimate::EstimateCommand),
    Spot(spot::Spot),
    Flips(flips::Flips),
    Why(why::Why),
    Chart(chart::ChartCommand),
    Robustness(robustness::RobustnessCommand),
    Models(models::Models),
    Doctor(doctor::Doctor),
    Ledger(ledger::LedgerCommand),
}

/// A line that holds no command to run.
#[derive(Debug)]
pub enum Unparsed {
    /// Help or the version was asked for: text for stdout, exit status 0.
    Help(String),
    /// Wrong usage: text for stderr, exit status 2.
    Usage(String),
}

impl Line {
    /// Reads words of a shell (without the program's name).
    ///
    /// # Errors
    /// The text of the help or of what is wrong with the words.
    pub fn parse<I, S>(words: I) -> Result<Self, Unparsed>
    where
        I: IntoIterator<Item = S>,
        S: Into<std::ffi::OsString> + Clone,
    {
        Self::parse_in(words, None)
    }

    /// The same, with help laid out for a window of so many columns.
    ///
    /// # Errors
    /// As [`Line::parse`].
    pub fn parse_in<I, S>(words: I, columns: Option<usize>) -> Result<Self, Unparsed>
    where
        I: IntoIterator<Item = S>,
        S: Into<std::ffi::OsString> + Clone,
    {
        let words = std::iter::once("roborm".into()).chain(words.into_iter().map(Into::into));
        let Shell { json, verb } = read(wide(strict(shell()), columns), words).map_err(unparsed)?;
        Ok(Self { json, lasts: false, verb: Any::Verb(Box::new(verb)) })
    }

    /// Reads words of a front that lasts: the command's name without its colon, then its arguments. What may be left
    /// out is taken from [`Session::current`].
    ///
    /// # Errors
    /// The text of the help or of what is wrong with the words.
    pub fn parse_lasting<I, S>(words: I) -> Result<Self, Unparsed>
    where
        I: IntoIterator<Item = S>,
        S: Into<std::ffi::OsString> + Clone,
    {
        Self::parse_lasting_in(words, None)
    }

    /// The same, with help laid out for a window of so many columns.
    ///
    /// # Errors
    /// As [`Line::parse_lasting`].
    pub fn parse_lasting_in<I, S>(words: I, columns: Option<usize>) -> Result<Self, Unparsed>
    where
        I: IntoIterator<Item = S>,
        S: Into<std::ffi::OsString> + Clone,
    {
        let words: Vec<std::ffi::OsString> = words.into_iter().map(Into::into).collect();
        let name = words.first().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let Lasts { json, verb } = read(wide(Self::grammar(), columns), words.into_iter()).map_err(|error| {
            match unparsed(error) {
                Unparsed::Help(text) => Unparsed::Help(colon(&text)),
                // How a front that lasts is asked for more.
                Unparsed::Usage(text) => {
                    let more = format!("For more: `:help {name}`");
                    Unparsed::Usage(colon(&text).replace("For more information, try '--help'.", &more))
                }
            }
        })?;
        Ok(Self { json, lasts: true, verb })
    }

    /// The help of a command of a front that lasts, laid out for a window of so many columns; `None` where there is no
    /// such command.
    pub(super) fn help(name: &str, columns: Option<usize>) -> Option<String> {
        let grammar = wide(Self::grammar(), columns);
        match unparsed(grammar.try_get_matches_from([name, "--help"]).err()?) {
            Unparsed::Help(text) => Some(colon(&text)),
            Unparsed::Usage(_) => None,
        }
    }

    /// That no command has this name, with the nearest of those that have one (`names`, without colons).
    pub fn unknown<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Error {
        let near: Vec<String> = nearest(name, names).into_iter().map(|name| format!(":{name}")).collect();
        let help = match near.as_slice() {
            [] => "`:help` lists the commands".to_owned(),
            near => format!("did you mean {}? `:help` lists the commands", near.join(" or ")),
        };
        Error::usage(format!("no command :{name}")).with_help(help)
    }

    /// Whether the answer is wanted as JSON.
    pub fn json(&self) -> bool {
        self.json
    }

    /// Does the work.
    ///
    /// # Errors
    /// Those of the command; what was done before the error is kept.
    pub fn run(&self, session: &Session) -> Result<Answer> {
        if !self.lasts {
            return self.done(session);
        }
        // A command that fails leaves what is open, looked at and asked as it was.
        let own = Session { current: session.current.fork(), ..session.clone() };
        let mut answer = self.done(&own).map_err(|error| error.reworded(in_commands))?;
        session.current.adopt(&own.current);
        answer.notes.iter_mut().for_each(|note| *note = in_commands(note));
        Ok(answer)
    }

    fn done(&self, session: &Session) -> Result<Answer> {
        let verb = match &self.verb {
            Any::Lasting(command) => return command.run(session),
            Any::Verb(verb) => verb,
        };
        match &**verb {
            Verb::Demo(command) => command.run(session),
            Verb::Trajectories(command) => command.run(session),
            Verb::Frames(command) => command.run(session),
            Verb::Score(command) => command.run(session),
            Verb::Estimate(command) => command.run(session),
            Verb::Spot(command) => command.run(session),
            Verb::Flips(command) => command.run(session),
            Verb::Why(command) => command.run(session),
            Verb::Chart(command) => command.run(session),
            Verb::Robustness(command) => command.run(session),
            Verb::Models(command) => command.run(),
            Verb::Doctor(command) => command.run(session),
            Verb::Ledger(command) => command.run(),
        }
    }

    /// The grammar of a front that lasts, for its completion and help.
    pub fn grammar() -> clap::Command {
        numbers(examples::with_examples(Lasts::command(), ":", true))
    }
}

/// A grammar whose help is laid out for a window of so many columns.
fn wide(grammar: clap::Command, columns: Option<usize>) -> clap::Command {
    match columns {
        // Narrower, and its columns leave no room for words.
        Some(columns) => grammar.term_width(columns.clamp(40, WIDEST)),
        None => grammar,
    }
}

/// The grammar of a front that lasts has no name to stand before its commands, only a colon.
fn colon(text: &str) -> String {
    text.replace("Usage: : ", "Usage: ").replace("Usage: ", "Usage: :")
}

/// What names a command of a shell, in the words of a front that lasts: "`roborm models` lists them" is `:models` there.
fn in_commands(text: &str) -> String {
    text.replace("`roborm ", "`:")
}

fn shell() -> clap::Command {
    numbers(examples::with_examples(Shell::command(), "roborm ", false))
}

/// A number below zero after an option is its value, and refused as such; no option is named by a digit.
fn numbers(grammar: clap::Command) -> clap::Command {
    grammar.mut_subcommands(|command| {
        command.mut_args(|argument| match argument.get_action().takes_values() && !argument.is_positional() {
            true => argument.allow_negative_numbers(true),
            false => argument,
        })
    })
}

/// In a shell nothing is open: what a prompt may leave out must be told.
fn strict(grammar: clap::Command) -> clap::Command {
    const NEEDED: [&str; 6] = ["dataset", "source", "trajectory", "scores", "case", "models"];
    /// Filters, not what is asked.
    const FILTERED: [&str; 3] = ["flips", "why", "chart"];
    grammar.mut_subcommands(|mut command| {
        for id in NEEDED {
            let has = command.get_arguments().any(|argument| argument.get_id() == id);
            if has && !(id == "models" && FILTERED.contains(&command.get_name())) {
                command = command.mut_arg(id, |argument| argument.required(true));
            }
        }
        command
    })
}

fn read<T: FromArgMatches>(
    mut grammar: clap::Command,
    words: impl Iterator<Item = std::ffi::OsString>,
) -> Result<T, clap::Error> {
    let words: Vec<std::ffi::OsString> = words.collect();
    let strange = words.iter().find(|word| word.to_str().is_none()).map(|word| word.to_string_lossy().into_owned());
    let matches = grammar.try_get_matches_from_mut(words).map_err(|error| match (error.kind(), strange) {
        // Which of them, it does not say.
        (ErrorKind::InvalidUtf8, Some(word)) => grammar.error(
            ErrorKind::InvalidUtf8,
            format!("'{word}' is not UTF-8, as names are here; rename it, or make a link to it and name that"),
        ),
        _ => error,
    })?;
    T::from_arg_matches(&matches).map_err(|error| error.format(&mut grammar))
}

fn unparsed(error: clap::Error) -> Unparsed {
    let text = error.render().to_string();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Unparsed::Help(text),
        _ => Unparsed::Usage(text),
    }
}
