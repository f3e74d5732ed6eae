//! `roborm-kernel engine [--toolkit DIR]`: the evaluator as a program, for fronts that do not link evcxr.
//!
//! One JSON object a line, in both directions. What is asked has an `id` of the asker's own, which what is answered
//! repeats; one `run` at a time, everything else at any time.
//!
//! | asked | answered |
//! | --- | --- |
//! | `{"id":1,"ask":"run","source":"1+1"}`; with `"columns":80`, text is made to fit | events as they happen, then `{"id":1,"outcome":"done","value":{"data":{…},"metadata":{…}}}` (`value` null where there is none) or `{"id":1,"outcome":"failed","name":…,"message":…,"traceback":[…]}` |
//! | `{"id":2,"ask":"interrupt"}` | `{"id":2,"done":true}` at once; the cell ends in its own time |
//! | `{"id":3,"ask":"complete","source":"df.","byte":3}` | `{"id":3,"start":3,"end":3,"items":[{"text":…,"label":…,"kind":…}]}` |
//! | `{"id":4,"ask":"inspect","source":"df","byte":1}` | `{"id":4,"found":{"plain":…,"markdown":…}}`, `found` null where nothing is known |
//! | `{"id":5,"ask":"completeness","source":"f("}` | `{"id":5,"completeness":"complete"}`, `"incomplete"` with `"indent"`, or `"invalid"` |
//! | `{"id":6,"ask":"variables"}` (between cells) | `{"id":6,"variables":[["x","i32"],…]}` |
//! | `{"ask":"line","text":"yes"}` | nothing: it answers an event `input`; `text` null ends the input |
//!
//! Events: `{"event":"stdout","text":…}`, `{"event":"stderr","text":…}`,
//! `{"event":"display","display":null or "an id","update":false,"data":{…},"metadata":{…}}`,
//! `{"event":"input","prompt":…,"password":false}`. `roborm-kernel engine assemble BUILD DIR` makes a toolkit. The first line is `{"ready":true}`, or
//! `{"ready":false,"message":…,"help":…}` where the evaluator cannot start. The end of the input ends the program.

use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Assistant, Completeness, Engine, Event, InputReply, Interrupter, Outcome, STACK, completeness};
use crate::toolkit::Toolkit;

#[derive(Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "lowercase")]
enum Ask {
    Run {
        #[serde(default)]
        id: Value,
        source: String,
        /// Characters that a line of text may have.
        #[serde(default)]
        columns: Option<usize>,
    },
    Variables {
        #[serde(default)]
        id: Value,
    },
    Interrupt {
        #[serde(default)]
        id: Value,
    },
    Complete {
        #[serde(default)]
        id: Value,
        source: String,
        byte: usize,
    },
    Inspect {
        #[serde(default)]
        id: Value,
        source: String,
        byte: usize,
    },
    Completeness {
        #[serde(default)]
        id: Value,
        source: String,
    },
    Line {
        text: Option<String>,
    },
}

/// The program.
pub fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(2).collect();
    let toolkit = match words.as_slice() {
        [] => beside(),
        [flag, dir] if flag == "--toolkit" => PathBuf::from(dir),
        [word, build, into] if word == "assemble" => {
            return match Toolkit::assemble(build.as_ref(), into.as_ref()) {
                Ok(_) => ExitCode::SUCCESS,
                Err(error) => {
                    say(&json!({ "ready": false, "message": error.to_string(), "help": error.help() }));
                    ExitCode::FAILURE
                }
            };
        }
        _ => {
            say(&json!({ "ready": false, "message": "wrong usage", "help": "roborm-kernel engine [--toolkit DIR]" }));
            return ExitCode::from(2);
        }
    };
    // The first thread has the stack that the system gives it.
    let cells = std::thread::Builder::new().name("cells".to_owned()).stack_size(STACK).spawn(move || serve(&toolkit));
    match cells {
        Ok(cells) => cells.join().unwrap_or(ExitCode::FAILURE),
        Err(error) => {
            say(&json!({ "ready": false, "message": format!("cannot start a thread: {error}"), "help": null }));
            ExitCode::FAILURE
        }
    }
}

/// Answers until nobody asks any more.
fn serve(toolkit: &Path) -> ExitCode {
    let waiting: Arc<Mutex<Option<InputReply>>> = Arc::default();
    let input = Arc::clone(&waiting);
    let started = Toolkit::open(toolkit).and_then(|toolkit| Engine::start(&toolkit, move |event| tell(event, &input)));
    let mut engine = match started {
        Ok(engine) => engine,
        Err(error) => {
            say(&json!({ "ready": false, "message": error.to_string(), "help": error.help() }));
            return ExitCode::FAILURE;
        }
    };
    say(&json!({ "ready": true }));
    let (interrupter, assistant) = (engine.interrupter(), engine.assistant());
    let (cells, todo) = channel::<Ask>();
    let listener = std::thread::Builder::new()
        .name("questions".to_owned())
        .stack_size(STACK)
        .spawn(move || listen(&interrupter, &assistant, &cells, &waiting));
    if listener.is_err() {
        return ExitCode::FAILURE;
    }
    for ask in todo {
        match ask {
            Ask::Run { id, source, columns } => {
                engine.set_columns(columns);
                say(&outcome(&id, engine.run(&source)));
            }
            Ask::Variables { id } => say(&json!({ "id": id, "variables": engine.variables() })),
            _ => {}
        }
    }
    drop(listener);
    ExitCode::SUCCESS
}

/// The toolkit that this program stands in: `TOOLKIT/bin/roborm-kernel`.
fn beside() -> PathBuf {
    let program = std::env::current_exe().unwrap_or_default();
    program.ancestors().nth(2).map_or_else(PathBuf::new, PathBuf::from)
}

fn listen(interrupter: &Interrupter, assistant: &Assistant, cells: &Sender<Ask>, waiting: &Mutex<Option<InputReply>>) {
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        if line.trim().is_empty() {
            continue;
        }
        match serde_json::from_str(&line) {
            Ok(ask @ (Ask::Run { .. } | Ask::Variables { .. })) => {
                if cells.send(ask).is_err() {
                    return;
                }
            }
            Ok(Ask::Interrupt { id }) => {
                drop(take(waiting));
                interrupter.interrupt();
                say(&json!({ "id": id, "done": true }));
            }
            Ok(Ask::Complete { id, source, byte }) => {
                let found = assistant.complete(&source, byte);
                let items: Vec<Value> = found
                    .items
                    .iter()
                    .map(|item| json!({ "text": item.text, "label": item.label, "kind": item.kind }))
                    .collect();
                say(&json!({ "id": id, "start": found.start, "end": found.end, "items": items }));
            }
            Ok(Ask::Inspect { id, source, byte }) => {
                let found = assistant.inspect(&source, byte);
                let found = found.map(|it| json!({ "plain": it.plain, "markdown": it.markdown }));
                say(&json!({ "id": id, "found": found }));
            }
            Ok(Ask::Completeness { id, source }) => say(&match completeness(&source) {
                Completeness::Complete => json!({ "id": id, "completeness": "complete" }),
                Completeness::Incomplete { indent } => {
                    json!({ "id": id, "completeness": "incomplete", "indent": indent })
                }
                Completeness::Invalid => json!({ "id": id, "completeness": "invalid" }),
            }),
            Ok(Ask::Line { text }) => {
                if let (Some(reply), Some(text)) = (take(waiting), text) {
                    // A cell that is gone wants no line.
                    let _ = reply.0.send(text);
                }
            }
            Err(error) => say(&json!({ "error": format!("a line that is none of the questions: {error}") })),
        }
    }
    // Nobody is left: what runs is stopped, and the engine goes.
    interrupter.interrupt();
}

fn take(waiting: &Mutex<Option<InputReply>>) -> Option<InputReply> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner).take()
}

fn outcome(id: &Value, outcome: Outcome) -> Value {
    match outcome {
        Outcome::Done(value) => json!({ "id": id, "outcome": "done", "value": value }),
        Outcome::Failed(failure) => json!({
            "id": id, "outcome": "failed",
            "name": failure.name, "message": failure.message, "traceback": failure.traceback,
        }),
    }
}

fn tell(event: Event, waiting: &Mutex<Option<InputReply>>) {
    say(&match event {
        Event::Stdout(text) => json!({ "event": "stdout", "text": text }),
        Event::Stderr(text) => json!({ "event": "stderr", "text": text }),
        Event::Display { id, update, bundle } => json!({
            "event": "display", "display": id, "update": update, "data": bundle.data, "metadata": bundle.metadata,
        }),
        Event::Input { prompt, password, reply } => {
            *waiting.lock().unwrap_or_else(PoisonError::into_inner) = Some(reply);
            json!({ "event": "input", "prompt": prompt, "password": password })
        }
    });
}

fn say(line: &Value) {
    let mut out = io::stdout().lock();
    // Whoever asked is gone where this fails; the end of the input ends the program.
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}
