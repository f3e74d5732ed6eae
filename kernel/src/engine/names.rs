//! Names of Rust: those of the toolkit's index, found by their spelling and by what they are called on.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::assistant::{Completion, Inspection, item};
use crate::toolkit::{Entry, Toolkit};

/// Not more than so many: a front filters what it was given, and a data frame has hundreds of methods.
const MOST: usize = 1000;
const KEYWORDS: [&str; 24] = [
    "async", "await", "break", "const", "continue", "dyn", "else", "enum", "false", "fn", "for", "if", "impl", "in",
    "let", "loop", "match", "move", "mut", "return", "struct", "true", "use", "while",
];
/// What wraps a value that a `?` or a name inside unwraps.
const WRAPPERS: [&str; 4] = ["PolarsResult", "Result", "Option", "Box"];

/// Where the items of the standard library are from.
const STD: &str = "std";

/// The index of a toolkit, read at leisure, and the items of cells.
pub(super) struct Names {
    read: Arc<OnceLock<Vec<Entry>>>,
    own: Mutex<Arc<Vec<Entry>>>,
}

/// All entries as of now: those of cells first, those of the standard library last.
struct Known<'n> {
    own: Arc<Vec<Entry>>,
    read: &'n [Entry],
}

impl Known<'_> {
    fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.own.iter().chain(self.read)
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
        Known { own, read: self.read.get().map_or(&[], Vec::as_slice) }
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
        if let Some(head) = before.strip_suffix("::") {
            let owner = head.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
            let root = path_before(head).split("::").next().unwrap_or_default();
            // Modules of other crates are called as those of std are (`tokio::time`), and hold other things.
            let is_of_std = root == owner || ["std", "core", "alloc"].contains(&root);
            return self.of_owner(owner, word, if is_of_std { Way::Path } else { Way::PathElsewhere });
        }
        if let Some(head) = before.strip_suffix('.') {
            return match self.type_of(head, variables) {
                Some(owner) if self.all().iter().any(|entry| entry.owner.as_ref() == Some(&owner)) => {
                    self.of_owner(&owner, word, Way::Value)
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
            for entry in known.read.iter().filter(|entry| entry.owner.is_none()) {
                put(&entry.name, kind(entry), entry.name.clone());
            }
            for keyword in KEYWORDS {
                put(keyword, "keyword", keyword.to_owned());
            }
        }
        items.truncate(MOST);
        items
    }

    fn of_owner(&self, owner: &str, word: &str, way: Way) -> Vec<Completion> {
        let is_path = way != Way::Value;
        let mut items: Vec<Completion> = Vec::new();
        let known = self.all();
        let owners = std::iter::once(owner).chain((!is_path).then(|| deref(owner)).flatten());
        for owner in owners {
            let is_in = |entry: &Entry| way == Way::Path && entry.modules.iter().any(|module| module == owner);
            // A module is the owner of those in it.
            let is_other =
                |entry: &Entry| way == Way::PathElsewhere && entry.from == STD && owner.starts_with(char::is_lowercase);
            let is_mine = |entry: &Entry| entry.owner.as_deref() == Some(owner) && !is_other(entry);
            let mine = known.iter().filter(|entry| is_mine(entry) || is_in(entry));
            for entry in mine.filter(|entry| entry.name.starts_with(word)) {
                let is_method = entry.signature.contains("self");
                if (is_method || is_path) && items.iter().all(|item| item.text != entry.name) {
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
            .filter(|entry| entry.owner.is_some() && entry.signature.contains("self") && entry.name.starts_with(word))
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

    /// What is known of `DataFrame`, `DataFrame::lazy` or `lazy`.
    pub fn explain(&self, path: &str) -> Option<Inspection> {
        let (owner, name) = match path.rsplit_once("::") {
            Some((owner, name)) => (owner.rsplit("::").next(), name),
            None => (None, path),
        };
        let name = name.trim_end_matches('!');
        let known = self.all();
        let named = || known.iter().filter(|entry| entry.name == name);
        let of = |owner: &str| named().find(|entry| entry.owner.as_deref() == Some(owner));
        let found = match owner {
            Some(owner) => {
                of(owner).or_else(|| deref(owner).and_then(of)).or_else(|| named().find(|entry| entry.owner.is_none()))
            }
            // A method of some type that happens to have the name is not what was meant.
            None => named().find(|entry| entry.owner.is_none()),
        }?;
        Some(inspection(found))
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

/// What names are looked for behind.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// A dot.
    Value,
    /// A path.
    Path,
    /// A path into another crate than std.
    PathElsewhere,
}

/// The path that a text ends in: `tokio::time` of `use tokio::time`.
fn path_before(text: &str) -> &str {
    let start = text
        .rfind(|c: char| !c.is_alphanumeric() && c != '_' && c != ':')
        .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    text[start..].trim_start_matches(':')
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
    match entry.kind.as_str() {
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

fn short(of: &str) -> String {
    if of.len() <= 60 { of.to_owned() } else { base(of) }
}

/// `&'static polars::frame::DataFrame` is `DataFrame`.
fn base(of: &str) -> String {
    let mut of = of.trim().trim_start_matches('&');
    if let Some(rest) = of.strip_prefix('\'') {
        of = rest.split_once(' ').map_or(rest, |(_, rest)| rest);
    }
    let of = of.trim_start_matches("mut ").trim_start_matches("dyn ").trim_start_matches("impl ");
    if of.starts_with('[') {
        return "slice".to_owned();
    }
    let of = of.split('<').next().unwrap_or(of).trim();
    let name = of.rsplit("::").next().unwrap_or(of);
    // What iterators are made of are iterators.
    if ITERATORS.contains(&name) { "Iterator".to_owned() } else { name.to_owned() }
}

/// Iterators of std, by the names that variables and signatures call them.
const ITERATORS: [&str; 36] = [
    "Iter",
    "IterMut",
    "IntoIter",
    "Drain",
    "Map",
    "Filter",
    "FilterMap",
    "Enumerate",
    "Zip",
    "Chain",
    "Rev",
    "Take",
    "Skip",
    "TakeWhile",
    "SkipWhile",
    "StepBy",
    "Peekable",
    "Cloned",
    "Copied",
    "Cycle",
    "Flatten",
    "FlatMap",
    "Inspect",
    "Scan",
    "Fuse",
    "MapWhile",
    "Chars",
    "CharIndices",
    "Bytes",
    "Lines",
    "Split",
    "SplitWhitespace",
    "Windows",
    "Chunks",
    "Keys",
    "Values",
];

/// What a type is seen as where it has no method of the name itself.
fn deref(owner: &str) -> Option<&'static str> {
    Some(match owner {
        "String" => "str",
        "Vec" => "slice",
        "PathBuf" => "Path",
        "OsString" => "OsStr",
        _ => return None,
    })
}

/// `PolarsResult<DataFrame>` is `DataFrame`.
fn unwrapped(of: &str) -> String {
    match of.split_once('<') {
        Some((head, inside)) if WRAPPERS.contains(&base(head).as_str()) => {
            inside.trim_end_matches('>').split(',').next().unwrap_or(inside).trim().to_owned()
        }
        _ => of.to_owned(),
    }
}

struct Link {
    owner: Option<String>,
    name: String,
    is_call: bool,
    is_tried: bool,
}

/// `df.lazy().select([…])?` as its links, where the text ends in such a chain.
fn chain(text: &str) -> Vec<Link> {
    let bytes = text.as_bytes();
    let mut end = bytes.len();
    let mut links = Vec::new();
    loop {
        while end > 0 && bytes[end - 1].is_ascii_whitespace() {
            end -= 1;
        }
        let mut is_tried = false;
        while end > 0 && bytes[end - 1] == b'?' {
            (is_tried, end) = (true, end - 1);
        }
        let mut is_call = false;
        if end > 0 && bytes[end - 1] == b')' {
            let Some(open) = opening(&bytes[..end]) else { return Vec::new() };
            (is_call, end) = (true, open);
        }
        let start = text[..end].rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
        if start >= end {
            return Vec::new();
        }
        let name = text[start..end].to_owned();
        let owner = text[..start]
            .strip_suffix("::")
            .map(|head| base(head.rsplit([' ', '(', '=', ',', '&']).next().unwrap_or(head)));
        let is_first = owner.is_some() || !text[..start].trim_end().ends_with('.');
        links.push(Link { owner, name, is_call, is_tried });
        if is_first {
            links.reverse();
            return links;
        }
        end = text[..start].trim_end().len() - 1;
    }
}

/// Where the bracket opens that closes at the end; brackets in strings are rare enough.
fn opening(bytes: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in bytes.iter().enumerate().rev() {
        match byte {
            b')' | b']' | b'}' => depth += 1,
            b'(' | b'[' | b'{' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}
