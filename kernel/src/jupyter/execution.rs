//! The thread that runs cells.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value, json};

use super::desk::Desk;
use super::language::{Assist, Evaluate, Events, Running};
use super::message::Request;
use super::zmtp::Identity;
use super::{Shared, outlet};
use crate::engine::{Bundle, Error, Event, Failure, Outcome, Result};

/// Something for the thread that runs cells.
pub(super) enum Job {
    /// Run a cell, for a front.
    Cell(Identity, Request),
    /// Come to an end.
    Stop,
}

/// Who asked for the cell that runs.
#[derive(Default)]
struct Asker {
    who: Mutex<Option<(Identity, Value)>>,
    /// What runs is no cell: nothing of it is shown.
    muted: AtomicBool,
}

/// Runs cells until it is told to stop.
pub(super) fn work(
    shared: &Arc<Shared>,
    desk: &Desk,
    jobs: &Receiver<Job>,
    start: Box<dyn FnOnce(Events) -> Result<Running> + Send>,
    helper: Sender<Box<dyn Assist>>,
) {
    let asker = Arc::new(Asker::default());
    let (sharing, asking) = (Arc::clone(shared), Arc::clone(&asker));
    let mut evaluator: Box<dyn Evaluate> = match start(Arc::new(move |event| show(&sharing, &asking, event))) {
        Ok(running) => {
            // Set once, here.
            let _ = shared.interrupt.set(running.interrupt);
            // At its end nobody waits for it.
            let _ = helper.send(running.assistant);
            running.evaluator
        }
        Err(error) => Box::new(Absent(error)),
    };
    drop(helper);
    let mut count = 0;
    // Asked for each time: a stop may be among the jobs that a failed cell takes out of the line.
    while !shared.stopping.load(Ordering::Acquire) {
        let Ok(Job::Cell(front, request)) = jobs.recv() else { break };
        shared.outlet.begin(&request);
        let may_ask = request.flag("allow_stdin", true);
        asker.set(may_ask.then(|| (front.clone(), request.header.clone())));
        let done = cell(shared, &mut *evaluator, &mut count, &request);
        asker.set(None);
        // The protocol has them evaluated after a cell that ran.
        let expressions = match &done {
            Ok(()) => expressions(&asker, &mut *evaluator, &request.content["user_expressions"]),
            Err(_) => Map::new(),
        };
        shared.stdin.give_up();
        // Those that wait were sent in the belief that this one would work; what is sent once it is answered was not.
        let stops = done.is_err() && request.flag("stop_on_error", true);
        let waiting: Vec<Job> = if stops { jobs.try_iter().collect() } else { Vec::new() };
        desk.reply(&front, &request, &reply(&done, count, expressions));
        shared.outlet.end();
        for job in waiting {
            if let Job::Cell(front, request) = job {
                shared.outlet.around(&request, || {
                    desk.reply(&front, &request, &json!({"status": "aborted", "execution_count": count}));
                });
            }
        }
    }
}

/// Runs a cell and shows what comes of it.
fn cell(
    shared: &Shared,
    evaluator: &mut dyn Evaluate,
    count: &mut u64,
    request: &Request,
) -> std::result::Result<(), Failure> {
    let source = request.text("code");
    let silent = request.flag("silent", false);
    let counted = !silent && request.flag("store_history", true);
    if counted {
        *count += 1;
        evaluator.number(*count);
        shared.history.add(*count, source);
    }
    if !silent {
        shared.outlet.input(source, *count);
    }
    let outcome = catch_unwind(AssertUnwindSafe(|| evaluator.run(source))).unwrap_or_else(|panic| broken(&*panic));
    shared.outlet.settle();
    match outcome {
        Outcome::Done(value) => {
            if let Some(bundle) = value.filter(|_| !silent) {
                if counted {
                    shared.history.result(bundle.data.get("text/plain").and_then(Value::as_str).map(str::to_owned));
                }
                shared.outlet.result(&bundle, *count);
            }
            Ok(())
        }
        Outcome::Failed(failure) => {
            shared.outlet.failure(&failure);
            Err(failure)
        }
    }
}

/// A fault of the evaluator's own.
fn broken(panic: &(dyn std::any::Any + Send)) -> Outcome {
    let words = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let message = format!("the evaluator itself failed: {}", words.unwrap_or("it did not say why"));
    let help = "this is a fault of roborm, not of the cell; if the next cell fails too, restart the kernel";
    Outcome::Failed(failure("Internal", message, Some(help)))
}

fn failure(name: &str, message: String, help: Option<&str>) -> Failure {
    let help = help.map(|help| format!("  help: {help}"));
    let traceback = std::iter::once(message.clone()).chain(help).collect();
    Failure { name: name.to_owned(), message, traceback }
}

/// What a front asks for beside the cell: each expression's value, or why it has none.
fn expressions(asker: &Asker, evaluator: &mut dyn Evaluate, asked: &Value) -> Map<String, Value> {
    let asked = asked.as_object().into_iter().flatten();
    asker.muted.store(true, Ordering::Release);
    let answers = asked.map(|(name, expression)| {
        let outcome = match expression.as_str() {
            Some(source) => {
                catch_unwind(AssertUnwindSafe(|| evaluator.run(source))).unwrap_or_else(|panic| broken(&*panic))
            }
            None => Outcome::Failed(failure("Error", "an expression is a text".to_owned(), None)),
        };
        let answer = match outcome {
            Outcome::Done(value) => {
                let Bundle { data, metadata } = value.unwrap_or_default();
                json!({"status": "ok", "data": data, "metadata": metadata})
            }
            Outcome::Failed(failure) => {
                let mut content = outlet::error(&failure);
                content["status"] = "error".into();
                content
            }
        };
        (name.clone(), answer)
    });
    let answers = answers.collect();
    asker.muted.store(false, Ordering::Release);
    answers
}

fn reply(done: &std::result::Result<(), Failure>, count: u64, expressions: Map<String, Value>) -> Value {
    let mut content = match done {
        Ok(()) => json!({"status": "ok"}),
        Err(failure) => {
            let mut content = outlet::error(failure);
            content["status"] = "error".into();
            content
        }
    };
    content["execution_count"] = count.into();
    content["payload"] = json!([]);
    content["user_expressions"] = expressions.into();
    content
}

/// Takes what happens while a cell runs.
fn show(shared: &Shared, asker: &Asker, event: Event) {
    if asker.muted.load(Ordering::Acquire) {
        // A question that is dropped is an end of input.
        return;
    }
    match event {
        Event::Stdout(text) => shared.outlet.text("stdout", &text),
        Event::Stderr(text) => shared.outlet.text("stderr", &text),
        Event::Display { id, update, bundle } => shared.outlet.display(id.as_deref(), update, &bundle),
        Event::Input { prompt, password, reply } => {
            // What was written before the question is read before it. Dropped, the reply is an end of input.
            shared.outlet.settle();
            match asker.get() {
                Some((front, parent)) => shared.stdin.ask(&front, &parent, &prompt, password, reply),
                None => shared.outlet.text("stderr", "note: nobody is there to answer: the input is at its end\n"),
            }
        }
    }
}

impl Asker {
    fn set(&self, asker: Option<(Identity, Value)>) {
        *self.who.lock().unwrap_or_else(PoisonError::into_inner) = asker;
    }

    fn get(&self) -> Option<(Identity, Value)> {
        self.who.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Stands in for an evaluator that did not come up: the reason is the answer to every cell.
struct Absent(Error);

impl Evaluate for Absent {
    fn run(&mut self, _: &str) -> Outcome {
        Outcome::Failed(failure("Error", self.0.to_string(), self.0.help()))
    }
}
