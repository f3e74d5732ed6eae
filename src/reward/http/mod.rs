//! Reward models behind an OpenAI-compatible server: OpenRouter, vLLM, SGLang, llama.cpp, Ollama.

mod answer;
mod ask;
mod body;
mod breaker;
mod circuit;
mod endpoint;
mod fault;
mod key;
mod keyring;
mod limiter;
mod lookup;
mod prices;
mod providers;
mod retry;
mod send;
mod settings;
mod sibling;
mod stream;

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

pub(super) use endpoint::{causes, certificates, is_loopback};
pub use key::{Environment, Secret};
pub use prices::{ListedModel, fetch_credit, fetch_prices};

use reqwest::Client;

use self::body::Template;
use self::endpoint::{Dialect, Endpoint};
use self::limiter::Limiter;
use self::providers::Providers;
use self::send::Errand;
use self::settings::{Settings, settle};
use self::sibling::Families;
use super::{
    Call, CatalogueModel, Fault, FaultKind, Future, ImageNeeds, ModelConfig, ModelOptions, Patience, Price, Prompt,
    Reply, Request, RewardModel,
};
use crate::{Error, Result};

/// Calls at a time on a hosted model, where the user has not said: the limiter finds out how many the server takes.
const CONCURRENCY: usize = 32;

/// Addresses whose users know that the key goes there in clear text: a program says so once.
static KNOWN_CLEAR: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// A limit that climbs to `most`; at once where the user has said so much.
fn limit(options: &ModelOptions, most: usize) -> Limiter {
    Limiter::new(most, if options.concurrency.is_some() { most } else { limiter::FIRST })
}

/// A reward model behind a server.
pub struct HttpModel {
    name: String,
    config: ModelConfig,
    needs: ImageNeeds,
    template: Template,
    price: Option<Price>,
    concurrency: usize,
    patience: Patience,
    dialect: Dialect,
    /// Whether a trajectory's first request goes alone, so that its siblings find the shared part in the cache.
    warms: bool,
    endpoints: Vec<Endpoint>,
    providers: Providers,
    client: Client,
    families: Families,
}

impl HttpModel {
    /// A model of the catalogue on OpenRouter.
    ///
    /// # Errors
    /// Wrong usage where an option or the environment does not go with it.
    pub fn openrouter(known: &CatalogueModel, options: &ModelOptions) -> Result<Self> {
        let environment = options.environment();
        let concurrency = options.concurrency.unwrap_or(CONCURRENCY).max(1);
        let endpoint = Endpoint::openrouter(&environment, limit(options, concurrency), &options.patience)?;
        Self::new(known.name, Some(known), options, &environment, vec![endpoint], concurrency)
    }

    /// A model of any name on the servers of `options.base_urls`, which are taken as equal. Where the catalogue knows the
    /// name, sampling, limits and prompt come from there.
    ///
    /// # Errors
    /// Wrong usage where an address cannot be read or an option does not go with it.
    pub fn own_server(name: &str, known: Option<&CatalogueModel>, options: &ModelOptions) -> Result<Self> {
        let environment = options.environment();
        let concurrency = options.concurrency.unwrap_or(CONCURRENCY).max(1);
        // Each server finds its own limit below its share of the whole.
        let share = concurrency.div_ceil(options.base_urls.len().max(1));
        let endpoints: Vec<Endpoint> = options
            .base_urls
            .iter()
            .map(|url| Endpoint::of(url, &environment, limit(options, share), &options.patience))
            .collect::<Result<_>>()?;
        Self::new(name, known, options, &environment, endpoints, concurrency)
    }

    fn new(
        name: &str,
        known: Option<&CatalogueModel>,
        options: &ModelOptions,
        environment: &Environment,
        endpoints: Vec<Endpoint>,
        concurrency: usize,
    ) -> Result<Self> {
        let dialect = match endpoints.first() {
            Some(first) if endpoints.iter().all(|endpoint| endpoint.dialect == first.dialect) => first.dialect,
            Some(_) => {
                return Err(Error::usage("OpenRouter and other servers cannot share one model's load")
                    .with_help("give the base urls of equal servers"));
            }
            None => {
                return Err(Error::usage(format!("no base url for {name}"))
                    .with_help("give the server's address: --base-url URL"));
            }
        };
        if options.provider.is_some() && dialect != Dialect::OpenRouter {
            return Err(Error::usage("a provider can be pinned on OpenRouter alone")
                .with_help("leave --provider out: a server of your own is the only one that serves it"));
        }
        let names: Vec<String> = endpoints.iter().map(Endpoint::name).collect();
        if let Some(twice) = names.iter().enumerate().find(|(index, name)| names[..*index].contains(name)) {
            return Err(Error::usage(format!("base url {} is given twice", twice.1))
                .with_help("name each server once; --concurrency says how many calls it gets at a time"));
        }
        for endpoint in endpoints.iter().filter(|_| options.tell.is_heard()) {
            let mut known = KNOWN_CLEAR.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(warning) = endpoint.in_clear()
                && known.insert(endpoint.name())
            {
                options.tell.say(&warning);
            }
        }
        let Settings { fields, provider, recorded, prompt, encoding, max_images, max_bytes, marked, seed, cached } =
            settle(name, known, options, dialect, &names)?;
        Ok(Self {
            name: name.to_owned(),
            config: ModelConfig::new(recorded),
            needs: ImageNeeds { encoding: Some(encoding), max_images, max_bytes },
            template: Template { fields, provider, prompt, marked, seed },
            price: options.price.or(known.filter(|_| dialect == Dialect::OpenRouter).and_then(|known| known.price)),
            concurrency,
            patience: options.patience.clone(),
            dialect,
            warms: cached,
            client: endpoint::client(&endpoints, environment, &options.patience)?,
            endpoints,
            // One that is pinned is the server for us.
            providers: Providers::new(dialect == Dialect::OpenRouter && options.provider.is_none()),
            families: Families::default(),
        })
    }
}

impl RewardModel for HttpModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn config(&self) -> &ModelConfig {
        &self.config
    }

    fn waits_to_send(&self) -> bool {
        true
    }

    fn image_needs(&self) -> ImageNeeds {
        self.needs
    }

    fn prompt(&self) -> &Prompt {
        &self.template.prompt
    }

    fn price(&self) -> Option<Price> {
        self.price
    }

    fn concurrency(&self) -> usize {
        self.concurrency
    }

    fn first_call_alone(&self) -> bool {
        self.warms
    }

    fn ask<'a>(&'a self, request: &'a Request, call: &'a dyn Call) -> Future<'a, Result<Reply, Fault>> {
        Box::pin(self.ask_server(request, call))
    }

    fn look_up<'a>(&'a self, id: &'a str) -> Future<'a, Result<Option<Reply>, Fault>> {
        Box::pin(async move {
            match (self.dialect, self.endpoints.first()) {
                (Dialect::OpenRouter, Some(endpoint)) => {
                    let errand = Errand { client: &self.client, endpoint, timeout: self.patience.attempt };
                    lookup::look_up(&errand, id).await
                }
                // Other servers keep nothing.
                _ => Ok(None),
            }
        })
    }
}

impl HttpModel {
    /// The fault of a call that no key can be sent with.
    fn keyless(&self) -> Option<Fault> {
        let hosted = |endpoint: &Endpoint| endpoint.base.host_str() == Some("openrouter.ai");
        let lacking = self.endpoints.iter().any(|endpoint| hosted(endpoint) && endpoint.key.is_none());
        lacking.then(|| Fault::new(FaultKind::Fatal, "no key for openrouter.ai: set OPENROUTER_API_KEY"))
    }
}
