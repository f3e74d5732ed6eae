//! An index of the public names of roborm and polars with their signatures and documentation, made of the sources that
//! the build folder knows: for completion and `?item` where no rust-analyzer and no sources are.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use ra_ap_syntax::ast::{self, AstNode, AstToken, HasDocComments, HasModuleItem, HasName, HasVisibility};
use ra_ap_syntax::{Edition, SourceFile, SyntaxKind, SyntaxNode};
use serde::{Deserialize, Serialize};

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
}

/// Crates that are indexed, those whose names come first first.
const CRATES: [&str; 6] = ["roborm", "polars_lazy", "polars_core", "polars_plan", "polars_ops", "plotly"];
/// Longer documentation is cut.
const LONGEST: usize = 4_000;

/// Indexes the crates whose lists of sources (`NAME-HASH.d`) are in the build's folder.
pub(super) fn index(build: &Path, files: &BTreeMap<String, String>) -> Vec<Entry> {
    let mut entries = Vec::new();
    let deps = build.join("deps");
    let root = workspace(build).unwrap_or_default();
    for name in CRATES {
        let Some(file) = files.get(name) else { continue };
        let list = deps.join(file.trim_start_matches("lib")).with_extension("d");
        let Ok(list) = fs::read_to_string(list) else { continue };
        for source in sources(&list) {
            if let Ok(text) = fs::read_to_string(root.join(source)) {
                read(&text, name, &mut entries);
            }
        }
    }
    entries
}

/// The folder that lists of our own sources are relative to, that of the workspace: a program's list has whole paths.
pub(crate) fn workspace(build: &Path) -> Option<PathBuf> {
    let list = fs::read_to_string(build.join("roborm-kernel.d")).ok()?;
    let file = list.replace("\\ ", "\u{0}");
    let file = file.split(' ').find_map(|file| file.trim().strip_suffix("/src/cell/mod.rs"))?;
    Some(PathBuf::from(file.replace('\u{0}', " ")))
}

fn sources(list: &str) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = list
        .lines()
        .filter_map(|line| line.strip_suffix(':'))
        .map(|file| PathBuf::from(file.replace("\\ ", " ")))
        .filter(|file| file.extension().is_some_and(|it| it == "rs"))
        .collect();
    all.sort();
    all.dedup();
    all
}

fn read(text: &str, from: &str, entries: &mut Vec<Entry>) {
    let parsed = SourceFile::parse(text, Edition::Edition2024);
    let file = parsed.tree();
    items(file.items(), from, true, entries);
}

/// What there is to say of the items of a cell, whether they are public or not.
pub(crate) fn of_cell(all: impl Iterator<Item = ast::Item>, from: &str) -> Vec<Entry> {
    let mut entries = Vec::new();
    items(all, from, false, &mut entries);
    entries
}

fn items(all: impl Iterator<Item = ast::Item>, from: &str, only_public: bool, entries: &mut Vec<Entry>) {
    let is_public = |item: &dyn AnyVisibility| !only_public || item.is_public();
    for item in all {
        match &item {
            ast::Item::Fn(it) if is_public(it) => put(entries, from, None, it, "function", &signature(it)),
            ast::Item::Struct(it) if is_public(it) => {
                put(entries, from, None, it, "class", &head(it.syntax()));
            }
            ast::Item::Enum(it) if is_public(it) => {
                put(entries, from, None, it, "class", &head(it.syntax()));
                let owner = it.name().map(|name| name.text().to_string());
                for variant in it.variant_list().into_iter().flat_map(|list| list.variants()) {
                    let text = head(variant.syntax());
                    put(entries, from, owner.clone(), &variant, "instance", &text);
                }
            }
            ast::Item::Trait(it) if is_public(it) => {
                put(entries, from, None, it, "class", &head(it.syntax()));
                let owner = it.name().map(|name| name.text().to_string());
                methods(it.assoc_item_list(), owner, false, from, entries);
            }
            ast::Item::TypeAlias(it) if is_public(it) => {
                put(entries, from, None, it, "class", &head(it.syntax()));
            }
            ast::Item::Const(it) if is_public(it) => {
                put(entries, from, None, it, "instance", &head(it.syntax()));
            }
            ast::Item::MacroRules(it) => {
                let signature = format!("{}!", it.name().map(|name| name.text().to_string()).unwrap_or_default());
                put(entries, from, None, it, "function", &signature);
            }
            ast::Item::Impl(it) => {
                let owner = it.self_ty().and_then(|of| last_name(&of.syntax().text().to_string()));
                if owner.is_some() {
                    methods(it.assoc_item_list(), owner, only_public && it.trait_().is_none(), from, entries);
                }
            }
            ast::Item::Module(it) => {
                let inside = it.item_list();
                let is_test = it.name().is_some_and(|name| name.text() == "tests" || name.text() == "test");
                if let (Some(list), false) = (inside, is_test) {
                    items(list.items(), from, only_public, entries);
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
    from: &str,
    entries: &mut Vec<Entry>,
) {
    for item in list.into_iter().flat_map(|list| list.assoc_items()) {
        if let ast::AssocItem::Fn(it) = item
            && (!only_public || it.is_public())
        {
            put(entries, from, owner.clone(), &it, "function", &signature(&it));
        }
    }
}

fn put<T: HasName + HasDocComments>(
    entries: &mut Vec<Entry>,
    from: &str,
    owner: Option<String>,
    item: &T,
    kind: &str,
    signature: &str,
) {
    let Some(name) = item.name().map(|name| name.text().to_string()) else { return };
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
    if docs.contains("doc(hidden)") || name.starts_with('_') {
        return;
    }
    entries.push(Entry {
        owner,
        name,
        kind: kind.to_owned(),
        signature: signature.to_owned(),
        docs: docs.trim_end().to_owned(),
        from: from.to_owned(),
        modules: Vec::new(),
    });
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
