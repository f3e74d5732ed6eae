//! Implementations. evcxr replaces an item by one of its name, and an `impl` with the item before it in the same cell; one
//! that stands alone has no name. A cell that is run again would define that twice, and one that defines a type anew,
//! with what is implemented for it, would define again what another cell implements. So each is given a name of its own to
//! go with, and the cell that takes its place defines that name anew.

use std::collections::BTreeSet;

use ra_ap_syntax::TextSize;
use ra_ap_syntax::ast::{self, AstNode, HasName};

use super::earlier::called;

/// What the names begin with.
pub(super) const NAME: &str = "ROBORM_IMPL_";

/// An implementation.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Impl {
    /// `impl Display for Pair`.
    what: String,
    names: BTreeSet<String>,
    is_of_trait: bool,
    /// The item with a name that it comes behind, and goes with: where that is defined anew without it, it is no more.
    behind: Option<String>,
}

impl Impl {
    fn read(it: &ast::Impl, behind: Option<&String>) -> Option<Self> {
        let name = |item: ast::AssocItem| match item {
            ast::AssocItem::Fn(it) => it.name(),
            ast::AssocItem::Const(it) => it.name(),
            ast::AssocItem::TypeAlias(it) => it.name(),
            ast::AssocItem::MacroCall(_) => None,
        };
        let items = it.assoc_item_list().into_iter().flat_map(|list| list.assoc_items());
        Some(Self {
            what: called(&ast::Item::Impl(it.clone()))?,
            names: items.filter_map(name).map(|name| name.text().to_string()).collect(),
            is_of_trait: it.trait_().is_some(),
            behind: behind.cloned(),
        })
    }

    /// There cannot be both.
    fn excludes(&self, other: &Self) -> bool {
        self.what == other.what && (self.is_of_trait || !self.names.is_disjoint(&other.names))
    }
}

/// Those of a piece of a cell.
#[derive(Debug, Default)]
pub(super) struct New {
    impls: Vec<(TextSize, Impl)>,
    /// Its items with names.
    items: BTreeSet<String>,
    /// Where the first of those is.
    first: Option<TextSize>,
}

impl New {
    pub fn of(statements: impl Iterator<Item = ast::Stmt>) -> Self {
        let mut this = Self::default();
        let mut last = None;
        for statement in statements {
            let ast::Stmt::Item(item) = statement else { continue };
            let at = item.syntax().text_range().start();
            match item {
                ast::Item::Impl(it) => this.impls.extend(Impl::read(&it, last.as_ref()).map(|it| (at, it))),
                // To evcxr nothing goes with a macro.
                ast::Item::MacroRules(_) => {}
                other => {
                    if let Some(name) = called(&other) {
                        this.first.get_or_insert(at);
                        this.items.insert(name.clone());
                        last = Some(name);
                    }
                }
            }
        }
        this
    }
}

/// One of a session.
#[derive(Clone)]
struct Kept {
    /// That of its name.
    number: usize,
    /// That of the piece it is from.
    piece: usize,
    it: Impl,
}

/// Those of a session.
#[derive(Clone, Default)]
pub(super) struct Impls {
    kept: Vec<Kept>,
    numbers: usize,
    pieces: usize,
}

/// What becomes of those of a session by a piece of a cell.
#[derive(Default)]
pub(super) struct Plan {
    /// What has to stand in the piece, and where.
    pub heads: Vec<(TextSize, String)>,
    /// Those that there are then.
    pub impls: Impls,
    /// What is no more then, in words.
    pub gone: Vec<String>,
}

impl Impls {
    /// What this piece makes of them.
    pub fn with(&self, new: &New) -> Plan {
        let is_excluded = |old: &Impl| new.impls.iter().any(|(_, new)| new.excludes(old));
        // A cell of nothing else takes the place of another as a whole: it is that one, edited.
        let edited = |old: &Kept| {
            let by = |new: &Impl| new.behind.is_none() && new.excludes(&old.it);
            old.it.behind.is_none() && new.impls.iter().any(|(_, new)| by(new))
        };
        let edited: BTreeSet<usize> = self.kept.iter().filter(|old| edited(old)).map(|old| old.piece).collect();
        let mut plan = Plan { impls: Self { kept: Vec::new(), pieces: self.pieces + 1, ..*self }, ..Plan::default() };
        let mut free = Vec::new();
        for old in &self.kept {
            if old.it.behind.as_ref().is_some_and(|behind| new.items.contains(behind)) {
                free.push(old.number);
            } else if is_excluded(&old.it) || old.it.behind.is_none() && edited.contains(&old.piece) {
                free.push(old.number);
                plan.gone.extend(new.lacks(&old.it));
            } else {
                plan.impls.kept.push(old.clone());
            }
        }
        free.reverse();
        let define = |number: usize| format!("const {NAME}{number}: () = (); ");
        for (at, it) in &new.impls {
            let number = free.pop().unwrap_or_else(|| {
                plan.impls.numbers += 1;
                plan.impls.numbers - 1
            });
            plan.heads.push((*at, define(number)));
            plan.impls.kept.push(Kept { number, piece: self.pieces, it: it.clone() });
        }
        // Names that nothing goes with any more. An `impl` goes with the last name before it.
        let rest: String = free.into_iter().map(define).collect();
        match (plan.heads.first_mut(), new.first) {
            (Some((_, head)), _) => head.insert_str(0, &rest),
            (None, Some(first)) if !rest.is_empty() => plan.heads.push((first, rest)),
            (None, _) => {}
        }
        plan
    }
}

impl New {
    /// What it does not define of one that it takes the place of.
    fn lacks(&self, old: &Impl) -> Vec<String> {
        let same: Vec<&Impl> = self.impls.iter().map(|(_, new)| new).filter(|new| new.what == old.what).collect();
        if same.is_empty() {
            return vec![format!("`{}`", old.what)];
        }
        let is_gone = |name: &&String| !same.iter().any(|new| new.names.contains(*name));
        old.names.iter().filter(is_gone).map(|name| format!("`{name}` of `{}`", old.what)).collect()
    }
}

#[cfg(test)]
mod tests {
    use ra_ap_syntax::{Edition, SourceFile};

    use super::*;

    /// The numbers that a piece defines, and what is no more by it.
    fn run(impls: &mut Impls, source: &str) -> (Vec<String>, Vec<String>) {
        let parsed = SourceFile::parse(&format!("fn f(){{{source}\n}}"), Edition::Edition2024);
        let body = parsed.syntax_node().children().find_map(ast::Fn::cast).and_then(|it| it.body()).expect("a body");
        let plan = impls.with(&New::of(body.stmt_list().expect("statements").statements()));
        *impls = plan.impls;
        let number = |head: &str| head.replace(": () = (); ", "").replace("const ROBORM_IMPL_", " ").trim().to_owned();
        (plan.heads.iter().map(|(_, head)| number(head)).collect(), plan.gone)
    }

    #[test]
    fn what_comes_again_takes_its_place() {
        let mut impls = Impls::default();
        let mut numbers = |source: &str| {
            let (numbers, gone) = run(&mut impls, source);
            (numbers.join(","), gone.join(","))
        };
        let mut check = |source: &str, expected: &str, gone: &str| {
            assert_eq!(numbers(source), (expected.to_owned(), gone.to_owned()), "{source}");
        };
        check("use a::b; impl Pair { fn a() {} fn b() {} }", "0", "");
        check("impl Pair { fn c() {} }", "1", "");
        check("impl Other { fn a() {} } impl Another { fn a() {} }", "2,3", "");
        check("impl Pair { fn b() {} }", "0", "`a` of `impl Pair`");
        check("impl Other { fn a() {} }", "3 2", "`impl Another`");
        check("impl Display for Pair { fn fmt() {} }", "4", "");
        // With the type that they are of.
        check("struct Pair; impl Display for Pair { fn fmt() {} } impl Pair { fn b() {} fn c() {} }", "4 1,0", "");
    }

    #[test]
    fn what_is_behind_an_item_goes_with_it() {
        let mut impls = Impls::default();
        assert_eq!(run(&mut impls, "struct Sq; trait Area {} impl Area for Sq {} impl Sq { fn a() {} }").0, ["0", "1"]);
        assert!(run(&mut impls, "struct Sq { side: f64 }").0.is_empty());
        assert_eq!(run(&mut impls, "struct Sq; impl Area for Sq {}").0, ["0"]);
        assert_eq!(run(&mut impls, "struct Sq;").0, ["0"], "nothing has the name any more");
        assert_eq!(run(&mut impls, "trait Area {}").0, ["1"]);
        assert_eq!(run(&mut impls, "macro_rules! m { () => {} } impl Sq { fn a() {} }").0, ["2"]);
    }
}
