//! Every fault of a server, one by one.

use std::time::Duration;

use roborm::reward::{FaultKind, Patience, open};
use roborm_stub::{Config, Fault, RetryAfter};

use super::support::{Notes, after, ask, model, one, options, patience, stub};

fn status(status: u16) -> Fault {
    Fault::Status { status, kind: "", retry_after: RetryAfter::Absent }
}

#[tokio::test]
async fn what_passes_is_tried_again_until_it_is_answered_and_billed_once() {
    let passing = [
        status(408),
        status(429),
        status(500),
        status(502),
        status(503),
        status(504),
        status(529),
        Fault::Status { status: 429, kind: "rate_limit_exceeded", retry_after: RetryAfter::Seconds(0) },
        Fault::Status { status: 503, kind: "provider_overloaded", retry_after: RetryAfter::Seconds(1) },
        Fault::Status { status: 429, kind: "rate_limit_exceeded", retry_after: RetryAfter::Date(1) },
        Fault::ErrorIn200 { code: 429 },
        Fault::ErrorIn200 { code: 502 },
        Fault::ChoiceError,
        Fault::EmptyChoices,
        Fault::NullChoices,
        Fault::EmptyContent,
        Fault::Dropped,
        Fault::Raw { status: 502, body: "<html>Bad gateway</html>".into() },
        Fault::Raw { status: 200, body: r#"{"error":{"code":"rate_limit_exceeded","message":"slow down"}}"#.into() },
        Fault::Raw { status: 200, body: r#"{"error":{"message":"overloaded","type":"overloaded_error"}}"#.into() },
    ];
    for fault in passing {
        let (reply, notes, stub) = after([fault.clone()]).await;
        let reply = reply.unwrap_or_else(|error| panic!("{fault:?}: {error}"));
        assert_eq!((reply.attempts, notes.sends()), (2, vec![1, 2]), "{fault:?}");
        assert_eq!(stub.tally().billed, 1, "{fault:?}");
    }
}

#[tokio::test]
async fn an_answer_that_was_cut_is_looked_up_by_its_id_and_not_paid_twice() {
    let slow = Fault::Trickled { pause: Duration::from_millis(50) };
    for fault in [Fault::HalfSent, Fault::HeadersOnly, Fault::HalfJson, Fault::HalfStreamed, slow] {
        let stub = stub(Config { script: vec![fault.clone()], ..Config::default() });
        let mut options = options(&stub);
        options.patience = Patience { attempt: Duration::from_millis(800), ..patience() };
        let model = open("openai/gpt-5.1", &options).expect("in the catalogue");
        let (reply, notes) = ask(&*model, &one()).await;
        let reply = reply.unwrap_or_else(|error| panic!("{fault:?}: {error}"));
        let faultless =
            ask(&*super::support::model(&super::support::stub(Config::default()), "openai/gpt-5.1"), &one()).await;
        assert_eq!(reply.text, faultless.0.expect("answered").text, "{fault:?}");
        assert_eq!(reply.usage.cost_usd, Some(stub.tally().cost), "{fault:?}");
        assert_eq!((notes.sends(), stub.tally().billed, stub.tally().looked_up), (vec![1], 1, 1), "{fault:?}");
        assert_eq!(notes.ids.lock().expect("not poisoned").len(), 1, "{fault:?}: the ledger knows the id");
    }
}

#[tokio::test]
async fn where_an_answer_cannot_be_looked_up_it_is_asked_again_and_counted() {
    // Other servers keep nothing.
    let stub = stub(Config { script: vec![Fault::HalfSent, Fault::HalfJson], ..Config::default() });
    let mut options = options(&stub);
    options.base_urls = vec![format!("{}/own", stub.base_url())];
    let model = open("any", &options).expect("any name goes");
    let (reply, notes) = ask(&*model, &one()).await;
    assert_eq!(reply.expect("answered").attempts, 3);
    assert_eq!((notes.lost(), stub.tally().billed), (2, 3));
}

#[tokio::test]
async fn money_is_not_thrown_after_a_server_that_gives_nothing() {
    let stub = stub(Config { script: vec![Fault::HalfSent; 20], ..Config::default() });
    let mut options = options(&stub);
    options.base_urls = vec![format!("{}/own", stub.base_url())];
    let model = open("any", &options).expect("any name goes");
    let fault = ask(&*model, &one()).await.0.expect_err("given up");
    assert_eq!((fault.kind, fault.maybe_billed, stub.tally().billed), (FaultKind::Passing, true, 3));
}

#[tokio::test]
async fn a_refused_request_is_not_sent_again() {
    for fault in [status(400), status(413), status(422), Fault::Moderated, Fault::ErrorIn200 { code: 400 }] {
        let (reply, notes, stub) = after([fault.clone()]).await;
        let error = reply.expect_err("refused");
        assert_eq!((error.kind, error.maybe_billed), (FaultKind::Refused, false), "{fault:?}");
        assert_eq!((notes.sends(), stub.tally().requests), (vec![1], 1), "{fault:?}");
        assert!(!error.message.contains('\n') && error.message.contains('4'), "{}", error.message);
    }
}

#[tokio::test]
async fn what_holds_for_all_requests_stops_the_study() {
    let key_limit = r#"{"error":{"code":403,"message":"Key limit exceeded (total limit)"}}"#;
    let faults = [status(401), status(402), status(404), Fault::Raw { status: 403, body: key_limit.into() }];
    for fault in faults {
        let (reply, notes, _stub) = after([fault.clone()]).await;
        assert_eq!(reply.expect_err("fatal").kind, FaultKind::Fatal, "{fault:?}");
        assert_eq!(notes.sends(), [1], "{fault:?}");
    }
}

#[tokio::test]
async fn replies_come_through_however_they_are_packed() {
    let plain = after([]).await.0.expect("answered");
    for fault in [Fault::Gzipped, Fault::Streamed, Fault::Commented] {
        let (reply, notes, stub) = after([fault.clone()]).await;
        let reply = reply.unwrap_or_else(|error| panic!("{fault:?}: {error}"));
        assert_eq!(
            (reply.text, reply.usage, reply.request_id),
            (plain.text.clone(), plain.usage, plain.request_id.clone())
        );
        assert_eq!(
            (reply.finish_reason.as_deref(), reply.provider.as_deref()),
            (Some("stop"), Some("Stub")),
            "{fault:?}"
        );
        assert_eq!((notes.sends(), stub.tally().billed), (vec![1], 1), "{fault:?}");
    }
}

#[tokio::test]
async fn a_paid_reply_without_a_score_is_kept_and_not_asked_for_again() {
    for (fault, text_in_reasoning, finish) in
        [(Fault::ReasoningOnly, true, Some("stop")), (Fault::CutByLength, false, Some("length"))]
    {
        let (reply, notes, stub) = after([fault]).await;
        let reply = reply.expect("kept");
        assert_eq!(roborm::reward::read_reply(&reply).score(), None);
        assert_eq!((reply.text.is_empty(), reply.reasoning.is_some()), (text_in_reasoning, text_in_reasoning));
        assert_eq!(reply.finish_reason.as_deref(), finish);
        assert_eq!((notes.sends(), stub.tally().billed), (vec![1], 1));
    }
}

#[tokio::test]
async fn empty_replies_are_not_asked_for_for_ever() {
    let (reply, notes, _stub) = after(vec![Fault::EmptyContent; 50]).await;
    let fault = reply.expect_err("given up");
    assert_eq!((fault.kind, fault.maybe_billed), (FaultKind::Passing, false));
    assert!(notes.sends().len() < 10);
}

#[tokio::test]
async fn a_server_that_stalls_or_trickles_is_given_up_within_its_time() {
    for fault in [Fault::Stalled, Fault::Trickled { pause: Duration::from_millis(100) }] {
        let stub = stub(Config { script: vec![fault], ..Config::default() });
        let mut options = options(&stub);
        options.base_urls = vec![format!("{}/own", stub.base_url())];
        options.patience =
            Patience { read: Duration::from_millis(500), attempt: Duration::from_millis(900), ..patience() };
        let model = open("any", &options).expect("any name goes");
        let (reply, notes) = ask(&*model, &one()).await;
        assert_eq!((reply.expect("answered at last").attempts, notes.lost()), (2, 1));
    }
}

#[tokio::test]
async fn a_deadline_ends_it_and_says_how_long_the_server_asked_to_wait() {
    let (reply, notes, _stub) = after([long_pause()]).await;
    let fault = reply.expect_err("longer than the deadline");
    assert_eq!((fault.kind, fault.retry_after), (FaultKind::Passing, Some(Duration::from_secs(3600))));
    assert!(fault.message.contains("1 h 00 min"), "{}", fault.message);
    assert_eq!(notes.sends(), [1]);
    // It holds for the next question as well, which is told so and not sent.
    let stub = stub(Config { script: vec![long_pause()], ..Config::default() });
    let model = model(&stub, "openai/gpt-5.1");
    ask(&*model, &one()).await.0.expect_err("longer than the deadline");
    let (reply, notes) = ask(&*model, &one()).await;
    assert!(reply.expect_err("not waited for").message.contains("1 h 00 min"));
    assert!(notes.sends().is_empty() && stub.tally().requests == 1);
}

fn long_pause() -> Fault {
    Fault::Status { status: 429, kind: "rate_limit_exceeded", retry_after: RetryAfter::Seconds(3600) }
}

#[tokio::test]
async fn the_end_of_a_rate_limit_counts_as_the_wait_where_no_other_is_told() {
    let header = |status, retry_after| Fault::Status { status, kind: "rate_limit_exceeded", retry_after };
    let in_an_hour = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970")
        + Duration::from_secs(3600);
    // OpenRouter passes the provider's headers on in the body.
    let body = format!(
        r#"{{"error":{{"code":429,"message":"daily limit","metadata":{{"headers":{{"X-RateLimit-Remaining":"0","X-RateLimit-Reset":"{}"}}}}}}}}"#,
        in_an_hour.as_millis()
    );
    for fault in [
        header(429, RetryAfter::Reset(3600)),
        Fault::Raw { status: 429, body: body.clone() },
        Fault::Raw { status: 200, body },
    ] {
        let (reply, notes, _stub) = after([fault.clone()]).await;
        let told = reply.expect_err("longer than the deadline");
        assert!(told.retry_after.is_some_and(|wait| wait > Duration::from_secs(3500)), "{fault:?}: {told:?}");
        assert!(told.message.contains("1 h 00 min"), "{}", told.message);
        assert_eq!(notes.sends(), [1]);
    }
    // Of a server that fails it says nothing, and one that is past is no wait.
    for fault in [header(503, RetryAfter::Reset(3600)), header(429, RetryAfter::Reset(0))] {
        let (reply, notes, _stub) = after([fault.clone()]).await;
        assert_eq!((reply.expect("answered").attempts, notes.sends()), (2, vec![1, 2]), "{fault:?}");
    }
}

#[tokio::test]
async fn what_a_failure_cost_is_told_whatever_its_status() {
    let body = r#"{"error":{"code":502,"message":"stopped in the middle"},"usage":{"cost":0.25}}"#;
    for status in [200, 502] {
        let (reply, notes, _stub) = after([Fault::Raw { status, body: body.into() }]).await;
        assert_eq!((reply.expect("answered").attempts, notes.lost()), (2, 1), "{status}");
    }
    let free = r#"{"error":{"code":502,"message":"stopped before it began"},"usage":{"cost":0}}"#;
    let (reply, notes, _stub) = after([Fault::Raw { status: 502, body: free.into() }]).await;
    assert_eq!((reply.expect("answered").attempts, notes.lost()), (2, 0));
}

#[tokio::test]
async fn a_deadline_ends_what_only_fails() {
    let stub = stub(Config { script: vec![status(503); 1000], ..Config::default() });
    let mut options = options(&stub);
    options.patience = Patience { deadline: Duration::from_millis(300), ..patience() };
    let model = open("openai/gpt-5.1", &options).expect("in the catalogue");
    let (reply, notes) = ask(&*model, &one()).await;
    let fault = reply.expect_err("past the deadline");
    assert_eq!(fault.kind, FaultKind::Passing);
    assert!(fault.message.contains("503") && fault.message.contains("attempts"), "{}", fault.message);
    assert!(notes.sends().len() > 1);
}

#[tokio::test]
async fn redirects_stay_within_the_server() {
    let other = stub(Config::default());
    let elsewhere = format!("{}/chat/completions", other.base_url());
    for status in [301, 302, 307, 308] {
        let (reply, notes, _stub) = after([Fault::Redirect { status, to: elsewhere.clone() }]).await;
        let fault = reply.expect_err("not followed");
        assert_eq!((fault.kind, notes.sends()), (FaultKind::Fatal, vec![1]), "{status}");
        assert!(fault.message.contains("redirects"), "{}", fault.message);
    }
    assert_eq!(other.tally().requests, 0, "neither frames nor key went there");

    let (reply, _, stub) = after([Fault::Redirect { status: 307, to: "/moved/chat/completions".into() }]).await;
    assert_eq!((reply.expect("followed").attempts, stub.tally().requests), (1, 2));
    let circle = Fault::Redirect { status: 308, to: "/moved/chat/completions".into() };
    let (reply, _, stub) = after(vec![circle; 50]).await;
    assert_eq!(reply.expect_err("in a circle").kind, FaultKind::Fatal);
    assert!(stub.tally().requests < 10);
}

#[tokio::test]
async fn a_server_that_is_not_there_is_told_soon() {
    let gone = stub(Config::default());
    let options = options(&gone);
    drop(gone);
    let model = open("openai/gpt-5.1", &options).expect("in the catalogue");
    let (reply, notes) = ask(&*model, &one()).await;
    let fault = reply.expect_err("nobody listens");
    assert_eq!((fault.kind, fault.maybe_billed), (FaultKind::Fatal, false));
    assert!(fault.message.contains("is the server up"), "{}", fault.message);
    assert!(notes.sends().len() <= 5);
}

#[tokio::test]
async fn a_server_that_comes_back_is_asked_again() {
    // Enough failures in a row to open the breaker, which names nobody behind it; its trial closes it.
    let overloaded = Fault::Raw { status: 503, body: r#"{"error":{"code":503,"message":"busy"}}"#.into() };
    let (reply, notes, stub) = after(vec![overloaded; 9]).await;
    assert_eq!(reply.expect("answered at last").attempts, 10);
    assert_eq!((notes.sends().len(), stub.tally().billed), (10, 1));
}

#[tokio::test]
async fn a_web_page_is_a_wrong_address_at_first_and_passes_later() {
    let page = Fault::Raw { status: 200, body: "<html>Sign in</html>".into() };
    let (reply, notes, _stub) = after([page.clone()]).await;
    let fault = reply.expect_err("the address is wrong");
    assert_eq!((fault.kind, notes.sends()), (FaultKind::Fatal, vec![1]));
    assert!(fault.message.contains("web page"), "{}", fault.message);

    let stub = stub(Config { script: vec![Fault::None, page], ..Config::default() });
    let model = model(&stub, "openai/gpt-5.1");
    for attempts in [1, 2] {
        assert_eq!(ask(&*model, &one()).await.0.expect("answered").attempts, attempts);
    }
}

#[tokio::test]
async fn odd_bodies_are_no_panic() {
    for body in [
        "",
        "null",
        "[]",
        "\"4\"",
        "{}",
        "{\"choices\": {}}",
        "{\"choices\": [null]}",
        "{\"choices\": [{\"message\": 4}]}",
        "data: x",
        "data: [DONE]",
        ": comment",
        "\u{0}\u{1}",
        "{\"error\": \"down\"}",
        "{\"error\": {\"code\": -1}}",
        "{\"usage\": []}",
    ] {
        let (reply, _, _stub) = after([Fault::Raw { status: 200, body: body.into() }]).await;
        let attempts = reply.map(|reply| reply.attempts).map_err(|fault| fault.message);
        assert_eq!(attempts, Ok(2), "{body:?}");
    }
    let parts = r#"{"choices":[{"finish_reason":"stop","message":{"content":[{"type":"text","text":"AN"},{"text":"SWER: 4"}]}}]}"#;
    let (reply, _, _stub) = after([Fault::Raw { status: 200, body: parts.into() }]).await;
    assert_eq!(reply.expect("answered").text, "ANSWER: 4");
    let nan = r#"{"choices":[{"finish_reason":"stop","message":{"content":"NaN \" NaN 4"}}],"usage":{"cost":NaN,"x":-Infinity}}"#;
    let (reply, notes, _stub) = after([Fault::Raw { status: 200, body: nan.into() }]).await;
    let reply = reply.expect("answered");
    assert_eq!((reply.text.as_str(), reply.usage.cost_usd, notes.sends()), ("NaN \" NaN 4", None, vec![1]));
    let beyond = r#"{"choices":[{"finish_reason":"stop","message":{"content":"1e999 4"}}],"usage":{"cost":-1e999,"prompt_tokens":12}}"#;
    let (reply, notes, _stub) = after([Fault::Raw { status: 200, body: beyond.into() }]).await;
    let reply = reply.expect("answered");
    assert_eq!((reply.text.as_str(), reply.usage.cost_usd, notes.sends()), ("1e999 4", None, vec![1]));
    assert_eq!(reply.usage.prompt_tokens, Some(12));
    let long = format!("{{\"error\":{{\"code\":400,\"message\":\"{}\\n\\u001b[31m\"}}}}", "x ".repeat(5000));
    let (reply, _, _stub) = after([Fault::Raw { status: 400, body: long }]).await;
    let message = reply.expect_err("refused").message;
    assert!(message.len() < 400 && !message.contains(['\n', '\u{1b}']), "{message}");
}

#[tokio::test]
async fn siblings_of_a_failed_first_go_on() {
    let stub = stub(Config { script: vec![Fault::Moderated], ..Config::default() });
    let model = model(&stub, "openai/gpt-5.1");
    let images = super::support::images(1, 2);
    let requests: Vec<_> =
        (0..6).map(|index| super::support::request(1, &images, &format!("wording {index}"))).collect();
    let replies = futures_util::future::join_all(requests.iter().map(|request| ask(&*model, request))).await;
    assert_eq!(replies.iter().filter(|(reply, _)| reply.is_ok()).count(), 5);
    assert_eq!((stub.tally().billed, stub.tally().cached), (5, 4));
}

#[tokio::test]
async fn a_study_that_stops_does_not_wait_for_the_next_try() {
    // Ten seconds to wait: the test would take as long where the stop were not heard.
    let wait = Fault::Status { status: 503, kind: "", retry_after: RetryAfter::Seconds(10) };
    let stub = stub(Config { script: vec![wait], ..Config::default() });
    let notes = Notes { stops_at_retry: true, ..Notes::new() };
    let fault = model(&stub, "openai/gpt-5.1").ask(&one(), &notes).await.expect_err("stopped");
    assert_eq!((fault.kind, fault.maybe_billed), (FaultKind::Interrupted, false));
    assert_eq!((notes.sends(), stub.tally().requests), (vec![1], 1));
}
