//! The engine's process, and what is said to it and by it.

use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use roborm::command::Current;
use roborm::display::Terminal;
use roborm::{Error, Result};
use serde_json::{Value, json};

use super::{Ended, Handed, Show, gone};
use crate::speak;

/// Lines of the engine's own complaints that are kept.
const KEPT: usize = 20;

/// A running engine.
pub struct Link {
    input: Mutex<ChildStdin>,
    heard: Arc<Heard>,
    next: AtomicU64,
    /// The process that ran the last cell.
    cells: Mutex<Option<u32>>,
}

/// What the engine says, as far as somebody waits for it.
#[derive(Default)]
struct Heard {
    standing: Mutex<Standing>,
    changed: Condvar,
    asked: Mutex<HashMap<u64, Sender<Value>>>,
    /// Questions that were not answered in time.
    owed: Mutex<HashSet<u64>>,
    /// Whoever waits for the cell that runs.
    cell: Mutex<Option<Sender<Value>>>,
    complaints: Mutex<Vec<String>>,
}

#[derive(Default)]
struct Standing {
    /// Ready, or why not.
    ready: Option<Result<()>>,
    gone: bool,
    /// Whoever waited for it does so no more.
    given_up: bool,
}

impl Link {
    /// Starts the program. It is not waited for.
    pub fn start(program: &Path) -> Result<Arc<Self>> {
        let refused = |error: std::io::Error| Error::io(format!("cannot start {}", program.display()), &error);
        let mut child = Command::new(program)
            .arg("engine")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Ctrl-C is told to it, not sent: it knows what to stop, and how.
            .process_group(0)
            .spawn()
            .map_err(refused)?;
        let (Some(input), Some(output), Some(complaints)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(Error::worker("the engine has no streams"));
        };
        let heard = Arc::<Heard>::default();
        let start = |name: &str, work: Box<dyn FnOnce() + Send>| {
            thread::Builder::new().name(name.to_owned()).spawn(work).map(drop).map_err(refused)
        };
        let listener = Arc::clone(&heard);
        start("roborm-engine", Box::new(move || listener.listen(output, child)))?;
        let listener = Arc::clone(&heard);
        start("roborm-complaints", Box::new(move || listener.keep(complaints)))?;
        let link = Self { input: Mutex::new(input), heard, next: AtomicU64::new(1), cells: Mutex::default() };
        Ok(Arc::new(link))
    }

    pub fn is_ready(&self) -> bool {
        let standing = hold(&self.heard.standing);
        !standing.gone && matches!(standing.ready, Some(Ok(())))
    }

    pub fn is_gone(&self) -> bool {
        hold(&self.heard.standing).gone
    }

    /// Waits until it can run something, or cannot, or Ctrl-C is pressed.
    pub fn wait_ready(&self) -> Result<()> {
        let mut standing = hold(&self.heard.standing);
        standing.given_up = false;
        while standing.ready.is_none() && !standing.given_up {
            standing = self.heard.changed.wait(standing).unwrap_or_else(PoisonError::into_inner);
        }
        match &standing.ready {
            Some(ready) => ready.clone(),
            None => Err(Error::interrupted("interrupted; the engine for Rust is still being started")),
        }
    }

    /// Stops what runs, or whoever waits for the engine to be ready.
    pub fn interrupt(&self) {
        {
            let mut standing = hold(&self.heard.standing);
            standing.given_up = true;
            self.heard.changed.notify_all();
        }
        // An engine that is gone runs nothing.
        let _ = self.say(&json!({ "ask": "interrupt" }));
    }

    /// Asks, and waits so long for the answer.
    pub fn ask(&self, mut question: Value, patience: Duration) -> Option<Value> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, answer) = mpsc::channel();
        hold(&self.heard.asked).insert(id, sender);
        question["id"] = id.into();
        let answer = self.say(&question).ok().and_then(|()| answer.recv_timeout(patience).ok());
        let mut asked = hold(&self.heard.asked);
        if asked.remove(&id).is_some() {
            hold(&self.heard.owed).insert(id);
        }
        answer
    }

    /// Whether an answer is still to come that nobody waits for any more: it would be no faster with the next.
    pub fn owes(&self) -> bool {
        !hold(&self.heard.owed).is_empty()
    }

    /// Runs a source on what is `current`, and takes over what it changed there.
    pub fn share(&self, source: &str, current: &Current, show: &mut Show<'_>) -> Result<Ended> {
        // For so long only: a terminal that is closed takes the program with it, at any time.
        let folder = tempfile::Builder::new()
            .prefix("roborm-prompt-")
            .tempdir()
            .map_err(|error| Error::io("cannot make a folder for temporary files", &error))?;
        let folder = folder.path();
        if hold(&self.cells).is_none() {
            self.take_over(current, folder);
        }
        if current.hand_over(folder)?
            && let Ended::Failed { message, .. } = self.run(&about("take-over", folder), &mut Show::nothing())?
        {
            // Told once: what is open here is not handed over again before it changes.
            speak::complain(&format!("note: data() and scores() are not what is open here: {message}"));
        }
        let ended = self.run(source, show)?;
        self.take_over(current, folder);
        Ok(ended)
    }

    /// What commands take for these variables.
    pub fn hand(&self, names: &[String], folder: &Path) -> Result<Handed> {
        let line = format!("{} {}", about("hand-variables", folder), names.join(" "));
        let ended = self.run(&line, &mut Show::nothing())?;
        if let Ended::Failed { .. } = ended {
            return Ok(Handed::Failed(ended));
        }
        let file = folder.join("words.json");
        let unread = |error: &dyn std::fmt::Display| Error::worker(format!("the engine handed over nothing: {error}"));
        let text = std::fs::read(&file).map_err(|error| unread(&error))?;
        serde_json::from_slice(&text).map(Handed::Words).map_err(|error| unread(&error))
    }

    /// Takes over what cells changed. Where that cannot be done it stays where it is: in the process that runs them.
    fn take_over(&self, current: &Current, folder: &Path) {
        if !matches!(self.run(&about("hand-over", folder), &mut Show::nothing()), Ok(Ended::Done(_))) {
            return;
        }
        let process = match current.take_over(folder) {
            Ok(process) => process,
            Err(error) => {
                return speak::complain(&format!("note: what cells opened or kept is not open here: {error}"));
            }
        };
        let before = std::mem::replace(&mut *hold(&self.cells), process);
        if before.is_some() && before != process {
            // The one before died, and what it had with it.
            current.forget_handed();
        }
    }

    /// Runs a source.
    fn run(&self, source: &str, show: &mut Show<'_>) -> Result<Ended> {
        let (sender, events) = mpsc::channel();
        *hold(&self.heard.cell) = Some(sender);
        let gone = || gone(&hold(&self.heard.complaints).join("\n"));
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        // As the terminal is now: its window may have changed.
        let columns = Terminal::stdout().width();
        self.say(&json!({ "id": id, "ask": "run", "source": source, "columns": columns })).map_err(|_| gone())?;
        loop {
            let said = events.recv().map_err(|_| gone())?;
            match said["outcome"].as_str() {
                Some("done") => {
                    show.value(&said["value"]);
                    return Ok(Ended::Done(show.status()));
                }
                Some(_) => {
                    show.end();
                    let lines = said["traceback"].as_array().into_iter().flatten().filter_map(Value::as_str);
                    return Ok(Ended::Failed {
                        status: if said["name"] == "Interrupted" { 130 } else { 1 },
                        message: said["message"].as_str().unwrap_or_default().to_owned(),
                        traceback: lines.flat_map(str::lines).map(str::to_owned).collect(),
                    });
                }
                None if said["event"] == "input" => {
                    let text = show.ask(&said, &|| hold(&self.heard.standing).given_up);
                    self.say(&json!({ "ask": "line", "text": text })).map_err(|_| gone())?;
                }
                None => show.event(&said),
            }
        }
    }

    fn say(&self, line: &Value) -> std::io::Result<()> {
        let mut input = hold(&self.input);
        writeln!(input, "{line}").and_then(|()| input.flush())
    }
}

impl Heard {
    /// Hears what the engine says until it is gone.
    fn listen(&self, output: ChildStdout, mut child: Child) {
        for line in BufReader::new(output).lines() {
            let Ok(line) = line else { break };
            // What is no JSON is not for us.
            let Ok(said) = serde_json::from_str::<Value>(&line) else { continue };
            self.hear(said);
        }
        let mut standing = hold(&self.standing);
        standing.gone = true;
        let why = || Error::worker("the engine for Rust could not be started");
        standing.ready.get_or_insert_with(|| Err(why()));
        drop(standing);
        self.changed.notify_all();
        hold(&self.asked).clear();
        *hold(&self.cell) = None;
        // It is waited for, so that it leaves nothing behind.
        let _ = child.wait();
    }

    fn hear(&self, said: Value) {
        if let Some(ready) = said["ready"].as_bool() {
            let text = |name: &str| said[name].as_str().unwrap_or_default().to_owned();
            let ready = if ready { Ok(()) } else { Err(Error::worker(text("message")).with_help(text("help"))) };
            hold(&self.standing).ready = Some(ready);
            self.changed.notify_all();
        } else if said.get("event").is_some() || said.get("outcome").is_some() {
            if let Some(cell) = &*hold(&self.cell) {
                // A cell that nobody waits for tells nobody.
                let _ = cell.send(said);
            }
        } else if let Some(id) = said["id"].as_u64() {
            let mut asked = hold(&self.asked);
            match asked.remove(&id) {
                // Whoever asked may be gone.
                Some(asker) => drop(asker.send(said)),
                None => drop(hold(&self.owed).remove(&id)),
            }
        }
    }

    /// Keeps the last of what the engine complains of.
    fn keep(&self, complaints: ChildStderr) {
        for line in BufReader::new(complaints).lines().map_while(std::result::Result::ok) {
            let mut kept = hold(&self.complaints);
            if kept.len() == KEPT {
                kept.remove(0);
            }
            kept.push(line);
        }
    }
}

fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Every change is one assignment: a thread that died in between leaves nothing half done.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A command about a folder.
fn about(verb: &str, folder: &Path) -> String {
    let folder = folder.display().to_string();
    // It is ours: it holds no NUL.
    let folder = shlex::try_quote(&folder).map_or_else(|_| folder.clone(), |quoted| quoted.into_owned());
    format!(":{verb} {folder}")
}
