//! Figures to draw: a plain study, a study of eighteen models, one full of gaps, and text that means harm.

use std::sync::Arc;

use roborm::chart::{
    self, BoundaryPoint, Case, Confusion, ContactSheet, CrossingPoint, ErrorPoint, Figure, Method, Palette, Report,
    ScorePoint, Section, TrajectoryScores,
};
use roborm::dataset::Label;
use roborm::frames::EncodedImage;

pub const STRATEGIES: [&str; 3] = ["lexical", "structural", "adversarial"];

/// Text that ends a script, opens a tag, names a handler, reorders what follows, or is just long.
pub fn hostile() -> Vec<String> {
    vec![
        "</script><img src=x onerror=alert(1)>".to_owned(),
        "<!-- <b>open</b> --> & \"the\" 'drawer' <a href=\"javascript:alert(1)\">x</a>".to_owned(),
        "افتح الدرج العلوي ثم ضع الكوب بداخله".to_owned(),
        "פתח את המגירה העליונה \u{202e}rewarD eht nepO".to_owned(),
        "🦾 öffne die Schublade 👩🏽‍🔧 \u{2028} next\u{2029} \u{0} \u{1b}[31mred".to_owned(),
        "%{x} $\\frac{1}{2}$ {{ title }} {% raw %} ${alert(1)}".to_owned(),
        "pull the drawer that is not the one below ".repeat(72),
        "x".repeat(3000),
    ]
}

pub fn models(n: usize) -> Vec<String> {
    let names = [
        "openai/gpt-5.1",
        "openai/gpt-4o",
        "google/gemini-3-flash",
        "google/gemini-2.5-flash",
        "google/gemini-2.5-flash-lite",
        "anthropic/claude-sonnet-4.6",
        "anthropic/claude-haiku-4.5",
        "qwen/qwen3-vl-235b-a22b-instruct",
        "qwen/qwen3-vl-235b-a22b-thinking",
        "qwen/qwen3-vl-32b",
        "qwen/qwen3-vl-8b",
        "qwen/qwen3-vl-4b",
        "qwen/qwen3-vl-2b",
        "google/gemma-3-27b",
        "google/gemma-3-12b",
        "google/gemma-3-4b",
        "meta/llama-4-maverick",
        "RoboReward-8B",
    ];
    names.iter().take(n).map(|name| (*name).to_owned()).collect()
}

/// GPT-5.1's published rates for the first model; later ones a little higher each.
fn rate(model: usize, strategy: usize) -> f64 {
    [0.153, 0.204, 0.300][strategy] + 0.021 * model as f64
}

pub fn crossing(models: &[String]) -> Vec<CrossingPoint> {
    let mut points = Vec::new();
    for (m, model) in models.iter().enumerate() {
        points.push(CrossingPoint::new(model, "original", None, None, 0));
        for (s, strategy) in STRATEGIES.iter().enumerate() {
            let rate = rate(m, s);
            points.push(CrossingPoint::new(model, *strategy, Some(rate), Some((rate - 0.03, rate + 0.04)), 2831));
        }
    }
    points
}

pub fn boundary(models: &[String]) -> Vec<BoundaryPoint> {
    let mut points = Vec::new();
    for (m, model) in models.iter().enumerate() {
        for (s, strategy) in STRATEGIES.iter().enumerate() {
            for (b, boundary) in [1.5, 2.5, 3.5, 4.5].into_iter().enumerate() {
                let rate = rate(m, s) * [0.7, 1.1, 1.0, 0.8][b];
                points.push(BoundaryPoint {
                    model: model.clone(),
                    strategy: (*strategy).into(),
                    boundary,
                    rate: Some(rate),
                    interval: Some((rate - 0.03, rate + 0.03)),
                    n: 2831,
                });
            }
        }
    }
    points
}

pub fn errors(models: &[String]) -> Vec<ErrorPoint> {
    let mut points = Vec::new();
    for (m, model) in models.iter().enumerate() {
        for (s, strategy) in STRATEGIES.iter().enumerate() {
            points.push(ErrorPoint {
                model: model.clone(),
                strategy: (*strategy).into(),
                mean_error: Some(0.6 + 0.07 * m as f64 + 0.05 * s as f64),
                mean_error_interval: None,
                mean_error_n: 41_210,
                crossing_rate: Some(rate(m, s)),
                crossing_interval: None,
                crossing_n: 2831,
            });
        }
    }
    points
}

pub fn confusion(model: &str) -> Confusion {
    let counts = [[90, 20, 6, 3, 1], [22, 61, 25, 9, 3], [8, 21, 55, 30, 6], [0; 5], [1, 2, 5, 12, 2100]];
    Confusion { model: model.to_owned(), strategy: None, counts, unparsed: 7 }
}

pub fn drawer(model: &str) -> TrajectoryScores {
    let points = [
        ("original", "open the top drawer", Some(5.0)),
        ("lexical", "pull open the uppermost drawer", Some(5.0)),
        ("lexical", "slide the top drawer open", Some(4.0)),
        ("lexical", "open up the highest drawer", Some(3.0)),
        ("lexical", "draw the top drawer out", Some(4.0)),
        ("structural", "the top drawer should end up open", Some(5.0)),
        ("structural", "make it so that the top drawer is open", Some(4.0)),
        ("structural", "get the drawer at the top to be open", Some(4.0)),
        ("structural", "it is the top drawer that should be open", None),
        ("adversarial", "do not leave the top drawer closed", Some(2.0)),
        ("adversarial", "leave the lower drawers alone and open the top one", Some(3.0)),
        ("adversarial", "open the drawer that has no drawer above it", Some(4.0)),
        ("adversarial", "undo the closing of the top drawer", Some(1.0)),
    ];
    scores(model, "drawer", "open the top drawer", 5, &points)
}

fn scores(
    model: &str,
    trajectory: &str,
    task: &str,
    label: i64,
    points: &[(&str, &str, Option<f64>)],
) -> TrajectoryScores {
    TrajectoryScores {
        config: String::new(),
        dataset: String::new(),
        trajectory: trajectory.to_owned(),
        task: task.to_owned(),
        model: model.to_owned(),
        label: Some(Label::new(label).expect("a label from 1 to 5")),
        boundary: 3.5,
        points: points.iter().map(|(strategy, text, score)| ScorePoint::new(*strategy, *text, *score)).collect(),
    }
}

/// A trajectory all of whose words are [`hostile`].
pub fn hostile_scores() -> TrajectoryScores {
    let words = hostile();
    TrajectoryScores {
        config: String::new(),
        dataset: String::new(),
        trajectory: words[0].clone(),
        task: words[1].clone(),
        model: words[0].clone(),
        label: None,
        boundary: 3.5,
        points: words
            .iter()
            .enumerate()
            .map(|(i, text)| ScorePoint::new(text.as_str(), text, (i != 3).then_some((i % 5 + 1) as f64)))
            .collect(),
    }
}

/// A picture of two colours: PNG, 2 by 1, 8-bit RGB.
pub fn sheet() -> ContactSheet {
    let rows = image::RgbImage::from_fn(640, 90, |x, _| image::Rgb([(x / 160 * 60) as u8, 120, 160]));
    let mut bytes = std::io::Cursor::new(Vec::new());
    rows.write_to(&mut bytes, image::ImageFormat::Png).expect("a picture in memory");
    let image = EncodedImage { mime: "image/png", width: 640, height: 90, bytes: Arc::from(bytes.into_inner()) };
    ContactSheet::new(image, "A gripper opens the top drawer.", [0.0, 1.0, 2.0, 3.0])
}

/// A report with every kind of part in it, and how many charts it has.
pub fn full_report(models: &[String]) -> (Report, usize) {
    let method = Method::default();
    let palette = Palette::new(models.to_vec());
    let first = models[0].as_str();
    let (cross, bound, errors, confused) = (crossing(models), boundary(models), errors(models), confusion(first));
    let report = Report::new("How often does wording alone change the verdict?")
        .subtitle("Score-crossing of language-conditioned reward models on RoboReward test trajectories")
        .warning("7 replies could not be read and are left out of every figure.")
        .fact("models", models.join(", "))
        .fact("dataset", "RoboReward test split")
        .fact("n", "2,831 trajectories, 41,210 (trajectory, wording) pairs")
        .fact("frame rule", "1fps+last;max=8;linspace-half-even")
        .fact("prompt version", "1")
        .fact("config", "3f0c1a2b")
        .method(method)
        .section(
            Section::new("Score-crossing rate")
                .text(
                    "A trajectory crosses where the same frames are a success under one wording and a failure under \
                       another.",
                )
                .figure(
                    Figure::new(&chart::crossing_by_model(&cross, &method, &palette))
                        .table(chart::crossing_table(&cross, &method)),
                )
                .figure(
                    Figure::new(&chart::crossing_over_boundary(&bound, &method, &palette))
                        .table(chart::boundary_table(&bound, &method)),
                ),
        )
        .section(
            Section::new("Accuracy")
                .figure(
                    Figure::new(&chart::error_against_crossing(&errors, &method, &palette))
                        .note("A model can be accurate on average and still change its verdict with the wording.")
                        .table(chart::error_table(&errors, &method)),
                )
                .figure(Figure::new(&chart::confusion(&confused)).table(chart::confusion_table(&confused))),
        )
        .section(
            Section::new("Why it flips")
                .text("Trajectories whose verdict depends on wording most come first.")
                .cases([Case::new(drawer(first)).sheet(sheet()), Case::new(steady(first))]),
        )
        .provenance("command", "roborm demo --out study")
        .provenance("version", "roborm 0.1.0")
        .provenance("date", "2026-01-31");
    (report, 6)
}

/// A trajectory that no wording flips.
pub fn steady(model: &str) -> TrajectoryScores {
    let points = [
        ("original", "put the cup upright", Some(2.0)),
        ("lexical", "set the mug upright", Some(2.0)),
        ("adversarial", "do not leave the cup lying", Some(2.0)),
    ];
    scores(model, "cup", "put the cup upright", 2, &points)
}
