//! A language of one-line orders, so that the protocol is tried without a compiler.

use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Condvar, Mutex};

use roborm_kernel::engine::{
    Bundle, Completeness, Completion, Completions, Event, Failure, InputReply, Inspection, Outcome,
};
use roborm_kernel::jupyter::{Assist, Evaluate, Events, Language, Running};

/// The language; its evaluator comes up when `gate` says so, or is dropped.
pub fn language(gate: Receiver<()>) -> Language {
    Language {
        version: "0.0".to_owned(),
        completeness,
        start: Box::new(move |events| {
            let _ = gate.recv();
            let stop = Arc::new((Mutex::new(false), Condvar::new()));
            let raised = Arc::clone(&stop);
            Ok(Running {
                evaluator: Box::new(Echo { events, stop }),
                interrupt: Box::new(move || {
                    *raised.0.lock().unwrap() = true;
                    raised.1.notify_all();
                }),
                assistant: Box::new(Helper),
            })
        }),
    }
}

/// A cell is open while it ends in a backslash, and broken where it begins with a bracket that closes.
fn completeness(source: &str) -> Completeness {
    match source {
        _ if source.ends_with('\\') => Completeness::Incomplete { indent: "    ".to_owned() },
        _ if source.starts_with(')') => Completeness::Invalid,
        _ => Completeness::Complete,
    }
}

struct Echo {
    events: Events,
    stop: Arc<(Mutex<bool>, Condvar)>,
}

impl Evaluate for Echo {
    fn run(&mut self, source: &str) -> Outcome {
        *self.stop.0.lock().unwrap() = false;
        let mut value = None;
        for line in source.lines() {
            let (order, rest) = line.split_once(' ').unwrap_or((line, ""));
            match order {
                "out" => (self.events)(Event::Stdout(format!("{rest}\n"))),
                "err" => (self.events)(Event::Stderr(format!("{rest}\n"))),
                "show" => self.show(None, false, rest),
                "show-as" => self.show(Some("one"), false, rest),
                "update" => self.show(Some("one"), true, rest),
                "value" => value = Some(text(rest)),
                "size" => value = Some(text(&source.len().to_string())),
                "ask" => value = Some(text(&self.ask(rest, false))),
                "secret" => value = Some(text(&self.ask(rest, true))),
                "wait" => {
                    let stopped = self.stop.0.lock().unwrap();
                    drop(self.stop.1.wait_while(stopped, |stopped| !*stopped).unwrap());
                    return failed("Interrupted", "stopped while it waited");
                }
                "fail" => return failed("Error", rest),
                "panic" => panic!("{rest}"),
                _ => {}
            }
        }
        Outcome::Done(value)
    }
}

impl Echo {
    fn show(&self, id: Option<&str>, update: bool, what: &str) {
        (self.events)(Event::Display { id: id.map(str::to_owned), update, bundle: text(what) });
    }

    fn ask(&self, prompt: &str, password: bool) -> String {
        let (send, answer) = channel();
        (self.events)(Event::Input { prompt: prompt.to_owned(), password, reply: InputReply(send) });
        answer.recv().unwrap_or_else(|_| "end of input".to_owned())
    }
}

struct Helper;

impl Assist for Helper {
    fn complete(&self, source: &str, at: usize) -> Completions {
        // The word before the place, twice.
        let start = source[..at].rfind(' ').map_or(0, |space| space + 1);
        let word = &source[start..at];
        let text = format!("{word}{word}");
        Completions { start, end: at, items: vec![Completion { label: text.clone(), text, kind: "function" }] }
    }

    fn inspect(&self, source: &str, at: usize) -> Option<Inspection> {
        let word = source[..at].rsplit(' ').next()?;
        (word == "known").then(|| Inspection { plain: "a word".to_owned(), markdown: "a *word*".to_owned() })
    }
}

fn text(what: &str) -> Bundle {
    let mut bundle = Bundle::default();
    bundle.data.insert("text/plain".to_owned(), what.into());
    bundle
}

fn failed(name: &str, message: &str) -> Outcome {
    let message = message.to_owned();
    Outcome::Failed(Failure { name: name.to_owned(), traceback: vec![message.clone()], message })
}
