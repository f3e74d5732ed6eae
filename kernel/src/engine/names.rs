//! Names of Rust: those of the toolkit's index, found by their spelling and by what they are called on.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use super::assistant::{Completion, Inspection, item};
use crate::toolkit::{Entry, Toolkit};

/// Not more than so many.
const MOST: usize = 100;
const KEYWORDS: [&str; 24] = [
    "async", "await", "break", "const", "continue", "dyn", "else", "enum", "false", "fn", "for", "if", "impl", "in",
    "let", "loop", "match", "move", "mut", "return", "struct", "true", "use", "while",
];
/// What wraps a value that a `?` or a name inside unwraps.
const WRAPPERS: [&str; 4] = ["PolarsResult", "Result", "Option", "Box"];

/// The index of a toolkit, read at leisure.
pub(super) struct Names(Arc<OnceLock<Vec<Entry>>>);

impl Names {
    pub fn of(toolkit: &Toolkit) -> Self {
        let names = Self(Arc::default());
        let (file, read): (PathBuf, _) = (toolkit.dir().join("names.json"), Arc::clone(&names.0));
        // Without the thread nothing is known, which is no fault.
        let _ = std::thread::Builder::new().name("roborm-names".to_owned()).spawn(move || {
            let text = std::fs::read(file).unwrap_or_default();
            let _ = read.set(serde_json::from_slice(&text).unwrap_or_default());
        });
        names
    }

    fn all(&self) -> &[Entry] {
        self.0.get().map_or(&[], Vec::as_slice)
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
            return self.of_owner(owner, word, true);
        }
        if let Some(head) = before.strip_suffix('.') {
            return match self.type_of(head, variables) {
                Some(owner) => self.of_owner(&owner, word, false),
                None => self.any_method(word),
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
        for name in own {
            put(name, "function", name.clone());
        }
        if !word.is_empty() {
            for entry in self.all().iter().filter(|entry| entry.owner.is_none()) {
                put(&entry.name, kind(entry), entry.name.clone());
            }
            for keyword in KEYWORDS {
                put(keyword, "keyword", keyword.to_owned());
            }
        }
        items.truncate(MOST);
        items
    }

    fn of_owner(&self, owner: &str, word: &str, is_path: bool) -> Vec<Completion> {
        let mut items: Vec<Completion> = Vec::new();
        let mine = self.all().iter().filter(|entry| entry.owner.as_deref() == Some(owner));
        for entry in mine.filter(|entry| entry.name.starts_with(word)) {
            let is_method = entry.signature.contains("self");
            if (is_method || is_path) && items.iter().all(|item| item.text != entry.name) {
                items.push(Completion { text: entry.name.clone(), label: label(entry), kind: kind(entry) });
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
        let mut names: Vec<&str> = self
            .all()
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
        let chain = chain(text);
        let (first, rest) = chain.split_first()?;
        let mut of = match variables.get(&first.name) {
            Some(of) => of.clone(),
            None if first.is_call => self.result_of(first.owner.as_deref(), &first.name)?,
            None => return None,
        };
        if first.is_tried {
            of = unwrapped(&of);
        }
        for link in rest {
            of = self.result_of(Some(&base(&of)), &link.name)?;
            if link.is_tried {
                of = unwrapped(&of);
            }
        }
        Some(base(&of))
    }

    fn result_of(&self, owner: Option<&str>, name: &str) -> Option<String> {
        let entry = self.all().iter().find(|entry| entry.owner.as_deref() == owner && entry.name == name)?;
        let (_, of) = entry.signature.rsplit_once("->")?;
        let of = of.split(" where ").next().unwrap_or(of).trim();
        Some(match owner {
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
        let named = || self.all().iter().filter(|entry| entry.name == name);
        let found = match owner {
            Some(owner) => named()
                .find(|entry| entry.owner.as_deref() == Some(owner))
                .or_else(|| named().find(|entry| entry.owner.is_none())),
            // A method of some type that happens to have the name is not what was meant.
            None => named().find(|entry| entry.owner.is_none()),
        }?;
        Some(inspection(found))
    }

    /// What a method of a type is; of an unknown type, the one method of that name, where there is one alone.
    pub fn method(&self, of: Option<&str>, name: &str) -> Option<Inspection> {
        let mut named = self.all().iter().filter(|entry| entry.name == name && entry.owner.is_some());
        match of.map(base) {
            Some(owner) => named.find(|entry| entry.owner.as_deref() == Some(&owner)).map(inspection),
            None => {
                let found = named.next()?;
                named.all(|other| other.owner == found.owner).then(|| inspection(found))
            }
        }
    }
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
    let of = of.trim_start_matches('&').trim_start_matches("'static ").trim_start_matches("mut ");
    let of = of.split('<').next().unwrap_or(of).trim();
    of.rsplit("::").next().unwrap_or(of).to_owned()
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
