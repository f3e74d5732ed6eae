//! An index of the public names of roborm and polars with their signatures and documentation, made of the sources that
//! the build folder knows: for completion and `?item` where no rust-analyzer and no sources are.

use std::fs;
use std::path::{Path, PathBuf};

use ra_ap_syntax::ast::{self, AstNode, AstToken, HasDocComments, HasModuleItem, HasName, HasVisibility};
use ra_ap_syntax::{SourceFile, SyntaxKind, SyntaxNode};
use serde::{Deserialize, Serialize};

use super::modules::Modules;
use super::sources::Sources;

/// One public name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// The type that it is a method or a variant of.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub owner: Option<String>,
    pub name: String,
    /// In Jupyter's words.
    pub kind: String,
    pub signature: String,
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub docs: String,
    /// The crate.
    pub from: String,
    /// The modules that it is found in, by their own names: a type of std may be in two.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub modules: Vec<String>,
    /// The module that it is defined in, crate first, where that is known: of what is in [`Index::modules`].
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub at: String,
}

/// Crates that are indexed, those whose names come first first.
const CRATES: [&str; 6] = ["roborm", "polars_lazy", "polars_core", "polars_plan", "polars_ops", "plotly"];
/// Those whose names are found behind a path alone.
const MORE: [&str; 12] = [
    "polars",
    "polars_io",
    "polars_error",
    "polars_time",
    "serde_json",
    "serde_core",
    "tokio",
    "image",
    "rand",
    "rayon",
    "reqwest",
    "tempfile",
];
/// Longer documentation is cut.
const LONGEST: usize = 4_000;

/// What is known of names: `names.json`.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Index {
    pub entries: Vec<Entry>,
    pub modules: Modules,
}

/// Indexes the crates whose sources are known.
pub(super) fn index(sources: &Sources<'_>) -> Vec<Entry> {
    let mut entries = Vec::new();
    for name in CRATES.iter().chain(&MORE) {
        let files = sources.parsed(name);
        sources.keep(name, &files);
        for (module, file) in files {
            let at = if module.is_empty() { (*name).to_owned() } else { format!("{name}::{module}") };
            about(&file, &at, name, &mut entries);
            items(file.items(), &Place { from: name, at: &at, only_public: true }, &mut entries);
        }
    }
    entries
}

/// What a module says of itself.
fn about(file: &SourceFile, at: &str, from: &str, entries: &mut Vec<Entry>) {
    let comments = file.syntax().descendants_with_tokens().filter_map(|it| it.into_token());
    let comments = comments.take_while(|token| token.kind().is_trivia()).map(|token| token.text().to_owned());
    let lines = comments
        .filter_map(|text| text.strip_prefix("//!").map(|text| text.strip_prefix(' ').unwrap_or(text).to_owned()));
    let docs: Vec<String> = lines.collect();
    entries.push(module_entry(at, from, docs.join("\n")));
}

fn module_entry(at: &str, from: &str, docs: String) -> Entry {
    let (parent, name) = at.rsplit_once("::").unwrap_or(("", at));
    let what = if parent.is_empty() { "crate" } else { "mod" };
    Entry {
        owner: None,
        name: name.to_owned(),
        kind: "module".to_owned(),
        signature: format!("{what} {name}"),
        docs,
        from: from.to_owned(),
        modules: Vec::new(),
        at: parent.to_owned(),
    }
}

/// The folder that lists of our own sources are relative to, that of the workspace: a program's list has whole paths.
pub(crate) fn workspace(build: &Path) -> Option<PathBuf> {
    let list = fs::read_to_string(build.join("roborm-kernel.d")).ok()?;
    let file = list.replace("\\ ", "\u{0}");
    let file = file.split(' ').find_map(|file| file.trim().strip_suffix("/src/cell/mod.rs"))?;
    Some(PathBuf::from(file.replace('\u{0}', " ")))
}

/// What there is to say of the items of a cell, whether they are public or not.
pub(crate) fn of_cell(all: impl Iterator<Item = ast::Item>, from: &str) -> Vec<Entry> {
    let mut entries = Vec::new();
    items(all, &Place { from, at: "", only_public: false }, &mut entries);
    entries
}

/// Where items stand that are read.
struct Place<'p> {
    from: &'p str,
    at: &'p str,
    only_public: bool,
}

fn items(all: impl Iterator<Item = ast::Item>, place: &Place<'_>, entries: &mut Vec<Entry>) {
    let is_public = |item: &dyn AnyVisibility| !place.only_public || item.is_public();
    for item in all {
        match &item {
            ast::Item::Fn(it) if is_public(it) => put(entries, place, None, it, "function", &signature(it)),
            ast::Item::Struct(it) if is_public(it) => {
                put(entries, place, None, it, "class", &head(it.syntax()));
            }
            ast::Item::Enum(it) if is_public(it) => {
                put(entries, place, None, it, "class", &head(it.syntax()));
                let owner = it.name().map(|name| name.text().to_string());
                for variant in it.variant_list().into_iter().flat_map(|list| list.variants()) {
                    let text = head(variant.syntax());
                    put(entries, place, owner.clone(), &variant, "instance", &text);
                }
            }
            ast::Item::Trait(it) if is_public(it) => {
                put(entries, place, None, it, "class", &head(it.syntax()));
                let owner = it.name().map(|name| name.text().to_string());
                methods(it.assoc_item_list(), owner, false, place, entries);
            }
            ast::Item::TypeAlias(it) if is_public(it) => {
                put(entries, place, None, it, "class", &head(it.syntax()));
            }
            ast::Item::Const(it) if is_public(it) => {
                put(entries, place, None, it, "instance", &head(it.syntax()));
            }
            ast::Item::MacroRules(it) => {
                let signature = format!("{}!", it.name().map(|name| name.text().to_string()).unwrap_or_default());
                // Those that all may call are called by the name of the crate.
                put(entries, &Place { at: place.from, ..*place }, None, it, "function", &signature);
            }
            ast::Item::Impl(it) => {
                let owner = it.self_ty().and_then(|of| last_name(&of.syntax().text().to_string()));
                if owner.is_some() {
                    methods(it.assoc_item_list(), owner, place.only_public && it.trait_().is_none(), place, entries);
                }
            }
            ast::Item::Module(it) => {
                let inside = it.item_list();
                let is_test = it.name().is_some_and(|name| name.text() == "tests" || name.text() == "test");
                if let (Some(list), Some(name), false) = (inside, it.name(), is_test) {
                    // A cell's own modules are in no crate that has a name.
                    let at = if place.at.is_empty() { String::new() } else { [place.at, name.text()].join("::") };
                    if is_public(it) && !at.is_empty() {
                        entries.push(module_entry(&at, place.from, docs(it).trim_end().to_owned()));
                    }
                    items(list.items(), &Place { at: &at, ..*place }, entries);
                }
            }
            _ => {}
        }
    }
}

fn methods(
    list: Option<ast::AssocItemList>,
    owner: Option<String>,
    only_public: bool,
    place: &Place<'_>,
    entries: &mut Vec<Entry>,
) {
    for item in list.into_iter().flat_map(|list| list.assoc_items()) {
        if let ast::AssocItem::Fn(it) = item
            && (!only_public || it.is_public())
        {
            put(entries, place, owner.clone(), &it, "function", &signature(&it));
        }
    }
}

fn put<T: HasName + HasDocComments>(
    entries: &mut Vec<Entry>,
    place: &Place<'_>,
    owner: Option<String>,
    item: &T,
    kind: &str,
    signature: &str,
) {
    let Some(name) = item.name().map(|name| name.text().to_string()) else { return };
    let docs = docs(item);
    if docs.contains("doc(hidden)") || name.starts_with('_') {
        return;
    }
    entries.push(Entry {
        owner,
        name,
        kind: kind.to_owned(),
        signature: signature.to_owned(),
        docs: docs.trim_end().to_owned(),
        from: place.from.to_owned(),
        modules: Vec::new(),
        at: place.at.to_owned(),
    });
}

fn docs<T: HasDocComments>(item: &T) -> String {
    let mut docs = String::new();
    for comment in item.doc_comments() {
        let text = comment.syntax().text();
        let text = text.strip_prefix("///").unwrap_or(text);
        docs.push_str(text.strip_prefix(' ').unwrap_or(text));
        docs.push('\n');
        if docs.len() > LONGEST {
            break;
        }
    }
    docs
}

trait AnyVisibility {
    /// `pub`, not `pub(crate)`.
    fn is_public(&self) -> bool;
}

impl<T: HasVisibility> AnyVisibility for T {
    fn is_public(&self) -> bool {
        self.visibility().is_some_and(|it| it.syntax().text() == "pub")
    }
}

/// A function without its body, documentation and attributes, in one line.
fn signature(function: &ast::Fn) -> String {
    let start = function
        .visibility()
        .map(|it| it.syntax().text_range().start())
        .or_else(|| function.fn_token().map(|it| it.text_range().start()))
        .unwrap_or_else(|| function.syntax().text_range().start());
    let end = function.body().map_or(function.syntax().text_range().end(), |body| body.syntax().text_range().start());
    let base = function.syntax().text_range().start();
    let text = function.syntax().text().to_string();
    one_line(text.get(usize::from(start - base)..usize::from(end - base)).unwrap_or_default())
}

/// The head of an item: without documentation and attributes, up to its body.
fn head(item: &SyntaxNode) -> String {
    let parts = item.children_with_tokens().skip_while(|part| {
        part.kind() == SyntaxKind::ATTR || part.as_token().is_some_and(|token| token.kind().is_trivia())
    });
    let text: String = parts.map(|part| part.to_string()).collect();
    one_line(text.split(['{', '=']).next().unwrap_or_default())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").trim_end_matches([';', ' ']).to_owned()
}

/// `polars_core::DataFrame<T>` is `DataFrame`; references and tuples have no name.
fn last_name(of: &str) -> Option<String> {
    let of = of.split('<').next().unwrap_or(of).trim();
    let name = of.rsplit("::").next().unwrap_or(of).trim();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_name.then(|| name.to_owned())
}

impl Entry {
    /// Whether its name is offered without a path.
    pub fn is_near(&self) -> bool {
        (self.kind != "module" || self.owner.is_some()) && !MORE.contains(&self.from.as_str())
    }
}
