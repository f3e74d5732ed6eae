//! What a checkpoint is known by, and the true worker on the fixtures, where it is built.

use super::*;

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
