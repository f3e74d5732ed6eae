//! What is sent, and what of the answer is kept.

use roborm::reward::{ModelOptions, Prompt, TEXT_FIRST, open};
use roborm_stub::{Config, Expected, Fault};
use serde_json::{Value, json};

use super::support::{ask, images, model, one, options, request, stub};

/// The body of one question to a model, messages taken out.
async fn fields(name: &str, change: impl FnOnce(&mut ModelOptions)) -> (Value, Value) {
    let stub = stub(Config::default());
    let mut options = options(&stub);
    change(&mut options);
    let model = open(name, &options).expect("can be opened");
    ask(&*model, &one()).await.0.expect("answered");
    let mut body: Value = serde_json::from_str(&stub.tally().last_body).expect("JSON");
    let messages = body["messages"].take();
    let body = body.as_object_mut().expect("an object");
    body.remove("messages");
    body.remove("session_id");
    (Value::Object(body.clone()), messages)
}

#[tokio::test]
async fn each_model_is_asked_with_its_own_sampling() {
    let provider = json!({"require_parameters": true});
    let off = json!({"enabled": false});
    for (name, right) in [
        ("openai/gpt-4o", json!({"max_tokens": 512, "temperature": 1.0, "top_p": 1.0, "provider": provider})),
        // It takes neither temperature nor top_p; "none" is its word for no reasoning.
        ("openai/gpt-5.1", json!({"max_tokens": 512, "reasoning": {"effort": "none"}, "provider": provider})),
        (
            "google/gemini-2.5-flash",
            json!({"max_tokens": 512, "temperature": 1.0, "top_p": 0.95, "reasoning": off, "provider": provider}),
        ),
        // It refuses temperature and top_p together.
        (
            "anthropic/claude-sonnet-4.6",
            json!({"max_tokens": 512, "temperature": 1.0, "reasoning": off, "provider": provider}),
        ),
        (
            "qwen/qwen3-vl-8b-instruct",
            json!({"max_tokens": 512, "temperature": 0.7, "top_p": 0.8, "provider": provider}),
        ),
        (
            "qwen/qwen3-vl-235b-a22b-thinking",
            json!({"max_tokens": 16896, "temperature": 0.7, "top_p": 0.8, "reasoning": {"enabled": true}, "provider": provider}),
        ),
        (
            "meta-llama/llama-4-scout",
            json!({"max_tokens": 512, "temperature": 0.6, "top_p": 0.9, "provider": provider}),
        ),
    ] {
        let mut right = right;
        right["model"] = json!(name);
        assert_eq!(fields(name, |_| {}).await.0, right, "{name}");
    }
}

#[tokio::test]
async fn options_are_sent_where_they_are_given() {
    let (body, _) = fields("openai/gpt-5.1", |options| {
        options.reasoning = Some("high".into());
        options.seed = Some(5);
        options.provider = Some("Azure".into());
        options.max_tokens = Some(99);
        options.temperature = Some(0.5);
    })
    .await;
    assert_eq!(
        body,
        json!({
            "model": "openai/gpt-5.1", "max_tokens": 99, "temperature": 0.5, "reasoning": {"effort": "high"}, "seed": 5,
            "provider": {"require_parameters": true, "order": ["Azure"], "allow_fallbacks": false},
        })
    );
    // Claude takes no seed: `require_parameters` would leave no provider.
    let (body, _) = fields("anthropic/claude-haiku-4.5", |options| options.seed = Some(5)).await;
    assert!(body.get("seed").is_none());
}

#[tokio::test]
async fn frames_come_first_the_instruction_last_and_claude_gets_its_cache_mark() {
    let text = Prompt::GENERAL.text("open the top drawer");
    for (name, marked) in [("openai/gpt-4o", false), ("anthropic/claude-sonnet-4.6", true)] {
        let (_, messages) = fields(name, |_| {}).await;
        let parts = messages[0]["content"].as_array().expect("parts");
        let kinds: Vec<&str> = parts.iter().filter_map(|part| part["type"].as_str()).collect();
        assert_eq!(kinds, ["image_url", "image_url", "text"], "{name}");
        assert!(
            parts[0]["image_url"]["url"].as_str().is_some_and(|url| url.starts_with("data:image/jpeg;base64,/9j/"))
        );
        assert!(parts[0].get("cache_control").is_none());
        let mark = json!({"type": "ephemeral"});
        assert_eq!(parts[1].get("cache_control"), marked.then_some(&mark), "{name}");
        assert_eq!(parts[2]["text"], json!(text));
    }
    let (_, messages) = fields("openai/gpt-4o", |options| options.order = Some(TEXT_FIRST)).await;
    assert_eq!(messages[0]["content"][0]["text"], json!(text));
}

#[tokio::test]
async fn all_but_the_instruction_is_the_same_byte_for_byte_and_the_session_too() {
    let stub = stub(Config::default());
    let model = model(&stub, "openai/gpt-5.1");
    let images = images(1, 3);
    let mut bodies = Vec::new();
    for instruction in ["open the drawer", "pull the \"drawer\" open\n"] {
        ask(&*model, &request(1, &images, instruction)).await.0.expect("answered");
        let quoted = Value::from(instruction).to_string();
        bodies.push(stub.tally().last_body.replacen(&quoted[1..quoted.len() - 1], "…", 1));
    }
    assert_eq!(bodies[0], bodies[1]);
    assert!(bodies[0].contains("\"session_id\":\"roborm-"));
    ask(&*model, &request(2, &super::support::images(2, 3), "open the drawer")).await.0.expect("answered");
    let session = |body: &str| serde_json::from_str::<Value>(body).expect("JSON")["session_id"].clone();
    assert_ne!(session(&bodies[0]), session(&stub.tally().last_body), "each trajectory has its own");
}

#[tokio::test]
async fn other_servers_get_the_common_core_alone() {
    let stub = stub(Config::default());
    let options = ModelOptions {
        base_urls: vec![stub.base_url()],
        environment: Some(roborm::reward::Environment::default()),
        patience: super::support::patience(),
        seed: Some(3),
        ..ModelOptions::default()
    };
    let model = open("my/finetune", &options).expect("any name goes");
    assert_eq!(model.name(), "my/finetune");
    let request = roborm::reward::Request { repeat: 4, ..one() };
    ask(&*model, &request).await.0.expect("answered");
    let mut body: Value = serde_json::from_str(&stub.tally().last_body).expect("JSON");
    body["messages"].take();
    assert_eq!(
        body,
        json!({"model": "my/finetune", "max_tokens": 512, "messages": null, "seed": 7}),
        "the name as it is served, and the repeat added to the seed"
    );
    assert_eq!(stub.tally().keys.keys().collect::<Vec<_>>(), [""], "no key");
    // A name of the catalogue brings its sampling.
    let model = open("roboreward-8b", &options).expect("any name goes");
    ask(&*model, &one()).await.0.expect("answered");
    let body: Value = serde_json::from_str(&stub.tally().last_body).expect("JSON");
    assert_eq!((&body["temperature"], &body["max_tokens"]), (&json!(0.0), &json!(32)));
    assert_eq!(model.prompt(), &Prompt::ROBOREWARD);
}

#[tokio::test]
async fn the_reply_is_kept_in_full() {
    let stub = stub(Config::default());
    let model = model(&stub, "openai/gpt-5.1");
    let reply = ask(&*model, &one()).await.0.expect("answered");
    assert!(!reply.text.is_empty());
    assert_eq!(reply.finish_reason.as_deref(), Some("stop"));
    assert_eq!(reply.native_finish_reason.as_deref(), Some("STOP"));
    assert_eq!(reply.model_returned.as_deref(), Some("openai/gpt-5.1"));
    assert_eq!(reply.provider.as_deref(), Some("Stub"));
    assert!(reply.request_id.is_some_and(|id| id.starts_with("gen-0-")));
    assert_eq!((reply.usage.cached_tokens, reply.attempts), (Some(0), 1));
    assert_eq!(reply.usage.cost_usd, Some(stub.tally().cost));
    assert!(reply.latency_ms.is_some_and(|ms| ms > 0.0));
    assert!(reply.extra.contains(&("reasoning_tokens".to_owned(), 0.0)));
}

#[tokio::test]
async fn a_users_own_provider_key_is_counted_at_what_the_provider_bills() {
    let body = json!({
        "id": "gen-1", "choices": [{"finish_reason": "stop", "message": {"content": "4"}}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 1, "cost": 0, "cost_details": {"upstream_inference_cost": 0.002}},
    });
    let (reply, _, _stub) = super::support::after([Fault::Raw { status: 200, body: body.to_string() }]).await;
    let reply = reply.expect("answered");
    assert_eq!(reply.usage.cost_usd, Some(0.002));
    assert!(reply.extra.contains(&("own_key_cost_usd".to_owned(), 0.002)));
}

#[tokio::test]
async fn images_arrive_in_order_and_siblings_share_the_cached_prefix() {
    let stub = stub(Config::default());
    let images = images(1, 4);
    let digests = images.iter().map(|image| blake3::hash(&image.bytes).to_hex().to_string()).collect();
    let instructions: Vec<String> = (0..9).map(|index| format!("wording {index}")).collect();
    stub.expect([Expected { images: digests, instructions: instructions.clone(), label: Some(3) }]);
    let model = model(&stub, "openai/gpt-5.1");
    let requests: Vec<_> = instructions.iter().map(|instruction| request(1, &images, instruction)).collect();
    let asked = requests.iter().map(|request| ask(&*model, request));
    let replies = futures_util::future::join_all(asked).await;
    assert!(replies.iter().all(|(reply, _)| reply.is_ok()));
    let tally = stub.tally();
    assert_eq!(tally.mismatches, Vec::<String>::new());
    // The first goes alone; all others find its prefix in the cache.
    assert_eq!((tally.billed, tally.cached), (9, 8));
}

#[test]
fn what_can_change_a_reply_is_in_the_digest_and_the_rest_is_not() {
    let stub = stub(Config::default());
    let digest = |change: &dyn Fn(&mut ModelOptions)| {
        let mut options = options(&stub);
        change(&mut options);
        open("openai/gpt-5.1", &options).expect("can be opened").config().digest().to_owned()
    };
    let plain = digest(&|_| {});
    assert_eq!(plain, digest(&|options| options.concurrency = Some(3)));
    assert_eq!(plain, digest(&|options| options.patience.deadline = std::time::Duration::from_secs(1)));
    let changes: [&dyn Fn(&mut ModelOptions); 7] = [
        &|options| options.reasoning = Some("low".into()),
        &|options| options.seed = Some(1),
        &|options| options.order = Some(TEXT_FIRST),
        &|options| options.provider = Some("Azure".into()),
        &|options| options.max_tokens = Some(9),
        &|options| options.prompt = Some(Prompt::ROBOREWARD),
        &|options| options.base_urls = vec!["http://localhost:1/v1".into()],
    ];
    let mut digests: Vec<String> = changes.iter().map(|change| digest(change)).collect();
    digests.push(plain);
    let all = digests.len();
    digests.sort();
    digests.dedup();
    assert_eq!(digests.len(), all);
}

#[tokio::test]
async fn several_servers_share_the_load_and_a_trajectory_keeps_to_one() {
    let stubs = [stub(Config::default()), stub(Config::default()), stub(Config::default())];
    let options = ModelOptions {
        base_urls: stubs.iter().map(|stub| stub.base_url()).collect(),
        environment: Some(roborm::reward::Environment::default()),
        patience: super::support::patience(),
        ..ModelOptions::default()
    };
    let model = open("any", &options).expect("any name goes");
    for trajectory in 0..30 {
        let images = images(trajectory, 1);
        let before: Vec<u64> = stubs.iter().map(|stub| stub.tally().billed).collect();
        for wording in ["one", "two", "three"] {
            ask(&*model, &request(trajectory, &images, wording)).await.0.expect("answered");
        }
        let mut more: Vec<u64> = stubs.iter().zip(before).map(|(stub, before)| stub.tally().billed - before).collect();
        more.sort();
        assert_eq!(more, [0, 0, 3], "trajectory {trajectory}");
    }
    for stub in &stubs {
        let share = stub.tally().billed;
        assert!((9..=54).contains(&share), "{share} of 90: spread over three");
    }
    // One goes down: its trajectories go on elsewhere.
    let [first, second, third] = stubs;
    let before = second.tally().billed + third.tally().billed;
    drop(first);
    for trajectory in 0..30 {
        ask(&*model, &request(trajectory, &images(trajectory, 1), "four")).await.0.expect("answered");
    }
    let after = second.tally().billed + third.tally().billed;
    assert_eq!(after, before + 30, "all answered by those that are left");
}
