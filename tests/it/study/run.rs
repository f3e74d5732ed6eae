use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use roborm::Error;
use roborm::dataset::{Dataset, OpenOptions};
use roborm::reward::{FaultKind, ModelConfig, ModelOptions, Request};
use roborm::study::{Plan, PlanOptions, Study};

use super::kit::*;

#[test]
fn every_pair_is_called_once_and_has_its_row() {
    let (bench, model) = (Bench::new(), Arc::new(Fake::new("m")));
    let outcome = bench.run(plan(5, 3), &model);
    assert_eq!((outcome.counts.planned, outcome.counts.called, outcome.counts.cached), (20, 20, 0));
    assert_eq!((outcome.exit_status(), outcome.failures.len()), (0, 0));
    let asked = model.asked();
    assert_eq!(asked.len(), 20);
    assert_eq!(asked.iter().collect::<BTreeSet<_>>().len(), 20);
    let rows = rows(&outcome);
    assert_eq!(rows.len(), 20);
    // In the plan's order, whatever order replies came in, each with the score of its own reply.
    assert_eq!(rows[0].0, "t000");
    assert_eq!((rows[0].1.as_str(), rows[0].2.as_str()), ("original", "open the drawer"));
    for (trajectory, _, instruction, _, given) in rows {
        assert_eq!(given, Some(f64::from(score(&trajectory, &instruction))));
    }
    let frame = outcome.scores.frame();
    let text = |name: &str| frame.column(name).unwrap().str().unwrap().get(0).unwrap().to_owned();
    assert_eq!(text("dataset"), "test");
    assert_eq!(text("config"), model.config.digest());
    assert_eq!(text("prompt_version"), "test-1");
    assert_eq!(text("finish_reason"), "stop");
    assert!(text("frame_rule").starts_with("1fps+last"));
    assert!(!text("reader_version").is_empty());

    let again = Arc::new(Fake::new("m"));
    let second = bench.run(plan(5, 3), &again);
    assert_eq!((second.counts.planned, second.counts.called, second.counts.cached), (20, 0, 20));
    assert!(again.asked().is_empty());
    assert!(second.scores.frame().equals_missing(outcome.scores.frame()));

    // More trajectories and more wordings: only what is new.
    let larger = bench.run(plan(6, 4), &again);
    assert_eq!((larger.counts.cached, larger.counts.called), (20, 10));
}

#[test]
fn the_demo_from_end_to_end() {
    let bench = Bench::new();
    let dataset = Dataset::open("demo", &OpenOptions::default()).unwrap();
    let plan = Plan::new(&dataset, Some(&roborm::paraphrase::demo()), &PlanOptions::default()).unwrap();
    assert!(plan.bare_tasks().is_empty());
    let model = || roborm::reward::open("simulated", &ModelOptions::default()).unwrap();
    let study = || Study::new(plan.clone(), bench.ledger()).model(model());
    let outcome = study().run().unwrap();
    assert_eq!((outcome.counts.called, outcome.exit_status()), (plan.pairs(), 0));
    assert_eq!(outcome.scores.len() as u64, plan.rows());
    assert!(outcome.scores.unparsed() as u64 >= outcome.counts.unparsed);
    let again = study().run().unwrap();
    assert_eq!((again.counts.cached, again.counts.called), (plan.pairs(), 0));
    assert!(again.scores.frame().equals_missing(outcome.scores.frame()));
}

#[test]
fn frames_are_sampled_once_for_all_models_wordings_and_repeats() {
    let bench = Bench::new();
    let (one, two) = (Arc::new(Fake::new("one")), Arc::new(Fake { encoded: false, ..Fake::new("two") }));
    let options = PlanOptions { repeats: 3, ..PlanOptions::default() };
    let plan = plan_of(&trajectories(7), &paraphrases(5), &options).unwrap();
    let watcher = Arc::new(Watcher::default());
    let study = Study::new(plan, bench.ledger()).frames(watcher.sampler()).model(one.clone()).model(two.clone());
    let outcome = study.run().unwrap();
    assert_eq!(outcome.counts.called, 7 * 6 * 3 * 2);
    assert_eq!(watcher.samplings.load(Ordering::SeqCst), 7);
    assert_eq!((one.asked().len(), two.asked().len()), (126, 126));
    assert_eq!(outcome.by_model.iter().map(|spend| spend.calls).collect::<Vec<_>>(), [126, 126]);
}

#[test]
fn memory_does_not_grow_with_the_number_of_trajectories() {
    let most_alive = |count| {
        let bench = Bench::new();
        // Raw frames, so that pixels live as long as their trajectory is open.
        let model = Arc::new(Fake { encoded: false, concurrency: 2, ..Fake::new("m") });
        let watcher = Arc::new(Watcher::default());
        let study = Study::new(plan(count, 2), bench.ledger()).frames(watcher.sampler()).model(model);
        assert_eq!(study.run().unwrap().counts.called, count as u64 * 3);
        watcher.most_alive.load(Ordering::SeqCst)
    };
    // Open at a time: two for each processor and one, beside those whose calls are under way.
    let bound = 2 * std::thread::available_parallelism().unwrap().get() + 1 + 2 + 1;
    for count in [20, 120] {
        let alive = most_alive(count);
        assert!(alive <= bound, "{alive} of {count} trajectories alive, at most {bound} expected");
    }
}

#[test]
fn packed_frames_come_without_pixels() {
    let bench = Bench::new();
    let model = Arc::new(Fake::answering("m", |request, _| {
        assert_eq!((request.images.len(), request.frames.frames.len()), (4, 4));
        assert!(request.frames.frames.iter().all(|frame| frame.rgb.is_empty()));
        // 0, 5/3, 10/3, 5 rounded half to even, of six frames.
        assert_eq!(request.frames.frames.iter().map(|frame| frame.index).collect::<Vec<_>>(), [0, 2, 3, 5]);
        Ok(says("3"))
    }));
    assert_eq!(bench.run(plan(2, 1), &model).counts.called, 4);
}

#[test]
fn pictures_over_the_bytes_of_a_request_are_down_sampled_and_the_rule_says_so() {
    let base64 = |request: &Request| request.images.iter().map(|image| image.bytes.len().div_ceil(3) * 4).collect();
    let seen = |max_bytes: Option<usize>| {
        let sent: Arc<Mutex<Vec<Vec<usize>>>> = Arc::default();
        let noted = sent.clone();
        let on_send: Box<dyn Fn(&Request) + Send + Sync> =
            Box::new(move |request| noted.lock().unwrap().push(base64(request)));
        let model = Arc::new(Fake { max_bytes, on_send, ..Fake::new("m") });
        let outcome = Bench::new().run(plan(1, 0), &model);
        let rule = outcome.scores.frame().column("frame_rule").unwrap().str().unwrap().get(0).unwrap().to_owned();
        let sizes = sent.lock().unwrap()[0].clone();
        (sizes, rule)
    };
    let (all, rule) = seen(None);
    assert_eq!(all.len(), 4);
    assert!(rule.contains("max=4"), "{rule}");
    // Three of four frames fit, the fourth does not.
    let (three, rule) = seen(Some(all.iter().sum::<usize>() - 1));
    assert_eq!(three.len(), 3);
    assert!(rule.contains("max=3"), "{rule}");
    let (one, _) = seen(Some(all[0]));
    assert_eq!(one.len(), 1);
    // Not even one: the trajectory fails by name, and nothing is sent.
    let model = Arc::new(Fake { max_bytes: Some(all[0] / 2), ..Fake::new("m") });
    let outcome = Bench::new().run(plan(1, 0), &model);
    assert_eq!((outcome.counts.called, outcome.counts.failed), (0, 1));
    assert!(outcome.failures[0].message.starts_with("t000: one frame comes to"), "{:?}", outcome.failures);
    assert!(model.asked().is_empty());
}

#[test]
fn the_key_covers_what_can_change_a_reply_and_nothing_else() {
    let bench = Bench::new();
    bench.run(plan(2, 1), &Arc::new(Fake::new("m")));
    let called = |plan: Plan, model: Fake| bench.run(plan, &Arc::new(model)).counts.called;
    assert_eq!(called(plan(2, 1), Fake::new("m")), 0);
    // Another dataset and other ids with the same pictures: the same call.
    let renamed = {
        let texts = paraphrases(1);
        let of = |_: &_| vec![&texts[0]];
        Plan::from_parts("elsewhere", &trajectories(1), Some(&of), &PlanOptions::default()).unwrap()
    };
    assert_eq!(called(renamed, Fake::new("m")), 0);

    let config = |settings| Fake { config: ModelConfig::new(settings), ..Fake::new("m") };
    assert_eq!(called(plan(2, 1), config(serde_json::json!({ "model": "m", "temperature": 0.0 }))), 4);
    assert_eq!(called(plan(2, 1), Fake::new("n")), 4);
    assert_eq!(called(plan(2, 1), Fake { encoded: false, ..Fake::new("m") }), 4);
    let mut other_pictures = trajectories(2);
    other_pictures[0].id = "different".to_owned();
    assert_eq!(called(plan_of(&other_pictures, &paraphrases(1), &PlanOptions::default()).unwrap(), Fake::new("m")), 2);
    let twice = PlanOptions { repeats: 2, ..PlanOptions::default() };
    assert_eq!(called(plan_of(&trajectories(2), &paraphrases(1), &twice).unwrap(), Fake::new("m")), 4);
}

#[test]
fn equal_pictures_in_one_plan_are_called_once_and_reported_twice() {
    let bench = Bench::new();
    let model = Arc::new(Fake { latency_ms: 20, ..Fake::new("m") });
    let same = Arc::new(|_: &_| Ok(frames(&trajectories(1)[0])));
    let mut copies = trajectories(4);
    copies.iter_mut().for_each(|trajectory| trajectory.task = "open the drawer".to_owned());
    let plan = plan_of(&copies, &paraphrases(2), &PlanOptions::default()).unwrap();
    let outcome = Study::new(plan, bench.ledger()).frames(same).model(model.clone()).run().unwrap();
    assert_eq!(model.asked().len(), 3);
    assert_eq!((outcome.counts.called, outcome.counts.cached), (3, 9));
    assert_eq!(outcome.scores.len(), 12);
}

#[test]
fn one_missing_video_does_not_stop_the_others() {
    let (bench, model) = (Bench::new(), Arc::new(Fake::new("m")));
    let sample = Arc::new(|trajectory: &roborm::dataset::Trajectory| match trajectory.id.as_str() {
        "t001" => Err(Error::input("t001.mp4: no such file")),
        "t003" => panic!("a decoder's own fault"),
        _ => Ok(frames(trajectory)),
    });
    let outcome = Study::new(plan(5, 2), bench.ledger()).frames(sample).model(model).run().unwrap();
    assert_eq!((outcome.counts.called, outcome.counts.failed), (9, 6));
    assert_eq!(outcome.exit_status(), 1);
    assert_eq!(outcome.scores.len(), 9);
    let failure = &outcome.failures[0];
    assert_eq!(
        (failure.trajectory.as_deref(), failure.message.as_str(), failure.pairs),
        (Some("t001"), "t001.mp4: no such file", 3)
    );
    assert_eq!(outcome.failures[1].trajectory.as_deref(), Some("t003"));
}

#[test]
fn a_task_without_paraphrases_is_a_failure_and_its_original_is_scored() {
    let (bench, model) = (Bench::new(), Arc::new(Fake::new("m")));
    let some = [paraphrase("open the drawer", "lexical", "pull the drawer open")];
    let outcome = bench.run(plan_of(&trajectories(3), &some, &PlanOptions::default()).unwrap(), &model);
    assert_eq!((outcome.counts.called, outcome.exit_status()), (4, 1));
    assert_eq!(outcome.failures[0].message, "no paraphrases for 2 of the tasks: `fold the towel`, `press the button`");
}

#[test]
fn a_model_that_panics_fails_its_pair_alone() {
    let bench = Bench::new();
    let model = Arc::new(Fake::answering("m", |request, _| match request.instruction.as_str() {
        "open the drawer" => panic!("a fault of the model's own"),
        _ => Ok(says("2")),
    }));
    let outcome = bench.run(plan(3, 1), &model);
    assert_eq!((outcome.counts.called, outcome.counts.failed), (5, 1));
    assert!(outcome.failures[0].message.contains("no answer"), "{:?}", outcome.failures);
}

#[test]
fn batches_hold_pairs_of_one_trajectory() {
    let bench = Bench::new();
    let model = Arc::new(Fake { batch: 4, ..Fake::new("m") });
    let outcome = bench.run(plan(3, 9), &model);
    assert_eq!(outcome.counts.called, 30);
    // Ten pairs a trajectory: 4, 4, 2.
    let mut batches = model.batches.lock().unwrap().clone();
    batches.sort_unstable();
    assert_eq!(batches, [2, 2, 2, 4, 4, 4, 4, 4, 4]);
}

#[test]
fn siblings_wait_for_the_first_call_where_the_model_wants_it() {
    let bench = Bench::new();
    let back = Arc::new(Mutex::new(BTreeSet::new()));
    let seen = back.clone();
    let model = Arc::new(Fake {
        alone: true,
        concurrency: 8,
        latency_ms: 5,
        ..Fake::answering("m", move |request, _| {
            let mut back = seen.lock().unwrap();
            // The original is the first; it must be back before another of its trajectory is even answered.
            let first = request.instruction.len() <= "press the button".len();
            assert!(first || back.contains(&request.trajectory), "{request:?}");
            back.insert(request.trajectory.clone());
            Ok(says("3"))
        })
    });
    let outcome = bench.run(plan(10, 4), &model);
    assert_eq!((outcome.counts.called, outcome.counts.failed), (50, 0));
    assert!(model.most_under_way.load(Ordering::SeqCst) <= 8);
}

#[test]
fn concurrency_is_a_limit() {
    let bench = Bench::new();
    let model = Arc::new(Fake { latency_ms: 3, ..Fake::new("m") });
    let outcome = bench.study(plan(8, 4), &model).concurrency(3).run().unwrap();
    assert_eq!(outcome.counts.called, 40);
    assert!(model.most_under_way.load(Ordering::SeqCst) <= 3);
}

#[test]
fn extra_figures_become_columns() {
    let bench = Bench::new();
    let model = Arc::new(Fake::answering("m", |request, _| {
        let extra = match request.instruction.as_str() {
            "open the drawer" => vec![("p1".to_owned(), 0.25), ("score".to_owned(), 9.0)],
            _ => Vec::new(),
        };
        Ok(roborm::reward::Reply { extra, ..says("2") })
    }));
    let outcome = bench.run(plan(2, 0), &model);
    let floats = |name: &str| outcome.scores.frame().column(name).unwrap().f64().unwrap().iter().collect::<Vec<_>>();
    assert_eq!(floats("p1"), [Some(0.25), None]);
    assert_eq!(floats("score"), [Some(2.0), Some(2.0)], "a model's figure does not take a column's place");
    assert_eq!(floats("model_score"), [Some(9.0), None]);
}

#[test]
fn runs_inside_a_runtime_and_without_blocking() {
    let (bench, model) = (Bench::new(), Arc::new(Fake::new("m")));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let study = bench.study(plan(2, 1), &model);
    let blocking = runtime.block_on(async { study.run() }).unwrap();
    assert_eq!(blocking.counts.called, 4);
    let waiting = runtime.block_on(bench.study(plan(3, 1), &model).run_async()).unwrap();
    assert_eq!((waiting.counts.cached, waiting.counts.called), (4, 2));
}

#[test]
fn progress_is_told_of_every_pair() {
    let (bench, told) = (Bench::new(), Arc::new(Told::default()));
    let model = Arc::new(Fake::answering("m", |request, _| match request.instruction.as_str() {
        "open the drawer" => Ok(says("4")),
        "press the button" => Ok(says("no idea")),
        _ => Err(fault(FaultKind::Refused, "moderated")),
    }));
    bench.study(plan(3, 0), &model).concurrency(1).progress(told.clone()).run().unwrap();
    let mut lines = told.lines();
    assert_eq!((lines.remove(0), lines.pop()), ("begin 3".to_owned(), Some("end 2".to_owned())));
    lines.sort();
    assert_eq!(lines, ["called None", "called Some(4)", "failed 1: moderated"]);
}

#[test]
fn refuses_a_study_that_makes_no_sense() {
    let (bench, model) = (Bench::new(), Arc::new(Fake::new("m")));
    let none = Study::new(plan(1, 1), bench.ledger()).frames(sampler());
    assert_eq!(none.run().unwrap_err().to_string(), "a study without a model");
    let twice = bench.study(plan(1, 1), &model).model(model.clone());
    assert!(twice.run().unwrap_err().to_string().contains("named twice"));
    let study = bench.study(plan(1, 1), &model);
    assert!(study.clone().max_cost_usd(f64::NAN).run().unwrap_err().is_usage());
    assert!(study.max_cost_usd(-1.0).estimate().unwrap_err().is_usage());
}
