//! What holds for every table.

use std::collections::BTreeSet;

use proptest::prelude::*;
use roborm::prelude::{Column, DataFrame, DataType, IntoLazy, ScoreTable, df};
use roborm::robustness::{Analysis, Metric, expr};

use super::peers::agree;
use super::{Reply, frame, table};

const MODELS: [&str; 2] = ["a", "b"];
const STRATEGIES: [&str; 3] = ["original", "lexical", "adversarial"];

/// Up to 60 replies of two models to five trajectories; a trajectory has one label or none.
fn replies() -> impl Strategy<Value = Vec<Reply>> {
    let label = proptest::option::weighted(0.8, 1i64..=5);
    let score = proptest::option::weighted(0.85, (1u8..=5).prop_map(f64::from));
    let row = (0usize..2, 0usize..5, 0usize..3, score);
    (proptest::collection::vec(label, 5), proptest::collection::vec(row, 1..60)).prop_map(|(labels, rows)| {
        let reply = |(i, (model, trajectory, strategy, score)): (usize, (usize, usize, usize, Option<f64>))| Reply {
            model: MODELS[model],
            trajectory: format!("t{trajectory}"),
            strategy: STRATEGIES[strategy],
            instruction: format!("instruction {i}"),
            score,
            label: labels[trajectory],
        };
        rows.into_iter().enumerate().map(reply).collect()
    })
}

fn analysis() -> Analysis {
    Analysis::new().resamples(40)
}

/// Model, strategy and trajectory of every unit that crosses.
fn crossing(replies: &[Reply]) -> BTreeSet<[String; 3]> {
    let units = Analysis::new().by_trajectory(&table(replies)).unwrap();
    let texts = |name: &str| units.column(name).unwrap().str().unwrap().clone();
    let (model, strategy, trajectory) = (texts("model"), texts("strategy"), texts("trajectory"));
    let crossed = units.column("crossed").unwrap().bool().unwrap();
    (0..units.height())
        .filter(|i| crossed.get(*i) == Some(true))
        .map(|i| [&model, &strategy, &trajectory].map(|column| column.get(i).unwrap().to_owned()))
        .collect()
}

proptest! {
    #[test]
    fn the_order_of_rows_does_not_matter(
        (one, other) in replies().prop_flat_map(|rows| (Just(rows.clone()), Just(rows).prop_shuffle()))
    ) {
        let (one, other) = (table(&one), table(&other));
        prop_assert_eq!(analysis().run(&one).unwrap().rows, analysis().run(&other).unwrap().rows);
    }

    #[test]
    fn a_crossing_trajectory_never_uncrosses_when_paraphrases_are_added(all in replies(), some in 1usize..60) {
        let fewer = crossing(&all[..some.min(all.len())]);
        prop_assert!(fewer.is_subset(&crossing(&all)));
    }

    #[test]
    fn equal_scores_never_cross(mut all in replies(), score in 1.0f64..5.0, boundary in 0.0f64..6.0) {
        for reply in &mut all {
            reply.score = reply.score.map(|_| score);
        }
        // At the score itself, too.
        for boundary in [boundary, score] {
            for row in analysis().boundary(boundary).run(&table(&all)).unwrap().rows {
                for metric in [Metric::CrossingRate, Metric::Range, Metric::Std] {
                    let figure = row.estimate(metric);
                    prop_assert_eq!(figure.value, (figure.n > 0).then_some(0.0));
                }
            }
        }
    }

    #[test]
    fn figures_are_within_their_bounds_and_over_what_they_say(all in replies(), boundary in 1.0f64..5.0) {
        for row in analysis().boundary(boundary).run(&table(&all)).unwrap().rows {
            let bounds = [1.0, 1.0, 1.0, 4.0, 4.0, 2.0];
            for (metric, most) in Metric::ALL.into_iter().zip(bounds) {
                let figure = row.estimate(metric);
                prop_assert_eq!(figure.value.is_some(), figure.n > 0);
                if let Some(value) = figure.value {
                    prop_assert!((0.0..=most).contains(&value), "{:?} {}", metric, value);
                }
                if let Some((lo, hi)) = figure.interval {
                    prop_assert!(0.0 <= lo && lo <= hi && hi <= most, "{:?} {:?}", metric, figure);
                }
            }
            prop_assert!(row.crossing_rate.n <= row.trajectories);
            prop_assert!(row.failed_trajectories.n <= row.trajectories);
            prop_assert!(row.failure_rate.n <= row.pairs - row.unparsed);
            prop_assert_eq!(row.failure_rate.n, row.mean_error.n);
            // Scores of integers: where the range is r, the population deviation is at most r / 2.
            if let (Some(range), Some(std)) = (row.range.value, row.std.value) {
                prop_assert!(std <= range / 2.0 + 1e-12);
            }
        }
    }

    #[test]
    fn failure_against_the_label(mut all in replies()) {
        let table = |all: &[Reply]| analysis().run(&table(all)).unwrap();
        let before = table(&all);
        // Labels moved to the other side turn failures into successes.
        for reply in &mut all {
            reply.label = reply.label.map(|label| if label > 3 { 3 } else { 4 });
        }
        for (before, after) in before.rows.iter().zip(&table(&all).rows) {
            prop_assert_eq!(before.failure_rate.n, after.failure_rate.n);
            if let (Some(before), Some(after)) = (before.failure_rate.value, after.failure_rate.value) {
                prop_assert!((before + after - 1.0).abs() < 1e-12);
            }
        }
        // Whoever crosses is wrong on one side.
        let crossing = crossing(&all).into_iter().filter(|[model, strategy, trajectory]| {
            all.iter().any(|r| r.model == *model && r.strategy == *strategy && r.trajectory == *trajectory && r.label.is_some())
        });
        let failed: f64 = table(&all)
            .rows
            .iter()
            .filter_map(|row| Some(row.failed_trajectories.value? * row.failed_trajectories.n as f64))
            .sum();
        prop_assert!(crossing.count() as f64 <= failed + 1e-9);
        // A model that answers the label never fails.
        for reply in &mut all {
            reply.score = reply.label.map(|label| label as f64);
        }
        for row in table(&all).rows {
            prop_assert_eq!(row.failure_rate.value, (row.failure_rate.n > 0).then_some(0.0));
            prop_assert_eq!(row.mean_error.value, (row.mean_error.n > 0).then_some(0.0));
        }
    }

}

proptest! {
    // A plan of polars a case: the slowest of these laws by far.
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn lazy_expressions_agree(
        all in replies(),
        shift in 0.0f64..0.9,
        boundary in 1.0f64..5.0,
        ddof in 0u8..3,
        datasets in proptest::collection::vec(0u8..2, 60),
        repeats in proptest::collection::vec(0i64..2, 60),
        seeds in proptest::collection::vec(proptest::option::weighted(0.2, Just("x")), 60),
        by in proptest::sample::subsequence(vec!["model", "strategy", "label", "dataset", "trajectory"], 1..4),
    ) {
        let mut frame: DataFrame = frame(&all);
        let n = all.len();
        let scores: Vec<Option<f64>> = all.iter().enumerate().map(|(i, r)| r.score.map(|s| s + shift * (i % 3) as f64)).collect();
        frame.with_column(Column::new("score".into(), scores)).unwrap();
        frame.with_column(Column::new("dataset".into(), datasets[..n].iter().map(u8::to_string).collect::<Vec<_>>())).unwrap();
        frame.with_column(Column::new("repeat".into(), &repeats[..n])).unwrap();
        frame.with_column(Column::new("seed".into(), &seeds[..n])).unwrap();
        let analysis = analysis().by(by.clone()).boundary(boundary).ddof(ddof).pool_datasets();
        let lazy = expr::robustness(frame.clone().lazy(), &by, boundary, ddof).unwrap().collect().unwrap();
        match analysis.run(&ScoreTable::from_frame(frame).unwrap()) {
            Ok(result) => agree(&result, &lazy),
            // The analysis refuses where nothing is left of the table; the expressions give no rows.
            Err(error) => prop_assert_eq!(lazy.height(), 0, "{}", error),
        }
    }
}

#[test]
fn scores_close_together_keep_their_deviation() {
    // 4 and 4 + 2e-6: the population deviation is 1e-6, which sums of squares of the scores themselves would lose.
    let frame = df![
        "model" => ["m"; 2],
        "trajectory" => ["t"; 2],
        "strategy" => ["lexical"; 2],
        "instruction" => ["a", "b"],
        "score" => [4.0, 4.0 + 2e-6],
    ];
    let result = Analysis::new().run(&ScoreTable::from_frame(frame.unwrap()).unwrap()).unwrap();
    let std = result.rows[0].std.value.unwrap();
    assert!((std / 1e-6 - 1.0).abs() < 1e-8, "{std}");
    assert_eq!(result.to_frame().unwrap().column("std").unwrap().dtype(), &DataType::Float64);
}
