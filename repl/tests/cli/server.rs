//! Rollouts made for the purpose, a server that knows them, and the program against it.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use roborm::frames::Frame;
use roborm::reward::{ModelOptions, open};
use roborm_stub::{Config, Expected, Stub};
use serde_json::json;

use crate::bench::Bench;

/// What the server asks for: found nowhere but in the header of a request.
pub const KEY: &str = "sk-or-v1-5e1f0c8a-only-the-server-may-see-this";

pub const MODEL: &str = "openai/gpt-5.1";

/// Frames of a rollout, one a second: the last is the last by the rule as well.
const FRAMES: u64 = 3;

const TASKS: usize = 25;

const SIDE: u32 = 32;

/// Rollouts as a manifest of folders of PNGs, with a paraphrase file.
pub struct Rollouts {
    pub manifest: String,
    pub paraphrases: String,
    /// What requests about them must look like.
    pub expected: Vec<Expected>,
}

/// Sixteen blocks, black or white by the bits of a number: no two frames are alike, before or after JPEG.
fn frame(trajectory: usize, index: u64) -> Frame {
    let number = trajectory as u64 * FRAMES + index;
    let block = SIDE / 4;
    let white = |x: u32, y: u32| number >> (y / block * 4 + x / block) & 1 == 1;
    let rgb: Vec<u8> =
        (0..SIDE).flat_map(|y| (0..SIDE).flat_map(move |x| [if white(x, y) { 255 } else { 0 }; 3])).collect();
    let t_s = index as f64;
    Frame { index, t_s, file_index: index, file_t_s: t_s, width: SIDE, height: SIDE, rgb: Arc::from(rgb) }
}

impl Rollouts {
    /// So many rollouts, each with so many wordings, the original included.
    pub fn lay_out(bench: &Bench, trajectories: usize, wordings: usize) -> Self {
        let model = open(MODEL, &ModelOptions::default()).expect("in the catalogue");
        let encoding = model.image_needs().encoding.expect("it is sent images");
        let wording = |task: usize, wording: usize| match wording {
            0 => format!("put block {task} into the bowl"),
            n => format!("block {task} belongs in the bowl, said in way {n}"),
        };
        let mut paraphrases = String::new();
        for task in 0..TASKS.min(trajectories) {
            for n in 1..wordings {
                let strategy = ["lexical", "structural", "adversarial"][n % 3];
                let row = json!({"task": wording(task, 0), "strategy": strategy, "instruction": wording(task, n)});
                paraphrases.push_str(&format!("{row}\n"));
            }
        }
        let (mut manifest, mut expected) = (String::new(), Vec::new());
        for trajectory in 0..trajectories {
            let (task, label) = (trajectory % TASKS, (trajectory % 5 + 1) as u8);
            let folder = format!("frames/{trajectory:04}");
            std::fs::create_dir_all(bench.path(&folder)).expect("a folder can be made");
            let mut images = Vec::new();
            for index in 0..FRAMES {
                let frame = frame(trajectory, index);
                frame.write_png(bench.path(&format!("{folder}/{index}.png"))).expect("a file can be written");
                let sent = frame.encode(&encoding).expect("it can be packed");
                images.push(blake3::hash(&sent.bytes).to_hex().to_string());
            }
            let instructions = (0..wordings).map(|n| wording(task, n)).collect();
            expected.push(Expected { images, instructions, label: Some(label) });
            let row = json!({"trajectory": format!("rollout-{trajectory:04}"), "frames": folder, "rate_hz": 1,
                "task": wording(task, 0), "label": label});
            manifest.push_str(&format!("{row}\n"));
        }
        let text = |path: PathBuf| path.to_str().expect("a path of letters").to_owned();
        Self {
            manifest: text(bench.write("rollouts.jsonl", &manifest)),
            paraphrases: text(bench.write("paraphrases.jsonl", &paraphrases)),
            expected,
        }
    }

    /// A server that expects these and nothing else.
    pub fn serve(&self, config: Config) -> Stub {
        let stub = Stub::start(Config { key: Some(KEY.to_owned()), ..config }).expect("a free port on loopback");
        stub.expect(self.expected.iter().cloned());
        stub
    }

    /// `NAME` (score, estimate) of all of them at the server, with more words.
    pub fn command(&self, bench: &Bench, stub: &Stub, name: &str, words: &[&str]) -> Command {
        let usual = [name, &self.manifest, "--model", MODEL, "--paraphrases", &self.paraphrases, "--json"];
        let mut command = bench.command(&[&usual[..], words].concat());
        command.env("OPENROUTER_BASE_URL", stub.base_url()).env("OPENROUTER_API_KEY", KEY);
        command
    }
}
