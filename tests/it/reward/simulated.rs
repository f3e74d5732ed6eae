//! The simulated model: deterministic, readable, and calibrated as it says.

use std::sync::Arc;

use roborm::dataset::Label;
use roborm::frames::Frames;
use roborm::paraphrase::Strategy;
use roborm::reward::{Call, Fault, ModelOptions, Reading, Request, RewardModel, open, read_reply};

struct NoCall;

impl Call for NoCall {
    fn before_send(&self, _attempt: u32) -> Result<(), Fault> {
        Ok(())
    }

    fn id_came(&self, _id: &str) {}
}

fn request(trajectory: usize, label: i64, strategy: Strategy, wording: usize, repeat: u32) -> Request {
    Request {
        trajectory: format!("trajectory {trajectory}"),
        frames: Arc::new(Frames { source: "none".into(), rule: "none".into(), frames: Vec::new() }),
        images: Arc::new(Vec::new()),
        instruction: format!("{strategy} wording {wording}"),
        repeat,
        label: Some(Label::new(label).expect("from 1 to 5")),
        strategies: vec![strategy],
    }
}

fn ask(model: &dyn RewardModel, request: &Request) -> Reading {
    let reply = futures_util::FutureExt::now_or_never(model.ask(request, &NoCall))
        .expect("without a latency there is nothing to wait for")
        .expect("never at fault");
    read_reply(&reply)
}

fn model(name: &str, seed: u64) -> Arc<dyn RewardModel> {
    open(name, &ModelOptions { seed: Some(seed), ..ModelOptions::default() }).expect("in the catalogue")
}

/// Share of `n` trajectories, labels spread evenly, with a parsed score on either side of 3.5 over `wordings`.
fn crossing_rate(model: &dyn RewardModel, strategy: &Strategy, n: usize, wordings: usize) -> f64 {
    let crossed = (0..n).filter(|trajectory| {
        let scores: Vec<u8> = (0..wordings)
            .filter_map(|wording| {
                let label = (trajectory % 5) as i64 + 1;
                ask(model, &request(*trajectory, label, strategy.clone(), wording, 0)).score()
            })
            .collect();
        scores.iter().any(|score| *score > 3) && scores.iter().any(|score| *score <= 3)
    });
    crossed.count() as f64 / n as f64
}

#[test]
fn its_crossing_rates_are_near_those_published_for_gpt_5_1() {
    let model = model("simulated", 0);
    for (strategy, published) in
        [(Strategy::Lexical, 0.153), (Strategy::Structural, 0.204), (Strategy::Adversarial, 0.300)]
    {
        for wordings in [4, 6, 8, 16] {
            let rate = crossing_rate(&*model, &strategy, 4000, wordings);
            // Three standard errors of a share of 4,000 are 0.02; the rest is that more wordings cross more.
            assert!((rate - published).abs() < 0.05, "{strategy}, {wordings} wordings: {rate} against {published}");
        }
    }
}

#[test]
fn the_presets_are_steadier_and_more_flighty_than_it() {
    for strategy in [Strategy::Lexical, Strategy::Structural, Strategy::Adversarial] {
        let [steady, middle, flighty] = ["simulated-steady", "simulated", "simulated-flighty"]
            .map(|name| crossing_rate(&*model(name, 0), &strategy, 1000, 8));
        assert!(steady < middle && middle < flighty, "{strategy}: {steady} {middle} {flighty}");
    }
}

#[test]
fn repeats_vary_less_than_wordings() {
    let model = model("simulated", 3);
    let deviation = |scores: &[f64]| {
        let mean = scores.iter().sum::<f64>() / scores.len() as f64;
        (scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / scores.len() as f64).sqrt()
    };
    let spread = |vary_repeat: bool| {
        let total: f64 = (0..1000)
            .map(|trajectory| {
                let scores: Vec<f64> = (0..10)
                    .filter_map(|k| {
                        let (wording, repeat) = if vary_repeat { (0, k as u32) } else { (k, 0) };
                        let label = (trajectory % 5) as i64 + 1;
                        ask(&*model, &request(trajectory, label, Strategy::Adversarial, wording, repeat)).score()
                    })
                    .map(f64::from)
                    .collect();
                deviation(&scores)
            })
            .sum();
        total / 1000.0
    };
    let (repeats, wordings) = (spread(true), spread(false));
    // Published: 0.09 over repeats, 0.52 over paraphrases.
    assert!((0.04..0.14).contains(&repeats), "{repeats}");
    assert!((0.4..0.64).contains(&wordings), "{wordings}");
}

#[test]
fn a_small_share_of_its_replies_is_unparsed() {
    let model = model("simulated", 0);
    let unparsed =
        (0..4000).filter(|index| ask(&*model, &request(*index, 3, Strategy::Original, 0, 0)).score().is_none()).count();
    assert!((20..120).contains(&unparsed), "{unparsed} of 4000, where 0.015 is meant");
}

#[test]
fn the_label_shows_through() {
    let model = model("simulated", 0);
    for label in 1..=5 {
        let scores: Vec<f64> = (0..500)
            .filter_map(|index| ask(&*model, &request(index, label, Strategy::Original, 0, 0)).score())
            .map(f64::from)
            .collect();
        let mean = scores.iter().sum::<f64>() / scores.len() as f64;
        assert!((mean - label as f64).abs() < 0.35, "label {label}: mean {mean}");
    }
}

#[test]
fn it_is_a_function_of_seed_and_question_alone() {
    let questions: Vec<Request> =
        (0..60).map(|index| request(index / 6, 1 + (index % 5) as i64, Strategy::Adversarial, index % 6, 0)).collect();
    let once: Vec<Reading> = questions.iter().map(|request| ask(&*model("simulated", 7), request)).collect();
    let backwards: Vec<Reading> = questions.iter().rev().map(|request| ask(&*model("simulated", 7), request)).collect();
    assert!(once.iter().eq(backwards.iter().rev()));
    let other: Vec<Reading> = questions.iter().map(|request| ask(&*model("simulated", 8), request)).collect();
    assert_ne!(once, other);
}

#[test]
fn what_it_looks_at_is_part_of_the_key() {
    let model = model("simulated", 0);
    let one = request(1, 3, Strategy::Lexical, 0, 0);
    let hidden = |request: &Request| model.hidden_inputs(request);
    assert_ne!(hidden(&one), hidden(&Request { label: Some(Label::new(4).expect("from 1 to 5")), ..one.clone() }));
    assert_ne!(hidden(&one), hidden(&Request { strategies: vec![Strategy::Adversarial], ..one.clone() }));
    assert_ne!(hidden(&one), hidden(&Request { trajectory: "another".into(), ..one.clone() }));
    assert_ne!(model.config().digest(), self::model("simulated", 1).config().digest());
    let latent = open("simulated", &ModelOptions { latency_ms: Some(50.0), seed: Some(0), ..ModelOptions::default() });
    assert_eq!(
        model.config().digest(),
        latent.expect("in the catalogue").config().digest(),
        "a latency changes no reply"
    );
}

#[test]
fn what_it_cannot_take_is_wrong_usage() {
    let server = ModelOptions { base_urls: vec!["http://localhost:1/v1".into()], ..ModelOptions::default() };
    assert!(open("simulated", &server).err().is_some_and(|error| error.is_usage()));
    let reasoning = ModelOptions { reasoning: Some("high".into()), ..ModelOptions::default() };
    assert!(open("simulated", &reasoning).err().is_some_and(|error| error.is_usage()));
}
