//! Sentences as vectors.

use super::*;

#[test]
fn sentences_are_compared_by_their_vectors() {
    let program = fixture("local/fake_worker.py");
    let model = SentenceModel::open_with("anywhere", &program).expect("a worker");
    let made = model.embed(&["odd", "even"]).expect("vectors");
    assert_eq!(made[0].as_slice(), [1.0, 0.0]);
    assert!((made[0].cosine(&made[1]) - 0.6).abs() < 1e-7);
    assert!((made[1].cosine(&made[1]) - 1.0).abs() < 1e-7);
    let error = model.embed(&["die"]).expect_err("it died");
    assert_eq!(error.to_string(), "the worker of local checkpoints was killed (perhaps for want of memory)");
    // Another is started.
    assert_eq!(model.embed(&["odd"]).expect("vectors"), made[..1]);
}

/// The true worker on the fixture, whose vectors the worker's own tests hold against transformers.
#[test]
#[expect(clippy::print_stdout, reason = "a test that is skipped says so")]
fn the_true_encoder() {
    let model = match SentenceModel::open(fixture("minilm")) {
        Err(error) if error.to_string().contains("was not found") => return println!("skipped: {error}"),
        opened => opened.expect("an encoder and a worker"),
    };
    let made = model.embed(&["Put the RED cup down", "put the red cup down", "lift it"]).expect("vectors");
    assert_eq!(made[0].as_slice().len(), 24);
    assert!(made[0].cosine(&made[1]) > 1.0 - 1e-6, "it knows no capitals");
    assert!(made[0].cosine(&made[2]) < 1.0 - 1e-3);
    let error = SentenceModel::open(fixture("qwen3vl/base")).err().expect("no encoder");
    assert!(error.to_string().ends_with("is no model of sentences known here"), "{error}");
    assert!(error.help().is_some());
}
