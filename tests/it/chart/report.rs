//! The report as a file: one piece, nothing loaded, data stays data, every number in a table.

use roborm::chart::{self, Case, Cell, Column, Figure, Method, Palette, Report, Section, Table};
use serde_json::Value;

use super::markup::{scripts, tags};
use super::samples::{self, models};

fn hostile_report() -> Report {
    let words = samples::hostile();
    let mut table = Table::new(&words[0], [Column::text(&words[1]), Column::number("score", &words[0])]);
    let mut report = Report::new(&words[0]).subtitle(&words[1]).method(Method::default());
    let mut section = Section::new(&words[1]);
    for text in &words {
        table.push([Cell::text(text), Cell::Count(1)]);
        report = report.fact(text, text).warning(text).provenance(text, text);
        section = section.text(text);
    }
    let names: Vec<String> = words.clone();
    let palette = Palette::new(names.clone());
    let crossing = samples::crossing(&names);
    let plot = chart::crossing_by_model(&crossing, &Method::default(), &palette);
    report.section(
        section
            .table(table)
            .figure(Figure::new(&plot).note(&words[0]).table(chart::crossing_table(&crossing, &Method::default())))
            .figure(Figure::new(&chart::error_against_crossing(&samples::errors(&names), &Method::default(), &palette)))
            .figure(Figure::new(&chart::crossing_over_boundary(
                &samples::boundary(&names[..2]),
                &Method::default(),
                &palette,
            )))
            .cases([Case::new(samples::hostile_scores())]),
    )
}

#[test]
fn data_never_becomes_markup() {
    let html = hostile_report().to_html().expect("a report");
    let known = [
        "!doctype",
        "html",
        "head",
        "meta",
        "title",
        "link",
        "style",
        "body",
        "header",
        "h1",
        "h2",
        "h3",
        "p",
        "ul",
        "li",
        "dl",
        "div",
        "dt",
        "dd",
        "noscript",
        "main",
        "section",
        "figure",
        "figcaption",
        "script",
        "details",
        "summary",
        "table",
        "caption",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "small",
        "span",
        "article",
        "bdi",
        "q",
        "mark",
        "footer",
        "img",
    ];
    let tags = tags(&html);
    for tag in &tags {
        assert!(known.contains(&tag.name.trim_start_matches('/')), "<{} {}>", tag.name, tag.attributes);
        assert!(tag.attribute_names().all(|name| !name.starts_with("on")), "<{} {}>", tag.name, tag.attributes);
    }
    // The hostile report has no contact sheet, so any image would be one that data made.
    assert!(tags.iter().all(|tag| tag.name != "img"));
    let data = html.split_once("<script nonce").expect("plotly.js").0;
    assert!(!data.contains(['\u{202e}', '\u{0}', '\u{1b}']));
    // What was written is there to be read.
    assert!(html.contains("&#60;/script&#62;&#60;img src=x onerror=alert(1)&#62;"));
    assert!(html.contains("افتح الدرج العلوي"));
}

#[test]
fn nothing_is_loaded_from_anywhere() {
    let (report, _) = samples::full_report(&models(3));
    let html = report.to_html().expect("a report");
    for tag in tags(&html) {
        for attribute in ["src=", "href=", "srcset=", "action=", "poster=", "data="] {
            if let Some((_, value)) = tag.attributes.split_once(attribute) {
                assert!(value.starts_with("\"data:"), "<{} {}>", tag.name, &tag.attributes[..40]);
            }
        }
    }
    let style = html.split_once("<style>").and_then(|(_, rest)| rest.split_once("</style>")).expect("styles").0;
    assert!(!style.contains("url(") && !style.contains("@import"));
    let policy = html.split_once("Content-Security-Policy\" content=\"").expect("a policy").1.split_once('"');
    let policy = policy.expect("quoted").0;
    assert!(policy.starts_with("default-src 'none'; script-src 'nonce-"), "{policy}");
    let run = scripts(&html).into_iter().filter(|(attributes, _)| !attributes.contains("application/json"));
    let nonce = policy.split_once("'nonce-").and_then(|(_, rest)| rest.split_once('\'')).expect("a nonce").0;
    assert_eq!(nonce.len(), 32);
    let attributes: Vec<&str> = run.map(|(attributes, _)| attributes).collect();
    assert_eq!(attributes, [format!(" nonce=\"{nonce}\""), format!(" nonce=\"{nonce}\"")]);
}

#[test]
fn plotly_comes_once_and_only_where_needed() {
    let (report, charts) = samples::full_report(&models(1));
    let html = report.to_html().expect("a report");
    assert_eq!(html.matches("* plotly.js v").count(), 1);
    assert!(!html.contains("MathJax="), "no MathJax beside it");
    assert_eq!(html.matches("class=\"roborm-plot\"").count(), charts);
    let bare = Report::new("no charts").section(Section::new("a").text("b")).to_html().expect("a report");
    assert!(bare.len() < 20_000, "{} bytes", bare.len());
    assert!(!bare.contains("<script"));
}

#[test]
fn chart_data_is_valid_json_that_stays_in_its_script() {
    for report in [hostile_report(), samples::full_report(&models(18)).0] {
        let html = report.to_html().expect("a report");
        let mut seen = 0;
        for (attributes, text) in scripts(&html).iter().filter(|(attributes, _)| attributes.contains("json")) {
            assert!(!text.contains(['<', '>', '&', '\u{2028}', '\u{2029}']), "{attributes}");
            let json: Value = serde_json::from_str(text).expect("valid JSON");
            assert!(json["data"].is_array() && json["layout"].is_object());
            assert!(json["layout"]["title"]["text"].as_str().is_some_and(|title| title.contains("n = ")));
            seen += 1;
        }
        assert!(seen >= 3);
    }
}

#[test]
fn the_tables_carry_every_number() {
    let (report, _) = samples::full_report(&models(1));
    let html = report.to_html().expect("a report");
    let text = html.split_once("<footer>").expect("a footer").0;
    // Crossing, boundary (0.3 * 1.1), error and crossing, a cell of the confusion, a wording's score.
    for number in ["0.153 [0.123, 0.193]", "0.330 [0.300, 0.360]", "0.700", "2,100", "2,831", "41,210", "3.5"] {
        assert!(text.contains(&format!(">{number}</td>")), "{number}");
    }
    assert!(text.contains(">–</td>"), "a column without a figure shows a dash");
    assert!(text.contains(">unparsed</td>"));
    // Prose says what the numbers rest on.
    for fact in ["2,000 resamples", "seed 0", "above 3.5", "at least two readable replies"] {
        assert!(text.contains(fact), "{fact}");
    }
}

#[test]
fn cases_come_worst_first_with_the_smallest_flip() {
    let (report, _) = samples::full_report(&models(1));
    let html = report.to_html().expect("a report");
    let (drawer, cup) = (html.find("<bdi>drawer</bdi>").expect("drawer"), html.find("<bdi>cup</bdi>").expect("cup"));
    assert!(drawer < cup, "the one that crosses comes first");
    assert!(
        html.contains(
            "Scored from 1 to 5 by wording alone: 8 success, 4 failure. True progress 5 (success). 1 unparsed."
        )
    );
    assert!(html.contains("Scored 2 under every wording: always failure. True progress 2 (failure)."));
    // "open the top drawer" (5) and "open up the highest drawer" (3) differ in "top" against "up … highest": three words,
    // fewer than any other pair of a success and a failure.
    assert!(html.contains("open the <mark>top</mark> drawer"), "what the success has");
    assert!(html.contains("open <mark>up</mark> the <mark>highest</mark> drawer"), "what the failure has");
    assert_eq!(html.matches("smallest rewording that flips").count(), 1);
}

#[test]
fn pictures_say_what_they_show() {
    let (report, _) = samples::full_report(&models(1));
    let html = report.to_html().expect("a report");
    let image = tags(&html).into_iter().find(|tag| tag.name == "img").expect("a contact sheet");
    assert!(image.attributes.starts_with("src=\"data:image/png;base64,iVBORw0KGgo"));
    let alt = "alt=\"A gripper opens the top drawer. 4 frames at 0.0, 1.0, 2.0, 3.0 s.\"";
    assert!(image.attributes.contains(alt), "{alt}");
    assert!(image.attributes.contains("width=\"640\" height=\"90\""));
}

#[test]
fn headings_and_tables_are_in_order() {
    let html = samples::full_report(&models(2)).0.to_html().expect("a report");
    let tags = tags(&html);
    let levels: Vec<u8> =
        tags.iter().filter_map(|tag| tag.name.strip_prefix('h').and_then(|level| level.parse().ok())).collect();
    assert_eq!(levels.iter().filter(|level| **level == 1).count(), 1);
    assert!(levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "no level is left out: {levels:?}");
    let count = |name: &str| tags.iter().filter(|tag| tag.name == name).count();
    assert_eq!(count("table"), count("caption"));
    for pair in ["section", "figure", "table", "details", "article", "div", "dl", "ul", "td", "tr", "main", "footer"] {
        assert_eq!(count(pair), count(&format!("/{pair}")), "{pair}");
    }
}

#[test]
fn writing_is_all_or_nothing_and_the_same_each_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("report.html");
    let (report, _) = samples::full_report(&models(1));
    report.write(&path).expect("written");
    let first = std::fs::read(&path).expect("there");
    report.write(&path).expect("written over");
    assert_eq!(first, std::fs::read(&path).expect("there"));
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1, "nothing else is left");

    let missing = folder.path().join("no/such/folder/report.html");
    let error = report.write(&missing).expect_err("no folder");
    assert!(error.to_string().starts_with(&format!("cannot write {}", missing.display())), "{error}");
    assert!(error.help().is_some());
    assert_eq!(error.exit_status(), 1);
}

#[test]
fn a_fragment_stands_alone() {
    let plot = chart::trajectory_scores(&samples::hostile_scores());
    let html = chart::fragment(&plot).expect("a fragment");
    assert_eq!(html.matches("* plotly.js v").count(), 1);
    let json = scripts(&html).into_iter().find(|(attributes, _)| attributes.contains("json")).expect("data").1;
    assert_eq!(serde_json::from_str::<Value>(json).expect("JSON"), chart::plotly_json(&plot).expect("JSON"));
    for tag in tags(&html) {
        assert!(["style", "figure", "div", "script"].contains(&tag.name.trim_start_matches('/')), "<{}>", tag.name);
        assert!(tag.attribute_names().all(|name| name != "src" && name != "href"), "<{}>", tag.name);
    }
}
