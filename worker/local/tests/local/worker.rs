//! The program itself, spoken to as roborm speaks to it.

use std::process::{Child, Command, Stdio};

use roborm_wire::local::{Ask, Check, Clip, Embed, FailedKind, Load, PROTOCOL, Say, Score, receive, send};

use crate::fixture::{Tensors, Texts, copy, edit, folder};

pub struct Worker(pub Child);

impl Worker {
    pub fn start() -> Self {
        let child = Command::new(env!("CARGO_BIN_EXE_roborm-local"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the worker starts: its rpath finds libtorch");
        Self(child)
    }

    /// Asks, and hears what is said until the end; that it is alive is left out.
    pub fn ask(&mut self, ask: &Ask, body: &[u8]) -> Vec<Say> {
        send(self.0.stdin.as_mut().expect("piped"), ask, body).expect("it listens");
        let mut said = Vec::new();
        loop {
            let from = self.0.stdout.as_mut().expect("piped");
            let (say, _) = receive::<Say>(from).expect("messages").expect("no end before the answer");
            let last = !matches!(say, Say::Alive(_) | Say::Answer(_) | Say::Refused { .. });
            if !matches!(say, Say::Alive(_)) {
                said.push(say);
            }
            if last {
                return said;
            }
        }
    }

    pub fn load(&mut self, case: &str) -> Say {
        self.ask(&Ask::Load(load(case)), &[]).remove(0)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        use std::os::unix::process::ExitStatusExt;

        drop(self.0.stdin.take());
        // In good order, or, where the libraries take their time to go, by its own hand.
        let status = self.0.wait().expect("it was started");
        assert!(status.success() || status.signal() == Some(9) || std::thread::panicking(), "{status}");
    }
}

fn load(case: &str) -> Load {
    Load {
        folder: folder(case).display().to_string(),
        device: "cpu".into(),
        dtype: "f32".into(),
        video: "stored".into(),
        threads: Some(1),
    }
}

fn score(case: &str, with_clip: bool) -> (Score, Vec<u8>) {
    let texts = Texts::of(case);
    let frames = Tensors::of(case).get("frames").permute([0, 2, 3, 1]).contiguous();
    let size = frames.size();
    let clip = Clip { width: size[2] as u32, height: size[1] as u32, times: texts.times.clone() };
    let bytes = if with_clip { Vec::<u8>::try_from(frames.flatten(0, -1)).expect("bytes") } else { Vec::new() };
    let score = Score {
        key: 7,
        clip: with_clip.then_some(clip),
        texts: texts.whole(),
        text_first: false,
        max_tokens: 32,
        batch: None,
    };
    (score, bytes)
}

#[test]
fn a_conversation() {
    let mut worker = Worker::start();
    let Say::Found(found) = worker.ask(&Ask::Look, &[]).remove(0) else { panic!("not found") };
    assert_eq!((found.protocol, found.torch.as_str()), (PROTOCOL, "2.11.0"));

    let (ask, bytes) = score("sharded", true);
    let [Say::Failed(failed)] = &worker.ask(&Ask::Score(ask.clone()), &bytes)[..] else { panic!("scored") };
    assert_eq!((failed.kind, failed.message.as_str()), (FailedKind::Internal, "no checkpoint is loaded"));

    let Say::Ready(ready) = worker.load("sharded") else { panic!("not ready") };
    assert_eq!((ready.device.as_str(), ready.dtype.as_str(), ready.video.as_str()), ("cpu", "f32", "flat"));

    let said = worker.ask(&Ask::Score(ask), &bytes);
    let Some(Say::Done { notes }) = said.last() else { panic!("not done: {said:?}") };
    assert!(notes.is_empty());
    let answers: Vec<_> =
        said.iter().filter_map(|say| if let Say::Answer(answer) = say { Some(answer) } else { None }).collect();
    assert_eq!(answers.len(), 4);
    assert!(answers.iter().all(|answer| answer.shared_tokens > 0 && answer.batch == 4));

    // The frames are still there.
    let (again, none) = score("sharded", false);
    let said = worker.ask(&Ask::Score(again.clone()), &none);
    assert_eq!(said.iter().filter(|say| matches!(say, Say::Answer(_))).count(), 4);
    // Those of another key are not.
    let [Say::Failed(_)] = &worker.ask(&Ask::Score(Score { key: 8, ..again }), &[])[..] else { panic!("scored") };
}

#[test]
fn sentences_become_vectors_beside_a_loaded_checkpoint() {
    let mut worker = Worker::start();
    let Say::Ready(_) = worker.load("tied") else { panic!("not ready") };
    let encoder = folder("../minilm").display().to_string();
    let texts = vec!["put the red cup down".to_owned(), "lift it".to_owned(), "put the red cup down".to_owned()];
    let ask = Ask::Embed(Embed { folder: encoder, texts, threads: Some(1) });
    let [Say::Embedded { vectors }] = &worker.ask(&ask, &[])[..] else { panic!("no vectors") };
    let dot = |one: usize, other: usize| -> f32 { vectors[one].iter().zip(&vectors[other]).map(|(a, b)| a * b).sum() };
    assert!((dot(0, 2) - 1.0).abs() < 1e-6 && dot(0, 1) < 0.999, "{} {}", dot(0, 2), dot(0, 1));
    let ask = Ask::Embed(Embed { folder: folder("tied").display().to_string(), texts: Vec::new(), threads: None });
    let [Say::Failed(failed)] = &worker.ask(&ask, &[])[..] else { panic!("a checkpoint is no encoder") };
    assert!(
        failed.message.ends_with("(model_type qwen3_vl) is no model of sentences known here"),
        "{}",
        failed.message
    );
    let (ask, bytes) = score("tied", true);
    assert_eq!(worker.ask(&Ask::Score(ask), &bytes).len(), 5);
}

#[test]
fn it_ends_with_its_roborm_whatever_it_is_at() {
    use std::os::unix::process::ExitStatusExt;

    // A question that takes minutes: an answer of many tokens that nothing ends.
    let endless = copy("tied");
    edit(endless.path(), "config.json", |config| config["text_config"]["max_position_embeddings"] = 200_000.into());
    edit(endless.path(), "generation_config.json", |config| config["eos_token_id"] = (-1).into());
    let mut worker = Worker::start();
    let ask = Ask::Load(Load { folder: endless.path().display().to_string(), ..load("tied") });
    let Say::Ready(_) = worker.ask(&ask, &[]).remove(0) else { panic!("not ready") };
    let (question, bytes) = score("tied", true);
    let ask = Ask::Score(Score { max_tokens: 100_000, ..question });
    send(worker.0.stdin.as_mut().expect("piped"), &ask, &bytes).expect("it listens");
    drop(worker.0.stdin.take());
    assert_eq!(worker.0.wait().expect("it was started").signal(), Some(9));
    std::mem::forget(worker);
}

#[test]
fn faults_leave_it_alive() {
    let mut worker = Worker::start();
    let Say::Failed(failed) = worker.load("nowhere") else { panic!("loaded") };
    assert_eq!(failed.kind, FailedKind::Setup);
    let Say::Failed(failed) = worker.ask(&Ask::Load(Load { dtype: "int4".into(), ..load("tied") }), &[]).remove(0)
    else {
        panic!("loaded")
    };
    assert_eq!(failed.message, "the type 'int4' is not known");
    let Say::Ready(_) = worker.load("tied") else { panic!("not ready") };
    let (mut ask, _) = score("tied", true);
    let clip = ask.clip.as_mut().expect("a clip");
    (clip.width, clip.height, clip.times) = (12_900, 64, vec![0.0]);
    let [Say::Failed(failed)] = &worker.ask(&Ask::Score(ask), &vec![0; 12_900 * 64 * 3])[..] else { panic!("scored") };
    assert_eq!(failed.kind, FailedKind::Request);
    assert_eq!(failed.message, "12900 x 64 pixels: one side is 202 times the other");
    let (ask, bytes) = score("tied", true);
    assert_eq!(worker.ask(&Ask::Score(ask), &bytes).len(), 5);
}

#[test]
fn a_checkpoint_is_looked_at_without_loading_it() {
    let mut worker = Worker::start();
    let check = |folder: &std::path::Path, dtype: &str, numbers: bool| {
        let load = Load { folder: folder.display().to_string(), dtype: dtype.to_owned(), ..load("base") };
        Ask::Check(Check { load, numbers })
    };
    let Say::Ready(ready) = worker.ask(&check(&folder("base"), "f32", true), &[]).remove(0) else {
        panic!("not whole")
    };
    let numbers: i64 = Tensors::read(&folder("base").join("model.safetensors")).sizes().iter().sum();
    assert_eq!((ready.dtype.as_str(), ready.weights), ("f32", numbers as u64 * 4));
    // Two for keys and values, 4 layers, 2 heads of 24 numbers of 4 bytes.
    assert_eq!(ready.token, 2 * 4 * 2 * 24 * 4);
    let (ask, bytes) = score("base", true);
    let [Say::Failed(failed)] = &worker.ask(&Ask::Score(ask), &bytes)[..] else { panic!("scored") };
    assert_eq!(failed.message, "no checkpoint is loaded");

    // The tokenizer and the configuration are of two checkpoints.
    let other = copy("base");
    edit(other.path(), "config.json", |config| config["video_token_id"] = serde_json::json!(1));
    let Say::Failed(failed) = worker.ask(&check(other.path(), "f32", false), &[]).remove(0) else { panic!("whole") };
    let said = format!("{}/tokenizer.json: <|video_pad|> is 306, and config.json has 1", other.path().display());
    assert_eq!(failed.message, said);

    // The last weight of the file is made NaN, and then 2^127, which f16 does not reach: its numbers must be read for that.
    let damaged = copy("base");
    let path = damaged.path().join("model.safetensors");
    let mut bytes = std::fs::read(&path).expect("it is there");
    let end = bytes.len() - 2;
    for (bits, dtype, ending) in
        [(0x7FC0_u16, "f32", " holds NaN or infinity"), (0x7F00, "f16", " holds numbers too large for f16")]
    {
        bytes[end..].copy_from_slice(&bits.to_le_bytes());
        std::fs::write(&path, &bytes).expect("a writable copy");
        let Say::Ready(_) = worker.ask(&check(damaged.path(), dtype, false), &[]).remove(0) else {
            panic!("not whole")
        };
        let Say::Failed(failed) = worker.ask(&check(damaged.path(), dtype, true), &[]).remove(0) else {
            panic!("whole")
        };
        assert!(failed.message.ends_with(ending), "{}", failed.message);
    }
    let Say::Ready(_) = worker.ask(&check(damaged.path(), "bf16", true), &[]).remove(0) else { panic!("too large") };
}
