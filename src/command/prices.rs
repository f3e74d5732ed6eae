//! What hosted models cost: as OpenRouter lists them now, else as the catalogue has them stored.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::reward::{Environment, ListedModel, ModelOptions, Patience, Price, Reached, fetch_prices, find};

/// A list of prices is worth a short wait: an estimate can do without.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where the price of a model comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    Live,
    Stored,
    Unknown,
}

/// Prices of the models of a command.
#[derive(Debug, Default)]
pub(super) struct Prices {
    listed: Vec<ListedModel>,
    /// Of every hosted model that was asked about.
    origins: BTreeMap<String, Origin>,
    /// Why there are no live ones.
    lacking: Option<String>,
}

impl Prices {
    /// The prices of those of `models` that OpenRouter (or what stands for it) serves. It is asked only where one is, and
    /// where there is a key or an address of one's own.
    pub(super) fn fetch<'a>(
        models: impl IntoIterator<Item = &'a String>,
        base_urls: &[String],
        environment: &Environment,
    ) -> Self {
        let hosted = |name: &&String| match base_urls {
            [] => find(name).is_ok_and(|known| known.reached == Reached::OpenRouter),
            urls => urls.iter().all(|url| is_openrouter(url, environment)),
        };
        let hosted: Vec<&String> = models.into_iter().filter(hosted).collect();
        if hosted.is_empty() {
            return Self::default();
        }
        let mut prices = Self::default();
        if environment.openrouter_key.is_none() && environment.openrouter_base_url.is_none() {
            prices.lacking = Some("no OPENROUTER_API_KEY".to_owned());
        } else {
            let options = ModelOptions {
                base_urls: base_urls.to_vec(),
                environment: Some(environment.clone()),
                patience: Patience { connect: PATIENCE, read: PATIENCE, attempt: PATIENCE, ..Patience::default() },
                ..ModelOptions::default()
            };
            match fetch(&options) {
                Ok(listed) => prices.listed = listed,
                Err(why) => prices.lacking = Some(why),
            }
        }
        for name in hosted {
            let stored = || find(name).is_ok_and(|known| known.price.is_some());
            let origin = match prices.of(name) {
                Some(_) => Origin::Live,
                None if stored() => Origin::Stored,
                None => Origin::Unknown,
            };
            prices.origins.insert(slug(name).to_owned(), origin);
        }
        prices
    }

    /// The live price of a model, where there is one.
    pub(super) fn of(&self, name: &str) -> Option<Price> {
        let name = slug(name);
        self.listed.iter().find(|listed| listed.id.eq_ignore_ascii_case(name)).and_then(|listed| listed.price)
    }

    /// Where prices come from, a line each.
    pub(super) fn notes(&self) -> Vec<String> {
        let of = |wanted: Origin| -> Option<String> {
            let names: Vec<&str> =
                self.origins.iter().filter(|(_, origin)| **origin == wanted).map(|(name, _)| name.as_str()).collect();
            (!names.is_empty()).then(|| names.join(", "))
        };
        let why = self.lacking.as_ref().map_or("not in the live list".to_owned(), |why| format!("not live: {why}"));
        let live = of(Origin::Live).map(|names| format!("Live prices: {names}."));
        let stored =
            of(Origin::Stored).map(|names| format!("Stored prices, as last published by its maker: {names} ({why})."));
        let unknown = of(Origin::Unknown).map(|names| format!("No price known: {names} ({why})."));
        [live, stored, unknown].into_iter().flatten().collect()
    }

    /// `{"openai/gpt-5.1": "live"}`; null where no price is known.
    pub(super) fn to_json(&self) -> serde_json::Value {
        let word = |origin: &Origin| match origin {
            Origin::Live => "live".into(),
            Origin::Stored => "stored".into(),
            Origin::Unknown => serde_json::Value::Null,
        };
        serde_json::Value::Object(self.origins.iter().map(|(name, origin)| (name.clone(), word(origin))).collect())
    }
}

/// The name on OpenRouter.
fn slug(name: &str) -> &str {
    find(name).map_or(name, |known| known.name)
}

fn is_openrouter(url: &str, environment: &Environment) -> bool {
    let bare = |url: &str| url.trim().trim_end_matches('/').to_owned();
    bare(url).starts_with("https://openrouter.ai/")
        || environment.openrouter_base_url.as_deref().is_some_and(|own| bare(own) == bare(url))
}

/// On a thread with a runtime of its own: a command may run inside someone else's.
fn fetch(options: &ModelOptions) -> Result<Vec<ListedModel>, String> {
    let work = || {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|why| why.to_string())?;
        runtime.block_on(fetch_prices(options)).map_err(|why| why.to_string())
    };
    std::thread::scope(|scope| {
        scope.spawn(work).join().unwrap_or_else(|_| Err("the list of prices could not be read".to_owned()))
    })
}
