//! What a cell defines: its variables, its items with their signatures and documentation, and statics, which are not what
//! they look like.

use std::collections::BTreeSet;

use ra_ap_syntax::ast::{self, AstNode, HasName};
use ra_ap_syntax::{Edition, SourceFile, SyntaxKind, SyntaxNode};

use super::earlier::{beginning, called};
use crate::toolkit::{Entry, of_cell};

/// What is said of where an item of a cell is from.
const FROM: &str = "this session";
/// What a static has to hold for anybody to notice that it starts anew.
const CHANGING: [&str; 9] =
    ["Atomic", "Mutex", "RwLock", "OnceLock", "OnceCell", "LazyLock", "LazyCell", "Cell<", "UnsafeCell"];

const HEAD: &str = "fn f(){";

/// What a cell defines.
#[derive(Debug, Default)]
pub(super) struct Defined {
    /// Names that `let` binds at the top level.
    pub bindings: BTreeSet<String>,
    /// Items that make up what types are: their names, and what they are defined as.
    pub shapes: Vec<(String, String)>,
    /// Statics whose value can change, and those of threads.
    pub statics: BTreeSet<String>,
    /// What its items are called.
    pub items: Vec<String>,
    /// The lines that they begin in, from 0.
    pub lines: Vec<usize>,
    /// Words in calls of macros that are statements: they may be the names of items that those make.
    pub handed: BTreeSet<String>,
    /// Names that it uses without binding them itself.
    pub uses: BTreeSet<String>,
    /// Items, for completion and documentation.
    pub entries: Vec<Entry>,
}

impl Defined {
    /// What this piece of Rust defines.
    pub fn by(source: &str) -> Self {
        let mut this = Self::default();
        if super::complete::is_too_deep(source) {
            return this;
        }
        let parsed = SourceFile::parse(&format!("{HEAD}{source}\n}}"), Edition::Edition2024);
        let root = parsed.syntax_node();
        let body = root.children().find_map(ast::Fn::cast).and_then(|function| function.body());
        let Some(list) = body.and_then(|body| body.stmt_list()) else { return this };
        let mut items = Vec::new();
        for statement in list.statements() {
            match statement {
                ast::Stmt::LetStmt(statement) => this.bindings.extend(bound(&statement)),
                ast::Stmt::Item(item) => {
                    this.shape(&item);
                    items.push(item);
                }
                ast::Stmt::ExprStmt(it) => this.handed.extend(handed(it.expr())),
            }
        }
        this.handed.extend(handed(list.tail_expr()));
        for item in &items {
            if let Some(name) = called(item) {
                let at = beginning(item).saturating_sub(HEAD.len());
                this.lines.push(source.get(..at).map_or(0, |before| before.matches('\n').count()));
                this.items.push(name);
            }
        }
        this.uses = used(list.syntax());
        this.entries = of_cell(items.into_iter(), FROM);
        this.look_for_statics(list.syntax());
        this
    }

    fn shape(&mut self, item: &ast::Item) {
        let name = match item {
            ast::Item::Struct(it) => it.name(),
            ast::Item::Enum(it) => it.name(),
            ast::Item::Union(it) => it.name(),
            ast::Item::Trait(it) => it.name(),
            ast::Item::TypeAlias(it) => it.name(),
            ast::Item::Const(it) => it.name(),
            ast::Item::Module(it) => it.name(),
            _ => None,
        };
        if let Some(name) = name {
            // Comments and blanks change no type.
            let tokens = item.syntax().descendants_with_tokens().filter_map(|it| it.into_token());
            let text: Vec<String> = tokens.filter(|it| !it.kind().is_trivia()).map(|it| it.text().to_owned()).collect();
            self.shapes.push((name.text().to_string(), text.join(" ")));
        }
    }

    fn look_for_statics(&mut self, node: &SyntaxNode) {
        for it in node.descendants().filter_map(ast::Static::cast) {
            let of = it.ty().map(|of| of.syntax().text().to_string()).unwrap_or_default();
            let changes = it.mut_token().is_some() || CHANGING.iter().any(|sign| of.contains(sign));
            self.statics.extend(it.name().filter(|_| changes).map(|name| name.text().to_string()));
        }
        for call in node.descendants().filter_map(ast::MacroCall::cast) {
            let is_ours = call.path().is_some_and(|path| path.syntax().text().to_string().ends_with("thread_local"));
            let Some(tree) = call.token_tree().filter(|_| is_ours) else { continue };
            let text = tree.syntax().text().to_string();
            let words: Vec<&str> =
                text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|it| !it.is_empty()).collect();
            self.statics.extend(words.windows(2).filter(|pair| pair[0] == "static").map(|pair| pair[1].to_owned()));
        }
    }
}

/// Bare names that stand for values, in macros too, but for those that are bound anywhere in the same code.
fn used(code: &SyntaxNode) -> BTreeSet<String> {
    let mut used: BTreeSet<String> = code
        .descendants()
        .filter_map(ast::PathExpr::cast)
        .filter_map(|it| it.path()?.as_single_name_ref())
        .map(|name| name.text().to_string())
        .collect();
    for tree in code.descendants().filter_map(ast::TokenTree::cast) {
        let tokens = tree.syntax().children_with_tokens().filter_map(|it| it.into_token());
        used.extend(tokens.filter(|it| it.kind() == SyntaxKind::IDENT).map(|it| it.text().to_owned()));
    }
    for pattern in code.descendants().filter_map(ast::IdentPat::cast) {
        if let Some(name) = pattern.name() {
            used.remove(name.text());
        }
    }
    used
}

/// Words in the call of a macro.
fn handed(call: Option<ast::Expr>) -> Vec<String> {
    let Some(ast::Expr::MacroExpr(call)) = call else { return Vec::new() };
    // These make no items.
    let plain =
        ["print", "println", "eprint", "eprintln", "dbg", "format", "vec", "assert", "assert_eq", "panic", "write"];
    let path = call.macro_call().and_then(|call| call.path()).map(|path| path.syntax().text().to_string());
    if path.is_none_or(|path| plain.contains(&path.as_str())) {
        return Vec::new();
    }
    let tokens = call.syntax().descendants_with_tokens().filter_map(|it| it.into_token());
    tokens.filter(|it| it.kind() == SyntaxKind::IDENT).map(|it| it.text().to_owned()).collect()
}

/// The names that a `let` binds.
fn bound(statement: &ast::LetStmt) -> Vec<String> {
    let patterns = statement
        .pat()
        .into_iter()
        .flat_map(|it| it.syntax().descendants().filter_map(ast::IdentPat::cast).collect::<Vec<_>>());
    patterns
        .filter_map(|it| it.name())
        .map(|name| name.text().to_string())
        .filter(|name| !name.starts_with(char::is_uppercase))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_cell_defines() {
        let defined = Defined::by(
            "use std::sync::Mutex;\n/// A pair.\n#[derive(Debug)] struct Pair { a: i32 }\n\
             impl Pair {\n    /// Its sum.\n    fn sum(&self) -> i32 { static CALLS: AtomicU32 = AtomicU32::new(0); self.a }\n}\n\
             static NAME: &str = \"x\"; static mut COUNT: u32 = 0; const N: usize = 3;\n\
             thread_local! { static MINE: Cell<u8> = Cell::new(1); }\n\
             let (x, mut y) = (1, 2); let None = z else { return };",
        );
        assert_eq!(defined.bindings.iter().collect::<Vec<_>>(), ["x", "y"]);
        assert_eq!(defined.statics.iter().collect::<Vec<_>>(), ["CALLS", "COUNT", "MINE"]);
        assert_eq!(defined.shapes[0], ("Pair".to_owned(), "# [ derive ( Debug ) ] struct Pair { a : i32 }".to_owned()));
        assert_eq!(defined.shapes[1].0, "N");
        let sum = defined.entries.iter().find(|entry| entry.name == "sum").expect("a method");
        assert_eq!(
            (sum.owner.as_deref(), sum.signature.as_str(), sum.docs.as_str()),
            (Some("Pair"), "fn sum(&self) -> i32", "Its sum.")
        );
        assert_eq!(
            defined.entries.iter().find(|entry| entry.name == "Pair").map(|it| it.docs.as_str()),
            Some("A pair.")
        );
    }
}
