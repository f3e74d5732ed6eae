//! What the keywords of Rust are for.

/// Keywords, each with what it does and an example.
const ALL: [(&str, &str, &str); 39] = [
    ("as", "Turns a number into one of another type; names what is imported otherwise.", "x as f64"),
    ("async", "Makes a future of a block or a function: it runs where it is awaited.", "async { f().await }"),
    ("await", "Waits for a future. A cell may do so at its top.", "f().await"),
    ("break", "Leaves a loop, or a block with a label, with a value where one is wanted.", "break 'all x;"),
    ("const", "A value that is known when code is compiled.", "const N: usize = 3;"),
    ("continue", "Goes on with the next turn of a loop.", "continue;"),
    ("crate", "The crate that the code is in.", "crate::module::name"),
    ("dyn", "A value of any type that implements a trait, behind a pointer.", "Box<dyn Fn(i32) -> i32>"),
    (
        "else",
        "What is done otherwise: of an `if`, or of a `let` whose pattern does not match.",
        "if x { 1 } else { 2 }",
    ),
    ("enum", "Defines a type whose values are each one of several variants.", "enum Side { Left, Right }"),
    ("extern", "Names functions of another language.", "extern \"C\" fn f() {}"),
    ("false", "The value of `bool` that is not true.", "false"),
    ("fn", "Defines a function; also the type of a pointer to one.", "fn twice(x: i32) -> i32 { 2 * x }"),
    (
        "for",
        "Goes through what an iterator gives; names the type that a trait is implemented for.",
        "for x in 0..3 { }",
    ),
    ("if", "Does something on a condition, or where a pattern matches; it has a value.", "if let Some(x) = y { }"),
    ("impl", "Implements methods or a trait for a type; also some type that implements a trait.", "impl Pose { }"),
    ("in", "Stands before what a `for` goes through.", "for x in xs { }"),
    ("let", "Binds a name to a value. At the top of a cell it makes a variable that later cells see.", "let x = 1;"),
    ("loop", "Repeats until it is left by `break`, whose value it has.", "loop { break 1; }"),
    ("match", "Chooses by patterns, of which one has to match.", "match x { Some(y) => y, None => 0 }"),
    ("mod", "Defines a module.", "mod inner { pub fn f() {} }"),
    ("move", "Has a closure or an async block take what it uses.", "move || x + 1"),
    ("mut", "Says that a variable, or what a reference leads to, may change.", "let mut x = 1;"),
    ("pub", "Lets others see an item.", "pub fn f() {}"),
    ("ref", "Binds a reference to what a pattern matches.", "let ref x = y;"),
    ("return", "Leaves a function with a value. A cell is no function.", "return x;"),
    ("self", "The value that a method is called on; the module of now.", "self.x"),
    ("Self", "The type that is being implemented.", "Self { x: 1 }"),
    ("static", "A value with one place in memory. In cells it starts anew with each.", "static N: i32 = 1;"),
    ("struct", "Defines a type with fields.", "struct Pose { x: f64, yaw: f64 }"),
    ("super", "The module that the module of now is in.", "super::name"),
    ("trait", "Defines what types may have in common.", "trait Area { fn area(&self) -> f64; }"),
    ("true", "The value of `bool` that is true.", "true"),
    ("type", "Gives a type another name.", "type Pair = (f64, f64);"),
    ("union", "A type whose fields share their memory.", "union Bits { a: u32, b: f32 }"),
    ("unsafe", "Marks code that the compiler cannot check.", "unsafe { *pointer }"),
    ("use", "Brings names into scope. Later cells see them too.", "use std::collections::HashMap;"),
    ("where", "Says what types have to be able to do.", "fn f<T>(x: T) where T: Clone {}"),
    ("while", "Repeats as long as a condition holds, or a pattern matches.", "while x < 3 { }"),
];

/// What a keyword does, and an example.
pub(super) fn explain(word: &str) -> Option<(&'static str, &'static str)> {
    ALL.iter().find(|(name, ..)| *name == word).map(|(_, what, example)| (*what, *example))
}
