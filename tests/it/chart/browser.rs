//! The report in a real browser, with the network off.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use roborm::chart;

use super::markup::tags;
use super::samples::{self, models};

/// A Chromium on the path, or `None` after saying that the test is skipped.
fn chromium() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let found = std::env::split_paths(&folders)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|path| path.is_file());
    if found.is_none() {
        eprintln!("skipped: no chromium on the path");
    }
    found
}

/// The page's elements after its scripts have run, and what the browser had to say.
fn dump(chromium: &Path, page: &Path, dark: bool) -> (String, String) {
    dump_in(chromium, page, dark, 1000)
}

/// The same in a window of so many pixels across.
fn dump_in(chromium: &Path, page: &Path, dark: bool, across: usize) -> (String, String) {
    let profile = tempfile::tempdir().expect("a profile");
    let mut command = Command::new(chromium);
    command.args([
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--host-resolver-rules=MAP * ~NOTFOUND",
        "--proxy-server=127.0.0.1:9",
        "--enable-logging=stderr",
        "--timeout=120000",
        "--virtual-time-budget=20000",
        "--dump-dom",
    ]);
    if dark {
        command.arg("--blink-settings=preferredColorScheme=0");
    }
    command.arg(format!("--window-size={across},900"));
    command.arg(format!("--user-data-dir={}", profile.path().display())).arg(format!("file://{}", page.display()));
    let output = command.stdin(Stdio::null()).output().expect("chromium runs");
    (String::from_utf8_lossy(&output.stdout).into_owned(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Kept for a look at them.
fn page(name: &str, html: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, html).expect("written");
    path
}

/// What the page's own scripts complained of, CSP violations included.
fn complaints(log: &str) -> Vec<&str> {
    log.lines().filter(|line| line.contains("CONSOLE")).collect()
}

#[test]
fn on_a_phone_the_buttons_have_a_line_above_the_legend() {
    let Some(chromium) = chromium() else { return };
    let (report, _) = samples::full_report(&models(3));
    let html = report.to_html().expect("a report");
    let rule = ".roborm-plot.roborm-narrow .modebar-container { top: -30px !important; }";
    assert!(html.contains(rule) && html.contains(".roborm-plot.roborm-narrow { padding-top: 30px; }"));
    let page = page("report-phone.html", &html);
    let narrow = |across: usize| {
        let (dom, _) = dump_in(&chromium, &page, false, across);
        let drawn = dom.split("<main").nth(1).unwrap_or_default().to_owned();
        drawn.matches("roborm-plot js-plotly-plot roborm-narrow").count()
            + drawn.matches("roborm-plot roborm-narrow").count()
    };
    // Those with a legend: crossing by model, over the boundary, error against crossing, and two trajectories.
    assert!(narrow(500) >= 3, "{}", narrow(500));
    assert_eq!(narrow(1000), 0);
}

#[test]
fn every_chart_draws_without_a_network() {
    let Some(chromium) = chromium() else { return };
    for (count, dark) in [(1, false), (18, true)] {
        let (report, charts) = samples::full_report(&models(count));
        let html = report.to_html().expect("a report");
        let (dom, log) = dump(&chromium, &page(&format!("report-{count}.html"), &html), dark);
        let drawn = dom.split("<main").nth(1).unwrap_or_default();
        assert_eq!(drawn.matches("data-drawn=\"yes\"").count(), charts, "{log}");
        // One drawing a chart; plotly puts a second one (hover and legend) beside it.
        assert!(drawn.matches("class=\"main-svg\"").count() >= charts);
        assert!(drawn.contains("score-crossing rate (0 to 1)"), "axis titles are drawn");
        // Lexical is drawn in blue, #0072b2 or its partner on dark paper, #5ab4f0.
        assert_eq!(drawn.contains("rgb(90, 180, 240)"), dark, "colours follow the theme");
        assert_eq!(drawn.contains("rgb(0, 114, 178)"), !dark, "colours follow the theme");
        assert!(complaints(&log).is_empty(), "{:?}", complaints(&log));
    }
}

#[test]
fn hostile_words_are_only_words() {
    let Some(chromium) = chromium() else { return };
    let scores = samples::hostile_scores();
    let html = chart::Report::new("hostile")
        .section(chart::Section::new("a").cases([chart::Case::new(scores.clone())]))
        .to_html()
        .expect("a report");
    let fragment = chart::fragment(&chart::trajectory_scores(&scores)).expect("a fragment");
    for (name, html) in [("hostile.html", html), ("fragment.html", format!("<!doctype html><body>{fragment}</body>"))] {
        let (dom, log) = dump(&chromium, &page(name, &html), false);
        assert!(dom.contains("data-drawn=\"yes\""), "{name}: {log}");
        for tag in tags(&dom) {
            let from_data = matches!(tag.name.as_str(), "img" | "b") || tag.attributes.contains("href=\"javascript");
            assert!(!from_data, "{name}: <{} {}>", tag.name, tag.attributes);
            assert!(tag.attribute_names().all(|name| !name.starts_with("on")), "{name}: {}", tag.attributes);
        }
        assert!(complaints(&log).is_empty(), "{name}: {:?}", complaints(&log));
    }
}
