use std::sync::Arc;

use roborm::reward::{Price, Reply, Usage};

use super::kit::*;

#[test]
fn counts_calls_and_tokens_before_any_is_sent() {
    let bench = Bench::new();
    let price = Price { prompt_usd: 1e-6, completion_usd: 1e-5, cached_usd: None };
    // Gemma takes 256 tokens an image, whatever its size; four of the six frames are sent.
    let gemma = |answer: &'static str| Fake {
        price: Some(price),
        ..Fake::answering("google/gemma-3-4b-it", move |_, _| {
            let usage = Usage {
                prompt_tokens: Some(2000),
                completion_tokens: Some(3),
                cost_usd: Some(0.004),
                cached_tokens: None,
            };
            Ok(Reply { usage, ..says(answer) })
        })
    };
    let model = Arc::new(gemma("4"));
    let estimate = bench.study(plan(3, 0), &model).estimate().unwrap();
    assert!(model.asked().is_empty());
    assert_eq!((estimate.calls, estimate.cached), (3, 0));
    // "Task: " and "\nAnswer:" are 14 bytes, the three instructions 45: (14 + 15) / 4 tokens of text a call, 8 of the message.
    let prompt = 4.0 * 256.0 + 29.0 / 4.0 + 8.0;
    assert_eq!(estimate.prompt_tokens, (3.0_f64 * prompt).round() as u64);
    assert_eq!(estimate.completion_tokens, 3 * 8);
    let dollars = 3.0 * (prompt * 1e-6 + 8.0 * 1e-5);
    assert!((estimate.cost_usd.unwrap() - dollars).abs() < 1e-12);
    assert!(!estimate.by_model[0].from_past);

    bench.run(plan(3, 0), &model);
    let estimate = bench.study(plan(5, 0), &model).estimate().unwrap();
    assert_eq!((estimate.calls, estimate.cached), (2, 3));
    // As the past calls were, which had as many images.
    assert_eq!((estimate.prompt_tokens, estimate.completion_tokens), (4000, 6));
    assert!((estimate.cost_usd.unwrap() - 0.008).abs() < 1e-12);
    assert!(estimate.by_model[0].from_past);
    let done = bench.study(plan(3, 0), &model).estimate().unwrap();
    assert_eq!((done.calls, done.prompt_tokens, done.cost_usd), (0, 0, Some(0.0)));
}

#[test]
fn says_that_it_does_not_know_a_price() {
    let bench = Bench::new();
    let (unknown, known) = (
        Arc::new(Fake::new("m")),
        Arc::new(Fake {
            price: Some(Price { prompt_usd: 1e-6, completion_usd: 1e-5, cached_usd: None }),
            ..Fake::new("n")
        }),
    );
    let estimate = bench.study(plan(2, 1), &unknown).model(known).estimate().unwrap();
    assert_eq!((estimate.calls, estimate.cost_usd), (8, None));
    assert_eq!(estimate.by_model[0].cost_usd, None);
    assert!(estimate.by_model[1].cost_usd.unwrap() > 0.0);
}

#[test]
fn a_missing_video_is_a_warning() {
    let bench = Bench::new();
    let sample = Arc::new(|trajectory: &roborm::dataset::Trajectory| match trajectory.id.as_str() {
        "t000" => Err(roborm::Error::input("t000.mp4: no such file")),
        _ => Ok(frames(trajectory)),
    });
    let study = roborm::study::Study::new(plan(3, 0), bench.ledger()).frames(sample).model(Arc::new(Fake::new("m")));
    let estimate = study.estimate().unwrap();
    assert_eq!(estimate.calls, 3);
    assert_eq!(estimate.warnings, ["trajectory t000: t000.mp4: no such file"]);
}
