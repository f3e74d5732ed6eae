//! What a word becomes by Tab, however it is quoted.

use roborm::command::{Completion, Current, help};

use crate::bench::Bench;

/// Where the completed word starts, and what may stand in its place.
fn complete(typed: &str) -> (usize, Vec<String>) {
    let (start, found) = Completion::new(Current::default()).of(typed, &help::grammar());
    (start, found.into_iter().map(|candidate| candidate.text).collect())
}

#[test]
fn paths_with_blanks_and_marks_are_completed_in_the_quotation_that_was_begun() {
    let bench = Bench::new();
    bench.write("my data/it's $5.csv", "");
    bench.write("my data/plain.csv", "");
    let folder = bench.path("").display().to_string();
    for (typed, wanted) in [
        // Nothing is quoted yet: what must be is, and is left open where more is to come.
        ("{}my", "'{}my data/"),
        ("'{}my", "'{}my data/"),
        ("\"{}my", "\"{}my data/"),
        (r"{}my\ d", r"{}my\ data/"),
        ("'{}my data/p", "'{}my data/plain.csv' "),
        ("\"{}my data/p", "\"{}my data/plain.csv\" "),
        (r"{}my\ data/p", r"{}my\ data/plain.csv "),
        ("'{}my data/i", r"'{}my data/it'\''s $5.csv' "),
        ("\"{}my data/i", "\"{}my data/it's \\$5.csv\" "),
        (r"{}my\ data/i", r"{}my\ data/it\'s\ \$5.csv "),
    ] {
        let typed = format!(":scores {}", typed.replace("{}", &folder));
        let wanted = wanted.replace("{}", &folder);
        assert_eq!(complete(&typed), (8, vec![wanted.clone()]), "{typed}");
        // What it becomes is one word, the one that was meant.
        if wanted.ends_with(' ') {
            let words = shlex::split(&wanted).expect("the quotation is closed");
            assert!(words.len() == 1 && std::path::Path::new(&words[0]).is_file(), "{words:?}");
        }
    }
    // Two that begin alike are quoted alike, so that Tab puts in what they have in common.
    let (_, both) = complete(&format!(":scores {folder}my\\ data/"));
    assert!(both.len() == 2 && both.iter().all(|one| one.starts_with(&format!(r"{folder}my\ data/"))), "{both:?}");
}

#[test]
fn the_command_is_that_of_the_line_that_is_typed() {
    assert_eq!(complete(":open demo\n:flips --strategy adv"), (29, vec!["adversarial ".to_owned()]));
    assert_eq!(complete(":flips \\\n  --strategy adv"), (22, vec!["adversarial ".to_owned()]));
    assert_eq!(complete(":open 'a b' --roo"), (12, vec!["--root ".to_owned()]));
    // The sign before an id is no reason for a quotation.
    assert_eq!(complete(":spot demo#tow"), (6, vec!["demo#towel ".to_owned()]));
    assert_eq!(complete(":spot dem").1, ["demo#"]);
    assert_eq!(complete(":nothing x").1, Vec::<String>::new());
}

#[test]
fn what_options_take_is_completed_however_it_is_written() {
    let bench = Bench::new();
    bench.write("checkpoint/config.json", "");
    let folder = bench.path("").display().to_string();
    let found = |typed: &str| complete(typed).1;
    assert_eq!(found(":score --model=simulated-st"), ["--model=simulated-steady "]);
    assert_eq!(found(&format!(":score --model local:{folder}che")), [format!("local:{folder}checkpoint/")]);
    assert_eq!(found(&format!(":score --paraphrases={folder}che")), [format!("--paraphrases={folder}checkpoint/")]);
    assert_eq!(found(":robustness --by model,str"), ["model,strategy"]);
    assert_eq!(found(":robustness --by model,mod"), Vec::<String>::new());
    // A flag that the command does not have takes nothing that anyone knows.
    assert_eq!(found(":open --model dem"), Vec::<String>::new());
}

#[test]
fn the_home_is_known_by_its_sign_where_no_shell_is() {
    let bench = Bench::new();
    bench.write("data/s.csv", "model,trajectory,strategy,instruction,score\nm,a,lexical,pull,2\n");
    let run = |line: &str| -> crate::bench::Run {
        let mut command = bench.command(&["-c", line]);
        command.env("HOME", bench.path("")).output().expect("the program starts").into()
    };
    let read = run(":scores ~/data/s.csv");
    assert!(read.stdout.contains("data/s.csv: 1 score of 1 trajectory by 1 model"), "{}{}", read.stdout, read.stderr);
    let written = run(":scores ~/data/s.csv\n:chart --out=~/data/r.html");
    assert_eq!(written.status, 0, "{}", written.stderr);
    assert!(bench.path("data/r.html").is_file());
    // A folder of one's own that is called so.
    run(":scores ./~/data/s.csv").refuses(1, &["~/data/s.csv"]);
}
