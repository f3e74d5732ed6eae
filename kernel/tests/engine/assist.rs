//! Completion, documentation, completeness.

use roborm_kernel::engine::Assistant;

use crate::bench::Bench;

/// What answers, and is asked from the end of a text.
struct Asked(Assistant);

impl Asked {
    /// Of what the engine knows by itself.
    fn now(bench: &Bench) -> Self {
        Self(bench.engine.assistant())
    }

    /// Once the index is read: it is read at leisure.
    fn when_read(bench: &Bench) -> Self {
        let asked = Self::now(bench);
        while asked.0.inspect("DataFrame", 4).is_none() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        asked
    }

    fn complete(&self, source: &str) -> Vec<String> {
        let found = self.0.complete(source, source.len());
        found.items.iter().map(|item| format!("{}{}", &source[..found.start], item.text)).collect()
    }

    fn has(&self, source: &str, wanted: &str) {
        let found = self.complete(source);
        assert!(found.iter().any(|it| it == wanted), "{source}: {found:?}");
    }

    fn of(&self, source: &str) -> String {
        self.0.inspect(source, source.len()).unwrap_or_else(|| panic!("{source}")).plain
    }
}

#[test]
fn names_methods_columns_and_commands() {
    let mut bench = Bench::new();
    bench.value(":open demo\nlet table = df![\"score\" => [1.0], \"strategy\" => [\"lexical\"]]?; let plan = table.clone().lazy();");
    let asked = Asked::when_read(&bench);
    asked.has("tab", "table");
    asked.has("Dataset::op", "Dataset::open");
    asked.has("table.laz", "table.lazy");
    asked.has("plan.filt", "plan.filter");
    asked.has("table.clone().lazy().coll", "table.clone().lazy().collect");
    asked.has("table.lazy().filter(col(\"str", "table.lazy().filter(col(\"strategy");
    asked.has("plan.select([col(\"sc", "plan.select([col(\"score");
    asked.has("DataFr", "DataFrame");
    asked.has(":robu", ":robustness ");
    asked.has("let x = 1;\n:spo", "let x = 1;\n:spot ");
    asked.has(":spot bow", ":spot bowl ");
    asked.has(":spot bowl --mod", ":spot bowl --model ");
    asked.has(":spot bowl --model simul", ":spot bowl --model simulated ");
    asked.has(":robustness $tab", ":robustness $table");
}

#[test]
fn the_standard_library() {
    let mut bench = Bench::new();
    bench.value(
        "let numbers = vec![1]; let text = String::from(\"a\"); let some = Some(2); let whole = 3; let map = std::collections::HashMap::from([(1, 2)]);",
    );
    let asked = Asked::when_read(&bench);
    for (source, start, words) in [
        ("numbers.push", "pub fn push(&mut self, value: T)\n\nVec::push of std", "Appends an element"),
        ("text.trim_end", "pub fn trim_end(&self) -> &str", "whitespace"),
        ("numbers.iter().map", "fn map<B, F>(self, f: F)", "closure"),
        ("some.unwrap_or", "pub fn unwrap_or(self, default: T) -> T", "default"),
        ("whole.pow", "pub const fn pow(self, exp: u32) -> i32", "power"),
        ("map.entry", "pub fn entry(&mut self, key: K)", "entry"),
        ("String", "pub struct String", "UTF-8"),
        ("std::fs::read_to_string", "pub fn read_to_string", "file"),
        ("println!", "println!", "Prints"),
        ("Option::map", "pub fn map<U, F>(self, f: F) -> Option<U>", "Maps"),
    ] {
        let told = asked.of(source);
        assert!(told.starts_with(start) && told.contains(words), "{source}: {told}");
    }
    asked.has("numbers.pus", "numbers.push");
    asked.has("numbers.sort_un", "numbers.sort_unstable");
    asked.has("text.to_upp", "text.to_uppercase");
    asked.has("numbers.iter().filter_m", "numbers.iter().filter_map");
    asked.has("some.unwrap_or_d", "some.unwrap_or_default");
    asked.has("std::fs::read_to_s", "std::fs::read_to_string");
    asked.has("Vec::with_c", "Vec::with_capacity");
    asked.has("HashM", "HashMap");
    // Modules, and what is in them.
    asked.has("std::coll", "std::collections");
    asked.has("use std::collections::BT", "use std::collections::BTreeMap");
    asked.has("use std::collections::btree_m", "use std::collections::btree_map");
    asked.has("std::sync::ato", "std::sync::atomic");
}

#[test]
fn what_cells_define() {
    let mut bench = Bench::new();
    bench.value(
        "/// Twice as much.\nfn double(x: i32) -> i32 { 2 * x }\n/// A point\n/// of the plane.\n#[derive(Clone)] struct Point { x: f64 }\n\
         impl Point {\n    /// How far it is.\n    fn length(&self) -> f64 { self.x }\n    fn copy(&self) -> Point { self.clone() }\n}\n\
         enum Side { Left, Right }\nmacro_rules! seven { () => { 7 } }\nlet point = Point { x: 1.0 };",
    );
    let asked = Asked::now(&bench);
    assert_eq!(asked.of("double"), "fn double(x: i32) -> i32\n\ndouble of this session\n\nTwice as much.");
    assert!(asked.of("Point").contains("A point\nof the plane."));
    assert_eq!(asked.of("point.length"), "fn length(&self) -> f64\n\nPoint::length of this session\n\nHow far it is.");
    assert!(
        asked.of("point").contains("let point: Point") && asked.of("point").contains("struct Point"),
        "{}",
        asked.of("point")
    );
    assert!(bench.value("?double").contains("Twice as much."));
    asked.has("dou", "double");
    asked.has("Poi", "Point");
    asked.has("point.le", "point.length");
    asked.has("point.copy().le", "point.copy().length");
    asked.has("Side::Le", "Side::Left");
    asked.has("sev", "seven");
    // What is defined anew is what it is now.
    bench.value("/// Twice as much, and wide.\nfn double(x: i64) -> i64 { 2 * x }");
    assert!(asked.of("double").starts_with("fn double(x: i64) -> i64"));
}

#[test]
fn fields() {
    let mut bench = Bench::new();
    bench.value(
        "#[derive(Clone)] struct Pt { x: f64, yaw: f64 }\nimpl Pt { fn turn(&self) -> Turned { Turned { by: 1, from: self.clone() } } }\n\
         struct Turned { by: i32, from: Pt }\nlet p = Pt { x: 1., yaw: 2. }; let tup = (1, \"a\");\n\
         let all = vec![Pt { x: 1., yaw: 2. }]; let boxed = Box::new(Pt { x: 1., yaw: 2. });",
    );
    let asked = Asked::when_read(&bench);
    let exactly = |source: &str, wanted: &[&str]| {
        let found = asked.0.complete(source, source.len());
        let found: Vec<&str> = found.items.iter().map(|item| item.text.as_str()).collect();
        assert_eq!(found, wanted, "{source}");
    };
    let of_pt = ["x", "yaw", "clone", "turn"];
    // What is stored, and what it has.
    exactly("p.", &of_pt);
    exactly("p.y", &["yaw"]);
    exactly("tup.", &["0", "1"]);
    exactly("p.turn().from.", &of_pt);
    exactly("println!(\"{}\", p.y", &["yaw"]);
    exactly("boxed.y", &["yaw"]);
    exactly("all[0].y", &["yaw"]);
    exactly("all.first().unwrap().y", &["yaw"]);
    // Literals.
    exactly("Pt { x: 1., y", &["yaw"]);
    exactly("f(Pt { ", &["x", "yaw"]);
    exactly("f(Pt { x: g(1, 2), ", &["yaw"]);
    // What this cell binds.
    exactly("let q = Pt { x: 1., yaw: 2. }; q.y", &["yaw"]);
    exactly("fn f(p: &Turned) { p.", &["by", "from"]);
    exactly("for (at, it) in all.iter().enumerate() { it.y", &["yaw"]);
    exactly("all.iter().map(|it| it.y", &["yaw"]);
    exactly("if let Some(it) = all.first() { it.y", &["yaw"]);
    exactly("impl Turned { fn g(&self) { self.from.y", &["yaw"]);
    // And what it defines.
    exactly("struct New { left: u8 } let new = New { left: 1 }; new.", &["left"]);
    // What it binds anew is not what it was.
    exactly("let p = (1, 2); p.", &["0", "1"]);
    asked.has("1.0f64.sq", "1.0f64.sqrt");
    asked.has("vec![1].pus", "vec![1].push");
    asked.has("let query = 1; que", "let query = 1; query");
    let inside = asked.complete("fn f() { tu");
    assert!(!inside.iter().any(|it| it.ends_with(" tup")), "a function sees no variables: {inside:?}");
    assert_eq!(asked.of("p.yaw"), "yaw: f64\n\nPt::yaw of this session");
}

#[test]
fn strings_and_comments() {
    let mut bench = Bench::new();
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("scores")).unwrap();
    std::fs::write(folder.path().join("scored.csv"), "").unwrap();
    bench.value(
        ":open demo\nlet table = df![\"score\" => [1.0]]?; let other = df![\"strategy\" => [1.0]]?; let pose = 1;",
    );
    let asked = Asked::when_read(&bench);
    let id = bench.value("data()?.trajectories()[0].id.clone()");
    let id = id.trim_matches('"');
    asked.has("data()?.get(\"", &format!("data()?.get(\"{id}"));
    let folder = folder.path().display();
    for call in ["ScoreTable::read", "std::fs::read_to_string", "std::fs::File::open", "open"] {
        asked.has(&format!("{call}(\"{folder}/sco"), &format!("{call}(\"{folder}/scored.csv"));
        asked.has(&format!("{call}(\"{folder}/sco"), &format!("{call}(\"{folder}/scores/"));
    }
    asked.has("open(\"de", "open(\"demo");
    asked.has("for each in data()?.iter() { each.ta", "for each in data()?.iter() { each.task");
    // Of the table in question alone.
    assert_eq!(asked.complete("table.column(\""), ["table.column(\"score"]);
    assert_eq!(asked.complete("other.clone().lazy().filter(col(\""), ["other.clone().lazy().filter(col(\"strategy"]);
    for nothing in ["let s = \"", "println!(\"sco", "// tab", "let x = 1; /* tab", "pose.max(\"", "\"abc\".contains(\""]
    {
        assert_eq!(asked.complete(nothing), Vec::<String>::new(), "{nothing}");
    }
    asked.has("println!(\"{} {po", "println!(\"{} {pose");
    asked.has("let mine = 1; println!(\"{mi", "let mine = 1; println!(\"{mine");
}

#[test]
fn documentation() {
    let mut bench = Bench::new();
    bench.value("let table = df![\"score\" => [1.0]]?; let numbers = vec![1];");
    let asked = Asked::when_read(&bench);
    // A method is that of the receiver's type, not of any type that has one of the name.
    assert!(asked.of("table.lazy").contains("DataFrame::lazy of polars"));
    assert!(asked.of("table").contains("DataFrame") && asked.of("table").contains("score"));
    assert!(asked.of("Dataset::open").contains("pub fn open"));
    assert!(asked.of(":spot").contains("Usage: :spot"));
    assert!(bench.value("?show").contains("pub fn show"));
    assert!(bench.value("??show").contains("pub fn show"), "as it is asked elsewhere");
    assert!(
        bench.value(":").contains(":spot") || bench.told().iter().any(|told| format!("{told:?}").contains(":spot"))
    );
    assert!(asked.of("String::from").contains("fn from("), "what a type has by a trait");
    assert!(bench.value("?match").contains("Chooses by patterns"), "keywords");
    assert!(bench.value("?DataFrame::lazy").contains("LazyFrame"));
    assert!(bench.failure("?no_such_name").message.contains("no_such_name"));
}

#[test]
fn commands_are_known_at_once_whenever_a_process_begins() {
    let mut bench = Bench::new();
    let asked = Asked::now(&bench);
    asked.has(":trajec", ":trajectories ");
    bench.failure("std::process::abort()");
    asked.has(":trajec", ":trajectories ");
    bench.value(":clear");
    asked.has(":trajec", ":trajectories ");
}

#[test]
fn it_answers_while_a_cell_runs() {
    let mut bench = Bench::new();
    let asked = Asked::when_read(&bench);
    let folder = tempfile::tempdir().unwrap();
    let (runs, done) = (folder.path().join("runs"), folder.path().join("done"));
    let cell = format!(
        "std::fs::write({:?}, \"\")?; while !std::path::Path::new({:?}).exists() {{ std::thread::sleep(std::time::Duration::from_millis(5)); }}",
        runs.display().to_string(),
        done.display().to_string()
    );
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !runs.exists() {
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            // The cell ends only after this was answered.
            let found = (asked.complete(":robu"), asked.complete("DataFr"));
            std::fs::write(&done, "").unwrap();
            assert_eq!(found.0, [":robustness "]);
            assert!(found.1.iter().any(|it| it == "DataFrame"));
        });
        bench.value(&cell);
    });
}

#[test]
fn what_is_not_there_is_not_offered() {
    let bench = Bench::new();
    let asked = Asked::when_read(&bench);
    asked.has("String::from_u", "String::from_utf8");
    assert!(!asked.complete("String::from_u").iter().any(|it| it == "String::from_utf"));
    asked.has("std::time::Dur", "std::time::Duration");
    // The modules of other crates are not those of std that have their names.
    assert!(!asked.complete("use tokio::fs::").iter().any(|it| it == "use tokio::fs::exists"));
    assert_eq!(asked.complete("use no_such_crate::"), Vec::<String>::new());
    asked.has("\"abc\".", "\"abc\".len");
    asked.has("Some(1).", "Some(1).unwrap");
}

#[test]
fn what_modules_hold() {
    let bench = Bench::new();
    let asked = Asked::when_read(&bench);
    for (source, wanted) in [
        ("use robo", "use roborm"),
        ("serde_j", "serde_json"),
        ("use roborm::", "use roborm::chart"),
        ("use roborm::", "use roborm::polars"),
        ("use roborm::", "use roborm::Error"),
        ("roborm::chart::", "roborm::chart::crossing_table"),
        ("let x = roborm::chart::cro", "let x = roborm::chart::crossing_by_model"),
        ("use roborm::{study::Study, chart::", "use roborm::{study::Study, chart::crossing_table"),
        ("use roborm::reward::{RewardModel, Sim", "use roborm::reward::{RewardModel, Simulated"),
        ("serde_json::", "serde_json::json"),
        ("serde_json::", "serde_json::Value"),
        ("serde_json::from_s", "serde_json::from_str"),
        ("use roborm::serde_json::", "use roborm::serde_json::Map"),
        ("polars::", "polars::prelude"),
        ("use polars::prelude::Da", "use polars::prelude::DataFrame"),
        ("use polars::prelude::", "use polars::prelude::col"),
        ("polars::prelude::DataFrame::emp", "polars::prelude::DataFrame::empty"),
        ("plotly::common::", "plotly::common::Title"),
        ("use tokio::time::", "use tokio::time::sleep"),
        ("rand::", "rand::random"),
        ("rayon::prelude::", "rayon::prelude::ParallelIterator"),
        ("image::", "image::DynamicImage"),
    ] {
        asked.has(source, wanted);
    }
    // What is private, or of a feature that is not there, is not offered.
    for (source, not) in [
        ("roborm::", "roborm::damage"),
        ("roborm::chart::", "roborm::chart::crossing"),
        ("tokio::", "tokio::macros"),
        ("polars::", "polars::sql"),
    ] {
        assert!(!asked.complete(source).iter().any(|it| it == not), "{not}");
    }
}

#[test]
fn what_was_asked_for_is_told_of() {
    let mut bench = Bench::new();
    let asked = Asked::when_read(&bench);
    let chart = bench.value("?chart");
    assert!(chart.starts_with("mod chart\n\nchart of roborm") && chart.contains("crossing"), "{chart}");
    assert!(bench.value("?chart::crossing_table").starts_with("pub fn crossing_table"));
    assert!(bench.value("?roborm::chart::crossing_by_model").starts_with("pub fn crossing_by_model"));
    assert!(bench.value("?serde_json::from_str").contains("from_str of serde"));
    assert!(asked.of("polars::prelude::DataFrame").starts_with("pub struct DataFrame"));
    for (source, near) in [
        (
            "?chart::crossing",
            "did you mean `chart::crossing_by_model`, `chart::crossing_over_boundary` or `chart::crossing_table`?",
        ),
        ("?chart::crossing_tabel", "did you mean `chart::crossing_table`?"),
        ("?roborm::chrat", "did you mean `roborm::chart`?"),
        ("?DataFrame::lasy", "`DataFrame::lazy`"),
        ("?chart::DataFrame", ""),
    ] {
        let failure = bench.failure(source);
        assert!(failure.message.starts_with("nothing is known of"), "{source}: {}", failure.message);
        assert!(crate::bench::text(&failure).contains(near), "{source}: {}", crate::bench::text(&failure));
    }
}

#[test]
fn all_methods_are_offered() {
    let mut bench = Bench::new();
    bench.value("let frame = df![\"a\" => [1]]?;");
    Asked::when_read(&bench).has("frame.", "frame.with_column");
}
