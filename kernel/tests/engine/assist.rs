//! Completion, documentation, completeness.

use roborm_kernel::engine::Assistant;

use crate::bench::Bench;

/// Waits until the index is read: it is read at leisure.
fn ready(assistant: &Assistant) {
    while assistant.inspect("DataFrame", 4).is_none() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

fn complete(assistant: &Assistant, source: &str) -> Vec<String> {
    let found = assistant.complete(source, source.len());
    found.items.iter().map(|item| format!("{}{}", &source[..found.start], item.text)).collect()
}

#[test]
fn names_methods_columns_and_commands() {
    let mut bench = Bench::new();
    bench.value(":open demo\nlet table = df![\"score\" => [1.0], \"strategy\" => [\"lexical\"]]?; let plan = table.clone().lazy();");
    let assistant = bench.engine.assistant();
    ready(&assistant);
    let has = |source: &str, wanted: &str| {
        let found = complete(&assistant, source);
        assert!(found.iter().any(|it| it == wanted), "{source}: {found:?}");
    };
    has("tab", "table");
    has("Dataset::op", "Dataset::open");
    has("table.laz", "table.lazy");
    has("plan.filt", "plan.filter");
    has("table.clone().lazy().coll", "table.clone().lazy().collect");
    has("table.lazy().filter(col(\"str", "table.lazy().filter(col(\"strategy");
    has("plan.select([col(\"sc", "plan.select([col(\"score");
    has("DataFr", "DataFrame");
    has(":robu", ":robustness ");
    has("let x = 1;\n:spo", "let x = 1;\n:spot ");
    has(":spot bow", ":spot bowl ");
    has(":spot bowl --mod", ":spot bowl --model ");
    has(":spot bowl --model simul", ":spot bowl --model simulated ");
    has(":robustness $tab", ":robustness $table");
}

#[test]
fn the_standard_library() {
    let mut bench = Bench::new();
    bench.value(
        "let numbers = vec![1]; let text = String::from(\"a\"); let some = Some(2); let whole = 3; let map = std::collections::HashMap::from([(1, 2)]);",
    );
    let assistant = bench.engine.assistant();
    ready(&assistant);
    let of = |source: &str| assistant.inspect(source, source.len()).unwrap_or_else(|| panic!("{source}")).plain;
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
        let told = of(source);
        assert!(told.starts_with(start) && told.contains(words), "{source}: {told}");
    }
    let has = |source: &str, wanted: &str| {
        let found = complete(&assistant, source);
        assert!(found.iter().any(|it| it == wanted), "{source}: {found:?}");
    };
    has("numbers.pus", "numbers.push");
    has("numbers.sort_un", "numbers.sort_unstable");
    has("text.to_upp", "text.to_uppercase");
    has("numbers.iter().filter_m", "numbers.iter().filter_map");
    has("some.unwrap_or_d", "some.unwrap_or_default");
    has("std::fs::read_to_s", "std::fs::read_to_string");
    has("Vec::with_c", "Vec::with_capacity");
    has("HashM", "HashMap");
}

#[test]
fn what_cells_define() {
    let mut bench = Bench::new();
    bench.value(
        "/// Twice as much.\nfn double(x: i32) -> i32 { 2 * x }\n/// A point\n/// of the plane.\n#[derive(Clone)] struct Point { x: f64 }\n\
         impl Point {\n    /// How far it is.\n    fn length(&self) -> f64 { self.x }\n    fn copy(&self) -> Point { self.clone() }\n}\n\
         enum Side { Left, Right }\nmacro_rules! seven { () => { 7 } }\nlet point = Point { x: 1.0 };",
    );
    let assistant = bench.engine.assistant();
    let of = |source: &str| assistant.inspect(source, source.len()).unwrap_or_else(|| panic!("{source}")).plain;
    assert_eq!(of("double"), "fn double(x: i32) -> i32\n\ndouble of this session\n\nTwice as much.");
    assert!(of("Point").contains("A point\nof the plane."));
    assert_eq!(of("point.length"), "fn length(&self) -> f64\n\nPoint::length of this session\n\nHow far it is.");
    assert!(of("point").contains("let point: Point") && of("point").contains("struct Point"), "{}", of("point"));
    assert!(bench.value("?double").contains("Twice as much."));
    let has = |source: &str, wanted: &str| {
        let found = complete(&assistant, source);
        assert!(found.iter().any(|it| it == wanted), "{source}: {found:?}");
    };
    has("dou", "double");
    has("Poi", "Point");
    has("point.le", "point.length");
    has("point.copy().le", "point.copy().length");
    has("Side::Le", "Side::Left");
    has("sev", "seven");
    // What is defined anew is what it is now.
    bench.value("/// Twice as much, and wide.\nfn double(x: i64) -> i64 { 2 * x }");
    assert!(bench.engine.assistant().inspect("double", 6).unwrap().plain.starts_with("fn double(x: i64) -> i64"));
}

#[test]
fn documentation() {
    let mut bench = Bench::new();
    bench.value("let table = df![\"score\" => [1.0]]?; let numbers = vec![1];");
    let assistant = bench.engine.assistant();
    ready(&assistant);
    // A method is that of the receiver's type, not of any type that has one of the name.
    assert!(assistant.inspect("table.lazy", 10).unwrap().plain.contains("DataFrame::lazy of polars"));
    let of = |source: &str| assistant.inspect(source, source.len()).unwrap_or_else(|| panic!("{source}")).plain;
    assert!(of("table").contains("DataFrame") && of("table").contains("score"));
    assert!(of("Dataset::open").contains("pub fn open"));
    assert!(of(":spot").contains("Usage: :spot"));
    assert!(bench.value("?show").contains("pub fn show"));
    assert!(bench.value("?DataFrame::lazy").contains("LazyFrame"));
    assert!(bench.failure("?no_such_name").message.contains("no_such_name"));
}

#[test]
fn it_answers_while_a_cell_runs() {
    let mut bench = Bench::new();
    let assistant = bench.engine.assistant();
    ready(&assistant);
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
            let found = (complete(&assistant, ":robu"), complete(&assistant, "DataFr"));
            std::fs::write(&done, "").unwrap();
            assert_eq!(found.0, [":robustness "]);
            assert!(found.1.iter().any(|it| it == "DataFrame"));
        });
        bench.value(&cell);
    });
}
