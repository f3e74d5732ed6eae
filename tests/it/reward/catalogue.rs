//! The catalogue: what is published of each model, and how names are found.

use roborm::reward::{ModelOptions, Prompt, Reached, catalogue, find, open};

/// (name, temperature, top_p, most images), as published.
const PUBLISHED: [(&str, f64, Option<f64>, Option<usize>); 20] = [
    ("openai/gpt-4o", 1.0, Some(1.0), None),
    ("openai/gpt-5.1", 1.0, Some(1.0), Some(50)),
    ("google/gemini-2.5-flash-lite", 1.0, Some(0.95), Some(3000)),
    ("google/gemini-2.5-flash", 1.0, Some(0.95), Some(3000)),
    ("google/gemini-3-flash-preview", 1.0, Some(0.95), None),
    ("anthropic/claude-haiku-4.5", 1.0, Some(0.999), Some(100)),
    ("anthropic/claude-sonnet-4.6", 1.0, Some(0.999), Some(100)),
    ("qwen3-vl-2b-instruct", 0.7, Some(0.8), None),
    ("qwen3-vl-4b-instruct", 0.7, Some(0.8), None),
    ("qwen/qwen3-vl-8b-instruct", 0.7, Some(0.8), Some(250)),
    ("qwen/qwen3-vl-32b-instruct", 0.7, Some(0.8), Some(250)),
    ("qwen/qwen3-vl-235b-a22b-instruct", 0.7, Some(0.8), Some(250)),
    ("qwen/qwen3-vl-235b-a22b-thinking", 0.7, Some(0.8), Some(250)),
    ("google/gemma-3-4b-it", 1.0, Some(0.95), None),
    ("google/gemma-3-12b-it", 1.0, Some(0.95), None),
    ("google/gemma-3-27b-it", 1.0, Some(0.95), None),
    ("meta-llama/llama-4-scout", 0.6, Some(0.9), Some(5)),
    ("meta-llama/llama-4-maverick", 0.6, Some(0.9), None),
    ("roboreward-4b", 0.0, None, None),
    ("roboreward-8b", 0.0, None, None),
];

#[test]
fn every_model_of_the_benchmark_is_there_as_published() {
    let real: Vec<_> = catalogue()
        .iter()
        .filter(|model| model.reached != Reached::Simulated)
        .map(|model| (model.name, model.temperature, model.top_p, model.max_images))
        .collect();
    let published: Vec<_> =
        PUBLISHED.into_iter().map(|(name, t, top_p, images)| (name, Some(t), top_p, images)).collect();
    assert_eq!(real, published);
}

#[test]
fn roboreward_is_asked_as_it_was_trained() {
    let model = find("roboreward-8b").expect("in the catalogue");
    assert_eq!((model.prompt.clone(), model.max_tokens), (Prompt::ROBOREWARD, 32));
}

#[test]
fn a_name_a_slug_and_an_alias_find_the_same_model_in_any_case() {
    for name in ["openai/gpt-5.1", "gpt-5.1", "GPT-5.1", "OpenAI/GPT-5.1"] {
        assert_eq!(find(name).expect(name).name, "openai/gpt-5.1");
    }
    assert_eq!(find("teetone/RoboReward-8B").expect("by its checkpoint").name, "roboreward-8b");
}

#[test]
fn names_are_unique() {
    let mut names: Vec<String> = catalogue()
        .iter()
        .flat_map(|model| std::iter::once(model.name).chain(model.aliases.iter().copied()))
        .map(str::to_lowercase)
        .collect();
    // Some aliases differ from the name in case alone.
    names.sort();
    let all = names.len();
    names.dedup();
    let same_model = all - names.len();
    assert_eq!(same_model, 2, "aliases that repeat: the Qwen3-VL checkpoints' names in two cases");
}

#[test]
fn an_unknown_name_is_wrong_usage_with_the_nearest_names() {
    let error = find("gpt-5").expect_err("not in the catalogue");
    assert!(error.is_usage());
    assert_eq!(error.to_string(), "unknown model 'gpt-5'");
    assert!(error.help().is_some_and(|help| help.contains("openai/gpt-5.1")), "{:?}", error.help());

    let error = open("simulate", &ModelOptions::default()).err().expect("not in the catalogue");
    assert!(error.is_usage() && error.help().is_some_and(|help| help.contains("simulated")), "{error:?}");

    let error = find("zzzz").expect_err("like nothing");
    assert!(error.help().is_some_and(|help| help.contains("roborm models")), "{error:?}");
}

#[test]
fn a_model_without_a_hosted_server_says_how_to_reach_it() {
    let error = open("qwen3-vl-4b-instruct", &ModelOptions::default()).err().expect("no hosted slug");
    assert!(error.is_usage() && error.help().is_some_and(|help| help.contains("--base-url")), "{error:?}");
}
