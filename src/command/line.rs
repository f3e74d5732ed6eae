//! One line of a shell, a prompt or a cell.

use clap::{CommandFactory, Parser, Subcommand};

use super::{Answer, Session, demo, doctor, estimate, frames, ledger, models, robustness, score, spot, trajectories};
use crate::Result;

/// A command with its arguments.
#[derive(Debug, Parser)]
#[command(
    name = "roborm",
    version,
    about = "Robustness of robot reward models to rewording",
    after_help = "Exit status: 0 every planned pair has a reply; 1 some pair failed or was left; 2 wrong usage; 130 interrupted.\n\
                  DATASET is a RoboReward split, a LeRobot dataset (v2.1 or v3.0), a manifest (.jsonl, .csv, .parquet), a folder\n\
                  of frames with --rate, or the word demo. DATASET#ID is one trajectory.",
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true
)]
pub struct Line {
    /// Print one JSON document on stdout and nothing else there
    #[arg(long, global = true)]
    json: bool,

    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Demo(demo::Demo),
    Trajectories(trajectories::Trajectories),
    Frames(frames::FramesCommand),
    Score(score::Score),
    Estimate(estimate::EstimateCommand),
    Spot(spot::Spot),
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
    /// Reads words (without the program's name).
    ///
    /// # Errors
    /// The text of the help or of what is wrong with the words.
    pub fn parse<I, S>(words: I) -> Result<Self, Unparsed>
    where
        I: IntoIterator<Item = S>,
        S: Into<std::ffi::OsString> + Clone,
    {
        let words = std::iter::once("roborm".into()).chain(words.into_iter().map(Into::into));
        Self::try_parse_from(words).map_err(|error| {
            let text = error.render().to_string();
            match error.kind() {
                clap::error::ErrorKind::DisplayHelp | clap::error::ErrorKind::DisplayVersion => Unparsed::Help(text),
                _ => Unparsed::Usage(text),
            }
        })
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
        match &self.verb {
            Verb::Demo(command) => command.run(session),
            Verb::Trajectories(command) => command.run(session),
            Verb::Frames(command) => command.run(session),
            Verb::Score(command) => command.run(session),
            Verb::Estimate(command) => command.run(session),
            Verb::Spot(command) => command.run(session),
            Verb::Robustness(command) => command.run(session),
            Verb::Models(command) => command.run(),
            Verb::Doctor(command) => command.run(session),
            Verb::Ledger(command) => command.run(),
        }
    }

    /// The grammar, for completion and help of a prompt.
    pub fn grammar() -> clap::Command {
        Self::command()
    }
}
