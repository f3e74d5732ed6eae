//! Paraphrase sets and their file.

// A test that is skipped says so.
#![allow(clippy::print_stderr)]

use std::path::{Path, PathBuf};

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::strategy::Strategy as _;
use roborm::dataset::{Dataset, OpenOptions, Source, Trajectory};
use roborm::paraphrase::{Key, Paraphrase, ParaphraseSet, Strategy};

fn trajectory(id: &str, task: &str) -> Trajectory {
    let source = Source::Video { path: PathBuf::from("/a.mp4"), span: None };
    Trajectory { id: id.to_owned(), task: task.to_owned(), label: None, duration_s: None, source }
}

fn lift() -> Vec<Paraphrase> {
    vec![
        Paraphrase::of_trajectory("bridge/1", Strategy::Adversarial, "do not leave the cheese where it is: lift it"),
        Paraphrase::of_task("lift the cheese", Strategy::Structural, "the cheese is to be lifted"),
        Paraphrase::of_task("lift the cheese", Strategy::Lexical, "raise the cheese"),
        Paraphrase::of_task("open the drawer", Strategy::Other("code-mixed".into()), "open die Schublade"),
    ]
}

fn instructions<'a>(paraphrases: impl IntoIterator<Item = &'a Paraphrase>) -> Vec<&'a str> {
    paraphrases.into_iter().map(|it| it.instruction.as_str()).collect()
}

#[test]
fn paraphrases_of_a_trajectory_are_those_of_its_task_and_its_own() {
    let set = ParaphraseSet::new(lift()).expect("a set");
    assert_eq!(
        instructions(set.for_trajectory(&trajectory("bridge/1", "lift the cheese"))),
        ["the cheese is to be lifted", "raise the cheese", "do not leave the cheese where it is: lift it"]
    );
    assert_eq!(
        instructions(set.for_trajectory(&trajectory("bridge/2", "lift the cheese"))),
        ["the cheese is to be lifted", "raise the cheese"]
    );
    assert!(set.for_trajectory(&trajectory("lift the cheese", "Lift the cheese")).is_empty());
    assert_eq!((set.len(), set.is_empty()), (4, false));
    assert_eq!(set.tasks(), ["lift the cheese", "open the drawer"]);
    assert_eq!(
        set.strategies(),
        [Strategy::Lexical, Strategy::Structural, Strategy::Adversarial, Strategy::Other("code-mixed".into())]
    );
    assert!(ParaphraseSet::default().for_trajectory(&trajectory("a", "b")).is_empty());
}

#[test]
fn those_found_not_equivalent_are_kept_but_not_scored() {
    let mut paraphrases = lift();
    paraphrases[1].verified = Some(false);
    paraphrases[2].verified = Some(true);
    let set = ParaphraseSet::new(paraphrases).expect("a set");
    assert_eq!(instructions(set.for_trajectory(&trajectory("x", "lift the cheese"))), ["raise the cheese"]);
    assert_eq!(set.iter().count(), 4);
}

#[test]
fn original_is_needless_where_it_repeats_the_task_and_wrong_elsewhere() {
    let of = |paraphrase| ParaphraseSet::new(vec![paraphrase]);
    assert_eq!(of(Paraphrase::of_task("t", Strategy::Original, "t")).expect("needless").len(), 0);
    let help = "\n  help: leave the row out: the original instruction comes from the dataset";
    assert_eq!(
        format!("{:?}", of(Paraphrase::of_task("t", Strategy::Original, "T")).expect_err("another text")),
        format!("paraphrase 1: strategy original with \"T\", which is not the task \"t\"{help}")
    );
    assert_eq!(
        format!("{:?}", of(Paraphrase::of_trajectory("a", Strategy::Original, "t")).expect_err("nobody knows")),
        format!("paraphrase 1: strategy original for trajectory a{help}")
    );
}

fn read(name: &str, text: &str) -> Result<ParaphraseSet, String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join(name);
    std::fs::write(&path, text).expect("a file");
    ParaphraseSet::read(&path)
        .map_err(|error| format!("{error:?}").replace(&format!("{}/", folder.path().display()), ""))
}

#[test]
fn a_file_written_by_hand() {
    let jsonl = r#"{"task": "lift the cheese", "strategy": "lexical", "instruction": " raise  the cheese ", "id": 7, "votes": 3.0}

{"trajectory": 12, "strategy": "adversarial", "instruction": "n\u00e3o “abra”\t🧀", "verified": true, "seed": "s", "more": {}}
{"task": "lift the cheese", "strategy": "original", "instruction": "lift the cheese"}
"#;
    let csv = "strategy,instruction,task,trajectory,id,votes,verified,seed\n\
        lexical, raise  the cheese ,lift the cheese,,7,3,,\n\
        adversarial,não “abra”\t🧀,,12,,,True,s\n\
        original,lift the cheese,lift the cheese,,,,,\n";
    let mut first = Paraphrase::of_task("lift the cheese", Strategy::Lexical, " raise  the cheese ");
    (first.id, first.votes) = (Some("7".into()), Some(3));
    let mut second = Paraphrase::of_trajectory("12", Strategy::Adversarial, "não “abra”\t🧀");
    (second.verified, second.seed) = (Some(true), Some("s".into()));
    let expected = ParaphraseSet::new(vec![first, second]).expect("a set");
    assert_eq!(read("p.jsonl", jsonl), Ok(expected.clone()));
    assert_eq!(read("p.csv", csv), Ok(expected));
}

#[test]
fn faults_of_a_file_name_their_line() {
    let one = "\n  help: a row names either the task that it rewords or the trajectory that it is for";
    let twice = "\n  help: leave one of them out: a paraphrase counts once";
    let row =
        |rest: &str| format!("{{\"task\": \"t\", \"strategy\": \"lexical\", \"instruction\": \"u\"}}\n\n{{{rest}}}\n");
    for (rest, expected) in [
        (
            r#""task": "t", "trajectory": "a", "strategy": "lexical", "instruction": "v""#,
            &*format!(", line 3: both task and trajectory{one}"),
        ),
        (r#""strategy": "lexical", "instruction": "v""#, &*format!(", line 3: neither task nor trajectory{one}")),
        (r#""task": "t", "strategy": "lexical", "instruction": " ""#, ", line 3: instruction is empty"),
        (r#""task": "t", "strategy": "lexical""#, ", line 3: no instruction"),
        (r#""task": "t", "strategy": "", "instruction": "v""#, ", line 3: strategy is empty"),
        (r#""task": "t", "strategy": null, "instruction": "v""#, ", line 3: no strategy"),
        (r#""task": " ", "strategy": "lexical", "instruction": "v""#, ": line 3: task is empty"),
        (r#""task": "t", "strategy": "lexical", "instruction": 5"#, ", line 3: instruction 5 is not text"),
        (r#""task": "t", "strategy": "lexical", "instruction": "v", "votes": -1"#, ": line 3: votes -1 is below 0"),
        (
            r#""task": "t", "strategy": "lexical", "instruction": "v", "verified": 1"#,
            ", line 3: verified 1 is not true or false",
        ),
        (
            r#""task": "t", "strategy": "lexical", "instruction": "u", "id": "x""#,
            &*format!(": line 1 and line 3 are the same lexical paraphrase \"u\"{twice}"),
        ),
    ] {
        assert_eq!(read("p.jsonl", &row(rest)), Err(format!("p.jsonl{expected}")));
    }
    assert_eq!(
        read("p.csv", "task,strategy,text\nt,lexical,u\n"),
        Err("p.csv: no column instruction\n  help: columns present: task, strategy, text".to_owned())
    );
    assert_eq!(
        read("p.csv", "strategy,instruction\nlexical,u\n"),
        Err("p.csv: no column task\n  help: columns present: strategy, instruction".to_owned())
    );
    // The place of a double is its own, even after a needless row was left out.
    assert_eq!(
        read("p.csv", "task,strategy,instruction\nt,original,t\nt,lexical,u\nt,lexical,u\n"),
        Err(format!("p.csv: line 3 and line 4 are the same lexical paraphrase \"u\"{twice}"))
    );
    assert_eq!(read("p.csv", ""), Err("p.csv is empty".to_owned()));
    assert_eq!(
        read("p.txt", "x"),
        Err("p.txt is of no known table format\n  help: the extension names the format: .jsonl, .csv or .parquet"
            .to_owned())
    );
}

#[test]
fn the_same_text_under_two_strategies_stands_twice() {
    let both = vec![
        Paraphrase::of_task("t", Strategy::Lexical, "u"),
        Paraphrase::of_task("t", Strategy::Structural, "u"),
        Paraphrase::of_task("t", Strategy::Structural, "t"),
    ];
    assert_eq!(ParaphraseSet::new(both).expect("a set").for_trajectory(&trajectory("a", "t")).len(), 3);
}

#[test]
fn what_cannot_be_written_leaves_the_old_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let set = ParaphraseSet::new(lift()).expect("a set");
    assert!(set.write(folder.path().join("p.xlsx")).expect_err("no format").is_usage());
    assert!(set.write(folder.path().join("absent/p.csv")).is_err());
    std::fs::create_dir(folder.path().join("taken.csv")).expect("a folder");
    assert!(set.write(folder.path().join("taken.csv")).is_err());
    let left: Vec<_> = std::fs::read_dir(folder.path()).expect("a folder").collect();
    assert_eq!(left.len(), 1, "{left:?}");
    let path = folder.path().join("p.jsonl");
    std::fs::write(&path, "old").expect("a file");
    set.write(&path).expect("written over");
    assert_eq!(ParaphraseSet::read(&path).expect("read"), set);
}

/// Text as people write it and as they should not: any character but NUL, which no reader of ours takes.
fn text() -> impl proptest::strategy::Strategy<Value = String> {
    prop_oneof![
        "[a-z ]{0,12}[a-z]",
        "(?s)[^\0]{0,12}\\PC",
        "[\",;'\r\n\t\\\\ {}#\u{feff}]{0,6}[a-z\"][\",\r\n ]{0,3}",
        "(true|null|5|1e3|NaN|é|日本語|🧀|\u{202e}x)",
    ]
    .prop_filter("blank", |text| !text.trim().is_empty())
}

fn paraphrase() -> impl proptest::strategy::Strategy<Value = Paraphrase> {
    let key = prop_oneof![text().prop_map(Key::Task), text().prop_map(Key::Trajectory)];
    let strategy = prop_oneof![
        Just(Strategy::Lexical),
        Just(Strategy::Structural),
        Just(Strategy::Adversarial),
        text().prop_filter("named apart", |name| name != "original").prop_map(|name| Strategy::from(name.as_str())),
    ];
    let more = (option::of(text()), option::of(text()), option::of(any::<bool>()), option::of(0..1_000_000i64));
    (key, strategy, text(), more).prop_map(|(key, strategy, instruction, (id, seed, verified, votes))| Paraphrase {
        key,
        strategy,
        instruction,
        id,
        seed,
        verified,
        votes,
    })
}

fn set() -> impl proptest::strategy::Strategy<Value = ParaphraseSet> {
    vec(paraphrase(), 1..8).prop_filter_map("doubles", |paraphrases| ParaphraseSet::new(paraphrases).ok())
}

fn through(set: &ParaphraseSet, path: &Path) -> ParaphraseSet {
    set.write(path).unwrap_or_else(|error| panic!("{error:?}"));
    ParaphraseSet::read(path).unwrap_or_else(|error| panic!("{error:?}"))
}

proptest! {
    // Each case writes three files through to the disk.
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_set_survives_every_format(set in set()) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for name in ["p.jsonl", "p.csv", "p.parquet"] {
            prop_assert_eq!(&through(&set, &folder.path().join(name)), &set, "{}", name);
        }
    }
}

#[test]
fn the_example_covers_every_task_of_the_shared_rollouts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let set = ParaphraseSet::read(root.join("examples/rollouts-paraphrases.jsonl")).expect("it opens");
    let rollouts = root.join("../shared/data/rollouts");
    if !rollouts.exists() {
        eprintln!("skipped: ../shared/data/rollouts is absent");
        return;
    }
    let dataset = Dataset::open(rollouts.to_str().expect("UTF-8"), &OpenOptions::default()).expect("it opens");
    for trajectory in &dataset {
        let of = set.for_trajectory(trajectory);
        for strategy in [Strategy::Lexical, Strategy::Structural, Strategy::Adversarial] {
            assert!(of.iter().filter(|it| it.strategy == strategy).count() >= 4, "{strategy} of {}", trajectory.task);
        }
    }
}
