//! The names that a place in half-typed code sees, and what is written of what they hold.

use ra_ap_syntax::ast::{self, AstNode, HasLoopBody, HasName};
use ra_ap_syntax::{Edition, SourceFile, SyntaxNode, TextSize};

const HEAD: &str = "fn f(){";
/// What stands in the place.
const CURSOR: &str = "roborm_cursor";

/// What a name was bound to.
#[derive(Clone, Debug)]
pub(super) enum Bound {
    /// A type, as it is written.
    Typed(String),
    /// The value of an expression.
    Made(ast::Expr),
    /// One of what it goes through.
    Element(ast::Expr),
    /// What is in its `Some` or `Ok`.
    Unwrapped(ast::Expr),
    /// A part of a tuple.
    Part(Box<Bound>, usize),
    /// Something.
    Unknown,
}

/// The names that a place sees, those that are nearest first.
#[derive(Debug, Default)]
pub(super) struct Scope {
    pub bound: Vec<(String, Bound)>,
    /// What `Self` is.
    pub own_type: Option<String>,
    /// It is in a function: the variables of cells are not seen there.
    pub is_function: bool,
}

impl Scope {
    /// What is seen behind `before`.
    pub fn behind(before: &str) -> Self {
        let mut this = Self::default();
        if super::complete::is_too_deep(before) {
            return this;
        }
        let parsed = SourceFile::parse(&format!("{HEAD}{before}{CURSOR}"), Edition::Edition2024);
        let root = parsed.syntax_node();
        let Some(token) = root.last_token() else { return this };
        let token = if token.kind().is_trivia() { token.prev_token().unwrap_or(token) } else { token };
        let at = token.text_range().start();
        for node in token.parent_ancestors() {
            if let Some(function) = ast::Fn::cast(node.clone()) {
                if function.syntax().text_range().start() == TextSize::new(0) {
                    break;
                }
                this.parameters(&function);
                this.is_function = true;
                // What is outside is not seen, but for what `Self` is.
                let owner = function.syntax().ancestors().find_map(ast::Impl::cast);
                this.own_type = owner.and_then(|it| it.self_ty()).map(|it| it.syntax().text().to_string());
                break;
            }
            this.look_at(&node, at);
        }
        if let Some(own) = this.own_type.clone() {
            for (name, bound) in &mut this.bound {
                if name == "self" {
                    *bound = Bound::Typed(own.clone());
                }
            }
        }
        this
    }

    /// What a name was bound to, and where what it was made of is looked up.
    pub fn find(&self, name: &str, from: usize) -> Option<(usize, &Bound)> {
        let (at, (_, bound)) = self.bound.iter().enumerate().skip(from).find(|(_, (found, _))| found == name)?;
        Some((at, bound))
    }

    fn parameters(&mut self, function: &ast::Fn) {
        let Some(list) = function.param_list() else { return };
        if list.self_param().is_some() {
            self.bound.push(("self".to_owned(), Bound::Unknown));
        }
        for parameter in list.params() {
            let of = parameter.ty().map_or(Bound::Unknown, |it| Bound::Typed(it.syntax().text().to_string()));
            self.bind(parameter.pat(), &of);
        }
    }

    fn look_at(&mut self, node: &SyntaxNode, at: TextSize) {
        if let Some(list) = ast::StmtList::cast(node.clone()) {
            let mut before: Vec<ast::LetStmt> = list
                .statements()
                .filter_map(|statement| match statement {
                    ast::Stmt::LetStmt(it) => Some(it),
                    _ => None,
                })
                .filter(|it| it.syntax().text_range().end() <= at)
                .collect();
            before.reverse();
            for statement in before {
                let of = match (statement.ty(), statement.initializer()) {
                    (Some(of), _) if !of.syntax().text().to_string().contains('_') => {
                        Bound::Typed(of.syntax().text().to_string())
                    }
                    (_, Some(value)) => Bound::Made(value),
                    _ => Bound::Unknown,
                };
                self.bind(statement.pat(), &of);
            }
        } else if let Some(closure) = ast::ClosureExpr::cast(node.clone()) {
            let receiver = closure
                .syntax()
                .parent()
                .and_then(ast::ArgList::cast)
                .and_then(|list| list.syntax().parent())
                .and_then(ast::MethodCallExpr::cast)
                .and_then(|call| call.receiver());
            for (place, parameter) in closure.param_list().into_iter().flat_map(|list| list.params()).enumerate() {
                let of = match (parameter.ty(), &receiver) {
                    (Some(of), _) => Bound::Typed(of.syntax().text().to_string()),
                    (None, Some(receiver)) if place == 0 => Bound::Element(receiver.clone()),
                    _ => Bound::Unknown,
                };
                self.bind(parameter.pat(), &of);
            }
        } else if let Some(each) = ast::ForExpr::cast(node.clone()) {
            let is_inside = each.loop_body().is_some_and(|body| body.syntax().text_range().contains_inclusive(at));
            if is_inside {
                self.bind(each.pat(), &each.iterable().map_or(Bound::Unknown, Bound::Element));
            }
        } else if let Some(arm) = ast::MatchArm::cast(node.clone()) {
            let value = arm.syntax().ancestors().find_map(ast::MatchExpr::cast).and_then(|it| it.expr());
            self.bind(arm.pat(), &value.map_or(Bound::Unknown, Bound::Made));
        } else {
            let condition = ast::IfExpr::cast(node.clone())
                .and_then(|it| it.condition())
                .or_else(|| ast::WhileExpr::cast(node.clone()).and_then(|it| it.condition()));
            let tested = condition
                .into_iter()
                .flat_map(|it| it.syntax().descendants().filter_map(ast::LetExpr::cast).collect::<Vec<_>>());
            for tested in tested.filter(|it| it.syntax().text_range().end() <= at) {
                self.bind(tested.pat(), &tested.expr().map_or(Bound::Unknown, Bound::Made));
            }
        }
    }

    fn bind(&mut self, pattern: Option<ast::Pat>, of: &Bound) {
        match pattern {
            Some(ast::Pat::IdentPat(it)) => {
                let name = it.name().map(|name| name.text().to_string());
                if let Some(name) = name.filter(|name| name != CURSOR && !name.starts_with(char::is_uppercase)) {
                    self.bound.push((name, of.clone()));
                }
            }
            Some(ast::Pat::RefPat(it)) => self.bind(it.pat(), of),
            Some(ast::Pat::ParenPat(it)) => self.bind(it.pat(), of),
            Some(ast::Pat::TuplePat(it)) => {
                for (place, part) in it.fields().enumerate() {
                    self.bind(Some(part), &Bound::Part(Box::new(of.clone()), place));
                }
            }
            Some(ast::Pat::TupleStructPat(it)) => {
                let name = it.path().map(|path| path.syntax().text().to_string());
                let inside = match of {
                    Bound::Made(value) if name.as_deref().is_some_and(|name| ["Some", "Ok"].contains(&name)) => {
                        Bound::Unwrapped(value.clone())
                    }
                    _ => Bound::Unknown,
                };
                for part in it.fields() {
                    self.bind(Some(part), &inside);
                }
            }
            Some(other) => {
                for it in other.syntax().descendants().filter_map(ast::IdentPat::cast) {
                    self.bind(Some(ast::Pat::IdentPat(it)), &Bound::Unknown);
                }
            }
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(before: &str) -> Vec<String> {
        Scope::behind(before).bound.into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn names_that_are_seen() {
        assert_eq!(names("let a = 1; let (b, mut c) = f();\n"), ["b", "c", "a"]);
        assert_eq!(names("let a = 1; { let b = 2; } let c = "), ["a"]);
        assert_eq!(names("let a = 1; fn g(p: &Pose, q: u8) { let r = 1; "), ["r", "p", "q"]);
        assert_eq!(names("for (i, p) in v.iter().enumerate() { println!(\"{}\", "), ["i", "p"]);
        assert_eq!(names("v.iter().map(|p| "), ["p"]);
        assert_eq!(names("if let Some(x) = y { "), ["x"]);
        assert_eq!(names("impl A { fn f(&self) { "), ["self"]);
        assert_eq!(Scope::behind("impl A { fn f(&self) { ").own_type.as_deref(), Some("A"));
        assert_eq!(names("fn f(x: i32) { 1 }\n"), Vec::<String>::new());
    }
}
