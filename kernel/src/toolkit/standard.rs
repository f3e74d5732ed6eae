//! The names of the standard library with their signatures and documentation, for completion and `?item`.
//!
//! Its sources are seldom installed, but what rustc reads of it holds every signature and doc comment. rustdoc, which comes
//! with every rustc, writes the pages of what a crate re-exports from that alone: so the index is made of the pages of a
//! crate that re-exports the modules people use. It is that of the very toolchain, needs no network, and costs a few seconds
//! of an installation. rustdoc's JSON, which would be easier to read, leaves re-exports out.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::{Entry, Recorded};

/// Modules that are indexed; core::arch alone would take longer than all of them.
const MODULES: [&str; 27] = [
    "alloc",
    "any",
    "borrow",
    "boxed",
    "cell",
    "char",
    "cmp",
    "collections",
    "convert",
    "env",
    "error",
    "fmt",
    "fs",
    "hash",
    "io",
    "iter",
    "mem",
    "num",
    "ops",
    "option",
    "path",
    "process",
    "rc",
    "result",
    "string",
    "time",
    "vec",
];
const MORE: [&str; 8] = ["sync", "thread", "str", "slice", "array", "ptr", "net", "ascii"];
const MACROS: [&str; 18] = [
    "assert",
    "assert_eq",
    "assert_ne",
    "dbg",
    "debug_assert",
    "eprint",
    "eprintln",
    "format",
    "matches",
    "panic",
    "print",
    "println",
    "todo",
    "unimplemented",
    "unreachable",
    "vec",
    "write",
    "writeln",
];
/// Types without a path.
const PRIMITIVES: [&str; 19] = [
    "bool", "char", "str", "slice", "array", "tuple", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32",
    "u64", "usize", "f32", "f64",
];
/// Characters of documentation that are kept: what is longer is for a browser.
const LONGEST: usize = 600;

/// What all entries are from.
pub(super) const FROM: &str = "std";

/// Tells one way to read the names of std from another.
pub(super) fn fingerprint() -> String {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hash = DefaultHasher::new();
    (env!("CARGO_PKG_VERSION"), include_str!("standard.rs")).hash(&mut hash);
    format!("{:016x}", hash.finish())
}

/// The index; empty where rustdoc is not there or writes what this does not read.
pub(super) fn index(recorded: &Recorded) -> Vec<Entry> {
    let mut entries = Vec::new();
    let Ok(folder) = tempfile::tempdir() else { return entries };
    let (source, pages) = (folder.path().join("lib.rs"), folder.path().join("pages"));
    if fs::write(&source, crate_of_re_exports()).is_err() {
        return entries;
    }
    let mut rustdoc = Command::new(recorded.rustc.with_file_name("rustdoc"));
    rustdoc.args(["--crate-name=std_index", "--edition=2024", "--cap-lints=allow", "-Zunstable-options"]);
    rustdoc.args(["--html-no-source", "-o"]).arg(&pages).arg(&source);
    rustdoc.env("RUSTC_BOOTSTRAP", "1").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if rustdoc.status().is_ok_and(|status| status.success()) {
        read_folder(&pages.join("std_index"), None, &mut entries);
    }
    joined(entries)
}

/// Some stand in two modules: they are told of once.
fn joined(entries: Vec<Entry>) -> Vec<Entry> {
    let mut places: BTreeMap<(Option<String>, String, String), usize> = BTreeMap::new();
    let mut all: Vec<Entry> = Vec::new();
    for entry in entries {
        let key = (entry.owner.clone(), entry.name.clone(), entry.kind.clone());
        match places.get(&key) {
            Some(at) => {
                let known = &mut all[*at].modules;
                known.extend(entry.modules.into_iter().filter(|module| !known.contains(module)).collect::<Vec<_>>());
            }
            None => {
                places.insert(key, all.len());
                all.push(entry);
            }
        }
    }
    all
}

fn crate_of_re_exports() -> String {
    let mut text =
        "#![feature(rustdoc_internals, rustc_attrs)]\n#![allow(internal_features, rustdoc::all)]\n#![no_implicit_prelude]\n"
            .to_owned();
    for module in MODULES.iter().chain(&MORE) {
        text.push_str(&format!("#[doc(inline)] pub use ::std::{module};\n"));
    }
    for name in MACROS.iter().filter(|name| !MODULES.contains(name)) {
        text.push_str(&format!("#[doc(inline)] pub use ::std::{name};\n"));
    }
    for name in PRIMITIVES {
        text.push_str(&format!(
            "#[rustc_doc_primitive = \"{name}\"]\n/// A primitive type.\nmod primitive_{name} {{}}\n"
        ));
    }
    text
}

/// Reads the pages of a module and of those in it.
fn read_folder(folder: &Path, module: Option<&str>, entries: &mut Vec<Entry>) {
    let mut files: Vec<_> = fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path()).collect();
    files.sort();
    for file in files {
        let Some(name) = file.file_name().and_then(|name| name.to_str()) else { continue };
        if file.is_dir() {
            entries.push(module_entry(name, module.unwrap_or("std")));
            read_folder(&file, Some(name), entries);
            continue;
        }
        let Some((kind, name)) = name.strip_suffix(".html").and_then(|name| name.split_once('.')) else { continue };
        let kind = match kind {
            "struct" | "enum" | "trait" | "type" | "union" | "primitive" => "class",
            "fn" | "macro" => "function",
            "constant" | "static" => "instance",
            _ => continue,
        };
        // A macro has a second page, under the name with its sign.
        if !name.ends_with('!')
            && let Ok(text) = fs::read_to_string(&file)
        {
            page(&text, name, kind, module, entries);
        }
    }
}

/// A module, as it is named behind the one that it is in.
fn module_entry(name: &str, parent: &str) -> Entry {
    Entry {
        owner: Some(parent.to_owned()),
        name: name.to_owned(),
        kind: "module".to_owned(),
        signature: format!("mod {name}"),
        docs: String::new(),
        from: FROM.to_owned(),
        modules: Vec::new(),
        at: String::new(),
    }
}

/// Reads the page of an item.
fn page(text: &str, name: &str, kind: &str, module: Option<&str>, entries: &mut Vec<Entry>) {
    let is_primitive = PRIMITIVES.contains(&name) && !text.contains("item-decl");
    let declared = between(text, "<pre class=\"rust item-decl\"><code>", "</code></pre>").map(plain);
    if declared.is_none() && !is_primitive {
        return;
    }
    let body = text.split_once("class=\"toggle top-doc\"").map_or(text, |(_, body)| body);
    if text.split_once("class=\"toggle top-doc\"").is_some_and(|(head, _)| head.contains("stab unstable")) {
        return;
    }
    let signature = match &declared {
        // A macro's arms and a struct's fields are for a browser.
        Some(declared) if kind == "function" && declared.starts_with("macro") => format!("{name}!"),
        Some(declared) => one_line(declared.split(['{', ';']).next().unwrap_or_default()),
        None => name.to_owned(),
    };
    let entry = |owner: Option<&str>, name: &str, kind: &str, signature: String, docs: String| Entry {
        owner: owner.map(str::to_owned),
        name: name.to_owned(),
        kind: kind.to_owned(),
        signature,
        docs,
        from: FROM.to_owned(),
        modules: Vec::new(),
        at: String::new(),
    };
    // `fs::read_to_string` is said with its module, as the methods of a type are with the type.
    let is_macro = declared.as_deref().is_some_and(|declared| declared.starts_with("macro"));
    let owner = module.filter(|_| kind != "class" && !is_macro);
    let mut found = entry(owner, name, kind, signature, docs(body));
    // A primitive's page, and a macro's, is in no module that it would be named by.
    if owner.is_none() && !is_primitive && !is_macro {
        found.modules.extend(module.map(str::to_owned));
    }
    entries.push(found);
    if kind != "class" {
        return;
    }
    // What a type has by what it can be seen as is told with that.
    let own = match body.split_once("id=\"deref-methods-") {
        Some((own, rest)) => {
            [own, rest.split_once("id=\"trait-implementations\"").map_or("", |(_, rest)| rest)].concat()
        }
        None => body.to_owned(),
    };
    for piece in own.split("<section id=\"").skip(1) {
        let Some((id, rest)) = piece.split_once("\" class=\"") else { continue };
        let Some((class, rest)) = rest.split_once("\">") else { continue };
        let is_variant = class == "variant";
        let Some(member) =
            id.strip_prefix("method.").or_else(|| id.strip_prefix("tymethod.")).or_else(|| id.strip_prefix("variant."))
        else {
            continue;
        };
        if class != "method" && !is_variant {
            continue;
        }
        let (end, header) = ("</h4>", "<h4 class=\"code-header\">");
        let header = between(rest, header, end).or_else(|| between(rest, "<h3 class=\"code-header\">", "</h3>"));
        let Some(signature) = header.map(plain) else { continue };
        let after = rest.split_once("</section>").map_or("", |(_, after)| after);
        let before_docs = after.split_once("class=\"docblock\"").map_or("", |(before, _)| before);
        if before_docs.contains("stab unstable") {
            continue;
        }
        // A second method of the name, of other parameters of the type, has a number.
        // `push-1` is the second of the page; `from_utf8` is a name.
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let member = member.rsplit_once('-').filter(|(_, number)| is_number(number)).map_or(member, |(name, _)| name);
        let kind = if is_variant { "instance" } else { "function" };
        let docs = if before_docs.len() < 400 { docs(after) } else { String::new() };
        entries.push(entry(Some(name), member, kind, one_line(&signature), docs));
    }
}

/// The first paragraphs of documentation, as Markdown.
fn docs(text: &str) -> String {
    let Some((_, block)) = text.split_once("class=\"docblock\">") else { return String::new() };
    let block = block.split_once("</div></details>").map_or(block, |(block, _)| block);
    let mut docs = String::new();
    for paragraph in block.split("<p>").skip(1) {
        let Some((paragraph, rest)) = paragraph.split_once("</p>") else { break };
        let paragraph = one_line(&plain(&paragraph.replace("<code>", "`").replace("</code>", "`")));
        if docs.len() + paragraph.len() > LONGEST && !docs.is_empty() {
            break;
        }
        if !docs.is_empty() {
            docs.push_str("\n\n");
        }
        docs.push_str(&paragraph);
        // What follows has a heading: examples, panics.
        if rest.trim_start().starts_with("<h") || rest.trim_start().starts_with("<div") {
            break;
        }
    }
    docs
}

fn between<'t>(text: &'t str, head: &str, tail: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(head)?;
    Some(rest.split_once(tail)?.0)
}

/// Text without its tags.
fn plain(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        text.push_str(&rest[..at]);
        if rest[at..].starts_with("<div") {
            text.push(' ');
        }
        rest = rest[at..].split_once('>').map_or("", |(_, rest)| rest);
    }
    text.push_str(rest);
    for (entity, letter) in [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&#38;", "&"),
        ("&nbsp;", " "),
        ("&amp;", "&"),
    ] {
        text = text.replace(entity, letter);
    }
    text
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_rustdoc() {
        let text = "<pre class=\"rust item-decl\"><code>pub struct Vec&lt;T, A&gt; { <span>/* private */</span> }</code></pre>\
                    <details class=\"toggle top-doc\" open><summary></summary><div class=\"docblock\"><p>A growable <code>array</code>.</p>\
                    <h2>Examples</h2><p>no</p></div></details>\
                    <details class=\"toggle method-toggle\" open><summary><section id=\"method.push\" class=\"method\"><span>1.0.0</span>\
                    <h4 class=\"code-header\">pub fn <a href=\"#\">push</a>(&amp;mut self, value: T)</h4></section></summary>\
                    <div class=\"docblock\"><p>Appends an\n element.</p>\n<h5>Panics</h5></div></details>\
                    <details><summary><section id=\"method.odd\" class=\"method\"><h4 class=\"code-header\">pub fn odd()</h4></section>\
                    <span class=\"item-info\"><div class=\"stab unstable\">nightly</div></span></summary><div class=\"docblock\"><p>x</p></div></details>\
                    <section id=\"method.clone\" class=\"method trait-impl\"><h4 class=\"code-header\">fn clone(&amp;self)</h4></section>\
                    <h2 id=\"deref-methods-slice\"></h2><section id=\"method.len\" class=\"method\"><h4 class=\"code-header\">pub fn len(&amp;self)</h4></section>";
        let mut entries = Vec::new();
        page(text, "Vec", "class", Some("vec"), &mut entries);
        let told: Vec<_> = entries
            .iter()
            .map(|it| (it.owner.as_deref(), it.name.as_str(), it.signature.as_str(), it.docs.as_str()))
            .collect();
        assert_eq!(
            told,
            [
                (None, "Vec", "pub struct Vec<T, A>", "A growable `array`."),
                (Some("Vec"), "push", "pub fn push(&mut self, value: T)", "Appends an element."),
            ]
        );
    }
}
