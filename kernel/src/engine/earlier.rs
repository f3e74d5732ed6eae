//! Errors in items of earlier cells. evcxr compiles those into every cell; where one does not compile any more, something
//! that it uses was defined anew.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use evcxr::CompilationError;
use ra_ap_syntax::ast::{self, AstNode, HasModuleItem, HasName};
use ra_ap_syntax::{Edition, SourceFile, SyntaxKind};
use serde_json::Value;

use super::places::Origin;

/// What an item is called: by its name, `impl Pair` where it has none.
pub(super) fn called(item: &ast::Item) -> Option<String> {
    let name = match item {
        ast::Item::Const(it) => it.name(),
        ast::Item::Enum(it) => it.name(),
        ast::Item::Fn(it) => it.name(),
        ast::Item::MacroRules(it) => it.name(),
        ast::Item::Module(it) => it.name(),
        ast::Item::Static(it) => it.name(),
        ast::Item::Struct(it) => it.name(),
        ast::Item::Trait(it) => it.name(),
        ast::Item::TypeAlias(it) => it.name(),
        ast::Item::Union(it) => it.name(),
        ast::Item::Impl(it) => {
            let of = it.self_ty()?.syntax().text().to_string();
            return Some(match it.trait_() {
                Some(what) => format!("impl {} for {of}", what.syntax().text()),
                None => format!("impl {of}"),
            });
        }
        _ => None,
    };
    name.map(|name| name.text().to_string())
}

/// Where an item begins, its comments and attributes aside: evcxr does not keep all of them.
pub(super) fn beginning(item: &ast::Item) -> usize {
    let is_before = |kind: SyntaxKind| kind.is_trivia() || kind == SyntaxKind::ATTR;
    let first = item.syntax().children_with_tokens().find(|it| !is_before(it.kind()));
    first.map_or_else(|| item.syntax().text_range(), |it| it.text_range()).start().into()
}

/// Where an error is that is in no line of the cell.
pub(super) struct Earlier {
    /// What it is in.
    pub item: String,
    /// The number of the cell that defined that, where cells have numbers.
    pub cell: Option<u64>,
    /// Names that the item uses and the cell defines anew.
    pub uses: Vec<String>,
    /// The line, and the columns of it, from 1.
    pub line: String,
    pub columns: Range<usize>,
    pub label: String,
}

impl Earlier {
    /// The item and its cell, in words.
    pub fn place(&self) -> String {
        match self.cell {
            Some(cell) => format!("`{}` of cell {cell}", self.item),
            None => format!("`{}` of an earlier cell", self.item),
        }
    }

    /// What it has to do with this cell.
    pub fn why(&self) -> String {
        match self.uses.as_slice() {
            [] => String::new(),
            uses => format!(", which uses {}", listed(uses)),
        }
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        let item = &self.item;
        match self.uses.as_slice() {
            [] => format!("`{item}` does not fit what this cell defines: define `{item}` anew in this cell as well"),
            uses => {
                let (uses, them) = (listed(uses), if uses.len() == 1 { "it" } else { "them" });
                format!(
                    "this cell defines {uses} anew: define `{item}` anew in it as well, or call {them} something else"
                )
            }
        }
    }
}

fn listed(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

/// The items of what was compiled, with the lines (from 1) that they are in, that in which they begin, and the words that
/// they are made of.
pub(super) struct Items(Vec<(Range<usize>, usize, String, BTreeSet<String>)>);

impl Items {
    pub fn of(compiled: &str) -> Self {
        let line = |byte: usize| compiled[..byte].matches('\n').count() + 1;
        let parsed = SourceFile::parse(compiled, Edition::Edition2024);
        let all = parsed.tree().items().filter_map(|item| {
            let range = item.syntax().text_range();
            let tokens = item.syntax().descendants_with_tokens().filter_map(|it| it.into_token());
            let words = tokens.filter(|it| !it.kind().is_trivia()).map(|it| it.text().to_owned()).collect();
            let begins = line(beginning(&item));
            Some((line(range.start().into())..line(range.end().into()) + 1, begins, called(&item)?, words))
        });
        Self(all.collect())
    }

    /// The item that a line is in, and the line where it begins.
    pub fn at(&self, line: usize) -> Option<(String, usize)> {
        let (_, begins, item, _) = self.0.iter().find(|(lines, ..)| lines.contains(&line))?;
        Some((item.clone(), *begins))
    }

    /// The item of an earlier cell that an error is in: `cells` says which cells have defined what, `now` what this one
    /// defines.
    pub fn of_error(
        &self,
        error: &CompilationError,
        cells: &BTreeMap<String, Origin>,
        now: &[String],
    ) -> Option<Earlier> {
        let spans = error.json["spans"].as_array()?;
        let span = spans.iter().find(|span| span["is_primary"] == true).map(in_our_file)?;
        let number = |value: &Value| value.as_u64().and_then(|it| usize::try_from(it).ok());
        let at = number(&span["line_start"])?;
        let (_, _, item, words) =
            self.0.iter().find(|(lines, _, item, _)| lines.contains(&at) && cells.contains_key(item))?;
        if now.contains(item) {
            return None;
        }
        let text = &span["text"][0];
        Some(Earlier {
            item: item.clone(),
            cell: cells.get(item).and_then(|origin| origin.cell),
            uses: now.iter().filter(|name| words.contains(*name)).cloned().collect(),
            line: text["text"].as_str().unwrap_or_default().to_owned(),
            columns: number(&text["highlight_start"])?..number(&text["highlight_end"])?,
            label: span["label"].as_str().unwrap_or_default().to_owned(),
        })
    }
}

/// The place, or that of the macro's call which it is made by.
pub(super) fn in_our_file(span: &Value) -> &Value {
    let is_ours = span["file_name"].as_str().is_some_and(|file| file.ends_with("lib.rs"));
    let called = &span["expansion"]["span"];
    if is_ours || called.is_null() { span } else { in_our_file(called) }
}
