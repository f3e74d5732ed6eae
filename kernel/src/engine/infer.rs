//! What an expression comes to, as far as its words, signatures and the types of variables tell.

use std::collections::BTreeMap;

use ra_ap_syntax::ast::{self, AstNode, HasArgList};
use ra_ap_syntax::{Edition, SourceFile};

use super::names::Names;
use super::receiver;
use super::scope::{Bound, Scope};
use super::spelling::{arguments, base, item_of_array, parts, seen_as, stripped, unwrapped};

/// Expressions in expressions, and names for names, that are looked into.
const DEEPEST: usize = 32;

/// Calls that give what is in a `Some` or an `Ok`.
const TAKE_OUT: [&str; 5] = ["unwrap", "expect", "unwrap_or", "unwrap_or_default", "unwrap_or_else"];
/// Calls that go through the same things.
const SAME_ITEMS: [&str; 18] = [
    "iter",
    "iter_mut",
    "into_iter",
    "par_iter",
    "drain",
    "cloned",
    "copied",
    "rev",
    "skip",
    "take",
    "filter",
    "peekable",
    "chain",
    "step_by",
    "inspect",
    "take_while",
    "skip_while",
    "as_slice",
];
/// Calls that give one of what is gone through, or nothing.
const ONE_OF: [&str; 11] =
    ["next", "last", "nth", "find", "max_by_key", "min_by_key", "max_by", "min_by", "first", "get", "pop"];

/// What is known where an expression stands.
pub(super) struct Inference<'i> {
    pub names: &'i Names,
    pub scope: &'i Scope,
    /// The variables of cells and their types.
    pub variables: &'i BTreeMap<String, String>,
}

impl Inference<'_> {
    /// The type of the expression that ends `text`.
    pub fn at_end(&self, text: &str) -> Option<String> {
        let expression = text.get(receiver::beginning(text)?..)?;
        if super::complete::is_too_deep(expression) {
            return None;
        }
        let parsed = SourceFile::parse(&format!("fn f(){{let _ = {expression};}}"), Edition::Edition2024);
        let statement = parsed.tree().syntax().descendants().find_map(ast::LetStmt::cast)?;
        self.of(&statement.initializer()?, 0, DEEPEST)
    }

    /// The type of an expression whose names are looked up from a place of the scope on.
    fn of(&self, expression: &ast::Expr, from: usize, left: usize) -> Option<String> {
        let left = left.checked_sub(1)?;
        let of = |inner: Option<ast::Expr>| self.of(&inner?, from, left);
        match expression {
            ast::Expr::Literal(it) => Some(literal(it)),
            ast::Expr::ParenExpr(it) => of(it.expr()),
            ast::Expr::RefExpr(it) => Some(format!("&{}", of(it.expr())?)),
            ast::Expr::PrefixExpr(it) => {
                let of = of(it.expr())?;
                Some(match it.op_kind() {
                    Some(ast::UnaryOp::Deref) => seen_as(stripped(&of)).last().map(|it| (*it).to_owned())?,
                    _ => of,
                })
            }
            ast::Expr::AwaitExpr(it) => of(it.expr()),
            ast::Expr::TryExpr(it) => Some(unwrapped(&of(it.expr())?)),
            ast::Expr::CastExpr(it) => Some(it.ty()?.syntax().text().to_string()),
            ast::Expr::RecordExpr(it) => self.own(&it.path()?.syntax().text().to_string()),
            ast::Expr::TupleExpr(it) => {
                let of = |part: ast::Expr| self.of(&part, from, left).unwrap_or_else(|| "_".to_owned());
                Some(format!("({})", it.fields().map(of).collect::<Vec<_>>().join(", ")))
            }
            ast::Expr::ArrayExpr(it) => Some(format!("[{}; 0]", of(it.exprs().next())?)),
            ast::Expr::PathExpr(it) => self.named(&it.path()?, from, left),
            ast::Expr::CallExpr(it) => self.call(it, from, left),
            ast::Expr::MethodCallExpr(it) => self.method(it, from, left),
            ast::Expr::FieldExpr(it) => {
                let receiver = of(it.expr())?;
                let name = it.name_ref()?.text().to_string();
                seen_as(&receiver).into_iter().find_map(|of| match (parts(of), name.parse::<usize>()) {
                    (Some(parts), Ok(place)) => parts.get(place).map(|part| (*part).to_owned()),
                    _ => self.names.field(&base(of), &name),
                })
            }
            ast::Expr::IndexExpr(it) => {
                let receiver = of(it.base())?;
                if matches!(it.index(), Some(ast::Expr::RangeExpr(_))) {
                    return Some(receiver);
                }
                match base(&receiver).as_str() {
                    "HashMap" | "BTreeMap" => arguments(&receiver).get(1).map(|it| (*it).to_owned()),
                    _ => item(&receiver),
                }
            }
            ast::Expr::MacroExpr(it) => {
                let call = it.macro_call()?;
                let name = call.path()?.segment()?.syntax().text().to_string();
                match name.as_str() {
                    "vec" => {
                        let inside = call.token_tree()?.syntax().text().to_string();
                        let inside = inside.get(1..inside.len().checked_sub(1)?)?;
                        let parsed = SourceFile::parse(&format!("fn f(){{let _ = [{inside}];}}"), Edition::Edition2024);
                        let list = parsed.tree().syntax().descendants().find_map(ast::ArrayExpr::cast)?;
                        let of = self.of(&list.exprs().next()?, from, left).unwrap_or_else(|| "_".to_owned());
                        Some(format!("Vec<{of}>"))
                    }
                    "format" => Some("String".to_owned()),
                    "df" => Some("PolarsResult<DataFrame>".to_owned()),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// `Self` by its name.
    fn own(&self, path: &str) -> Option<String> {
        match (path, &self.scope.own_type) {
            ("Self", Some(own)) => Some(own.clone()),
            _ => Some(path.to_owned()),
        }
    }

    fn bound(&self, bound: &Bound, from: usize, left: usize) -> Option<String> {
        let left = left.checked_sub(1)?;
        match bound {
            Bound::Typed(of) => self.own(of),
            Bound::Made(value) => self.of(value, from, left),
            Bound::Element(value) => self.element(value, from, left),
            Bound::Unwrapped(value) => self.of(value, from, left).map(|of| unwrapped(&of)),
            Bound::Part(whole, place) => {
                let whole = self.bound(whole, from, left)?;
                parts(&whole)?.get(*place).map(|part| (*part).to_owned())
            }
            Bound::Unknown => None,
        }
    }

    fn named(&self, path: &ast::Path, from: usize, left: usize) -> Option<String> {
        let text = path.syntax().text().to_string();
        let Some((owner, name)) = text.rsplit_once("::") else {
            return match self.scope.find(&text, from) {
                Some((at, bound)) => self.bound(bound, at + 1, left),
                None if self.scope.is_function => self.names.unit(&text),
                None => self.variables.get(&text).cloned().or_else(|| self.names.unit(&text)),
            };
        };
        let owner = self.own(owner)?;
        self.names.is_variant(&base(&owner), name).then(|| base(&owner))
    }

    fn call(&self, call: &ast::CallExpr, from: usize, left: usize) -> Option<String> {
        let Some(ast::Expr::PathExpr(callee)) = call.expr() else { return None };
        let path = callee.path()?.syntax().text().to_string();
        let argument = || call.arg_list()?.args().next().and_then(|it| self.of(&it, from, left));
        let Some((owner, name)) = path.rsplit_once("::") else {
            return match path.as_str() {
                "Some" => Some(format!("Option<{}>", argument().unwrap_or_else(|| "_".to_owned()))),
                "Ok" => Some(format!("Result<{}, _>", argument().unwrap_or_else(|| "_".to_owned()))),
                "Err" => Some("Result<_, _>".to_owned()),
                name => self.names.result_of(None, name).or_else(|| self.names.unit(name)),
            };
        };
        let owner = self.own(owner)?;
        let bare = base(owner.trim_end_matches("::"));
        match bare.as_str() {
            "Box" | "Rc" | "Arc" if name == "new" => Some(format!("{bare}<{}>", argument()?)),
            _ if self.names.is_variant(&bare, name) => Some(bare),
            _ => self.names.result_of(Some(&owner.replace("::<", "<")), name),
        }
    }

    fn method(&self, call: &ast::MethodCallExpr, from: usize, left: usize) -> Option<String> {
        let name = call.name_ref()?.text().to_string();
        let receiver = call.receiver()?;
        let of = self.of(&receiver, from, left);
        let is_map = of.as_ref().is_some_and(|of| ["HashMap", "BTreeMap"].contains(&base(of).as_str()));
        if ONE_OF.contains(&name.as_str())
            && !is_map
            && let Some(of) = self.element(&receiver, from, left)
        {
            return Some(format!("Option<{of}>"));
        }
        let of = of?;
        if TAKE_OUT.contains(&name.as_str()) && unwrapped(&of) != of {
            return Some(unwrapped(&of));
        }
        if ["clone", "to_owned", "as_ref", "as_mut", "borrow", "by_ref"].contains(&name.as_str()) {
            return Some(match stripped(&of) {
                "str" if name == "to_owned" => "String".to_owned(),
                bare => bare.to_owned(),
            });
        }
        seen_as(&of).into_iter().find_map(|of| self.names.result_of(Some(of), &name))
    }

    /// What an expression goes through.
    fn element(&self, expression: &ast::Expr, from: usize, left: usize) -> Option<String> {
        let left = left.checked_sub(1)?;
        match expression {
            ast::Expr::ParenExpr(it) => return self.element(&it.expr()?, from, left),
            ast::Expr::RangeExpr(it) => {
                let start = ast::RangeItem::start(it)?;
                return self.of(&start, from, left);
            }
            ast::Expr::MethodCallExpr(it) => {
                let name = it.name_ref()?.text().to_string();
                let receiver = it.receiver()?;
                match name.as_str() {
                    "enumerate" => return Some(format!("(usize, {})", self.element(&receiver, from, left)?)),
                    "chars" => return Some("char".to_owned()),
                    "lines" | "split_whitespace" | "split" => return Some("&str".to_owned()),
                    "keys" => return arguments(&self.of(&receiver, from, left)?).first().map(|it| (*it).to_owned()),
                    "values" | "values_mut" => {
                        return arguments(&self.of(&receiver, from, left)?).get(1).map(|it| (*it).to_owned());
                    }
                    name if SAME_ITEMS.contains(&name) => {
                        // A type of one's own may have an `iter`, whose signature tells.
                        let own = || item(&self.of(expression, from, left)?);
                        return self.element(&receiver, from, left).or_else(own);
                    }
                    _ => {}
                }
            }
            _ => {}
        }
        item(&self.of(expression, from, left)?)
    }
}

/// What a collection holds.
fn item(of: &str) -> Option<String> {
    let of = stripped(of);
    let whole = of;
    if let Some(item) = item_of_array(of) {
        return Some(item.to_owned());
    }
    let arguments = arguments(of);
    Some(match (base(of).as_str(), arguments.as_slice()) {
        ("Vec" | "VecDeque" | "HashSet" | "BTreeSet" | "BinaryHeap" | "Option", [of, ..]) => (*of).to_owned(),
        ("HashMap" | "BTreeMap", [key, value, ..]) => format!("({key}, {value})"),
        ("Box" | "Rc" | "Arc", [of]) => return item(of),
        ("Iterator", [of]) => match of.strip_prefix("Item") {
            Some(named) => named.trim_start().strip_prefix('=')?.trim().to_owned(),
            // Those of collections; others are of iterators, and of functions.
            None => of_collection(whole).then(|| (*of).to_owned())?,
        },
        _ => return None,
    })
}

/// Whether an iterator's parameter is what it gives.
fn of_collection(of: &str) -> bool {
    let path = of.split('<').next().unwrap_or(of).trim();
    ["Iter", "IterMut", "IntoIter", "Drain"].contains(&path.rsplit("::").next().unwrap_or(path))
}

fn literal(literal: &ast::Literal) -> String {
    let of = match literal.kind() {
        ast::LiteralKind::String(_) => "&str",
        ast::LiteralKind::ByteString(_) => "&[u8]",
        ast::LiteralKind::CString(_) => "&CStr",
        ast::LiteralKind::Char(_) => "char",
        ast::LiteralKind::Byte(_) => "u8",
        ast::LiteralKind::Bool(_) => "bool",
        ast::LiteralKind::IntNumber(it) => return it.suffix().unwrap_or("i32").to_owned(),
        ast::LiteralKind::FloatNumber(it) => return it.suffix().unwrap_or("f64").to_owned(),
    };
    of.to_owned()
}

#[cfg(test)]
mod tests {
    use super::item;

    #[test]
    fn what_collections_hold() {
        for (of, wanted) in [
            ("&Vec<Pt>", Some("Pt")),
            ("[(i32, Pt); 3]", Some("(i32, Pt)")),
            ("std::collections::HashMap<String, Pt>", Some("(String, Pt)")),
            ("std::slice::Iter<'_, Pt>", Some("Pt")),
            ("Iterator<Item = &Pt>", Some("&Pt")),
            ("std::iter::Map<std::ops::Range<i32>, F>", None),
            ("std::iter::Rev<I>", None),
            ("Pt", None),
        ] {
            assert_eq!(item(of).as_deref(), wanted, "{of}");
        }
    }
}
