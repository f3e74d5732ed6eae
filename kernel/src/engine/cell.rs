//! The Rust of a cell, and what is changed in it before evcxr sees it.

use ra_ap_syntax::ast::{self, AstNode, HasName};
use ra_ap_syntax::{Edition, SourceFile, SyntaxKind, SyntaxNode, TextRange, TextSize, WalkEvent};

use super::edited::{Edit, Edited};
use super::impls::{Impls, New, Plan};
use super::includes;

const HEAD: &str = "fn f(){";

/// Levels that the syntax of a cell may be deep. Whatever reads it calls itself for each: see [`super::STACK`].
const DEEPEST: usize = 12_000;

/// The Rust of a cell, read.
pub(super) struct Rust<'a> {
    source: &'a str,
    /// Bindings of the top level that rustc has to be asked the type of: the last of each name.
    pub untyped: Vec<Binding>,
    /// Those whose type can be seen: `let x = "text";`. Asking rustc would cost as much as half a cell.
    typed: Vec<(Binding, String)>,
    /// Where `.await` is written at the top level.
    awaits: Vec<TextRange>,
    /// Whether `?` is written at the top level.
    pub has_question: bool,
    /// Where the last expression begins and ends.
    tail: Option<std::ops::Range<usize>>,
    /// Where it is deeper than may be: nothing else is known of it then.
    too_deep: Option<TextSize>,
    /// Its implementations.
    impls: New,
    /// Where the `;` belongs that its last statement lacks.
    lacks_semicolon: Option<usize>,
    /// What the parser expects where it ends.
    expected: Option<String>,
    /// The parser finds an error in it, and not at its end.
    pub is_broken: bool,
}

/// A variable, as it is bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Binding {
    pub name: String,
    is_mutable: bool,
    place: Place,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    /// `let x`: the type comes behind the pattern, in the place of one with holes.
    Simple { at: usize, old: Option<std::ops::Range<usize>> },
    /// `let (x, y) = …;`: bound again behind the statement.
    Inside { behind: usize },
}

impl<'a> Rust<'a> {
    pub fn read(source: &'a str) -> Self {
        let parsed = SourceFile::parse(&format!("{HEAD}{source}\n}}"), Edition::Edition2024);
        let mut this = Self {
            source,
            untyped: Vec::new(),
            typed: Vec::new(),
            awaits: Vec::new(),
            has_question: false,
            tail: None,
            too_deep: None,
            impls: New::default(),
            lacks_semicolon: None,
            expected: None,
            is_broken: false,
        };
        let list = parsed
            .syntax_node()
            .children()
            .find_map(ast::Fn::cast)
            .and_then(|function| function.body())
            .and_then(|body| body.stmt_list());
        let Some(list) = list else { return this };
        this.too_deep = too_deep(list.syntax());
        if this.too_deep.is_some() {
            return this;
        }
        this.tail = list.tail_expr().map(|tail| {
            let range = tail.syntax().text_range();
            this.at(range.start())..this.at(range.end())
        });
        for statement in list.statements() {
            if let ast::Stmt::LetStmt(statement) = statement {
                this.bind(&statement);
            }
        }
        this.impls = New::of(list.statements());
        this.look_for_flow(list.syntax());
        this.look_at_end(&list, &parsed);
        this
    }

    /// What is missing at its end. A `;` there is no more than a sign that the user is done, and need not be typed.
    fn look_at_end(&mut self, list: &ast::StmtList, parsed: &ra_ap_syntax::Parse<SourceFile>) {
        let end = self.source.trim_end().len();
        // It makes an item, and is called as an expression is.
        if let Some(ast::Expr::MacroExpr(call)) = list.tail_expr()
            && let Some(path) = call.macro_call().and_then(|call| call.path())
            && path.syntax().text().to_string().ends_with("thread_local")
        {
            self.lacks_semicolon = Some(self.at(call.syntax().text_range().end()));
            self.tail = None;
        }
        let errors = parsed.errors();
        let Some(error) = errors.first() else { return };
        let last = list.statements().last().filter(|_| list.tail_expr().is_none());
        let last = last.filter(|last| {
            matches!(
                last,
                ast::Stmt::LetStmt(_)
                    | ast::Stmt::Item(
                        ast::Item::Use(_) | ast::Item::Const(_) | ast::Item::Static(_) | ast::Item::TypeAlias(_)
                    )
            )
        });
        if error.to_string() == "expected SEMICOLON"
            && errors.len() == 1
            && let Some(last) = last
        {
            self.lacks_semicolon = Some(self.at(last.syntax().text_range().end()));
        } else if self.at(error.range().start()) >= end {
            self.expected = Some(expected(&error.to_string()));
        } else {
            self.is_broken = true;
        }
    }

    /// What has to follow the last line: it cannot be run as it is.
    pub fn expected(&self) -> Option<(&str, usize, usize)> {
        let end = self.source.trim_end();
        let column = end.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Some((self.expected.as_deref()?, end.matches('\n').count() + 1, column))
    }

    /// The line and the column, from 1, where operators, brackets or methods are more deeply nested than can be compiled.
    pub fn too_deep(&self) -> Option<(usize, usize)> {
        Some(self.place(self.at(self.too_deep?)))
    }

    /// Where the expression begins whose value is shown: line and column, from 1.
    pub fn shown(&self) -> Option<(usize, usize)> {
        self.tail.as_ref().map(|tail| self.place(tail.start))
    }

    fn place(&self, byte: usize) -> (usize, usize) {
        let before = &self.source[..byte];
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        (before.matches('\n').count() + 1, column)
    }

    /// A place of the parsed text as one of the source.
    fn at(&self, size: TextSize) -> usize {
        usize::from(size).saturating_sub(HEAD.len()).min(self.source.len())
    }

    fn bind(&mut self, statement: &ast::LetStmt) {
        let Some(pattern) = statement.pat() else { return };
        let behind = self.at(statement.syntax().text_range().end());
        let simple = matches!(&pattern, ast::Pat::IdentPat(_));
        for found in pattern.syntax().descendants().filter_map(ast::IdentPat::cast) {
            let Some(name) = found.name().map(|name| name.text().to_string()) else { continue };
            let is_plain = found.mut_token().is_none() && found.ref_token().is_none() && found.pat().is_none();
            if is_plain && name.starts_with(char::is_uppercase) && statement.let_else().is_some() {
                // `None`, a constant: nothing is bound. Where there is no other way out, it would be an error.
                continue;
            }
            self.untyped.retain(|binding| binding.name != name);
            self.typed.retain(|(binding, _)| binding.name != name);
            let place = match (simple, statement.ty()) {
                (true, Some(written)) if !has_holes(written.syntax()) => continue,
                (true, written) => Place::Simple {
                    at: self.at(pattern.syntax().text_range().end()),
                    old: written.map(|written| {
                        let range = written.syntax().text_range();
                        self.at(range.start())..self.at(range.end())
                    }),
                },
                (false, _) => Place::Inside { behind },
            };
            let seen = matches!(place, Place::Simple { old: None, .. }).then(|| self.seen(statement, &name)).flatten();
            let binding = Binding { name, is_mutable: found.mut_token().is_some(), place };
            match seen {
                Some(of) => self.typed.push((binding, of)),
                None => self.untyped.push(binding),
            }
        }
    }

    /// The type of a literal. A number without one may get it from where it is used: not if it is used nowhere.
    fn seen(&self, statement: &ast::LetStmt, name: &str) -> Option<String> {
        let Some(ast::Expr::Literal(literal)) = statement.initializer() else { return None };
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let once = self.source.split(|c: char| !is_word(c)).filter(|word| *word == name).count() == 1
            // A macro may make a name of a text.
            && !self.source.contains(&format!("{{{name}"));
        let of = match literal.kind() {
            ast::LiteralKind::String(_) => "&'static str",
            ast::LiteralKind::Bool(_) => "bool",
            ast::LiteralKind::Char(_) => "char",
            ast::LiteralKind::IntNumber(number) if number.suffix().is_none() && once => "i32",
            ast::LiteralKind::FloatNumber(number) if number.suffix().is_none() && once => "f64",
            _ => return None,
        };
        Some(of.to_owned())
    }

    /// `.await` and `?` of the cell itself, not of functions, closures and async blocks in it.
    fn look_for_flow(&mut self, node: &SyntaxNode) {
        for child in node.children() {
            match child.kind() {
                SyntaxKind::FN
                | SyntaxKind::CLOSURE_EXPR
                | SyntaxKind::IMPL
                | SyntaxKind::TRAIT
                | SyntaxKind::MODULE => {
                    continue;
                }
                SyntaxKind::BLOCK_EXPR => {
                    let is_apart = ast::BlockExpr::cast(child.clone()).is_some_and(|block| {
                        block.async_token().is_some()
                            || block.const_token().is_some()
                            || block.try_block_modifier().is_some()
                    });
                    if is_apart {
                        continue;
                    }
                }
                SyntaxKind::AWAIT_EXPR => {
                    if let Some(token) = ast::AwaitExpr::cast(child.clone()).and_then(|it| it.await_token()) {
                        let range = token.text_range();
                        self.awaits.push(range);
                    }
                }
                SyntaxKind::TRY_EXPR => self.has_question = true,
                _ => {}
            }
            self.look_for_flow(&child);
        }
    }

    /// The text whose check tells the types: the source, unchanged up to where its last expression ends, and a line for
    /// every binding. The numbers of those lines begin at the one that is returned, from 1.
    pub fn with_questions(&self) -> (String, usize) {
        let mut text = self.source.to_owned();
        if let Some(end) = self.tail.as_ref().map(|tail| tail.end).or(self.lacks_semicolon) {
            text.insert(end, ';');
        }
        let first = text.matches('\n').count() + 2;
        for binding in &self.untyped {
            text.push_str(&format!("\n::roborm::cell::type_of(&{});", binding.name));
        }
        (text, first)
    }

    /// What is written of the types of [`Rust::untyped`].
    pub fn written(&self) -> Vec<String> {
        let of = |binding: &Binding| match &binding.place {
            Place::Simple { old: Some(old), .. } => self.source.get(old.clone()).map(str::to_owned),
            _ => None,
        };
        self.untyped.iter().map(|binding| of(binding).unwrap_or_else(|| "_".to_owned())).collect()
    }

    /// The `let` that keeps a closure which is bound by this name: rustc fills the holes in.
    pub fn boxed(&self, name: &str) -> Option<String> {
        let parsed = SourceFile::parse(&format!("{HEAD}{}\n}}", self.source), Edition::Edition2024);
        let statements = parsed.tree().syntax().descendants().filter_map(ast::LetStmt::cast);
        let is_named = |it: &ast::LetStmt| {
            matches!(it.pat(), Some(ast::Pat::IdentPat(pattern))
                if pattern.name().is_some_and(|found| found.text() == name))
        };
        let Some(ast::Expr::ClosureExpr(closure)) = statements.filter(is_named).last()?.initializer() else {
            return None;
        };
        let typed = |parameter: ast::Param| parameter.ty().map_or_else(|| "_".to_owned(), |of| of.syntax().to_string());
        let parameters: Vec<String> = closure.param_list()?.params().map(typed).collect();
        let returned = closure.ret_type().and_then(|it| it.ty()).map_or_else(|| "_".to_owned(), |it| it.to_string());
        let text = closure.syntax().text().to_string();
        let is_short = text.len() <= 80 && !text.contains('\n');
        let text = if is_short { text } else { "…".to_owned() };
        Some(format!("let {name}: Box<dyn Fn({}) -> {returned}> = Box::new({text});", parameters.join(", ")))
    }

    /// What is not typed, and has to stand in it: a tab before it all, where evcxr would take that for a command of its own;
    /// names for implementations. And what becomes of those of the session.
    pub fn heads(&self, impls: &Impls) -> (Vec<Edit>, Plan) {
        let plan = impls.with(&self.impls);
        let edit = |at: usize, text: &str| Edit { at, until: at, text: text.to_owned() };
        let tab = looks_like_command(self.source).then(|| edit(beginning(self.source), "\t"));
        let names = plan.heads.iter().map(|(at, text)| edit(self.at(*at), text));
        (tab.into_iter().chain(names).collect(), plan)
    }

    /// Nothing may stand before attributes of the whole.
    pub fn may_have_head(&self) -> bool {
        !self.source.trim_start().starts_with("#!")
    }

    /// The text that is run: with types (one for each of [`Rust::untyped`], in order), and `.await` as a call.
    pub fn edited(&self, types: &[String], heads: &[Edit]) -> Edited {
        let mut edits = match std::env::current_dir() {
            Ok(folder) => includes::edits(self.source, &folder),
            Err(_) => Vec::new(),
        };
        edits.extend_from_slice(heads);
        if let Some(at) = self.lacks_semicolon {
            edits.push(Edit { at, until: at, text: ";".to_owned() });
        }
        for range in &self.awaits {
            let (start, end) = (self.at(range.start()), self.at(range.end()));
            edits.push(Edit { at: start, until: end, text: "await_in_cell()".to_owned() });
        }
        let seen = self.typed.iter().map(|(binding, of)| (binding, of));
        for (binding, found) in self.untyped.iter().zip(types).chain(seen) {
            edits.push(match &binding.place {
                Place::Simple { old: Some(old), .. } => Edit { at: old.start, until: old.end, text: found.clone() },
                Place::Simple { at, old: None } => Edit { at: *at, until: *at, text: format!(": {found}") },
                Place::Inside { behind } => {
                    let mutable = if binding.is_mutable { "mut " } else { "" };
                    let name = &binding.name;
                    Edit { at: *behind, until: *behind, text: format!(" let {mutable}{name}: {found} = {name};") }
                }
            });
        }
        Edited::new(self.source, edits)
    }
}

/// Whether evcxr would take a line of the text for a command of its own, but for a tab before it all: it looks for them up
/// to the first line of Rust, and passes over comments.
fn looks_like_command(source: &str) -> bool {
    let mut lines = source.lines().filter(|line| !line.trim().is_empty() && !line.starts_with("//"));
    lines.next().is_some_and(|line| line.trim_start().starts_with([':', '!']))
}

/// Where the text begins, blanks aside.
fn beginning(source: &str) -> usize {
    source.len() - source.trim_start().len()
}

/// The parser's words on what is missing: it calls signs by their names.
fn expected(words: &str) -> String {
    let names = [
        ("R_CURLY", "`}`"),
        ("R_PAREN", "`)`"),
        ("R_BRACK", "`]`"),
        ("SEMICOLON", "`;`"),
        ("COMMA", "`,`"),
        ("COLON2", "`::`"),
        ("COLON", "`:`"),
        ("FAT_ARROW", "`=>`"),
        ("R_ANGLE", "`>`"),
        ("EQ", "`=`"),
        ("IDENT", "a name"),
    ];
    names.iter().fold(words.to_owned(), |words, (name, sign)| words.replace(name, sign))
}

fn too_deep(root: &SyntaxNode) -> Option<TextSize> {
    let mut depth = 0;
    for step in root.preorder() {
        match step {
            WalkEvent::Enter(node) if depth == DEEPEST => return Some(node.text_range().start()),
            WalkEvent::Enter(_) => depth += 1,
            WalkEvent::Leave(_) => depth -= 1,
        }
    }
    None
}

fn has_holes(written: &SyntaxNode) -> bool {
    written.descendants().any(|node| matches!(node.kind(), SyntaxKind::INFER_TYPE | SyntaxKind::ERROR))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_go_where_they_belong() {
        let source = "let a = f(); let b: Vec<_> = vec![a];\nlet (mut c, d) = (1, 2); let e: u8 = 3; d";
        let rust = Rust::read(source);
        let names: Vec<&str> = rust.untyped.iter().map(|binding| binding.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "c", "d"]);
        let types = ["i32", "Vec<i32>", "i32", "i64"].map(str::to_owned);
        let edited = rust.edited(&types, &[]);
        assert_eq!(
            edited.text,
            "let a: i32 = f(); let b: Vec<i32> = vec![a];\n\
             let (mut c, d) = (1, 2); let mut c: i32 = c; let d: i64 = d; let e: u8 = 3; d"
        );
        // `b` of the second statement, and the last `d`.
        assert_eq!(edited.back(1, 23), 18);
        assert_eq!(edited.back(2, 77), source.lines().nth(1).map_or(0, str::len));
    }

    #[test]
    fn the_last_binding_of_a_name_counts() {
        let rust = Rust::read("let x = 1; let x = g(); let None = y else { return };");
        assert_eq!(rust.untyped.len(), 1);
        assert_eq!(
            rust.edited(&["&'static str".to_owned()], &[]).text,
            "let x = 1; let x: &'static str = g(); let None = y else { return };"
        );
    }

    #[test]
    fn what_can_be_seen_is_not_asked() {
        let seen =
            |source: &str| Rust::read(source).untyped.is_empty().then(|| Rust::read(source).edited(&[], &[]).text);
        assert_eq!(seen("let x = 41;").as_deref(), Some("let x: i32 = 41;"));
        assert_eq!(seen("let mut s = \"a\"; s = f(s);").as_deref(), Some("let mut s: &'static str = \"a\"; s = f(s);"));
        assert_eq!(seen("let x = 41; let y: u8 = x;"), None, "it is used as something else");
        assert_eq!(seen("let x = 41u8;"), None);
        assert_eq!(seen("let x = f();"), None);
    }

    #[test]
    fn statements_are_found_where_they_were_typed() {
        let edited = Rust::read("let é = 1; f(é)?; f(é)?;\n    g(é)\n").edited(&[], &[]);
        let compiled = "use x;\nfn run() {\nlet é: i32 = 1;\nf(é)?;\nf(é)?;\n(\ng(é)\n).show();\n}";
        assert_eq!(edited.text, "let é = 1; f(é)?; f(é)?;\n    g(é)\n", "a number that is used gets no type");
        assert_eq!(edited.place_of(compiled, 4, 1), Some((1, 12)));
        assert_eq!(edited.place_of(compiled, 5, 5), Some((1, 23)));
        assert_eq!(edited.place_of(compiled, 7, 1), Some((2, 5)));
        assert_eq!(edited.place_of(compiled, 2, 1), None);
        assert_eq!(edited.place_of(compiled, 6, 1), Some((2, 5)), "the brackets around it are it");
    }

    #[test]
    fn awaits_of_the_cell_become_calls() {
        let rust = Rust::read("let f = async { g().await? };\nf.await?");
        assert_eq!(rust.edited(&[], &[]).text, "let f = async { g().await? };\nf.await_in_cell()?");
        assert!(rust.has_question);
    }

    #[test]
    fn questions_come_behind_the_last_expression() {
        let rust = Rust::read("let x = f();\nx + 1 // more\n");
        assert_eq!(
            rust.with_questions(),
            ("let x = f();\nx + 1; // more\n\n::roborm::cell::type_of(&x);".to_owned(), 4)
        );
    }
}
