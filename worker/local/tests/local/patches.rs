//! Frames to patches, held against the processors of transformers: every byte.

use roborm_local::checkpoint::Checkpoint;
use roborm_local::input::{Grid, patches};
use tch::Kind;

use crate::fixture::{CASES, Tensors, folder};

#[test]
fn patches_are_those_of_transformers() {
    for (case, video) in CASES {
        let checkpoint = Checkpoint::open(&folder(case)).expect("the fixture's");
        let tensors = Tensors::of(case);
        let got = patches(tensors.get("frames"), &checkpoint, !video).expect(case);
        let [t, h, w] = tensors.ints("grid")[..] else { panic!("a grid of three") };
        assert_eq!(got.grid, Grid { t, h, w }, "{case}");
        // The maker saw to it that the patches of transformers are exactly this.
        let wanted = (tensors.get("levels").to_kind(Kind::Float) - 127.5) / 127.5;
        assert!(got.values.equal(&wanted), "{case}");
    }
}

#[test]
fn resize_and_image_fixtures_do_resize() {
    for (case, height, width) in [("resize", 50, 77), ("image", 41, 30)] {
        let tensors = Tensors::of(case);
        let grid = tensors.ints("grid");
        assert_eq!(tensors.get("frames").size()[2..], [height, width]);
        assert_ne!([grid[1] * 4, grid[2] * 4], [height, width]);
    }
}

#[test]
fn a_single_frame_is_two_equal_ones() {
    let checkpoint = Checkpoint::open(&folder("base")).expect("the fixture's");
    let frames = Tensors::of("base").get("frames").narrow(0, 0, 1);
    let one = patches(&frames, &checkpoint, false).expect("one frame");
    let two = patches(&frames.repeat([2, 1, 1, 1]), &checkpoint, false).expect("two frames");
    assert_eq!(one.grid, two.grid);
    assert!(one.values.equal(&two.values));
}

#[test]
fn impossible_clips() {
    let checkpoint = Checkpoint::open(&folder("base")).expect("the fixture's");
    let frames = |count, height, width| tch::Tensor::zeros([count, 3, height, width], (Kind::Uint8, tch::Device::Cpu));
    let refused = |frames: &tch::Tensor| match patches(frames, &checkpoint, false) {
        Ok(_) => panic!("taken"),
        Err(error) => error.to_string(),
    };
    assert_eq!(refused(&frames(0, 64, 64)), "a clip without a frame");
    assert_eq!(refused(&frames(2, 64, 12_900)), "12900 x 64 pixels: one side is 202 times the other");
}
