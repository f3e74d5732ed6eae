//! Answers: the 32 tokens of transformers, alone and many at a time over one prefill.

use roborm_local::checkpoint::{Checkpoint, Dtype};
use roborm_local::engine::{Engine, Event, Question};
use roborm_wire::local::Answer;
use tch::Device;

use crate::fixture::{CASES, Tensors, Texts, copy, edit};
use crate::stages::seen;

/// Answers in the order of the texts, notes, and refusals.
pub fn score(engine: &mut Engine, texts: &[String], text_first: bool, batch: Option<usize>) -> Vec<Answer> {
    let mut answers = Vec::new();
    let question = Question { texts, text_first, max_tokens: 32, batch, forced: &[] };
    let notes = engine.score(&question, &mut |event| {
        if let Event::Answer(answer) = event {
            answers.push(answer);
        }
    });
    assert_eq!(notes, Ok(Vec::new()));
    answers.sort_by_key(|answer| answer.index);
    answers
}

/// The same checkpoint without stop tokens, as the reference was generated.
pub fn unstopped(case: &str, video: bool) -> (tempfile::TempDir, Engine) {
    let copy = copy(case);
    edit(copy.path(), "generation_config.json", |config| config["eos_token_id"] = serde_json::json!(-1));
    let mut engine = Engine::load(copy.path(), Device::Cpu, Some(Dtype::F32), "stored", &mut |_| {}).expect("loaded");
    let texts = Texts::of(case);
    let visual = match video {
        true => roborm_local::input::Visual::Video(roborm_local::input::timestamps(&texts.times, 2)),
        false => roborm_local::input::Visual::Image,
    };
    engine.see_frames(Tensors::of(case).get("frames"), visual).expect("seen");
    (copy, engine)
}

#[test]
fn the_answer_of_transformers() {
    for (case, video) in CASES {
        let (_copy, mut engine) = unstopped(case, video);
        let texts = Texts::of(case);
        // The repetition penalty of `tied` is in here too.
        let alone = score(&mut engine, &texts.whole()[..1], false, None);
        assert_eq!(alone[0].text, texts.answer, "{case}");
        assert_eq!((alone[0].finish.as_str(), alone[0].completion_tokens), ("length", 32), "{case}");
        assert_eq!((alone[0].prompt_tokens, alone[0].shared_tokens), (texts.ids[0].len(), 0), "{case}");
        let ids = Tensors::of(case).ints("generated");
        assert_eq!(engine.tokenizer().decode(&ids, true), alone[0].text, "{case}");
        let together = score(&mut engine, &texts.whole(), false, None);
        assert_eq!(together[0].text, texts.answer, "{case}");
    }
}

#[test]
fn together_is_as_alone() {
    for (case, video) in CASES {
        let (_copy, mut engine) = unstopped(case, video);
        let texts = Texts::of(case).whole();
        let alone: Vec<Answer> = texts
            .iter()
            .flat_map(|text| {
                // A fresh look, so that nothing of the one before is shared.
                let (_copy, mut engine) = unstopped(case, video);
                score(&mut engine, std::slice::from_ref(text), false, None)
            })
            .collect();
        for batch in [None, Some(1), Some(3)] {
            let together = score(&mut engine, &texts, false, batch);
            assert_eq!(together.len(), texts.len());
            for (one, other) in alone.iter().zip(&together) {
                assert_eq!(one.text, other.text, "{case}, batch {batch:?}");
                assert!(other.batch <= batch.unwrap_or(4));
                same_probabilities(one, other);
            }
        }
    }
}

fn same_probabilities(one: &Answer, other: &Answer) {
    assert_eq!(one.digits.len(), other.digits.len());
    for (one, other) in one.digits.iter().zip(&other.digits) {
        assert_eq!(one.at, other.at);
        for (one, other) in one.shares.iter().zip(other.shares) {
            assert!((one - other).abs() < 1e-5, "{one} {other}");
        }
    }
}

#[test]
fn what_is_shared_is_the_common_prefix_of_the_ids() {
    let (_copy, mut engine) = unstopped("base", true);
    let texts = Texts::of("base");
    let ids = &texts.ids;
    let common = |a: &[i64], b: &[i64]| a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let all = ids.iter().map(|other| common(&ids[0], other)).min().expect("four");
    for answer in score(&mut engine, &texts.whole(), false, None) {
        assert_eq!(answer.shared_tokens, all);
    }
    // Asked again: all but the last token is there already where it is the same instruction twice.
    let twice = vec![texts.whole()[1].clone(), texts.whole()[1].clone()];
    for answer in score(&mut engine, &twice, false, None) {
        assert!(answer.shared_tokens >= all && answer.shared_tokens < ids[1].len(), "{}", answer.shared_tokens);
    }
    // One alone takes from what is kept.
    let one = score(&mut engine, &texts.whole()[2..3], false, None);
    assert_eq!(one[0].shared_tokens, common(&ids[1], &ids[2]).min(ids[2].len() - 1));
}

#[test]
fn a_long_common_beginning_joins_what_is_kept() {
    let (_copy, mut engine) = unstopped("base", true);
    let texts = Texts::of("base");
    score(&mut engine, &texts.whole()[..1], false, None);
    let long = format!("{}{}", texts.before, "then look at the plate, ".repeat(6));
    let asked = vec![format!("{long}and stop"), format!("{long}or go on")];
    let ids: Vec<Vec<i64>> = asked.iter().map(|text| engine.prompt_ids(text, false).expect("a clip")).collect();
    let common = ids[0].iter().zip(&ids[1]).take_while(|(one, other)| one == other).count();
    let together = score(&mut engine, &asked, false, None);
    for (text, answer) in asked.iter().zip(&together) {
        assert_eq!(answer.shared_tokens, common);
        let (_copy, mut fresh) = unstopped("base", true);
        let alone = score(&mut fresh, std::slice::from_ref(text), false, None);
        assert_eq!(alone[0].text, answer.text);
        same_probabilities(&alone[0], answer);
    }
}

#[test]
fn where_nothing_is_shared_it_is_a_full_prefill() {
    let (_copy, mut engine) = unstopped("base", true);
    let texts = Texts::of("base").whole();
    let alone = score(&mut engine, &texts[1..2], true, None);
    let together = score(&mut engine, &texts, true, None);
    for answer in &together {
        assert_eq!((answer.shared_tokens, answer.batch), (0, 1));
    }
    assert_eq!(together[1].text, alone[0].text);
}

#[test]
fn a_stop_token_ends_an_answer() {
    let copy = copy("base");
    let ids = Tensors::of("base").ints("generated");
    // The first token that did not come before it in the answer: the answer must end at its first appearance.
    let place = (5..32).find(|&place| !ids[..place].contains(&ids[place])).expect("the ids vary");
    edit(copy.path(), "generation_config.json", |config| config["eos_token_id"] = serde_json::json!([ids[place], 300]));
    let mut engine = Engine::load(copy.path(), Device::Cpu, Some(Dtype::F32), "stored", &mut |_| {}).expect("loaded");
    let texts = Texts::of("base");
    let visual = roborm_local::input::Visual::Video(roborm_local::input::timestamps(&texts.times, 2));
    engine.see_frames(Tensors::of("base").get("frames"), visual).expect("seen");
    for answer in [
        score(&mut engine, &texts.whole()[..1], false, None).remove(0),
        score(&mut engine, &texts.whole(), false, None).remove(0),
    ] {
        assert_eq!((answer.finish.as_str(), answer.completion_tokens), ("stop", place + 1));
        assert_eq!(answer.text, engine.tokenizer().decode(&ids[..=place], true));
    }
}

#[test]
fn probabilities_are_those_of_the_logits() {
    let (_copy, mut engine) = unstopped("base", true);
    let texts = Texts::of("base");
    let tokenizer = engine.tokenizer();
    let digits = ["1", "2", "3", "4", "5"].map(|digit| tokenizer.single(digit).expect("a byte is a token"));
    // What a model of random weights would hardly write; the accented letter is two bytes.
    let forced: Vec<i64> =
        ["x", "4", " ", "5", "\u{e9}", "2"].iter().flat_map(|piece| tokenizer.encode(piece)).collect();
    let places: Vec<usize> = (0..forced.len()).filter(|&step| digits.contains(&forced[step])).collect();
    let mut answers = Vec::new();
    let question = Question {
        texts: &texts.whole()[..1],
        text_first: false,
        max_tokens: forced.len(),
        batch: None,
        forced: std::slice::from_ref(&forced),
    };
    let notes = engine.score(&question, &mut |event| {
        if let Event::Answer(answer) = event {
            answers.push(answer);
        }
    });
    assert_eq!(notes, Ok(Vec::new()));
    let answer = answers.remove(0);
    assert_eq!(answer.text, "x4 5\u{e9}2");
    assert_eq!(answer.digits.iter().map(|digit| digit.at).collect::<Vec<_>>(), [1, 3, 6]);
    for (digit, step) in answer.digits.iter().zip(places) {
        let ids = [&texts.ids[0], &forced[..step]].concat();
        let shares = engine.logits(&ids).expect("logits").softmax(0, tch::Kind::Double);
        for (id, share) in digits.iter().zip(digit.shares) {
            assert!((shares.double_value(&[*id]) - share).abs() < 1e-6);
        }
    }
}

#[test]
fn a_long_instruction_is_refused_and_the_others_go_on() {
    let mut engine = seen("base", true);
    let mut texts = Texts::of("base").whole();
    texts[1] = "x y ".repeat(10_000);
    let (mut answers, mut refused) = (Vec::new(), Vec::new());
    let question = Question { texts: &texts, text_first: false, max_tokens: 4, batch: None, forced: &[] };
    let notes = engine.score(&question, &mut |event| match event {
        Event::Answer(answer) => answers.push(answer.index),
        Event::Refused(index, error) => refused.push((index, (error.to_string(), error.help().map(str::to_owned)))),
        Event::Alive(_) | Event::Logits(..) => {}
    });
    assert_eq!(notes, Ok(Vec::new()));
    assert_eq!(answers, [0, 2, 3]);
    assert_eq!(refused.len(), 1);
    assert_eq!(refused[0].0, 1);
    let length = |text: &str| engine.prompt_ids(text, false).expect("a clip").len();
    let message = format!(
        "the prompt has {} tokens, {} of them the frames', and with an answer of up to 4 exceeds the model's 4096",
        length(&texts[1]),
        length("")
    );
    assert_eq!(refused[0].1, (message, Some("shorten the instruction".to_owned())));
}

#[test]
fn frames_that_leave_no_room_are_one_reason_for_all_wordings() {
    let copy = copy("base");
    let texts = Texts::of("base");
    edit(copy.path(), "config.json", |config| {
        config["text_config"]["max_position_embeddings"] = serde_json::json!(texts.ids[0].len() - 10);
    });
    let mut engine = Engine::load(copy.path(), Device::Cpu, Some(Dtype::F32), "stored", &mut |_| {}).expect("loaded");
    let visual = roborm_local::input::Visual::Video(roborm_local::input::timestamps(&texts.times, 2));
    engine.see_frames(Tensors::of("base").get("frames"), visual).expect("seen");
    let texts = texts.whole();
    let mut refused = Vec::new();
    let question = Question { texts: &texts, text_first: false, max_tokens: 16, batch: None, forced: &[] };
    let notes = engine.score(&question, &mut |event| match event {
        Event::Refused(_, error) => {
            assert_eq!(error.help(), Some("take fewer frames: --max-images"));
            refused.push(error.to_string());
        }
        // Before the frames are looked at.
        Event::Alive(stage) => panic!("at work: {stage}"),
        Event::Answer(_) | Event::Logits(..) => panic!("answered"),
    });
    assert_eq!((notes, refused.len()), (Ok(Vec::new()), texts.len()));
    assert!(refused.iter().all(|why| *why == refused[0]), "{refused:?}");
}

#[test]
fn numbers_that_are_none_are_found_at_loading() {
    use std::io::{Seek, SeekFrom, Write};
    let copy = copy("base");
    let path = copy.path().join("model.safetensors");
    let length = std::fs::metadata(&path).expect("a file").len();
    let mut file = std::fs::OpenOptions::new().write(true).open(&path).expect("a writable copy");
    file.seek(SeekFrom::Start(length - 2)).expect("a file");
    file.write_all(&0x7FC0_u16.to_le_bytes()).expect("a writable copy");
    let Err(error) = Engine::load(copy.path(), Device::Cpu, None, "stored", &mut |_| {}) else { panic!("loaded") };
    assert!(error.to_string().ends_with(" holds NaN or infinity"), "{error}");
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn cuda_is_never_silently_the_cpu() {
    if tch::Cuda::device_count() > 0 {
        eprintln!("skipped: there is a CUDA device here");
        return;
    }
    let Err(error) = roborm_local::engine::device("cuda") else { panic!("a device") };
    assert!(error.to_string().starts_with("there is no CUDA device: "), "{error}");
    let Err(error) = roborm_local::engine::device("gpu") else { panic!("a device") };
    assert_eq!(error.to_string(), "the device 'gpu' is not known");
}

#[test]
fn too_little_memory_is_said_before_loading() {
    use roborm_local::checkpoint::{Config, expected};
    let copy = copy("base");
    // Two terabytes of weights, in a file that is all hole.
    edit(copy.path(), "config.json", |config| {
        config["text_config"]["vocab_size"] = serde_json::json!(1 << 20);
        config["text_config"]["hidden_size"] = serde_json::json!(1 << 20);
        config["vision_config"]["out_hidden_size"] = serde_json::json!(1 << 20);
        config["tie_word_embeddings"] = serde_json::json!(true);
    });
    let config = Config::read(copy.path()).expect("possible numbers");
    let mut end = 0;
    let mut header = serde_json::Map::new();
    for (name, shape) in expected(&config).into_iter().filter(|(name, _)| name != "lm_head.weight") {
        let start = end;
        end += shape.iter().product::<i64>() * 2;
        header.insert(name, serde_json::json!({"dtype": "BF16", "shape": shape, "data_offsets": [start, end]}));
    }
    let header = serde_json::Value::Object(header).to_string();
    let path = copy.path().join("model.safetensors");
    let bytes = [&(header.len() as u64).to_le_bytes(), header.as_bytes()].concat();
    std::fs::write(&path, &bytes).expect("a writable copy");
    let file = std::fs::OpenOptions::new().write(true).open(&path).expect("a writable copy");
    file.set_len(bytes.len() as u64 + end as u64).expect("a sparse file");
    let Err(error) = Engine::load(copy.path(), Device::Cpu, None, "stored", &mut |_| {}) else { panic!("loaded") };
    let message = error.to_string();
    assert!(message.starts_with("the weights take 2"), "{message}");
    assert!(message.contains(" GB as bf16, and this machine has "), "{message}");
}

/// Changes a tensor of a copy's single file, stored in bf16, number by number.
fn reweigh(folder: &std::path::Path, name: &str, change: impl Fn(usize, f32) -> f32) {
    let (path, range) = {
        let checkpoint = Checkpoint::open(folder).expect("whole");
        let (shard, info) = &checkpoint.tensors[name];
        assert_eq!(info.dtype, Dtype::Bf16);
        (shard.path().to_owned(), info.range.clone())
    };
    let mut bytes = std::fs::read(&path).expect("it is there");
    for (index, number) in bytes[range].chunks_exact_mut(2).enumerate() {
        let stored = u16::from_le_bytes([number[0], number[1]]);
        let changed = change(index, f32::from_bits(u32::from(stored) << 16));
        number.copy_from_slice(&((changed.to_bits() >> 16) as u16).to_le_bytes());
    }
    std::fs::write(&path, bytes).expect("a writable copy");
}

/// Answers by their places, and refusals with what to do about them.
type Outcome = (Vec<usize>, Vec<(usize, String, Option<String>)>);

fn outcome(folder: &std::path::Path, dtype: Dtype, texts: &[String]) -> Outcome {
    let mut engine = Engine::load(folder, Device::Cpu, Some(dtype), "stored", &mut |_| {}).expect("loaded");
    let visual = roborm_local::input::Visual::Video(roborm_local::input::timestamps(&Texts::of("base").times, 2));
    engine.see_frames(Tensors::of("base").get("frames"), visual).expect("seen");
    let (mut answers, mut refused) = (Vec::new(), Vec::new());
    let question = Question { texts, text_first: false, max_tokens: 4, batch: None, forced: &[] };
    let notes = engine.score(&question, &mut |event| match event {
        Event::Answer(answer) => answers.push(answer.index),
        Event::Refused(index, why) => refused.push((index, why.to_string(), why.help().map(str::to_owned))),
        Event::Alive(_) | Event::Logits(..) => {}
    });
    assert_eq!(notes, Ok(Vec::new()));
    answers.sort_unstable();
    (answers, refused)
}

const NOT_FINITE: &str = "the numbers are not finite in f16";

#[test]
fn logits_that_are_not_finite_are_no_answer() {
    let copy = copy("base");
    // At most seven times this after a norm over 48 numbers: more than f16 holds.
    reweigh(copy.path(), "model.language_model.norm.weight", |_, _| 60_000.0);
    let texts = Texts::of("base").whole();
    for texts in [&texts[..], &texts[..1]] {
        let (answers, mut refused) = outcome(copy.path(), Dtype::F16, texts);
        refused.sort();
        let help = Some("use dtype=bf16 or f32".to_owned());
        let all: Vec<_> = (0..texts.len()).map(|index| (index, NOT_FINITE.to_owned(), help.clone())).collect();
        assert_eq!((answers.len(), refused), (0, all));
        assert_eq!(outcome(copy.path(), Dtype::F32, texts), ((0..texts.len()).collect(), Vec::new()));
    }
}

#[test]
fn one_that_overflows_does_not_take_the_others_with_it() {
    let copy = copy("base");
    let mut texts = Texts::of("base").whole();
    texts[1].push_str(" Z");
    let engine = seen("base", true);
    let letter = *engine.tokenizer().encode(" Z").last().expect("a token") as usize;
    let others = |text: &String| !engine.tokenizer().encode(text).contains(&(letter as i64));
    assert!(texts.iter().enumerate().all(|(index, text)| others(text) == (index != 1)));
    drop(engine);
    // The first of 48 dimensions is that letter's alone until the first MLP, which makes too much of it.
    let wide = 48;
    reweigh(copy.path(), "model.language_model.embed_tokens.weight", |index, old| match (index / wide, index % wide) {
        (row, column) if row == letter => {
            if column == 0 {
                1000.0
            } else {
                0.0
            }
        }
        (_, 0) => 0.0,
        _ => old,
    });
    let inner = 2 * 2 * 24;
    reweigh(copy.path(), "model.visual.merger.linear_fc2.weight", |index, old| if index < inner { 0.0 } else { old });
    reweigh(copy.path(), "model.visual.merger.linear_fc2.bias", |index, old| if index == 0 { 0.0 } else { old });
    let heads = 4 * 24;
    let layer = "model.language_model.layers.0";
    reweigh(
        copy.path(),
        &format!("{layer}.self_attn.o_proj.weight"),
        |index, old| if index < heads { 0.0 } else { old },
    );
    for name in ["gate_proj", "up_proj"] {
        let of = |index: usize, old: f32| if index.is_multiple_of(wide) { 2000.0 } else { old };
        reweigh(copy.path(), &format!("{layer}.mlp.{name}.weight"), of);
    }
    let (answers, refused) = outcome(copy.path(), Dtype::F16, &texts);
    assert_eq!(answers, [0, 2, 3]);
    assert_eq!(refused.iter().map(|(index, why, _)| (*index, why.as_str())).collect::<Vec<_>>(), [(1, NOT_FINITE)]);
    assert_eq!(outcome(copy.path(), Dtype::F32, &texts), (vec![0, 1, 2, 3], Vec::new()));
}
