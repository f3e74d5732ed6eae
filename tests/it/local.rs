//! Local checkpoints: the name, the worker's supervision (by a fake that misbehaves), and the true worker where it is
//! built.

mod hub;

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

#[test]
fn the_name_says_how_it_runs() {
    let spec = LocalSpec::parse("a,b=c/Qwen,device=cuda:0+cuda:1,dtype=bf16,times=2,video=nested,threads=3");
    let spec = spec.expect("known settings");
    assert_eq!(spec.folder, PathBuf::from("a,b=c/Qwen"));
    assert_eq!(spec.device, LocalDevice::These(vec!["cuda:0".into(), "cuda:1".into()]));
    assert_eq!((spec.dtype.as_str(), spec.video.as_str()), ("bf16", "nested"));
    assert_eq!((spec.times, spec.threads), (Times::Rate(2.0), Some(3)));
    assert_eq!(LocalSpec::parse("/models/Robo").expect("a folder"), LocalSpec::new("/models/Robo"));
    assert_eq!(LocalSpec::parse("d,times=0.001").expect("slow").times, Times::Rate(0.001));
    let most = std::thread::available_parallelism().map_or(1, std::num::NonZero::get).max(16);
    assert_eq!(LocalSpec::parse(&format!("d,threads={most}")).expect("many").threads, Some(most));
    let rates = "own (the frames' own times), or frames a second, from 0.001 to 1000";
    for (text, message, help) in [
        ("", "local: names no folder", "give the folder of a checkpoint: local:DIR"),
        ("d,devise=cpu", "local:d,devise=cpu: the setting 'devise' is not known", "did you mean device?"),
        (
            "d,threads=1024",
            "local:d,threads=1024: threads=1024 is no number of threads for this machine",
            &format!("from 1 to {most}; one a core is the default"),
        ),
        ("d,dtype=f32,dtype=bf16", "local:d,dtype=f32,dtype=bf16: dtype is given twice", "give it once"),
        (
            "src,foo=1",
            "local:src,foo=1: the setting 'foo' is not known",
            "known are device, dtype, video, times, threads, download",
        ),
        ("d,dtype=int8", "local:d,dtype=int8: dtype=int8 is not known", "stored, f32, bf16, f16"),
        ("d,times=0", "local:d,times=0: times=0 is no rate", rates),
        ("d,times=1e-300", "local:d,times=1e-300: times=1e-300 is no rate", rates),
        ("d,times=1e4", "local:d,times=1e4: times=1e4 is no rate", rates),
        ("d,times=NaN", "local:d,times=NaN: times=NaN is no rate", rates),
    ] {
        let error = LocalSpec::parse(text).expect_err(text);
        assert_eq!((error.to_string().as_str(), error.help()), (message, Some(help)));
        assert!(error.is_usage());
    }
}

#[test]
fn options_that_would_be_ignored_are_refused() {
    let set = ModelOptions::default;
    for (options, message) in [
        (ModelOptions { base_urls: vec!["http://localhost/v1".into()], ..set() }, "takes no base url"),
        (ModelOptions { reasoning: Some("high".into()), ..set() }, "does not reason"),
        (ModelOptions { temperature: Some(1.0), ..set() }, "answers greedily: no temperature, no top-p"),
        (ModelOptions { provider: Some("x".into()), ..set() }, "a provider can be pinned on OpenRouter alone"),
    ] {
        let error = roborm::reward::open("local:somewhere", &options).err().expect("it has no use for that");
        assert!(error.to_string().starts_with("local:somewhere ") && error.to_string().ends_with(message), "{error}");
        assert!(error.is_usage());
    }
}

#[test]
fn folders_and_workers_that_are_none() {
    let refused = |change: &dyn Fn(&mut LocalSpec)| {
        let mut spec = LocalSpec::new(fixture("qwen3vl/sharded"));
        spec.program = Some(fixture("local/fake_worker.py"));
        change(&mut spec);
        match LocalModel::open(&spec, PROMPT) {
            Ok(_) => panic!("opened"),
            Err(error) => error.to_string(),
        }
    };
    let empty = tempfile::tempdir().expect("a folder");
    let message = refused(&|spec| spec.folder = empty.path().into());
    assert!(message.starts_with(&format!("{}: no checkpoint (config.json: ", empty.path().display())), "{message}");
    let message = refused(&|spec| spec.folder = empty.path().join("nowhere"));
    assert_eq!(message, format!("{}: no such folder", empty.path().join("nowhere").display()));
    let message = refused(&|spec| spec.device = LocalDevice::These(vec!["cuda".into()]));
    assert_eq!(message, "there is no CUDA device for device=cuda: it is a fake");
    let message = refused(&|spec| spec.program = Some("/bin/true".into()));
    assert!(message.starts_with("the worker of local checkpoints "), "{message}");
    let message = refused(&|spec| spec.program = Some(empty.path().join("none")));
    assert!(message.starts_with("cannot start "), "{message}");
}

#[test]
fn the_settings_tell_every_checkpoint_apart() {
    let one = fake();
    assert_eq!(one.config(), fake().config());
    let copy = tempfile::tempdir().expect("a folder");
    for entry in std::fs::read_dir(fixture("qwen3vl/sharded")).expect("the fixture") {
        let entry = entry.expect("a file");
        std::fs::copy(entry.path(), copy.path().join(entry.file_name())).expect("a copy");
    }
    let spec = |folder: &Path| {
        let mut spec = LocalSpec::new(folder);
        spec.program = Some(fixture("local/fake_worker.py"));
        spec.device = LocalDevice::These(vec!["cpu".into()]);
        spec
    };
    let open = |spec: &LocalSpec| LocalModel::open(spec, PROMPT).expect("a checkpoint").config().clone();
    assert_eq!(&open(&spec(copy.path())), one.config(), "where it lies does not matter");
    let times = LocalSpec { times: Times::Rate(1.0), ..spec(copy.path()) };
    assert_ne!(open(&times).digest(), one.config().digest());
    let weights = copy.path().join("model-00002-of-00003.safetensors");
    let mut bytes = std::fs::read(&weights).expect("a shard");
    *bytes.last_mut().expect("bytes") ^= 1;
    std::fs::write(&weights, bytes).expect("a writable copy");
    assert_ne!(open(&spec(copy.path())).digest(), one.config().digest(), "one bit of a weight");
}

#[test]
fn one_question_a_trajectory_and_each_wording_once() {
    let model = fake();
    assert_eq!(model.notes(), [""; 0], "nothing was asked yet");
    assert_eq!(model.image_needs().max_images, None);
    let clip = frames(2, 8, 4);
    let replies = ask(&model, &clip, &["a", "bb", "a"]);
    assert_eq!(texts(&replies), ["ANSWER: 3", "ANSWER: 4", "ANSWER: 3"]);
    let reply = replies[1].as_ref().expect("an answer");
    assert_eq!(reply.extra.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["p1", "p2", "p3", "p4", "p5"]);
    assert_eq!(reply.extra[3].1, 1.0);
    assert_eq!((reply.usage.prompt_tokens, reply.usage.cached_tokens), (Some(8), Some(1)));
    // The frames went over once.
    let again = ask(&model, &clip, &["a"]);
    assert_eq!(again[0].as_ref().expect("an answer").usage.cached_tokens, Some(2));
    // 7 + 8 + 7 tokens of prompts, and 1 + 1 + 2 of them shared.
    let name = model.name();
    assert_eq!(
        model.notes(),
        [
            format!("{name}: its files are not looked at"),
            format!("{name} on cpu: weights 2000.0 MB as f32, keys and values 1.0 KiB a token"),
            format!("{name}: 3 answers, up to 2 instructions at a time; 18 % of the prompts' tokens were shared"),
            format!("{name}: columns p1 to p5: the probabilities of the answers 1 to 5 where the score's digit stands"),
        ]
    );
}

#[test]
fn the_probabilities_are_those_where_the_score_stands() {
    let model = fake();
    let clip = frames(1, 4, 4);
    for (answer, place) in [
        ("ANSWER: 4", Some(8)),
        ("From 1 to 5, with 3 cups moved. ANSWER: 5", Some(40)),
        ("é 4", Some(3)),
        ("2 of 5 steps were done: Score: 2/5", Some(31)),
        // Said twice, the first.
        ("Score: 3. So the final answer: 3", Some(7)),
        // A score without a digit, and answers without a score.
        ("ANSWER: four", None),
        ("ANSWER: 3 to 4", None),
        ("ANSWER: 3, or else ANSWER: 4", None),
        ("I saw 2 cups", None),
    ] {
        let reply = ask(&model, &clip, &[&format!("say: {answer}")]).remove(0).expect("an answer");
        assert_eq!(reply.text, answer);
        let shares: Vec<f64> = reply.extra.iter().map(|(_, share)| *share).collect();
        let wanted = place.map_or(Vec::new(), |place| vec![f64::from(place) / 100.0; 5]);
        assert_eq!(shares, wanted, "{answer}");
    }
    let notes = model.notes();
    assert!(
        notes.iter().any(
            |note| note.ends_with(": 9 answers, one instruction at a time; 0 % of the prompts' tokens were shared")
        ),
        "{notes:?}"
    );
    assert!(
        notes.iter().any(|note| note.ends_with("; 4 answers have none, for want of a score in digits")),
        "{notes:?}"
    );
}

#[test]
fn threads_of_the_worker_wait_asleep() {
    let model = fake();
    let policy = std::env::var("OMP_WAIT_POLICY").unwrap_or_else(|_| "passive".into());
    assert_eq!(texts(&ask(&model, &frames(1, 4, 4), &["say: $OMP_WAIT_POLICY"])), [policy]);
}

#[test]
fn sentences_are_compared_by_their_vectors() {
    let program = fixture("local/fake_worker.py");
    let model = SentenceModel::open_with("anywhere", &program).expect("a worker");
    let made = model.embed(&["odd", "even"]).expect("vectors");
    assert_eq!(made[0].as_slice(), [1.0, 0.0]);
    assert!((made[0].cosine(&made[1]) - 0.6).abs() < 1e-7);
    assert!((made[1].cosine(&made[1]) - 1.0).abs() < 1e-7);
    let error = model.embed(&["die"]).expect_err("it died");
    assert_eq!(error.to_string(), "the worker of local checkpoints was killed (perhaps for want of memory)");
    // Another is started.
    assert_eq!(model.embed(&["odd"]).expect("vectors"), made[..1]);
}

/// The true worker on the fixture, whose vectors the worker's own tests hold against transformers.
#[test]
#[expect(clippy::print_stdout, reason = "a test that is skipped says so")]
fn the_true_encoder() {
    let model = match SentenceModel::open(fixture("minilm")) {
        Err(error) if error.to_string().contains("was not found") => return println!("skipped: {error}"),
        opened => opened.expect("an encoder and a worker"),
    };
    let made = model.embed(&["Put the RED cup down", "put the red cup down", "lift it"]).expect("vectors");
    assert_eq!(made[0].as_slice().len(), 24);
    assert!(made[0].cosine(&made[1]) > 1.0 - 1e-6, "it knows no capitals");
    assert!(made[0].cosine(&made[2]) < 1.0 - 1e-3);
    let error = SentenceModel::open(fixture("qwen3vl/base")).err().expect("no encoder");
    assert!(error.to_string().ends_with("is no model of sentences known here"), "{error}");
    assert!(error.help().is_some());
}

#[test]
fn a_crash_halves_the_batch_and_costs_only_what_crashes_alone() {
    let model = fake();
    let replies = ask(&model, &frames(1, 4, 4), &["one", "three", "die", "refuse", "fifteen"]);
    let dead = "the worker of local checkpoints was killed (perhaps for want of memory): terrible things, twice";
    assert_eq!(texts(&replies), ["ANSWER: 5", "ANSWER: 2", dead, "too long (shorten it)", "ANSWER: 4"]);
    // Another run asks for it again; what the model itself refuses stays refused.
    assert_eq!(replies[2].as_ref().expect_err("it died").kind, FaultKind::Passing);
    assert_eq!(replies[3].as_ref().expect_err("too long").kind, FaultKind::Refused);
    let notes = model.notes();
    assert!(notes[0].ends_with("terrible things; started again with 2 instructions at a time"), "{notes:?}");
    assert!(
        notes.iter().any(|note| note.ends_with("terrible things; started again, and asked once more")),
        "{notes:?}"
    );
    // It goes on with the next.
    assert_eq!(texts(&ask(&model, &frames(1, 4, 4), &["fifteen"])), ["ANSWER: 4"]);
}

#[test]
fn a_worker_that_somebody_kills_costs_no_answer() {
    let model = fake();
    let place = tempfile::tempdir().expect("a folder");
    let instruction = format!("fall once in {}", place.path().join("fallen").display());
    let replies = ask(&model, &frames(1, 4, 4), &[&instruction]);
    assert!(replies[0].is_ok(), "{replies:?}");
    let said = "was killed (perhaps for want of memory); started again, and asked once more";
    assert!(model.notes()[0].ends_with(said), "{:?}", model.notes());
    // Among others: those that were not answered yet are asked again, half of them at a time.
    let instruction = format!("fall once in {}", place.path().join("again").display());
    let replies = ask(&model, &frames(1, 4, 4), &["one", &instruction]);
    assert!(replies.iter().all(Result::is_ok), "{replies:?}");
    assert!(model.notes()[1].ends_with("started again with one instruction at a time"), "{:?}", model.notes());
}

#[test]
fn marks_of_the_chat_in_an_instruction_are_told() {
    let model = fake();
    let replies = ask(&model, &frames(1, 4, 4), &["stop <|im_end|> here", "stop here", "stop <|im_end|> here"]);
    assert!(replies.iter().all(Result::is_ok), "{replies:?}");
    let said = ": 1 prompt holds <|, with which the chat's own marks begin; the model reads < | there";
    assert_eq!(model.notes().iter().filter(|note| note.ends_with(said)).count(), 1, "{:?}", model.notes());
}

#[test]
fn a_checkpoint_is_known_again_in_another_folder() {
    use crate::study::kit::{plan, sampler};
    use roborm::study::{Ledger, Study};

    let place = tempfile::tempdir().expect("a folder");
    let other = place.path().join("elsewhere");
    std::fs::create_dir(&other).expect("a new folder");
    for entry in std::fs::read_dir(fixture("qwen3vl/sharded")).expect("the fixture") {
        let entry = entry.expect("a file");
        std::fs::copy(entry.path(), other.join(entry.file_name())).expect("a copy");
    }
    let score = |folder: &Path| {
        let mut spec = LocalSpec::new(folder);
        spec.program = Some(fixture("local/fake_worker.py"));
        spec.device = LocalDevice::These(vec!["cpu".into()]);
        let model = LocalModel::open(&spec, PROMPT).expect("a checkpoint and a worker");
        let ledger = Ledger::open(place.path().join("study.db")).expect("a ledger");
        let study = Study::new(plan(2, 1), ledger).frames(sampler()).model(Arc::new(model));
        let outcome = study.run().expect("scores");
        assert!(outcome.is_complete(), "{:?}", outcome.failures);
        let names = outcome.scores.frame().column("model").expect("a column").unique().expect("names");
        let name = names.str().expect("texts").get(0).expect("one").to_owned();
        (outcome.counts.cached, outcome.counts.called, name)
    };
    let first = fixture("qwen3vl/sharded");
    assert_eq!(score(&first), (0, 4, format!("local:{}", first.display())));
    // Each is called what it was asked for as.
    assert_eq!(score(&other), (4, 0, format!("local:{}", other.display())));
    // Another checkpoint is another, wherever it lies.
    let weights = other.join("model-00002-of-00003.safetensors");
    let mut bytes = std::fs::read(&weights).expect("a shard");
    *bytes.last_mut().expect("bytes") ^= 1;
    std::fs::write(&weights, bytes).expect("a writable copy");
    assert_eq!(score(&other), (0, 4, format!("local:{}", other.display())));
}

#[test]
fn trajectories_are_spread_over_devices() {
    let mut spec = LocalSpec::new(fixture("qwen3vl/sharded"));
    spec.program = Some(fixture("local/fake_worker.py"));
    spec.device = LocalDevice::These(vec!["cpu".into(), "cpu".into()]);
    spec.silence = Duration::from_secs(20);
    let model = LocalModel::open(&spec, PROMPT).expect("a checkpoint and a worker");
    assert_eq!(model.devices(), ["cpu", "cpu"]);
    let place = tempfile::tempdir().expect("a folder");
    let instruction = format!("go and meet {}", place.path().display());
    // Neither can answer before the other is asked, so that one worker alone would hang.
    let answers = std::thread::scope(|scope| {
        let ask_one = || scope.spawn(|| ask(&model, &frames(1, 4, 4), &[&instruction]).remove(0));
        let both = [ask_one(), ask_one()];
        both.map(|one| one.join().expect("no panic"))
    });
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    assert_eq!(std::fs::read_dir(place.path()).expect("the folder").count(), 2, "two processes");
}

#[test]
fn a_worker_that_hangs_is_ended() {
    let mut spec = LocalSpec::new(fixture("qwen3vl/sharded"));
    spec.program = Some(fixture("local/fake_worker.py"));
    spec.silence = Duration::from_secs(2);
    let model = LocalModel::open(&spec, PROMPT).expect("a checkpoint and a worker");
    let replies = ask(&model, &frames(1, 4, 4), &["hang"]);
    assert_eq!(texts(&replies), ["the worker of local checkpoints said nothing for 2 s, twice"]);
}

#[test]
fn clips_that_cannot_be_sent() {
    let model = fake();
    assert_eq!(texts(&ask(&model, &frames(0, 4, 4), &["a"])), ["no frames to look at"]);
    let mut mixed = Frames::clone(&frames(2, 4, 4));
    mixed.frames[1] = frames(1, 8, 4).frames[0].clone();
    let message = "frames of different sizes (4 x 4 and 8 x 4)";
    assert_eq!(texts(&ask(&model, &Arc::new(mixed), &["a"])), [message]);
}

/// A checkpoint with the true worker, in 32-bit floats; none, saying so, where the worker is not built.
#[expect(clippy::print_stdout, reason = "a test that is skipped says so")]
fn true_worker(folder: &Path) -> Option<roborm::Result<LocalModel>> {
    let spec = LocalSpec {
        device: LocalDevice::These(vec!["cpu".into()]),
        dtype: "f32".into(),
        threads: Some(1),
        ..LocalSpec::new(folder)
    };
    match LocalModel::open(&spec, PROMPT) {
        Err(error) if error.to_string().contains("was not found") => {
            println!("skipped: {error}");
            None
        }
        opened => Some(opened),
    }
}

#[test]
fn the_true_worker() {
    let Some(model) = true_worker(&fixture("qwen3vl/base")) else { return };
    let model = model.expect("a checkpoint and a worker");
    let clip = frames(3, 96, 64);
    let instructions = ["put the cup on the plate", "place the cup", "put the cup on the plate", "close it"];
    let replies = ask(&model, &clip, &instructions);
    let reply = |at: usize| replies[at].as_ref().expect("an answer");
    assert_eq!(reply(0).text, reply(2).text);
    assert!(reply(1).usage.cached_tokens > Some(24), "the frames are shared: {:?}", reply(1).usage);
    assert_eq!(reply(0).usage.cached_tokens, reply(1).usage.cached_tokens);
    for (at, instruction) in instructions.iter().enumerate() {
        let alone = ask(&model, &clip, &[instruction]);
        assert_eq!(alone[0].as_ref().expect("an answer").text, reply(at).text, "{instruction}");
    }
    // No frames that could be seen: said for that trajectory, and the next is scored.
    assert!(ask(&model, &frames(2, 6000, 16), &["a"])[0].is_err());
    assert!(ask(&model, &clip, &["a"])[0].is_ok());
    // One frame is doubled.
    assert!(ask(&model, &frames(1, 96, 64), &["a"])[0].is_ok());
}

#[test]
fn faults_of_a_checkpoint_come_when_it_is_opened() {
    if true_worker(&fixture("qwen3vl/base")).is_none() {
        return;
    }
    let remove =
        |name: &'static str| move |folder: &Path| std::fs::remove_file(folder.join(name)).expect("it was there");
    let config = |key: &'static str, value: &'static str| {
        move |folder: &Path| {
            let path = folder.join("config.json");
            let text = std::fs::read_to_string(&path).expect("the fixture's");
            let mut config: serde_json::Value = serde_json::from_str(&text).expect("the fixture's");
            *config.pointer_mut(key).expect("the fixture has it") = serde_json::from_str(value).expect("JSON");
            std::fs::write(path, config.to_string()).expect("a writable copy");
        }
    };
    let shard = "model-00002-of-00003.safetensors";
    let change = |name: &'static str, change: fn(&mut Vec<u8>)| {
        move |folder: &Path| {
            let mut bytes = std::fs::read(folder.join(name)).expect("it is there");
            change(&mut bytes);
            std::fs::write(folder.join(name), bytes).expect("a writable copy");
        }
    };
    type Damage<'a> = &'a dyn Fn(&Path);
    let cases: [(&str, Damage<'_>, &str); 9] = [
        (
            "no checkpoint",
            &remove("config.json"),
            "DIR: no checkpoint (config.json: No such file or directory (os error 2))",
        ),
        (
            "another architecture",
            &|folder| {
                config("/model_type", "\"llama\"")(folder);
                config("/architectures", "[\"LlamaForCausalLM\"]")(folder);
            },
            "DIR/config.json: LlamaForCausalLM (model_type llama) is an architecture that cannot be run here",
        ),
        (
            "a missing tensor",
            &config("/text_config/num_hidden_layers", "4"),
            "DIR: the tensor model.language_model.layers.3.input_layernorm.weight is in no file",
        ),
        (
            "a wrong shape",
            &config("/text_config/intermediate_size", "41"),
            "DIR/SHARD: model.language_model.layers.0.mlp.gate_proj.weight has the shape [40, 32] where config.json makes it \
             [41, 32]",
        ),
        (
            "NaN",
            &change(shard, |bytes| {
                let end = bytes.len() - 4;
                bytes[end..].copy_from_slice(&f32::NAN.to_le_bytes());
            }),
            "DIR/SHARD: TENSOR holds NaN or infinity",
        ),
        (
            "a shard cut short",
            &change(shard, |bytes| bytes.truncate(bytes.len() - 4)),
            "DIR/SHARD: cut short: TENSOR ends 4 bytes after the end of the file",
        ),
        ("a missing shard", &remove(shard), "DIR/SHARD: the shard is missing"),
        ("no tokenizer", &remove("tokenizer.json"), "DIR: no tokenizer (tokenizer.json is missing)"),
        (
            "another's tokenizer",
            &config("/video_token_id", "7"),
            "DIR/tokenizer.json: <|video_pad|> is 306, and config.json has 7",
        ),
    ];
    for (what, damage, message) in cases {
        let copy = tempfile::tempdir().expect("a folder");
        for entry in std::fs::read_dir(fixture("qwen3vl/sharded")).expect("the fixture") {
            let entry = entry.expect("a file");
            std::fs::copy(entry.path(), copy.path().join(entry.file_name())).expect("a copy");
        }
        damage(copy.path());
        let Some(Err(error)) = true_worker(copy.path()) else { panic!("{what}: opened") };
        let mut said = error.to_string().replace(&copy.path().display().to_string(), "DIR");
        let words: Vec<&str> = said.split(' ').collect();
        for word in words.iter().map(|word| word.trim_end_matches(':').to_owned()).collect::<Vec<_>>() {
            if word.starts_with("DIR/model-0000") {
                said = said.replace(&word, "DIR/SHARD");
            } else if word.starts_with("model.") && message.contains("TENSOR") {
                said = said.replace(&word, "TENSOR");
            }
        }
        assert_eq!(said, message, "{what}");
    }
}
