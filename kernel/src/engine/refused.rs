//! What a cell cannot have, told before rustc is asked: what it would say is of what is made of the cell, or is nothing.

use std::collections::BTreeSet;

use ra_ap_parser::LexedStr;
use ra_ap_syntax::ast::{self, AstNode, HasAttrs, HasName};
use ra_ap_syntax::{Edition, SourceFile, SyntaxKind as K, SyntaxNode};

const HEAD: &str = "fn f(){";

/// Why a cell is not compiled.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refused {
    pub message: String,
    pub help: String,
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
}

/// Signs that look like others, which word processors and web pages put in the place of those.
const SIGNS: [(char, &str, &str); 14] = [
    ('\u{a0}', "a non-breaking space", " "),
    ('\u{202f}', "a narrow non-breaking space", " "),
    ('\u{2007}', "a figure space", " "),
    ('\u{200b}', "a space without width", ""),
    ('\u{feff}', "a byte order mark", ""),
    ('“', "a typographic quotation mark", "\""),
    ('”', "a typographic quotation mark", "\""),
    ('„', "a typographic quotation mark", "\""),
    ('‘', "a typographic quotation mark", "'"),
    ('’', "a typographic quotation mark", "'"),
    ('–', "a dash", "-"),
    ('—', "a dash", "-"),
    ('−', "a typographic minus sign", "-"),
    ('…', "an ellipsis", "..."),
];
/// A longer line is not written out.
const WIDEST: usize = 120;

/// A sign in the code that only looks like one of Rust's.
pub(super) fn foreign(source: &str) -> Option<Refused> {
    let known = |letter: char| SIGNS.iter().find(|(sign, ..)| *sign == letter);
    if !source.contains(|letter| known(letter).is_some()) {
        return None;
    }
    let lexed = LexedStr::new(Edition::Edition2024, source);
    let is_foreign = |at: &usize| {
        lexed.kind(*at) == K::ERROR && lexed.text(*at).chars().next().is_some_and(|letter| known(letter).is_some())
    };
    let found: Vec<usize> = (0..lexed.len()).filter(is_foreign).map(|at| lexed.text_start(at)).collect();
    let first = *found.first()?;
    let (letter, name, instead) = known(source.get(first..)?.chars().next()?)?;
    let start = source[..first].rfind('\n').map_or(0, |at| at + 1);
    let line = source[start..].lines().next().unwrap_or_default();
    let mended: String = line
        .char_indices()
        .map(|(at, letter)| match known(letter).filter(|_| found.contains(&(start + at))) {
            Some((_, _, instead)) => (*instead).to_owned(),
            None => letter.to_string(),
        })
        .collect();
    let (line, column) = place(source, first);
    let sign = if instead.trim().is_empty() { String::new() } else { format!("`{letter}`, ") };
    let belongs = match *instead {
        "" => "nothing belongs there".to_owned(),
        " " => "an ordinary space belongs there".to_owned(),
        sign => format!("`{sign}` belongs there"),
    };
    let mended = mended.trim();
    Some(Refused {
        message: format!("{sign}{name} (U+{:04X}), is no sign of Rust's", u32::from(*letter)),
        help: if mended.chars().count() <= WIDEST { format!("{belongs}: `{mended}`") } else { belongs },
        line,
        column,
    })
}

/// A `return` that no function is there for, and items that take each other's place without a word.
pub(super) fn of(source: &str) -> Option<Refused> {
    let parsed = SourceFile::parse(&format!("{HEAD}{source}\n}}"), Edition::Edition2024);
    let function = parsed.tree().syntax().children().find_map(ast::Fn::cast)?;
    let list = function.body()?.stmt_list()?;
    let refused = |node: &SyntaxNode, message: String, help: &str| {
        let at = usize::from(node.text_range().start()).saturating_sub(HEAD.len()).min(source.len());
        let (line, column) = place(source, at);
        Refused { message, help: help.to_owned(), line, column }
    };
    if let Some(found) = returns(list.syntax()) {
        return Some(refused(
            &found,
            "a cell cannot `return`: it is no function".to_owned(),
            "leave a block with a label (`'all: { …; break 'all; … }`), or put the code in a function or a closure and \
             call it",
        ));
    }
    let mut known = BTreeSet::new();
    for statement in list.statements() {
        let ast::Stmt::Item(item) = statement else { continue };
        let (is_type, name) = match &item {
            ast::Item::Fn(it) => (false, it.name()),
            ast::Item::Const(it) => (false, it.name()),
            ast::Item::Static(it) => (false, it.name()),
            ast::Item::Struct(it) => (true, it.name()),
            ast::Item::Enum(it) => (true, it.name()),
            ast::Item::Union(it) => (true, it.name()),
            ast::Item::Trait(it) => (true, it.name()),
            ast::Item::TypeAlias(it) => (true, it.name()),
            ast::Item::Module(it) => (true, it.name()),
            _ => continue,
        };
        // One of them may be there alone.
        let is_chosen = item.attrs().any(|attr| attr.syntax().text().to_string().contains("cfg"));
        let Some(name) = name.filter(|name| name.text() != "_" && !is_chosen) else { continue };
        if !known.insert((is_type, name.text().to_string())) {
            return Some(refused(
                name.syntax(),
                format!("`{}` is defined twice in this cell", name.text()),
                "keep one of them, or call them by different names; a later cell may define it anew",
            ));
        }
    }
    None
}

/// The first `return` of the code itself, not of functions, closures and async blocks in it.
fn returns(node: &SyntaxNode) -> Option<SyntaxNode> {
    node.children().find_map(|child| match child.kind() {
        K::RETURN_EXPR => Some(child),
        K::FN | K::CLOSURE_EXPR | K::IMPL | K::TRAIT | K::MODULE => None,
        K::BLOCK_EXPR
            if ast::BlockExpr::cast(child.clone())
                .is_some_and(|it| it.async_token().is_some() || it.const_token().is_some()) =>
        {
            None
        }
        _ => returns(&child),
    })
}

/// What may have been meant by a cell that fails and that is something else elsewhere: a command of a shell, a question.
pub(super) fn meant(source: &str) -> Option<String> {
    let line = source.trim();
    let is_name = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || ['_', ':'].contains(&c));
    if line.contains('\n') {
        return None;
    }
    if let Some(item) = line.strip_suffix('?').map(|rest| rest.trim_end_matches('?')).filter(|rest| is_name(rest)) {
        return Some(format!("`?{item}` tells what `{item}` is"));
    }
    let shell = line.strip_prefix(['!', '%']).filter(|rest| rest.starts_with(char::is_alphabetic))?;
    let program = shell.split_whitespace().next()?;
    is_name(program).then(|| {
        format!(
            "a cell has no shell; a program is started in Rust: `std::process::Command::new(\"{program}\").status()?`"
        )
    })
}

fn place(source: &str, at: usize) -> (usize, usize) {
    let before = &source[..at];
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (before.matches('\n').count() + 1, column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_that_look_like_others() {
        let refused = foreign("let x = 1;\nlet s = “it’s”;").expect("quotation marks");
        assert_eq!((refused.line, refused.column), (2, 9));
        assert!(refused.help.ends_with("`let s = \"it's\";`"), "{}", refused.help);
        let refused = foreign("let\u{a0}x = 1;").expect("a space");
        assert!(refused.help.contains("an ordinary space") && refused.help.ends_with("`let x = 1;`"));
        assert_eq!(foreign("let s = \"“a” – b…\"; // ‘c’\n1 - 2"), None);
    }

    #[test]
    fn what_is_meant_elsewhere() {
        assert_eq!(meant("show?").as_deref(), Some("`?show` tells what `show` is"));
        assert!(meant("!ls -l").is_some_and(|help| help.contains("Command::new(\"ls\")")));
        for other in ["x + 1", "f()?", "!(a)", "a\nb?"] {
            assert_eq!(meant(other), None, "{other}");
        }
    }

    #[test]
    fn what_a_cell_cannot_have() {
        let of = |source| super::of(source).map(|it| (it.message, it.line, it.column));
        let cannot = "a cell cannot `return`: it is no function".to_owned();
        assert_eq!(of("let x = 1;\nif x > 0 { return; }"), Some((cannot, 2, 12)));
        assert_eq!(of("fn a() {} fn a() {}"), Some(("`a` is defined twice in this cell".to_owned(), 1, 14)));
        for fine in [
            "fn f() { return; }",
            "(|| return 1)()",
            "async { return 1; }.await",
            "fn a() {} mod b { fn a() {} } struct A; fn A() {}",
            "#[cfg(x)] fn a() {} #[cfg(not(x))] fn a() {}",
            "const _: () = (); const _: () = ();",
            "impl A { fn x(&self) {} } impl A { fn y(&self) {} }",
        ] {
            assert_eq!(of(fine), None, "{fine}");
        }
    }
}
