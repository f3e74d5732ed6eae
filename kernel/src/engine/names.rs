//! Names of Rust: those of the toolkit's index, found by their spelling and by what they are called on.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::assistant::Inspection;
use super::keywords;
use super::spelling::{arguments, base, deref, item_of_array, seen_as};
use crate::toolkit::{Entry, Index, Member, Modules, Toolkit};

/// Names of a module that are told of together with it.
const MOST_IN_MODULE: usize = 40;

/// Where the items of the standard library are from.
pub(super) const STD: &str = "std";

/// The index of a toolkit, read at leisure, and the items of cells.
pub(super) struct Names {
    read: Arc<OnceLock<Index>>,
    own: Mutex<Arc<Vec<Entry>>>,
}

/// All entries as of now: those of cells first, those of the standard library last.
pub(super) struct Known<'n> {
    pub own: Arc<Vec<Entry>>,
    pub read: &'n [Entry],
}

/// What a path names.
pub(super) enum Named<'n> {
    /// A crate or a module: its path, and what is in it.
    Module(&'n str, &'n [Member]),
    /// Something else in a module.
    Item(&'n Member),
}

impl Known<'_> {
    pub fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.own.iter().chain(self.read)
    }

    /// What belongs to a type of this name. There are many that are called `Error`: of several crates, those whose names
    /// are in reach; where it is known which is meant, its alone.
    pub fn of_type(&self, owner: &str, from: Option<&str>) -> Vec<&Entry> {
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

    pub fn all(&self) -> Known<'_> {
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

    /// The crates that a cell may name.
    pub fn crates(&self) -> impl Iterator<Item = &str> {
        let modules = self.read.get().map(|index| index.modules.keys());
        modules.into_iter().flatten().map(String::as_str).filter(|name| !name.contains("::"))
    }

    /// What a path names: from a crate, or from what every cell begins with; from roborm itself last, whose modules are
    /// spoken of by their names.
    pub fn named(&self, segments: &[&str]) -> Option<Named<'_>> {
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

    /// What is known of a member besides its name.
    pub fn entry(&self, member: &Member) -> Option<&Entry> {
        let (at, name) = member.at.rsplit_once("::").unwrap_or(("", &member.at));
        let read = &self.read.get()?.entries;
        read.iter().find(|entry| entry.owner.is_none() && entry.name == name && entry.at == at)
    }

    /// What a call of `name`, on a value of a type or on the type itself, comes to.
    pub fn result_of(&self, owner: Option<&str>, name: &str) -> Option<String> {
        let known = self.all();
        let bare = owner.map(base);
        let owners = [bare.as_deref(), bare.as_deref().and_then(deref)];
        let is_it = |entry: &&Entry| entry.name == name && entry.kind == "function";
        let entry = match &bare {
            Some(_) => known
                .iter()
                .find(|entry| is_it(entry) && entry.owner.is_some() && owners.contains(&entry.owner.as_deref()))?,
            None => known.iter().find(|entry| is_it(entry) && entry.owner.is_none())?,
        };
        let (_, of) = entry.signature.rsplit_once("->")?;
        let of = of.split(" where ").next().unwrap_or(of).trim();
        let of = of.strip_prefix("impl ").unwrap_or(of);
        let of = match owner {
            Some(owner) if base(of) == "Self" => owner.to_owned(),
            // A constructor of a type with parameters: `Self` of `Option<Self>` as well.
            Some(owner) => filled(&of.replace("Self", owner), owner),
            None => of.to_owned(),
        };
        // A parameter that nothing is known of.
        (base(&of).chars().count() > 1).then_some(of)
    }

    /// The type of a field of a type.
    pub fn field(&self, owner: &str, name: &str) -> Option<String> {
        let known = self.all();
        let of_owner = known.of_type(owner, None);
        let entry = of_owner.into_iter().find(|entry| entry.is_field() && entry.name == name)?;
        entry.signature.split_once(": ").map(|(_, of)| of.to_owned())
    }

    /// Whether a type has a variant of the name.
    pub fn is_variant(&self, owner: &str, name: &str) -> bool {
        let is_it =
            |entry: &Entry| entry.owner.as_deref() == Some(owner) && entry.name == name && entry.kind == "instance";
        self.all().iter().any(is_it)
    }

    /// A type of cells whose name is a value, or makes one.
    pub fn unit(&self, name: &str) -> Option<String> {
        let known = self.all();
        let is_it = |entry: &Entry| entry.owner.is_none() && entry.name == name && entry.signature.contains("struct ");
        known.own.iter().any(is_it).then(|| name.to_owned())
    }

    /// These names, and those of the items of a cell that has not run.
    pub fn with(&self, entries: Vec<Entry>) -> Self {
        let own = Arc::clone(&self.own.lock().unwrap_or_else(PoisonError::into_inner));
        let both = Self { read: Arc::clone(&self.read), own: Mutex::new(own) };
        both.define(entries);
        both
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
            let keyword = keywords::explain(name).map(|(what, example)| Inspection {
                plain: format!("{name}\n\nkeyword\n\n{what}\n\n{example}"),
                markdown: format!("```rust\n{example}\n```\n\n`{name}`, keyword\n\n{what}"),
            });
            return keyword.or(own).or_else(found).or_else(module);
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
        // `String::from`: what a type has by a trait, where one trait of std has a function of the name.
        let is_type = known.iter().any(|entry| entry.owner.is_none() && entry.name == owner && entry.kind == "class");
        let is_trait = |name: &str| {
            known
                .read
                .iter()
                .any(|entry| entry.owner.is_none() && entry.name == name && entry.signature.contains("trait "))
        };
        let of_trait = || of_names().find(|entry| entry.from == STD && entry.owner.as_deref().is_some_and(&is_trait));
        found.or_else(|| is_type.then(of_trait).flatten()).map(inspection)
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
        match of {
            Some(of) => seen_as(of)
                .into_iter()
                .map(base)
                .find_map(|owner| {
                    let owners = [Some(owner.as_str()), deref(&owner)].into_iter().flatten();
                    owners.into_iter().find_map(|owner| named().find(|entry| entry.owner.as_deref() == Some(owner)))
                })
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
}

/// A type with what its owner has in the place of its parameters.
fn filled(of: &str, owner: &str) -> String {
    let own = item_of_array(owner).map_or_else(|| arguments(owner), |item| vec![item]);
    let names: &[&str] = match base(owner).as_str() {
        "HashMap" | "BTreeMap" => &["K", "V"],
        "Result" => &["T", "E"],
        _ => &["T"],
    };
    let mut of = of.to_owned();
    for (name, value) in names.iter().zip(own) {
        of = with_word(&of, name, value);
    }
    of
}

/// A text with another word in the place of one.
fn with_word(text: &str, old: &str, new: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(old) {
        let is_part = rest[..at].ends_with(is_word) || rest[at + old.len()..].starts_with(is_word);
        out.push_str(&rest[..at]);
        out.push_str(if is_part { old } else { new });
        rest = &rest[at + old.len()..];
    }
    out + rest
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
