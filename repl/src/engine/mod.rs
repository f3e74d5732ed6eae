//! Where a line goes that is no command: the evaluator of Rust, a program of its own.
//!
//! The prompt is there before it, and does without it: commands run here. It is started in the background, speaks JSON
//! lines (`kernel/src/engine/serve.rs` says which), and shares with the commands what is open and scored: before a cell it
//! is handed what changed here, after it what changed there is taken over.

mod excerpt;
mod link;
mod show;

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use roborm::command::{Current, Interrupts, engine_program};
use roborm::display::{Color, Terminal, text};
use roborm::{Error, Result};
use serde_json::json;

use crate::rust::{self, Brackets};
use link::Link;
pub use show::Show;

/// How long a key may wait for an answer before the prompt does without it.
const KEY: Duration = Duration::from_millis(150);
/// Bytes of a source that the engine is asked about at a key.
const LONGEST: usize = 16 << 10;
/// The same for Tab, which is pressed to get one.
const TAB: Duration = Duration::from_millis(1000);

/// The evaluator of Rust. Clones share it.
#[derive(Clone)]
pub struct Engine(Arc<Mutex<State>>);

enum State {
    /// It is started when it is needed.
    Idle,
    Up(Arc<Link>),
}

/// How a piece of Rust ended.
pub enum Ended {
    /// It ran to its end; the exit status, which is that of standard output where that takes nothing.
    Done(u8),
    /// It did not; an exit status, and what there is to say.
    Failed { status: u8, message: String, traceback: Vec<String> },
}

/// Variables as commands take them, by their names; or why not.
pub enum Handed {
    /// What stands for each.
    Words(HashMap<String, String>),
    /// There is no such variable, or no command takes it.
    Failed(Ended),
}

impl Engine {
    /// One that is started when Rust first comes.
    pub fn idle() -> Self {
        Self(Arc::new(Mutex::new(State::Idle)))
    }

    /// Starts it in the background, where it is installed.
    pub fn start(&self) {
        // What is wrong is told to whoever types Rust.
        let _ = self.link();
    }

    /// Starts it and waits until it is ready, where it is installed.
    pub fn start_and_wait(&self) {
        // What is wrong is told to whoever types Rust.
        let _ = self.link().and_then(|link| link.wait_ready());
    }

    /// Whether a source is whole, or goes on in the next line.
    pub fn is_complete(&self, source: &str) -> bool {
        match rust::brackets(source) {
            Brackets::Open => return false,
            // For the compiler to complain of: no line after it mends that.
            Brackets::Wrong => return true,
            Brackets::Closed => {}
        }
        // An open bracket is seen here; `let x =` by whoever knows the grammar.
        let link = self.up().filter(|link| source.len() <= LONGEST && !link.owes());
        match link.and_then(|link| link.ask(json!({ "ask": "completeness", "source": source }), KEY)) {
            Some(answer) => answer["completeness"] != "incomplete",
            None => !rust::wants_more(source),
        }
    }

    /// The variables whose names begin so.
    pub fn variables(&self, start: &str) -> Vec<String> {
        let answer = self.up().and_then(|link| link.ask(json!({ "ask": "variables" }), TAB)).unwrap_or_default();
        let names = answer["variables"].as_array().into_iter().flatten().filter_map(|pair| pair[0].as_str());
        names.filter(|name| name.starts_with(start)).map(str::to_owned).collect()
    }

    /// Where the name at the end of `source` starts, and what it could become: what to show and what to put in its place.
    pub fn complete(&self, source: &str) -> Option<(usize, Vec<(String, String)>)> {
        let answer = self.up()?.ask(json!({ "ask": "complete", "source": source, "byte": source.len() }), TAB)?;
        let start = usize::try_from(answer["start"].as_u64()?).ok().filter(|start| source.is_char_boundary(*start))?;
        let text = |item: &serde_json::Value, name: &str| item[name].as_str().map(str::to_owned);
        let items = answer["items"].as_array()?;
        Some((start, items.iter().filter_map(|item| Some((text(item, "label")?, text(item, "text")?))).collect()))
    }

    /// Runs a source on what is `current`, shows what it shows, and takes over what it leaves there.
    ///
    /// # Errors
    /// There is no engine, or it is gone.
    pub fn run(&self, source: &str, current: &Current, show: &mut Show<'_>, interrupts: &Interrupts) -> Result<Ended> {
        let link = self.link()?;
        let interrupted = Arc::clone(&link);
        interrupts.call(move |_| interrupted.interrupt());
        let ended = link.wait_ready().and_then(|()| link.share(source, current, show));
        interrupts.rest();
        if ended.is_err() && link.is_gone() {
            // The next line gets a new one.
            *self.state() = State::Idle;
            current.forget_handed();
        }
        ended
    }

    /// What commands take for variables of Rust: words, and files in the folder for tables.
    ///
    /// # Errors
    /// There is no engine, or it is gone.
    pub fn hand(&self, names: &[String], folder: &Path, interrupts: &Interrupts) -> Result<Handed> {
        let link = self.link()?;
        let interrupted = Arc::clone(&link);
        interrupts.call(move |_| interrupted.interrupt());
        let handed = link.wait_ready().and_then(|()| link.hand(names, folder));
        interrupts.rest();
        handed
    }

    /// The engine, where it is up and ready.
    fn up(&self) -> Option<Arc<Link>> {
        match &*self.state() {
            State::Up(link) if link.is_ready() => Some(Arc::clone(link)),
            _ => None,
        }
    }

    /// The engine; started, where it was not.
    fn link(&self) -> Result<Arc<Link>> {
        let mut state = self.state();
        if let State::Up(link) = &*state {
            return Ok(Arc::clone(link));
        }
        let link = Link::start(&engine_program()?)?;
        *state = State::Up(Arc::clone(&link));
        Ok(link)
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        // Every change is one assignment.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The engine as far as a piece of text needs one: whether it is whole. Where there is none, brackets tell.
pub trait Grammar {
    /// Whether a source is whole, or goes on in the next line.
    fn is_complete(&self, source: &str) -> bool;
}

impl Grammar for Engine {
    fn is_complete(&self, source: &str) -> bool {
        Engine::is_complete(self, source)
    }
}

/// Brackets, strings and comments alone: at every key.
pub struct Alone;

impl Grammar for Alone {
    fn is_complete(&self, source: &str) -> bool {
        rust::brackets(source) != Brackets::Open
    }
}

/// What is said where a failure has no colours to be shown in.
pub fn plain(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut pieces = line.split("\x1b[");
    plain.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        // A colour ends with its `m`; what else begins so is left as it is, for whoever cleans it.
        let end = piece.find(|letter: char| letter.is_ascii_alphabetic()).map_or(piece.len(), |at| at + 1);
        plain.push_str(piece.get(end..).unwrap_or_default());
    }
    plain
}

/// The lines of a failure for this terminal.
pub fn lines_for(lines: &[String], terminal: &Terminal) -> String {
    let bare: Vec<String> = lines.iter().map(|line| text::clean(&plain(line))).collect();
    let shown = if terminal.color() == Color::None { &bare } else { lines };
    excerpt::fitted(shown, &bare, terminal)
}

/// Its own commands: what they are called, what they do, and an example.
pub const COMMANDS: [(&str, &str, &str); 3] = [
    ("dep", "Use another crate in Rust", ":dep rand = \"0.9\"\n  :dep mine = { path = \"../mine\" }"),
    ("vars", "List the variables of Rust and their types", ":vars"),
    ("clear", "Forget the variables of Rust", ":clear"),
];

fn gone(complaints: &str) -> Error {
    let error =
        Error::worker("the engine for Rust ended").with_help("the next line starts another; its variables are lost");
    if complaints.is_empty() { error } else { error.at(complaints.lines().last().unwrap_or_default()) }
}
