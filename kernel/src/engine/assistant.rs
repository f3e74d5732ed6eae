//! Completion and documentation, answered while a cell runs.

use std::collections::BTreeMap;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use roborm_wire::cell::{Answer, Question};
use roborm_wire::{receive, send};

use super::names::Names;
use super::pump::Pump;
use super::section::{Kind, sections};
use crate::toolkit::{Entry, Toolkit};

/// How long a question may wait for the process that runs cells, which is there but for the moments in which it starts.
const PATIENCE: Duration = Duration::from_secs(5);

/// Answers what a cell could become and what its names mean. Clones ask the same engine; every method may be called from
/// any thread, at any time.
#[derive(Clone)]
pub struct Assistant(Arc<Shared>);

/// What could stand in a cell's text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completions {
    /// The bytes of the source that a completion replaces.
    pub start: usize,
    /// Their end.
    pub end: usize,
    /// The completions, best first.
    pub items: Vec<Completion>,
}

/// One completion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// What replaces the bytes.
    pub text: String,
    /// What to show in a list.
    pub label: String,
    /// What it is, in Jupyter's words: `function`, `class`, `module`, `instance`, `keyword`, `path`, `magic`.
    pub kind: &'static str,
}

/// What a name is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// As text.
    pub plain: String,
    /// As Markdown.
    pub markdown: String,
}

/// What an engine shares with its assistants.
pub(super) struct Shared {
    pump: Arc<Pump>,
    names: Names,
    /// Variables and their types, and items, as of the end of the last cell.
    variables: Mutex<(BTreeMap<String, String>, Vec<String>)>,
    questions: Mutex<Option<UnixStream>>,
}

impl Assistant {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self(shared)
    }

    /// What the text at `byte` of `source` could become.
    pub fn complete(&self, source: &str, byte: usize) -> Completions {
        self.0.complete(source, floor(source, byte))
    }

    /// What the name at `byte` of `source` is.
    pub fn inspect(&self, source: &str, byte: usize) -> Option<Inspection> {
        self.0.inspect(source, floor(source, byte))
    }
}

/// The last place at or before `byte` where a character begins.
fn floor(source: &str, byte: usize) -> usize {
    let byte = byte.min(source.len());
    (0..=byte).rev().find(|at| source.is_char_boundary(*at)).unwrap_or(0)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub fn new(pump: Arc<Pump>, toolkit: &Toolkit) -> Self {
        Self { pump, names: Names::of(toolkit), variables: Mutex::default(), questions: Mutex::default() }
    }

    pub fn set_variables<'a>(
        &self,
        variables: impl Iterator<Item = (&'a str, &'a str)>,
        items: impl Iterator<Item = &'a str>,
    ) {
        let variables = variables.map(|(name, of)| (name.to_owned(), of.to_owned())).collect();
        *lock(&self.variables) = (variables, items.map(str::to_owned).collect());
    }

    /// What a cell has defined, in the place of what had the same names.
    pub fn define(&self, entries: Vec<Entry>) {
        self.names.define(entries);
    }

    /// There are no items of cells any more.
    pub fn forget(&self) {
        self.names.forget();
    }

    /// The names of the variables, as of the end of the last cell.
    pub fn names_of_variables(&self) -> Vec<String> {
        lock(&self.variables).0.keys().cloned().collect()
    }

    fn ask(&self, question: &Question) -> Option<Answer> {
        let mut stream = lock(&self.questions);
        // The connection may be of a process that is gone: then there is a new one, once.
        for _ in 0..2 {
            if stream.is_none() {
                *stream = self.pump.questions(PATIENCE);
                stream.as_ref()?.set_read_timeout(Some(PATIENCE)).ok()?;
            }
            let open = stream.as_mut()?;
            if send(open, question).is_ok()
                && let Ok(Some(answer)) = receive(open)
            {
                return Some(answer);
            }
            *stream = None;
        }
        None
    }

    fn complete(&self, source: &str, byte: usize) -> Completions {
        let line_start = source[..byte].rfind('\n').map_or(0, |at| at + 1);
        let typed = &source[line_start..byte];
        let is_command = sections(&source[..byte]).last().is_some_and(|section| section.kind == Kind::Command)
            || typed.trim() == ":";
        if is_command {
            return self.complete_command(typed, line_start, byte);
        }
        let start = source[..byte]
            .rfind(|c: char| !c.is_alphanumeric() && c != '_')
            .map_or(0, |at| at + source[at..].chars().next().map_or(1, char::len_utf8));
        let word = &source[start..byte];
        let items = match columns_wanted(&source[..start]) {
            true => self.columns(source, word),
            false => {
                let (variables, own) = lock(&self.variables).clone();
                self.names.complete(&source[..start], word, &variables, &own)
            }
        };
        Completions { start, end: byte, items }
    }

    fn complete_command(&self, typed: &str, line_start: usize, byte: usize) -> Completions {
        // A variable handed to the command.
        let word_start = typed.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        if let Some(word) = typed[word_start..].strip_prefix('$') {
            let names: Vec<String> =
                lock(&self.variables).0.keys().filter(|name| name.starts_with(word)).cloned().collect();
            let items = names.into_iter().map(|name| item(&format!("${name}"), "instance")).collect();
            return Completions { start: line_start + word_start, end: byte, items };
        }
        match self.ask(&Question::Complete { line: typed.trim_start().to_owned() }) {
            Some(Answer::Complete { start, found }) => {
                let indent = typed.len() - typed.trim_start().len();
                let kind = if start == 0 { "magic" } else { "path" };
                let items = found.into_iter().map(|it| Completion { text: it.text, label: it.label, kind }).collect();
                Completions { start: line_start + indent + start, end: byte, items }
            }
            _ => Completions { start: byte, end: byte, items: Vec::new() },
        }
    }

    /// Names of columns: first of tables that the cell names.
    fn columns(&self, source: &str, word: &str) -> Vec<Completion> {
        let mut tables = self.pump.tables();
        tables.sort_by_key(|table| (!source.contains(&table.variable), table.variable.clone()));
        let mut items: Vec<Completion> = Vec::new();
        for table in tables {
            for column in table.columns.iter().filter(|column| column.starts_with(word)) {
                if items.iter().all(|item| item.text != *column) {
                    items.push(Completion {
                        text: column.clone(),
                        label: format!("{column} (column of {})", table.variable),
                        kind: "instance",
                    });
                }
            }
        }
        items
    }

    fn inspect(&self, source: &str, byte: usize) -> Option<Inspection> {
        let (start, word) = path_at(source, byte);
        let line_start = source[..byte].rfind('\n').map_or(0, |at| at + 1);
        let line = source[line_start..].lines().next().unwrap_or_default().trim_start();
        if let Some(command) = line.strip_prefix(':').filter(|rest| rest.starts_with(char::is_alphabetic)) {
            return self.explain(&format!(":{}", command.split_whitespace().next()?));
        }
        match source[..start].trim_end().strip_suffix('.') {
            // A method: that of the receiver's type, where the receiver is a variable; else the one that there is.
            Some(receiver) => {
                let variables = lock(&self.variables).0.clone();
                self.names.method(self.names.receiver(receiver, &variables).as_deref(), &word)
            }
            None => self.explain(&word),
        }
    }

    /// Names that somebody may have meant who asks for one that is not known.
    pub fn near(&self, item: &str) -> Vec<String> {
        self.names.near(item)
    }

    /// What an item, a variable or a command is.
    pub fn explain(&self, item: &str) -> Option<Inspection> {
        if let Some(command) = item.strip_prefix(':') {
            let Answer::Inspect(text) = self.ask(&Question::Inspect { command: command.to_owned() })? else {
                return None;
            };
            let plain = text?;
            return Some(Inspection { markdown: format!("```text\n{plain}\n```"), plain });
        }
        if item.is_empty() {
            return None;
        }
        let of = lock(&self.variables).0.get(item).cloned();
        if let Some(of) = of {
            let columns = self.pump.tables().into_iter().find(|table| table.variable == item);
            let columns =
                columns.map_or_else(String::new, |table| format!("\n\ncolumns: {}", table.columns.join(", ")));
            let about = self.names.explain_type(&of);
            let below = |text: Option<&String>| text.map_or_else(String::new, |text| format!("\n\n{text}"));
            let plain = format!("let {item}: {of}{columns}{}", below(about.as_ref().map(|it| &it.plain)));
            let about = below(about.as_ref().map(|it| &it.markdown));
            return Some(Inspection { markdown: format!("```rust\nlet {item}: {of}\n```{columns}{about}"), plain });
        }
        self.names.explain(item)
    }
}

pub(super) fn item(text: &str, kind: &'static str) -> Completion {
    Completion { text: text.to_owned(), label: text.to_owned(), kind }
}

/// Whether the text ends inside a string, as the name of a column does.
fn columns_wanted(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let mut open = false;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if open => drop(letters.next()),
            '"' => open = !open,
            _ => {}
        }
    }
    open
}

/// The path (`Dataset::open`) that the cursor is in or behind, and where it begins.
fn path_at(source: &str, byte: usize) -> (usize, String) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    // Behind the sign of a macro.
    let byte = if source[..byte].ends_with('!') { byte - 1 } else { byte };
    let start = source[..byte]
        .rfind(|c: char| !is_word(c))
        .map_or(0, |at| at + source[at..].chars().next().map_or(1, char::len_utf8));
    let end = source[byte..].find(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(source.len(), |at| byte + at);
    (start, source[start..end].trim_matches(':').to_owned())
}
