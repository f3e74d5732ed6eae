//! What a server lists: models with their prices, and what is left of a key's credit.

use std::time::Duration;

use serde_json::Value;

use super::answer::number;
use super::endpoint::{Dialect, Endpoint, client};
use super::fault::ServerError;
use super::key::Environment;
use super::limiter::Limiter;
use super::send::Errand;
use crate::reward::{ModelOptions, Price};
use crate::{Error, Result};

/// A model as a server lists it.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedModel {
    /// Its slug.
    pub id: String,
    /// Dollars a token.
    pub price: Option<Price>,
    /// Dollars an image, where it is billed apart from tokens.
    pub image_usd: Option<f64>,
    /// Tokens of prompt and completion together, at most.
    pub context_length: Option<u64>,
    /// Whether it takes images, where the server says.
    pub takes_images: Option<bool>,
    /// The parameters that some provider of it takes.
    pub supported_parameters: Vec<String>,
}

/// How long a list is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// The models that OpenRouter lists (or the first server of `options.base_urls`), with live prices. Costs nothing and needs
/// no key there.
///
/// # Errors
/// Where the server cannot be reached or answers with an error.
pub async fn fetch_prices(options: &ModelOptions) -> Result<Vec<ListedModel>> {
    let value = get(options, "models").await?;
    let models = value["data"].as_array().ok_or_else(|| Error::service("the list of models has no 'data'"))?;
    Ok(models.iter().filter_map(listed).collect())
}

/// Dollars left on the OpenRouter key in the environment; `None` where it has no limit.
///
/// # Errors
/// Where there is no key, the server cannot be reached or answers with an error.
pub async fn fetch_credit(options: &ModelOptions) -> Result<Option<f64>> {
    let value = get(options, "key").await?;
    Ok(number(&value["data"]["limit_remaining"]))
}

async fn get(options: &ModelOptions, path: &str) -> Result<Value> {
    let environment = options.environment();
    let endpoint = match options.base_urls.first() {
        Some(url) => Endpoint::of(url, &environment, Limiter::new(1, 1), &options.patience)?,
        None => Endpoint::openrouter(&environment, Limiter::new(1, 1), &options.patience)?,
    };
    fetch(endpoint, &environment, options, path).await
}

async fn fetch(endpoint: Endpoint, environment: &Environment, options: &ModelOptions, path: &str) -> Result<Value> {
    if path == "key" && (endpoint.key.is_none() || endpoint.dialect != Dialect::OpenRouter) {
        return Err(Error::service("no key of which the credit could be asked").with_help("set OPENROUTER_API_KEY"));
    }
    let at = endpoint.url(path);
    let endpoints = [endpoint];
    let client = client(&endpoints, environment, &options.patience)?;
    let [endpoint] = &endpoints;
    let errand = Errand { client: &client, endpoint, timeout: options.patience.attempt.min(PATIENCE) };
    let received = errand.get(path, &[]).await.map_err(|why| Error::service(format!("{at}: {why}")))?;
    if received.status != 200 {
        let fault = ServerError::of_body(&received.body, received.status).fault(endpoint.key.as_ref());
        return Err(Error::service(format!("{at}: {}", fault.message)));
    }
    serde_json::from_slice(&received.body).map_err(|error| Error::service(format!("{at}: {error}")))
}

fn listed(value: &Value) -> Option<ListedModel> {
    let pricing = &value["pricing"];
    // Routers list -1: what they cost is known afterwards only.
    let price = |name: &str| number(&pricing[name]).filter(|price| *price >= 0.0);
    let modalities = value["architecture"]["input_modalities"].as_array();
    Some(ListedModel {
        id: value["id"].as_str()?.to_owned(),
        price: match (price("prompt"), price("completion")) {
            (Some(prompt_usd), Some(completion_usd)) => {
                Some(Price { prompt_usd, completion_usd, cached_usd: price("input_cache_read") })
            }
            _ => None,
        },
        image_usd: price("image").filter(|price| *price > 0.0),
        context_length: value["context_length"].as_u64(),
        takes_images: modalities.map(|modalities| modalities.iter().any(|modality| modality == "image")),
        supported_parameters: value["supported_parameters"]
            .as_array()
            .map(|names| names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect())
            .unwrap_or_default(),
    })
}
