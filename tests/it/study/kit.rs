//! A model, frames and a dataset for studies that need neither network nor video.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Weak};

use roborm::Result;
use roborm::dataset::{Label, Source, Trajectory};
use roborm::frames::{Encoding, Frame, Frames, ImageFormat};
use roborm::paraphrase::{Key, Paraphrase, Strategy};
use roborm::reward::{
    Call, Fault, FaultKind, Future, ImageNeeds, ModelConfig, Part, Price, Prompt, Reply, Request, RewardModel, Usage,
};
use roborm::study::{Counts, Event, Ledger, Outcome, ParaphrasesOf, Plan, PlanOptions, Progress, SampleFrames, Study};

pub const PROMPT: Prompt =
    Prompt { version: "test-1", before: "Task: ", after: "\nAnswer:", order: &[Part::Frames, Part::Text] };

/// A call as a model saw it: trajectory, instruction, repeat.
pub type Asked = (String, String, u32);

type OnSend = Box<dyn Fn(&Request) + Send + Sync>;
type Answer = Box<dyn Fn(&Request, &dyn Call) -> Result<Reply, Fault> + Send + Sync>;

/// A model that does what it is told and remembers what it was asked.
pub struct Fake {
    pub name: String,
    pub config: ModelConfig,
    pub encoded: bool,
    pub max_bytes: Option<usize>,
    /// Waits for leave to send, which never comes.
    pub waits: bool,
    pub concurrency: usize,
    pub batch: usize,
    pub alone: bool,
    pub price: Option<Price>,
    pub latency_ms: u64,
    pub found: Option<Reply>,
    /// Done when a call is sent; `answer`, when its reply is there.
    pub on_send: OnSend,
    pub answer: Answer,
    pub asked: Mutex<Vec<Asked>>,
    pub looked_up: Mutex<Vec<String>>,
    pub under_way: AtomicUsize,
    pub most_under_way: AtomicUsize,
    pub batches: Mutex<Vec<usize>>,
}

impl Fake {
    /// Answers at once, with a score that depends on the trajectory and the instruction.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            config: ModelConfig::new(serde_json::json!({ "model": name, "temperature": 1.0 })),
            encoded: true,
            max_bytes: None,
            waits: false,
            concurrency: 4,
            batch: 1,
            alone: false,
            price: None,
            latency_ms: 0,
            found: None,
            on_send: Box::new(|_| {}),
            answer: Box::new(|request, _| Ok(says(&score(&request.trajectory, &request.instruction).to_string()))),
            asked: Mutex::default(),
            looked_up: Mutex::default(),
            under_way: AtomicUsize::new(0),
            most_under_way: AtomicUsize::new(0),
            batches: Mutex::default(),
        }
    }

    pub fn answering(
        name: &str,
        answer: impl Fn(&Request, &dyn Call) -> Result<Reply, Fault> + Send + Sync + 'static,
    ) -> Self {
        Self { answer: Box::new(answer), ..Self::new(name) }
    }

    /// What was asked, sorted.
    pub fn asked(&self) -> Vec<Asked> {
        let mut asked = self.asked.lock().unwrap().clone();
        asked.sort();
        asked
    }
}

impl RewardModel for Fake {
    fn name(&self) -> &str {
        &self.name
    }

    fn config(&self) -> &ModelConfig {
        &self.config
    }

    fn image_needs(&self) -> ImageNeeds {
        let encoding = Encoding { format: ImageFormat::Png, max_side: None };
        ImageNeeds { encoding: self.encoded.then_some(encoding), max_images: Some(4), max_bytes: self.max_bytes }
    }

    fn prompt(&self) -> &Prompt {
        &PROMPT
    }

    fn price(&self) -> Option<Price> {
        self.price
    }

    fn batch_size(&self) -> usize {
        self.batch
    }

    fn waits_to_send(&self) -> bool {
        self.waits
    }

    fn first_call_alone(&self) -> bool {
        self.alone
    }

    fn concurrency(&self) -> usize {
        self.concurrency
    }

    fn ask<'a>(&'a self, request: &'a Request, call: &'a dyn Call) -> Future<'a, Result<Reply, Fault>> {
        Box::pin(async move {
            if self.waits {
                (self.on_send)(request);
                call.stopping().await;
                return Err(fault(FaultKind::Interrupted, "the study was stopped"));
            }
            call.before_send(1)?;
            let now = self.under_way.fetch_add(1, Ordering::SeqCst) + 1;
            self.most_under_way.fetch_max(now, Ordering::SeqCst);
            let asked = (request.trajectory.clone(), request.instruction.clone(), request.repeat);
            self.asked.lock().unwrap().push(asked);
            (self.on_send)(request);
            if self.latency_ms > 0 {
                tokio::time::sleep(std::time::Duration::from_millis(self.latency_ms)).await;
            }
            let reply = (self.answer)(request, call);
            self.under_way.fetch_sub(1, Ordering::SeqCst);
            reply
        })
    }

    fn ask_batch<'a>(
        &'a self,
        requests: &'a [Request],
        calls: &'a [&'a dyn Call],
    ) -> Future<'a, Vec<Result<Reply, Fault>>> {
        Box::pin(async move {
            self.batches.lock().unwrap().push(requests.len());
            assert!(requests.iter().all(|request| request.trajectory == requests[0].trajectory));
            let mut replies = Vec::new();
            for (request, call) in requests.iter().zip(calls) {
                replies.push(self.ask(request, *call).await);
            }
            replies
        })
    }

    fn look_up<'a>(&'a self, id: &'a str) -> Future<'a, Result<Option<Reply>, Fault>> {
        self.looked_up.lock().unwrap().push(id.to_owned());
        Box::pin(async { Ok(self.found.clone()) })
    }
}

pub fn says(text: &str) -> Reply {
    Reply { text: text.to_owned(), finish_reason: Some("stop".to_owned()), attempts: 1, ..Reply::default() }
}

pub fn costs(text: &str, dollars: f64) -> Reply {
    Reply { usage: Usage { cost_usd: Some(dollars), ..Usage::default() }, ..says(text) }
}

pub fn fault(kind: FaultKind, message: &str) -> Fault {
    Fault::new(kind, message)
}

/// From 1 to 5, by the text alone.
pub fn score(trajectory: &str, instruction: &str) -> u32 {
    trajectory.bytes().chain(instruction.bytes()).map(u32::from).sum::<u32>() % 5 + 1
}

/// Trajectories `t000`, `t001`, …, of three tasks and all labels.
pub fn trajectories(count: usize) -> Vec<Trajectory> {
    (0..count)
        .map(|n| Trajectory {
            id: format!("t{n:03}"),
            task: ["open the drawer", "press the button", "fold the towel"][n % 3].to_owned(),
            label: Some(Label::new(n as i64 % 5 + 1).unwrap()),
            duration_s: None,
            source: Source::Demo { scene: "none" },
        })
        .collect()
}

pub fn paraphrase(task: &str, strategy: &str, instruction: &str) -> Paraphrase {
    Paraphrase {
        key: Key::Task(task.to_owned()),
        strategy: Strategy::from(strategy),
        instruction: instruction.to_owned(),
        id: None,
        seed: None,
        verified: None,
        votes: None,
    }
}

/// So many paraphrases of every task, of three strategies.
pub fn paraphrases(each: usize) -> Vec<Paraphrase> {
    let tasks = ["open the drawer", "press the button", "fold the towel"];
    let strategies = ["lexical", "structural", "adversarial"];
    let of = |task: &str| {
        let wording = |n: usize| paraphrase(task, strategies[n % 3], &format!("{task}, wording {n}"));
        (0..each).map(wording).collect::<Vec<_>>()
    };
    tasks.iter().flat_map(|task| of(task)).collect()
}

/// A plan over trajectories with the paraphrases of their task.
pub fn plan_of<'a>(trajectories: &[Trajectory], paraphrases: &'a [Paraphrase], options: &PlanOptions) -> Result<Plan> {
    let of = move |trajectory: &Trajectory| {
        paraphrases.iter().filter(|one| one.key == Key::Task(trajectory.task.clone())).collect::<Vec<_>>()
    };
    let of: &ParaphrasesOf<'a> = &of;
    Plan::from_parts("test", trajectories, (!paraphrases.is_empty()).then_some(of), options)
}

/// `count` trajectories times the original and `each` paraphrases.
pub fn plan(count: usize, each: usize) -> Plan {
    plan_of(&trajectories(count), &paraphrases(each), &PlanOptions::default()).unwrap()
}

/// Six frames of 8 x 8 pixels that differ by trajectory.
pub fn frames(trajectory: &Trajectory) -> Frames {
    // The id itself is in the pixels, so that no two trajectories look the same.
    let frame = |n: u64| Frame {
        index: n,
        t_s: n as f64,
        file_index: n,
        file_t_s: n as f64,
        width: 8,
        height: 8,
        rgb: trajectory.id.bytes().chain([n as u8]).cycle().take(8 * 8 * 3).collect(),
    };
    Frames { source: trajectory.id.clone(), rule: "1fps+last".to_owned(), frames: (0..6).map(frame).collect() }
}

pub fn sampler() -> SampleFrames {
    Arc::new(|trajectory| Ok(frames(trajectory)))
}

/// Counts samplings, and how many trajectories' pixels are alive at a time.
#[derive(Default)]
pub struct Watcher {
    pub samplings: AtomicUsize,
    pub most_alive: AtomicUsize,
    alive: Mutex<Vec<Weak<[u8]>>>,
}

impl Watcher {
    pub fn sampler(self: &Arc<Self>) -> SampleFrames {
        let watcher = self.clone();
        Arc::new(move |trajectory| {
            let frames = frames(trajectory);
            let mut alive = watcher.alive.lock().unwrap();
            alive.retain(|pixels| pixels.strong_count() > 0);
            alive.push(Arc::downgrade(&frames.frames[0].rgb));
            watcher.most_alive.fetch_max(alive.len(), Ordering::SeqCst);
            watcher.samplings.fetch_add(1, Ordering::SeqCst);
            Ok(frames)
        })
    }
}

/// Remembers what it is told, a line each.
#[derive(Default)]
pub struct Told(Mutex<Vec<String>>);

impl Told {
    pub fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

impl Progress for Told {
    fn begin(&self, pairs: u64) {
        self.0.lock().unwrap().push(format!("begin {pairs}"));
    }

    fn advance(&self, event: &Event<'_>) {
        let line = match event {
            Event::Cached { pairs, .. } => format!("cached {pairs}"),
            Event::Called { score, .. } => format!("called {score:?}"),
            Event::Failed { message, pairs, .. } => format!("failed {pairs}: {message}"),
            Event::Unknown { pairs, .. } => format!("unknown {pairs}"),
            Event::Retrying { message, .. } => format!("retrying: {message}"),
            Event::Stopping { reason, .. } => format!("stopping: {reason}"),
        };
        self.0.lock().unwrap().push(line);
    }

    fn end(&self, counts: &Counts) {
        self.0.lock().unwrap().push(format!("end {}", counts.called));
    }
}

pub struct Bench {
    pub folder: tempfile::TempDir,
}

impl Bench {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("ledger.db")
    }

    pub fn ledger(&self) -> Ledger {
        Ledger::open(self.path()).unwrap()
    }

    pub fn study(&self, plan: Plan, model: &Arc<Fake>) -> Study {
        Study::new(plan, self.ledger()).frames(sampler()).model(model.clone())
    }

    pub fn run(&self, plan: Plan, model: &Arc<Fake>) -> Outcome {
        self.study(plan, model).run().unwrap()
    }
}

/// The rows of a table as (trajectory, strategy, instruction, repeat, score).
pub fn rows(outcome: &Outcome) -> Vec<(String, String, String, i64, Option<f64>)> {
    let frame = outcome.scores.frame();
    let text = |name: &str| {
        let column = frame.column(name).unwrap();
        column.str().unwrap().iter().map(|value| value.unwrap().to_owned()).collect::<Vec<_>>()
    };
    let repeats: Vec<i64> = frame.column("repeat").unwrap().i64().unwrap().into_no_null_iter().collect();
    let scores: Vec<Option<f64>> = frame.column("score").unwrap().f64().unwrap().iter().collect();
    let (trajectory, strategy, instruction) = (text("trajectory"), text("strategy"), text("instruction"));
    (0..frame.height())
        .map(|n| (trajectory[n].clone(), strategy[n].clone(), instruction[n].clone(), repeats[n], scores[n]))
        .collect()
}

/// Whether `needle` stands in any file of `folder`.
pub fn found_in(folder: &Path, needle: &str) -> bool {
    let holds =
        |path: &Path| std::fs::read(path).unwrap().windows(needle.len()).any(|bytes| bytes == needle.as_bytes());
    std::fs::read_dir(folder).unwrap().any(|entry| holds(&entry.unwrap().path()))
}
