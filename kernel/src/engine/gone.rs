//! Variables that are no more. evcxr forgets them without a word; rustc then says that there is no such name. Here it is
//! remembered what became of them.

use std::collections::{BTreeMap, BTreeSet};

use evcxr::CompilationError;

use super::defined::Defined;
use super::earlier::{Earlier, Items};
use super::event::Failure;
use super::fault;
use super::places::Origin;

/// What the cells so far defined, and which of their variables are gone.
#[derive(Default)]
pub(super) struct Gone {
    /// The number of the cell that runs, where cells have numbers.
    cell: Option<u64>,
    fates: BTreeMap<String, Fate>,
    /// What types are made of, as it was defined last.
    shapes: BTreeMap<String, String>,
    /// Statics that were told of.
    statics: BTreeSet<String>,
    /// Items, and where they were defined last.
    items: BTreeMap<String, Origin>,
    /// Items of the piece that is compiled.
    now: Vec<String>,
    /// What macros were called with.
    handed: BTreeSet<String>,
}

/// What became of a variable.
struct Fate {
    /// In words, behind the variable's name.
    what: String,
    help: &'static str,
}

/// A piece of a cell, as it was before it ran.
pub(super) struct Piece<'p> {
    pub source: &'p str,
    /// The line of the cell that it begins in, from 0.
    pub line: usize,
    pub defined: &'p Defined,
    /// The variables that there were.
    pub before: &'p [String],
    /// Those of them whose types it defines anew.
    pub outdated: &'p [String],
}

/// How a piece of a cell ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// At its end.
    Whole,
    /// Before its end.
    Early,
    /// With the process.
    Lost,
    /// It did not run.
    Never,
}

impl Gone {
    /// A cell begins; it has a number where cells have numbers.
    pub fn begin(&mut self, cell: Option<u64>) {
        self.cell = cell;
    }

    /// A piece is about to be compiled.
    pub fn define(&mut self, defined: &Defined) {
        self.now = defined.items.clone();
    }

    /// The item of an earlier cell that an error of this piece is in.
    pub fn earlier(&self, compiled: &Items, error: &CompilationError) -> Option<Earlier> {
        compiled.of_error(error, &self.items, &self.now)
    }

    /// The number of the cell that runs, and the items of those before it.
    pub fn origins(&self) -> (Option<u64>, BTreeMap<String, Origin>) {
        let earlier = self.items.iter().filter(|(item, _)| !self.now.contains(item));
        (self.cell, earlier.map(|(item, origin)| (item.clone(), *origin)).collect())
    }

    /// What became of a variable, in words, and what to do; `None` where nothing did.
    pub fn fate(&self, name: &str) -> Option<(String, &'static str)> {
        self.fates.get(name).map(|fate| (format!("`{name}` {}", fate.what), fate.help))
    }

    /// The variables (name and type) whose types are made of something that is defined anew, and otherwise.
    pub fn outdated(&self, defined: &Defined, variables: &[(String, String)]) -> Vec<String> {
        let is_other = |(name, text): &&(String, String)| self.shapes.get(name).is_some_and(|before| before != text);
        let mut changed: BTreeSet<&str> =
            defined.shapes.iter().filter(is_other).map(|(name, _)| name.as_str()).collect();
        if changed.is_empty() {
            return Vec::new();
        }
        // And what is made of those.
        loop {
            let before = changed.len();
            for (name, text) in &self.shapes {
                if words(text).any(|word| changed.contains(word)) {
                    changed.insert(name);
                }
            }
            if changed.len() == before {
                break;
            }
        }
        let is_made_of = |of: &str| words(of).any(|word| changed.contains(word));
        variables.iter().filter(|(_, of)| is_made_of(of)).map(|(name, _)| name.clone()).collect()
    }

    /// A piece of a cell is over: remembers what it defined, and which variables are not among those of `now`. What the
    /// user is told at once.
    pub fn over(&mut self, piece: &Piece<'_>, now: &[String], end: End) -> Vec<String> {
        let Piece { source, defined, before, outdated, .. } = piece;
        let mut notes = Vec::new();
        let place = self.cell.map(|cell| format!(" in cell {cell}"));
        for name in before.iter().filter(|name| !now.contains(name)) {
            let fate = if end == End::Lost {
                let by = place.as_deref().map_or_else(String::new, |place| format!(" that ended{place}"));
                Fate { what: format!("was lost with the process{by}"), help: "run the cell again that makes it" }
            } else if outdated.contains(name) {
                let place = place.as_deref().unwrap_or_default();
                notes.push(format!("note: `{name}` is lost: its type was defined anew"));
                Fate {
                    what: format!("was lost when its type was defined anew{place}"),
                    help: "run the cell again that makes it",
                }
            } else {
                moved(source, name, place.as_deref())
            };
            self.fates.insert(name.clone(), fate);
        }
        if end == End::Whole {
            // Named once, it was not moved.
            let is_used = |name: &&String| words(source).filter(|word| word == name).count() > 1;
            let own = defined.bindings.iter().filter(|name| !now.contains(name) && !before.contains(name));
            let own = own.filter(is_used);
            let own: Vec<_> = own.map(|name| (name.clone(), moved(source, name, place.as_deref()))).collect();
            self.fates.extend(own);
        }
        if end == End::Early {
            for name in defined.bindings.iter().filter(|name| !now.contains(name)) {
                let place = place.as_deref().unwrap_or_default();
                let what = format!("was not kept, since the code that made it ended before its end{place}");
                self.fates.insert(name.clone(), Fate { what, help: "run that again once it runs to its end" });
            }
        }
        if matches!(end, End::Whole | End::Early) {
            self.shapes.extend(defined.shapes.iter().cloned());
            self.handed.extend(defined.handed.iter().cloned());
            let origin = |line: &usize| Origin { cell: self.cell, line: piece.line + line + 1 };
            let items = defined.items.iter().zip(&defined.lines).map(|(item, line)| (item.clone(), origin(line)));
            self.items.extend(items);
        }
        for name in defined.statics.iter().filter(|_| end == End::Whole) {
            if self.statics.insert(name.clone()) {
                let variable = name.to_lowercase();
                notes.push(format!(
                    "note: the static {name} starts anew in every cell; what is to last is a variable: `let {variable} = …;`"
                ));
            }
        }
        // In a notebook it is often pasted, and would silently do nothing.
        let has_main = defined.items.iter().any(|item| item == "main") && !defined.uses.contains("main");
        if end == End::Whole && self.cell.is_some() && has_main {
            notes.push("note: a cell does not call `main` by itself; `main()` does".to_owned());
        }
        for name in now {
            self.fates.remove(name);
        }
        notes
    }

    /// evcxr was told to forget everything.
    pub fn forget(&mut self) {
        *self = Self { cell: self.cell, ..Self::default() };
    }

    /// The failure of a piece, in which a name that rustc does not know is one that it is known what became of; and so is
    /// one by which rustc knows something else.
    pub fn explain(&self, mut failure: Failure, defined: &Defined) -> Failure {
        let said = failure.traceback.join("\n");
        let unknown = said.split_once("cannot find ").and_then(|(_, rest)| rest.split('`').nth(1));
        let is_unknown = ["E0425", "E0412", "E0422", "E0433"].contains(&failure.name.as_str());
        if let Some(name) =
            unknown.filter(|name| is_unknown && self.handed.contains(*name) && !self.fates.contains_key(*name))
        {
            failure.traceback.push(fault::help(&format!(
                "`{name}` was handed to a macro by an earlier cell: items that a macro makes are those of its cell alone; \
                 write `{name}` out, or call the macro in this cell too"
            )));
        }
        for (name, fate) in &self.fates {
            let known = format!("`{name}` {}", fate.what);
            // A variable may have been called what a macro or a type of the prelude is called.
            let unknown = NO_VALUE.map(|what| match what {
                "" => format!("cannot find value `{name}` in this scope"),
                what => format!("expected value, found {what} `{name}`"),
            });
            let unknown = unknown.into_iter().find(|unknown| said.contains(unknown));
            let unknown = unknown.filter(|_| ["E0425", "E0423"].contains(&failure.name.as_str()));
            if let Some(unknown) = unknown {
                failure.message = failure.message.replace(&unknown, &known);
                // What rustc guesses at would lead away from what is known.
                failure.traceback.retain(|line| !GUESSES.iter().any(|guess| line.contains(guess)));
                for line in &mut failure.traceback {
                    *line = line.replace(&unknown, &known);
                }
                failure.traceback.push(fault::help(fate.help));
            } else if defined.uses.contains(name) && means_something(&failure.name) {
                failure.message = format!("{}; the variable {known}", failure.message);
                failure.traceback.push(fault::note(&format!(
                    "the variable {known}; what `{name}` means now is of the prelude, or of another cell"
                )));
                failure.traceback.push(fault::help(fate.help));
            }
        }
        failure
    }
}

/// What rustc finds by the name of a variable that is no more; nothing first.
const NO_VALUE: [&str; 9] = ["", "macro", "struct", "enum", "trait", "type alias", "module", "crate", "builtin type"];
/// What rustc has to say of a name that it does not know.
const GUESSES: [&str; 2] = ["with a similar name", "use `!` to invoke the macro"];

/// Whether rustc gives an error of this name where every name of the cell means something to it.
fn means_something(error: &str) -> bool {
    let of_names = ["E0405", "E0412", "E0422", "E0423", "E0424", "E0425", "E0432", "E0433", "E0574"];
    error.starts_with("E0") && !of_names.contains(&error)
}

/// The fate of a variable that the last line which names it has moved.
fn moved(source: &str, name: &str, place: Option<&str>) -> Fate {
    let line = source.lines().rev().find(|line| words(line).any(|word| word == name)).unwrap_or_default();
    let line = format!("`{}`", line.trim());
    Fate {
        what: match place {
            Some(place) => format!("was moved{place}: {line}"),
            None => format!("was moved by an earlier line: {line}"),
        },
        help: "a cell that takes a clone or a reference leaves it; to have it back, bind it again",
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_go_with_what_their_types_are_made_of() {
        let mut gone = Gone::default();
        let variables = [("a", "std::vec::Vec<Outer>"), ("b", "Inner"), ("c", "i32"), ("d", "Innermost")]
            .map(|(name, of)| (name.to_owned(), of.to_owned()));
        let first = Defined::by("struct Inner { x: i32 } struct Outer { inner: Inner }");
        let piece = Piece { source: "", line: 0, defined: &first, before: &[], outdated: &[] };
        assert!(gone.over(&piece, &[], End::Whole).is_empty());
        let outdated = |gone: &Gone, source: &str| gone.outdated(&Defined::by(source), &variables);
        assert_eq!(outdated(&gone, "struct Inner { x: u64 }"), ["a", "b"]);
        assert_eq!(outdated(&gone, "struct Outer { inner: Inner, y: u8 }"), ["a"]);
        assert!(outdated(&gone, "struct Inner   { x : i32 }").is_empty());
        assert!(outdated(&gone, "struct Another;").is_empty());
    }
}
