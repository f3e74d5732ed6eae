//! The frame rule on times alone.

use proptest::prelude::*;
use roborm::dataset::Span;
use roborm::frames::Sampling;
use roborm::frames::rule::{Timeline, down_sample, rule_name};

use super::at;

fn select(timeline: &Timeline, sampling: &Sampling) -> Vec<usize> {
    timeline.select(0..timeline.pts().len(), sampling).expect("a selection")
}

fn timeline(time_base: (u32, u32), pts: &[i64]) -> Timeline {
    Timeline::new(time_base, pts.to_vec(), 0).expect("a timeline")
}

#[test]
fn down_sampling_rounds_halves_to_even() {
    // numpy: np.round(np.linspace(0, 31, 8)).astype(int)
    assert_eq!(down_sample(32, 8), [0, 4, 9, 13, 18, 22, 27, 31]);
    // linspace(0, 5, 3) = 0, 2.5, 5 and linspace(0, 7, 3) = 0, 3.5, 7.
    assert_eq!(down_sample(6, 3), [0, 2, 5]);
    assert_eq!(down_sample(8, 3), [0, 4, 7]);
    assert_eq!(down_sample(5, 5), [0, 1, 2, 3, 4]);
    assert_eq!(down_sample(5, 1), [0]);
    assert_eq!(down_sample(0, 3), [] as [usize; 0]);
}

#[test]
fn a_regular_clip_gives_a_frame_a_second_and_the_last() {
    let clip = timeline((1, 15360), &(0..25).map(|frame| frame * 1536).collect::<Vec<_>>());
    assert_eq!(select(&clip, &at(1.0)), [0, 10, 20, 24]);
    assert_eq!(select(&clip, &at(2.0)), [0, 5, 10, 15, 20, 24]);
    assert_eq!(select(&clip, &at(0.5)), [0, 20, 24]);
}

#[test]
fn a_step_takes_the_frame_shown_then_and_skips_repeats() {
    // Ticks of 1/100 s: nothing is shown anew between 0.10 s and 2.50 s, so the steps at 1 s and 2 s repeat frame 1.
    assert_eq!(select(&timeline((1, 100), &[0, 10, 250, 299, 300]), &at(1.0)), [0, 1, 4]);
    assert_eq!(select(&timeline((1, 100), &[0, 10, 250, 299, 301]), &at(1.0)), [0, 1, 3, 4]);
}

#[test]
fn a_step_between_ticks_is_rounded_to_the_even_one() {
    // At 8 frames a second a step is 12.5 ticks of 1/100 s: round() gives 0, 12, 25, 38, 50.
    assert_eq!(select(&timeline((1, 100), &[0, 12, 13, 25, 37, 38, 49, 50]), &at(8.0)), [0, 1, 3, 5, 7]);
}

#[test]
fn times_need_not_start_at_zero_and_need_not_be_sorted() {
    assert_eq!(select(&timeline((1, 10), &[85, 53, 72, 63, 64]), &at(1.0)), [0, 1, 3, 4]);
    assert_eq!(select(&timeline((1, 10), &[-5, 4, 5, 6]), &at(1.0)), [0, 2, 3]);
}

#[test]
fn ntsc_rates_do_not_drift() {
    // Frame n of 30000/1001 at n * 1001 ticks of 1/30000 s; an hour of steps at that very rate keeps every frame.
    let clip = timeline((1, 30000), &(0..108_000).map(|frame| frame * 1001).collect::<Vec<_>>());
    assert_eq!(select(&clip, &at(30000.0 / 1001.0)).len(), 108_000);
}

#[test]
fn a_window_counts_from_its_own_first_frame() {
    let clip = timeline((1, 10), &(0..50).collect::<Vec<_>>());
    let window = |from_s, to_s| Sampling { from_s, to_s, ..Sampling::default() };
    assert_eq!(select(&clip, &window(Some(1.5), Some(4.0))), [15, 25, 35, 39]);
    assert_eq!(select(&clip, &window(None, Some(1.0))), [0, 9]);
    assert_eq!(select(&clip, &window(Some(4.9), None)), [49]);
}

#[test]
fn a_window_without_frames_is_wrong_usage_and_names_the_end() {
    let clip = timeline((1, 10), &(0..50).collect::<Vec<_>>());
    let sampling = Sampling { from_s: Some(7.0), ..Sampling::default() };
    let error = clip.select(0..50, &sampling).expect_err("no frame");
    assert!(error.is_usage());
    assert_eq!(error.to_string(), "no frame lies from 7 s on");
    assert_eq!(error.help(), Some("the trajectory's last frame is at 4.900 s"));
}

#[test]
fn sampling_that_makes_no_sense_is_wrong_usage() {
    let clip = timeline((1, 10), &[0, 1]);
    for fps in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-12] {
        assert!(clip.select(0..2, &at(fps)).expect_err("no rate").is_usage(), "{fps}");
    }
    let sampling = |from_s, max| Sampling { from_s, max, ..Sampling::default() };
    assert!(clip.select(0..2, &sampling(Some(-1.0), None)).expect_err("negative").is_usage());
    assert!(clip.select(0..2, &sampling(Some(f64::NAN), None)).expect_err("no number").is_usage());
    assert!(clip.select(0..2, &sampling(None, Some(0))).expect_err("nothing").is_usage());
}

#[test]
fn spans_snap_to_the_nearest_frame_and_end_before_the_next_episode() {
    // Three episodes of 10 frames at 30 Hz, in ticks of 1/15360 s.
    let clip = timeline((1, 15360), &(0..30).map(|frame| frame * 512).collect::<Vec<_>>());
    let span = |from_s, to_s| clip.span(Span { from_s, to_s });
    assert_eq!(span(0.0, 1.0 / 3.0).expect("first"), 0..10);
    assert_eq!(span(0.333_333_34, 0.666_666_7).expect("second"), 10..20);
    // The last one ends where the file does: a frame after the last frame's start.
    assert_eq!(span(0.666, 1.0).expect("third"), 20..30);
    // Just half a frame off at both ends is still taken, for the earlier frame.
    assert_eq!(span(0.35, 0.65).expect("half a frame"), 10..19);
    assert!(span(0.0, 1.2).expect_err("behind the end").to_string().starts_with("the end at 1.2 s is 0.200 s from"));
    assert!(span(-0.5, 0.5).is_err());
    assert_eq!(span(0.5, 0.5).expect_err("empty").to_string(), "no frame lies between 0.5 s and 0.5 s");
    assert!(span(f64::NAN, 0.5).is_err());
}

#[test]
fn the_rule_has_a_name() {
    assert_eq!(rule_name(&Sampling::default()), "1fps+last");
    let sampling = Sampling { fps: 2.5, max: Some(8), from_s: Some(1.5), to_s: Some(4.0) };
    assert_eq!(rule_name(&sampling), "2.5fps+last;from=1.5;to=4;max=8;linspace-half-even");
}

#[test]
fn a_hole_of_years_costs_nothing() {
    // A second every nanosecond would be 3e17 steps.
    assert_eq!(select(&timeline((1, 1_000_000_000), &[0, i64::MAX / 2]), &at(1.0)), [0, 1]);
    assert_eq!(select(&timeline((4_000_000_000, 1), &[0, 1, 1_000_000_000]), &at(1e6)), [0, 1, 2]);
}

/// The rule read word by word: every step is tried.
fn by_the_book(pts: &[i64], fps: i64, den: i64) -> Vec<usize> {
    let mut kept = Vec::new();
    for k in 0.. {
        // round(k * den / fps), halves to even.
        let (whole, rest) = (k * den / fps, k * den % fps);
        let up = rest * 2 > fps || (rest * 2 == fps && whole % 2 == 1);
        let target = pts[0] + whole + i64::from(up);
        kept.extend(pts.iter().rposition(|pts| *pts <= target));
        if target >= pts[pts.len() - 1] {
            break;
        }
    }
    kept.push(pts.len() - 1);
    kept.sort_unstable();
    kept.dedup();
    kept
}

proptest! {
    #[test]
    fn the_rule_is_what_the_book_says(
        steps in prop::collection::vec(0i64..400, 1..60), start in -500i64..500, fps in 1i64..40, den in 1i64..200,
    ) {
        let mut pts: Vec<i64> = steps.iter().scan(start, |time, step| { *time += step; Some(*time) }).collect();
        pts.sort_unstable();
        let clip = timeline((1, den as u32), &pts);
        prop_assert_eq!(select(&clip, &at(fps as f64)), by_the_book(&pts, fps, den));
    }

    #[test]
    fn down_sampling_keeps_the_ends_and_the_order(length in 2usize..500, n in 2usize..100) {
        let kept = down_sample(length, n);
        prop_assert_eq!(kept.len(), length.min(n));
        prop_assert_eq!((kept[0], kept[kept.len() - 1]), (0, length - 1));
        prop_assert!(kept.windows(2).all(|pair| pair[0] < pair[1]));
        // No place is further than half a place from where it should be.
        let spacing = (length - 1) as f64 / (kept.len() - 1) as f64;
        prop_assert!(kept.iter().enumerate().all(|(i, place)| (*place as f64 - i as f64 * spacing).abs() <= 0.5 + 1e-9));
    }
}
