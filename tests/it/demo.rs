//! The built-in rollouts and their paraphrases.

use std::collections::{BTreeMap, BTreeSet};

use roborm::dataset::demo::{HEIGHT, Scene, WIDTH, scene, scenes, trajectories};
use roborm::dataset::{Label, Source};
use roborm::paraphrase::{Key, Strategy};

fn last(scene: &Scene) -> image::RgbImage {
    scene.render(scene.frame_count() - 1)
}

/// Share of pixels that differ between two frames in some channel by more than a shade.
fn changed(a: &image::RgbImage, b: &image::RgbImage) -> f64 {
    let differ = a.pixels().zip(b.pixels()).filter(|(a, b)| a.0.iter().zip(b.0).any(|(a, b)| a.abs_diff(b) > 24));
    differ.count() as f64 / f64::from(WIDTH * HEIGHT)
}

/// Pixels inside a box of the picture that are near a colour.
fn near(frame: &image::RgbImage, x: std::ops::Range<u32>, y: std::ops::Range<u32>, colour: [u8; 3]) -> usize {
    y.flat_map(|y| x.clone().map(move |x| (x, y)))
        .filter(|&(x, y)| frame.get_pixel(x, y).0.iter().zip(colour).all(|(a, b)| a.abs_diff(b) < 40))
        .count()
}

#[test]
fn every_label_is_there_and_ids_and_tasks_are_unique() {
    let labels: BTreeSet<Label> = scenes().iter().map(Scene::label).collect();
    assert_eq!(labels, Label::ALL.into_iter().collect());
    assert_eq!(scenes().iter().map(Scene::id).collect::<BTreeSet<_>>().len(), scenes().len());
    assert_eq!(scenes().iter().map(Scene::task).collect::<BTreeSet<_>>().len(), scenes().len());
    assert_eq!(scene("drawer").map(Scene::task), Some("open the top drawer"));
    assert!(scene("no such scene").is_none());
}

#[test]
fn trajectories_are_the_scenes() {
    let listed = trajectories();
    assert_eq!(listed.len(), scenes().len());
    for (trajectory, scene) in listed.iter().zip(scenes()) {
        assert_eq!(trajectory.id, scene.id());
        assert_eq!(trajectory.task, scene.task());
        assert_eq!(trajectory.label, Some(scene.label()));
        assert_eq!(trajectory.source, Source::Demo { scene: scene.id() });
        assert_eq!(trajectory.source.describe(), format!("demo:{}", scene.id()));
        let seconds = scene.frame_count() as f64 / scene.rate_hz();
        assert_eq!(trajectory.duration_s, Some(seconds));
        assert!((6.0..=12.0).contains(&seconds), "{}: {seconds} s", scene.id());
    }
}

#[test]
fn a_frame_is_the_same_whenever_and_wherever_it_is_rendered() {
    for scene in scenes() {
        let here = scene.render(37);
        let there = std::thread::spawn(|| scene.render(37)).join().expect("rendering does not panic");
        assert_eq!(here, there, "{}", scene.id());
        assert_eq!((here.width(), here.height()), (WIDTH, HEIGHT));
    }
}

/// The bytes of the frames are part of a study's key: replies that were paid for are found again by them. A change here
/// is a change of the demo dataset; it is meant, or it is a bug.
#[test]
#[cfg(target_arch = "x86_64")]
fn frames_have_not_changed() {
    let digests: Vec<String> = scenes()
        .iter()
        .map(|scene| {
            let mut hasher = blake3::Hasher::new();
            for index in 0..scene.frame_count() {
                hasher.update(scene.render(index).as_raw());
            }
            format!("{} {}", scene.id(), &hasher.finalize().to_hex()[..16])
        })
        .collect();
    assert_eq!(digests.join("\n"), DIGESTS.trim());
}

#[cfg(target_arch = "x86_64")]
const DIGESTS: &str = "
drawer fb63af6526b68d86
block 09942ab1678a7f57
sponge 8fe4249838d4d492
cup f1097d4b9642c022
button 4cd092d7403f9105
bowl d3083139da8ebadd
towel 2c469714d4bf6202
door 995137a798e73737
";

#[test]
fn an_index_past_the_end_gives_the_last_frame() {
    let drawer = scene("drawer").expect("a built-in scene");
    assert_eq!(drawer.render(u64::MAX), last(drawer));
}

#[test]
fn something_moves_in_every_scene_and_it_moves_smoothly() {
    for scene in scenes() {
        assert!(changed(&scene.render(0), &last(scene)) > 0.02, "{} stands still", scene.id());
        for index in 1..scene.frame_count() {
            let step = changed(&scene.render(index - 1), &scene.render(index));
            assert!(step < 0.12, "{} jumps at frame {index}: {step}", scene.id());
        }
    }
}

#[test]
fn last_frames_of_different_scenes_differ() {
    for (index, one) in scenes().iter().enumerate() {
        for other in &scenes()[index + 1..] {
            assert!(changed(&last(one), &last(other)) > 0.05, "{} and {} look alike", one.id(), other.id());
        }
    }
}

/// What the labels claim is what the last frames show.
#[test]
fn the_outcome_is_seen_in_the_last_frame() {
    // 5: there is a box side of light wood where there was wall before.
    let drawer = scene("drawer").expect("a built-in scene");
    let wood = |frame: &image::RgbImage| near(frame, 150..195, 116..140, [0xe4, 0xbe, 0x92]);
    assert!(wood(&drawer.render(0)) < 20 && wood(&last(drawer)) > 300);

    // 4: the red block is above the blue one, with air between them.
    let block = scene("block").expect("a built-in scene");
    let red = |frame: &image::RgbImage, rows: std::ops::Range<u32>| near(frame, 222..247, rows, [0xc8, 0x42, 0x3a]);
    assert!(red(&last(block), 118..150) > 300);
    assert_eq!(red(&last(block), 152..200), 0);

    // 3: the sponge is on the table, left of the bin.
    let sponge = scene("sponge").expect("a built-in scene");
    let yellow = |frame: &image::RgbImage| near(frame, 160..215, 184..202, [0xf5, 0xc9, 0x40]);
    assert!(yellow(&sponge.render(0)) < 20 && yellow(&last(sponge)) > 200);

    // 1: the button and its lamp look as they did at the start.
    let button = scene("button").expect("a built-in scene");
    let box_of = |frame: &image::RgbImage| image::imageops::crop_imm(frame, 212, 165, 70, 40).to_image();
    assert_eq!(box_of(&button.render(0)), box_of(&last(button)));
}

#[test]
fn every_task_has_paraphrases_of_every_strategy() {
    let set = roborm::paraphrase::demo();
    let mut groups: BTreeMap<(String, Strategy), BTreeSet<String>> = BTreeMap::new();
    for paraphrase in set.iter() {
        let Key::Task(task) = &paraphrase.key else { panic!("keyed by trajectory: {paraphrase:?}") };
        assert_ne!(&paraphrase.instruction, task, "a paraphrase is not the original");
        assert_eq!(paraphrase.instruction.trim(), paraphrase.instruction);
        let group = groups.entry((task.clone(), paraphrase.strategy.clone())).or_default();
        assert!(group.insert(paraphrase.instruction.clone()), "twice: {}", paraphrase.instruction);
    }
    for scene in scenes() {
        for strategy in [Strategy::Lexical, Strategy::Structural, Strategy::Adversarial] {
            let texts = groups.remove(&(scene.task().to_owned(), strategy.clone())).unwrap_or_default();
            assert!(texts.len() >= 4, "{} {strategy}: {}", scene.id(), texts.len());
        }
    }
    assert!(groups.is_empty(), "paraphrases of no task: {groups:?}");
}
