//! A table of 13 rows with every figure derived on paper.

use roborm::prelude::*;
use roborm::robustness::{Analysis, Estimate, LeftOut, Row, Unparsed};
use serde_json::json;

use super::{Reply, table};

/// | trajectory | label | original | lexical | adversarial |
/// | --- | --- | --- | --- | --- |
/// | t1 | 5 | 5 | 5, 4, 2 | unparsed |
/// | t2 | 2 | 4 | 1, 3, unparsed | |
/// | t3 | 4 | | 4, unparsed | |
/// | t4 | none | | 4, 4 | |
fn replies() -> Vec<Reply> {
    let rows = [
        ("t1", Some(5), "original", Some(5.0)),
        ("t1", Some(5), "lexical", Some(5.0)),
        ("t1", Some(5), "lexical", Some(4.0)),
        ("t1", Some(5), "lexical", Some(2.0)),
        ("t1", Some(5), "adversarial", None),
        ("t2", Some(2), "original", Some(4.0)),
        ("t2", Some(2), "lexical", Some(1.0)),
        ("t2", Some(2), "lexical", Some(3.0)),
        ("t2", Some(2), "lexical", None),
        ("t3", Some(4), "lexical", Some(4.0)),
        ("t3", Some(4), "lexical", None),
        ("t4", None, "lexical", Some(4.0)),
        ("t4", None, "lexical", Some(4.0)),
    ];
    let reply = |(i, (trajectory, label, strategy, score)): (usize, (&str, _, _, _))| Reply {
        model: "m",
        trajectory: trajectory.to_owned(),
        strategy,
        instruction: format!("instruction {i}"),
        score,
        label,
    };
    rows.into_iter().enumerate().map(reply).collect()
}

fn near(estimate: Estimate, value: impl Into<Option<f64>>, n: u64) {
    let value = value.into();
    assert_eq!(estimate.n, n, "{estimate:?}");
    match (estimate.value, value) {
        (Some(got), Some(right)) => assert!((got - right).abs() < 1e-12, "{got} is not {right}"),
        (got, right) => assert_eq!(got, right),
    }
}

fn row(analysis: &Analysis, strategy: &str) -> Row {
    let all = analysis.run(&table(&replies())).unwrap();
    all.row("m", strategy).unwrap_or_else(|| panic!("no row for {strategy}")).clone()
}

#[test]
fn every_figure_of_the_lexical_group() {
    let row = row(&Analysis::new(), "lexical");
    assert_eq!((row.trajectories, row.pairs, row.unparsed), (4, 10, 2));
    // t1 (5, 4 | 2) crosses; t2 (1, 3) and t4 (4, 4) do not; t3 has one score and does not count.
    near(row.crossing_rate, 1.0 / 3.0, 3);
    // Of t1's three pairs the 2 is on the other side of its label 5; t2's two and t3's one agree; t4 has no label.
    near(row.failure_rate, 1.0 / 6.0, 6);
    near(row.failed_trajectories, 1.0 / 3.0, 3);
    // |5-5| + |4-5| + |2-5| + |1-2| + |3-2| + |4-4| = 6 over six pairs.
    near(row.mean_error, 1.0, 6);
    // 3, 2 and 0.
    near(row.range, 5.0 / 3.0, 3);
    // t1: mean 11/3, squares 16/9 + 1/9 + 25/9 = 42/9, over three 14/9. t2: 1. t4: 0.
    near(row.std, (14f64.sqrt() / 3.0 + 1.0) / 3.0, 3);
}

#[test]
fn the_sample_form_of_the_standard_deviation() {
    // t1: 42/9 over two is 7/3; t2: 2 over one; t4: 0.
    near(row(&Analysis::new().ddof(1), "lexical").std, ((7f64 / 3.0).sqrt() + 2f64.sqrt()) / 3.0, 3);
    // Two degrees off leave t1 alone: 42/9 over one.
    near(row(&Analysis::new().ddof(2), "lexical").std, (42f64 / 9.0).sqrt(), 1);
    near(row(&Analysis::new().ddof(3), "lexical").std, None, 0);
}

#[test]
fn the_original_instruction_is_a_group_of_its_own() {
    let row = row(&Analysis::new(), "original");
    assert_eq!((row.trajectories, row.pairs, row.unparsed), (2, 2, 0));
    near(row.crossing_rate, None, 0);
    near(row.range, None, 0);
    near(row.std, None, 0);
    // t2 scored 4 for a label of 2.
    near(row.failure_rate, 0.5, 2);
    near(row.failed_trajectories, 0.5, 2);
    near(row.mean_error, 1.0, 2);
}

#[test]
fn a_group_without_a_parsed_reply_is_null_with_n_0() {
    let row = row(&Analysis::new(), "adversarial");
    assert_eq!((row.trajectories, row.pairs, row.unparsed), (1, 1, 1));
    let nothing = Estimate { value: None, n: 0, interval: None };
    for metric in roborm::robustness::Metric::ALL {
        assert_eq!(row.estimate(metric), nothing, "{metric:?}");
    }
}

#[test]
fn the_boundary_of_the_loader_of_roboreward() {
    let row = row(&Analysis::new().boundary(4.5), "lexical");
    // t1: 5 | 4, 2 crosses, and two of its pairs fail. t2, t3: labels and scores all below.
    near(row.crossing_rate, 1.0 / 3.0, 3);
    near(row.failure_rate, 2.0 / 6.0, 6);
}

#[test]
fn several_boundaries_in_one_pass_are_each_alone() {
    let analysis = Analysis::new();
    let boundaries = [1.5, 2.5, 3.5, 4.5];
    let all = analysis.over_boundaries(&table(&replies()), &boundaries).unwrap();
    for (boundary, result) in boundaries.into_iter().zip(all) {
        assert_eq!(result.boundary, boundary);
        let alone = analysis.clone().boundary(boundary).run(&table(&replies())).unwrap();
        assert_eq!(result.rows, alone.rows);
    }
}

#[test]
fn strategies_are_pooled_without_the_original_where_they_are_not_asked_for() {
    let all = Analysis::new().by(["model"]).run(&table(&replies())).unwrap();
    assert_eq!(all.rows.len(), 1);
    let row = &all.rows[0];
    assert_eq!((row.trajectories, row.pairs, row.unparsed), (4, 11, 3));
    near(row.crossing_rate, 1.0 / 3.0, 3);
    near(row.failure_rate, 1.0 / 6.0, 6);
    assert_eq!(all.left_out, LeftOut { original: 2, ..Default::default() });
}

#[test]
fn the_policies_of_peers_for_unparsed_replies() {
    let row_as = |unparsed| row(&Analysis::new().unparsed(unparsed), "lexical");
    // 1 for the unparsed of t2 (1, 3, 1) and of t3 (4 | 1): t3 counts and crosses now, and its 1 fails its label 4.
    let failure = row_as(Unparsed::AsFailure);
    assert_eq!((failure.pairs, failure.unparsed), (10, 2));
    near(failure.crossing_rate, 2.0 / 4.0, 4);
    near(failure.failure_rate, 2.0 / 8.0, 8);
    near(failure.mean_error, (6.0 + 1.0 + 3.0) / 8.0, 8);
    // 4: t2 (1, 3 | 4) crosses and fails, t3 (4, 4) neither.
    let success = row_as(Unparsed::AsSuccess);
    near(success.crossing_rate, 2.0 / 4.0, 4);
    near(success.failure_rate, 2.0 / 8.0, 8);
    near(success.mean_error, (6.0 + 2.0 + 0.0) / 8.0, 8);
    assert_eq!(row_as(Unparsed::As(1.0)), failure);
    assert_eq!("as-failure".parse::<Unparsed>().unwrap(), Unparsed::AsFailure);
    assert_eq!("2.5".parse::<Unparsed>().unwrap(), Unparsed::As(2.5));
}

#[test]
fn rows_are_in_the_order_of_strategies_and_json_has_its_keys() {
    let all = Analysis::new().resamples(100).seed(3).run(&table(&replies())).unwrap();
    let json = all.to_json();
    let strategies: Vec<_> = json.as_array().unwrap().iter().map(|row| row["strategy"].clone()).collect();
    assert_eq!(strategies, ["original", "lexical", "adversarial"]);
    assert_eq!(
        json[2],
        json!({
            "model": "m", "strategy": "adversarial", "trajectories": 1, "pairs": 1, "unparsed": 1,
            "crossing_rate": null, "crossing_n": 0, "crossing_ci": null,
            "failure_rate": null, "failure_n": 0, "failure_ci": null, "failed_trajectories": null,
            "mean_error": null, "mean_error_n": 0, "mean_error_ci": null,
            "range": null, "range_ci": null, "std": null, "std_ci": null, "resamples": 100, "seed": 3,
        })
    );
    let keys: Vec<_> = json[1].as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "model",
            "strategy",
            "trajectories",
            "pairs",
            "unparsed",
            "crossing_rate",
            "crossing_n",
            "crossing_ci",
            "failure_rate",
            "failure_n",
            "failure_ci",
            "failed_trajectories",
            "mean_error",
            "mean_error_n",
            "mean_error_ci",
            "range",
            "range_ci",
            "std",
            "std_ci",
            "resamples",
            "seed",
        ]
    );
}

#[test]
fn the_frame_has_a_row_a_group_and_nulls_not_nans() {
    let frame = Analysis::new().run(&table(&replies())).unwrap().to_frame().unwrap();
    assert_eq!(frame.height(), 3);
    let rates = frame.column("crossing_rate").unwrap().f64().unwrap();
    assert_eq!(rates.iter().collect::<Vec<_>>(), [None, Some(1.0 / 3.0), None]);
    for column in frame.columns().iter().filter(|column| column.dtype().is_float()) {
        assert_eq!(column.is_nan().unwrap().sum(), Some(0), "{}", column.name());
    }
    assert_eq!(
        frame.column("failure_n").unwrap().u64().unwrap().iter().collect::<Vec<_>>(),
        [Some(2), Some(6), Some(0)]
    );
}

#[test]
fn trajectories_worst_first() {
    let frame = Analysis::new().by(["strategy"]).by_trajectory(&table(&replies())).unwrap();
    let lexical = frame.lazy().filter(col("strategy").eq(lit("lexical"))).collect().unwrap();
    let texts = |name: &str| -> Vec<String> {
        lexical.column(name).unwrap().str().unwrap().iter().map(|v| v.unwrap().to_owned()).collect()
    };
    // t1 crosses; t2 has a range of 2, t4 of 0, t3 none.
    assert_eq!(texts("trajectory"), ["t1", "t2", "t4", "t3"]);
    let bools: Vec<_> = lexical.column("crossed").unwrap().bool().unwrap().iter().collect();
    assert_eq!(bools, [Some(true), Some(false), Some(false), None]);
    let floats = |name: &str| lexical.column(name).unwrap().f64().unwrap().iter().collect::<Vec<_>>();
    assert_eq!(floats("min"), [Some(2.0), Some(1.0), Some(4.0), Some(4.0)]);
    assert_eq!(floats("max"), [Some(5.0), Some(3.0), Some(4.0), Some(4.0)]);
    assert_eq!(floats("range"), [Some(3.0), Some(2.0), Some(0.0), None]);
    assert_eq!(floats("label"), [Some(5.0), Some(2.0), None, Some(4.0)]);
    let failures: Vec<_> = lexical.column("failures").unwrap().u32().unwrap().iter().collect();
    assert_eq!(failures, [Some(1), Some(0), None, Some(0)]);
}

#[test]
fn confusion_counts_labelled_pairs() {
    let frame = Analysis::new().by(["model"]).confusion(&table(&replies())).unwrap();
    let column = |name: &str| frame.column(name).unwrap().cast(&DataType::Int64).unwrap();
    let column = |name: &str| column(name).i64().unwrap().iter().collect::<Vec<_>>();
    let counts: Vec<_> = column("label")
        .into_iter()
        .zip(column("predicted"))
        .zip(column("count"))
        .map(|((l, p), n)| (l, p, n))
        .collect();
    let right = [
        (2, Some(1), 1),
        (2, Some(3), 1),
        (2, None, 1),
        (4, Some(4), 1),
        (4, None, 1),
        (5, Some(2), 1),
        (5, Some(4), 1),
        (5, Some(5), 1),
        (5, None, 1),
    ];
    assert_eq!(counts, right.map(|(label, predicted, n)| (Some(label), predicted, Some(n))));
}
