//! The network, held against transformers stage by stage, in 32-bit floats.
//!
//! Equal tokens alone would miss real faults: a wrong GELU in the mergers moves the logits by 1.6e-3 and changes none.

use roborm_local::checkpoint::{Checkpoint, Dtype};
use roborm_local::engine::Engine;
use roborm_local::input::{Grid, Visual, patches, positions, timestamps};
use roborm_local::model::Seen;
use tch::{Device, Kind, Tensor};

use crate::fixture::{CASES, Tensors, Texts, difference, folder};

/// What is allowed between two orders of adding the same 32-bit floats.
pub const CLOSE: f64 = 1e-4;

/// An engine that has seen the clip of a case.
pub fn seen(case: &str, video: bool) -> Engine {
    let mut engine =
        Engine::load(&folder(case), Device::Cpu, Some(Dtype::F32), "stored", &mut |_| {}).expect("a whole checkpoint");
    let visual = if video { Visual::Video(timestamps(&Texts::of(case).times, 2)) } else { Visual::Image };
    engine.see_frames(Tensors::of(case).get("frames"), visual).expect("frames that can be seen");
    engine
}

/// Long clips go through the tower in parts; pairs of frames do not see each other.
#[test]
fn a_clip_in_parts_is_as_its_pairs_one_by_one() {
    let engine = seen("base", true);
    let frames = Tensor::arange(6 * 3 * 640 * 768, (Kind::Int64, Device::Cpu));
    let frames = frames.square().remainder(251).to_kind(Kind::Uint8).view([6, 3, 640, 768]);
    let look = |frames: &Tensor| {
        let patches = patches(frames, engine.checkpoint(), false).expect("patches");
        let mut parts = 0;
        let seen = engine
            .vision()
            .forward(&patches, &mut |_| {}, &mut |stage, _| parts += i32::from(stage == "vision.patches"));
        (seen, parts)
    };
    let (whole, parts) = look(&frames);
    assert!(parts > 1, "{parts}");
    let pairs: Vec<_> = (0..3).map(|pair| look(&frames.narrow(0, 2 * pair, 2)).0).collect();
    let rows = |rows: &dyn Fn(&Seen) -> Tensor| Tensor::cat(&pairs.iter().map(rows).collect::<Vec<_>>(), 0);
    assert!(difference(&whole.merged, &rows(&|seen| seen.merged.shallow_clone())) < CLOSE);
    for (k, deepstack) in whole.deepstack.iter().enumerate() {
        assert!(difference(deepstack, &rows(&|seen| seen.deepstack[k].shallow_clone())) < CLOSE);
    }
}

#[test]
fn the_vision_tower_stage_by_stage() {
    for (case, video) in CASES {
        let engine = seen(case, video);
        let tensors = Tensors::of(case);
        let patches = patches(tensors.get("frames"), engine.checkpoint(), !video).expect("patches");
        let mut stages = 0;
        engine.vision().forward(&patches, &mut |_| {}, &mut |stage, output| {
            stages += 1;
            let far = difference(output, tensors.get(stage));
            assert!(far < CLOSE, "{case}, {stage}: {far}");
        });
        let vision = &engine.checkpoint().config.vision;
        assert_eq!(stages, 2 + vision.depth as usize + vision.deepstack.len(), "{case}");
    }
}

#[test]
fn positions_are_exact() {
    for (case, _) in CASES {
        let tensors = Tensors::of(case);
        let checkpoint = Checkpoint::open(&folder(case)).expect("the fixture's");
        let [t, h, w] = tensors.ints("grid")[..] else { panic!("a grid of three") };
        let visual = [checkpoint.config.image_token, checkpoint.config.video_token];
        let got = positions(&tensors.ints("ids"), visual, Grid { t, h, w }, 2).expect(case);
        let got: Vec<i64> = (0..3).flat_map(|axis| got.of.iter().map(move |position| position[axis])).collect();
        assert_eq!(got, tensors.ints("positions"), "{case}");
    }
}

#[test]
fn the_text_model_stage_by_stage() {
    for (case, video) in CASES {
        let mut engine = seen(case, video);
        let tensors = Tensors::of(case);
        let ids = engine.prompt_ids(&Texts::of(case).whole()[0], false).expect("a clip was seen");
        assert_eq!(ids, tensors.ints("ids"), "{case}");
        let mut stages = 0;
        let logits = engine.traced(&ids, &mut |stage, output| {
            stages += 1;
            let far = difference(output, tensors.get(stage));
            assert!(far < CLOSE, "{case}, {stage}: {far}");
        });
        assert_eq!(stages, engine.checkpoint().config.text.layers as usize + 1, "{case}");
        let last = logits.expect("logits").narrow(0, ids.len() as i64 - 1, 1).squeeze();
        assert!(difference(&last, tensors.get("logits")) < CLOSE, "{case}: logits");
    }
}

#[test]
fn logits_after_every_instruction() {
    for (case, video) in CASES {
        let mut engine = seen(case, video);
        let texts = Texts::of(case);
        let mut rows = Vec::new();
        for (text, wanted) in texts.whole().iter().zip(&texts.ids) {
            let ids = engine.prompt_ids(text, false).expect("a clip was seen");
            assert_eq!(&ids, wanted, "{case}: {text}");
            rows.push(engine.logits(&ids).expect("logits"));
        }
        let got = Tensor::stack(&rows, 0);
        assert!(difference(&got, Tensors::of(case).get("last_logits")) < CLOSE, "{case}");
    }
}

#[test]
fn sixteen_bits_are_near() {
    // Of the type, not of the network: two decimal digits, on logits up to 5.
    for (dtype, close) in [(Dtype::Bf16, 0.25), (Dtype::F16, 0.05)] {
        let mut engine =
            Engine::load(&folder("base"), Device::Cpu, Some(dtype), "stored", &mut |_| {}).expect("loaded");
        let texts = Texts::of("base");
        let visual = Visual::Video(timestamps(&texts.times, 2));
        engine.see_frames(Tensors::of("base").get("frames"), visual).expect("seen");
        let logits = engine.logits(&texts.ids[0]).expect("logits");
        let far = difference(&logits, Tensors::of("base").get("logits"));
        assert!(far < close, "{dtype:?}: {far}");
    }
}
