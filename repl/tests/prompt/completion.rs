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
