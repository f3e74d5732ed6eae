//! Real rollouts, against right values made by a peer.

use serde_json::Value;

use crate::bench::{Bench, rollout_paraphrases, rollouts};

#[test]
fn frames_of_real_clips_are_those_of_the_peer() {
    let Some(folder) = rollouts() else { return };
    let bench = Bench::new();
    let expected = std::fs::read_to_string(folder.join("expected_frames.json")).expect("the peer's frames");
    let expected: serde_json::Map<String, Value> = serde_json::from_str(&expected).expect("JSON");
    assert_eq!(expected.len(), 23);
    for (clip, frames) in expected {
        let answer = bench.json(&["frames", &folder.join(&clip).display().to_string()]);
        let column = |name: &str| -> Vec<f64> {
            answer["frames"].as_array().into_iter().flatten().filter_map(|frame| frame[name].as_f64()).collect()
        };
        let of = |name: &str| -> Vec<f64> {
            frames[name].as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
        };
        assert_eq!(column("index"), of("index"), "{clip}");
        assert!(column("t_s").iter().zip(of("t_s")).all(|(ours, theirs)| (ours - theirs).abs() < 1e-4), "{clip}");
        assert_eq!(column("width").first(), frames["size"][0].as_f64().as_ref(), "{clip}");
    }
}

#[test]
fn a_study_of_real_rollouts_comes_to_metrics_and_charts() {
    let Some(folder) = rollouts() else { return };
    let bench = Bench::new();
    let (folder, paraphrases) = (folder.display().to_string(), rollout_paraphrases().display().to_string());
    let rows = bench.json(&["trajectories", &folder]);
    assert_eq!(rows.as_array().map(Vec::len), Some(23));
    let scored = bench.json(&["score", &folder, "--model", "simulated", "--paraphrases", &paraphrases]);
    assert_eq!(scored["called"], scored["planned"]);
    let metrics = bench.json(&["robustness", "scores.parquet", "--chart", "report.html"]);
    for row in metrics.as_array().expect("a row a group") {
        assert_eq!(row["trajectories"], 23);
        let original = row["strategy"] == "original";
        assert_eq!(row["crossing_rate"].is_null(), original, "a single wording cannot disagree with itself");
    }
    assert!(bench.path("report.html").is_file());
}
