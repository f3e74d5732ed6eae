//! Every send is announced before it happens, and can be forbidden.

use roborm::reward::FaultKind;
use roborm_stub::{Config, Fault, RetryAfter};

use super::support::{Notes, ask, model, one, stub};

#[tokio::test]
async fn a_forbidden_send_does_not_happen() {
    let stub = stub(Config::default());
    let notes = Notes::allowing(0);
    let fault = model(&stub, "openai/gpt-5.1").ask(&one(), &notes).await.expect_err("forbidden");
    assert_eq!((fault.kind, stub.tally().requests), (FaultKind::Budget, 0));
}

#[tokio::test]
async fn a_retry_can_be_forbidden_too() {
    let overloaded = Fault::Status { status: 503, kind: "", retry_after: RetryAfter::Absent };
    let stub = stub(Config { script: vec![overloaded; 5], ..Config::default() });
    let notes = Notes::allowing(2);
    let fault = model(&stub, "openai/gpt-5.1").ask(&one(), &notes).await.expect_err("forbidden");
    assert_eq!((fault.kind, stub.tally().requests, notes.sends()), (FaultKind::Budget, 2, vec![1, 2]));
}

#[tokio::test]
async fn a_fault_after_a_loss_says_that_money_may_be_gone() {
    // Not to be looked up: the stub forgets what it has only half streamed to another address.
    let stub = stub(Config { script: vec![Fault::HalfSent, Fault::Moderated], ..Config::default() });
    let mut options = super::support::options(&stub);
    options.base_urls = vec![format!("{}/own", stub.base_url())];
    let model = roborm::reward::open("any", &options).expect("any name goes");
    let fault = ask(&*model, &one()).await.0.expect_err("refused");
    assert_eq!((fault.kind, fault.maybe_billed), (FaultKind::Refused, true));
}

#[tokio::test]
async fn an_answer_of_an_earlier_run_is_looked_up_by_its_id() {
    let stub = stub(Config::default());
    let model = model(&stub, "openai/gpt-5.1");
    let (reply, notes) = ask(&*model, &one()).await;
    let reply = reply.expect("answered");
    let id = notes.ids.lock().expect("not poisoned")[0].clone();
    let found = model.look_up(&id).await.expect("asked").expect("found");
    assert_eq!(
        (found.text, found.usage, found.request_id, found.finish_reason, found.provider),
        (reply.text, reply.usage, Some(id), reply.finish_reason, reply.provider)
    );
    assert_eq!(model.look_up("gen-unknown").await.expect("asked"), None);
    assert_eq!(stub.tally().billed, 1);
}
