//! `estimate`: calls, tokens and dollars before any is spent.

use clap::Args;
use serde_json::json;

use super::options::Scoring;
use super::{Answer, Block, Session};
use crate::Result;
use crate::display::{Cell, Column, Table, number};
use crate::study::ModelEstimate;

/// What an estimate goes by.
fn source(model: &ModelEstimate) -> &'static str {
    if model.from_past { "past calls" } else { "rules of thumb" }
}

/// Calls, tokens and dollars, before any is spent
#[derive(Debug, Args)]
pub(super) struct EstimateCommand {
    /// RoboReward split, LeRobot dataset, manifest, folder of frames, or demo
    dataset: Option<String>,

    #[command(flatten)]
    scoring: Scoring,
}

impl EstimateCommand {
    pub(super) fn run(&self, session: &Session) -> Result<Answer> {
        let dataset = self.scoring.open(self.dataset.as_deref(), session)?;
        let (study, prices) = self.scoring.study(session, &dataset, true)?;
        let estimate = study.estimate()?;
        let mut table = Table::new([
            Column::text("model"),
            Column::number("calls"),
            Column::number("prompt tokens"),
            Column::number("completion tokens"),
            Column::number("cost"),
            Column::text("from"),
        ]);
        for model in &estimate.by_model {
            table.row([
                Cell::text(&model.model),
                Cell::from(model.calls),
                Cell::from(model.prompt_tokens),
                Cell::from(model.completion_tokens),
                Cell::from(model.cost_usd.map(|cost| Cell::number(number::dollars(cost)))),
                Cell::text(source(model)),
            ]);
        }
        if estimate.by_model.iter().any(|model| !model.from_past && model.prompt_tokens > 0) {
            table.note(
                "Rules of thumb: images as each provider's documentation counts them, a token for four bytes of words. What is \
                 billed may differ by half, with reasoning by more; after a pilot (score --limit 20) the estimate goes by what \
                 its calls came to.",
            );
        }
        if estimate.cached > 0 {
            table.note(&format!("{} more pairs have a reply in the ledger already.", number::count(estimate.cached)));
        }
        for note in prices.notes() {
            table.note(&note);
        }
        if estimate.cost_usd.is_none() {
            table.note("No cost: the price of a model is not known, and the ledger has no priced calls of it.");
        }
        let from: serde_json::Map<String, serde_json::Value> =
            estimate.by_model.iter().map(|model| (model.model.clone(), source(model).into())).collect();
        let mut answer = Answer::new(json!({
            "calls": estimate.calls, "cached": estimate.cached, "prompt_tokens": estimate.prompt_tokens,
            "completion_tokens": estimate.completion_tokens, "cost_usd": estimate.cost_usd,
            "prices": prices.to_json(), "from": from,
        }))
        .show(Block::Table(table));
        for warning in estimate.warnings {
            answer = answer.note(format!("warning: {warning}"));
        }
        Ok(answer)
    }
}
