//! Types that rustc finds while it compiles a cell.
//!
//! evcxr must be told the type of what a cell binds, in words, before the cell is compiled. It is told a name that stands
//! for one, a hole. Where the name stands, the front gives rustc `_` to fill in, reads off the library that rustc makes of
//! the cell what it has filled in, and from then on puts that in the name's place. So a `let` costs no compile of its own. What
//! is found must be known to be something that the next cell can say; where it is not, the cell is taken for one that does
//! not compile, and the engine goes the long way: it asks for the types first, and writes them down.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::front::CELL;
use super::types;

const HEAD: &str = "RobormTypeOf";
/// What a front puts in the place of evcxr's call that keeps a variable: the number says whose type it is.
const KEPT: &str = "put_found";

/// Types of std: where they are defined, and by what path a cell can name them.
const STD: [(&str, &str); 21] = [
    ("alloc::vec::Vec", "std::vec::Vec"),
    ("alloc::string::String", "std::string::String"),
    ("core::option::Option", "std::option::Option"),
    ("core::result::Result", "std::result::Result"),
    ("core::cell::RefCell", "std::cell::RefCell"),
    ("core::cell::Cell", "std::cell::Cell"),
    ("alloc::boxed::Box", "std::boxed::Box"),
    ("alloc::rc::Rc", "std::rc::Rc"),
    ("alloc::sync::Arc", "std::sync::Arc"),
    ("std::sync::poison::mutex::Mutex", "std::sync::Mutex"),
    ("std::collections::hash::map::HashMap", "std::collections::HashMap"),
    ("std::collections::hash::set::HashSet", "std::collections::HashSet"),
    ("alloc::collections::btree::map::BTreeMap", "std::collections::BTreeMap"),
    ("alloc::collections::btree::set::BTreeSet", "std::collections::BTreeSet"),
    ("alloc::collections::vec_deque::VecDeque", "std::collections::VecDeque"),
    ("std::path::PathBuf", "std::path::PathBuf"),
    ("std::ffi::os_str::OsString", "std::ffi::OsString"),
    ("core::time::Duration", "std::time::Duration"),
    ("std::time::Instant", "std::time::Instant"),
    ("std::time::SystemTime", "std::time::SystemTime"),
    ("std::io::error::Error", "std::io::Error"),
];

/// What is the same wherever it stands.
const WORDS: [&str; 18] = [
    "bool", "char", "str", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize",
    "f32", "f64", "fn",
];

/// The holes of a session.
#[derive(Clone, Debug, Default)]
pub(super) struct Holes {
    /// What the engine and the fronts tell each other, line by line.
    file: PathBuf,
    /// As it was written in the cell: `Vec<_>`.
    written: BTreeMap<usize, String>,
    found: BTreeMap<usize, String>,
    /// Where types are defined, and by what path a cell has named them without error.
    known: BTreeMap<String, String>,
}

impl Holes {
    /// Reads what is known by now.
    pub fn read(file: &Path) -> Self {
        let mut holes = Self { file: file.to_owned(), ..Self::default() };
        holes.refresh();
        holes
    }

    /// Reads what was told since.
    pub fn refresh(&mut self) {
        for line in fs::read_to_string(&self.file).unwrap_or_default().lines() {
            let Some((what, rest)) = line.split_once(' ') else { continue };
            let numbered = || rest.split_once(' ').and_then(|(number, of)| Some((number.parse().ok()?, of.to_owned())));
            match what {
                "written" => self.written.extend(numbered()),
                "found" => self.found.extend(numbered()),
                _ => self.known.extend(rest.split_once(' ').map(|(at, path)| (at.to_owned(), path.to_owned()))),
            }
        }
    }

    fn tell(&self, lines: &str) -> io::Result<()> {
        OpenOptions::new().append(true).create(true).open(&self.file)?.write_all(lines.as_bytes())
    }

    /// New holes, one for each variable; `written` is what is known of its type, `Vec<_>`.
    pub fn open(&mut self, written: &[String]) -> io::Result<Vec<String>> {
        let first = self.written.keys().next_back().map_or(0, |last| last + 1);
        let mut lines = String::new();
        for (number, written) in (first..).zip(written) {
            if written.contains('\n') {
                return Err(io::ErrorKind::InvalidInput.into());
            }
            lines.push_str(&format!("written {number} {written}\n"));
            self.written.insert(number, written.clone());
        }
        self.tell(&lines)?;
        Ok((first..first + written.len()).map(|number| format!("{HEAD}{number}_")).collect())
    }

    fn known_of(&self, number: usize) -> &str {
        self.found.get(&number).or_else(|| self.written.get(&number)).map_or("_", String::as_str)
    }

    /// A text with what was found in the place of holes, and `_` where nothing was.
    pub fn filled(&self, text: &str) -> String {
        replace(text, |number| self.known_of(number).to_owned())
    }

    /// Code that evcxr wrote, as rustc is to see it; and the holes that it is to fill.
    pub fn replace(&self, code: &str) -> (String, Vec<usize>) {
        if !code.contains(HEAD) {
            return (code.to_owned(), Vec::new());
        }
        let mut open = Vec::new();
        let mut text = String::with_capacity(code.len());
        for line in code.split_inclusive('\n') {
            let kept = line
                .strip_prefix("evcxr_variable_store.put_variable::<")
                .and_then(|rest| rest.split_once(">(stringify!("))
                .and_then(|(of, rest)| Some((number(of)?, rest)))
                .filter(|(number, _)| !self.found.contains_key(number));
            match kept {
                Some((number, rest)) => {
                    text.push_str(&format!("evcxr_variable_store.{KEPT}::<_, {number}>(stringify!({rest}"));
                    open.push(number);
                }
                None => text.push_str(&replace(line, |number| self.known_of(number).to_owned())),
            }
        }
        (text, open)
    }

    /// A column (from 1) of a line that evcxr wrote, of that of the line as rustc saw it, where the holes were open.
    pub fn back(&self, line: &str, column: usize) -> usize {
        let mut column = column;
        for (at, _) in line.match_indices(HEAD) {
            let name: String =
                line[at..].chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
            let Some(number) = number(&name) else { continue };
            let seen = self.written.get(&number).map_or(1, |written| written.chars().count());
            if column > line[..at].chars().count() + seen {
                column += name.chars().count() - seen.min(name.chars().count());
            }
        }
        column
    }

    /// Reads the types of holes off the library that rustc made of the code, and notes them. `None`: one is not there, or is
    /// none that the next cell is known to be able to name.
    pub fn fill(
        &mut self,
        open: &[usize],
        library: &[u8],
        code: &str,
        toolkit: &BTreeMap<String, String>,
    ) -> Option<()> {
        let found = types_in(library);
        let mut lines = String::new();
        for number in open {
            let of = found.get(number)?;
            let written = self.written.get(number).filter(|written| !has_hole(written));
            let named = match written {
                // The cell names it, and has compiled.
                Some(written) => {
                    for (at, path) in paths(of).zip(paths(written)) {
                        if at.contains("::") && at.rsplit("::").next() == path.rsplit("::").next() {
                            lines.push_str(&format!("known {at} {path}\n"));
                        }
                    }
                    written.clone()
                }
                None => types::written("_", &self.named(of, code, toolkit)?).ok()?,
            };
            lines.push_str(&format!("found {number} {named}\n"));
        }
        self.tell(&lines).ok()
    }

    /// The type with paths by which a cell can name it, of one with paths of where things are defined.
    fn named(&self, of: &str, code: &str, toolkit: &BTreeMap<String, String>) -> Option<String> {
        let mut named = String::new();
        let mut rest = of;
        for path in paths(of) {
            let at = rest.find(path)?;
            named.push_str(&rest[..at]);
            named.push_str(self.nameable(path, code, toolkit)?);
            rest = &rest[at + path.len()..];
        }
        named.push_str(rest);
        Some(named)
    }

    fn nameable<'a>(&'a self, path: &'a str, code: &str, toolkit: &'a BTreeMap<String, String>) -> Option<&'a str> {
        if WORDS.contains(&path) || path.bytes().all(|byte| byte.is_ascii_digit()) {
            return Some(path);
        }
        if let Some((_, named)) = STD.iter().find(|(at, _)| *at == path) {
            return Some(named);
        }
        if let Some(named) = toolkit.get(path).or_else(|| self.known.get(path)) {
            return Some(named);
        }
        // Of the cell's own.
        let word = path.strip_prefix(CELL)?.strip_prefix("::").filter(|word| !word.contains(':'))?;
        let is_item = ["struct ", "enum "].iter().any(|what| {
            code.match_indices(&format!("{what}{word}")).any(|(at, found)| {
                code[at + found.len()..].chars().next().is_none_or(|next| !next.is_alphanumeric() && next != '_')
            })
        });
        is_item.then_some(word)
    }
}

/// The types of [`KEPT`]'s calls in a library, by their numbers: with rustc's newer mangling they stand in the names of the
/// functions.
pub(crate) fn types_in(library: &[u8]) -> BTreeMap<usize, String> {
    let mut found = BTreeMap::new();
    for name in library.split(|byte| *byte == 0).filter(|name| name.starts_with(b"_R")) {
        let Ok(name) = std::str::from_utf8(name) else { continue };
        if !name.contains(KEPT) {
            continue;
        }
        let Ok(name) = rustc_demangle::try_demangle(name) else { continue };
        let name = format!("{name:#}");
        let Some((_, rest)) = name.split_once(&format!("::{KEPT}::<")) else { continue };
        if let Some((of, number)) = rest.strip_suffix('>').and_then(|rest| rest.rsplit_once(", "))
            && let Ok(number) = number.parse()
        {
            found.insert(number, of.to_owned());
        }
    }
    found
}

fn has_hole(written: &str) -> bool {
    paths(written).any(|word| word == "_")
}

/// The number of a hole, of its name.
fn number(name: &str) -> Option<usize> {
    name.strip_prefix(HEAD)?.strip_suffix('_')?.parse().ok()
}

fn replace(text: &str, with: impl Fn(usize) -> String) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(HEAD) {
        let length = rest[at + HEAD.len()..].find('_').map_or(HEAD.len(), |end| HEAD.len() + end + 1);
        let name = &rest[at..at + length];
        out.push_str(&rest[..at]);
        match number(name) {
            Some(number) => out.push_str(&with(number)),
            None => out.push_str(name),
        }
        rest = &rest[at + length..];
    }
    out.push_str(rest);
    out
}

/// The paths and words in a type.
fn paths(of: &str) -> impl Iterator<Item = &str> {
    of.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').filter(|word| !word.is_empty())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_those_of_what_evcxr_wrote() {
        let holes = Holes::default();
        // `let a: _ = f(); g()`
        let line = "let a: RobormTypeOf0_ = f(); g()";
        assert_eq!((holes.back(line, 5), holes.back(line, 12), holes.back(line, 17)), (5, 25, 30));
        assert_eq!(holes.back("g()", 2), 2);
    }

    const CODE: &str = "struct Pair {}\nlet a: RobormTypeOf0_ = f();let b: RobormTypeOf1_ = g();\n\
                        evcxr_variable_store.put_variable::<RobormTypeOf0_>(stringify!(a), a);\n\
                        evcxr_variable_store.put_variable::<RobormTypeOf1_>(stringify!(b), b);\n";
    /// Symbols as rustc 1.95 makes them: of `Vec<i32>`, number 0; of `Pair<u16>` and `inner::In` of the cell.
    const VEC: &str =
        "_RINvMCshBRvLwXohAg_3ctxNtB3_5Store9put_foundINtNtCsgEmfK2I1SDS_4core6option6OptionAfj3_EKj2_EB3_";
    const PAIR: &str = "_RINvMCshBRvLwXohAg_3ctxNtB3_5Store9put_foundINtB3_4PairtEKj3_EB3_";
    const FUNCTION: &str = "_RINvMCshBRvLwXohAg_3ctxNtB3_5Store9put_foundFlElKj6_EB3_";

    fn library() -> Vec<u8> {
        format!("\0other\0{VEC}\0{PAIR}\0{FUNCTION}\0").into_bytes()
    }

    #[test]
    fn types_stand_in_names() {
        let found = types_in(&library());
        let of = |number: usize| found[&number].as_str();
        assert_eq!(of(2), "core::option::Option<[f32; 3]>");
        assert_eq!(of(3), "ctx::Pair<u16>");
        assert_eq!(of(6), "fn(i32) -> i32");
        assert_eq!(found.len(), 3);
    }

    #[test]
    fn what_rustc_fills_in_stands_in_the_next_cell() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("types");
        let mut engine = Holes::read(&file);
        let holes = ["_".to_owned(), "Vec<_>".to_owned()];
        assert_eq!(engine.open(&holes).unwrap(), ["RobormTypeOf0_", "RobormTypeOf1_"]);
        let mut front = Holes::read(&file);
        let (code, open) = front.replace(CODE);
        assert_eq!(open, [0, 1]);
        assert!(code.contains("let a: _ = f();let b: Vec<_> = g();\n"), "{code}");
        assert!(code.contains("put_found::<_, 0>(stringify!(a), a);"), "{code}");
        assert!(front.fill(&open, &library(), CODE, &BTreeMap::new()).is_none(), "they are not there");
        front.fill(&[2, 3, 6], &library(), CODE, &BTreeMap::new()).unwrap();
        let (code, open) = Holes::read(&file).replace("let mut b = take::<RobormTypeOf2_>();");
        assert_eq!((code.as_str(), open.len()), ("let mut b = take::<std::option::Option<[f32; 3]>>();", 0));
        engine.refresh();
        assert_eq!(engine.filled("RobormTypeOf3_, RobormTypeOf6_, RobormTypeOf7_"), "Pair<u16>, fn(i32) -> i32, _");
    }

    #[test]
    fn what_no_cell_may_be_able_to_name_is_not_taken() {
        let holes = Holes::default();
        let toolkit = BTreeMap::from([("polars_core::Frame".to_owned(), "roborm::Frame".to_owned())]);
        let named = |of: &str| holes.named(of, CODE, &toolkit);
        for no in ["ctx::f::{closure#0}", "ctx::inner::Hidden", "ctx::Pai", "ctx::pair", "other::Type", "<A as B>::C"] {
            assert_eq!(named(no), None, "{no}");
        }
        assert_eq!(named("alloc::boxed::Box<dyn core::fmt::Debug>"), None);
        assert_eq!(
            named("alloc::vec::Vec<(polars_core::Frame, [u8; 4], &ctx::Pair)>").as_deref(),
            Some("std::vec::Vec<(roborm::Frame, [u8; 4], &Pair)>")
        );
    }

    #[test]
    fn what_a_cell_has_named_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let mut holes = Holes::read(&folder.path().join("types"));
        let written = ["_", "_", "std::option::Option<[f32; 3]>", "shut::Pair<u16>"].map(str::to_owned);
        holes.open(&written).unwrap();
        holes.fill(&[2, 3], &library(), "", &BTreeMap::new()).unwrap();
        holes.refresh();
        assert_eq!(holes.named("ctx::Pair<u8>", "", &BTreeMap::new()).as_deref(), Some("shut::Pair<u8>"));
    }
}
