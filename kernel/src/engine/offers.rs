//! What could stand where a word begins.

use std::collections::BTreeMap;

use super::assistant::{Completion, item};
use super::infer::Inference;
use super::names::{Named, Names, STD};
use super::path;
use super::scope::Scope;
use super::spelling::{base, deref, parts, seen_as, short};
use crate::toolkit::Entry;

/// Not more than so many: a front filters what it was given, and a data frame has hundreds of methods.
const MOST: usize = 1000;
const KEYWORDS: [&str; 24] = [
    "async", "await", "break", "const", "continue", "dyn", "else", "enum", "false", "fn", "for", "if", "impl", "in",
    "let", "loop", "match", "move", "mut", "return", "struct", "true", "use", "while",
];

/// What a cell knows besides names that all know.
pub(super) struct Session<'s> {
    /// The variables and their types.
    pub variables: &'s BTreeMap<String, String>,
    /// Items.
    pub items: &'s [String],
}

impl Names {
    /// What `word`, behind `before`, could become.
    pub fn complete(&self, before: &str, word: &str, session: &Session<'_>) -> Vec<Completion> {
        if let Some(segments) = path::before(before) {
            return self.behind(&segments, word);
        }
        let variables = session.variables;
        if let Some(head) = before.strip_suffix('.') {
            // A number that goes on, or a range.
            if head.ends_with('.') {
                return Vec::new();
            }
            return match self.receiver(head, variables) {
                Some(of) => self.members(&of, word),
                None => self.any_method(word),
            };
        }
        if let Some((owner, given)) = path::literal(before) {
            let fields = self.fields(&base(owner), word, &given);
            if !fields.is_empty() {
                return fields;
            }
        }
        let mut items = self.bound(before, word, variables);
        let mut put = |text: &str, kind: &'static str, label: String| {
            if text.starts_with(word) && items.iter().all(|item| item.text != text) {
                items.push(Completion { text: text.to_owned(), label, kind });
            }
        };
        let known = self.all();
        for entry in known.own.iter().filter(|entry| entry.owner.is_none()) {
            put(&entry.name, kind(entry), label(entry));
        }
        for name in session.items {
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

    /// What is bound where `before` ends: by this cell, and by cells before it.
    pub fn bound(&self, before: &str, word: &str, variables: &BTreeMap<String, String>) -> Vec<Completion> {
        let mut items: Vec<Completion> = Vec::new();
        let mut put = |text: &str, label: String| {
            if text.starts_with(word) && items.iter().all(|item| item.text != text) {
                items.push(Completion { text: text.to_owned(), label, kind: "instance" });
            }
        };
        let scope = Scope::behind(before);
        for (name, _) in &scope.bound {
            put(name, name.clone());
        }
        for (name, of) in variables.iter().filter(|_| !scope.is_function) {
            put(name, format!("{name}: {}", short(of)));
        }
        items
    }

    /// The type of the expression that ends `text`, as far as names of variables and signatures tell.
    pub fn receiver(&self, text: &str, variables: &BTreeMap<String, String>) -> Option<String> {
        let scope = Scope::behind(text.get(..super::receiver::beginning(text)?)?);
        let of = Inference { names: self, scope: &scope, variables }.at_end(text)?;
        (of != "_").then_some(of)
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
                for entry in
                    known.of_type(name, from).into_iter().filter(|entry| begins(&entry.name) && !entry.is_field())
                {
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
                let mine = mine.filter(|entry| !entry.is_field());
                for entry in mine.chain(known.iter().filter(in_module)).filter(|entry| begins(&entry.name)) {
                    put(&entry.name, kind(entry), label(entry));
                }
            }
        }
        items.sort_by(|a, b| a.text.cmp(&b.text));
        items
    }

    /// The fields of a type, as they were declared, but for those that are given.
    fn fields(&self, owner: &str, word: &str, given: &[&str]) -> Vec<Completion> {
        let known = self.all();
        let wanted =
            |entry: &&Entry| entry.is_field() && entry.name.starts_with(word) && !given.contains(&entry.name.as_str());
        let found = known.of_type(owner, None).into_iter().filter(wanted);
        found.map(|entry| Completion { text: entry.name.clone(), label: label(entry), kind: "instance" }).collect()
    }

    /// Fields and methods of a value of a type.
    fn members(&self, of: &str, word: &str) -> Vec<Completion> {
        let known = self.all();
        let mut items: Vec<Completion> = Vec::new();
        let mut is_known = false;
        for of in seen_as(of) {
            for (place, part) in parts(of).into_iter().flatten().enumerate() {
                is_known = true;
                let place = place.to_string();
                if place.starts_with(word) {
                    items.push(Completion {
                        label: format!("{place}: {}", short(part)),
                        text: place,
                        kind: "instance",
                    });
                }
            }
            let owner = base(of);
            items.extend(self.fields(&owner, word, &[]));
            let mut methods: Vec<Completion> = Vec::new();
            for owner in std::iter::once(owner.as_str()).chain(deref(&owner)) {
                let all = known.of_type(owner, None);
                is_known |= !all.is_empty();
                // A type of a cell that has neither fields nor methods.
                is_known |= known.own.iter().any(|entry| entry.owner.is_none() && entry.name == owner);
                for entry in all.into_iter().filter(|entry| entry.name.starts_with(word) && is_method(entry)) {
                    if items.iter().chain(&methods).all(|item| item.text != entry.name) {
                        methods.push(Completion { text: entry.name.clone(), label: label(entry), kind: kind(entry) });
                    }
                }
            }
            methods.sort_by(|a, b| a.text.cmp(&b.text));
            items.extend(methods);
        }
        items.truncate(MOST);
        if is_known { items } else { self.any_method(word) }
    }

    fn any_method(&self, word: &str) -> Vec<Completion> {
        if word.is_empty() {
            return Vec::new();
        }
        let known = self.all();
        let mut names: Vec<&str> = known
            .iter()
            .filter(|entry| entry.is_near() && entry.owner.is_some() && is_method(entry))
            .filter(|entry| entry.name.starts_with(word))
            .map(|entry| entry.name.as_str())
            .collect();
        names.sort_unstable();
        names.dedup();
        names.into_iter().take(MOST).map(|name| item(name, "function")).collect()
    }
}

fn is_method(entry: &Entry) -> bool {
    entry.kind == "function" && entry.signature.contains("self")
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
