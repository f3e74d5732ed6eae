//! Variables across cells, their types, and what values look like.

use crate::bench::{Bench, text};

#[test]
fn variables_last() {
    let mut bench = Bench::new();
    bench.value("let x = 41; let mut v = Vec::new(); v.push(\"a\".to_owned());");
    bench.value("v.push(format!(\"b{}\", x + 1));");
    assert_eq!(bench.value("v"), "[\"a\", \"b42\"]");
}

#[test]
fn types_are_found() {
    let mut bench = Bench::new();
    bench.value(
        "use std::collections::HashMap;\n\
         #[derive(Debug, Clone)] struct Pair<T> { a: T, b: Option<T> }\n\
         fn double(x: i32) -> i32 { 2 * x }\n\
         let whole = 1; let real = 1.5; let text = \"abc\"; let owned = text.to_string();\n\
         let (first, mut second) = (1u8, vec![1i64]); second.push(2);\n\
         let map: HashMap<_, _> = [(1, \"one\")].into_iter().collect();\n\
         let pair = Pair { a: 1u16, b: None }; let Pair { a, b: other } = pair.clone();\n\
         let nested = Some(vec![(1, 2.0, \"x\")]); let function = double; let table = df![\"a\" => [1]]?;\n\
         let plan = table.clone().lazy(); let expression = col(\"a\") + lit(1); let array = [0.0f32; 3];\n\
         let boxed: Box<dyn Fn(i32) -> i32> = Box::new(|x| x + 1); let never = if true { 1 } else { panic!() };",
    );
    let types: std::collections::BTreeMap<String, String> = bench.engine.variables().into_iter().collect();
    let last =
        |name: &str| types[name].replace("std::vec::", "").replace("std::option::", "").replace("std::string::", "");
    for (name, of) in [
        ("whole", "i32"),
        ("real", "f64"),
        ("text", "&'static str"),
        ("owned", "String"),
        ("first", "u8"),
        ("second", "Vec<i64>"),
        ("pair", "Pair<u16>"),
        ("a", "u16"),
        ("other", "Option<u16>"),
        ("nested", "Option<Vec<(i32, f64, &'static str)>>"),
        ("array", "[f32; 3]"),
        ("never", "i32"),
    ] {
        assert_eq!(last(name), of, "{name}");
    }
    assert!(last("function").replace(' ', "").starts_with("fn(i32)->i32"), "{}", types["function"]);
    assert!(last("map").ends_with("HashMap<i32, &'static str>"), "{}", types["map"]);
    for (name, end) in [("table", "DataFrame"), ("plan", "LazyFrame"), ("expression", "Expr")] {
        assert!(types[name].ends_with(end), "{}", types[name]);
    }
    // All of them can be used in the next cell.
    assert_eq!(
        bench.value(
            "whole + function(21) + boxed(1) + never + map.len() as i32 + second.len() as i32 + nested.unwrap().len() as i32 + array.len() as i32 + table.height() as i32 + owned.len() as i32 + text.len() as i32"
        ),
        (1 + 42 + 2 + 1 + 1 + 2 + 1 + 3 + 1 + 3 + 3).to_string()
    );
}

#[test]
fn what_cannot_be_kept_is_named() {
    let mut bench = Bench::new();
    for (cell, words) in [
        ("let f = |x: i32| x + 1;", "`f` holds a closure"),
        ("let it = vec![1].into_iter().map(|x| x + 1);", "`it` holds a closure"),
        ("let task = async { 1 };", "`task` holds what an async block makes"),
        ("fn numbers() -> impl Iterator<Item = u8> { 0..3 }\nlet these = numbers();", "`these`"),
        ("let v = Vec::new();", "not settled"),
        ("let s = String::from(\"abc\"); let r = s.as_str();", "`r` refers to another one of the cell"),
    ] {
        let said = text(&bench.failure(cell));
        assert!(said.contains(words), "{cell}: {said}");
    }
    assert_eq!(bench.value("1 + 1"), "2");
}

#[test]
fn a_variable_that_was_moved_is_gone() {
    let mut bench = Bench::new();
    bench.value("let s = String::from(\"x\"); let t = 1;");
    // What is shown is what the statement comes to: nothing.
    assert_eq!(bench.value("drop(s)"), "");
    let failure = bench.failure("let u = 2;\ns.len()");
    assert_eq!(failure.name, "E0425");
    assert_eq!(failure.message, "`s` was moved by an earlier line: `drop(s)` (line 2, column 1)");
    assert!(text(&failure).contains("help: a cell that takes a clone"), "{}", text(&failure));
    // Where cells have numbers, the number says which.
    bench.value("let s = String::from(\"y\");");
    assert_eq!(bench.value("s"), "\"y\"");
    bench.engine.set_number(7);
    bench.value("let other = s;");
    assert!(text(&bench.failure("s")).contains("`s` was moved in cell 7: `let other = s;`"));
    // One that never was is not known as ever.
    assert!(bench.failure("nothing").message.starts_with("cannot find value `nothing`"));
    assert_eq!(bench.value("other"), "\"y\"");
}

#[test]
fn functions_of_earlier_cells_take_variables() {
    let mut bench = Bench::new();
    bench.value("fn eat(v: Vec<String>) -> usize { v.len() }");
    bench.value("fn add(mut v: Vec<i32>) -> i32 { v.push(1); v.into_iter().sum() }");
    bench.value(
        "#[derive(Debug)] struct Own(u8); impl Own { fn end(self) -> u8 { self.0 } fn turned(self) -> Own { self } }\n\
         fn end(own: Own) -> u8 { own.0 }",
    );
    let names = "let names = vec![String::from(\"a\"), String::from(\"b\")];";
    for (bound, cell, value) in [
        (names, "eat(names)", "2"),
        (names, "let k = eat(names); k", "2"),
        (names, "{ let k = eat(names); k }", "2"),
        (names, "if names.is_empty() { 0 } else { eat(names) }", "2"),
        ("let names = vec![41];", "add(names) + 0", "42"),
        ("let names = vec![41];", "{ let x = add(names); x }", "42"),
        ("let names = vec![41];", "let all = vec![add(names)];\nall", "[42]"),
        ("let names = Own(7);", "end(names)", "7"),
        ("let names = Own(7);", "names.end()", "7"),
        ("let names = Own(7);", "names.turned()", "Own(7)"),
    ] {
        bench.value(bound);
        assert_eq!(bench.value(cell), value, "{cell}");
        let failure = bench.failure("names");
        assert!(failure.message.starts_with("`names` was moved by an earlier line: `"), "{cell}: {}", failure.message);
    }
    // What really takes a variable twice is told so, at its place.
    bench.value(names);
    let failure = bench.failure("eat(names) + eat(names)");
    assert_eq!(
        (failure.name.as_str(), failure.message.as_str()),
        ("E0382", "use of moved value: `names` (line 1, column 18)")
    );
    assert_eq!(bench.value("names.len()"), "2");
}

#[test]
fn a_variable_that_its_own_cell_moved_is_told_of() {
    let mut bench = Bench::new();
    bench.value("let s = String::from(\"x\");\nlet u = s;");
    let failure = bench.failure("s");
    assert_eq!(failure.message, "`s` was moved by an earlier line: `let u = s;` (line 1, column 1)");
    assert_eq!(bench.value("u"), "\"x\"");
}

#[test]
fn a_plan_of_a_frame_that_was_moved_is_shown() {
    let mut bench = Bench::new();
    bench.value("let table = df![\"a\" => [1, 2]]?;");
    assert!(bench.value("table.lazy()").contains("not run yet"));
}

#[test]
fn variables_of_a_cell_that_ended_early_are_told_of() {
    let mut bench = Bench::new();
    bench.failure("let early = 1; panic!(\"no\")");
    let said = text(&bench.failure("early"));
    assert!(said.contains("`early` was not kept, since the code that made it ended before its end"), "{said}");
    bench.failure("let late = std::fs::read_to_string(\"/no/such/file\")?;");
    assert!(bench.failure("late").message.starts_with("`late` was not kept"));
    bench.value("let early = 3;");
    bench.failure("std::process::abort()");
    assert!(bench.failure("early").message.starts_with("`early` was lost with the process"));
}

#[test]
fn a_lost_variable_is_told_of_where_its_name_means_something_else() {
    let mut bench = Bench::new();
    bench.engine.set_number(1);
    bench.value("let keep = vec![41]; let scores = 1; let rest = 2.5;");
    bench.engine.set_number(2);
    bench.failure("std::process::abort()");
    for (cell, name) in [("keep", "keep"), ("keep.len()", "keep"), ("println!(\"{}\", scores + 1)", "scores")] {
        let failure = bench.failure(cell);
        let known = format!("`{name}` was lost with the process that ended in cell 2");
        assert!(failure.message.ends_with(&format!("; the variable {known}")), "{cell}: {}", failure.message);
        assert!(text(&failure).contains(&format!("note: the variable {known}")), "{cell}: {}", text(&failure));
    }
    // One that a cell binds itself is not that one.
    assert!(!text(&bench.failure("let f = |keep: i32| keep.nothing(); f(1)")).contains("lost"));
    // A command that is handed it is told so, too.
    for name in ["rest", "keep"] {
        let failure = bench.failure(&format!(":robustness ${name}"));
        assert_eq!(failure.message, format!("the variable `{name}` was lost with the process that ended in cell 2"));
        assert!(text(&failure).contains("help: run the cell again that makes it"));
    }
    assert!(bench.failure(":robustness $never").message.starts_with("no variable never"));
}

#[test]
fn a_cell_of_implementations_can_be_run_again() {
    let mut bench = Bench::new();
    bench.value("#[derive(Debug)] struct Pair { a: i32, b: i32 }\nlet pair = Pair { a: 1, b: 2 };");
    let cell = "impl Pair {\n    fn sum(&self) -> i32 { self.a + self.b }\n    fn first(&self) -> i32 { self.a }\n}";
    bench.value(cell);
    bench.value("impl Pair { fn last(&self) -> i32 { self.b } }");
    let shown = "impl std::fmt::Display for Pair { fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result { write!(f, \"pair\") } }";
    for cell in [cell, cell, shown, shown] {
        bench.value(cell);
    }
    assert_eq!(bench.value("pair.sum() + pair.first() + pair.last()"), "6");
    assert_eq!(bench.told(), []);
    // What it does not define any more is gone, which is said.
    bench.value("impl Pair { fn sum(&self) -> i32 { 10 } }");
    let told = format!("{:?}", bench.told());
    assert!(told.contains("note: `first` of `impl Pair` is no more"), "{told}");
    assert_eq!(bench.value("pair.sum() + pair.last()"), "12");
    // Places are those of what was typed.
    let failure = bench.failure("impl Pair { fn third(&self) -> i32 { self.c } }");
    assert!(failure.message.ends_with("(line 1, column 43)"), "{}", text(&failure));
    assert_eq!(bench.value("format!(\"{pair}\")"), "\"pair\"");
}

#[test]
fn implementations_come_again_with_their_type() {
    let mut bench = Bench::new();
    bench.value("struct R { a: i32 }");
    bench.value("impl R { fn f(&self) -> i32 { self.a } }");
    bench.value("impl R { fn g(&self) -> i32 { 3 } }");
    let cell = "struct R { a: i32, b: i32 }\nimpl R { fn f(&self) -> i32 { self.b } }\nR { a: 1, b: 2 }.f()";
    assert_eq!(bench.value(cell), "2");
    assert_eq!(bench.value(cell), "2");
    assert_eq!(bench.value("R { a: 1, b: 5 }.f() + R { a: 1, b: 5 }.g()"), "8");
    // Two in the place of one, and one in that of two.
    bench.value("impl R { fn f(&self) -> i32 { 10 } fn g(&self) -> i32 { 20 } }");
    assert_eq!(bench.value("R { a: 1, b: 5 }.f() + R { a: 1, b: 5 }.g()"), "30");
    // Of a trait, behind whatever item they were.
    bench.value(
        "struct Sq { side: f64 }\ntrait Area { fn area(&self) -> f64; }\n\
         impl Area for Sq { fn area(&self) -> f64 { self.side * self.side } }",
    );
    bench.value("struct Sq { side: f64, tint: u8 }");
    bench.value(
        "struct Sq { side: f64, tint: u8 }\n\
         impl Area for Sq { fn area(&self) -> f64 { self.side + f64::from(self.tint) } }\n\
         let sq = Sq { side: 2.0, tint: 3 };",
    );
    assert_eq!(bench.value("sq.area()"), "5.0");
    assert_eq!(bench.told(), []);
    // A cell that does not compile takes no place.
    bench.failure("struct R { a: i32, b: i32 }\nimpl R { fn f(&self) -> i32 { self.c } }");
    assert_eq!(bench.value("R { a: 1, b: 5 }.f()"), "10");
    // What a type was defined with goes with it, as before.
    bench.value("struct T; impl T { fn f(&self) -> i32 { 1 } }");
    bench.value("struct T;");
    assert!(bench.failure("T.f()").message.contains("no method named `f`"));
}

#[test]
fn a_main_that_nobody_calls_is_told_of() {
    let mut bench = Bench::new();
    bench.engine.set_number(1);
    bench.value("fn main() { println!(\"hello\"); }");
    let note = "note: a cell does not call `main` by itself; `main()` does\n";
    assert_eq!(bench.told(), [crate::bench::Told::Err(note.to_owned())]);
    bench.engine.set_number(2);
    bench.value("fn main() { println!(\"hello\"); }\nmain();");
    assert_eq!(bench.told(), [crate::bench::Told::Out("hello\n".to_owned())]);
}

#[test]
fn types_that_are_defined_anew_take_their_variables_along() {
    let mut bench = Bench::new();
    let first = "#[derive(Debug, Clone)] struct Pair { a: i32 } struct Holds(Vec<Pair>);";
    bench.value(first);
    bench.value("let pair = Pair { a: 1 }; let holds = Holds(vec![pair.clone()]); let number = 41;");
    // The same once more changes nothing, nor does one that does not compile.
    bench.value(first);
    bench.failure("struct Pair { a: Nothing }");
    assert_eq!(bench.value("pair.a + holds.0[0].a"), "2");
    bench.told();
    // The same names of fields, other types: what was made of the old one must not be read as the new one.
    bench.engine.set_number(4);
    bench.value("#[derive(Debug, Clone)] struct Pair { a: String }");
    let told = format!("{:?}", bench.told());
    assert!(
        told.contains("note: `pair` is lost: its type was defined anew") && told.contains("`holds` is lost"),
        "{told}"
    );
    assert!(bench.failure("pair.a").message.starts_with("`pair` was lost when its type was defined anew in cell 4"));
    assert_eq!(bench.failure("holds.0.len()").name, "E0425");
    assert_eq!(bench.value("number + 1"), "42");
    assert_eq!(bench.value("let pair = Pair { a: \"new\".to_owned() }; pair.a"), "\"new\"");
    // In one cell, too.
    bench.value("let pair = Pair { a: \"x\".to_owned() };");
    assert_eq!(bench.failure("struct Pair { a: u64 }\npair.a").name, "E0425");
}

#[test]
fn what_is_bound_anew_with_its_type_is_kept() {
    let mut bench = Bench::new();
    bench.value("struct Pair { a: u8 }\nlet pair = Pair { a: 1 };\nlet other = vec![Pair { a: 2 }];");
    bench.told();
    bench.value("struct Pair { a: String }\nlet pair = Pair { a: \"new\".to_owned() };");
    let told = format!("{:?}", bench.told());
    assert!(told.contains("`other` is lost") && !told.contains("`pair` is lost"), "{told}");
    assert_eq!(bench.value("pair.a.clone()"), "\"new\"");
    assert_eq!(bench.failure("other.len()").name, "E0425");
    // A cell that ends before it binds it leaves nothing that could be read as the new type.
    bench.failure("struct Pair { a: Vec<u8> }\nif true { panic!(\"early\") }\nlet pair = Pair { a: vec![1] };");
    assert_eq!(bench.failure("pair.a.len()").name, "E0425");
    // One that moves it has none.
    bench.value("struct Pair { a: u16 }\nlet pair = Pair { a: 3 };\ndrop(pair);");
    assert_eq!(bench.failure("pair.a").name, "E0425");
}

#[test]
fn statics_that_start_anew_are_told_of() {
    let mut bench = Bench::new();
    let cell = "use std::sync::atomic::{AtomicU32, Ordering};\nstatic COUNT: AtomicU32 = AtomicU32::new(0);\n\
                fn next() -> u32 { COUNT.fetch_add(1, Ordering::Relaxed) }";
    bench.value(cell);
    let note = "note: the static COUNT starts anew in every cell; what is to last is a variable: `let count = …;`\n";
    assert_eq!(bench.told(), [crate::bench::Told::Err(note.to_owned())]);
    assert_eq!((bench.value("next()"), bench.value("next()")), ("0".into(), "0".into()));
    bench.value(cell);
    bench.value("static NAME: &str = \"x\";");
    assert_eq!(bench.told(), [], "told once, and not of what never changes");
}

#[test]
fn awaits_and_question_marks_at_the_top() {
    let mut bench = Bench::new();
    assert_eq!(bench.value("async { 5 }.await + 1"), "6");
    assert_eq!(bench.value("let n = tokio::task::spawn(async { 20 }).await?; n + 1"), "21");
    assert_eq!(bench.value("let sum: i32 = \"40\".parse::<i32>()? + 2; sum"), "42");
    let failure = bench.failure("let left = 1;\nstd::fs::read_to_string(\"/no/such/file\")?;");
    assert_eq!(failure.name, "Error");
    let message = &failure.message;
    assert!(message.contains("No such file") && message.ends_with("(line 2, column 1)"), "{message}");
    assert!(text(&failure).contains("2 | std::fs::read_to_string"), "{}", text(&failure));
    assert_eq!(bench.value("sum"), "42");
    let failure = bench.failure("Dataset::open(\"no-such-folder\", &OpenOptions::default())?;");
    assert!(text(&failure).contains("help"), "{}", text(&failure));
}

#[test]
fn tables_are_shown_in_rows_and_columns() {
    let mut bench = Bench::new();
    let bundle = bench.bundle(
        "df![\"n\" => (0..100).collect::<Vec<i32>>(), \"t\" => vec![\"<script>alert(1)</script>\".repeat(20); 100]]?",
    );
    let html = bundle.data["text/html"].as_str().unwrap();
    assert!(html.contains("100 rows × 2 columns") && html.contains("i32") && html.contains("str"), "{html}");
    assert!(!html.contains("<script") && html.contains("&lt;script"), "{html}");
    assert_eq!(html.matches("<tr>").count(), 1 + 10 + 1 + 5, "head, first rows, those left out, last rows");
    assert!(html.contains(">99<") && !html.contains(">50<"));
    assert!(bundle.data["text/plain"].as_str().unwrap().starts_with("shape: (100, 2)"));
}

#[test]
fn plans_say_that_they_have_not_run() {
    let mut bench = Bench::new();
    let bundle = bench.bundle("df![\"a\" => [1, 2]]?.lazy().filter(col(\"a\").gt(lit(1)))");
    assert!(bundle.data["text/plain"].as_str().unwrap().contains("not run yet"));
}

#[test]
fn charts_draw_offline_and_bring_plotly_once() {
    let mut bench = Bench::new();
    let cell = "use roborm::plotly::{Plot, Scatter}; let mut plot = Plot::new(); plot.add_trace(Scatter::new(vec![1, 2], vec![3, 4])); show(&plot); plot";
    let second = bench.bundle(cell);
    let first = bench.bundles.lock().unwrap().pop().unwrap().2;
    let html = |bundle: &roborm_kernel::engine::Bundle| bundle.data["text/html"].as_str().unwrap().to_owned();
    assert!(html(&first).len() > 1_000_000 && html(&second).len() < 100_000);
    assert!(!html(&second).contains("src="), "nothing is fetched");
    assert_eq!(first.data["application/vnd.plotly.v1+json"]["data"][0]["type"], "scatter");
    assert!(!first.data["text/plain"].as_str().unwrap().is_empty());
    // Another cell leaves it to the first; the first, run again, brings it again: its old output is gone.
    assert!(html(&bench.bundle("plot.clone()")).len() < 100_000);
    bench.bundle(cell);
    assert!(html(&bench.bundles.lock().unwrap().pop().unwrap().2).len() > 1_000_000);
}

#[test]
fn what_borrows_is_shown() {
    let mut bench = Bench::new();
    bench.value("let table = df![\"a\" => [1], \"b\" => [2]]?;");
    assert_eq!(bench.value("table.get_column_names()"), "[\"a\", \"b\"]");
    assert!(bench.value("&table").starts_with("shape: (1, 2)"));
    assert_eq!(bench.value("let word = String::from(\"abc\"); &word[1..]"), "\"bc\"");
}

#[test]
fn a_cell_may_begin_with_not() {
    let mut bench = Bench::new();
    bench.value("let flag = true; let v: Vec<i32> = vec![];");
    for (cell, value) in [
        ("!flag", "false"),
        ("!v.is_empty()", "false"),
        ("!true", "false"),
        ("!0u8", "255"),
        ("// why\n!flag", "false"),
        ("let a = 1;\n!flag", "false"),
    ] {
        assert_eq!(bench.value(cell), value, "{cell}");
    }
}

#[test]
fn a_kept_type_with_a_lifetime_breaks_no_later_cell() {
    let mut bench = Bench::new();
    bench.value("struct Wrapper<'a>(&'a str); let wr = Wrapper(\"lit\");");
    // The type of an iterator is asked for; that of the variable is among what is compiled with the question.
    bench.value("let mut v = vec![1].into_iter();");
    bench.value("let builder = std::thread::Builder::new();");
    bench.value("let written: Wrapper = Wrapper(\"more\");");
    bench.value("let mut w = vec![2].into_iter();");
    assert_eq!(bench.value("v.next().unwrap() + w.next().unwrap()"), "3");
    assert_eq!(bench.value("format!(\"{}{}\", wr.0, written.0)"), "\"litmore\"");
    let failure = bench.failure("let late = vec![1].into_iter(); nothing");
    assert_eq!(failure.name, "E0425");
    assert!(failure.message.ends_with("(line 1, column 33)"), "{}", failure.message);
}

#[test]
fn many_variables_are_variables() {
    let mut bench = Bench::new();
    let many = |from: usize| (from..from + 40).map(|at| format!("let v{at} = vec![{at}];\n")).collect::<String>();
    bench.value(&many(0));
    bench.value(&many(40));
    assert_eq!(bench.value("let q = v3[0] + v79[0]; q"), "82");
    let mut names: Vec<String> = bench.engine.variables().into_iter().map(|(name, _)| name).collect();
    names.retain(|name| !name.starts_with('v'));
    assert_eq!(names, ["q"]);
    let failure = bench.failure("let w = v5; w.nothing()");
    assert!(failure.message.ends_with("(line 1, column 15)"), "{}", failure.message);
    bench.value("let w = v5;");
    let failure = bench.failure("v5.len()");
    assert!(failure.message.contains("`v5` was moved"), "{}", failure.message);
    assert_eq!(bench.value("#![allow(dead_code)]\nlet v3 = v4.len(); v3"), "1");
}

#[test]
fn a_variable_with_the_name_of_a_macro_is_told_of_too() {
    let mut bench = Bench::new();
    bench.engine.set_number(1);
    bench.value("let df = df!(\"a\" => [1, 2])?;");
    bench.engine.set_number(2);
    bench.value("let sum = df.lazy().collect()?;");
    let failure = bench.failure("df");
    assert!(failure.message.contains("`df` was moved in cell 2"), "{}", failure.message);
    let all = text(&failure);
    assert!(!all.contains("use `!` to invoke") && all.contains("a clone or a reference"), "{all}");
    bench.value("let point = vec![1]; let points = vec![2];");
    bench.value("drop(point);");
    let all = text(&bench.failure("point.len()"));
    assert!(all.contains("`point` was moved") && !all.contains("similar name"), "{all}");
}

#[test]
fn what_keeps_a_closure_is_written_out() {
    let mut bench = Bench::new();
    for (cell, boxed) in [
        ("let z = || 5; println!(\"{}\", z());", "let z: Box<dyn Fn() -> _> = Box::new(|| 5);"),
        ("let z = |a: i32, b| a + b; z(1, 2);", "let z: Box<dyn Fn(i32, _) -> _> = Box::new(|a: i32, b| a + b);"),
    ] {
        let all = text(&bench.failure(cell));
        assert!(all.contains(boxed), "{all}");
    }
    bench.value("let z: Box<dyn Fn(i32, _) -> _> = Box::new(|a: i32, b| a + b); z(1, 2);");
    assert_eq!(bench.value("z(3, 4)"), "7");
}

#[test]
fn what_a_macro_makes_is_told_of_where_it_is_missed() {
    let mut bench = Bench::new();
    bench.value("macro_rules! named { ($name:ident) => { fn $name() -> i32 { 7 } } }\nnamed!(seven);");
    let all = text(&bench.failure("seven()"));
    assert!(all.contains("`seven` was handed to a macro by an earlier cell"), "{all}");
    assert_eq!(bench.value("named!(seven);\nseven()"), "7");
    bench.value("thread_local! { static MINE: std::cell::Cell<i32> = std::cell::Cell::new(1); }");
    let all = text(&bench.failure("MINE.get()"));
    assert!(all.contains("`MINE` was handed to a macro by an earlier cell"), "{all}");
}

#[test]
fn what_is_long_is_folded() {
    let mut bench = Bench::new();
    let said = bench.value("(0..10_000_000).collect::<Vec<i32>>()");
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!((lines[0], lines[1], lines[39]), ("[", "    0,", "    38,"));
    // The brackets are lines too: 40 before, 15 after.
    assert!(lines[40].starts_with("… 9999947 more lines, "), "{}", lines[40]);
    assert_eq!((lines[41], lines[54], lines[55], lines.len()), ("    9999986,", "    9999999,", "]", 56));
    let said = bench.value("\"é\".repeat(50_000_000)");
    assert_eq!(said.matches('é').count(), 2999 + 799);
    assert!(
        said.starts_with("\"éé") && said.ends_with("éé\"") && said.contains("… 49996202 more characters …"),
        "{:.80}",
        said
    );
    // Sixty lines are shown whole.
    assert_eq!(bench.value("(0..58).map(|n| n * 1000).collect::<Vec<i32>>()").lines().count(), 60);
    assert_eq!(bench.value("[\"one\"; 60].join(\"\\n\")").lines().count(), 60);
    assert!(bench.value("[\"one\"; 61].join(\"\\n\")").contains("… 6 more lines, "));
}
