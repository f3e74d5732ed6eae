//! The logits of every token of every answer: together and over what is kept, held against a prefill of the same tokens
//! in full. With the tokens given, two orders of computing can be compared step by step; left to themselves they part for
//! good at the first tie that the rounding of the type decides.

use roborm_local::checkpoint::Dtype;
use roborm_local::engine::{Engine, Event, Question};
use roborm_wire::local::Clip;
use tch::{Device, Tensor};

use crate::engine::unstopped;
use crate::fixture::{CASES, Tensors, Texts, copy, difference, edit};
use crate::stages::CLOSE;

/// Tokens of an answer.
const STEPS: usize = 32;

/// Instructions of different lengths that differ from their first word on, or only later.
const INSTRUCTIONS: [&str; 12] = [
    "put the cup on the plate",
    "place the cup",
    "put the cup onto the plate, please",
    "the plate: it must get the cup",
    "open the top drawer of the cabinet",
    "close it",
    "pick up the spoon",
    "pick up the spoon and drop it",
    "wipe the table with the cloth",
    "push the button",
    "push the red button twice, then let go of it",
    "stack the bowls",
];

/// For each text the logits of every step, `[steps, vocabulary]`; where no tokens are given, each step's own choice.
fn together(engine: &mut Engine, texts: &[String], forced: &[Vec<i64>], batch: Option<usize>) -> Vec<Tensor> {
    let mut rows: Vec<Vec<Tensor>> = texts.iter().map(|_| Vec::new()).collect();
    let question = Question { texts, text_first: false, max_tokens: STEPS, batch, forced };
    let notes = engine.score(&question, &mut |event| {
        if let Event::Logits(index, logits) = event {
            rows[index].push(logits);
        }
    });
    assert_eq!(notes, Ok(Vec::new()));
    rows.iter().map(|rows| Tensor::stack(rows, 0)).collect()
}

/// The same, each step a prefill of the whole prompt and of the tokens before the step, nothing shared or kept.
fn in_full(engine: &mut Engine, text: &str, forced: &[i64]) -> Tensor {
    let mut ids = engine.prompt_ids(text, false).expect("a clip was seen");
    let mut rows = Vec::new();
    for &id in forced {
        rows.push(engine.logits(&ids).expect("logits"));
        ids.push(id);
    }
    Tensor::stack(&rows, 0)
}

/// The likeliest token of every step, marks of a picture aside: one more of those would be a prompt about another clip.
fn likeliest(engine: &Engine, logits: &Tensor) -> Vec<i64> {
    let config = &engine.checkpoint().config;
    let marks = Tensor::from_slice(&[config.image_token, config.video_token]);
    Vec::try_from(logits.index_fill(1, &marks, f64::NEG_INFINITY).argmax(1, false)).expect("ids")
}

/// How far the likeliest token of every step is ahead of the next.
fn margins(logits: &Tensor) -> Vec<f64> {
    let (best, _) = logits.topk(2, 1, true, true);
    let ahead = best.select(1, 0) - best.select(1, 1);
    Vec::try_from(ahead.to_kind(tch::Kind::Double)).expect("numbers")
}

fn answers(engine: &mut Engine, texts: &[String]) -> Vec<Vec<i64>> {
    let free = together(engine, texts, &vec![Vec::new(); texts.len()], None);
    free.iter().map(|logits| likeliest(engine, logits)).collect()
}

/// Three frames of 96 x 64 with hard edges, and twelve instructions about them.
fn clip(dtype: Dtype) -> (tempfile::TempDir, Engine, Vec<String>) {
    let copy = copy("base");
    edit(copy.path(), "generation_config.json", |config| config["eos_token_id"] = serde_json::json!(-1));
    let mut engine = Engine::load(copy.path(), Device::Cpu, Some(dtype), "stored", &mut |_| {}).expect("loaded");
    let rgb: Vec<u8> = (0..3_u32).flat_map(|k| (0..96 * 64 * 3_u32).map(move |at| (at * 7 + k * 31) as u8)).collect();
    engine.see(&Clip { width: 96, height: 64, times: vec![0.0, 1.0, 2.0] }, &rgb).expect("seen");
    let texts = INSTRUCTIONS.iter().map(|instruction| format!("Task: {instruction}")).collect();
    (copy, engine, texts)
}

#[test]
fn every_step_is_that_of_a_full_prefill() {
    for (case, video) in CASES {
        let (_copy, mut engine) = unstopped(case, video);
        let texts = Texts::of(case).whole();
        let forced = answers(&mut engine, &texts);
        let full: Vec<Tensor> = texts.iter().zip(&forced).map(|(text, ids)| in_full(&mut engine, text, ids)).collect();
        // The first step is also that of transformers, for every instruction.
        let first = Tensor::stack(&full.iter().map(|rows| rows.get(0)).collect::<Vec<_>>(), 0);
        assert!(difference(&first, Tensors::of(case).get("last_logits")) < CLOSE, "{case}");
        for batch in [None, Some(1), Some(3)] {
            for (k, rows) in together(&mut engine, &texts, &forced, batch).iter().enumerate() {
                let far = difference(rows, &full[k]);
                assert!(far < CLOSE, "{case}, instruction {k}, batch {batch:?}: {far}");
            }
        }
    }
}

#[test]
fn the_order_of_asking_changes_no_logit_and_no_answer() {
    let (_copy, mut engine, texts) = clip(Dtype::F32);
    let forced = answers(&mut engine, &texts);
    let many = together(&mut engine, &texts, &forced, None);
    // One by one, each over what is kept of those before.
    for (k, text) in texts.iter().enumerate() {
        let (text, ids) = (std::slice::from_ref(text), std::slice::from_ref(&forced[k]));
        let full = in_full(&mut engine, &text[0], &forced[k]);
        let kept = together(&mut engine, text, ids, None).remove(0);
        for (rows, how) in [(&many[k], "together"), (&kept, "one by one")] {
            let far = difference(rows, &full);
            assert!(far < CLOSE, "instruction {k}, {how}: {far}");
        }
        // No choice is as near as that, so that the tokens are the same too.
        assert!(margins(&full).iter().all(|&margin| margin > 2.0 * CLOSE), "instruction {k}: a tie");
        let free = together(&mut engine, text, &[Vec::new()], None).remove(0);
        assert_eq!(likeliest(&engine, &free), forced[k], "instruction {k}");
    }
}

/// In 16 bits the order of adding shows in the second digit after the point, and a choice that is nearer than that goes by
/// it. That much is the type's: it is no more than what parts a full prefill in 16 bits from one in 32.
#[test]
fn in_sixteen_bits_it_changes_no_more_than_rounding_does() {
    for (dtype, close) in [(Dtype::Bf16, 0.25), (Dtype::F16, 0.05)] {
        let ((_copy, mut engine, mut texts), (_other, mut exact, _)) = (clip(dtype), clip(Dtype::F32));
        texts.truncate(4);
        let forced = answers(&mut engine, &texts);
        let many = together(&mut engine, &texts, &forced, None);
        for (k, text) in texts.iter().enumerate() {
            let (full, wide) = (in_full(&mut engine, text, &forced[k]), in_full(&mut exact, text, &forced[k]));
            let (order, rounding) = (difference(&many[k], &full), difference(&full, &wide));
            assert!(order < close && rounding < close, "{dtype:?}, instruction {k}: {order}, and {rounding} from f32");
        }
    }
}
