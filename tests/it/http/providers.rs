//! Providers behind OpenRouter: one that fails does not stop the others.

use std::time::Duration;

use roborm::reward::{FaultKind, ModelOptions, Patience, RewardModel, open};
use roborm_stub::{Config, Fault, RetryAfter, Stub};

use super::support::{ask, images, options, patience, request, stub};

/// Failures in a row that open a provider's circuit.
const FAILURES: u64 = 8;

fn two() -> Stub {
    stub(Config { providers: vec!["Google AI Studio".into(), "Together".into()], ..Config::default() })
}

/// Asks about so many trajectories, one after another; all are answered.
async fn ask_about(model: &dyn RewardModel, trajectories: std::ops::Range<usize>) {
    for trajectory in trajectories {
        let (reply, _) = ask(model, &request(trajectory, &images(trajectory, 1), "open it")).await;
        reply.unwrap_or_else(|fault| panic!("trajectory {trajectory}: {fault}"));
    }
}

fn served(stub: &Stub, provider: &str) -> u64 {
    stub.tally().by_provider.get(provider).copied().unwrap_or_default()
}

#[tokio::test]
async fn one_that_fails_is_left_out_and_the_other_goes_on() {
    let stub = two();
    let model = open("openai/gpt-5.1", &options(&stub)).expect("in the catalogue");
    ask_about(&*model, 0..20).await;
    assert!(served(&stub, "Together") > 0 && served(&stub, "Google AI Studio") > 0, "{:?}", stub.tally().by_provider);

    stub.fail(&["Google AI Studio"]);
    let before = served(&stub, "Google AI Studio");
    ask_about(&*model, 20..60).await;
    // Half of the trajectories would have gone there and failed; but for the trials nobody was sent after its circuit opened.
    let failed = served(&stub, "Google AI Studio") - before;
    assert!((FAILURES..FAILURES + 5).contains(&failed), "{failed} went to the provider that was down");
    let body: serde_json::Value = serde_json::from_str(&stub.tally().last_body).expect("JSON");
    assert_eq!(body["provider"]["ignore"], serde_json::json!(["google-ai-studio"]));
    assert_eq!(body["provider"]["require_parameters"], true);
    assert_eq!((stub.tally().billed, stub.tally().billed_twice), (60, 0));
}

#[tokio::test]
async fn a_question_goes_elsewhere_as_soon_as_its_provider_is_left_out() {
    let stub = two();
    let model = open("openai/gpt-5.1", &options(&stub)).expect("in the catalogue");
    ask_about(&*model, 1..2).await;
    let sticky = stub.tally().by_provider.into_keys().next().expect("somebody served it");
    stub.fail(&[sticky.as_str()]);
    let (reply, _) = ask(&*model, &request(1, &images(1, 1), "pull it")).await;
    let reply = reply.expect("answered");
    assert_eq!(u64::from(reply.attempts), FAILURES + 1);
    assert_ne!(reply.provider.as_deref(), Some(sticky.as_str()));
}

#[tokio::test]
async fn another_model_is_not_told_of_it() {
    let stub = two();
    stub.fail(&["Google AI Studio", "Together"]);
    let short = Patience { deadline: Duration::from_millis(300), ..patience() };
    let gone = open("openai/gpt-5.1", &ModelOptions { patience: short, ..options(&stub) });
    let (reply, _) = ask(&*gone.expect("in the catalogue"), &request(1, &images(1, 1), "open it")).await;
    assert_eq!(reply.expect_err("both are down").kind, FaultKind::Passing);
    stub.fail(&[]);
    let other = open("qwen/qwen3-vl-8b-instruct", &options(&stub)).expect("in the catalogue");
    let (reply, notes) = ask(&*other, &request(1, &images(1, 1), "open it")).await;
    assert_eq!((reply.expect("answered").attempts, notes.sends()), (1, vec![1]));
}

#[tokio::test]
async fn where_there_is_nobody_else_it_is_waited_for() {
    // One provider alone: left out, the server answers 404, which is not fatal then.
    let alone = stub(Config::default());
    let model = open("openai/gpt-5.1", &options(&alone)).expect("in the catalogue");
    let overloaded = Fault::Status { status: 503, kind: "provider_overloaded", retry_after: RetryAfter::Absent };
    alone.script(vec![overloaded; FAILURES as usize]);
    let (reply, _) = ask(&*model, &request(1, &images(1, 1), "open it")).await;
    // Eight failures, the 404, the answer.
    assert_eq!(reply.expect("answered").attempts, FAILURES as u32 + 2);
    let body: serde_json::Value = serde_json::from_str(&alone.tally().last_body).expect("JSON");
    assert!(body["provider"].get("ignore").is_none(), "{}", body["provider"]);
}

#[tokio::test]
async fn a_pinned_one_is_waited_for_and_never_left_out() {
    let stub = two();
    let pinned = ModelOptions { provider: Some("Together".into()), ..options(&stub) };
    let model = open("openai/gpt-5.1", &pinned).expect("in the catalogue");
    stub.script(vec![Fault::ErrorIn200 { code: 502 }; FAILURES as usize]);
    ask_about(&*model, 0..3).await;
    assert_eq!(served(&stub, "Together"), FAILURES + 3);
    let body: serde_json::Value = serde_json::from_str(&stub.tally().last_body).expect("JSON");
    assert!(body["provider"].get("ignore").is_none(), "{}", body["provider"]);
}

#[tokio::test]
async fn a_long_pause_that_one_asks_for_is_not_waited_for() {
    let stub = two();
    let model = open("openai/gpt-5.1", &options(&stub)).expect("in the catalogue");
    stub.script([Fault::Throttled { seconds: 3600 }]);
    ask_about(&*model, 0..10).await;
    assert_eq!(stub.tally().billed, 10);
    let mut served: Vec<u64> = stub.tally().by_provider.into_values().collect();
    served.sort();
    assert_eq!(served, [1, 10], "one was asked once, and not again for an hour");
}
