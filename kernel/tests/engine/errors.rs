//! Errors: the span in the cell, cause and help.

use std::fmt::Write;

use crate::bench::{Bench, text};
use crate::program::Program;

/// The place in the failure's line, and what stands under it.
fn placed(bench: &mut Bench, source: &str) -> (String, String) {
    let failure = bench.failure(source);
    (failure.message.clone(), text(&failure))
}

#[test]
fn spans_are_those_of_the_cell() {
    let mut bench = Bench::new();
    bench.value("let x = 1;");
    for (cell, place) in [
        ("let y: u8 = \"a\";", "(line 1, column 13)"),
        ("x.foo()", "(line 1, column 3)"),
        ("let a = 1;\nlet b = a.nothing();\nb", "(line 2, column 11)"),
        ("let a = 1; let (b, c) = (a, 2); a.nothing()", "(line 1, column 35)"),
        ("async { 1 }.await; x.foo()", "(line 1, column 22)"),
        (":help\n\nx.foo()", "(line 3, column 3)"),
        ("let y: i32 = ;", "(line 1, column 14)"),
        ("::std::mem::drop(1); x.foo()", "(line 1, column 24)"),
        ("let é = 1; é.nothing()", "(line 1, column 14)"),
        ("255u8 + 1", "(line 1, column 1)"),
        ("let big = 255u8 + 1;", "(line 1, column 11)"),
        ("[1, 2][5]", "(line 1, column 1)"),
        ("x; break", "(line 1, column 4)"),
        ("break;", "(line 1, column 1)"),
        ("let y =", "(line 1, column 8)"),
        ("x;\nlet y = x +\n", "(line 2, column 12)"),
        ("let y = (1,\n", "(line 1, column 9)"),
        ("let s = \"abc", "(line 1, column 9)"),
    ] {
        let (message, text) = placed(&mut bench, cell);
        assert!(message.ends_with(place), "{cell}: {message}\n{text}");
        assert!(
            !text.contains("roborm_display") && !text.contains("await_in_cell") && !text.contains("evcxr"),
            "{text}"
        );
    }
    assert_eq!(bench.value("x"), "1");
}

#[test]
fn what_happens_while_a_cell_runs_has_a_place_too() {
    let mut bench = Bench::new();
    bench.value("let top = std::hint::black_box(i32::MAX);");
    for (cell, place) in [
        ("let a = 1; let b = top + a; b", "(line 1, column 20)"),
        ("let xs = vec![1]; let é = 2; xs[é]", "(line 1, column 32)"),
        ("let a = 1; \"x\".parse::<i32>()?; a", "(line 1, column 12)"),
        ("if top > 0 {\n    \"x\".parse::<i32>()?;\n}", "(line 2, column 5)"),
        ("let a = 1;\nlet b = 2; None::<i32>.unwrap()", "(line 2, column 24)"),
        ("None::<i32>.unwrap()", "(line 1, column 13)"),
        ("panic!(\"no\")", "(line 1, column 1)"),
        ("top + 1", "(line 1, column 1)"),
        ("let a = 1;\n\n  top + a", "(line 3, column 3)"),
        ("vec![1]\n    .iter()\n    .map(|x| x + top)\n    .sum::<i32>()", "(line 3, column 14)"),
        ("[1, 2].iter().map(|x| x / (x - x)).max()", "(line 1, column 23)"),
        ("if top > 0 {\n    panic!(\"no\")\n} else {\n    1\n}", "(line 2, column 5)"),
        ("fn f(x: i32) -> i32 { x + i32::MAX }\nf(1)", "(line 1, column 23)"),
        ("let text = \"é\"; text[1..].len() // why", "(line 1, column 21)"),
        ("(0..3).map(|_| top + 1).collect::<Vec<_>>()", "(line 1, column 16)"),
        ("top + top; // twice", "(line 1, column 1)"),
    ] {
        let (message, all) = placed(&mut bench, cell);
        assert!(message.ends_with(place), "{cell}: {message}\n{all}");
    }
}

#[test]
fn a_question_mark_that_does_not_fit_says_what_does() {
    let mut bench = Bench::new();
    for (cell, words, help) in [
        ("let first = vec![1].first().copied()?;", "takes a `Result`, not an `Option`", ".ok_or("),
        ("struct Odd; let x: i32 = Err(Odd)?;", "errors that can be shown", ".map_err("),
    ] {
        let (message, all) = placed(&mut bench, cell);
        assert!(message.contains(words) && all.contains(help) && !all.contains("Evcxr"), "{message}\n{all}");
    }
}

#[test]
fn borrows_are_checked_too() {
    let mut bench = Bench::new();
    let (message, all) = placed(&mut bench, "let v = vec![1]; let w = v; v.len()");
    assert!(message.contains("borrow of moved value") && message.contains("line 1, column 29"), "{message}\n{all}");
}

#[test]
fn unfinished_and_unbalanced_cells_are_errors() {
    let mut bench = Bench::new();
    for cell in ["fn f() {", "let x = (1;", ")", "\"abc", "let s = r#\"abc\";", "}", "#[", "/*"] {
        let failure = bench.failure(cell);
        assert!(!failure.message.is_empty(), "{cell}");
        assert_eq!(bench.value("1 + 1"), "2", "after {cell}");
    }
}

#[test]
fn a_cell_of_ten_megabytes() {
    let mut bench = Bench::new();
    let mut cell = String::with_capacity(11 << 20);
    while cell.len() < 10 << 20 {
        writeln!(cell, "// {}", "x".repeat(997)).unwrap();
    }
    cell.push_str("let length = \"");
    cell.push_str(&"y".repeat(1 << 20));
    cell.push_str("\".len(); length");
    assert_eq!(bench.value(&cell), (1 << 20).to_string());
}

#[test]
fn an_item_can_be_defined_anew() {
    let mut bench = Bench::new();
    bench.value("fn f() -> i32 { 1 }");
    bench.value("fn f() -> i32 { 2 }");
    assert_eq!(bench.value("f()"), "2");
    bench.value("#[derive(Debug)] struct S { a: i32 } let s = S { a: 1 };");
    assert_eq!(bench.value("s.a"), "1");
}

#[test]
fn what_something_defined_anew_breaks_is_named() {
    let mut bench = Bench::new();
    for (number, cell) in [
        (1, "fn rate() -> i32 { 1 }\n#[derive(Debug)] struct Pair { a: i32, b: i32 }"),
        (2, "fn doubled() -> i32 {\n    rate()\n}\nfn sum(pair: &Pair) -> i32 { pair.a + pair.b }"),
        (3, "impl Pair { fn first(&self) -> i32 { self.b } }"),
    ] {
        bench.engine.set_number(number);
        bench.value(cell);
    }
    let (message, all) = placed(&mut bench, "fn rate() -> f64 { 1.5 }");
    assert_eq!(message, "mismatched types, in `doubled` of cell 2, which uses `rate`");
    assert!(all.contains("|     rate()\n") && all.contains("|     ^^^^^^ expected `i32`, found `f64`"), "{all}");
    let help = "help: this cell defines `rate` anew: define `doubled` anew in it as well, or call it something else";
    assert!(all.contains(help), "{all}");
    // All that does not fit any more.
    let (_, all) = placed(&mut bench, "let x = 1;\n#[derive(Debug)] struct Pair { a: i32 }");
    assert!(all.contains("`sum` of cell 2") && all.contains("`impl Pair` of cell 3"), "{all}");
    assert_eq!(bench.value("doubled()"), "1");
    assert_eq!(bench.value("fn rate() -> f64 { 1.5 }\nfn doubled() -> f64 { 2.0 * rate() }\ndoubled()"), "3.0");
}

#[test]
fn a_semicolon_at_the_end_need_not_be_typed() {
    let mut bench = Bench::new();
    for cell in [
        "let five = 5",
        "let mut six: i64 = 6 // no more",
        "let (a, b) = (1, vec![2])\n",
        "use std::fmt::Write as _",
        "const SEVEN: i32 = 7",
    ] {
        assert_eq!(bench.value(cell), "", "{cell}");
    }
    assert_eq!(bench.value("six += 1; five + a + b[0] + SEVEN + six as i32"), "22");
    // In the middle it must be.
    let (message, all) = placed(&mut bench, "let x = 5\nlet y = 6;");
    assert!(message.starts_with("expected `;`, found keyword `let` (line 1, column 10"), "{message}\n{all}");
    assert!(!all.contains("evcxr"), "{all}");
    let (message, all) = placed(&mut bench, "println!(\"a\")\nprintln!(\"b\")");
    assert!(message.starts_with("expected `;`, found `println` (line 1, column 14"), "{message}\n{all}");
    assert!(!all.contains("let"), "{all}");
}

#[test]
fn suggestions_are_whole() {
    let mut bench = Bench::new();
    let (_, all) = placed(&mut bench, "let text = String::from(\"a\");\nlet other: &str = text;");
    assert!(all.contains("let other: &str = &text;"), "{all}");
    let (_, all) = placed(&mut bench, "fn longer(a: &str, b: &str) -> &str { a }");
    assert!(all.contains("fn longer<'a>(a: &'a str, b: &'a str) -> &'a str { a }"), "{all}");
    let (_, all) = placed(&mut bench, "let a: i32 = \"a\"; nothing; no_more");
    assert!(!all.contains("detailed explanations") && !all.contains("For more information"), "{all}");
}

#[test]
fn what_is_text_is_shown_as_that() {
    let mut bench = Bench::new();
    bench.value(
        "struct Celsius(f64);\nimpl std::fmt::Display for Celsius { \
         fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result { write!(f, \"{} degrees\", self.0) } }",
    );
    assert_eq!(bench.value("Celsius(21.5)"), "21.5 degrees");
    assert_eq!(bench.value("let now = Celsius(3.0); &now"), "3 degrees");
    assert_eq!(bench.value("now"), "3 degrees");
}

#[test]
fn what_is_not_debug_says_so() {
    let mut bench = Bench::new();
    let said = text(&bench.failure("struct NoDebug; NoDebug"));
    assert!(said.contains("`NoDebug` doesn't implement `Debug`") && said.contains("derive(Debug)"), "{said}");
    assert!(said.contains("line 1, column 17"), "{said}");
    let said = text(&bench.failure("let number = 1;\n\n|x: i32| x + number"));
    assert!(said.contains("line 3, column 1"), "{said}");
    let said = text(&bench.failure("struct NoDebug;\nvec![NoDebug]"));
    assert!(said.contains("line 2, column 1") && !said.contains("roborm::cell"), "{said}");
}

#[test]
fn what_cannot_be_shown_costs_no_check() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    std::fs::write(&log, "").unwrap();
    let mut program = Program::start_with(|command| {
        command.env("ROBORM_FRONT_LOG", &log);
    });
    assert_eq!(program.run("struct P { a: i32 } let p = P { a: 1 };")["outcome"], "done");
    for cell in ["p", "|x: i32| x", "let q = P { a: 2 }; q"] {
        std::fs::write(&log, "").unwrap();
        let answer = program.run(cell);
        assert!(answer["message"].as_str().is_some_and(|it| it.contains("doesn't implement `Debug`")), "{answer}");
        let asked = std::fs::read_to_string(&log).unwrap();
        assert!(!asked.contains("\"check\""), "{cell}: {asked}");
        // As it is, as text, with `?` allowed; and the one that is not for running.
        assert!(asked.lines().count() <= 4, "{cell}: {asked}");
    }
    assert_eq!(program.value("p.a"), "1");
    program.end();
}

#[test]
fn a_function_that_no_library_has() {
    let mut bench = Bench::new();
    bench.value("let x = 41;");
    let said = text(
        &bench
            .failure("unsafe extern \"C\" { fn no_such_function_anywhere(); } unsafe { no_such_function_anywhere() }"),
    );
    assert!(said.contains("no_such_function_anywhere"), "{said}");
    assert_eq!(bench.value("x"), "41");
    assert_eq!(
        bench.value("unsafe extern \"C\" { safe fn getpid() -> i32; } getpid() == std::process::id() as i32"),
        "true"
    );
}

#[test]
fn what_is_said_of_a_failure_can_be_read() {
    let mut bench = Bench::new();
    for (cell, words) in [
        (format!("let x = {};", "n".repeat(1 << 20)), "a word of 1048576 characters"),
        (format!("let x = {};", "n".repeat(3_000)), "cannot find value"),
        (format!("{}let x = nothing_like_it;", " ".repeat(100_000)), "cannot find value"),
        ("panic!(\"{}\", \"p\".repeat(20 << 20))".to_owned(), "ppp"),
        ("Err::<(), _>(\"line\\n\".repeat(1 << 20))?;".to_owned(), "line"),
    ] {
        let (message, all) = placed(&mut bench, &cell);
        assert!(all.contains(words), "{message}");
        assert!(message.len() < 4_000 && all.len() < 100_000, "{words}: {} and {}", message.len(), all.len());
        assert!(all.lines().all(|line| line.len() < 20_000), "{words}");
    }
    let (_, all) = placed(&mut bench, &format!("let a = \"{}\"; nothing_like_it; let b = 1;", "é".repeat(5_000)));
    let line = all.lines().position(|line| line.contains("nothing_like_it;")).expect("the line around the place");
    let (line, signs) = (all.lines().nth(line).unwrap(), all.lines().nth(line + 1).unwrap());
    let at = line.find("nothing_like_it").map(|byte| line[..byte].chars().count());
    assert_eq!(at, signs.find('^'), "{line}\n{signs}");
}

#[test]
fn what_failed_is_said_once() {
    let mut bench = Bench::new();
    let all = text(&bench.failure(":dep roborm-no-such = { path = \"/nowhere\" }\n:dep other\nlet x = 1;"));
    assert!(!all.contains("error: error") && all.contains("not run: `:dep other`, the Rust of the cell"), "{all}");
    let all = text(&bench.failure("?"));
    assert!(all.contains("`?DataFrame::lazy`"), "{all}");
}

#[test]
fn places_are_those_of_cells() {
    let mut bench = Bench::new();
    bench.engine.set_number(3);
    bench.value("let x = 1;\n/// First.\nfn first(of: &[i32]) -> i32 {\n    of[0]\n}");
    bench.engine.set_number(4);
    let (message, all) = placed(&mut bench, "let none = vec![];\nfirst(&none)");
    assert!(message.ends_with("(line 4 of cell 3, in `first`)") && all.contains("|     of[0]\n"), "{message}\n{all}");
    bench.told();
    bench.engine.set_number(5);
    bench.value("let y = 2;\n\ndbg!(x + y);\nstd::thread::spawn(|| {\n    panic!(\"elsewhere\") }).join().is_err();");
    let told = format!("{:?}", bench.told());
    assert!(told.contains("[cell 5, line 3] x + y = 3"), "{told}");
    assert!(told.contains("panicked at cell 5, line 5:") && !told.contains("lib.rs"), "{told}");
}

#[test]
fn a_cell_that_is_no_rust_has_the_error_that_was_typed() {
    let mut bench = Bench::new();
    for (source, message, help) in [
        ("let x: Vec<i32 = vec![1];\nx.len()", "found `;` (line 1, column 25)", "let x: Vec<i32> = vec![1];"),
        (
            "let a = 1;\nlet y: Option<Vec<u8> = None;",
            "found `;` (line 2, column 29)",
            "let y: Option<Vec<u8>> = None;",
        ),
        ("let b = 2;\nfn f(x: i32 -> i32 { x }", "(line 2, column ", ""),
        ("let z = 1 + ;\nz", "found `;` (line 1, column 13)", ""),
        ("for i 0..3 { println!(\"{i}\"); }", "missing `in` in `for` loop (line 1, column ", "for i in 0..3"),
    ] {
        let failure = bench.failure(source);
        let said = text(&failure);
        assert!(failure.message.contains(message), "{source}: {said}");
        assert!(said.contains(help), "{source}: {said}");
        // One error, and nothing of what nobody has typed.
        assert_eq!(said.matches("error").count(), 1, "{source}: {said}");
        for generated in ["evcxr", "put_variable", "async fn cell", "put_found", "Roborm"] {
            assert!(!said.contains(generated), "{source}: {said}");
        }
    }
    assert_eq!(bench.value("1 + 1"), "2");
}

#[test]
fn places_are_no_folders_of_the_build_or_the_session() {
    let mut bench = Bench::new();
    bench.value("fn takes(x: i32) -> i32 { x }");
    for source in [
        "let f = |x: i32| x + 1; takes(f)",
        "let g = || 1; let h = || 2; let all = [g, h, takes];",
        "let long = (|| 1, || 2, async { 3 }); takes(long)",
        "Vec::<i32>::new().remove(3)",
        "df![\"a\" => [1]]?.column(\"b\").unwrap()",
        "let name = String::new(); std::str::from_utf8(&[255]).unwrap()",
    ] {
        let said = text(&bench.failure(source));
        for hidden in ["roborm-session", "target/build", "registry/src", "/rustc/", env!("CARGO_MANIFEST_DIR")] {
            assert!(!said.contains(hidden), "{source}: {said}");
        }
    }
}

#[test]
fn what_is_included_lies_beside_the_notebook() {
    let mut bench = Bench::new();
    // Tests run in the folder of their package.
    assert!(
        bench.value("include_str!(\"Cargo.toml\").len() > 0 && include_bytes!(\"./src/lib.rs\").len() > 0") == "true"
    );
    assert_eq!(
        bench.value("let manifest = include_str!(\"Cargo.toml\"); manifest.contains(\"name = \\\"roborm-kernel\\\"\")"),
        "true"
    );
    let failure = bench.failure("let x = 1;\nlet t = include_str!(\"no such file.txt\");");
    assert!(
        failure.message.contains("kernel/no such file.txt") && failure.message.contains("(line 2, column 9)"),
        "{failure:?}"
    );
}

#[test]
fn help_that_helps() {
    let mut bench = Bench::new();
    bench.value("let moved = vec![1]; let gone = moved; let mut vv = vec![1];");
    let mut wrong = Vec::new();
    for (cell, words, not) in [
        ("return;", "a cell cannot `return`", "VariableStore"),
        ("let x = 1;\nif x > 0 { return Ok(()); }", "line 2, column 12", "VariableStore"),
        ("let fut = async { 5 };", "Box<dyn Future<Output = _>>> = Box::pin(…)", "Box::new"),
        (
            "async { tokio::runtime::Runtime::new().unwrap().block_on(async { 1 }) }.await",
            "say `.await` there",
            "top of the cell",
        ),
        ("let first = &vv[0]; vv.push(2);", "the variable `first` refers to", "persisted"),
        ("let\u{a0}x = 1;", "an ordinary space belongs there: `let x = 1;`", "``"),
        ("let s = “a”;", "`\"` belongs there: `let s = \"a\";`", "unknown start"),
        ("fn dup() {} fn dup() {}", "`dup` is defined twice in this cell", ""),
        ("show?", "`?show` tells what `show` is", ""),
        ("!ls", "Command::new(\"ls\")", ""),
    ] {
        let said = text(&bench.failure(cell));
        if !said.contains(words) || (!not.is_empty() && said.contains(not)) {
            wrong.push(format!("{cell}: {said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    let said = text(&bench.failure("moved.len() + moved.len() + moved.len()"));
    assert_eq!(said.matches("was moved").count(), 1, "{said}");
    // What the help says works.
    bench.value("let fut: std::pin::Pin<Box<dyn Future<Output = _>>> = Box::pin(async { 5 });");
    assert_eq!(bench.value("fut.await"), "5");
    assert_eq!(bench.value("'all: { if vv.len() == 1 { break 'all 1; } 2 }"), "1");
}
