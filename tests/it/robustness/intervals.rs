//! Intervals: coverage, determinism, pairing.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use roborm::prelude::*;
use roborm::robustness::{Analysis, Metric};

/// Uniform in [0, 1).
fn uniform(rng: &mut Xoshiro256PlusPlus) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// A table of these rows: model, trajectory, strategy, score; the label of each trajectory is 3.
fn table(rows: Vec<(String, String, &'static str, f64)>) -> ScoreTable {
    let n = rows.len();
    let (mut models, mut trajectories, mut strategies, mut scores) = (vec![], vec![], vec![], vec![]);
    for (model, trajectory, strategy, score) in rows {
        models.push(model);
        trajectories.push(trajectory);
        strategies.push(strategy);
        scores.push(score);
    }
    let frame = df![
        "model" => models,
        "trajectory" => trajectories,
        "strategy" => strategies,
        "instruction" => (0..n).map(|i| format!("instruction {i}")).collect::<Vec<_>>(),
        "score" => scores,
        "label" => vec![3i64; n],
    ];
    ScoreTable::from_frame(frame.unwrap()).unwrap()
}

/// A thousand experiments of a hundred trajectories, each experiment a model of the table. The four paraphrases of a
/// trajectory share one error, so that an interval that took pairs for independent would be half as wide as it should
/// be and cover in about two cases of three.
#[test]
fn intervals_cover_the_truth_at_their_level() {
    let (experiments, trajectories, paraphrases) = (1000, 100, 4);
    let crossing = 0.3;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut rows = Vec::new();
    for experiment in 0..experiments {
        for trajectory in 0..trajectories {
            let error = 2.0 * uniform(&mut rng); // mean 1
            let crosses = uniform(&mut rng) < crossing;
            for paraphrase in 0..paraphrases {
                // Two figures of two kinds: a mean over pairs under one strategy, a share of trajectories under another.
                let model = format!("experiment {experiment}");
                let id = format!("t{trajectory}");
                rows.push((model.clone(), id.clone(), "lexical", 3.0 + error));
                rows.push((model, id, "structural", if crosses && paraphrase == 0 { 5.0 } else { 1.0 }));
            }
        }
    }
    let result = Analysis::new().resamples(1000).run(&table(rows)).unwrap();
    for (strategy, metric, truth) in
        [("lexical", Metric::MeanError, 1.0), ("structural", Metric::CrossingRate, crossing)]
    {
        let intervals: Vec<(f64, f64)> = result
            .rows
            .iter()
            .filter(|row| row.group.text("strategy") == Some(strategy))
            .map(|row| row.estimate(metric).interval.expect("a hundred trajectories have one"))
            .collect();
        assert_eq!(intervals.len(), experiments);
        let covered = intervals.iter().filter(|(lo, hi)| (*lo..=*hi).contains(&truth)).count();
        // 0.95 within four standard deviations of a binomial of 1,000, which are 0.0276.
        let coverage = covered as f64 / experiments as f64;
        assert!((0.9224..=0.9776).contains(&coverage), "{strategy}: {coverage}");
    }
}

fn noisy(models: &[(&str, f64)], trajectories: usize, seed: u64) -> ScoreTable {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut rows = Vec::new();
    for trajectory in 0..trajectories {
        // What makes a trajectory hard is the same for every model.
        let hard = uniform(&mut rng);
        for (model, more) in models {
            for _ in 0..3 {
                let score = 3.0 + 1.5 * hard + more + 0.1 * uniform(&mut rng);
                rows.push(((*model).to_owned(), format!("t{trajectory:03}"), "lexical", score));
            }
        }
    }
    table(rows)
}

#[test]
fn a_result_does_not_depend_on_the_number_of_threads() {
    let table = noisy(&[("a", 0.0), ("b", 0.2)], 150, 1);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let analysis = Analysis::new().seed(42);
            (analysis.run(&table).unwrap().rows, analysis.compare(&table, "a", "b").unwrap().rows)
        })
    };
    assert_eq!(run(1), run(3));
    let other = Analysis::new().seed(43).run(&table).unwrap();
    assert_ne!(run(1).0[0].mean_error.interval, other.rows[0].mean_error.interval);
}

#[test]
fn no_resamples_no_intervals() {
    let result = Analysis::new().resamples(0).run(&noisy(&[("a", 0.0)], 10, 1)).unwrap();
    assert_eq!((result.rows[0].mean_error.n, result.rows[0].mean_error.interval), (30, None));
}

#[test]
fn a_paired_interval_is_narrower_than_an_unpaired_one_on_correlated_data() {
    let table = noisy(&[("a", 0.0), ("b", 0.2)], 150, 2);
    let alone = Analysis::new().run(&table).unwrap();
    let width = |interval: Option<(f64, f64)>| interval.map(|(lo, hi)| hi - lo).unwrap();
    let compared = Analysis::new().compare(&table, "a", "b").unwrap();
    assert_eq!((compared.column, compared.rows.len()), ("model", 1));
    let row = &compared.rows[0];
    assert_eq!((row.group.text("strategy"), row.paired, row.only_a, row.only_b), (Some("lexical"), 150, 0, 0));

    let error = row.mean_error;
    let (a, b) = (alone.row("a", "lexical").unwrap().mean_error, alone.row("b", "lexical").unwrap().mean_error);
    assert!((error.a.unwrap() - a.value.unwrap()).abs() < 1e-12 && (error.b.unwrap() - b.value.unwrap()).abs() < 1e-12);
    assert!((error.difference.value.unwrap() - (a.value.unwrap() - b.value.unwrap())).abs() < 1e-12);
    // Were the two independent, the difference would be as wide as both together (in quadrature). What they share, a
    // spread of 1.5 against 0.1 of their own noise, is most of it.
    let independent = width(a.interval).hypot(width(b.interval));
    assert!(width(error.difference.interval) < 0.2 * independent);
    // b errs by 0.2 more, which its interval tells from nothing.
    assert!(error.difference.interval.unwrap().1 < 0.0);
}

#[test]
fn comparison_is_over_the_trajectories_that_both_have() {
    let rows = [
        ("m", "t1", "lexical", 5.0),
        ("m", "t1", "lexical", 1.0),
        ("m", "t2", "lexical", 5.0),
        ("m", "t2", "lexical", 5.0),
        ("m", "t3", "lexical", 5.0),
        ("m", "t3", "lexical", 1.0),
        ("m", "t1", "structural", 5.0),
        ("m", "t1", "structural", 5.0),
        ("m", "t2", "structural", 1.0),
        ("m", "t4", "structural", 1.0),
    ];
    let rows =
        rows.map(|(model, trajectory, strategy, score)| (model.to_owned(), trajectory.to_owned(), strategy, score));
    let compared = Analysis::new().compare(&table(rows.to_vec()), "lexical", "structural").unwrap();
    assert_eq!((compared.column, &compared.rows[0].group.to_string()[..]), ("strategy", "m"));
    let row = &compared.rows[0];
    assert_eq!((row.paired, row.only_a, row.only_b), (2, 1, 1));
    // Only t1 has two scores on both sides: it crosses under lexical alone.
    assert_eq!((row.crossing_rate.a, row.crossing_rate.b), (Some(1.0), Some(0.0)));
    assert_eq!((row.crossing_rate.difference.value, row.crossing_rate.difference.n), (Some(1.0), 1));
    assert_eq!(row.crossing_rate.difference.interval, None);
    // Label 3, so every 5 fails: t1 and t2 under lexical 5, 1, 5, 5; under structural 5, 5, 1.
    assert_eq!((row.failure_rate.a, row.failure_rate.b), (Some(0.75), Some(2.0 / 3.0)));
    assert_eq!(row.failure_rate.difference.n, 2);
    assert_eq!(compared.to_json()[0]["crossing_difference_ci"], serde_json::Value::Null);
    assert_eq!(compared.to_frame().unwrap().height(), 1);
}

#[test]
fn models_of_different_configs_are_compared_but_not_two_configs_of_one() {
    let mut frame = noisy(&[("a", 0.0), ("b", 0.2)], 4, 3).frame().clone();
    let models: Vec<String> =
        frame.column("model").unwrap().str().unwrap().iter().map(|m| m.unwrap().to_owned()).collect();
    frame
        .with_column(Column::new("config".into(), models.iter().map(|m| format!("config of {m}")).collect::<Vec<_>>()))
        .unwrap();
    let compared = Analysis::new().compare(&ScoreTable::from_frame(frame.clone()).unwrap(), "a", "b").unwrap();
    assert_eq!(compared.rows[0].paired, 4);
    let several: Vec<String> = (0..frame.height()).map(|i| format!("config {}", i % 2)).collect();
    frame.with_column(Column::new("config".into(), several)).unwrap();
    let error = Analysis::new().compare(&ScoreTable::from_frame(frame).unwrap(), "a", "b").unwrap_err();
    assert!(error.to_string().contains("2 configs"), "{error}");
}
