//! The score table of a plan, from the ledger.

use std::collections::BTreeMap;

use polars::prelude::*;
use serde_json::Value;

use super::state::{At, Engine, lock};
use crate::Result;
use crate::reward::{Reply, Why};
use crate::scores::{ScoreTable, column};
use crate::study::ledger::PairKey;
use crate::study::plan::Standing;

use crate::study::reading;

/// The rows of all pairs that have a reply: by model, then in the plan's order.
pub(super) fn table(engine: &Engine) -> Result<ScoreTable> {
    let mut rows = Rows::default();
    for (n, model) in engine.models.iter().enumerate() {
        let shared = Shared {
            model: model.model.name(),
            config: model.model.config().digest(),
            reasoning: reasoning(model.model.config().settings()),
            prompt_version: model.model.prompt().version,
        };
        for trajectory in 0..engine.plan().trajectories().len() {
            add_trajectory(engine, &mut rows, &shared, n, trajectory)?;
        }
    }
    rows.finish()
}

/// What all rows of a model have.
struct Shared<'a> {
    model: &'a str,
    config: &'a str,
    reasoning: Option<String>,
    prompt_version: &'a str,
}

fn add_trajectory(
    engine: &Engine,
    rows: &mut Rows,
    shared: &Shared<'_>,
    model: usize,
    trajectory: usize,
) -> Result<()> {
    let planned = &engine.plan().trajectories()[trajectory];
    let mut answered = Vec::new();
    for wording in 0..planned.wordings.len() {
        for repeat in 0..engine.plan().repeats() {
            let at = At { model, trajectory, wording, repeat };
            let (_, key) = engine.end(at);
            if key != PairKey::from_bytes([0; 32]) {
                answered.push((at, key));
            }
        }
    }
    let keys: Vec<_> = answered.iter().map(|(_, key)| *key).collect();
    let frame_rule = engine.frame_rule(model, trajectory);
    for ((at, key), stored) in answered.into_iter().zip(engine.study.ledger.replies(&keys)?) {
        let rescued = lock(&engine.rescued).get(&key).cloned();
        let Some(reply) = rescued.map(|reply| Reply::clone(&reply)).or(stored) else { continue };
        let wording = &planned.wordings[at.wording];
        for standing in &wording.stands {
            rows.text(column::DATASET, Some(engine.plan().dataset()));
            rows.text(column::MODEL, Some(shared.model));
            rows.text(column::CONFIG, Some(shared.config));
            rows.text(column::REASONING, shared.reasoning.as_deref());
            rows.text(column::TRAJECTORY, Some(&planned.trajectory.id));
            rows.text(column::TASK, Some(&planned.trajectory.task));
            rows.label.push(planned.trajectory.label.map(|label| i64::from(label.get())));
            rows.text(column::INSTRUCTION, Some(&wording.instruction));
            rows.repeat.push(i64::from(at.repeat));
            rows.text(column::FRAME_RULE, frame_rule.as_deref());
            rows.text(column::PROMPT_VERSION, Some(shared.prompt_version));
            rows.standing(standing);
            rows.reply(&reply);
        }
    }
    Ok(())
}

/// The reasoning setting as one word, whatever form the model's settings give it.
fn reasoning(settings: &Value) -> Option<String> {
    let setting = settings.get("reasoning")?;
    match setting {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        Value::Bool(on) => Some(if *on { "on" } else { "off" }.to_owned()),
        Value::Object(map) => match map.get("effort").and_then(Value::as_str) {
            Some(effort) => Some(effort.to_owned()),
            None => Some(setting.to_string()),
        },
        other => Some(other.to_string()),
    }
}

/// Why there is no score, in a word or two; null where there is one.
const UNPARSED: &str = "why_unparsed";

/// Text columns in the order they stand in the table; numbers stand between them, see [`Rows::finish`].
const ORDER: [&str; 19] = [
    column::DATASET,
    column::MODEL,
    column::CONFIG,
    column::REASONING,
    column::TRAJECTORY,
    column::TASK,
    column::STRATEGY,
    column::INSTRUCTION,
    column::PARAPHRASE_ID,
    column::SEED,
    column::REPLY,
    column::FINISH_REASON,
    column::MODEL_RETURNED,
    column::PROVIDER,
    column::REQUEST_ID,
    column::FRAME_RULE,
    column::PROMPT_VERSION,
    column::READER_VERSION,
    UNPARSED,
];

struct Rows {
    texts: Vec<StringChunkedBuilder>,
    score: Vec<Option<f64>>,
    label: Vec<Option<i64>>,
    repeat: Vec<i64>,
    prompt_tokens: Vec<Option<i64>>,
    cached_tokens: Vec<Option<i64>>,
    completion_tokens: Vec<Option<i64>>,
    cost_usd: Vec<Option<f64>>,
    latency_ms: Vec<Option<f64>>,
    extra: BTreeMap<String, Vec<Option<f64>>>,
}

impl Default for Rows {
    fn default() -> Self {
        Self {
            texts: ORDER.iter().map(|name| StringChunkedBuilder::new((*name).into(), 0)).collect(),
            score: Vec::new(),
            label: Vec::new(),
            repeat: Vec::new(),
            prompt_tokens: Vec::new(),
            cached_tokens: Vec::new(),
            completion_tokens: Vec::new(),
            cost_usd: Vec::new(),
            latency_ms: Vec::new(),
            extra: BTreeMap::new(),
        }
    }
}

impl Rows {
    fn text(&mut self, name: &str, value: Option<&str>) {
        if let Some(at) = ORDER.iter().position(|known| *known == name) {
            self.texts[at].append_option(value);
        }
    }

    fn standing(&mut self, standing: &Standing) {
        self.text(column::STRATEGY, Some(standing.strategy.as_str()));
        self.text(column::PARAPHRASE_ID, standing.paraphrase_id.as_deref());
        self.text(column::SEED, standing.seed.as_deref());
    }

    fn reply(&mut self, reply: &Reply) {
        let count = |tokens: Option<u64>| tokens.and_then(|tokens| i64::try_from(tokens).ok());
        let row = self.score.len();
        let read = reading::read(reply);
        self.score.push(read.score().map(f64::from));
        self.text(UNPARSED, read.why().map(Why::as_str));
        self.text(column::REPLY, Some(&reply.text));
        self.text(column::FINISH_REASON, reply.finish_reason.as_deref());
        self.text(column::MODEL_RETURNED, reply.model_returned.as_deref());
        self.text(column::PROVIDER, reply.provider.as_deref());
        self.text(column::REQUEST_ID, reply.request_id.as_deref());
        self.text(column::READER_VERSION, Some(reading::version()));
        self.prompt_tokens.push(count(reply.usage.prompt_tokens));
        self.cached_tokens.push(count(reply.usage.cached_tokens));
        self.completion_tokens.push(count(reply.usage.completion_tokens));
        self.cost_usd.push(reply.usage.cost_usd);
        self.latency_ms.push(reply.latency_ms);
        for (name, value) in &reply.extra {
            let column = self.extra.entry(name.clone()).or_default();
            column.resize(row, None);
            column.push(Some(*value));
        }
    }

    fn finish(self) -> Result<ScoreTable> {
        let height = self.score.len();
        let mut columns: Vec<Column> = Vec::new();
        for text in self.texts {
            let text = text.finish().into_column();
            let after: Vec<Column> = match text.name().as_str() {
                column::TASK => vec![Column::new(column::LABEL.into(), &self.label)],
                column::SEED => vec![
                    Column::new(column::REPEAT.into(), &self.repeat),
                    Column::new(column::SCORE.into(), &self.score),
                ],
                column::REQUEST_ID => vec![
                    Column::new(column::PROMPT_TOKENS.into(), &self.prompt_tokens),
                    Column::new(column::CACHED_TOKENS.into(), &self.cached_tokens),
                    Column::new(column::COMPLETION_TOKENS.into(), &self.completion_tokens),
                    Column::new(column::COST_USD.into(), &self.cost_usd),
                    Column::new(column::LATENCY_MS.into(), &self.latency_ms),
                ],
                _ => Vec::new(),
            };
            columns.push(text);
            columns.extend(after);
        }
        for (name, mut values) in self.extra {
            values.resize(height, None);
            // A model's figure never takes the place of a column that means something else.
            let name = if columns.iter().any(|column| column.name() == name.as_str()) {
                format!("model_{name}")
            } else {
                name
            };
            columns.push(Column::new(name.into(), values));
        }
        // Models, trajectories and wordings are told apart already: no key can stand twice.
        ScoreTable::from_frame_unique(DataFrame::new(height, columns)?)
    }
}
