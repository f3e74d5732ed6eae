//! Robustness of language-conditioned robot reward models to rewording.
//!
//! A language-conditioned reward model watches a robot trajectory and scores its progress towards a goal given in
//! words, from 1 to 5. Reword the goal and the score should not move. `roborm` measures how far it does.
//!
//! The modules follow the data:
//!
//! * [`dataset`]: trajectories, from RoboReward, LeRobot, manifests, folders of frames, or the built-in `demo`;
//! * [`frames`]: the frame rule, decoding, contact sheets, encoded images;
//! * [`paraphrase`]: rewordings of instructions, by strategy;
//! * [`reward`]: reward models: prompts, replies, the catalogue, simulated and HTTP models;
//! * [`scores`]: the score table, in and out as Parquet, CSV and JSONL;
//! * [`study`]: plan, estimate and run; the ledger that keeps every paid reply;
//! * [`robustness`]: score-crossing rate, failure rate, error, spread, with intervals;
//! * [`chart`]: plotly charts and the report;
//! * [`display`]: tables, pictures and progress on a terminal;
//! * [`command`]: the commands that the shell, the prompt and the notebook share;
//! * [`cell`]: what a cell of a notebook sees, and what runs it.

pub mod cell;
pub mod chart;
pub mod command;
mod damage;
pub mod dataset;
pub mod display;
pub mod error;
pub mod frames;
mod local;
pub mod paraphrase;
mod parquet;
pub mod prelude;
mod program;
pub mod reward;
pub mod robustness;
pub mod scores;
pub mod study;
mod whole;

pub use error::{Error, Result};
pub use {image, plotly, polars, rand, rayon, reqwest, serde, serde_json, tokio};
