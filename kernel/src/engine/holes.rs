//! Types that rustc finds while it compiles a cell.
//!
//! evcxr must be told the type of what a cell binds, in words, before the cell is compiled. It is told a name that stands
//! for one, a hole. Where the name stands, the front gives rustc `_` to fill in, reads off the code that rustc makes of the
//! cell what it has filled in, and from then on puts that in the name's place. So a `let` costs no compile of its own. What
//! is found must be known to be something that the next cell can say; where it is not, the cell is taken for one that does
//! not compile, and the engine goes the long way: it asks for the types first, and writes them down.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::types;

const HEAD: &str = "RobormTypeOf";
/// What a front puts in the place of evcxr's call that keeps a variable: the number says whose type it is.
const KEPT: &str = "put_found";

/// Types of std that every cell can name, as rustc names them.
const STD: [&str; 26] = [
    "std::vec::Vec",
    "std::string::String",
    "std::option::Option",
    "std::result::Result",
    "std::boxed::Box",
    "std::rc::Rc",
    "std::sync::Arc",
    "std::collections::HashMap",
    "std::collections::HashSet",
    "std::collections::BTreeMap",
    "std::collections::BTreeSet",
    "std::collections::VecDeque",
    "std::path::PathBuf",
    "std::time::Duration",
    "std::time::Instant",
    "bool",
    "char",
    "str",
    "i32",
    "i64",
    "u8",
    "u32",
    "u64",
    "usize",
    "f32",
    "f64",
];

/// The holes of a session.
#[derive(Clone, Debug, Default)]
pub(super) struct Holes {
    /// What the engine and the fronts tell each other, line by line.
    file: PathBuf,
    /// As it was written in the cell: `Vec<_>`.
    written: BTreeMap<usize, String>,
    found: BTreeMap<usize, String>,
    /// Paths that a cell has named without error.
    known: BTreeSet<String>,
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
                _ => {
                    self.known.insert(rest.to_owned());
                }
            }
        }
    }

    fn tell(&self, lines: &str) -> io::Result<()> {
        OpenOptions::new().append(true).create(true).open(&self.file)?.write_all(lines.as_bytes())
    }

    /// New holes, one for each variable; `written` is the part of its type that the cell says.
    pub fn open(&mut self, written: &[Option<&str>]) -> io::Result<Vec<String>> {
        let first = self.written.keys().next_back().map_or(0, |last| last + 1);
        let mut lines = String::new();
        for (number, written) in (first..).zip(written) {
            let written = written.unwrap_or("_");
            if written.contains('\n') {
                return Err(io::ErrorKind::InvalidInput.into());
            }
            lines.push_str(&format!("written {number} {written}\n"));
            self.written.insert(number, written.to_owned());
        }
        self.tell(&lines)?;
        Ok((first..first + written.len()).map(|number| format!("{HEAD}{number}_")).collect())
    }

    /// These types were written in a cell, and it compiled.
    pub fn learn(&mut self, types: &[String]) {
        let new: BTreeSet<String> = types
            .iter()
            .flat_map(|of| paths(of))
            .filter(|path| path.contains("::") && !self.known.contains(*path))
            .map(str::to_owned)
            .collect();
        let lines: String = new.iter().map(|path| format!("known {path}\n")).collect();
        if !lines.is_empty() && self.tell(&lines).is_ok() {
            self.known.extend(new);
        }
    }

    /// A text with what was found in the place of holes, and `_` where nothing was.
    pub fn filled(&self, text: &str) -> String {
        replace(text, |number| self.found.get(&number).map_or("_", String::as_str).to_owned())
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
                None => text.push_str(&replace(line, |number| {
                    self.found.get(&number).or_else(|| self.written.get(&number)).map_or("_", String::as_str).to_owned()
                })),
            }
        }
        (text, open)
    }

    /// Reads the types of holes off what rustc made of the code, and notes them. `None`: one is not there, or is none that
    /// the next cell is known to be able to name.
    pub fn fill(&mut self, open: &[usize], mir: &str, code: &str, toolkit: &[String]) -> Option<()> {
        let calls: BTreeMap<usize, &str> = mir.lines().filter_map(call).collect();
        let mut lines = String::new();
        for number in open {
            let of = calls.get(number)?;
            // A function has a type of its own, which is kept as that of functions like it where it is written.
            let of = if of.contains('{') { return None } else { types::written("_", of).ok()? };
            if !paths(&of).all(|path| self.can_be_named(path, code, toolkit)) {
                return None;
            }
            lines.push_str(&format!("found {number} {of}\n"));
        }
        self.tell(&lines).ok()
    }

    fn can_be_named(&self, path: &str, code: &str, toolkit: &[String]) -> bool {
        let own = |word: &str| {
            ["struct ", "enum "].iter().any(|what| {
                code.match_indices(&format!("{what}{word}")).any(|(at, found)| {
                    code[at + found.len()..].chars().next().is_none_or(|next| !next.is_alphanumeric() && next != '_')
                })
            })
        };
        STD.contains(&path)
            || ["i8", "i16", "i128", "isize", "u16", "u128", "fn", "static"].contains(&path)
            || path.bytes().all(|byte| byte.is_ascii_digit())
            || self.known.contains(path)
            || toolkit.iter().any(|it| it == path)
            || (!path.contains("::") && path != "dyn" && own(path))
    }
}

/// The number and the type of a call that keeps a variable, in MIR as rustc writes it.
fn call(line: &str) -> Option<(usize, &str)> {
    let (_, rest) = line.split_once(&format!("::{KEPT}::<"))?;
    let (of, _) = rest.rsplit_once(">(")?;
    let (of, number) = of.rsplit_once(", ")?;
    Some((number.trim_end_matches("_usize").parse().ok()?, of))
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
mod tests {
    use super::*;

    const CODE: &str = "struct Pair {}\nlet a: RobormTypeOf0_ = f();let b: RobormTypeOf1_ = g();\n\
                        evcxr_variable_store.put_variable::<RobormTypeOf0_>(stringify!(a), a);\n\
                        evcxr_variable_store.put_variable::<RobormTypeOf1_>(stringify!(b), b);\n";

    fn mir(a: &str, b: &str) -> String {
        format!(
            "    _3 = VariableStore::put_found::<{b}, 1>(move _4, move _5, move _6) -> [return: bb3, unwind: bb5];\n    \
             _7 = VariableStore::put_found::<{a}, 0_usize>(move _8, move _9, move _1) -> [return: bb4, unwind continue];\n"
        )
    }

    #[test]
    fn what_rustc_fills_in_stands_in_the_next_cell() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("types");
        let mut engine = Holes::read(&file);
        assert_eq!(engine.open(&[None, Some("Vec<_>")]).unwrap(), ["RobormTypeOf0_", "RobormTypeOf1_"]);
        let mut front = Holes::read(&file);
        let (code, open) = front.replace(CODE);
        assert_eq!(open, [0, 1]);
        assert!(code.contains("let a: _ = f();let b: Vec<_> = g();\n"), "{code}");
        assert!(code.contains("put_found::<_, 0>(stringify!(a), a);"), "{code}");
        front.fill(&open, &mir("Pair", "std::vec::Vec<(i32, &str)>"), CODE, &[]).unwrap();
        let (code, open) = Holes::read(&file).replace("let mut b = take::<RobormTypeOf1_>();");
        assert_eq!((code.as_str(), open.len()), ("let mut b = take::<std::vec::Vec<(i32, &'static str)>>();", 0));
        engine.refresh();
        assert_eq!(engine.filled("RobormTypeOf0_, RobormTypeOf7_"), "Pair, _");
    }

    #[test]
    fn what_no_cell_may_be_able_to_name_is_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        let mut holes = Holes::read(&folder.path().join("types"));
        holes.open(&[None, None]).unwrap();
        let mut fill = |a: &str| holes.fill(&[0, 1], &mir(a, "i32"), CODE, &["roborm::Known".to_owned()]).is_some();
        for no in [
            "{closure@src/lib.rs:1:1: 1:2}",
            "inner::Hidden",
            "Pai",
            "std::boxed::Box<dyn std::fmt::Debug>",
            "<A as B>::C",
        ] {
            assert!(!fill(no), "{no}");
        }
        for yes in ["Pair", "roborm_toolkit::Known", "[u8; 4]", "fn(&str) -> i32"] {
            assert!(fill(yes), "{yes}");
        }
        assert!(holes.fill(&[5], &mir("i32", "i32"), CODE, &[]).is_none(), "no word of it");
        assert!(holes.fill(&[0], &mir("other::Type", "i32"), CODE, &[]).is_none());
        holes.learn(&["std::vec::Vec<other::Type>".to_owned()]);
        assert!(holes.fill(&[0], &mir("other::Type", "i32"), CODE, &[]).is_some());
    }
}
