//! Keys: where they go, and where they never show.

use std::sync::{Arc, Mutex};

use roborm::reward::{Environment, FaultKind, ModelOptions, Secret, Tell, fetch_credit, fetch_prices, open};
use roborm_stub::{Config, Fault};

use super::support::{after, ask, environment, model, one, options, patience, stub};

const OPENROUTER: &str = "sk-or-v1-openrouter";
const OTHER: &str = "sk-other";

#[tokio::test]
async fn each_server_gets_its_own_key() {
    let stub = stub(Config::default());
    ask(&*model(&stub, "openai/gpt-5.1"), &one()).await.0.expect("answered");
    let options = ModelOptions { base_urls: vec![format!("{}/other", stub.base_url())], ..options(&stub) };
    ask(&*open("any", &options).expect("any name goes"), &one()).await.0.expect("answered");
    let keys = stub.tally().keys;
    let keys: Vec<(&str, u64)> = keys.iter().map(|(key, times)| (key.as_str(), *times)).collect();
    assert_eq!(keys, [("Bearer sk-or-v1-openrouter", 1), ("Bearer sk-other", 1)]);
}

#[tokio::test]
async fn openrouters_key_goes_to_openrouters_address_by_base_url_too() {
    let stub = stub(Config { key: Some(OPENROUTER.into()), ..Config::default() });
    let options = ModelOptions { base_urls: vec![format!("{}/", stub.base_url())], ..options(&stub) };
    ask(&*open("openai/gpt-5.1", &options).expect("any name goes"), &one()).await.0.expect("the right key");
}

#[tokio::test]
async fn a_wrong_key_is_fatal_and_not_shown() {
    let stub = stub(Config { key: Some("another".into()), ..Config::default() });
    let fault = ask(&*model(&stub, "openai/gpt-5.1"), &one()).await.0.expect_err("401");
    assert_eq!(fault.kind, FaultKind::Fatal);
    assert!(fault.message.contains("OPENROUTER_API_KEY") && !fault.message.contains(OPENROUTER), "{}", fault.message);
}

#[tokio::test]
async fn a_key_that_the_server_echoes_is_taken_out() {
    let (reply, _, _stub) = after([Fault::EchoedKey]).await;
    let fault = reply.expect_err("refused");
    assert!(fault.message.contains("***") && !format!("{fault:?}").contains(OPENROUTER), "{}", fault.message);
    let other = r#"{"error":{"code":400,"message":"key sk-or-v1-0123456789abcdef0123456789 is not yours"}}"#;
    let (reply, _, _stub) = after([Fault::Raw { status: 400, body: other.into() }]).await;
    assert!(!reply.expect_err("refused").message.contains("0123456789abcdef"));
}

#[test]
fn a_panic_that_shows_the_settings_shows_no_key() {
    let stub = stub(Config::default());
    let settings = (options(&stub), environment(&stub));
    let fall = std::panic::AssertUnwindSafe(|| panic!("no reply: {settings:?}"));
    let payload = std::panic::catch_unwind(fall).expect_err("it panics");
    let text = payload.downcast_ref::<String>().expect("a text");
    assert!(text.contains("openrouter_key: Some(***)"), "{text}");
    assert!(!text.contains(OPENROUTER) && !text.contains("sk-other"), "{text}");
}

#[test]
fn a_key_shows_nowhere() {
    let stub = stub(Config::default());
    let options = options(&stub);
    let shown = [
        format!("{options:?}"),
        format!("{:#?}", environment(&stub)),
        format!("{:?}", Secret::new(OPENROUTER)),
        model(&stub, "openai/gpt-5.1").config().settings().to_string(),
    ];
    for text in shown {
        assert!(!text.contains("openrouter\"") && !text.contains(OPENROUTER) && !text.contains("sk-other"), "{text}");
    }
}

#[tokio::test]
async fn without_a_key_nothing_is_sent_to_openrouter() {
    let options =
        ModelOptions { environment: Some(Environment::default()), patience: patience(), ..ModelOptions::default() };
    let model = open("openai/gpt-5.1", &options).expect("an estimate needs no key");
    let (reply, notes) = ask(&*model, &one()).await;
    let fault = reply.expect_err("no key");
    assert_eq!((fault.kind, notes.sends().len()), (FaultKind::Fatal, 0));
    assert!(fault.message.contains("OPENROUTER_API_KEY"));
}

#[test]
fn a_key_never_leaves_in_clear_text() {
    let environment = Environment {
        openrouter_key: Secret::new(OPENROUTER),
        openrouter_base_url: Some("http://gateway.example/api/v1".into()),
        ..Environment::default()
    };
    let options = ModelOptions { environment: Some(environment), ..ModelOptions::default() };
    let error = open("openai/gpt-5.1", &options).err().expect("http");
    assert!(error.is_usage() && error.to_string().contains("clear text"), "{error:?}");
}

#[test]
fn a_key_for_another_server_in_clear_text_is_told_once() {
    let told = |url: &str, key: Option<Secret>| {
        let lines: Arc<Mutex<Vec<String>>> = Arc::default();
        let heard = Arc::clone(&lines);
        let options = ModelOptions {
            base_urls: vec![url.to_owned()],
            environment: Some(Environment { other_key: key, ..Environment::default() }),
            tell: Tell::new(move |line| heard.lock().expect("not poisoned").push(line.to_owned())),
            ..ModelOptions::default()
        };
        open("any", &options).expect("servers of a cluster seldom have certificates");
        lines.lock().expect("not poisoned").clone()
    };
    let key = || Secret::new(OTHER);
    let clear = told("http://node1.example:8000/v1", key());
    assert!(clear.len() == 1 && clear[0].contains("ROBORM_API_KEY") && clear[0].contains("clear text"), "{clear:?}");
    assert!(clear[0].contains("node1.example:8000") && !clear[0].contains(OTHER), "{clear:?}");
    assert_eq!(told("http://node1.example:8000/v1", key()), [""; 0], "once is enough");
    assert_eq!(told("http://node2.example:8000/v1", None), [""; 0], "no key, nothing to lose");
    for url in ["https://node2.example/v1", "http://127.0.0.1:8000/v1", "http://localhost:8000/v1"] {
        assert_eq!(told(url, key()), [""; 0], "{url}");
    }
}

#[test]
fn addresses_are_checked_and_passwords_in_them_not_repeated() {
    let stub = stub(Config::default());
    for url in [
        "localhost:8000",
        "ftp://localhost/v1",
        "http://",
        "http://user:secret@localhost/v1",
        "http://localhost/v1?key=secret",
        "http://localhost/v1#x",
        "http://localhost/v1/chat/completions",
        "",
    ] {
        let options = ModelOptions { base_urls: vec![url.into()], ..options(&stub) };
        let error = open("any", &options).err().unwrap_or_else(|| panic!("{url} was taken"));
        assert!(error.is_usage() && error.help().is_some(), "{url}: {error:?}");
        assert!(!format!("{error:?}").contains("user:secret"), "{error:?}");
    }
    let twice = ModelOptions { base_urls: vec!["http://a/v1".into(), "http://a/v1/".into()], ..options(&stub) };
    assert!(open("any", &twice).err().is_some_and(|error| error.to_string().contains("twice")));
}

#[test]
fn options_that_do_not_go_with_a_model_are_wrong_usage() {
    let stub = stub(Config::default());
    let with = |change: &dyn Fn(&mut ModelOptions)| {
        let mut options = options(&stub);
        change(&mut options);
        options
    };
    for (name, options) in [
        ("openai/gpt-4o", with(&|options| options.reasoning = Some("high".into()))),
        ("qwen/qwen3-vl-235b-a22b-thinking", with(&|options| options.reasoning = Some("off".into()))),
        ("openai/gpt-5.1", with(&|options| options.reasoning = Some("very".into()))),
        ("openai/gpt-5.1", with(&|options| options.max_images = Some(0))),
    ] {
        assert!(open(name, &options).err().is_some_and(|error| error.is_usage()), "{name}");
    }
}

#[test]
fn a_bundle_of_certificates_that_is_none_is_told() {
    let environment = Environment { ca_bundle: Some("/nowhere/ca.pem".into()), ..Environment::default() };
    let options = ModelOptions { environment: Some(environment), ..ModelOptions::default() };
    let error = open("openai/gpt-5.1", &options).err().expect("no such file");
    assert!(error.to_string().contains("ROBORM_CA_BUNDLE /nowhere/ca.pem"), "{error}");
}

#[tokio::test]
async fn live_prices_and_the_credit_left_can_be_asked() {
    let stub = stub(Config { key: Some(OPENROUTER.into()), ..Config::default() });
    let listed = fetch_prices(&options(&stub)).await.expect("listed");
    let model = listed.iter().find(|model| model.id == "openai/gpt-5.1").expect("among them");
    let price = model.price.expect("with a price");
    assert_eq!((price.prompt_usd, price.completion_usd, price.cached_usd), (1.25e-6, 1e-5, Some(1.25e-7)));
    assert_eq!((model.takes_images, model.context_length), (Some(true), Some(400_000)));
    assert!(listed.iter().any(|model| model.id == "openrouter/auto" && model.price.is_none()), "a router has no price");
    assert_eq!(fetch_credit(&options(&stub)).await.expect("known"), Some(10.0));

    let down = options(&stub);
    drop(stub);
    assert!(fetch_prices(&down).await.expect_err("down").is_service());
}
