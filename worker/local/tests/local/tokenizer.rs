//! Token ids, held against the tokenizers library.

use roborm_local::tokenizer::Tokenizer;

use crate::fixture::{CASES, Texts, copy, edit, folder};

#[test]
fn ids_of_whole_prompts() {
    for (case, _) in CASES {
        let tokenizer = Tokenizer::read(&folder(case)).expect(case);
        let texts = Texts::of(case);
        assert_eq!(tokenizer.encode(&texts.prompt), texts.ids[0], "{case}");
        assert_eq!(tokenizer.decode(&texts.ids[0], false), texts.prompt, "{case}");
    }
}

#[test]
fn ids_of_words_in_many_scripts() {
    let tokenizer = Tokenizer::read(&folder("base")).expect("the fixture's");
    let text = std::fs::read_to_string(folder("words.json")).expect("the fixture is committed");
    let words: Vec<(String, Vec<i64>)> = serde_json::from_str(&text).expect("the maker wrote it");
    assert!(words.len() > 30);
    for (text, ids) in words {
        assert_eq!(tokenizer.encode(&text), ids, "{text:?}");
    }
}

proptest::proptest! {
    /// Bytes in, the same bytes out: whatever is no mark of the chat comes back, in normal form.
    #[test]
    fn decoding_undoes_encoding(text in "[a-z0-9 \\n.,!?éßあ한🤖'\t]{0,60}") {
        use unicode_normalization::UnicodeNormalization;
        let tokenizer = Tokenizer::read(&folder("base")).expect("the fixture's");
        let normal: String = text.nfc().collect();
        proptest::prop_assert_eq!(tokenizer.decode(&tokenizer.encode(&text), false), normal);
    }
}

#[test]
fn a_long_word_takes_no_quadratic_time() {
    let tokenizer = Tokenizer::read(&folder("base")).expect("the fixture's");
    let word = "score".repeat(200_000);
    let ids = tokenizer.encode(&word);
    assert_eq!(tokenizer.decode(&ids, false), word);
}

#[test]
fn tokenizers_of_another_kind_are_called_by_it() {
    type Change = fn(&mut serde_json::Value);
    let changes: [(Change, &str); 3] = [
        (
            |file| file["model"] = serde_json::json!({"type": "Unigram", "vocab": [["a", -1.5]]}),
            "the tokenizer model Unigram is not known here",
        ),
        (|file| drop(file["model"].as_object_mut().expect("an object").remove("merges")), "model.merges is missing"),
        (
            |file| drop(file.as_object_mut().expect("an object").remove("model")),
            "damaged, or no tokenizer: line 1, column ",
        ),
    ];
    for (change, message) in changes {
        let copy = copy("tied");
        edit(copy.path(), "tokenizer.json", change);
        let Err(error) = Tokenizer::read(copy.path()) else { panic!("read: {message}") };
        let place = copy.path().join("tokenizer.json").display().to_string();
        assert!(error.to_string().starts_with(&format!("{place}: {message}")), "{error}");
    }
}

#[test]
fn files_that_ask_for_more_are_refused_by_name() {
    for (change, message) in [
        (("normalizer", serde_json::json!({"type": "Lowercase"})), "the normalizer Lowercase is not known here"),
        (("pre_tokenizer", serde_json::json!({"type": "Whitespace"})), "this pre_tokenizer is not known here"),
    ] {
        let copy = copy("base");
        edit(copy.path(), "tokenizer.json", |file| file[change.0] = change.1);
        let Err(error) = Tokenizer::read(copy.path()) else { panic!("read") };
        assert!(error.to_string().ends_with(message), "{error}");
    }
    let copy = copy("base");
    std::fs::remove_file(copy.path().join("tokenizer.json")).expect("it was there");
    let Err(error) = Tokenizer::read(copy.path()) else { panic!("read") };
    assert!(error.to_string().ends_with("no tokenizer (tokenizer.json is missing)"), "{error}");
}

/// The ids of Qwen's own tokenizer, as Python's tokenizers library gives them (see tests/data/make.py); its file of 11 MB
/// is not committed: `ROBORM_QWEN_TOKENIZER` names the folder it lies in.
#[test]
#[expect(clippy::print_stdout, reason = "a test that is skipped says so")]
fn ids_of_the_real_tokenizer() {
    let Some(folder) = std::env::var_os("ROBORM_QWEN_TOKENIZER") else {
        println!("skipped: ROBORM_QWEN_TOKENIZER does not name a folder with Qwen's tokenizer.json");
        return;
    };
    let tokenizer = Tokenizer::read(std::path::Path::new(&folder)).expect("Qwen's tokenizer");
    let rows: Vec<(String, Vec<i64>)> =
        serde_json::from_str(include_str!("../data/qwen3-ids.json")).expect("the maker's");
    assert!(rows.len() >= 200);
    for (text, ids) in &rows {
        assert_eq!(&tokenizer.encode(text), ids, "{text:?}");
    }
    // The prefix rule: two prompts share the tokens up to where their instructions differ, and no split of the text
    // would tell how many: the space before an instruction melts into its first token.
    let (one, other) = (tokenizer.encode("Task: put it down"), tokenizer.encode("Task: lift it"));
    let task = tokenizer.encode("Task: ");
    assert_eq!(one.iter().zip(&other).take_while(|(one, other)| one == other).count(), task.len() - 1);
    for answer in ["1", "2", "3", "4", "5"] {
        assert_eq!(tokenizer.encode(&format!("ANSWER: {answer}")).last().copied(), tokenizer.single(answer));
    }
}
