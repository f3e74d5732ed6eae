//! Names of Rust: those of the toolkit's index, found by their spelling and by what they are called on.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::assistant::{Completion, Inspection, item};
use super::chain::{base, chain, deref, short, unwrapped};
use super::path;
use crate::toolkit::{Entry, Index, Member, Modules, Toolkit};

/// Not more than so many: a front filters what it was given, and a data frame has hundreds of methods.
const MOST: usize = 1000;
const KEYWORDS: [&str; 24] = [
    "async", "await", "break", "const", "continue", "dyn", "else", "enum", "false", "fn", "for", "if", "impl", "in",
    "let", "loop", "match", "move", "mut", "return", "struct", "true", "use", "while",
];
/// Names of a module that are told of together with it.
const MOST_IN_MODULE: usize = 40;

/// Where the items of the standard library are from.
const STD: &str = "std";

/// The index of a toolkit, read at leisure, and the items of cells.
pub(super) struct Names {
    read: Arc<OnceLock<Index>>,
    own: Mutex<Arc<Vec<Entry>>>,
}

/// All entries as of now: those of cells first, those of the standard library last.
struct Known<'n> {
    own: Arc<Vec<Entry>>,
    read: &'n [Entry],
}

/// What a path names.
enum Named<'n> {
    /// A crate or a module: its path, and what is in it.
    Module(&'n str, &'n [Member]),
    /// Something else in a module.
    Item(&'n Member),
}

impl Known<'_> {
    fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.own.iter().chain(self.read)
    }

    /// What belongs to a type of this name. There are many that are called `Error`: of several crates, those whose names
    /// are in reach; where it is known which is meant, its alone.
    fn of_type(&self, owner: &str, from: Option<&str>) -> Vec<&Entry> {
        let mine = || self.iter().filter(|entry| entry.owner.as_deref() == Some(owner));
        // A type of polars has methods of several crates of that name.
        let family = |name: &str| name.split('_').next().unwrap_or_default().to_owned();
        let from = from.map(family);
        let of_crate: Vec<&Entry> =
            mine().filter(|entry| from.as_ref().is_some_and(|it| *it == family(&entry.from))).collect();
        if !of_crate.is_empty() {
            return of_crate;
        }
        let near: Vec<&Entry> = mine().filter(|entry| entry.is_near()).collect();
        if near.is_empty() { mine().collect() } else { near }
    }
}

impl Names {
    pub fn of(toolkit: &Toolkit) -> Self {
        let names = Self { read: Arc::default(), own: Mutex::default() };
        let (file, read): (PathBuf, _) = (toolkit.dir().join("names.json"), Arc::clone(&names.read));
        // Without the thread nothing is known, which is no fault.
        let _ = std::thread::Builder::new().name("roborm-names".to_owned()).spawn(move || {
            let text = std::fs::read(file).unwrap_or_default();
            let _ = read.set(serde_json::from_slice(&text).unwrap_or_default());
        });
        names
    }

    fn all(&self) -> Known<'_> {
        let own = Arc::clone(&self.own.lock().unwrap_or_else(PoisonError::into_inner));
        Known { own, read: self.read.get().map_or(&[], |index| index.entries.as_slice()) }
    }

    /// What a cell has defined, in the place of what had the same names.
    pub fn define(&self, entries: Vec<Entry>) {
        if entries.is_empty() {
            return;
        }
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |a: &Entry, b: &Entry| (&a.owner, &a.name) == (&b.owner, &b.name);
        let is_item = |name: &str| entries.iter().any(|entry| entry.owner.is_none() && entry.name == name);
        let mut all: Vec<Entry> = own
            .iter()
            // What belonged to a type that is defined anew is gone with it.
            .filter(|old| !old.owner.as_deref().is_some_and(is_item) && !entries.iter().any(|new| same(old, new)))
            .cloned()
            .collect();
        all.extend(entries);
        *own = Arc::new(all);
    }

    /// There are no items of cells any more.
    pub fn forget(&self) {
        *self.own.lock().unwrap_or_else(PoisonError::into_inner) = Arc::default();
    }

    /// What `word`, behind `before`, could become.
    pub fn complete(
        &self,
        before: &str,
        word: &str,
        variables: &BTreeMap<String, String>,
        own: &[String],
    ) -> Vec<Completion> {
        if let Some(segments) = path::before(before) {
            return self.behind(&segments, word);
        }
        if let Some(head) = before.strip_suffix('.') {
            return match self.type_of(head, variables) {
                Some(owner) if self.all().iter().any(|entry| entry.owner.as_ref() == Some(&owner)) => {
                    self.methods(&owner, word)
                }
                _ => self.any_method(word),
            };
        }
        let mut items: Vec<Completion> = Vec::new();
        let mut put = |text: &str, kind: &'static str, label: String| {
            if text.starts_with(word) && items.iter().all(|item| item.text != text) {
                items.push(Completion { text: text.to_owned(), label, kind });
            }
        };
        for (name, of) in variables {
            put(name, "instance", format!("{name}: {}", short(of)));
        }
        let known = self.all();
        for entry in known.own.iter().filter(|entry| entry.owner.is_none()) {
            put(&entry.name, kind(entry), label(entry));
        }
        for name in own {
            put(name, "function", name.clone());
        }
        if !word.is_empty() {
            for entry in known.read.iter().filter(|entry| entry.owner.is_none() && entry.is_near()) {
                put(&entry.name, kind(entry), entry.name.clone());
            }
            for name in self.crates() {
                put(name, "module", name.to_owned());
            }
            for keyword in KEYWORDS {
                put(keyword, "keyword", keyword.to_owned());
            }
        }
        items.truncate(MOST);
        items
    }

    /// The crates that a cell may name.
    fn crates(&self) -> impl Iterator<Item = &str> {
        let modules = self.read.get().map(|index| index.modules.keys());
        modules.into_iter().flatten().map(String::as_str).filter(|name| !name.contains("::"))
    }

    /// What a path names: from a crate, or from what every cell begins with; from roborm itself last, whose modules are
    /// spoken of by their names.
    fn named(&self, segments: &[&str]) -> Option<Named<'_>> {
        let modules = &self.read.get()?.modules;
        let (first, rest) = segments.split_first()?;
        let member = |module: &str, name: &str| modules.get(module)?.iter().find(|member| member.name == name);
        let mut now = match modules.get_key_value(*first) {
            Some((path, members)) => Named::Module(path, members),
            None => entered(modules, member("roborm::prelude", first).or_else(|| member("roborm", first))?),
        };
        for name in rest {
            let Named::Module(path, _) = now else { return None };
            now = entered(modules, member(path, name)?);
        }
        Some(now)
    }

    /// What could stand behind a path.
    fn behind(&self, segments: &[&str], word: &str) -> Vec<Completion> {
        let Some(owner) = segments.last() else { return Vec::new() };
        let known = self.all();
        let begins = |name: &str| name.starts_with(word);
        let mut items: Vec<Completion> = Vec::new();
        let mut put = |name: &str, kind: &'static str, label: String| {
            if items.iter().all(|item| item.text != name) {
                items.push(Completion { text: name.to_owned(), label, kind });
            }
        };
        match self.named(segments) {
            Some(Named::Module(_, members)) => {
                for member in members.iter().filter(|member| begins(&member.name)) {
                    let label = self.entry(member).map_or_else(|| member.name.clone(), label);
                    put(&member.name, word_of(&member.kind), label);
                }
            }
            Some(Named::Item(member)) => {
                let name = member.at.rsplit("::").next().unwrap_or_default();
                let from = member.at.split("::").next();
                for entry in known.of_type(name, from).into_iter().filter(|entry| begins(&entry.name)) {
                    put(&entry.name, kind(entry), label(entry));
                }
            }
            None => {
                // Modules of other crates are called as those of std are (`tokio::time`), and hold other things.
                let is_of_std =
                    segments.len() == 1 || ["std", "core", "alloc"].iter().any(|root| segments.first() == Some(root));
                let is_type = owner.starts_with(char::is_uppercase);
                let in_module = |entry: &&Entry| is_of_std && entry.modules.iter().any(|module| module == owner);
                let mine =
                    known.of_type(owner, None).into_iter().filter(|entry| is_of_std || is_type || entry.from != STD);
                for entry in mine.chain(known.iter().filter(in_module)).filter(|entry| begins(&entry.name)) {
                    put(&entry.name, kind(entry), label(entry));
                }
            }
        }
        items.sort_by(|a, b| a.text.cmp(&b.text));
        items
    }

    /// What is known of a member besides its name.
    fn entry(&self, member: &Member) -> Option<&Entry> {
        let (at, name) = member.at.rsplit_once("::").unwrap_or(("", &member.at));
        let read = &self.read.get()?.entries;
        read.iter().find(|entry| entry.owner.is_none() && entry.name == name && entry.at == at)
    }

    /// The methods of a value of a type.
    fn methods(&self, owner: &str, word: &str) -> Vec<Completion> {
        let mut items: Vec<Completion> = Vec::new();
        let known = self.all();
        for owner in std::iter::once(owner).chain(deref(owner)) {
            for entry in known.of_type(owner, None).into_iter().filter(|entry| entry.name.starts_with(word)) {
                if entry.signature.contains("self") && items.iter().all(|item| item.text != entry.name) {
                    items.push(Completion { text: entry.name.clone(), label: label(entry), kind: kind(entry) });
                }
            }
        }
        items.sort_by(|a, b| a.text.cmp(&b.text));
        items.truncate(MOST);
        items
    }

    fn any_method(&self, word: &str) -> Vec<Completion> {
        if word.is_empty() {
            return Vec::new();
        }
        let known = self.all();
        let mut names: Vec<&str> = known
            .iter()
            .filter(|entry| entry.is_near() && entry.owner.is_some() && entry.signature.contains("self"))
            .filter(|entry| entry.name.starts_with(word))
            .map(|entry| entry.name.as_str())
            .collect();
        names.sort_unstable();
        names.dedup();
        names.into_iter().take(MOST).map(|name| item(name, "function")).collect()
    }

    /// The type of the expression that ends `text`, as far as names of variables and signatures tell.
    fn type_of(&self, text: &str, variables: &BTreeMap<String, String>) -> Option<String> {
        // A character is in other signs; an escape before it makes no difference to what it is.
        if text.ends_with('"') {
            return Some("str".to_owned());
        }
        let chain = chain(text);
        let (first, rest) = chain.split_first()?;
        let mut of = match variables.get(&first.name) {
            Some(of) => of.clone(),
            None if first.is_call && first.owner.is_none() && first.name == "Some" => "Option".to_owned(),
            None if first.is_call && first.owner.is_none() && ["Ok", "Err"].contains(&first.name.as_str()) => {
                "Result".to_owned()
            }
            None if first.is_call => self.result_of(first.owner.as_deref(), &first.name)?,
            None => return None,
        };
        if first.is_tried {
            of = unwrapped(&of);
        }
        for link in rest {
            let takes_out = ["unwrap", "expect", "unwrap_or", "unwrap_or_default", "unwrap_or_else"];
            of = match takes_out.contains(&link.name.as_str()) && unwrapped(&of) != of {
                true => unwrapped(&of),
                false => self.result_of(Some(&base(&of)), &link.name)?,
            };
            if link.is_tried {
                of = unwrapped(&of);
            }
        }
        Some(base(&of))
    }

    fn result_of(&self, owner: Option<&str>, name: &str) -> Option<String> {
        let known = self.all();
        let owners = [owner, owner.and_then(deref)];
        let owned = |entry: &&Entry| entry.name == name && owners.contains(&entry.owner.as_deref());
        let entry = match owner {
            Some(_) => known.iter().find(owned)?,
            None => known.iter().find(|entry| entry.owner.is_none() && entry.name == name)?,
        };
        let (_, of) = entry.signature.rsplit_once("->")?;
        let of = of.split(" where ").next().unwrap_or(of).trim();
        let of = of.strip_prefix("impl ").unwrap_or(of);
        if base(of) == "Self" {
            return owner.map(str::to_owned);
        }
        Some(match owner {
            // A constructor of a type with parameters: `Self` of `Option<Self>` as well.
            Some(owner) => of.replace("Self", owner),
            None => of.to_owned(),
        })
    }

    /// What is known of `DataFrame`, `DataFrame::lazy`, `lazy` or `chart::crossing`.
    pub fn explain(&self, path: &str) -> Option<Inspection> {
        let path = path.trim_end_matches('!');
        let segments: Vec<&str> = path.split("::").filter(|name| !name.is_empty()).collect();
        let (name, owners) = segments.split_last()?;
        let known = self.all();
        let of_names = || known.iter().filter(|entry| entry.name == *name);
        let Some(owner) = owners.last() else {
            // A method of some type that happens to have the name is not what was meant; a module is, where nothing else
            // has it.
            let own = known.own.iter().find(|entry| entry.owner.is_none() && entry.name == *name);
            let own = own.map(inspection).or_else(|| self.explain_named(&segments));
            let of_none = || of_names().filter(|entry| entry.owner.is_none());
            let found = || of_none().find(|entry| entry.is_near()).or_else(|| of_none().next()).map(inspection);
            // A module of std is owned by the one that it is in.
            let module = || of_names().find(|entry| entry.kind == "module").map(inspection);
            return own.or_else(found).or_else(module);
        };
        if let Some(found) = self.explain_named(&segments) {
            return Some(found);
        }
        let (owner, from) = match self.named(owners) {
            Some(Named::Item(member)) => {
                (member.at.rsplit("::").next().unwrap_or_default().to_owned(), member.at.split("::").next())
            }
            // What is not in the module is nowhere.
            Some(Named::Module(..)) => return None,
            None => ((*owner).to_owned(), None),
        };
        let of = |owner: &str| known.of_type(owner, from).into_iter().find(|entry| entry.name == *name);
        let found = of(&owner).or_else(|| deref(&owner).and_then(of));
        // `std::vec::Vec`.
        let found = found.or_else(|| of_names().find(|entry| entry.modules.contains(&owner)));
        found.map(inspection)
    }

    /// What is known of what a path of modules leads to.
    fn explain_named(&self, segments: &[&str]) -> Option<Inspection> {
        match self.named(segments)? {
            Named::Item(member) => Some(match self.entry(member) {
                Some(entry) => inspection(entry),
                None => bare(&member.at, &member.kind),
            }),
            Named::Module(path, members) => {
                let (at, name) = path.rsplit_once("::").unwrap_or(("", path));
                let read = &self.read.get()?.entries;
                let is_it = |entry: &&Entry| entry.kind == "module" && entry.name == name && entry.at == at;
                let mut found = read.iter().find(is_it).map_or_else(|| bare(path, "module"), inspection);
                let names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
                let shown = names.iter().take(MOST_IN_MODULE).copied().collect::<Vec<_>>().join(", ");
                let more = names.len().saturating_sub(MOST_IN_MODULE);
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                for text in [&mut found.plain, &mut found.markdown] {
                    text.push_str(&format!("\n\nin it: {shown}{more}"));
                }
                Some(found)
            }
        }
    }

    /// Names that are spelled much as what a path ends in, where nothing is known of that: of its module or its type, or of
    /// all that is in reach.
    pub fn near(&self, path: &str) -> Vec<String> {
        let segments: Vec<&str> = path.trim_end_matches('!').split("::").filter(|name| !name.is_empty()).collect();
        let Some((name, owners)) = segments.split_last() else { return Vec::new() };
        let known = self.all();
        let names: Vec<&str> = match (owners.last(), self.named(owners)) {
            (None, _) => {
                let near =
                    known.iter().filter(|entry| entry.owner.is_none() && (entry.is_near() || entry.from == "roborm"));
                near.map(|entry| entry.name.as_str()).collect()
            }
            (Some(_), Some(Named::Module(_, members))) => members.iter().map(|member| member.name.as_str()).collect(),
            (Some(owner), _) => known.of_type(owner, None).into_iter().map(|entry| entry.name.as_str()).collect(),
        };
        let head = owners.iter().map(|owner| format!("{owner}::")).collect::<String>();
        nearest(name, names).into_iter().map(|found| format!("{head}{found}")).collect()
    }

    /// What is known of a type: `std::vec::Vec<i32>` is one of `Vec`.
    pub fn explain_type(&self, of: &str) -> Option<Inspection> {
        self.explain(&base(of))
    }

    /// What a method of a type is; of an unknown type, the one method of that name, where there is one alone.
    pub fn method(&self, of: Option<&str>, name: &str) -> Option<Inspection> {
        let known = self.all();
        let named = || known.iter().filter(|entry| entry.name == name && entry.owner.is_some());
        match of.map(base) {
            Some(owner) => [Some(owner.as_str()), deref(&owner)]
                .into_iter()
                .flatten()
                .find_map(|owner| named().find(|entry| entry.owner.as_deref() == Some(owner)))
                .map(inspection),
            None => {
                // The standard library has a method of nearly every name.
                let is_std = |entry: &&Entry| entry.from == STD;
                let alone = |mut some: Box<dyn Iterator<Item = &Entry> + '_>| {
                    let found = some.next()?;
                    some.all(|other| other.owner == found.owner).then(|| inspection(found))
                };
                match named().any(|entry| !is_std(&entry)) {
                    true => alone(Box::new(named().filter(|entry| !is_std(entry)))),
                    false => alone(Box::new(named())),
                }
            }
        }
    }

    /// The type of the expression that ends `text`, as far as names of variables and signatures tell.
    pub fn receiver(&self, text: &str, variables: &BTreeMap<String, String>) -> Option<String> {
        self.type_of(text, variables)
    }
}

fn entered<'n>(modules: &'n Modules, member: &'n Member) -> Named<'n> {
    match modules.get_key_value(&member.at) {
        Some((path, members)) if member.kind == "module" => Named::Module(path, members),
        _ => Named::Item(member),
    }
}

/// The names that differ least in spelling, at most three, best first.
fn nearest<'n>(wanted: &str, names: Vec<&'n str>) -> Vec<&'n str> {
    let most = ((wanted.chars().count() + 1) / 3).max(1);
    let far = |name: &str| {
        // A beginning is what somebody has typed who does not know the rest.
        let begins = wanted.len() >= 3 && name.starts_with(wanted);
        let letters = || distance(&wanted.to_lowercase(), &name.to_lowercase());
        if begins {
            0
        } else {
            letters() + usize::from(name.starts_with(char::is_uppercase) != wanted.starts_with(char::is_uppercase))
        }
    };
    let mut found: Vec<(usize, &str)> = names.into_iter().map(|name| (far(name), name)).collect();
    found.retain(|(far, _)| *far <= most);
    found.sort_unstable();
    found.dedup();
    found.into_iter().take(3).map(|(_, name)| name).collect()
}

/// Letters to be put in, left out or changed.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.chars().enumerate() {
        let mut before = row[0];
        row[0] = i + 1;
        for (j, other) in b.iter().enumerate() {
            let changed = before + usize::from(letter != *other);
            before = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(before + 1);
        }
    }
    row[b.len()]
}

/// What is said of something of which no more is known than where it is.
fn bare(at: &str, kind: &str) -> Inspection {
    let (parent, name) = at.rsplit_once("::").unwrap_or(("", at));
    let from = if parent.is_empty() { String::new() } else { format!(" of {parent}") };
    let what = if kind == "class" {
        "type"
    } else if kind == "instance" {
        "value"
    } else {
        kind
    };
    Inspection { plain: format!("{name}\n\n{what}{from}"), markdown: format!("```rust\n{name}\n```\n\n{what}{from}") }
}

/// What is said of an item.
fn inspection(found: &Entry) -> Inspection {
    let path = match &found.owner {
        Some(owner) => format!("{owner}::{}", found.name),
        None => found.name.clone(),
    };
    let from = if found.from == "roborm" { "roborm" } else { found.from.split('_').next().unwrap_or_default() };
    let mut plain = format!("{}\n\n{path} of {from}", found.signature);
    let mut markdown = format!("```rust\n{}\n```\n\n`{path}` of {from}", found.signature);
    if !found.docs.is_empty() {
        plain.push_str(&format!("\n\n{}", found.docs));
        markdown.push_str(&format!("\n\n{}", found.docs));
    }
    Inspection { plain, markdown }
}

fn kind(entry: &Entry) -> &'static str {
    word_of(&entry.kind)
}

fn word_of(kind: &str) -> &'static str {
    match kind {
        "function" => "function",
        "class" => "class",
        "module" => "module",
        _ => "instance",
    }
}

fn label(entry: &Entry) -> String {
    let signature = entry.signature.trim_start_matches("pub ").trim_start_matches("fn ");
    if entry.kind == "function" && signature.len() <= 120 { signature.to_owned() } else { entry.name.clone() }
}
