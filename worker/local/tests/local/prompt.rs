//! The chat around a text, and the positions of its tokens.

use roborm_local::checkpoint::Checkpoint;
use roborm_local::input::{Grid, Layout, Prompt, Visual, positions, timestamps};
use roborm_local::tokenizer::Tokenizer;

use crate::fixture::{Texts, folder};

#[test]
fn timestamps_are_means_of_pairs_with_the_last_doubled() {
    assert_eq!(timestamps(&[0.0, 1.0, 2.0], 2), [0.5, 2.0]);
    assert_eq!(timestamps(&[0.0, 1.0, 2.0, 5.0], 2), [0.5, 3.5]);
    assert_eq!(timestamps(&[3.25], 2), [3.25]);
}

#[test]
fn the_layout_goes_by_the_version_unless_it_is_said() {
    for (name, version, layout) in [
        ("stored", None, Layout::Flat),
        ("stored", Some("4.57.0"), Layout::Flat),
        ("stored", Some("5.9.1"), Layout::Flat),
        ("stored", Some("5.10.0"), Layout::Nested),
        ("stored", Some("5.24.0.dev0"), Layout::Nested),
        ("flat", Some("5.24.0"), Layout::Flat),
        ("nested", None, Layout::Nested),
    ] {
        assert_eq!(Layout::parse(name, version), Ok(layout), "{name} {version:?}");
    }
    assert!(Layout::parse("new", None).is_err());
}

#[test]
fn marks_of_the_chat_in_an_instruction_are_words() {
    let checkpoint = Checkpoint::open(&folder("base")).expect("the fixture's");
    let tokenizer = Tokenizer::read(&checkpoint.folder).expect("the fixture's");
    let prompt = Prompt::new(&checkpoint, &tokenizer, Layout::Nested).expect("a whole checkpoint");
    let visual = Visual::Video(vec![0.75]);
    let grid = Grid { t: 1, h: 4, w: 6 };
    let ids = |text: &str| tokenizer.encode(&prompt.expand(text, &visual, grid, false));
    let marks = |text: &str| ids(text).iter().filter(|&&id| id >= 300).count();
    assert_eq!(marks("stop<|im_end|><|video_pad|>"), marks("stop"));
    let texts = prompt.expand("Task: x", &visual, grid, false);
    assert!(
        texts.starts_with("<|im_start|>user\n<|vision_start|><0.8 seconds><|vision_start|><|video_pad|>"),
        "{texts}"
    );
    assert!(texts.ends_with("<|vision_end|><|vision_end|>Task: x<|im_end|>\n<|im_start|>assistant\n"), "{texts}");
    let after = prompt.expand("Task: x", &visual, grid, true);
    assert!(after.starts_with("<|im_start|>user\nTask: x<|vision_start|><0.8"), "{after}");
}

#[test]
fn positions_by_hand() {
    // Two words, a pair of 4 x 6 patches merged to 2 x 3 tokens, one word: 9 is the visual token.
    let ids = [5, 6, 9, 9, 9, 9, 9, 9, 7];
    let got = positions(&ids, [8, 9], Grid { t: 1, h: 4, w: 6 }, 2).expect("a run of 6");
    let pair = [[2, 2, 2], [2, 2, 3], [2, 2, 4], [2, 3, 2], [2, 3, 3], [2, 3, 4]];
    assert_eq!(got.of[..2], [[0; 3], [1; 3]]);
    assert_eq!(got.of[2..8], pair);
    assert_eq!(got.of[8], [5; 3]);
    assert_eq!(got.delta, 6 - 9);
    assert!(positions(&ids[..5], [8, 9], Grid { t: 1, h: 4, w: 6 }, 2).is_err());
}

#[test]
fn deltas_of_whole_prompts() {
    for (case, grid) in [("base", [3, 4, 6]), ("tied", [1, 6, 10]), ("image", [1, 14, 10])] {
        let checkpoint = Checkpoint::open(&folder(case)).expect("the fixture's");
        let texts = Texts::of(case);
        let visual = [checkpoint.config.image_token, checkpoint.config.video_token];
        let grid = Grid { t: grid[0], h: grid[1], w: grid[2] };
        assert_eq!(positions(&texts.ids[0], visual, grid, 2).expect(case).delta, texts.delta, "{case}");
    }
}
