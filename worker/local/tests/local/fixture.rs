//! The checkpoints and reference values in tests/fixtures/qwen3vl.
#![cfg_attr(not(feature = "libtorch"), allow(dead_code))]

use std::path::{Path, PathBuf};

use serde::Deserialize;

/// All cases, and whether each is a video.
pub const CASES: [(&str, bool); 5] =
    [("base", true), ("resize", true), ("image", false), ("sharded", true), ("tied", true)];

/// The folder of a case.
pub fn folder(case: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/qwen3vl").join(case)
}

/// The texts of a case.
#[derive(Deserialize)]
pub struct Texts {
    /// What stands before every instruction.
    pub before: String,
    /// The instructions; the first is the one whose every stage is recorded.
    pub instructions: Vec<String>,
    /// The ids of the prompt of each.
    pub ids: Vec<Vec<i64>>,
    /// What is added to the place of a generated token.
    pub delta: i64,
    /// The first prompt, expanded.
    pub prompt: String,
    /// What the 32 generated tokens say.
    pub answer: String,
    /// Seconds of each frame.
    pub times: Vec<f64>,
}

impl Texts {
    pub fn of(case: &str) -> Self {
        let text = std::fs::read_to_string(folder(case).join("fixture.json")).expect("the fixture is committed");
        serde_json::from_str(&text).expect("the maker wrote it")
    }

    pub fn whole(&self) -> Vec<String> {
        self.instructions.iter().map(|instruction| [&self.before, instruction.as_str()].concat()).collect()
    }
}

/// A copy of a case's checkpoint in a folder that a test may damage.
pub fn copy(case: &str) -> tempfile::TempDir {
    let copy = tempfile::tempdir().expect("a temporary folder");
    for entry in std::fs::read_dir(folder(case)).expect("the fixture is committed") {
        let entry = entry.expect("a readable folder");
        std::fs::copy(entry.path(), copy.path().join(entry.file_name())).expect("room for a small file");
    }
    copy
}

/// Changes a JSON file of a folder.
pub fn edit(folder: &Path, file: &str, change: impl FnOnce(&mut serde_json::Value)) {
    let path = folder.join(file);
    let text = std::fs::read_to_string(&path).expect("a file of the fixture");
    let mut value = serde_json::from_str(&text).expect("JSON");
    change(&mut value);
    std::fs::write(path, value.to_string()).expect("a writable copy");
}

/// The reference tensors of a case.
#[cfg(feature = "libtorch")]
pub struct Tensors(std::collections::HashMap<String, tch::Tensor>);

#[cfg(feature = "libtorch")]
impl Tensors {
    pub fn of(case: &str) -> Self {
        Self::read(&folder(case).join("fixture.safetensors"))
    }

    pub fn read(path: &Path) -> Self {
        Self(tch::Tensor::read_safetensors(path).expect("the maker wrote it").into_iter().collect())
    }

    /// How many numbers each has.
    pub fn sizes(&self) -> Vec<i64> {
        self.0.values().map(|tensor| tensor.numel() as i64).collect()
    }

    pub fn get(&self, name: &str) -> &tch::Tensor {
        self.0.get(name).unwrap_or_else(|| panic!("no {name} in the fixture"))
    }

    pub fn ints(&self, name: &str) -> Vec<i64> {
        Vec::try_from(self.get(name).flatten(0, -1)).expect("whole numbers")
    }
}

/// The largest difference of two tensors of one shape.
#[cfg(feature = "libtorch")]
pub fn difference(one: &tch::Tensor, other: &tch::Tensor) -> f64 {
    assert_eq!(one.size(), other.size(), "shapes");
    (one.to_kind(tch::Kind::Double) - other.to_kind(tch::Kind::Double)).abs().max().double_value(&[])
}
