//! What can be named behind a path: the modules of the crates that a cell may name, with what is in them and what they
//! re-export.
//!
//! rustc lists what a crate defines, macros' work included, of its compiled form (`-Zls=items`); what is re-exported stands
//! in the sources. Both together are what may be there. What is there, rustc is asked in the end: one file with a `use` of
//! everything, of which it names those that it cannot resolve.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Recorded;
use super::sources::{Sources, Use};

/// Modules by the paths where they are defined, crate first: `polars_core::frame`.
pub(crate) type Modules = BTreeMap<String, Vec<Member>>;

/// What a module has by a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Member {
    pub name: String,
    /// In Jupyter's words.
    pub kind: String,
    /// Where it is defined, its own name included.
    pub at: String,
}

/// The modules of the crates that cells may name.
pub(super) fn find(toolkit: &Path, recorded: &Recorded, sources: &Sources<'_>) -> Modules {
    let world = World {
        lib: toolkit.join("lib"),
        recorded,
        sources,
        trees: RefCell::default(),
        members: RefCell::default(),
        steps: RefCell::default(),
    };
    let mut modules = Modules::new();
    let mut wanted = String::new();
    // What stands in each line of it: the module, and the name.
    let mut lines = Vec::new();
    let roots = recorded.externs.keys().filter(|name| *name != "roborm_toolkit");
    let mut next: VecDeque<(String, String)> = roots.map(|root| (root.clone(), format!("::{root}"))).collect();
    let mut seen: BTreeSet<String> = next.iter().map(|(root, _)| root.clone()).collect();
    // By the shortest path that leads there.
    while let Some((module, path)) = next.pop_front() {
        let members = world.members(&module);
        for member in members.values() {
            if member.kind == "module" && seen.insert(member.at.clone()) {
                next.push_back((member.at.clone(), format!("{path}::{}", member.name)));
            }
            let _ = writeln!(wanted, "use {path}::{} as _;", raw(&member.name));
            lines.push((module.clone(), member.name.clone()));
        }
        modules.insert(module, members.values().cloned().collect());
    }
    let missing: BTreeSet<_> =
        missing(toolkit, recorded, &wanted).into_iter().filter_map(|line| lines.get(line)).cloned().collect();
    for (module, members) in &mut modules {
        members.retain(|member| !missing.contains(&(module.clone(), member.name.clone())));
    }
    modules
}

/// The lines, from 0, of what rustc cannot resolve.
fn missing(toolkit: &Path, recorded: &Recorded, uses: &str) -> Vec<usize> {
    let Ok(folder) = tempfile::tempdir() else { return Vec::new() };
    let source = folder.path().join("lib.rs");
    if fs::write(&source, uses).is_err() {
        return Vec::new();
    }
    let mut rustc = Command::new(&recorded.rustc);
    rustc.args(["--crate-name=modules", "--edition=2024", "--crate-type=rlib", "--emit=metadata", "--cap-lints=allow"]);
    rustc.args(["-Awarnings", "--error-format=json"]).arg(&source).arg("--out-dir").arg(folder.path());
    recorded.link(toolkit, &mut rustc, true);
    let Ok(output) = rustc.stdin(Stdio::null()).output() else { return Vec::new() };
    let errors =
        output.stderr.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let errors = errors.filter(|error| error["level"] == "error");
    let places = errors.flat_map(|error| error["spans"].as_array().cloned().unwrap_or_default());
    let lines = places.filter(|span| span["is_primary"] == true).filter_map(|span| span["line_start"].as_u64());
    lines.filter_map(|line| usize::try_from(line).ok()?.checked_sub(1)).collect()
}

fn raw(name: &str) -> String {
    let is_word = ["async", "await", "dyn", "gen", "try", "type", "match", "loop", "move", "ref", "where", "yield"];
    if is_word.contains(&name) { format!("r#{name}") } else { name.to_owned() }
}

/// What a crate defines: paths, with what is there and whether all may name it.
#[derive(Default)]
struct Tree {
    items: BTreeMap<String, (&'static str, bool)>,
    inside: BTreeMap<String, Vec<String>>,
}

impl Tree {
    /// Of rustc's list.
    fn of(list: &str, name: &str) -> Self {
        let mut tree = Self::default();
        let mut path: Vec<String> = Vec::new();
        for line in list.lines() {
            let depth = (line.len() - line.trim_start().len()) / 4;
            let Some(line) = line.trim().strip_suffix(['{', '}']) else { continue };
            let words: Vec<&str> = line.trim_end_matches([' ', '{']).split(' ').collect();
            let [visible, what, .., item] = words.as_slice() else { continue };
            path.truncate(depth);
            let item = if *item == "crate" && depth == 0 { name } else { item };
            let kind = match what.split('(').next().unwrap_or_default() {
                "Mod" => "module",
                "Struct" | "Enum" | "Union" | "Trait" | "TyAlias" | "TraitAlias" => "class",
                "Fn" => "function",
                "Const" | "Static" | "Variant" => "instance",
                "Macro" => "function",
                _ => "",
            };
            let parent = path.join("::");
            path.push(item.to_owned());
            if kind.is_empty() {
                continue;
            }
            let at = path.join("::");
            if !parent.is_empty() {
                tree.inside.entry(parent).or_default().push(item.to_owned());
            }
            // A type before a function of its name: a constructor.
            tree.items.entry(at).or_insert((kind, *visible == "Public"));
        }
        tree
    }
}

/// By name.
type Members = Rc<BTreeMap<String, Member>>;
/// Where something is defined, and what it is.
type Found = (String, &'static str);

struct World<'w> {
    lib: PathBuf,
    recorded: &'w Recorded,
    sources: &'w Sources<'w>,
    trees: RefCell<BTreeMap<String, Rc<Tree>>>,
    members: RefCell<BTreeMap<String, Members>>,
    steps: RefCell<BTreeMap<(String, String), Option<Found>>>,
}

impl World<'_> {
    fn tree(&self, name: &str) -> Rc<Tree> {
        if let Some(tree) = self.trees.borrow().get(name) {
            return Rc::clone(tree);
        }
        let list = self.sources.file(name).and_then(|file| {
            let mut rustc = Command::new(&self.recorded.rustc);
            rustc.arg("-Zls=items").arg(self.lib.join(file)).env("RUSTC_BOOTSTRAP", "1").stdin(Stdio::null());
            rustc.output().ok()
        });
        let list = list.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
        let mut tree = Tree::of(&list, name);
        // rustc does not list these.
        for word in &self.sources.krate(name).macros {
            tree.inside.entry(name.to_owned()).or_default().push(word.clone());
            tree.items.entry(format!("{name}::{word}")).or_insert(("function", true));
        }
        let tree = Rc::new(tree);
        self.trees.borrow_mut().insert(name.to_owned(), Rc::clone(&tree));
        tree
    }

    fn uses(&self, module: &str) -> Vec<Use> {
        let (name, path) = module.split_once("::").unwrap_or((module, ""));
        self.sources.krate(name).uses.get(path).cloned().unwrap_or_default()
    }

    /// What all may name in a module or an enum.
    fn members(&self, module: &str) -> Members {
        if let Some(known) = self.members.borrow().get(module) {
            return Rc::clone(known);
        }
        let mut members = BTreeMap::new();
        let tree = self.tree(module.split("::").next().unwrap_or_default());
        for name in tree.inside.get(module).into_iter().flatten().filter(|name| !name.starts_with('_')) {
            let at = format!("{module}::{name}");
            if let Some((kind, true)) = tree.items.get(&at) {
                members.insert(name.clone(), Member { name: name.clone(), kind: (*kind).to_owned(), at });
            }
        }
        // What globs lead back here finds so much of it.
        self.members.borrow_mut().insert(module.to_owned(), Rc::new(members.clone()));
        let (named, globs): (Vec<Use>, Vec<Use>) =
            self.uses(module).into_iter().filter(|used| used.is_public).partition(|used| used.name.is_some());
        for used in named {
            let Some(name) = used.name.filter(|name| !name.starts_with('_')) else { continue };
            if let Some((at, kind)) = self.resolve(module, &used.path) {
                members.insert(name.clone(), Member { name, kind: kind.to_owned(), at });
            }
        }
        let (krate, below) = module.split_once("::").unwrap_or((module, ""));
        let known = self.sources.krate(krate);
        members.retain(|name, member| {
            let path = [below, name].join("::");
            member.kind != "module" || !known.hidden.contains(path.trim_start_matches("::"))
        });
        // What is named has the word over what comes by a glob.
        for used in globs {
            let Some((at, _)) = self.resolve(module, &used.path) else { continue };
            for (name, member) in self.members(&at).iter() {
                members.entry(name.clone()).or_insert_with(|| member.clone());
            }
        }
        let members = Rc::new(members);
        self.members.borrow_mut().insert(module.to_owned(), Rc::clone(&members));
        members
    }

    /// What is named by `path` in a module.
    fn resolve(&self, module: &str, path: &[String]) -> Option<Found> {
        let krate = module.split("::").next()?;
        let (first, rest) = path.split_first()?;
        let mut at = match first.as_str() {
            "crate" | "$crate" => (krate.to_owned(), "module"),
            "self" => (module.to_owned(), "module"),
            "super" => (module.rsplit_once("::")?.0.to_owned(), "module"),
            name => match self.step(module, name) {
                Some(found) => found,
                None => self.sources.has(name).then(|| (name.to_owned(), "module"))?,
            },
        };
        for name in rest {
            at = match name.as_str() {
                "super" => (at.0.rsplit_once("::")?.0.to_owned(), "module"),
                "self" => at,
                name => self.step(&at.0, name)?,
            };
        }
        Some(at)
    }

    /// What a module itself finds by a name.
    fn step(&self, module: &str, name: &str) -> Option<Found> {
        let key = (module.to_owned(), name.to_owned());
        if let Some(known) = self.steps.borrow().get(&key) {
            return known.clone();
        }
        // Who comes back here on the way finds nothing.
        self.steps.borrow_mut().insert(key.clone(), None);
        let found = self.step_anew(module, name);
        self.steps.borrow_mut().insert(key, found.clone());
        found
    }

    fn step_anew(&self, module: &str, name: &str) -> Option<Found> {
        let tree = self.tree(module.split("::").next()?);
        let at = format!("{module}::{name}");
        if let Some((kind, _)) = tree.items.get(&at) {
            return Some((at, kind));
        }
        let uses = self.uses(module);
        if let Some(used) = uses.iter().find(|used| used.name.as_deref() == Some(name)) {
            return self.resolve(module, &used.path);
        }
        uses.iter().filter(|used| used.name.is_none()).find_map(|used| {
            let (of, _) = self.resolve(module, &used.path)?;
            self.step(&of, name)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_rustc() {
        let list = "=Items=\nPublic Mod crate {\n    Public Mod de {\n        Public Fn from_str {}\n        \
                    Restricted(\"crate::de\") Static { safety: Safe, mutability: Not, nested: false } POW10 {}\n        \
                    Public Struct Deserializer {}\n        Public Ctor(Struct, Fn) ??? {}\n    }\n    Public Trait Read {\n    }\n}\n";
        let tree = Tree::of(list, "json");
        assert_eq!(tree.items["json::de"], ("module", true));
        assert_eq!(tree.items["json::de::from_str"], ("function", true));
        assert!(!tree.items["json::de::POW10"].1);
        assert_eq!(tree.items["json::Read"], ("class", true));
        assert_eq!(tree.inside["json::de"], ["from_str", "POW10", "Deserializer"]);
    }
}
