//! `ledger`: several ledgers into one.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::json;

use super::Answer;
use crate::Result;
use crate::display::number;
use crate::study::Ledger;

/// Work on ledgers
#[derive(Debug, Args)]
pub(super) struct LedgerCommand {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Make one ledger out of several, for example of the shards of a study
    Merge {
        /// The ledger to write; may be there already
        out: PathBuf,
        /// The ledgers to join
        #[arg(required = true, value_name = "IN")]
        inputs: Vec<PathBuf>,
    },
}

impl LedgerCommand {
    pub(super) fn run(&self) -> Result<Answer> {
        let Verb::Merge { out, inputs } = &self.verb;
        let merged = Ledger::merge(out, inputs)?;
        Ok(Answer::new(json!({ "rows": merged.rows, "duplicates": merged.duplicates })).say(format!(
            "{}: {} pairs, {} of them in more than one",
            out.display(),
            number::count(merged.rows),
            number::count(merged.duplicates)
        )))
    }
}
