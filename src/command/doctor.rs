//! `doctor`: what is installed, found and missing.

use clap::Args;
use serde_json::json;

use super::engine::{self, Found};
use super::{Answer, Block, Session};
use crate::display::{Cell, Column, Sign, Table};
use crate::frames::Decoder;
use crate::reward;
use crate::study::Ledger;
use crate::{Error, Result};

/// What is installed, found and missing
#[derive(Debug, Args)]
pub(super) struct Doctor {}

impl Doctor {
    pub(super) fn run(&self, session: &Session) -> Result<Answer> {
        let mut table = Table::new([Column::text(""), Column::text("what"), Column::text("found")]);
        let mut findings = serde_json::Map::new();
        let mut status = 0;
        let mut find = |what: &str, found: Result<String>, needed: bool| {
            status |= u8::from(needed && found.is_err());
            let (sign, text) = match &found {
                Ok(text) => (Sign::Success, text.clone()),
                Err(error) => {
                    let help = error.help().map_or(String::new(), |help| format!(" ({help})"));
                    (if needed { Sign::Failure } else { Sign::Unparsed }, format!("{error}{help}"))
                }
            };
            table.row([Cell::sign(sign), Cell::text(what), Cell::text(&text)]);
            findings.insert(what.to_owned(), json!({ "ok": found.is_ok(), "found": text }));
        };
        find("roborm", Ok(env!("CARGO_PKG_VERSION").to_owned()), true);
        find("decoder", Decoder::find().map(|path| path.display().to_string()), true);
        find(
            "video libraries",
            session.sampler.decoder().info().map(|info| format!("{}, worker {}", info.library, info.version)),
            true,
        );
        find("local checkpoints", reward::local::look().map(|found| local(&found)), false);
        let (engine, is_nowhere) = rust();
        find("engine for Rust", engine, false);
        find("default ledger", Ledger::default_path().map(|path| path.display().to_string()), true);
        for key in ["OPENROUTER_API_KEY", "ROBORM_API_KEY"] {
            // Whether, never what.
            let set = std::env::var_os(key).is_some_and(|value| !value.is_empty());
            let found = if set { Ok("set".to_owned()) } else { Err(Error::input("not set")) };
            find(key, found, false);
        }
        if is_nowhere {
            table.note(engine::PLACES);
        }
        let mut answer = Answer::new(findings.into()).show(Block::Table(table));
        answer.status = status;
        Ok(answer)
    }
}

/// Where it is, and whether it was looked for in vain.
fn rust() -> (Result<String>, bool) {
    match engine::look() {
        Ok(Found::At(path)) => (Ok(path.display().to_string()), false),
        Ok(Found::Off) => (Err(Error::usage("turned off by ROBORM_KERNEL=none")), false),
        Ok(Found::Nowhere) => (Err(Error::usage("not built").with_help("`cargo xtask kernel` builds it")), true),
        Err(error) => (Err(error), false),
    }
}

/// `libtorch 2.11.0, 2 threads, no CUDA device (…)`.
fn local(found: &reward::local::Found) -> String {
    let cuda = match (found.cuda.as_slice(), &found.why_no_cuda) {
        ([], Some(why)) => format!("no CUDA device ({why})"),
        ([], None) => "no CUDA device".to_owned(),
        (devices, _) => devices.join("; "),
    };
    let memory =
        found.memory.map_or(String::new(), |bytes| format!(", {:.1} GiB free", bytes as f64 / (1u64 << 30) as f64));
    format!("libtorch {}, {} threads{memory}, {cuda}", found.torch, found.threads)
}
