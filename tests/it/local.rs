//! Local checkpoints: the name, the worker's supervision (by a fake that misbehaves), and the true worker where it is
//! built.

mod answers;
mod checkpoint;
mod hub;
mod sentences;
mod spec;
mod supervision;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use roborm::frames::{Frame, Frames};
use roborm::paraphrase::SentenceModel;
use roborm::reward::local::{LocalDevice, LocalModel, LocalSpec, Times};
use roborm::reward::{Call, Fault, FaultKind, ModelOptions, Part, Prompt, Reply, Request, RewardModel};

const PROMPT: Prompt = Prompt { version: "test-1", before: "Task: ", after: "", order: &[Part::Frames, Part::Text] };

struct Allowed;

impl Call for Allowed {
    fn before_send(&self, _attempt: u32) -> Result<(), Fault> {
        Ok(())
    }

    fn id_came(&self, _id: &str) {}
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn frames(count: u64, width: u32, height: u32) -> Arc<Frames> {
    let frame = |index: u64| Frame {
        index,
        t_s: index as f64,
        file_index: index,
        file_t_s: index as f64,
        width,
        height,
        rgb: (0..width * height * 3).map(|at| (u64::from(at) * 7 + index * 31) as u8).collect(),
    };
    Arc::new(Frames { source: "made".into(), rule: "1fps".into(), frames: (0..count).map(frame).collect() })
}

fn requests(frames: &Arc<Frames>, instructions: &[&str]) -> Vec<Request> {
    let request = |instruction: &&str| Request {
        trajectory: "t1".into(),
        frames: frames.clone(),
        images: Arc::new(Vec::new()),
        instruction: (*instruction).into(),
        repeat: 0,
        label: None,
        strategies: Vec::new(),
    };
    instructions.iter().map(request).collect()
}

fn ask(model: &LocalModel, frames: &Arc<Frames>, instructions: &[&str]) -> Vec<Result<Reply, Fault>> {
    let requests = requests(frames, instructions);
    let calls: Vec<&dyn Call> = requests.iter().map(|_| &Allowed as &dyn Call).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(model.ask_batch(&requests, &calls))
}

fn texts(replies: &[Result<Reply, Fault>]) -> Vec<&str> {
    let text = |reply: &'_ Result<Reply, Fault>| match reply {
        Ok(reply) => reply.text.as_str().to_owned().leak() as &str,
        Err(fault) => fault.message.clone().leak(),
    };
    replies.iter().map(text).collect()
}

/// A model whose worker is the fake one.
fn fake() -> LocalModel {
    let mut spec = LocalSpec::new(fixture("qwen3vl/sharded"));
    spec.program = Some(fixture("local/fake_worker.py"));
    spec.device = LocalDevice::These(vec!["cpu".into()]);
    spec.silence = Duration::from_secs(20);
    LocalModel::open(&spec, PROMPT).expect("a checkpoint and a worker")
}
