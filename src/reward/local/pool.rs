//! Workers, one a device, and the questions that wait for them.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use roborm_wire::local::{Answer, Ask, Clip, Failed, FailedKind, Load, Say, Score};
use tokio::sync::oneshot;

use super::tally::Tally;
use super::{Times, place};
use crate::Result;
use crate::frames::Frames;
use crate::local::{Broken, Worker};
use crate::reward::{Fault, FaultKind};

/// One question: instructions of one trajectory.
pub(super) struct Job {
    pub(super) trajectory: String,
    pub(super) frames: Arc<Frames>,
    pub(super) texts: Vec<String>,
    pub(super) text_first: bool,
    pub(super) reply: oneshot::Sender<Vec<Result<Scored, Fault>>>,
}

/// An answer to an instruction.
#[derive(Clone)]
pub(super) struct Scored {
    pub(super) answer: Answer,
    /// The probabilities of the answers 1 to 5 where the score stands.
    pub(super) shares: Option<[f64; 5]>,
    /// From the question to this answer: what was asked together has one latency, as it has one wait.
    pub(super) latency_ms: f64,
}

/// Workers and what waits for them.
pub(super) struct Pool {
    shared: Arc<Shared>,
}

struct Shared {
    queue: Mutex<Queue>,
    news: Condvar,
    tally: Mutex<Tally>,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    closed: bool,
}

/// How the workers of a pool are started.
#[derive(Clone)]
pub(super) struct Setup {
    pub(super) program: PathBuf,
    /// All but the device.
    pub(super) load: Load,
    pub(super) times: Times,
    pub(super) max_tokens: usize,
    pub(super) silence: Duration,
    /// What to do where a worker ends while it loads.
    pub(super) relief: String,
}

impl Pool {
    /// A thread a device; its worker starts and loads at the first question.
    pub(super) fn new(devices: &[String], setup: &Setup) -> Self {
        let shared = Arc::new(Shared {
            queue: Mutex::new(Queue::default()),
            news: Condvar::new(),
            tally: Mutex::new(Tally::default()),
        });
        for device in devices {
            let load = Load { device: device.clone(), ..setup.load.clone() };
            let mut place = Place {
                setup: Setup { load, ..setup.clone() },
                shared: shared.clone(),
                worker: None,
                seen: None,
                key: 0,
                batch: None,
            };
            thread::spawn(move || place.work());
        }
        Self { shared }
    }

    pub(super) fn ask(&self, job: Job) {
        lock(&self.shared.queue).jobs.push_back(job);
        self.shared.news.notify_one();
    }

    /// So many prompts hold what begins a mark of the chat.
    pub(super) fn marked(&self, count: u64) {
        lock(&self.shared.tally).marked(count);
    }

    pub(super) fn tally(&self) -> Tally {
        lock(&self.shared.tally).clone()
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        lock(&self.shared.queue).closed = true;
        self.shared.news.notify_all();
    }
}

/// A lock whose holder panicked is still good: nothing is left half done under these.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One device with its worker.
struct Place {
    setup: Setup,
    shared: Arc<Shared>,
    worker: Option<Worker>,
    /// The frames that the worker holds. Kept, so that another trajectory's cannot come to lie at the same address.
    seen: Option<Arc<Frames>>,
    key: u64,
    /// Instructions at a time, at most, once the worker has ended on more and gone on with so many.
    batch: Option<usize>,
}

impl Place {
    fn work(&mut self) {
        while let Some(job) = self.next() {
            // Nobody waits any more: the study was stopped.
            if job.reply.is_closed() {
                continue;
            }
            let answers = self.answer(&job);
            let _ = job.reply.send(answers);
        }
    }

    /// The next question, one about the frames at hand first.
    fn next(&self) -> Option<Job> {
        let mut queue = lock(&self.shared.queue);
        loop {
            if queue.closed {
                return None;
            }
            let here = |job: &Job| self.seen.as_ref().is_some_and(|seen| Arc::ptr_eq(seen, &job.frames));
            let place = queue.jobs.iter().position(here).unwrap_or(0);
            if let Some(job) = queue.jobs.remove(place) {
                return Some(job);
            }
            queue = self.shared.news.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Answers in the order of the texts. A worker that ends on the way is started again with half as many instructions
    /// at a time, down to one. The one that it ends on then is asked once more, since what ended it may have been somebody
    /// else; where it ends on it again, that one is given up, and after two in a row the rest as well.
    fn answer(&mut self, job: &Job) -> Vec<Result<Scored, Fault>> {
        let mut answers: Vec<Option<Result<Scored, Fault>>> = vec![None; job.texts.len()];
        let mut batch = self.batch;
        // The one that it ended on when asked alone, and how many were given up since the last answer.
        let (mut ended_on, mut given_up) = (None, 0);
        let mut any_given_up = false;
        loop {
            let left = unanswered(&answers);
            if left.is_empty() {
                break;
            }
            let fault = match self.try_answer(job, &left, batch, &mut answers) {
                Ok(()) => Fault::new(FaultKind::Refused, "the worker gave no answer"),
                Err(Broken::Failed(failed)) => fault(&failed),
                Err(Broken::Gone(how)) => {
                    self.worker = None;
                    self.seen = None;
                    let tried = batch.unwrap_or(left.len()).min(left.len());
                    let how = format!("the worker of local checkpoints {how}");
                    if tried > 1 {
                        batch = Some(tried / 2);
                        let less = match tried / 2 {
                            1 => "one instruction".to_owned(),
                            n => format!("{n} instructions"),
                        };
                        self.note(format!("{}: {how}; started again with {less} at a time", job.trajectory));
                        continue;
                    }
                    let still = unanswered(&answers);
                    let first = still.first().copied();
                    if still.len() < left.len() {
                        given_up = 0;
                    }
                    if ended_on != first {
                        ended_on = first;
                        self.note(format!("{}: {how}; started again, and asked once more", job.trajectory));
                        continue;
                    }
                    any_given_up = true;
                    given_up += 1;
                    let fault = Fault::new(FaultKind::Passing, format!("{how}, twice"));
                    if let (1, Some(first)) = (given_up, first) {
                        answers[first] = Some(Err(fault));
                        continue;
                    }
                    fault
                }
            };
            for index in unanswered(&answers) {
                answers[index] = Some(Err(fault.clone()));
            }
        }
        // What ends on one alone ends by that one, and not by how many there are: the next are asked as ever.
        if !any_given_up {
            self.batch = batch;
        }
        answers.into_iter().flatten().collect()
    }

    fn note(&self, note: String) {
        lock(&self.shared.tally).trouble(note);
    }

    fn try_answer(
        &mut self,
        job: &Job,
        left: &[usize],
        batch: Option<usize>,
        answers: &mut [Option<Result<Scored, Fault>>],
    ) -> Result<(), Broken> {
        let times = self.setup.times;
        let max_tokens = self.setup.max_tokens;
        self.ready()?;
        let known = self.seen.as_ref().is_some_and(|seen| Arc::ptr_eq(seen, &job.frames));
        let (clip, pixels) = if known {
            (None, Vec::new())
        } else {
            self.seen = None;
            self.key += 1;
            let (clip, pixels) = clip(&job.frames, times)
                .map_err(|message| Broken::Failed(Failed { kind: FailedKind::Request, message, help: None }))?;
            (Some(clip), pixels)
        };
        let ask = Ask::Score(Score {
            key: self.key,
            clip,
            texts: left.iter().filter_map(|&index| job.texts.get(index).cloned()).collect(),
            text_first: job.text_first,
            max_tokens,
            batch,
        });
        let Some(worker) = &mut self.worker else { return Err(Broken::Gone("is gone".into())) };
        let start = Instant::now();
        let tally = &self.shared.tally;
        let mut put = |index: usize, answer: Result<Scored, Fault>| {
            if let Some(slot) = left.get(index).and_then(|&index| answers.get_mut(index)) {
                *slot = Some(answer);
            }
        };
        let result = worker.ask(&ask, &pixels, |say| match say {
            Say::Answer(answer) => {
                let latency_ms = start.elapsed().as_secs_f64() * 1e3;
                let shares = place::shares(&answer);
                lock(tally).answered(&answer, shares.is_some());
                put(answer.index, Ok(Scored { answer, shares, latency_ms }));
            }
            Say::Refused { index, why } => put(index, Err(fault(&why))),
            Say::Done { notes: new } => {
                let mut tally = lock(tally);
                new.into_iter().for_each(|note| tally.trouble(format!("{}: {note}", job.trajectory)));
            }
            _ => {}
        });
        // Where the frames themselves were refused, the worker has forgotten them.
        self.seen = result.is_ok().then(|| job.frames.clone());
        result
    }

    /// A worker with the checkpoint loaded.
    fn ready(&mut self) -> Result<(), Broken> {
        if self.worker.is_some() {
            return Ok(());
        }
        let gone = |error: crate::Error| {
            Broken::Failed(Failed {
                kind: FailedKind::Setup,
                message: error.to_string(),
                help: error.help().map(str::to_owned),
            })
        };
        let mut again = false;
        loop {
            let mut worker = Worker::start(&self.setup.program, self.setup.silence).map_err(gone)?;
            worker.look().map_err(gone)?;
            match worker.load(self.setup.load.clone()) {
                Ok(_) => {
                    self.worker = Some(worker);
                    return Ok(());
                }
                // What ended it may have been another program's hunger, and be over.
                Err(Broken::Gone(how)) if !again => {
                    again = true;
                    self.note(format!("the worker of local checkpoints {how}, while loading; started again"));
                }
                // It will do so again: not the trajectory's matter.
                Err(Broken::Gone(how)) => {
                    let folder = &self.setup.load.folder;
                    let message = format!("the worker of local checkpoints {how}, while loading {folder}, twice");
                    let help = Some(self.setup.relief.clone());
                    return Err(Broken::Failed(Failed { kind: FailedKind::Setup, message, help }));
                }
                Err(failed) => return Err(failed),
            }
        }
    }
}

/// The places without an answer, in the order in which the worker takes them.
fn unanswered(answers: &[Option<Result<Scored, Fault>>]) -> Vec<usize> {
    (0..answers.len()).filter(|&index| answers[index].is_none()).collect()
}

/// Whose it is, the study says. What memory did not suffice for may go through in the next run.
fn fault(failed: &Failed) -> Fault {
    let help = failed.help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
    let kind = match failed.kind {
        FailedKind::Setup => FaultKind::Fatal,
        FailedKind::Memory => FaultKind::Passing,
        FailedKind::Request | FailedKind::Internal => FaultKind::Refused,
    };
    Fault::new(kind, format!("{}{help}", failed.message))
}

/// The frames as the worker takes them.
fn clip(frames: &Frames, times: Times) -> Result<(Clip, Vec<u8>), String> {
    let frames = &frames.frames;
    let first = frames.first().ok_or("no frames to look at")?;
    if let Some(other) = frames.iter().find(|frame| (frame.width, frame.height) != (first.width, first.height)) {
        return Err(format!(
            "frames of different sizes ({} x {} and {} x {})",
            first.width, first.height, other.width, other.height
        ));
    }
    let seconds = frames.iter().enumerate().map(|(k, frame)| match times {
        Times::Own => frame.t_s,
        Times::Rate(rate) => k as f64 / rate,
    });
    let clip = Clip { width: first.width, height: first.height, times: seconds.collect() };
    let mut pixels = Vec::with_capacity(frames.len() * first.rgb.len());
    frames.iter().for_each(|frame| pixels.extend_from_slice(&frame.rgb));
    Ok((clip, pixels))
}
