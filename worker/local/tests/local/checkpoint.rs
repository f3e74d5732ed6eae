//! What is said of folders that are no whole checkpoint, before anything is loaded.

use std::fs;
use std::path::Path;

use roborm_local::checkpoint::{Checkpoint, Config, Generation, Shard};
use serde_json::json;

use crate::fixture::{CASES, copy, edit, folder};

fn refused(folder: &Path) -> String {
    match Checkpoint::open(folder) {
        Ok(_) => panic!("opened"),
        Err(error) => error.to_string().replace(&folder.display().to_string(), "DIR"),
    }
}

#[test]
fn every_fixture_opens() {
    for (case, _) in CASES {
        let checkpoint = Checkpoint::open(&folder(case)).expect(case);
        assert_eq!(checkpoint.is_tied(), case == "tied", "{case}");
    }
}

#[test]
fn both_layouts_of_rope_say_the_same() {
    let copy = copy("sharded");
    edit(copy.path(), "config.json", |config| {
        let text = &mut config["text_config"];
        text["rope_parameters"] = json!({
            "rope_type": "default", "rope_theta": 5_000_000.0, "mrope_section": [4, 2, 2], "mrope_interleaved": true
        });
        text.as_object_mut().expect("an object").retain(|key, _| key != "rope_theta" && key != "rope_scaling");
    });
    let old = Config::read(&folder("sharded")).expect("the old layout");
    assert_eq!(old.text.rope_theta, 5_000_000.0);
    assert_eq!(old.text.mrope_section, [4, 2, 2]);
    assert_eq!(old, Config::read(copy.path()).expect("the new layout"));
}

#[test]
fn a_configuration_with_the_text_model_at_its_top() {
    let copy = copy("base");
    edit(copy.path(), "config.json", |config| {
        let text = config["text_config"].take();
        let kind = config["model_type"].clone();
        for (key, value) in text.as_object().expect("an object") {
            config[key] = value.clone();
        }
        config["model_type"] = kind;
        config.as_object_mut().expect("an object").remove("text_config");
    });
    let nested = Config::read(&folder("base")).expect("nested");
    assert_eq!(nested, Config::read(copy.path()).expect("flat"));
}

#[test]
fn stop_tokens_are_one_or_a_list() {
    let generation = Generation::read(&folder("tied")).expect("the fixture's");
    assert_eq!(generation, Generation { stop: vec![302, 300], repetition_penalty: 1.3 });
    let copy = copy("tied");
    edit(copy.path(), "generation_config.json", |config| config["eos_token_id"] = json!(7));
    assert_eq!(Generation::read(copy.path()).expect("one").stop, [7]);
    fs::remove_file(copy.path().join("generation_config.json")).expect("it was there");
    let defaults = Generation { stop: vec![151_645, 151_643], repetition_penalty: 1.0 };
    assert_eq!(Generation::read(copy.path()).expect("none"), defaults);
}

#[test]
fn the_cache_of_the_hub_is_followed() {
    let hub = tempfile::tempdir().expect("a folder");
    let (commit, refs) = (hub.path().join("snapshots/abc123"), hub.path().join("refs"));
    fs::create_dir_all(commit.parent().expect("snapshots")).expect("a folder");
    fs::create_dir(&refs).expect("a folder");
    std::os::unix::fs::symlink(folder("tied").canonicalize().expect("it is there"), &commit).expect("a link");
    fs::write(refs.join("main"), "abc123\n").expect("a file");
    assert_eq!(Checkpoint::open(hub.path()).expect("a snapshot").folder, commit);
}

#[test]
fn a_snapshot_that_is_named_and_not_there_has_no_stand_in() {
    let hub = tempfile::tempdir().expect("a folder");
    let (other, refs) = (hub.path().join("snapshots/other"), hub.path().join("refs"));
    fs::create_dir_all(other.parent().expect("snapshots")).expect("a folder");
    fs::create_dir(&refs).expect("a folder");
    std::os::unix::fs::symlink(folder("tied").canonicalize().expect("it is there"), &other).expect("a link");
    // Nobody names one: it is the only one.
    assert_eq!(Checkpoint::open(hub.path()).expect("a snapshot").folder, other);
    fs::write(refs.join("main"), "abc123\n").expect("a file");
    assert_eq!(refused(hub.path()), "DIR/snapshots/abc123: refs/main names this snapshot, and it is not there");
    fs::create_dir(hub.path().join("snapshots/abc123")).expect("a folder");
    assert_eq!(refused(hub.path()), "DIR/snapshots/abc123: the snapshot that refs/main names has no config.json");
}

#[test]
fn files_that_are_no_text_are_told_as_such() {
    let damaged = copy("base");
    fs::write(damaged.path().join("config.json"), [b'{', 0xff]).expect("a writable copy");
    assert_eq!(refused(damaged.path()), "DIR/config.json: no text: it is not UTF-8");
}

#[test]
fn folders_that_are_no_checkpoint() {
    let empty = tempfile::tempdir().expect("a folder");
    assert_eq!(refused(empty.path()), "DIR: no checkpoint (there is no config.json)");
    assert_eq!(refused(&empty.path().join("nowhere")), "DIR: no such folder");

    let other = copy("base");
    edit(other.path(), "config.json", |config| {
        config["model_type"] = json!("llama");
        config["architectures"] = json!(["LlamaForCausalLM"]);
    });
    assert_eq!(
        refused(other.path()),
        "DIR/config.json: LlamaForCausalLM (model_type llama) is an architecture that cannot be run here"
    );

    let damaged = copy("base");
    fs::write(damaged.path().join("config.json"), "{").expect("a writable copy");
    assert_eq!(refused(damaged.path()), "DIR/config.json, line 1, column 1: the JSON is cut short here");

    for (file, field, value, message) in [
        (
            "config.json",
            "hidden_size",
            json!(0),
            "DIR/config.json: text_config.hidden_size is 0, not from 1 to 1048576",
        ),
        (
            "config.json",
            "hidden_size",
            json!("48"),
            "DIR/config.json: text_config.hidden_size is \"48\", not a whole number",
        ),
        ("config.json", "vocab_size", json!(null), "DIR/config.json: text_config.vocab_size is missing"),
        (
            "config.json",
            "num_key_value_heads",
            json!(3),
            "DIR/config.json: 4 heads cannot share 3 key and value heads evenly",
        ),
    ] {
        let copy = copy("base");
        edit(copy.path(), file, |config| config["text_config"][field] = value);
        assert_eq!(refused(copy.path()), message);
    }
}

#[test]
fn weights_that_are_not_whole() {
    let without = copy("base");
    fs::remove_file(without.path().join("model.safetensors")).expect("it was there");
    assert_eq!(refused(without.path()), "DIR: no weights (neither model.safetensors nor model.safetensors.index.json)");

    let cut = copy("base");
    let path = cut.path().join("model.safetensors");
    let bytes = fs::read(&path).expect("it is there");
    fs::write(&path, &bytes[..bytes.len() - 10]).expect("a writable copy");
    let message = refused(cut.path());
    assert!(message.starts_with("DIR/model.safetensors: cut short: "), "{message}");
    assert!(message.ends_with(" ends 10 bytes after the end of the file"), "{message}");
    fs::write(&path, &bytes[..20]).expect("a writable copy");
    assert!(refused(cut.path()).starts_with("DIR/model.safetensors: cut short: 20 bytes"), "{}", refused(cut.path()));
    fs::write(&path, "version https://git-lfs.github.com/spec/v1\n").expect("a writable copy");
    assert_eq!(refused(cut.path()), "DIR/model.safetensors: no safetensors file");

    let narrow = copy("base");
    edit(narrow.path(), "config.json", |config| config["text_config"]["intermediate_size"] = json!(71));
    assert_eq!(
        refused(narrow.path()),
        "DIR/model.safetensors: model.language_model.layers.0.mlp.gate_proj.weight has the shape [72, 48] where \
         config.json makes it [71, 48]"
    );

    let headless = copy("tied");
    edit(headless.path(), "config.json", |config| config["tie_word_embeddings"] = json!(false));
    assert_eq!(refused(headless.path()), "DIR: the tensor lm_head.weight is in no file");

    let deeper = copy("base");
    edit(deeper.path(), "config.json", |config| config["text_config"]["num_hidden_layers"] = json!(5));
    assert_eq!(
        refused(deeper.path()),
        "DIR: the tensor model.language_model.layers.4.input_layernorm.weight is in no file"
    );
}

#[test]
fn shards_that_do_not_fit_their_index() {
    let missing = copy("sharded");
    fs::remove_file(missing.path().join("model-00002-of-00003.safetensors")).expect("it was there");
    assert_eq!(refused(missing.path()), "DIR/model-00002-of-00003.safetensors: the shard is missing");

    let swapped = copy("sharded");
    let (one, two) = ("model-00001-of-00003.safetensors", "model-00002-of-00003.safetensors");
    fs::copy(swapped.path().join(one), swapped.path().join(two)).expect("a writable copy");
    let message = refused(swapped.path());
    assert!(message.starts_with("DIR/model-00002-of-00003.safetensors: model."), "{message}");
    assert!(message.ends_with(" is not in it, though the index says so"), "{message}");

    let silent = copy("sharded");
    edit(silent.path(), "model.safetensors.index.json", |index| {
        index["weight_map"].as_object_mut().expect("a map").remove("lm_head.weight");
    });
    let message = refused(silent.path());
    assert!(message.ends_with("lm_head.weight is in it, and the index does not say so"), "{message}");

    let outside = copy("sharded");
    edit(outside.path(), "model.safetensors.index.json", |index| {
        index["weight_map"]["lm_head.weight"] = json!("../secret.safetensors");
    });
    assert_eq!(
        refused(outside.path()),
        "DIR/model.safetensors.index.json: lm_head.weight is said to be in \"../secret.safetensors\", no file name"
    );
}

#[test]
fn settings_that_are_not_computed_here_are_refused_by_name() {
    let only = "and only";
    for (file, pointer, key, value, message) in [
        (
            "config.json",
            "",
            "quantization_config",
            json!({"quant_method": "fp8"}),
            "quantization_config: quantised weights (fp8) cannot be run here".to_owned(),
        ),
        (
            "config.json",
            "/text_config",
            "quantization_config",
            json!({}),
            "text_config.quantization_config: quantised weights (of an unnamed method) cannot be run here".to_owned(),
        ),
        (
            "config.json",
            "/text_config/rope_parameters",
            "mrope_interleaved",
            json!(false),
            format!("rope_parameters.mrope_interleaved is false, {only} true is known here"),
        ),
        (
            "config.json",
            "/text_config",
            "hidden_act",
            json!("gelu"),
            format!("text_config.hidden_act is \"gelu\", {only} \"silu\" is known here"),
        ),
        (
            "config.json",
            "/text_config",
            "attention_bias",
            json!(true),
            format!("text_config.attention_bias is true, {only} false is known here"),
        ),
        (
            "config.json",
            "/vision_config",
            "in_channels",
            json!(4),
            format!("vision_config.in_channels is 4, {only} 3 is known here"),
        ),
        (
            "generation_config.json",
            "",
            "no_repeat_ngram_size",
            json!(3),
            format!("no_repeat_ngram_size is 3, {only} 0 is known here"),
        ),
        ("generation_config.json", "", "num_beams", json!(4), format!("num_beams is 4, {only} 1 is known here")),
        (
            "processor_config.json",
            "/video_processor",
            "do_normalize",
            json!(false),
            format!("do_normalize is false, {only} true is known here"),
        ),
        (
            "processor_config.json",
            "/video_processor",
            "resample",
            json!(2),
            format!("resample is 2, {only} 3 is known here"),
        ),
    ] {
        let copy = copy("base");
        edit(copy.path(), file, |config| {
            config.pointer_mut(pointer).expect("the fixture has it")[key] = value;
        });
        assert_eq!(refused(copy.path()), format!("DIR/{file}: {message}"));
    }
    let adapted = copy("base");
    fs::write(adapted.path().join("adapter_config.json"), "{}").expect("a writable copy");
    assert_eq!(refused(adapted.path()), "DIR: adapter_config.json: an adapter is not applied here");
}

#[test]
fn defaults_and_tensors_left_out_are_noted() {
    for (case, _) in CASES {
        assert_eq!(Checkpoint::open(&folder(case)).expect(case).notes, [""; 0], "{case}");
    }
    let bare = copy("resize");
    edit(bare.path(), "config.json", |config| config["text_config"]["num_hidden_layers"] = json!(2));
    fs::remove_file(bare.path().join("processor_config.json")).expect("it was there");
    let notes = Checkpoint::open(bare.path()).expect("its parts fit").notes;
    assert_eq!(
        notes[0],
        "no video_preprocessor_config.json: frames have 131072 to 786432 pixels in all, the defaults of transformers"
    );
    let unused = "not used, being no part of the architecture: the tensor model.language_model.layers.2.";
    assert!(notes[1].starts_with(unused) && notes[1].ends_with(" more"), "{notes:?}");
}

#[test]
fn values_of_another_kind_are_never_as_if_absent() {
    let tokens = "not a token id or a list of them";
    for (file, pointer, key, value, message) in [
        (
            "config.json",
            "/text_config/rope_parameters",
            "rope_theta",
            json!("5000000.0"),
            "rope_parameters.rope_theta is \"5000000.0\", not a number",
        ),
        (
            "config.json",
            "/text_config/rope_parameters",
            "mrope_section",
            json!("6,3,3"),
            "rope_parameters.mrope_section is \"6,3,3\", not a list of whole numbers",
        ),
        (
            "config.json",
            "/text_config/rope_parameters",
            "mrope_section",
            json!([6, 3.5, 3]),
            "rope_parameters.mrope_section is [6,3.5,3], not a list of whole numbers",
        ),
        (
            "config.json",
            "/text_config/rope_parameters",
            "rope_type",
            json!(1),
            "rope_parameters.rope_type is 1, not a text",
        ),
        ("config.json", "/text_config", "rms_norm_eps", json!(null), "text_config.rms_norm_eps is null, not a number"),
        (
            "config.json",
            "/vision_config",
            "deepstack_visual_indexes",
            json!("0,2"),
            "vision_config.deepstack_visual_indexes is \"0,2\", not a list of whole numbers",
        ),
        (
            "config.json",
            "/vision_config/rope_parameters",
            "rope_theta",
            json!([]),
            "rope_parameters.rope_theta is [], not a number",
        ),
        ("config.json", "", "tie_word_embeddings", json!("true"), "tie_word_embeddings is \"true\", not true or false"),
        ("config.json", "", "transformers_version", json!(5.24), "transformers_version is 5.24, not a text"),
        (
            "config.json",
            "",
            "quantization_config",
            json!("fp8"),
            "quantization_config: quantised weights (of an unnamed method) cannot be run here",
        ),
        (
            "generation_config.json",
            "",
            "repetition_penalty",
            json!("1.5"),
            "repetition_penalty is \"1.5\", not a number",
        ),
        ("generation_config.json", "", "repetition_penalty", json!(0.0), "repetition_penalty is 0.0, not above 0"),
        (
            "processor_config.json",
            "/video_processor",
            "image_mean",
            json!("x"),
            "image_mean is \"x\", not a list of numbers",
        ),
        (
            "processor_config.json",
            "/video_processor",
            "cap_pixels_per_frame",
            json!(1),
            "cap_pixels_per_frame is 1, not true or false",
        ),
        (
            "processor_config.json",
            "/video_processor/size",
            "longest_edge",
            json!("768"),
            "size.longest_edge is \"768\", not a number",
        ),
        ("processor_config.json", "", "image_processor", json!(5), "image_processor is not an object"),
    ] {
        let copy = copy("base");
        edit(copy.path(), file, |config| config.pointer_mut(pointer).expect("the fixture has it")[key] = value);
        assert_eq!(refused(copy.path()), format!("DIR/{file}: {message}"));
    }
    let copy = copy("base");
    for value in [json!("302"), json!([302, "300"]), json!(302.5), json!(true)] {
        edit(copy.path(), "generation_config.json", |config| config["eos_token_id"] = value.clone());
        assert_eq!(refused(copy.path()), format!("DIR/generation_config.json: eos_token_id is {value}, {tokens}"));
    }
    // Where the one file names none, the other is asked.
    edit(copy.path(), "generation_config.json", |config| config["eos_token_id"] = json!(null));
    edit(copy.path(), "config.json", |config| config["text_config"]["eos_token_id"] = json!("302"));
    assert_eq!(refused(copy.path()), format!("DIR/config.json: text_config.eos_token_id is \"302\", {tokens}"));
    edit(copy.path(), "config.json", |config| config["text_config"]["eos_token_id"] = json!(302));
    assert_eq!(Generation::read(copy.path()).expect("one").stop, [302]);
    for file in ["generation_config.json", "processor_config.json"] {
        let copy = crate::fixture::copy("base");
        fs::write(copy.path().join(file), "[]").expect("a writable copy");
        assert_eq!(refused(copy.path()), format!("DIR/{file}: the file is not an object"));
    }
}

#[test]
fn absent_numbers_keep_their_defaults() {
    let copy = copy("base");
    edit(copy.path(), "config.json", |config| {
        let text = config["text_config"].as_object_mut().expect("an object");
        text.retain(|key, _| key != "rms_norm_eps" && key != "rope_parameters");
    });
    edit(copy.path(), "generation_config.json", |config| *config = json!({"repetition_penalty": null}));
    let config = Config::read(copy.path()).expect("no number is missed");
    assert_eq!((config.text.norm_eps, config.text.rope_theta), (1e-6, 500_000.0));
    assert_eq!(config.text.mrope_section, [24, 20, 20]);
    let generation = Generation::read(copy.path()).expect("nothing is missed");
    assert_eq!(generation, Generation { stop: vec![151_645, 151_643], repetition_penalty: 1.0 });
}

#[test]
fn every_byte_of_a_shard_is_of_one_tensor() {
    // Two tensors of 2 x bf16 in 8 bytes, as the header says; what the file holds beyond is not.
    let shard = |places: [[u64; 2]; 2], bytes: usize| {
        let entry = |place| json!({"dtype": "BF16", "shape": [2], "data_offsets": place});
        let header = json!({"a": entry(places[0]), "b": entry(places[1])}).to_string();
        [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &vec![0; bytes]].concat()
    };
    for (places, bytes, message) in [
        ([[0, 4], [4, 8]], 8, None),
        ([[4, 8], [0, 4]], 8, None),
        ([[0, 4], [4, 8]], 11, Some("after the last tensor come 3 bytes more")),
        ([[0, 4], [2, 6]], 6, Some("a damaged header: a and b overlap")),
        ([[0, 4], [0, 4]], 4, Some("a damaged header: a and b overlap")),
        ([[0, 4], [6, 10]], 10, Some("a damaged header: between a and b lie 2 bytes of no tensor")),
        ([[2, 6], [6, 10]], 10, Some("a damaged header: between the header and a lie 2 bytes of no tensor")),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("model.safetensors");
        fs::write(&path, shard(places, bytes)).expect("a file");
        let got = Shard::open(&path).expect("its header is whole").tensors().map(|all| all.len());
        let want = message.map_or(Ok(2), |message| Err(format!("{}: {message}", path.display())));
        assert_eq!(got.map_err(|error| error.to_string()), want);
    }
}

#[test]
fn a_file_that_is_no_file_is_not_waited_for() {
    for file in ["config.json", "generation_config.json", "processor_config.json", "model.safetensors"] {
        let copy = copy("base");
        let path = copy.path().join(file);
        fs::remove_file(&path).expect("it was there");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().expect("a tool of every system").success());
        assert_eq!(refused(copy.path()), format!("DIR/{file}: no regular file"));
        fs::remove_file(&path).expect("it was made");
        std::os::unix::fs::symlink("/dev/zero", &path).expect("a link");
        assert_eq!(refused(copy.path()), format!("DIR/{file}: no regular file"));
    }
    let long = copy("base");
    let file = fs::File::options().write(true).open(long.path().join("generation_config.json"));
    file.expect("a writable copy").set_len(1 << 40).expect("a sparse file");
    assert_eq!(refused(long.path()), "DIR/generation_config.json: longer than 64 MiB");
}
