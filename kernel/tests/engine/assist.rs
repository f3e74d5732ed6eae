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
fn documentation() {
    let mut bench = Bench::new();
    bench.value("let table = df![\"score\" => [1.0]]?; let numbers = vec![1];");
    let assistant = bench.engine.assistant();
    ready(&assistant);
    // A method is that of the receiver's type, not of any type that has one of the name.
    assert!(assistant.inspect("table.lazy", 10).unwrap().plain.contains("DataFrame::lazy of polars"));
    assert!(assistant.inspect("numbers.push", 12).is_none());
    assert!(assistant.inspect("String", 6).is_none());
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
