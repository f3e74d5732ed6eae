//! What the evaluator of cells and the process that runs them say to each other.
//!
//! The child opens four connections to the evaluator's socket and says on each which it is ([`Hello`]):
//!
//! * [`Role::Events`]: what happens while something runs, child to evaluator ([`Event`]), each answered by one
//!   [`Reply`] before the child goes on: so what is shown keeps its order with the text of the streams;
//! * [`Role::Work`]: commands, evaluator to child ([`Work`]), each answered by [`Done`] when it is over;
//! * [`Role::Questions`]: completion and documentation ([`Question`], [`Answer`]), answered by a thread of their own
//!   while cells run;
//! * [`Role::Streams`]: one byte asks the evaluator to read what is in the pipes, one byte says that it has.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What a cell's function is called that fits any cell, where it has not the name that evcxr gave it.
pub const FUNCTION: &str = "roborm_cell";

/// The first message on every connection of the child.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// What the connection is for.
    pub role: Role,
    /// The child's process.
    pub pid: u32,
}

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// What happens while something runs.
    Events,
    /// Commands.
    Work,
    /// Completion and documentation.
    Questions,
    /// Before something is printed on one stream: what is in the other is to be read.
    Streams,
}

/// Something that happens while a cell or a command runs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Event {
    /// A value to show.
    Display {
        /// The identifier of the display, where it has one.
        id: Option<String>,
        /// Replace what stands under the identifier.
        update: bool,
        /// It is the value of the cell's last expression.
        result: bool,
        /// The forms, by MIME type.
        data: Map<String, Value>,
        /// Hints on how to show them, by MIME type.
        metadata: Map<String, Value>,
    },
    /// A line of text is asked for.
    Input {
        /// What to ask.
        prompt: String,
        /// Whether the answer must not be shown.
        password: bool,
    },
    /// The cell's code panicked or ended early.
    Failed(Failed),
    /// A cell that was compiled is about to run.
    Begin,
    /// A chart is about to be shown: does it have to bring the library that draws it?
    Chart,
    /// Everything printed so far is in the pipes: the cell is over.
    Over {
        /// The tables among the variables, with their columns.
        tables: Vec<TableColumns>,
    },
}

/// How a cell ended before its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Failed {
    /// A panic.
    Panic {
        /// Its message.
        message: String,
        /// The file, line and column it happened at.
        place: Option<(String, u32, u32)>,
    },
    /// An error that `?` passed on.
    Error {
        /// One line of what and where.
        message: String,
        /// What to do about it.
        help: Option<String>,
        /// The file, line and column of the `?`.
        place: Option<(String, u32, u32)>,
    },
    /// It was interrupted and stopped where it could.
    Interrupted,
}

/// A variable that holds a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableColumns {
    /// The variable.
    pub variable: String,
    /// The names of its columns.
    pub columns: Vec<String>,
}

/// What the evaluator answers to an [`Event`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reply {
    /// It is shown; go on.
    Seen,
    /// To [`Event::Begin`]: do; lines of text may have so many characters.
    Begin {
        /// `None`: no limit is known.
        columns: Option<usize>,
    },
    /// To [`Event::Begin`]: do not; it was interrupted while it was compiled.
    Stop,
    /// To [`Event::Chart`]: whether it does.
    Carry(bool),
    /// The line that was asked for; `None` where there will be none.
    Line(Option<String>),
}

/// A command to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// The command as it was typed, with its colon.
    pub line: String,
    /// Characters that a line of text may have.
    pub columns: Option<usize>,
    /// Variables whose types are about to be defined anew: the next cell does not find them. These alone, where there is
    /// no command.
    #[serde(default)]
    pub outdated: Vec<String>,
}

/// A command is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Done {
    /// It did its work; with a status that is not 0, not all of it.
    Ended {
        /// The exit status that it has in a shell.
        status: u8,
    },
    /// It did not.
    Failed {
        /// One line of what and where; for wrong usage, all that is to be said.
        message: String,
        /// What to do about it.
        help: Option<String>,
        /// The exit status that it has in a shell.
        status: u8,
    },
}

/// A question that is answered while cells run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Question {
    /// What the last word of a command line could become.
    Complete {
        /// The line up to the cursor.
        line: String,
    },
    /// What a command is for.
    Inspect {
        /// The command's name, without its colon.
        command: String,
    },
}

/// The answer to a [`Question`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    /// Completions.
    Complete {
        /// The byte of the line that the completed word starts at.
        start: usize,
        /// What it could be: what to show and what to put in its place.
        found: Vec<Candidate>,
    },
    /// Documentation, as Markdown.
    Inspect(Option<String>),
}

/// What a word could become.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// What to show.
    pub label: String,
    /// What to put in the word's place.
    pub text: String,
}

/// The variable that tells the child where the evaluator's socket is.
pub const SOCKET: &str = "ROBORM_CELL_SOCKET";
/// The variable that tells the child where it keeps what is open and scored, for the child that comes after it.
pub const KEPT: &str = "ROBORM_CELL_KEPT";
/// The variable that is set where evcxr's own server runs cells, which has no connection to anybody: what is shown is printed
/// in evcxr's way.
pub const PLAIN: &str = "ROBORM_KERNEL_PLAIN";
/// The variable that tells the child where the pipes of the streams are.
pub const STREAMS: &str = "ROBORM_CELL_STREAMS";
