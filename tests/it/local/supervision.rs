//! Workers that end, hang, are spread and started again: by a fake one that misbehaves.

use super::*;

#[test]
fn folders_and_workers_that_are_none() {
    let refused = |change: &dyn Fn(&mut LocalSpec)| {
        let mut spec = LocalSpec::new(fixture("qwen3vl/sharded"));
        spec.program = Some(fixture("local/fake_worker.py"));
        change(&mut spec);
        match LocalModel::open(&spec, PROMPT) {
            Ok(_) => panic!("opened"),
            Err(error) => error.to_string(),
        }
    };
    let empty = tempfile::tempdir().expect("a folder");
    let message = refused(&|spec| spec.folder = empty.path().into());
    assert!(message.starts_with(&format!("{}: no checkpoint (config.json: ", empty.path().display())), "{message}");
    let message = refused(&|spec| spec.folder = empty.path().join("nowhere"));
    assert_eq!(message, format!("{}: no such folder", empty.path().join("nowhere").display()));
    let message = refused(&|spec| spec.device = LocalDevice::These(vec!["cuda".into()]));
    assert_eq!(message, "there is no CUDA device for device=cuda: it is a fake");
    let message = refused(&|spec| spec.program = Some("/bin/true".into()));
    assert!(message.starts_with("the worker of local checkpoints "), "{message}");
    let message = refused(&|spec| spec.program = Some(empty.path().join("none")));
    assert!(message.starts_with("cannot start "), "{message}");
}

#[test]
fn a_crash_halves_the_batch_and_costs_only_what_crashes_alone() {
    let model = fake();
    let replies = ask(&model, &frames(1, 4, 4), &["one", "three", "die", "refuse", "fifteen"]);
    let dead = "the worker of local checkpoints was killed (perhaps for want of memory): terrible things, twice";
    assert_eq!(texts(&replies), ["ANSWER: 5", "ANSWER: 2", dead, "too long (shorten it)", "ANSWER: 4"]);
    // Another run asks for it again; what the model itself refuses stays refused.
    assert_eq!(replies[2].as_ref().expect_err("it died").kind, FaultKind::Passing);
    assert_eq!(replies[3].as_ref().expect_err("too long").kind, FaultKind::Refused);
    let notes = model.notes();
    assert!(notes[0].ends_with("terrible things; started again with 2 instructions at a time"), "{notes:?}");
    assert!(
        notes.iter().any(|note| note.ends_with("terrible things; started again, and asked once more")),
        "{notes:?}"
    );
    // It goes on with the next.
    assert_eq!(texts(&ask(&model, &frames(1, 4, 4), &["fifteen"])), ["ANSWER: 4"]);
}

#[test]
fn a_worker_that_somebody_kills_costs_no_answer() {
    let model = fake();
    let place = tempfile::tempdir().expect("a folder");
    let instruction = format!("fall once in {}", place.path().join("fallen").display());
    let replies = ask(&model, &frames(1, 4, 4), &[&instruction]);
    assert!(replies[0].is_ok(), "{replies:?}");
    let said = "was killed (perhaps for want of memory); started again, and asked once more";
    assert!(model.notes()[0].ends_with(said), "{:?}", model.notes());
    // Among others: those that were not answered yet are asked again, half of them at a time.
    let instruction = format!("fall once in {}", place.path().join("again").display());
    let replies = ask(&model, &frames(1, 4, 4), &["one", &instruction]);
    assert!(replies.iter().all(Result::is_ok), "{replies:?}");
    assert!(model.notes()[1].ends_with("started again with one instruction at a time"), "{:?}", model.notes());
}

#[test]
fn trajectories_are_spread_over_devices() {
    let mut spec = LocalSpec::new(fixture("qwen3vl/sharded"));
    spec.program = Some(fixture("local/fake_worker.py"));
    spec.device = LocalDevice::These(vec!["cpu".into(), "cpu".into()]);
    spec.silence = Duration::from_secs(20);
    let model = LocalModel::open(&spec, PROMPT).expect("a checkpoint and a worker");
    assert_eq!(model.devices(), ["cpu", "cpu"]);
    let place = tempfile::tempdir().expect("a folder");
    let instruction = format!("go and meet {}", place.path().display());
    // Neither can answer before the other is asked, so that one worker alone would hang.
    let answers = std::thread::scope(|scope| {
        let ask_one = || scope.spawn(|| ask(&model, &frames(1, 4, 4), &[&instruction]).remove(0));
        let both = [ask_one(), ask_one()];
        both.map(|one| one.join().expect("no panic"))
    });
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    assert_eq!(std::fs::read_dir(place.path()).expect("the folder").count(), 2, "two processes");
}

#[test]
fn a_worker_that_hangs_is_ended() {
    let mut spec = LocalSpec::new(fixture("qwen3vl/sharded"));
    spec.program = Some(fixture("local/fake_worker.py"));
    spec.silence = Duration::from_secs(2);
    let model = LocalModel::open(&spec, PROMPT).expect("a checkpoint and a worker");
    let replies = ask(&model, &frames(1, 4, 4), &["hang"]);
    assert_eq!(texts(&replies), ["the worker of local checkpoints said nothing for 2 s, twice"]);
}

#[test]
fn clips_that_cannot_be_sent() {
    let model = fake();
    assert_eq!(texts(&ask(&model, &frames(0, 4, 4), &["a"])), ["no frames to look at"]);
    let mut mixed = Frames::clone(&frames(2, 4, 4));
    mixed.frames[1] = frames(1, 8, 4).frames[0].clone();
    let message = "frames of different sizes (4 x 4 and 8 x 4)";
    assert_eq!(texts(&ask(&model, &Arc::new(mixed), &["a"])), [message]);
}

/// A copy of the fixture, in which a file says how often a fake worker ends while it loads.
fn ending(times: u32) -> tempfile::TempDir {
    let copy = tempfile::tempdir().expect("a folder");
    for entry in std::fs::read_dir(fixture("qwen3vl/sharded")).expect("the fixture") {
        let entry = entry.expect("a file");
        std::fs::copy(entry.path(), copy.path().join(entry.file_name())).expect("a copy");
    }
    std::fs::write(copy.path().join("ends"), times.to_string()).expect("a file");
    copy
}

#[test]
fn a_worker_that_is_killed_while_it_loads_is_started_once_more() {
    let open = |folder: &Path| {
        let mut spec = LocalSpec::new(folder);
        spec.program = Some(fixture("local/fake_worker.py"));
        spec.device = LocalDevice::These(vec!["cpu".into()]);
        LocalModel::open(&spec, PROMPT).expect("a checkpoint and a worker")
    };
    let once = ending(1);
    let model = open(once.path());
    assert_eq!(texts(&ask(&model, &frames(1, 4, 4), &["say: 4"])), ["4"]);
    let said = "was killed (perhaps for want of memory), while loading; started again";
    assert!(model.notes().iter().any(|note| note.ends_with(said)), "{:?}", model.notes());

    let twice = ending(2);
    let fault = ask(&open(twice.path()), &frames(1, 4, 4), &["say: 4"]).remove(0).expect_err("it never loads");
    assert_eq!(fault.kind, FaultKind::Fatal);
    let folder = twice.path().display().to_string();
    let said =
        format!("was killed (perhaps for want of memory), while loading {folder}, twice (the weights take 2.0 GB: ");
    assert!(fault.message.contains(&said) && fault.message.contains("dtype=bf16"), "{}", fault.message);
    // The next run finds it as it was.
    assert_eq!(texts(&ask(&open(twice.path()), &frames(1, 4, 4), &["say: 5"])), ["5"]);
}

#[test]
fn a_configuration_that_is_no_json_names_its_line() {
    let copy = ending(0);
    for (text, said) in [
        ("{\n\"a\": ", "line 2, column 5: the JSON is cut short here"),
        ("{\n a", "line 2, column 2: no JSON from here on"),
    ] {
        std::fs::write(copy.path().join("config.json"), text).expect("a writable copy");
        let error = LocalModel::open(&LocalSpec::new(copy.path()), PROMPT).err().expect("no configuration");
        assert_eq!(error.to_string(), format!("{}/config.json, {said}", copy.path().display()));
        assert!(error.help().is_some());
    }
    std::fs::remove_file(copy.path().join("config.json")).expect("it was there");
    std::os::unix::fs::symlink("../../blobs/abc", copy.path().join("config.json")).expect("a link");
    let error = LocalModel::open(&LocalSpec::new(copy.path()), PROMPT).err().expect("no configuration");
    assert!(error.to_string().ends_with(": config.json is a link to ../../blobs/abc, which is not there"), "{error}");
}
