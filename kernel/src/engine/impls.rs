//! Implementations in cells of their own. evcxr replaces an item by one of its name, and an `impl` with the item before it
//! in the same cell; one that stands alone has no name, and a cell that is run again would define everything twice. So
//! what stands alone is given a name to go with, and keeps it when it comes again.

use std::collections::BTreeSet;

use ra_ap_syntax::ast::{self, AstNode, HasName};

use super::earlier::called;

/// What the names begin with.
pub(super) const NAME: &str = "ROBORM_IMPL_";

/// An implementation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Impl {
    /// `impl Display for Pair`.
    what: String,
    names: BTreeSet<String>,
    is_of_trait: bool,
}

impl Impl {
    /// Those of a piece that no item with a name comes before.
    pub fn alone(statements: impl Iterator<Item = ast::Stmt>) -> Vec<Self> {
        let mut all = Vec::new();
        for statement in statements {
            match statement {
                ast::Stmt::Item(ast::Item::Impl(it)) => all.extend(Self::read(&it)),
                ast::Stmt::Item(other) if called(&other).is_some() => break,
                _ => {}
            }
        }
        all
    }

    fn read(it: &ast::Impl) -> Option<Self> {
        let name = |item: ast::AssocItem| match item {
            ast::AssocItem::Fn(it) => it.name(),
            ast::AssocItem::Const(it) => it.name(),
            ast::AssocItem::TypeAlias(it) => it.name(),
            ast::AssocItem::MacroCall(_) => None,
        };
        let items = it.assoc_item_list().into_iter().flat_map(|list| list.assoc_items());
        Some(Self {
            what: called(&ast::Item::Impl(ast::Impl::cast(it.syntax().clone())?))?,
            names: items.filter_map(name).map(|name| name.text().to_string()).collect(),
            is_of_trait: it.trait_().is_some(),
        })
    }

    /// There cannot be both.
    fn excludes(&self, other: &Self) -> bool {
        self.what == other.what && (self.is_of_trait || !self.names.is_disjoint(&other.names))
    }
}

/// Those of a session, by the numbers of their names.
#[derive(Default)]
pub(super) struct Impls(Vec<Vec<Impl>>);

impl Impls {
    /// The number that implementations have to go by: that of those whose place they take, or a new one.
    pub fn number(&self, new: &[Impl]) -> usize {
        let excludes = |old: &Vec<Impl>| old.iter().any(|old| new.iter().any(|new| new.excludes(old)));
        self.0.iter().position(excludes).unwrap_or(self.0.len())
    }

    /// They are there now. What was there by the number and is no more, in words.
    pub fn set(&mut self, number: usize, new: Vec<Impl>) -> Vec<String> {
        if number >= self.0.len() {
            self.0.push(new);
            return Vec::new();
        }
        let old = std::mem::replace(&mut self.0[number], new);
        let mut gone = Vec::new();
        for old in old {
            match self.0[number].iter().find(|new| new.what == old.what) {
                Some(new) => {
                    gone.extend(old.names.difference(&new.names).map(|name| format!("`{name}` of `{}`", old.what)))
                }
                None => gone.push(format!("`{}`", old.what)),
            }
        }
        gone
    }
}

#[cfg(test)]
mod tests {
    use ra_ap_syntax::{Edition, SourceFile};

    use super::*;

    fn alone(source: &str) -> Vec<Impl> {
        let parsed = SourceFile::parse(&format!("fn f(){{{source}\n}}"), Edition::Edition2024);
        let body = parsed.syntax_node().children().find_map(ast::Fn::cast).and_then(|it| it.body()).expect("a body");
        Impl::alone(body.stmt_list().expect("statements").statements())
    }

    #[test]
    fn what_comes_again_takes_its_place() {
        let mut impls = Impls::default();
        let first = alone("use a::b; impl Pair { fn a() {} fn b() {} }");
        assert_eq!(impls.number(&first), 0);
        assert!(impls.set(0, first.clone()).is_empty());
        assert_eq!(impls.number(&alone("impl Pair { fn c() {} }")), 1, "both can be");
        assert_eq!(impls.number(&alone("impl Other { fn a() {} }")), 1);
        assert_eq!(impls.number(&first), 0);
        let less = alone("impl Pair { fn b() {} }");
        assert_eq!(impls.number(&less), 0);
        assert_eq!(impls.set(0, less), ["`a` of `impl Pair`"]);
        let of_trait = alone("impl Display for Pair { fn fmt() {} }");
        impls.set(1, of_trait.clone());
        assert_eq!(impls.number(&of_trait), 1);
        assert_eq!(alone("struct Pair; impl Pair { fn a() {} }"), []);
    }
}
