//! What each chart holds.

use proptest::prelude::*;
use roborm::chart::{
    self, BoundaryPoint, Confusion, CrossingPoint, ErrorPoint, Method, Palette, ScorePoint, TrajectoryScores,
};
use roborm::plotly::Plot;
use serde_json::Value;

use super::samples::{self, models};

fn json(plot: &Plot) -> Value {
    chart::plotly_json(plot).expect("a chart of the crate's own")
}

fn title(json: &Value) -> &str {
    json["layout"]["title"]["text"].as_str().expect("a title")
}

fn trace<'a>(json: &'a Value, name: &str) -> &'a Value {
    let traces = json["data"].as_array().expect("traces");
    traces.iter().find(|trace| trace["name"] == name).unwrap_or_else(|| panic!("no trace {name}"))
}

/// All five charts of a study.
fn every_chart(models: &[String]) -> Vec<Value> {
    let (method, palette) = (Method::default(), Palette::new(models.to_vec()));
    let model = models.first().map_or("nobody", String::as_str);
    [
        chart::crossing_by_model(&samples::crossing(models), &method, &palette),
        chart::crossing_over_boundary(&samples::boundary(models), &method, &palette),
        chart::error_against_crossing(&samples::errors(models), &method, &palette),
        chart::confusion(&samples::confusion(model)),
        chart::trajectory_scores(&samples::drawer(model)),
    ]
    .iter()
    .map(json)
    .collect()
}

#[test]
fn every_chart_says_its_title_units_and_n() {
    for count in [0, 1, 3, 18] {
        for json in every_chart(&models(count)) {
            let title = title(&json);
            assert!(title.starts_with("<b>"), "{title}");
            assert!(title.contains("n = "), "{title}");
            for axis in ["xaxis", "yaxis"] {
                let text = json["layout"][axis]["title"]["text"].as_str().expect("an axis title");
                assert!(text == "model" || text == "strategy of the wording" || text.contains('('), "unit of {text}");
            }
        }
    }
}

#[test]
fn crossing_rates_stand_where_they_were_measured() {
    let json = json(&chart::crossing_by_model(
        &samples::crossing(&models(2)),
        &Method { seed: 7, ..Method::default() },
        &Palette::default(),
    ));
    // GPT-5.1's published rates; the second model's are 0.021 higher.
    for (strategy, rates) in
        [("lexical", [0.153, 0.174]), ("structural", [0.204, 0.225]), ("adversarial", [0.3, 0.321])]
    {
        let x = trace(&json, strategy)["x"].as_array().expect("rates");
        for (drawn, rate) in x.iter().zip(rates) {
            assert!((drawn.as_f64().expect("a rate") - rate).abs() < 1e-12, "{strategy} {drawn} {rate}");
        }
    }
    let title = title(&json);
    for fact in ["n = 2,831 trajectories", "score above 3.5", "95 % intervals", "2,000 resamples", "seed 7"] {
        assert!(title.contains(fact), "{fact} in {title}");
    }
    assert!(title.contains("no figure (n = 0): original"), "{title}");
    assert_eq!(json["layout"]["yaxis"]["ticktext"][0], "openai/gpt-5.1");
}

#[test]
fn a_group_without_a_figure_is_a_gap_not_a_zero() {
    let points = [
        CrossingPoint::new("a", "lexical", Some(0.25), None, 8),
        CrossingPoint::new("b", "lexical", None, None, 0),
        CrossingPoint::new("c", "lexical", Some(f64::NAN), Some((0.0, 0.0)), 3),
        // A rate over nothing is no rate, whatever its value.
        CrossingPoint::new("d", "lexical", Some(0.0), Some((0.0, 0.0)), 0),
    ];
    let method = Method::default();
    let drawn = json(&chart::crossing_by_model(&points, &method, &Palette::default()));
    assert_eq!(trace(&drawn, "lexical")["x"], serde_json::json!([0.25, null, null, null]));
    let notes = drawn["layout"]["annotations"].as_array().expect("notes");
    assert_eq!(notes.iter().filter(|note| note["text"] == "n = 0").count(), 3);
    // No interval is drawn for any of them: one of length 0 would read as certainty.
    assert_eq!(drawn["data"][0]["x"], serde_json::json!([]));

    let boundary = |boundary, rate, n| BoundaryPoint {
        model: "a".into(),
        strategy: "lexical".into(),
        boundary,
        rate,
        interval: None,
        n,
    };
    let points = [boundary(1.5, Some(0.5), 4), boundary(2.5, None, 0), boundary(3.5, Some(0.25), 4)];
    let drawn = json(&chart::crossing_over_boundary(&points, &method, &Palette::default()));
    let line = trace(&drawn, "lexical");
    assert_eq!(line["y"], serde_json::json!([0.5, null, 0.25]));
    assert_eq!(line["connectgaps"], false);

    let drawn = json(&chart::confusion(&samples::confusion("a")));
    // True progress 4 occurs in no pair: its column is empty in all five rows. 5 occurs in 2,120, 2,100 of them right.
    for row in 0..5 {
        assert_eq!(drawn["data"][0]["z"][row][3], Value::Null);
    }
    assert_eq!(drawn["data"][0]["z"][4][4], 2100.0 / 2120.0);
    assert_eq!(drawn["data"][0]["z"][0][0], 90.0 / 120.0);
}

#[test]
fn points_that_lack_a_figure_are_counted_not_drawn() {
    let mut points = samples::errors(&models(1));
    points[0].mean_error = None;
    points[1].crossing_n = 0;
    let drawn = json(&chart::error_against_crossing(&points, &Method::default(), &Palette::default()));
    assert!(title(&drawn).contains("2 without both figures, not drawn"), "{}", title(&drawn));
    // The adversarial point of the first model: error 0.6 + 0.05 * 2, crossing 0.300.
    let only = trace(&drawn, "openai/gpt-5.1");
    assert_eq!((&only["x"], &only["y"]), (&serde_json::json!([0.7]), &serde_json::json!([0.3])));
}

#[test]
fn empty_charts_say_why() {
    let (method, palette) = (Method::default(), Palette::default());
    let empty = TrajectoryScores { points: Vec::new(), ..samples::drawer("m") };
    let nothing = Confusion { model: "m".into(), strategy: None, counts: [[0; 5]; 5], unparsed: 0 };
    let none: [ErrorPoint; 0] = [];
    for plot in [
        chart::crossing_by_model(&[], &method, &palette),
        chart::crossing_over_boundary(&[], &method, &palette),
        chart::error_against_crossing(&none, &method, &palette),
        chart::confusion(&nothing),
        chart::trajectory_scores(&empty),
    ] {
        let json = json(&plot);
        assert!(title(&json).contains("n = 0"), "{}", title(&json));
        let notes = json["layout"]["annotations"].as_array().expect("a note");
        assert!(notes.iter().any(|note| note["text"].as_str().is_some_and(|text| text.starts_with("No "))));
    }
}

#[test]
fn simulated_figures_are_named_as_such() {
    for (name, simulated) in [
        ("simulated", true),
        ("simulated:gpt-5.1", true),
        ("simulated-2", true),
        ("simulatedly", false),
        ("openai/gpt-5.1", false),
        ("not simulated", false),
    ] {
        assert_eq!(chart::is_simulated(name), simulated, "{name}");
        for json in every_chart(&[name.to_owned()]) {
            assert_eq!(title(&json).contains("simulated model: not the figures of a real one"), simulated, "{name}");
        }
    }
}

#[test]
fn flips_are_held_against_the_original_instruction() {
    let scores = samples::drawer("m");
    // Of the twelve readable scores 5 5 4 3 4 5 4 4 2 3 4 1 the four at or below 3.5 differ from the original's 5.
    let flips: Vec<f64> = scores.points.iter().filter(|p| scores.flips(p)).filter_map(|p| p.score).collect();
    assert_eq!(flips, [3.0, 2.0, 3.0, 1.0]);
    assert_eq!(scores.verdicts(), (8, 4));
    assert_eq!(scores.range(), Some((1.0, 5.0)));
    assert!(scores.crosses());
    let drawn = json(&chart::trajectory_scores(&scores));
    assert_eq!(trace(&drawn, "flips")["y"], serde_json::json!(flips));
    assert_eq!(trace(&drawn, "same verdict")["y"].as_array().map(Vec::len), Some(8));
    for fact in ["n = 12 wordings", "4 flip", "1 unparsed, not drawn", "score above 3.5"] {
        assert!(title(&drawn).contains(fact), "{fact} in {}", title(&drawn));
    }

    // Without the original's score the label decides: 5 is a success.
    let mut scores = scores;
    scores.points[0].score = None;
    assert_eq!(scores.reference(), Some(true));
    // Without a label either, nothing is called a flip, yet the trajectory crosses.
    scores.label = None;
    assert_eq!(scores.reference(), None);
    assert!(!scores.points.iter().any(|point| scores.flips(point)));
    assert!(scores.crosses());
    assert!(!samples::steady("m").crosses());
    // A score on the boundary is a failure.
    assert!(!TrajectoryScores { boundary: 4.0, ..scores }.success(4.0));
}

#[test]
fn equal_scores_stand_side_by_side() {
    let points = (0..9).map(|i| ScorePoint::new("lexical", format!("wording {i}"), Some(4.0))).collect();
    let scores = TrajectoryScores { points, ..samples::drawer("m") };
    let drawn = json(&chart::trajectory_scores(&scores));
    let mut x: Vec<f64> = trace(&drawn, "same verdict")["x"]
        .as_array()
        .expect("places")
        .iter()
        .map(|x| x.as_f64().expect("a place"))
        .collect();
    x.sort_by(f64::total_cmp);
    assert!(x.windows(2).all(|pair| pair[1] - pair[0] > 0.05), "{x:?}");
    assert!(x.iter().all(|x| x.abs() <= 0.45), "inside its column: {x:?}");
    assert!(x.iter().sum::<f64>().abs() < 1e-9, "centred: {x:?}");
}

#[test]
fn a_model_keeps_its_mark_in_every_chart() {
    let names = models(18);
    let (method, palette) = (Method::default(), Palette::new(names.clone()));
    let whole = json(&chart::error_against_crossing(&samples::errors(&names), &method, &palette));
    let part = json(&chart::error_against_crossing(&samples::errors(&names[7..9]), &method, &palette));
    let lines = json(&chart::crossing_over_boundary(&samples::boundary(&names), &method, &palette));
    let last = whole["data"][7]["name"].as_str().expect("a name");
    for other in [&part, &lines] {
        for field in ["color", "symbol"] {
            assert_eq!(trace(&whole, last)["marker"][field], trace(other, last)["marker"][field]);
        }
    }
    let marks: std::collections::HashSet<String> =
        names.iter().map(|name| palette.model(name)).map(|mark| format!("{} {:?}", mark.color, mark.symbol)).collect();
    assert_eq!(marks.len(), 18);
}

/// Colour and symbol of a chart's legend entries, by name.
fn marks(drawn: &Value) -> Vec<(String, String)> {
    let traces = drawn["data"].as_array().expect("traces");
    let named = traces.iter().filter(|trace| trace["name"].is_string() && trace["showlegend"] != false);
    named.map(|trace| (trace["name"].to_string(), trace["marker"].to_string())).collect()
}

#[test]
fn strategies_of_any_name_are_told_apart() {
    let owned = |n: usize, name: &dyn Fn(usize) -> String| -> Vec<String> {
        ["original", "lexical", "structural", "adversarial"]
            .map(str::to_owned)
            .into_iter()
            .chain((0..n).map(name))
            .collect()
    };
    let long = |n: usize| format!("a very long name of a strategy that nobody would ever choose but for number {n}");
    for names in [owned(5, &|n| format!("s{n}")), owned(24, &|n| format!("s{n}")), owned(50, &long)] {
        let crossing: Vec<CrossingPoint> =
            names.iter().map(|name| CrossingPoint::new("m", name.as_str(), Some(0.5), None, 2)).collect();
        let boundary: Vec<BoundaryPoint> = names
            .iter()
            .map(|name| BoundaryPoint {
                model: "m".into(),
                strategy: name.as_str().into(),
                boundary: 3.5,
                rate: Some(0.5),
                interval: None,
                n: 2,
            })
            .collect();
        // A palette that knows nothing, one that knows all, and one that was told of some.
        let strategies: Vec<_> = crossing.iter().map(|point| point.strategy.clone()).collect();
        for palette in [
            Palette::default(),
            Palette::default().strategies(&strategies),
            Palette::new(["m"]).strategies(&strategies[6..]),
        ] {
            let by_model = json(&chart::crossing_by_model(&crossing, &Method::default(), &palette));
            let over = json(&chart::crossing_over_boundary(&boundary, &Method::default(), &palette));
            for drawn in [&by_model, &over] {
                let marks = marks(drawn);
                assert_eq!(marks.len(), names.len());
                let looks: std::collections::HashSet<&String> = marks.iter().map(|(_, look)| look).collect();
                let labels: std::collections::HashSet<&String> = marks.iter().map(|(name, _)| name).collect();
                assert_eq!((looks.len(), labels.len()), (names.len(), names.len()), "{marks:?}");
            }
        }
        // What a report's palette was told of looks alike in every chart, whichever strategies that one shows.
        let palette = Palette::default().strategies(&strategies);
        let part = json(&chart::crossing_by_model(&crossing[7..9], &Method::default(), &palette));
        let whole = json(&chart::crossing_by_model(&crossing, &Method::default(), &palette));
        let of_whole = marks(&whole);
        assert!(marks(&part).iter().all(|(_, look)| of_whole.iter().any(|(_, other)| other == look)), "{part}");
    }
}

#[test]
fn models_without_a_palette_of_theirs_are_told_apart() {
    let names: Vec<String> = (0..24).map(|n| format!("model-{n}")).collect();
    let drawn = json(&chart::error_against_crossing(&samples::errors(&names), &Method::default(), &Palette::default()));
    let looks: std::collections::HashSet<String> = marks(&drawn).into_iter().map(|(_, look)| look).collect();
    assert_eq!(looks.len(), names.len());
}

#[test]
fn many_strategies_fit_and_say_what_is_left_out() {
    let mut points = Vec::new();
    for model in ["a", "b"] {
        for strategy in 0..11 {
            points.push(BoundaryPoint {
                model: model.into(),
                strategy: format!("s{strategy:02}").as_str().into(),
                boundary: 3.5,
                rate: Some(0.5),
                interval: None,
                n: 2,
            });
        }
    }
    let drawn = json(&chart::crossing_over_boundary(&points, &Method::default(), &Palette::default()));
    assert!(title(&drawn).contains("first 8 of 11 strategies; the table has all"));
    assert!(drawn["layout"]["yaxis8"].is_object() && !drawn["layout"]["yaxis9"].is_object());
    assert_eq!(chart::boundary_table(&points, &Method::default()).len(), 22);
}

#[test]
fn charts_outlive_what_they_were_made_from() {
    fn owned<T: 'static>(value: T) -> T {
        value
    }
    let plot = {
        let points = samples::crossing(&models(1));
        owned(chart::crossing_by_model(&points, &Method::default(), &Palette::default()))
    };
    assert!(plot.to_json().contains("0.153"));
}

/// Every string of a chart that plotly would read as its dialect of HTML.
fn labels(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| labels(item, found)),
        Value::Object(map) => map.values().for_each(|item| labels(item, found)),
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_label_holds_markup_from_data(text in "[<>&\"'/a-z \u{202e}\u{0}\u{5d0}]{1,80}", score in 1.0..5.0_f64) {
        let scores = TrajectoryScores {
            config: String::new(),
            dataset: String::new(),
            trajectory: text.clone(),
            task: text.clone(),
            model: text.clone(),
            label: None,
            boundary: 3.5,
            points: vec![ScorePoint::new(text.as_str(), text.clone(), Some(score))],
        };
        let points = [CrossingPoint::new(text.clone(), text.as_str(), Some(0.5), None, 2)];
        let (method, palette) = (Method::default(), Palette::default());
        for plot in [chart::trajectory_scores(&scores), chart::crossing_by_model(&points, &method, &palette)] {
            let mut found = Vec::new();
            labels(&json(&plot), &mut found);
            for label in found {
                let own = ["<b>", "</b>", "<br>", "<span style=\"font-size: 13px\">", "</span>"];
                let rest = own.iter().fold(label.clone(), |rest, tag| rest.replace(tag, ""));
                prop_assert!(!rest.contains(['<', '>', '\u{0}', '\u{202e}']), "{label}");
            }
        }
    }

    #[test]
    fn hover_labels_are_narrow(words in prop::collection::vec("[a-zé漢🦾]{1,200}", 1..60)) {
        let scores = TrajectoryScores {
            config: String::new(),
            dataset: String::new(),
            points: vec![ScorePoint::new("lexical", words.join(" "), Some(2.0))],
            ..samples::drawer("m")
        };
        let drawn = json(&chart::trajectory_scores(&scores));
        let label = trace(&drawn, "flips")["hovertext"][0].as_str().expect("a label");
        let lines: Vec<&str> = label.split("<br>").collect();
        prop_assert!(lines.len() <= 12, "{} lines", lines.len());
        for line in &lines[2..] {
            prop_assert!(unicode_width::UnicodeWidthStr::width(*line) <= 48, "{line}");
        }
    }
}
