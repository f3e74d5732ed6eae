//! The worker of local checkpoints: asked on standard input, answers on standard output (see `roborm_wire::local`).

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use roborm_local::checkpoint::Dtype;
use roborm_local::engine::{Engine, Event, Opened, Question, device, look};
use roborm_local::sentence::SentenceModel;
use roborm_local::{Error, Result};
use roborm_wire::end_with_parent;
use roborm_wire::local::{Ask, Check, Embed, Load, PROTOCOL, Say, Score, receive, send};

fn main() -> ExitCode {
    let asked = std::env::args().nth(1);
    if asked.is_some() {
        let _ = writeln!(
            io::stderr(),
            "roborm-local: a worker of roborm, protocol {PROTOCOL}, started by `--model local:DIR`; it takes no arguments"
        );
        return ExitCode::from(2);
    }
    if end_with_parent().is_err() {
        return ExitCode::FAILURE;
    }
    // What libtorch throws comes as a panic and goes as an error: its trace is no news for the user.
    std::panic::set_hook(Box::new(|_| {}));
    let Ok(output) = answers() else { return ExitCode::FAILURE };
    let mut worker = Worker { engine: None, key: None, sentences: None, output: BufWriter::new(output) };
    let mut input = BufReader::with_capacity(1 << 20, io::stdin().lock());
    loop {
        match receive::<Ask>(&mut input) {
            Ok(Some((ask, body))) => {
                if worker.take(ask, &body).is_err() {
                    return ExitCode::FAILURE;
                }
            }
            Ok(None) => return ExitCode::SUCCESS,
            Err(_) => return ExitCode::FAILURE,
        }
    }
}

/// Standard output under another number, and standard error in its place: whatever a library prints must not fall among
/// the messages.
fn answers() -> io::Result<File> {
    let kept = rustix::io::dup(io::stdout())?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok(File::from(kept))
}

struct Worker {
    engine: Option<Engine>,
    /// The key of the frames that the engine has seen.
    key: Option<u64>,
    /// The encoder of sentences that was used last, with its folder.
    sentences: Option<(String, SentenceModel)>,
    output: BufWriter<File>,
}

impl Worker {
    fn take(&mut self, ask: Ask, body: &[u8]) -> io::Result<()> {
        let result = match ask {
            Ask::Look => Ok(Say::Found(look())),
            Ask::Check(check) => self.check(&check),
            Ask::Load(load) => self.load(&load),
            Ask::Score(score) => self.score(&score, body),
            Ask::Embed(embed) => self.embed(&embed),
        };
        let say = result.unwrap_or_else(|error| Say::Failed(error.into()));
        send(&mut self.output, &say, &[])
    }

    fn embed(&mut self, embed: &Embed) -> Result<Say> {
        threads(embed.threads);
        if self.sentences.as_ref().is_none_or(|(folder, _)| *folder != embed.folder) {
            self.sentences = None;
            self.sentences = Some((embed.folder.clone(), SentenceModel::load(Path::new(&embed.folder))?));
        }
        let (_, model) = self.sentences.as_ref().ok_or_else(|| Error::internal("no encoder is loaded"))?;
        Ok(Say::Embedded { vectors: model.embed(&embed.texts)? })
    }

    fn check(&mut self, check: &Check) -> Result<Say> {
        let start = Instant::now();
        let opened = open(&check.load)?;
        if check.numbers {
            let mut lively = Lively::new(&mut self.output);
            opened.check_numbers(&mut |stage| lively.alive(stage))?;
        }
        Ok(Say::Ready(opened.ready(start.elapsed().as_secs_f64())))
    }

    fn load(&mut self, load: &Load) -> Result<Say> {
        // The old one first: two would seldom fit.
        self.engine = None;
        self.key = None;
        let start = Instant::now();
        let opened = open(load)?;
        let mut lively = Lively::new(&mut self.output);
        let engine = opened.load(&mut |stage| lively.alive(stage))?;
        let ready = engine.ready(start.elapsed().as_secs_f64());
        self.engine = Some(engine);
        Ok(Say::Ready(ready))
    }

    fn score(&mut self, score: &Score, body: &[u8]) -> Result<Say> {
        let engine = self.engine.as_mut().ok_or_else(|| Error::internal("no checkpoint is loaded"))?;
        let mut lively = Lively::new(&mut self.output);
        match &score.clip {
            Some(clip) => {
                self.key = None;
                engine.see(clip, body)?;
                self.key = Some(score.key);
            }
            None if self.key == Some(score.key) => {}
            None => return Err(Error::internal("the frames of this trajectory are not here")),
        }
        let question = Question {
            texts: &score.texts,
            text_first: score.text_first,
            max_tokens: score.max_tokens,
            batch: score.batch,
            forced: &[],
        };
        let mut broken = None;
        let notes = engine.score(&question, &mut |event| {
            let say = match event {
                Event::Alive(stage) => return lively.alive(&stage),
                Event::Answer(answer) => Say::Answer(answer),
                Event::Refused(index, error) => Say::Refused { index, why: error.into() },
                // Told only where tokens are forced.
                Event::Logits(..) => return,
            };
            if let Err(error) = send(lively.output, &say, &[]) {
                broken = Some(error);
            }
        })?;
        match broken {
            Some(error) => Err(Error::internal(format!("the answer cannot be sent: {error}"))),
            None => Ok(Say::Done { notes }),
        }
    }
}

fn threads(wanted: Option<usize>) {
    if let Some(threads) = wanted.and_then(|threads| i32::try_from(threads).ok()) {
        tch::set_num_threads(threads.max(1));
    }
}

/// A checkpoint as it is asked for, nothing of it loaded yet.
fn open(load: &Load) -> Result<Opened> {
    threads(load.threads);
    let dtype = match load.dtype.as_str() {
        "stored" => None,
        "f32" => Some(Dtype::F32),
        "f16" => Some(Dtype::F16),
        "bf16" => Some(Dtype::Bf16),
        other => {
            return Err(Error::setup(format!("the type '{other}' is not known")).with_help("stored, f32, f16 or bf16"));
        }
    };
    Opened::open(Path::new(&load.folder), device(&load.device)?, dtype, &load.video)
}

/// Says that the work goes on, but not more often than is of use.
struct Lively<'a> {
    output: &'a mut BufWriter<File>,
    last: Instant,
}

impl<'a> Lively<'a> {
    fn new(output: &'a mut BufWriter<File>) -> Self {
        Self { output, last: Instant::now() }
    }

    fn alive(&mut self, stage: &str) {
        if self.last.elapsed().as_millis() >= 250 {
            self.last = Instant::now();
            // Where nobody listens any more, the next answer finds out.
            let _ = send(self.output, &Say::Alive(stage.to_owned()), &[]);
        }
    }
}
