use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use roborm::reward::{Fault, FaultKind, Price, Reply, Usage};
use roborm::study::{Cancel, Ledger};

use super::kit::*;

#[test]
fn faults_are_tried_again_by_the_rule() {
    let bench = Bench::new();
    let faulty = Fake::answering("m", |request, _| match request.instruction.as_str() {
        "open the drawer" => Err(fault(FaultKind::Passing, "overloaded")),
        "press the button" => Err(fault(FaultKind::Refused, "moderated")),
        _ => Err(Fault { maybe_billed: true, ..fault(FaultKind::Passing, "the connection broke") }),
    });
    let outcome = bench.run(plan(3, 0), &Arc::new(faulty));
    assert_eq!((outcome.counts.failed, outcome.counts.called, outcome.exit_status()), (3, 0, 1));
    assert_eq!(outcome.scores.len(), 0, "a failed pair has no row: null is an unparsed reply");
    let messages: Vec<&str> = outcome.failures.iter().map(|failure| failure.message.as_str()).collect();
    assert_eq!(messages, ["overloaded", "moderated", "the connection broke"]);
    let passes: Vec<bool> = outcome.failures.iter().map(|failure| failure.passes).collect();
    assert_eq!(passes, [true, false, false]);

    // What passes and cost nothing is tried again by itself; what may have been billed, and what was refused, is not.
    let model = Arc::new(Fake::new("m"));
    let outcome = bench.run(plan(3, 0), &model);
    assert_eq!((outcome.counts.called, outcome.counts.failed), (1, 2));
    assert_eq!(model.asked()[0].1, "open the drawer");
    let outcome = bench.study(plan(3, 0), &model).retry_failed(true).run().unwrap();
    assert_eq!((outcome.counts.called, outcome.counts.cached, outcome.exit_status()), (2, 1, 0));
}

#[test]
fn an_unparsed_reply_is_kept_and_asked_again_on_request_only() {
    let bench = Bench::new();
    let vague = Arc::new(Fake::answering("m", |request, _| match request.instruction.as_str() {
        "open the drawer" => Ok(costs("hard to say", 0.5)),
        _ => Ok(costs("4", 0.5)),
    }));
    let outcome = bench.run(plan(3, 0), &vague);
    assert_eq!((outcome.counts.called, outcome.counts.unparsed, outcome.exit_status()), (3, 1, 0));
    let unparsed = &rows(&outcome)[0];
    assert_eq!((unparsed.2.as_str(), unparsed.4), ("open the drawer", None));
    assert_eq!(outcome.scores.frame().column("reply").unwrap().str().unwrap().get(0), Some("hard to say"));

    let outcome = bench.run(plan(3, 0), &vague);
    assert_eq!((outcome.counts.cached, outcome.counts.unparsed, vague.asked().len()), (3, 1, 3));

    let clear = Arc::new(Fake::answering("m", |_, _| Ok(costs("2", 0.5))));
    let outcome = bench.study(plan(3, 0), &clear).retry_unparsed(true).run().unwrap();
    assert_eq!((outcome.counts.cached, outcome.counts.called, outcome.counts.unparsed), (2, 1, 0));
    assert_eq!(rows(&outcome)[0].4, Some(2.0));
    // The first reply was paid for too.
    let spend = bench.ledger().spend().unwrap();
    assert_eq!((spend[0].calls, spend[0].cost_usd), (4, 2.0));

    // Asked again once a run, however often it stays unparsed.
    let vague = Arc::new(Fake::answering("n", |_, _| Ok(says("?"))));
    bench.run(plan(3, 0), &vague);
    let outcome = bench.study(plan(3, 0), &vague).retry_unparsed(true).run().unwrap();
    assert_eq!((outcome.counts.called, vague.asked().len()), (3, 6));

    // What there is no money to ask again for stands as it was, and so does what fails when it is asked again.
    let outcome = bench.study(plan(3, 0), &vague).retry_unparsed(true).max_cost_usd(0.0).run().unwrap();
    assert_eq!((outcome.counts.called, outcome.counts.unspent, outcome.scores.len()), (0, 3, 3));
    let faulty = Arc::new(Fake::answering("n", |_, _| Err(fault(FaultKind::Refused, "moderated"))));
    let outcome = bench.study(plan(3, 0), &faulty).retry_unparsed(true).run().unwrap();
    assert_eq!((outcome.counts.failed, outcome.scores.len()), (3, 3));
}

#[test]
fn a_known_price_keeps_the_limit() {
    let bench = Bench::new();
    // 100 dollars a million completion tokens, 8 of which an answer takes by rule of thumb; the prompt is free.
    let price = Price { prompt_usd: 0.0, completion_usd: 1.0 / 8.0, cached_usd: None };
    let model = Arc::new(Fake {
        price: Some(price),
        concurrency: 8,
        latency_ms: 2,
        ..Fake::answering("m", |_, _| Ok(costs("3", 1.0)))
    });
    let outcome = bench.study(plan(6, 3), &model).max_cost_usd(10.0).run().unwrap();
    assert_eq!((outcome.counts.called, outcome.counts.unspent), (10, 14));
    assert_eq!((outcome.counts.cost_usd, outcome.exit_status()), (Some(10.0), 1));
    assert!(outcome.stopped.is_none());
    assert_eq!(outcome.scores.len(), 10);
    // The limit is a run's: the next one goes on.
    let outcome = bench.study(plan(6, 3), &model).max_cost_usd(10.0).run().unwrap();
    assert_eq!((outcome.counts.cached, outcome.counts.called, outcome.counts.unspent), (10, 10, 4));
    let outcome = bench.study(plan(6, 3), &model).max_cost_usd(0.5).run().unwrap();
    assert_eq!((outcome.counts.cached, outcome.counts.called, outcome.counts.unspent), (20, 0, 4));
    assert_eq!(outcome.notes, ["limit: the next call may cost $1, and $0.5 of $0.5 is left; give more to go on"]);
}

#[test]
fn an_unknown_price_exceeds_the_limit_by_calls_in_flight_at_most() {
    let bench = Bench::new();
    let model = Arc::new(Fake { concurrency: 4, latency_ms: 2, ..Fake::answering("m", |_, _| Ok(costs("3", 1.0))) });
    let outcome = bench.study(plan(6, 3), &model).max_cost_usd(6.0).run().unwrap();
    let spent = outcome.counts.cost_usd.unwrap();
    assert!((6.0..=9.0).contains(&spent), "{spent}");
    assert_eq!(outcome.counts.called + outcome.counts.unspent, 24);
}

#[test]
fn batches_share_a_limit_without_waiting_for_each_other() {
    let bench = Bench::new();
    let price = Price { prompt_usd: 0.0, completion_usd: 1.0 / 8.0, cached_usd: None };
    let model = Arc::new(Fake {
        price: Some(price),
        batch: 3,
        concurrency: 4,
        latency_ms: 1,
        ..Fake::answering("m", |_, _| Ok(costs("3", 1.0)))
    });
    let outcome = bench.study(plan(6, 5), &model).max_cost_usd(11.0).run().unwrap();
    assert!(outcome.counts.cost_usd.unwrap() <= 11.0);
    assert!(outcome.counts.called >= 9, "{:?}", outcome.counts);
}

#[test]
fn a_server_that_refuses_all_ends_the_study() {
    let bench = Bench::new();
    let calls = AtomicUsize::new(0);
    let model = Arc::new(Fake {
        concurrency: 1,
        ..Fake::answering("m", move |_, _| match calls.fetch_add(1, Ordering::SeqCst) {
            0..3 => Ok(says("3")),
            _ => Err(fault(FaultKind::Fatal, "402: no credit")),
        })
    });
    let outcome = bench.run(plan(5, 3), &model);
    assert_eq!((outcome.counts.called, outcome.counts.failed, outcome.counts.unspent), (3, 0, 17));
    let stopped = outcome.stopped.as_ref().unwrap();
    assert_eq!(stopped.to_string(), "m: 402: no credit");
    assert!(stopped.is_service() && outcome.exit_status() == 1);
    assert_eq!(model.asked().len(), 4);
    assert_eq!(outcome.scores.len(), 3);
    // It is not the pairs' fault: the next run calls them.
    let outcome = bench.run(plan(5, 3), &Arc::new(Fake::new("m")));
    assert_eq!((outcome.counts.cached, outcome.counts.called), (3, 17));
}

#[test]
fn a_cancelled_study_waits_for_what_is_paid_for() {
    let (bench, cancel) = (Bench::new(), Cancel::new());
    let (calls, stop) = (AtomicUsize::new(0), cancel.clone());
    let model = Arc::new(Fake {
        concurrency: 4,
        latency_ms: 5,
        ..Fake::answering("m", move |_, _| {
            if calls.fetch_add(1, Ordering::SeqCst) == 5 {
                stop.cancel();
            }
            Ok(says("3"))
        })
    });
    let outcome = bench.study(plan(8, 3), &model).cancel(cancel).run().unwrap();
    assert_eq!(outcome.exit_status(), 130);
    assert!(outcome.stopped.as_ref().unwrap().is_interrupted());
    let asked = model.asked().len() as u64;
    assert!((6..32).contains(&asked), "{asked}");
    assert_eq!((outcome.counts.called, outcome.counts.unknown), (asked, 0), "every call sent was waited for");
    assert_eq!(outcome.counts.unspent, 32 - asked);

    let rest = Arc::new(Fake::new("m"));
    let outcome = bench.run(plan(8, 3), &rest);
    assert_eq!((outcome.counts.cached, outcome.counts.called), (asked, 32 - asked));
}

#[test]
fn retries_inside_a_call_are_intents_too_and_stop_with_the_study() {
    let (bench, cancel) = (Bench::new(), Cancel::new());
    let stop = cancel.clone();
    let model = Arc::new(Fake::answering("m", move |_, call| {
        for attempt in 2..=3 {
            call.before_send(attempt)?;
        }
        stop.cancel();
        let refused = call.before_send(4).unwrap_err();
        assert_eq!(refused.kind, FaultKind::Interrupted);
        Ok(Reply { attempts: 3, ..says("3") })
    }));
    let outcome = bench.study(plan(1, 0), &model).cancel(cancel).run().unwrap();
    assert_eq!(outcome.counts.called, 1);
    assert_eq!(bench.ledger().totals().unwrap().attempts, 3);
}

/// A model whose first call never comes back, and a study that is abandoned while it waits.
fn abandoned(bench: &Bench, id: Option<&'static str>) {
    let cancel = Cancel::new();
    let stop = cancel.clone();
    let model = Arc::new(Fake {
        concurrency: 1,
        latency_ms: 1,
        ..Fake::answering("m", move |_, call| {
            if let Some(id) = id {
                call.id_came(id);
            }
            stop.abandon();
            // The reply is on its way when the user gives up; the future is dropped at its next wait.
            Err(Fault { maybe_billed: true, ..fault(FaultKind::Interrupted, "given up") })
        })
    });
    let outcome = bench.study(plan(1, 1), &model).cancel(cancel).run().unwrap();
    assert_eq!((outcome.counts.unknown, outcome.counts.unspent, outcome.exit_status()), (1, 1, 130));
    assert_eq!(bench.ledger().totals().unwrap().open, 1);
}

#[test]
fn what_is_unknown_is_sent_again_unless_told_otherwise() {
    let bench = Bench::new();
    abandoned(&bench, None);
    let model = Arc::new(Fake::new("m"));
    let outcome = bench.study(plan(1, 1), &model).resend(false).run().unwrap();
    assert_eq!((outcome.counts.unknown, outcome.counts.called, outcome.exit_status()), (1, 1, 1));
    let outcome = bench.run(plan(1, 1), &model);
    assert_eq!((outcome.counts.cached, outcome.counts.called, outcome.exit_status()), (1, 1, 0));
    assert_eq!(bench.ledger().totals().unwrap().open, 0);
}

#[test]
fn what_costs_nothing_is_not_billed_twice() {
    let cents = Price { prompt_usd: 0.01, completion_usd: 0.01, cached_usd: None };
    let free = Price { prompt_usd: 0.0, completion_usd: 0.0, cached_usd: None };
    let again = "sent again, being under way when an earlier run ended: 1";
    for (price, told) in [
        (None, "; each of them may have been billed twice"),
        (Some(cents), "; each of them may have been billed twice"),
        (Some(free), "; they cost nothing"),
    ] {
        let bench = Bench::new();
        abandoned(&bench, None);
        let outcome = bench.run(plan(1, 1), &Arc::new(Fake { price, ..Fake::new("m") }));
        assert!(outcome.notes.contains(&format!("{again}{told}")), "{price:?}: {:?}", outcome.notes);
    }
}

#[test]
fn what_has_an_id_is_looked_up_before_it_is_sent_again() {
    let bench = Bench::new();
    abandoned(&bench, Some("gen-7"));
    let model = Arc::new(Fake { found: Some(costs("5", 0.25)), ..Fake::new("m") });
    let outcome = bench.run(plan(1, 1), &model);
    assert_eq!(*model.looked_up.lock().unwrap(), ["gen-7"]);
    assert_eq!((outcome.counts.called, model.asked().len()), (2, 1), "one was found, one sent");
    assert_eq!(rows(&outcome)[0].4, Some(5.0));

    let bench = Bench::new();
    abandoned(&bench, Some("gen-8"));
    let model = Arc::new(Fake::new("m"));
    let outcome = bench.run(plan(1, 1), &model);
    assert_eq!((outcome.counts.called, model.asked().len()), (2, 2), "not found: sent again");
}

#[test]
fn a_dropped_future_stops_its_run_and_no_other() {
    let bench = Bench::new();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (begun, going) = std::sync::mpsc::channel();
    let model = Arc::new(Fake {
        concurrency: 1,
        latency_ms: 5,
        on_send: Box::new(move |_| begun.send(()).unwrap_or_default()),
        ..Fake::new("m")
    });
    let told = Arc::new(Told::default());
    let study = bench.study(plan(100, 3), &model).progress(told.clone());
    runtime.block_on(async {
        let mut run = Box::pin(study.run_async());
        // Polled once, so that it begins; dropped while its first calls are under way.
        assert!(futures_util::poll!(&mut run).is_pending());
        going.recv().unwrap();
    });
    let last = loop {
        match told.lines().last() {
            Some(line) if line.starts_with("end ") => break line.clone(),
            _ => std::thread::yield_now(),
        }
    };
    assert!(told.lines().contains(&"stopping: interrupted".to_owned()), "{last}");
    let done = model.asked().len() as u64;
    assert!(done < 400);
    let outcome = study.run().unwrap();
    assert_eq!((outcome.counts.cached, outcome.counts.called), (done, 400 - done));
}

#[test]
fn what_a_broken_reply_cost_counts_against_the_limit() {
    let bench = Bench::new();
    let model = Arc::new(Fake {
        concurrency: 1,
        ..Fake::answering("m", |_, _| {
            let broken = fault(FaultKind::Passing, "the provider failed in the middle");
            Err(Fault { maybe_billed: true, cost_usd: Some(0.5), ..broken })
        })
    });
    let outcome = bench.study(plan(8, 0), &model).max_cost_usd(1.0).run().unwrap();
    // Two of them are the dollar.
    assert_eq!((model.asked().len(), outcome.counts.failed, outcome.counts.unspent), (2, 2, 6));
    let spend = &outcome.by_model[0];
    assert_eq!((spend.calls, spend.lost, spend.cost_usd, spend.lost_usd), (0, 2, 1.0, 0.0));
    assert_eq!(outcome.counts.cost_usd, Some(1.0));
    assert!(outcome.notes.iter().any(|note| note.starts_with("calls that broke off")), "{:?}", outcome.notes);
    // The ledger has it too, for whoever sums up what a study cost, and so has one it is merged into, once.
    assert_eq!(bench.ledger().spend().unwrap(), outcome.by_model);
    let (one, joined) = (bench.path(), bench.folder.path().join("joined.db"));
    for _ in 0..2 {
        Ledger::merge(&joined, std::slice::from_ref(&one)).unwrap();
    }
    assert_eq!(Ledger::open(&joined).unwrap().spend().unwrap(), outcome.by_model);
}

#[test]
fn what_failures_cost_is_in_the_estimate_of_the_next_calls() {
    let bench = Bench::new();
    // Every call fails once, for a quarter of what its answer costs.
    let model = Arc::new(Fake::answering("m", |_, call| {
        call.lost(&Fault { maybe_billed: true, cost_usd: Some(0.25), ..fault(FaultKind::Passing, "cut off") });
        Ok(Reply { usage: Usage { cost_usd: Some(1.0), ..Usage::default() }, ..says("4") })
    }));
    let outcome = bench.study(plan(4, 0), &model).run().unwrap();
    assert_eq!(outcome.counts.cost_usd, Some(5.0));
    let estimate = bench.study(plan(12, 0), &model).estimate().unwrap();
    assert_eq!((estimate.calls, estimate.cost_usd), (8, Some(10.0)));
}

#[test]
fn a_reply_that_does_not_tell_its_cost_costs_what_was_set_aside() {
    let bench = Bench::new();
    let price = Price { prompt_usd: 1e-3, completion_usd: 1e-3, cached_usd: None };
    let model = Arc::new(Fake { concurrency: 1, price: Some(price), ..Fake::new("m") });
    // Four images come to some hundred tokens each: a call to a dollar or a few, and forty calls to more than twenty.
    let outcome = bench.study(plan(40, 0), &model).max_cost_usd(20.0).run().unwrap();
    assert!((1..40).contains(&model.asked().len()), "{} of 40", model.asked().len());
    assert_eq!(outcome.counts.called + outcome.counts.unspent, 40);
    assert_eq!(outcome.counts.cost_usd, None, "no reply told");
}

#[test]
fn a_call_is_tried_again_only_while_the_money_lasts() {
    let bench = Bench::new();
    let model = Arc::new(Fake::answering("m", |_, call| {
        let lost = Fault { maybe_billed: true, cost_usd: Some(0.6), ..fault(FaultKind::Passing, "cut off") };
        call.lost(&lost);
        call.before_send(2)?;
        call.lost(&lost);
        let refused = call.before_send(3).unwrap_err();
        assert_eq!(refused.kind, FaultKind::Budget);
        Err(Fault { maybe_billed: true, ..refused })
    }));
    let outcome = bench.study(plan(1, 0), &model).max_cost_usd(1.0).run().unwrap();
    assert_eq!((outcome.counts.unknown, outcome.counts.cost_usd), (1, Some(1.2)));
    assert_eq!(bench.ledger().totals().unwrap().attempts, 2);
}

#[test]
fn what_is_asked_again_on_request_is_asked_not_looked_up() {
    let bench = Bench::new();
    let vague = Arc::new(Fake {
        found: Some(says("hard to say")),
        ..Fake::answering("m", |_, call| {
            call.id_came("gen-1");
            Ok(says("hard to say"))
        })
    });
    bench.run(plan(1, 0), &vague);
    let outcome = bench.study(plan(1, 0), &vague).retry_unparsed(true).run().unwrap();
    assert_eq!((outcome.counts.called, vague.asked().len()), (1, 2));
    assert!(vague.looked_up.lock().unwrap().is_empty());
}

#[test]
fn what_was_never_sent_is_not_unknown() {
    let (bench, cancel) = (Bench::new(), Cancel::new());
    let stop = cancel.clone();
    let model = Arc::new(Fake { waits: true, on_send: Box::new(move |_| stop.cancel()), ..Fake::new("m") });
    let outcome = bench.study(plan(1, 3), &model).cancel(cancel).run().unwrap();
    assert_eq!((outcome.counts.unknown, outcome.counts.unspent, outcome.exit_status()), (0, 4, 130));
    let totals = bench.ledger().totals().unwrap();
    assert_eq!((totals.open, totals.attempts), (0, 0));
}
