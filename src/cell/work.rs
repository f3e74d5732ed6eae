//! Runs the commands of a notebook.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use polars::prelude::DataFrame;
use roborm_wire::cell::{Done, Work};

use super::bundle::Bundle;
use super::store::VariableStore;
use super::{blocks, display, interrupt, progress, state};
use crate::command::{self, Line, Session, Unparsed, help};
use crate::dataset::{Dataset, OpenOptions, Trajectory};
use crate::display::text;
use crate::scores::ScoreTable;
use crate::study::Cancel;
use crate::{Error, Result};

/// A front's question, which no user asks: to hand it variables, so that it can run a command itself.
const HAND: &str = "hand-variables";

/// Runs one line.
pub(super) fn run(work: &Work, store: &VariableStore) -> Done {
    match attempt(&work.line, store) {
        Ok(status) => Done::Ended { status },
        Err(error) => Done::Failed {
            message: error.to_string(),
            help: error.help().map(str::to_owned),
            status: error.exit_status(),
        },
    }
}

fn attempt(typed: &str, store: &VariableStore) -> Result<u8> {
    // A backslash at the end of a line joins it with the next, as in shells; shlex would see an empty word there.
    let Some(words) = shlex::split(&typed.replace("\\\n", "")) else {
        return Err(command::not_closed(typed));
    };
    let mut words: Vec<String> = words.into_iter().skip_while(|word| word == ":").collect();
    let Some(name) = words.first_mut() else {
        return Err(Error::usage("no command after the colon").with_help("`:help` lists them"));
    };
    *name = name.trim_start_matches(':').to_owned();
    let (name, rest) = words.split_first().expect("there is a first word");
    if name == HAND {
        return hand(rest, store);
    }
    if name == "help" {
        blocks::publish_all(&help::answer(&help::grammar(), rest)?);
        return Ok(0);
    }
    let names = help::names(&help::grammar());
    if !names.contains(name) {
        return Err(Line::unknown(name, names.iter().map(String::as_str)));
    }
    let mut handed = Handed::default();
    let words: Vec<String> = words.iter().map(|word| handed.word(word, store)).collect::<Result<_>>()?;
    match Line::parse_lasting(words) {
        Ok(line) => run_line(&line, typed),
        Err(Unparsed::Help(text)) => {
            display::publish(Bundle::text(text.trim_end()), None, false, false);
            Ok(0)
        }
        Err(Unparsed::Usage(wrong)) => {
            let wrong = wrong.trim_end();
            Err(Error::usage(wrong.strip_prefix("error: ").unwrap_or(wrong)))
        }
    }
}

/// `hand-variables FOLDER x y`: what commands take for these variables is written to `FOLDER/words.json`, tables to files
/// beside it.
fn hand(words: &[String], store: &VariableStore) -> Result<u8> {
    let (folder, names) = words.split_first().ok_or_else(|| Error::usage("no folder is named"))?;
    let mut handed = Handed { own: None, folder: Some(PathBuf::from(folder)) };
    let mut taken = serde_json::Map::new();
    for name in names {
        taken.insert(name.clone(), handed.word(&format!("${name}"), store)?.into());
    }
    let file = Path::new(folder).join("words.json");
    let text = serde_json::Value::from(taken).to_string();
    std::fs::write(&file, text).map_err(|error| Error::io(format!("cannot write {}", file.display()), &error))?;
    Ok(0)
}

fn run_line(line: &Line, typed: &str) -> Result<u8> {
    // One that was stopped stops everything after it.
    let session = Session {
        cancel: Cancel::new(),
        progress: Arc::new(progress::Bar::default()),
        typed: typed.to_owned(),
        ..state::session().clone()
    };
    interrupt::begin(&session.cancel);
    // A fault of a command must not take the variables along.
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| line.run(&session)));
    interrupt::end();
    let answer = result.map_err(|_| {
        Error::input(format!("`{typed}` came to a fault of roborm's own"))
            .with_help("this is a defect: please report it with what was typed")
    })??;
    if line.json() {
        let text = serde_json::to_string_pretty(&answer.json).unwrap_or_default();
        display::publish(Bundle::text(text).with("application/json", answer.json), None, false, false);
    } else {
        blocks::publish_all(&answer);
    }
    answer.notes.iter().for_each(|note| complain(note));
    Ok(answer.status)
}

/// Writes lines to standard error. Where that cannot be done there is nobody to tell.
pub(super) fn complain(lines: &str) {
    for line in lines.lines() {
        let _ = writeln!(std::io::stderr(), "{}", text::clean(line));
    }
}

/// Writes text to standard output, where no notebook shows it.
pub(super) fn print(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// Variables handed to a command: `$name` is a number or a text as it is, a table as a file of it that lasts as long as
/// the command.
#[derive(Default)]
struct Handed {
    own: Option<tempfile::TempDir>,
    folder: Option<PathBuf>,
}

impl Handed {
    fn word(&mut self, word: &str, store: &VariableStore) -> Result<String> {
        let Some(name) = word.strip_prefix('$').filter(|name| !name.is_empty()) else { return Ok(word.to_owned()) };
        let Some(value) = store.get(name) else {
            let near = crate::error::nearest(name, store.names());
            let help = match near.as_slice() {
                [] => "a cell keeps variables of its top level: `let name = …;`".to_owned(),
                near => format!("did you mean ${}?", near.join(" or $")),
            };
            return Err(Error::usage(format!("no variable {name}")).with_help(help));
        };
        macro_rules! plain {
            ($($type:ty),*) => {$(
                if let Some(value) = value.downcast_ref::<$type>() {
                    return Ok(value.to_string());
                }
            )*};
        }
        plain!(String, &'static str, i32, i64, u32, u64, usize, u8, f64, f32, bool);
        if let Some(path) = value.downcast_ref::<PathBuf>() {
            return Ok(path.display().to_string());
        }
        if let Some(dataset) = value.downcast_ref::<Dataset>() {
            return whole(name, dataset);
        }
        if let Some(trajectory) = value.downcast_ref::<Trajectory>() {
            return one(name, trajectory);
        }
        let scores = match (value.downcast_ref::<ScoreTable>(), value.downcast_ref::<DataFrame>()) {
            (Some(scores), _) => scores.clone(),
            (None, Some(frame)) => {
                ScoreTable::from_frame(frame.clone()).map_err(|error| error.at(format!("${name} is no score table")))?
            }
            (None, None) => {
                return Err(Error::usage(format!("${name} is not what a command takes"))
                    .with_help("a command takes a data frame or a score table, what is open or a trajectory of it, a number, a text or a path"));
            }
        };
        self.file(name, &scores)
    }

    fn file(&mut self, name: &str, scores: &ScoreTable) -> Result<String> {
        let refused = |error: std::io::Error| Error::io(format!("cannot hand ${name} to the command"), &error);
        let folder = match &self.folder {
            Some(folder) => folder,
            None => {
                let own = self.own.insert(tempfile::tempdir().map_err(refused)?);
                self.folder.insert(own.path().to_owned())
            }
        };
        let file = folder.join(format!("{name}.parquet"));
        scores.write(&file)?;
        Ok(file.display().to_string())
    }
}

/// What a dataset is opened by: only of what is open, and of the demo, is that known.
fn whole(name: &str, dataset: &Dataset) -> Result<String> {
    let current = &state::session().current;
    let same = |other: &Dataset| other.name() == dataset.name() && other.trajectories() == dataset.trajectories();
    if let Some(spec) = current.spec().filter(|_| current.dataset().is_some_and(|open| same(&open))) {
        return Ok(spec);
    }
    match Dataset::open("demo", &OpenOptions::default()) {
        Ok(demo) if same(&demo) => Ok("demo".to_owned()),
        _ => Err(Error::usage(format!("${name} is not the dataset that is open"))
            .with_help("a command takes a dataset by where it lies, or as it was opened")),
    }
}

/// A trajectory of what is open, or of the demo.
fn one(name: &str, trajectory: &Trajectory) -> Result<String> {
    let current = &state::session().current;
    let has = |dataset: &Dataset| dataset.get(&trajectory.id).is_ok_and(|found| found == trajectory);
    if let Some(spec) = current.spec().filter(|_| current.dataset().is_some_and(|open| has(&open))) {
        return Ok(format!("{spec}#{}", trajectory.id));
    }
    match Dataset::open("demo", &OpenOptions::default()) {
        Ok(demo) if has(&demo) => Ok(format!("demo#{}", trajectory.id)),
        _ => Err(Error::usage(format!("${name} is no trajectory of the dataset that is open"))
            .with_help("open its dataset, or name it as DATASET#ID")),
    }
}
