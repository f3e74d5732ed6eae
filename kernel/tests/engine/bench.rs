//! An engine and what it told.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use roborm_kernel::engine::{Bundle, Engine, Event, Failure, InputReply, Interrupter, Outcome};
use roborm_kernel::toolkit::Toolkit;

/// The toolkit of all tests of this run.
pub fn toolkit() -> &'static Toolkit {
    static TOOLKIT: OnceLock<(Toolkit, File)> = OnceLock::new();
    let (toolkit, _) = TOOLKIT.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("toolkit of tests é");
        // Another run in this build's folder would take it apart under this one: the later waits for the end of the earlier.
        let lock = File::create(folder.with_extension("lock")).unwrap();
        lock.lock().unwrap();
        let toolkit = Toolkit::assemble(&build(), &folder);
        (toolkit.unwrap_or_else(|error| panic!("{error}; help: {:?}", error.help())), lock)
    });
    toolkit
}

/// The build's folder.
pub fn build() -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_roborm-kernel")).parent().unwrap().to_owned()
}

/// What was told, in one line each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    Out(String),
    Err(String),
    /// The plain text of what was shown; whether it replaced something.
    Shown(String, bool),
}

/// A display: its identifier, whether it replaced another, its forms.
pub type Shown = (Option<String>, bool, Bundle);

pub struct Bench {
    pub engine: Engine,
    told: Arc<Mutex<Vec<Told>>>,
    pub bundles: Arc<Mutex<Vec<Shown>>>,
}

impl Bench {
    pub fn new() -> Self {
        Self::with_line("an answer")
    }

    /// One where whoever asks is interrupted, and gets no line.
    pub fn with_interrupts() -> (Self, Arc<OnceLock<Interrupter>>) {
        let interrupter: Arc<OnceLock<Interrupter>> = Arc::default();
        let of_answer = Arc::clone(&interrupter);
        let bench = Self::with_answer(move |reply| {
            of_answer.get().expect("it is set before a cell asks").interrupt();
            drop(reply);
        });
        (bench, interrupter)
    }

    /// One where whoever asks gets this line.
    pub fn with_line(line: &'static str) -> Self {
        Self::with_answer(move |reply| reply.0.send(line.to_owned()).unwrap())
    }

    fn with_answer(answer: impl Fn(InputReply) + Send + Sync + 'static) -> Self {
        let told: Arc<Mutex<Vec<Told>>> = Arc::default();
        let bundles: Arc<Mutex<Vec<_>>> = Arc::default();
        let (telling, showing) = (Arc::clone(&told), Arc::clone(&bundles));
        let engine = Engine::start(toolkit(), move |event| {
            let mut told = telling.lock().unwrap();
            match (event, told.last_mut()) {
                // Pieces of any size: what follows is joined.
                (Event::Stdout(text), Some(Told::Out(last))) => last.push_str(&text),
                (Event::Stderr(text), Some(Told::Err(last))) => last.push_str(&text),
                (Event::Stdout(text), _) => told.push(Told::Out(text)),
                (Event::Stderr(text), _) => told.push(Told::Err(text)),
                (Event::Display { id, update, bundle }, _) => {
                    told.push(Told::Shown(plain(&bundle), update));
                    showing.lock().unwrap().push((id, update, bundle));
                }
                (Event::Input { reply, .. }, _) => answer(reply),
            }
        })
        .unwrap_or_else(|error| panic!("{error}; help: {:?}", error.help()));
        Self { engine, told, bundles }
    }

    /// Runs a cell that must come to its end; its value as plain text.
    pub fn value(&mut self, source: &str) -> String {
        match self.engine.run(source) {
            Outcome::Done(Some(bundle)) => plain(&bundle),
            Outcome::Done(None) => String::new(),
            Outcome::Failed(failure) => panic!("{source}: {}\n{:?}", failure.traceback.join("\n"), self.told()),
        }
    }

    /// Runs a cell that must come to its end; its value in all its forms.
    pub fn bundle(&mut self, source: &str) -> Bundle {
        match self.engine.run(source) {
            Outcome::Done(bundle) => bundle.unwrap_or_else(|| panic!("{source}: no value")),
            Outcome::Failed(failure) => panic!("{source}: {}\n{:?}", failure.traceback.join("\n"), self.told()),
        }
    }

    /// Runs a cell that must fail.
    pub fn failure(&mut self, source: &str) -> Failure {
        match self.engine.run(source) {
            Outcome::Done(value) => panic!("{source}: did not fail but came to {value:?}"),
            Outcome::Failed(failure) => failure,
        }
    }

    /// What was told since the last time.
    pub fn told(&self) -> Vec<Told> {
        std::mem::take(&mut *self.told.lock().unwrap())
    }
}

pub fn plain(bundle: &Bundle) -> String {
    bundle.data.get("text/plain").and_then(|text| text.as_str()).unwrap_or_default().to_owned()
}

/// All of a failure, without colours.
pub fn text(failure: &Failure) -> String {
    let all = failure.traceback.join("\n");
    let mut text = String::new();
    let mut rest = all.as_str();
    while let Some(at) = rest.find('\u{1b}') {
        text.push_str(&rest[..at]);
        rest = rest[at..].split_once('m').map_or("", |(_, rest)| rest);
    }
    text + rest
}
