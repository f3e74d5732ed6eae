//! Files that a cell includes: `include_str!("notes.txt")` means the one beside the notebook. To rustc, it would be beside the
//! file that the cell is compiled from.

use std::path::Path;

use ra_ap_syntax::ast::{self, AstToken};
use ra_ap_syntax::{Edition, SourceFile, SyntaxKind, SyntaxToken};

use super::edited::Edit;

/// What puts whole paths in the place of relative ones; `folder` is that of the notebook.
pub(super) fn edits(source: &str, folder: &Path) -> Vec<Edit> {
    if !["include!", "include_str!", "include_bytes!"].iter().any(|name| source.contains(name)) {
        return Vec::new();
    }
    let parsed = SourceFile::parse(source, Edition::Edition2024);
    let tokens = parsed.syntax_node().descendants_with_tokens().filter_map(|it| it.into_token());
    let tokens: Vec<SyntaxToken> = tokens.filter(|token| !token.kind().is_trivia()).collect();
    let is_call = |name: &SyntaxToken, sign: &SyntaxToken, open: &SyntaxToken| {
        ["include", "include_str", "include_bytes"].contains(&name.text())
            && sign.kind() == SyntaxKind::BANG
            && [SyntaxKind::L_PAREN, SyntaxKind::L_BRACK, SyntaxKind::L_CURLY].contains(&open.kind())
    };
    tokens
        .windows(4)
        .filter_map(|window| {
            let [name, sign, open, file] = window else { return None };
            let text = ast::String::cast(file.clone()).filter(|_| is_call(name, sign, open))?;
            let whole = folder.join(text.value().ok()?.as_ref());
            let range = file.text_range();
            Some(Edit { at: range.start().into(), until: range.end().into(), text: format!("{:?}", whole.to_str()?) })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::edited::Edited;

    #[test]
    fn files_are_those_beside_the_notebook() {
        let of = |source: &str| Edited::new(source, edits(source, Path::new("/home/a b"))).text;
        assert_eq!(of("let t = include_str!(\"x.txt\");"), "let t = include_str!(\"/home/a b/x.txt\");");
        assert_eq!(
            of("println!(\"{}\", include_str! (r\"é/x\"))"),
            "println!(\"{}\", include_str! (\"/home/a b/é/x\"))"
        );
        for same in
            ["include_str!(\"/x\")", "include_str!(concat!(\"x\"))", "\"include_str!(x)\"", "// include!(\"x\")"]
        {
            assert_eq!(of(same), same);
        }
    }
}
