//! The sources of the crates in a toolkit, as far as the build folder knows them: what they re-export.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use ra_ap_syntax::ast::{self, AstNode, HasAttrs, HasModuleItem, HasName, HasVisibility};
use ra_ap_syntax::{Edition, SourceFile};

use super::index::workspace;

/// `use` of one thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Use {
    pub path: Vec<String>,
    /// What it is called here; all that is in `path` where there is no name.
    pub name: Option<String>,
    pub is_public: bool,
}

/// What a crate's sources tell.
#[derive(Debug, Default)]
pub(super) struct Crate {
    /// By the paths of modules, below the crate.
    pub uses: BTreeMap<String, Vec<Use>>,
    /// Macros that stand at its top.
    pub macros: Vec<String>,
    /// Paths, below the crate, of modules that nobody is to name.
    pub hidden: BTreeSet<String>,
}

/// The sources of a build.
pub(super) struct Sources<'b> {
    deps: PathBuf,
    root: PathBuf,
    files: &'b BTreeMap<String, String>,
    read: RefCell<BTreeMap<String, Rc<Crate>>>,
}

impl<'b> Sources<'b> {
    /// `files`: those of the crates, by their names.
    pub fn of(build: &Path, files: &'b BTreeMap<String, String>) -> Self {
        Self { deps: build.join("deps"), root: workspace(build).unwrap_or_default(), files, read: RefCell::default() }
    }

    /// Whether there is such a crate.
    pub fn has(&self, name: &str) -> bool {
        self.files.contains_key(name)
    }

    /// The file of a crate in the toolkit.
    pub fn file(&self, name: &str) -> Option<&str> {
        self.files.get(name).map(String::as_str)
    }

    /// The files of a crate with the modules that they are, as its list (`NAME-HASH.d`) has them; none where sources are
    /// missing.
    pub fn parsed(&self, name: &str) -> Vec<(String, SourceFile)> {
        let Some(file) = self.files.get(name) else { return Vec::new() };
        let list = self.deps.join(file.trim_start_matches("lib")).with_extension("d");
        let list = fs::read_to_string(list).unwrap_or_default();
        let sources = listed(&list);
        let Some(top) = sources.iter().find(|file| file.ends_with("lib.rs")).and_then(|file| file.parent()) else {
            return Vec::new();
        };
        let read = |file: &PathBuf| {
            let text = fs::read_to_string(self.root.join(file)).ok()?;
            let module = module(file.strip_prefix(top).ok()?)?;
            Some((module, SourceFile::parse(&text, Edition::Edition2024).tree()))
        };
        sources.iter().filter_map(read).collect()
    }

    /// What a crate re-exports.
    pub fn krate(&self, name: &str) -> Rc<Crate> {
        if let Some(known) = self.read.borrow().get(name) {
            return Rc::clone(known);
        }
        self.keep(name, &self.parsed(name))
    }

    /// What a crate re-exports, of its files.
    pub fn keep(&self, name: &str, files: &[(String, SourceFile)]) -> Rc<Crate> {
        let mut found = Crate::default();
        for (module, file) in files {
            found.read(file.items(), module);
        }
        let found = Rc::new(found);
        self.read.borrow_mut().insert(name.to_owned(), Rc::clone(&found));
        found
    }
}

/// The shortest first: the file of the crate itself before those in its folders.
fn listed(list: &str) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = list
        .lines()
        .filter_map(|line| line.strip_suffix(':'))
        .map(|file| PathBuf::from(file.replace("\\ ", " ")))
        .filter(|file| file.extension().is_some_and(|it| it == "rs"))
        .collect();
    all.sort_by_key(|file| (file.components().count(), file.clone()));
    all.dedup();
    all
}

/// The module that a file is, by where it lies below that of the crate.
fn module(file: &Path) -> Option<String> {
    let mut parts: Vec<&str> = file.iter().map(|part| part.to_str()).collect::<Option<_>>()?;
    let last = parts.pop()?.strip_suffix(".rs")?;
    if !(last == "mod" || (last == "lib" && parts.is_empty())) {
        parts.push(last);
    }
    Some(parts.join("::"))
}

impl Crate {
    fn read(&mut self, items: impl Iterator<Item = ast::Item>, module: &str) {
        for item in items {
            match item {
                ast::Item::Use(it) => {
                    let is_public = it.visibility().is_some_and(|it| it.syntax().text() == "pub");
                    if let Some(tree) = it.use_tree() {
                        let uses = self.uses.entry(module.to_owned()).or_default();
                        spread(&tree, &[], is_public, uses);
                    }
                }
                ast::Item::Module(it) => {
                    if let Some(name) = it.name().filter(|_| is_hidden(&it)) {
                        self.hidden.insert([module, name.text()].join("::").trim_start_matches("::").to_owned());
                    }
                    if let (Some(name), Some(list)) = (it.name(), it.item_list()) {
                        let inner = [module, name.text()].join("::");
                        self.read(list.items(), inner.trim_start_matches("::"));
                    }
                }
                ast::Item::MacroRules(it) => {
                    let is_exported = it.attrs().any(|attr| attr.syntax().text().to_string().contains("macro_export"));
                    if let (Some(name), true, false) = (it.name(), is_exported, is_hidden(&it)) {
                        self.macros.push(name.text().to_string());
                    }
                }
                // `cfg_rt! { pub use … }`: what is in it may be there.
                ast::Item::MacroCall(it) => {
                    let inside = it.token_tree().map(|tree| tree.syntax().text().to_string());
                    let inside = inside.as_deref().and_then(|text| text.strip_prefix('{')?.strip_suffix('}'));
                    if let Some(inside) = inside.filter(|text| text.contains("pub ") || text.contains("macro_rules")) {
                        let parsed = SourceFile::parse(inside, Edition::Edition2024);
                        self.read(parsed.tree().items(), module);
                    }
                }
                ast::Item::ExternCrate(it) => {
                    let is_public = it.visibility().is_some_and(|it| it.syntax().text() == "pub");
                    let Some(of) = it.name_ref().map(|it| it.text().to_string()) else { continue };
                    let name =
                        it.rename().and_then(|it| it.name()).map_or_else(|| of.clone(), |it| it.text().to_string());
                    self.uses.entry(module.to_owned()).or_default().push(Use {
                        path: vec![of],
                        name: Some(name),
                        is_public,
                    });
                }
                _ => {}
            }
        }
    }
}

fn is_hidden(item: &impl HasAttrs) -> bool {
    item.attrs().any(|attr| attr.syntax().text().to_string().replace(' ', "").contains("doc(hidden)"))
}

/// The single things of `a::{b, c::*}`.
fn spread(tree: &ast::UseTree, before: &[String], is_public: bool, uses: &mut Vec<Use>) {
    let own = tree.path().map(|path| path.syntax().text().to_string()).unwrap_or_default();
    let own =
        own.split("::").map(|part| part.trim().trim_start_matches("r#").to_owned()).filter(|part| !part.is_empty());
    let path: Vec<String> = before.iter().cloned().chain(own).collect();
    if let Some(list) = tree.use_tree_list() {
        for inner in list.use_trees() {
            spread(&inner, &path, is_public, uses);
        }
        return;
    }
    let name = match tree.rename() {
        _ if tree.star_token().is_some() => None,
        Some(rename) => Some(rename.name().map_or_else(|| "_".to_owned(), |name| name.text().to_string())),
        None => path.iter().rev().find(|part| *part != "self").cloned(),
    };
    uses.push(Use { path, name, is_public });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used() {
        let text = "pub use a::{self, b as c, d::*};\nmod inner { pub use super::x; }\nwrapped! { pub use e; }\n\
                    #[macro_export] macro_rules! say { () => {} }";
        let mut found = Crate::default();
        found.read(SourceFile::parse(text, Edition::Edition2024).tree().items(), "");
        let told: Vec<_> = found.uses[""].iter().map(|it| (it.path.join("::"), it.name.as_deref())).collect();
        let told: Vec<_> = told.iter().map(|(path, name)| (path.as_str(), *name)).collect();
        assert_eq!(told, [("a::self", Some("a")), ("a::b", Some("c")), ("a::d", None), ("e", Some("e"))]);
        assert_eq!(found.uses["inner"][0].path, ["super", "x"]);
        assert_eq!(found.macros, ["say"]);
    }

    #[test]
    fn files_are_modules() {
        let of = |file: &str| module(Path::new(file)).unwrap_or_default();
        assert_eq!((of("lib.rs"), of("a/mod.rs"), of("a/b.rs")), (String::new(), "a".to_owned(), "a::b".to_owned()));
    }
}
