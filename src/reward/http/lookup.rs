//! Looking up what a call that was interrupted had brought, by its id.

use serde_json::Value;

use super::answer::{bounded, number};
use super::fault::ServerError;
use super::send::Errand;
use crate::reward::{Fault, FaultKind, Reply, Usage};

/// The reply of an earlier call on OpenRouter: its text from `/generation/content`, the rest from `/generation`. `None`
/// where the server does not know the id or has not kept the text.
pub(super) async fn look_up(errand: &Errand<'_>, id: &str) -> Result<Option<Reply>, Fault> {
    let Some(content) = get(errand, "generation/content", id).await? else { return Ok(None) };
    let output = &content["output"];
    let text = output["completion"].as_str().unwrap_or_default().to_owned();
    let reasoning = output["reasoning"].as_str().filter(|text| !text.is_empty()).map(|text| bounded(text.to_owned()));
    if text.trim().is_empty() && reasoning.is_none() {
        return Ok(None);
    }
    let figures = get(errand, "generation", id).await?.unwrap_or_default();
    let string = |name: &str| figures[name].as_str().map(str::to_owned);
    let tokens = |native: &str, plain: &str| figures[native].as_u64().or_else(|| figures[plain].as_u64());
    Ok(Some(Reply {
        text,
        reasoning,
        finish_reason: string("finish_reason"),
        native_finish_reason: string("native_finish_reason"),
        model_returned: string("model"),
        provider: string("provider_name"),
        request_id: Some(id.to_owned()),
        usage: Usage {
            prompt_tokens: tokens("native_tokens_prompt", "tokens_prompt"),
            cached_tokens: figures["native_tokens_cached"].as_u64(),
            completion_tokens: tokens("native_tokens_completion", "tokens_completion"),
            cost_usd: number(&figures["total_cost"]).map(|cost| {
                cost + number(&figures["upstream_inference_cost"]).filter(|_| figures["is_byok"] == true).unwrap_or(0.0)
            }),
        },
        latency_ms: number(&figures["latency"]),
        ..Reply::default()
    }))
}

/// The `data` at a path; `None` where the server does not know the id.
async fn get(errand: &Errand<'_>, path: &str, id: &str) -> Result<Option<Value>, Fault> {
    let received = errand.get(path, &[("id", id)]).await.map_err(|why| Fault::new(FaultKind::Passing, why))?;
    match received.status {
        200 => {
            let mut value: Value = serde_json::from_slice(&received.body)
                .map_err(|_| Fault::new(FaultKind::Passing, format!("{path} gave no JSON")))?;
            Ok(Some(value["data"].take()))
        }
        404 => Ok(None),
        status => Err(ServerError::of_body(&received.body, status).fault(errand.endpoint.key.as_ref())),
    }
}
