//! `doctor`: what is installed, found and missing.

use clap::Args;
use serde_json::json;

use super::{Answer, Block, Session};
use crate::Result;
use crate::display::{Cell, Column, Sign, Table};
use crate::frames::Decoder;
use crate::study::Ledger;

/// What is installed, found and missing
#[derive(Debug, Args)]
pub(super) struct Doctor {}

impl Doctor {
    pub(super) fn run(&self, session: &Session) -> Result<Answer> {
        let mut table = Table::new([Column::text(""), Column::text("what"), Column::text("found")]);
        let mut findings = serde_json::Map::new();
        let mut find = |what: &str, found: Result<String>, needed: bool| {
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
        find("default ledger", Ledger::default_path().map(|path| path.display().to_string()), true);
        for key in ["OPENROUTER_API_KEY", "ROBORM_API_KEY"] {
            // Whether, never what.
            let set = std::env::var_os(key).is_some_and(|value| !value.is_empty());
            let found = if set { Ok("set".to_owned()) } else { Err(crate::Error::input("not set")) };
            find(key, found, false);
        }
        let status =
            u8::from(findings.values().any(|found| found["ok"] == false && found["found"].as_str() != Some("not set")));
        let mut answer = Answer::new(findings.into()).show(Block::Table(table));
        answer.status = status;
        Ok(answer)
    }
}
