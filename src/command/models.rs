//! `models`: the catalogue.

use clap::Args;
use serde_json::json;

use super::{Answer, Block};
use crate::Result;
use crate::display::{Cell, Column, Table, number};
use crate::reward;

/// The catalogue of reward models, with sampling, image limits and prices where known
#[derive(Debug, Args)]
pub(super) struct Models {}

impl Models {
    pub(super) fn run(&self) -> Result<Answer> {
        let mut table = Table::new([
            Column::text("model"),
            Column::text("provider"),
            Column::number("temperature"),
            Column::number("top_p"),
            Column::number("images"),
            Column::number("$ / M in"),
            Column::number("$ / M out"),
        ]);
        let figure = |value: Option<f64>| Cell::from(value.map(|value| Cell::number(format!("{value}"))));
        let million = |usd: f64| Cell::number(number::fixed(usd * 1e6, 2));
        let mut rows = Vec::new();
        for model in reward::catalogue() {
            table.row([
                Cell::text(model.name),
                Cell::text(model.provider),
                figure(model.temperature),
                figure(model.top_p),
                Cell::from(model.max_images.map(|images| Cell::from(images as u64))),
                Cell::from(model.price.map(|price| million(price.prompt_usd))),
                Cell::from(model.price.map(|price| million(price.completion_usd))),
            ]);
            rows.push(json!({
                "model": model.name, "provider": model.provider, "temperature": model.temperature,
                "top_p": model.top_p, "max_images": model.max_images,
            }));
        }
        table.note("A dash: not known, or not set. `simulated` models answer from the label, for practice and tests.");
        Ok(Answer::new(rows.into()).show(Block::Table(table)))
    }
}
