//! Sentences, held against what tokenizers and transformers make of them (see tests/fixtures/minilm/make.py).

use std::path::{Path, PathBuf};

use roborm_local::sentence::{SentenceConfig, WordPieces};
use serde_json::json;

use crate::fixture::edit;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/minilm")
}

fn reference() -> Vec<(String, Vec<i64>, Vec<f32>)> {
    let text = std::fs::read_to_string(folder().join("reference.json")).expect("the fixture is committed");
    serde_json::from_str(&text).expect("the maker wrote it")
}

fn copy() -> tempfile::TempDir {
    let copy = tempfile::tempdir().expect("a temporary folder");
    std::fs::create_dir(copy.path().join("1_Pooling")).expect("a folder");
    for file in ["config.json", "model.safetensors", "tokenizer.json", "sentence_bert_config.json", "modules.json"] {
        std::fs::copy(folder().join(file), copy.path().join(file)).expect("a copy");
    }
    let pooling = "1_Pooling/config.json";
    std::fs::copy(folder().join(pooling), copy.path().join(pooling)).expect("a copy");
    copy
}

#[test]
fn ids_in_many_scripts() {
    let words = WordPieces::read(&folder()).expect("the fixture's");
    let longest = SentenceConfig::read(&folder()).expect("the fixture's").longest;
    assert_eq!(longest, 24);
    let reference = reference();
    assert!(reference.len() >= 200);
    for (text, ids, _) in &reference {
        assert_eq!(&words.encode(text, longest), ids, "{text:?}");
    }
    assert!(reference.iter().any(|(_, ids, _)| ids.len() == longest), "the limit is met");
}

#[test]
fn folders_that_are_no_encoder() {
    let refused = |copy: &tempfile::TempDir| match SentenceConfig::read(copy.path()) {
        Ok(_) => panic!("read"),
        Err(error) => error.to_string().replace(&copy.path().display().to_string(), "DIR"),
    };
    let empty = tempfile::tempdir().expect("a folder");
    assert_eq!(refused(&empty), "DIR: no model of sentences (there is no config.json)");
    for (file, key, value, message) in [
        (
            "config.json",
            "model_type",
            json!("qwen3_vl"),
            "DIR/config.json: BertModel (model_type qwen3_vl) is no model of sentences known here",
        ),
        (
            "config.json",
            "hidden_act",
            json!("relu"),
            "DIR/config.json: hidden_act is \"relu\", and only \"gelu\" is known here",
        ),
        (
            "config.json",
            "quantization_config",
            json!({"quant_method": "gptq"}),
            "DIR/config.json: quantization_config: quantised weights (gptq) cannot be run here",
        ),
        (
            "sentence_bert_config.json",
            "max_seq_length",
            json!(33),
            "DIR/sentence_bert_config.json: max_seq_length is 33, and the model has 32 positions",
        ),
        (
            "1_Pooling/config.json",
            "pooling_mode_cls_token",
            json!(true),
            "DIR/1_Pooling/config.json: pooling_mode_cls_token is true, and only false is known here",
        ),
    ] {
        let copy = copy();
        edit(copy.path(), file, |config| config[key] = value);
        assert_eq!(refused(&copy), message);
    }
    let deeper = copy();
    edit(deeper.path(), "modules.json", |modules| modules[2]["type"] = json!("sentence_transformers.models.Dense"));
    assert_eq!(refused(&deeper), "DIR/modules.json: the module sentence_transformers.models.Dense is not known here");
    let other = copy();
    edit(other.path(), "tokenizer.json", |file| file["model"]["type"] = json!("Unigram"));
    let Err(error) = WordPieces::read(other.path()) else { panic!("read") };
    assert!(error.to_string().ends_with("tokenizer.json: the tokenizer model Unigram is not known here"), "{error}");
}

#[cfg(feature = "libtorch")]
mod vectors {
    use roborm_local::sentence::SentenceModel;

    use super::*;

    #[test]
    fn are_those_of_transformers() {
        let model = SentenceModel::load(&folder()).expect("the fixture's");
        let reference = reference();
        let texts: Vec<String> = reference.iter().map(|(text, ..)| text.clone()).collect();
        let vectors = model.embed(&texts).expect("vectors");
        let mut largest = 0.0_f32;
        for ((text, _, there), here) in reference.iter().zip(&vectors) {
            assert_eq!(here.len(), there.len());
            let apart = here.iter().zip(there).map(|(here, there)| (here - there).abs()).fold(0.0, f32::max);
            assert!(apart < 1e-5, "{text:?}: {apart}");
            largest = largest.max(apart);
        }
        // One by one as together.
        for (text, together) in texts.iter().zip(&vectors).step_by(29) {
            let alone = model.embed(std::slice::from_ref(text)).expect("a vector").remove(0);
            assert!(alone.iter().zip(together).all(|(one, other)| (one - other).abs() < 1e-6), "{text:?}");
        }
        assert!(model.embed(&[]).expect("none").is_empty());
    }

    #[test]
    fn files_that_do_not_fit() {
        let refused = |copy: &tempfile::TempDir| match SentenceModel::load(copy.path()) {
            Ok(_) => panic!("loaded"),
            Err(error) => error.to_string().replace(&copy.path().display().to_string(), "DIR"),
        };
        let deeper = copy();
        edit(deeper.path(), "config.json", |config| config["num_hidden_layers"] = json!(3));
        assert_eq!(
            refused(&deeper),
            "DIR/model.safetensors: the tensor encoder.layer.2.attention.self.query.weight is missing"
        );
        let wider = copy();
        edit(wider.path(), "config.json", |config| config["vocab_size"] = json!(701));
        assert_eq!(
            refused(&wider),
            "DIR/model.safetensors: embeddings.word_embeddings.weight has the shape [700, 24] where config.json makes it \
             [701, 24]"
        );
        let shorter = copy();
        edit(shorter.path(), "config.json", |config| config["vocab_size"] = json!(600));
        assert_eq!(refused(&shorter), "DIR: tokenizer.json has ids up to 699, and the embedding has 600 rows");
        let gone = copy();
        std::fs::remove_file(gone.path().join("tokenizer.json")).expect("it was there");
        assert_eq!(refused(&gone), "DIR/tokenizer.json: No such file or directory (os error 2)");
    }
}
