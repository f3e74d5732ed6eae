//! Commands and Rust in one world.

use crate::bench::{Bench, Told, text};

#[test]
fn what_a_command_opens_is_there_for_rust() {
    let mut bench = Bench::new();
    assert!(text(&bench.failure("data()?")).contains("no dataset is open"));
    bench.value(":open demo");
    assert_eq!(bench.value("data()?.len()"), "8");
    bench.value(":next");
    assert_eq!(bench.value("trajectory()?.id"), "\"drawer\"");
}

#[test]
fn what_rust_opens_is_there_for_commands() {
    let mut bench = Bench::new();
    bench.value("open(\"demo\")?;");
    bench.told();
    bench.value(":next");
    assert!(matches!(bench.told().as_slice(), [Told::Shown(text, false)] if text.starts_with("drawer")));
}

#[test]
fn scores_go_both_ways() {
    let mut bench = Bench::new();
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("ledger.db");
    bench.value(&format!(":open demo\n:spot bowl --model simulated --ledger '{}'", ledger.display()));
    let rows = bench.value("let table = scores()?; table.len()");
    assert!(rows.parse::<u32>().unwrap() > 5, "{rows}");
    let html = bench.bundle("table").data["text/html"].as_str().unwrap().to_owned();
    assert!(html.contains("verdict") && (html.contains('✓') || html.contains('✗')), "{html}");
    // A value by its name; one that is no score table says so.
    bench.value("let frame = table.frame().clone(); let other = df![\"a\" => [1]]?;");
    bench.told();
    bench.value(":robustness $frame");
    assert!(matches!(bench.told().as_slice(), [Told::Shown(text, false)] if text.contains("simulated")));
    assert!(text(&bench.failure(":robustness $other")).contains("$other is no score table"));
    assert!(text(&bench.failure(":robustness $fram")).contains("did you mean $frame"));
    bench.value("keep(&ScoreTable::from_frame(frame.clone().head(Some(3)))?);");
    bench.told();
    bench.value(":scores");
    assert!(matches!(bench.told().as_slice(), [Told::Shown(text, false)] if text.contains("3 scores")));
}

#[test]
fn progress_is_one_display_that_is_updated() {
    let mut bench = Bench::new();
    let folder = tempfile::tempdir().unwrap();
    let (ledger, out) = (folder.path().join("ledger.db"), folder.path().join("scores.parquet"));
    bench.value(&format!(
        ":score demo --model simulated --limit 2 --ledger '{}' --out '{}'",
        ledger.display(),
        out.display()
    ));
    let bundles = bench.bundles.lock().unwrap();
    let bars: Vec<_> =
        bundles.iter().filter(|(_, _, it)| it.data["text/plain"].as_str().unwrap().starts_with("scoring")).collect();
    assert!(bars.len() >= 2, "{bundles:?}");
    assert!(bars.iter().all(|bar| bar.0 == bars[0].0 && bar.0.is_some()));
    assert!(!bars[0].1 && bars[1..].iter().all(|bar| bar.1), "the first shows, the others replace");
}

#[test]
fn frames_are_a_contact_sheet() {
    let mut bench = Bench::new();
    bench.value(":frames demo#bowl --max 4");
    let bundles = bench.bundles.lock().unwrap();
    let picture = bundles.iter().find(|(_, _, it)| it.data.contains_key("image/png")).expect("a picture");
    assert!(picture.2.metadata["image/png"]["width"].as_u64().unwrap() > 100);
}

#[test]
fn commands_stand_between_rust() {
    let mut bench = Bench::new();
    assert_eq!(bench.value("let before = 1;\n:open demo\nbefore + data()?.len() as i32"), "9");
}

#[test]
fn an_unknown_command_has_a_neighbour() {
    let mut bench = Bench::new();
    let said = text(&bench.failure(":spto bowl"));
    assert!(said.contains("no command :spto") && said.contains(":spot"), "{said}");
    assert!(text(&bench.failure(":spot --nonsense")).contains("--nonsense"));
    bench.value(":help");
    assert!(matches!(bench.told().last(), Some(Told::Shown(text, false)) if text.contains(":robustness")));
}

#[test]
fn text_fits_the_width_that_there_is() {
    let mut bench = Bench::new();
    bench.value("let wide = df![\"name\" => [\"a\".repeat(60)], \"other\" => [\"b\".repeat(60)], \"third\" => [1]]?;");
    let widest = |text: &str| text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    for columns in [40, 72] {
        bench.engine.set_columns(Some(columns));
        let shown = bench.value("wide");
        assert!(widest(&shown) <= columns, "{columns}: {shown}");
        bench.told();
        bench.value("println!(\"{wide}\");");
        let printed = bench.told();
        assert!(matches!(printed.as_slice(), [Told::Out(text)] if widest(text) <= columns), "{printed:?}");
        bench.value(":trajectories demo");
        let listed = bench.told();
        assert!(
            matches!(listed.as_slice(), [Told::Shown(text, false)] if widest(text) <= columns),
            "{columns}: {listed:?}"
        );
    }
    // Whoever has no width sees all of it.
    bench.engine.set_columns(None);
    bench.value(":trajectories demo");
    assert!(matches!(bench.told().as_slice(), [Told::Shown(text, false)] if widest(text) > 72));
}

#[test]
fn json_is_json() {
    let mut bench = Bench::new();
    bench.value(":trajectories demo --json");
    let bundles = bench.bundles.lock().unwrap();
    assert_eq!(bundles[0].2.data["application/json"].as_array().unwrap().len(), 8);
}

#[test]
fn scores_read_as_a_table() {
    let mut bench = Bench::new();
    let folder = tempfile::tempdir().unwrap();
    let (ledger, out) = (folder.path().join("ledger.db"), folder.path().join("scores.parquet"));
    bench.value(&format!(
        ":open demo\n:score --model simulated-steady --limit 1 --seed 1 --ledger '{}' --out '{}'",
        ledger.display(),
        out.display()
    ));
    let table = bench.bundle("scores()?");
    let text = crate::bench::plain(&table);
    let head = text.lines().find(|line| line.contains("score")).unwrap_or_else(|| panic!("{text}"));
    let words: Vec<&str> = head.split_whitespace().collect();
    assert_eq!(words, ["verdict", "score", "trajectory", "strategy", "instruction"], "{text}");
    assert!(text.contains("original") && text.contains("rows ×") && text.contains('✗'), "{text}");
    assert!(text.lines().count() < 60 && !text.contains('┌') && !text.contains("Some("), "{text}");
    // The other form has all columns.
    assert!(table.data["text/html"].as_str().unwrap().contains("prompt_version"));
}
