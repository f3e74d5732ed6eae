//! What a word of a command could become, where something lasts.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use clap::{Arg, Command};

use super::line::{LOCAL, home};
use super::words::{self, Quote, Words, needs_quotes};
use super::{Current, figures};
use crate::dataset::{Dataset, OpenOptions};
use crate::reward;
use crate::scores::column;

/// What a word could become.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// What to show.
    pub label: String,
    /// What to put in the word's place; a blank at its end says that the word is whole.
    pub text: String,
}

/// A candidate before it is quoted.
struct Found {
    label: String,
    word: String,
    /// It is whole: a blank follows.
    ended: bool,
}

/// Completion in a session.
pub struct Completion {
    current: Current,
    /// The dataset that was completed in last: opening one at every key would be felt.
    last: Mutex<Option<(String, Dataset)>>,
}

impl Completion {
    /// In this session.
    pub fn new(current: Current) -> Self {
        Self { current, last: Mutex::new(None) }
    }

    /// Where the last word of `typed` starts, its quotation mark included, and what it could be. Each is quoted as it
    /// needs to be.
    pub fn of(&self, typed: &str, grammar: &Command) -> (usize, Vec<Candidate>) {
        let (words, found) = self.found(typed, grammar);
        let candidate = |found: Found| {
            let quote = quotation(words.quote, &found.word);
            Candidate { label: found.label, text: words::typed(&found.word, quote, found.ended) }
        };
        (words.start, found.into_iter().map(candidate).collect())
    }

    /// What can be put in the place of the last word of `typed` at once: what all that it could be begin with, quoted
    /// only where that needs it. Of a single one it is all of it.
    pub fn common(&self, typed: &str, grammar: &Command) -> String {
        let (words, found) = self.found(typed, grammar);
        let is_whole = matches!(found.as_slice(), [only] if only.ended);
        let common = words::common(found.iter().map(|found| found.word.as_str()));
        words::typed(common, quotation(words.quote, common), is_whole)
    }

    fn found(&self, typed: &str, grammar: &Command) -> (Words, Vec<Found>) {
        let words = Words::of(typed);
        let word = words.last.as_str();
        let found = match words.before.split_first() {
            None => commands(word, ":", grammar),
            Some((name, before)) => match name.strip_prefix(':').and_then(|name| grammar.find_subcommand(name)) {
                Some(command) => self.argument(word, before, command, grammar),
                None => Vec::new(),
            },
        };
        (words, found)
    }

    fn argument(&self, word: &str, before: &[String], command: &Command, grammar: &Command) -> Vec<Found> {
        if command.get_name() == "help" {
            return commands(word, "", grammar);
        }
        let (command, before) = match before.split_first().map(|(name, rest)| (command.find_subcommand(name), rest)) {
            Some((Some(inner), rest)) => (inner, rest),
            _ if command.has_subcommands() => return commands(word, "", command),
            _ => (command, before),
        };
        let flags = || command.get_arguments().chain(grammar.get_arguments());
        if let Some((long, value)) = word.strip_prefix("--").and_then(|option| option.split_once('=')) {
            let flag = flags().find(|flag| flag.get_long() == Some(long) && flag.get_action().takes_values());
            let found = flag.map_or_else(Vec::new, |flag| self.value(value, flag));
            return found.into_iter().map(|it| Found { word: format!("--{long}={}", it.word), ..it }).collect();
        }
        if word.starts_with('-') {
            let longs = flags().filter_map(Arg::get_long).chain(["help"]).map(|long| format!("--{long}"));
            return longs.filter(|flag| flag.starts_with(word)).map(|flag| ended(&flag)).collect();
        }
        let asked = before.last().and_then(|last| last.strip_prefix("--"));
        let flag = flags().find(|flag| asked.is_some() && flag.get_long() == asked && flag.get_action().takes_values());
        // Nobody knows what a flag takes that the command does not have.
        if asked.is_some_and(|asked| asked != "help" && !flags().any(|flag| flag.get_long() == Some(asked))) {
            return Vec::new();
        }
        let takes = |argument: &&Arg| {
            let most = argument.get_num_args().map_or(1, |range| range.max_values());
            given(before, &flags().collect::<Vec<_>>()) < most
        };
        match flag.or_else(|| command.get_positionals().next().filter(takes)) {
            Some(argument) => self.value(word, argument),
            None => Vec::new(),
        }
    }

    fn value(&self, word: &str, argument: &Arg) -> Vec<Found> {
        let values: Vec<String> =
            argument.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
        let starting = |all: Vec<String>| -> Vec<Found> {
            all.into_iter().filter(|name| name.starts_with(word)).map(|name| ended(&name)).collect()
        };
        match argument.get_id().as_str() {
            _ if !values.is_empty() => starting(values),
            "models" => match word.strip_prefix(LOCAL) {
                Some(folder) => {
                    paths(folder).into_iter().map(|it| Found { word: format!("{LOCAL}{}", it.word), ..it }).collect()
                }
                None => starting(reward::catalogue().iter().map(|model| model.name.to_owned()).collect()),
            },
            "by" => self.listed(word, &self.columns()),
            "compare" => self.listed(word, &self.compared()),
            "strategy" => starting(["lexical", "structural", "adversarial"].map(str::to_owned).to_vec()),
            "trajectory" | "source" | "case" => {
                let mut found = self.trajectories(word);
                found.extend(paths(word));
                found
            }
            "dataset" | "frames_of" => {
                let mut found = starting(vec!["demo".to_owned()]);
                found.extend(paths(word));
                found
            }
            _ if argument.is_positional() => paths(word),
            _ => {
                let names = argument.get_value_names().unwrap_or_default();
                let is_path = names.iter().any(|name| name.starts_with("FILE") || *name == "DIR");
                if is_path { paths(word) } else { Vec::new() }
            }
        }
    }

    /// What the last of several names between commas could be.
    fn listed(&self, word: &str, names: &[String]) -> Vec<Found> {
        let (before, last) = word.rfind(',').map_or(("", word), |at| word.split_at(at + 1));
        let told: Vec<&str> = before.split(',').collect();
        let wanted = names.iter().filter(|name| name.starts_with(last) && !told.contains(&name.as_str()));
        wanted.map(|name| Found { label: name.clone(), word: format!("{before}{name}"), ended: false }).collect()
    }

    /// The columns that rows can be grouped by: those of the scores at hand.
    fn columns(&self) -> Vec<String> {
        match self.current.scores() {
            Some(scores) => scores.frame().get_column_names().into_iter().map(ToString::to_string).collect(),
            None => column::KEY.map(str::to_owned).to_vec(),
        }
    }

    /// The models and the strategies of the scores at hand.
    fn compared(&self) -> Vec<String> {
        let Some(scores) = self.current.scores() else { return Vec::new() };
        [column::MODEL, column::STRATEGY].into_iter().flat_map(|name| figures::values(&scores, name)).collect()
    }

    /// Ids of the dataset before the `#`, or of what is open.
    fn trajectories(&self, word: &str) -> Vec<Found> {
        let (dataset, head, id) = match word.split_once('#') {
            Some((spec, id)) => (self.dataset(spec), format!("{spec}#"), id),
            None => (self.current.dataset(), String::new(), word),
        };
        let mut found: Vec<Found> = dataset
            .iter()
            .flat_map(Dataset::iter)
            .filter(|it| it.id.starts_with(id) || it.id.rsplit('/').next().is_some_and(|end| end.starts_with(id)))
            .map(|it| Found { label: it.id.clone(), word: format!("{head}{}", it.id), ended: true })
            .collect();
        if !word.contains('#') && "demo#".starts_with(word) {
            found.push(Found { label: "demo#".to_owned(), word: "demo#".to_owned(), ended: false });
        }
        found
    }

    fn dataset(&self, spec: &str) -> Option<Dataset> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.as_ref().is_none_or(|(name, _)| name != spec) {
            // A dataset that needs more to be opened has no ids to complete yet.
            *last = Dataset::open(spec, &OpenOptions::default()).ok().map(|dataset| (spec.to_owned(), dataset));
        }
        last.as_ref().map(|(_, dataset)| dataset.clone())
    }
}

/// How a word is quoted that is typed so far in this way.
fn quotation(begun: Quote, word: &str) -> Quote {
    // Nothing typed yet is no empty word.
    if begun == Quote::Bare && !word.is_empty() && needs_quotes(word) { Quote::Single } else { begun }
}

/// How many of these words are neither flags nor what flags take.
fn given(words: &[String], flags: &[&Arg]) -> usize {
    let takes = |word: &str| {
        let long = word.strip_prefix("--");
        long.is_some() && flags.iter().any(|flag| flag.get_long() == long && flag.get_action().takes_values())
    };
    let mut before = "";
    let mut given = 0;
    for word in words {
        given += usize::from(!word.starts_with('-') && !takes(before));
        before = word;
    }
    given
}

fn commands(word: &str, head: &str, grammar: &Command) -> Vec<Found> {
    let shown = grammar.get_subcommands().filter(|command| !command.is_hide_set());
    let names = shown.map(|command| format!("{head}{}", command.get_name()));
    names.filter(|name| name.starts_with(word)).map(|name| ended(&name)).collect()
}

/// A word that is whole: a blank follows.
fn ended(word: &str) -> Found {
    Found { label: word.to_owned(), word: word.to_owned(), ended: true }
}

/// Files and folders; hidden ones where the word asks for them.
fn paths(word: &str) -> Vec<Found> {
    let (folder, start) = word.rfind('/').map_or(("", word), |at| word.split_at(at + 1));
    let place = match (folder.strip_prefix("~/"), home()) {
        (Some(rest), Some(home)) => Path::new(&home).join(rest),
        _ if folder.is_empty() => PathBuf::from("."),
        _ => PathBuf::from(folder),
    };
    let Ok(entries) = std::fs::read_dir(place) else { return Vec::new() };
    let mut found: Vec<Found> = entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let wanted = name.starts_with(start) && (start.starts_with('.') || !name.starts_with('.'));
            let is_folder = entry.path().is_dir();
            let whole = format!("{folder}{name}{}", if is_folder { "/" } else { "" });
            wanted.then_some(Found { label: name, word: whole, ended: !is_folder })
        })
        .collect();
    found.sort_by(|a, b| a.label.cmp(&b.label));
    found
}
