//! Servers: their addresses, the way they talk, the client that reaches them.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use reqwest::redirect::Policy;
use reqwest::{Certificate, Client, Url};

use super::breaker::Breaker;
use super::key::{Environment, Secret};
use super::limiter::Limiter;
use crate::reward::Patience;
use crate::{Error, Result};

/// Where OpenRouter is.
const OPENROUTER: &str = "https://openrouter.ai/api/v1";

/// The way a server talks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// OpenRouter: providers, sessions, reasoning objects, cache marks, look-ups.
    OpenRouter,
    /// The common core that vLLM, SGLang, llama.cpp and Ollama share.
    Plain,
}

/// One server.
pub(super) struct Endpoint {
    /// Its address, version path included, without a slash at the end.
    pub(super) base: Url,
    pub(super) dialect: Dialect,
    pub(super) key: Option<Secret>,
    pub(super) limiter: Limiter,
    pub(super) breaker: Breaker,
    /// Something there has spoken HTTP before.
    pub(super) reached: AtomicBool,
    /// It has answered a question before.
    pub(super) has_answered: AtomicBool,
}

impl Endpoint {
    /// OpenRouter, or what stands for it.
    pub(super) fn openrouter(environment: &Environment, limiter: Limiter, patience: &Patience) -> Result<Self> {
        let base = address(environment.openrouter_base_url.as_deref().unwrap_or(OPENROUTER))?;
        Self::new(base, environment, limiter, patience)
    }

    /// A server by its address.
    pub(super) fn of(url: &str, environment: &Environment, limiter: Limiter, patience: &Patience) -> Result<Self> {
        Self::new(address(url)?, environment, limiter, patience)
    }

    fn new(base: Url, environment: &Environment, limiter: Limiter, patience: &Patience) -> Result<Self> {
        let stands_for_it = match &environment.openrouter_base_url {
            Some(url) => address(url)? == base,
            None => false,
        };
        let openrouter = base.host_str() == Some("openrouter.ai") || stands_for_it;
        let (dialect, key) = if openrouter {
            (Dialect::OpenRouter, environment.openrouter_key.clone())
        } else {
            (Dialect::Plain, environment.other_key.clone())
        };
        if dialect == Dialect::OpenRouter && key.is_some() && base.scheme() != "https" && !is_loopback(&base) {
            return Err(Error::usage(format!("{base} would send OPENROUTER_API_KEY in clear text"))
                .with_help("give an https address in OPENROUTER_BASE_URL"));
        }
        if key.as_ref().is_some_and(|key| key.header().is_none()) {
            let name = if openrouter { "OPENROUTER_API_KEY" } else { "ROBORM_API_KEY" };
            return Err(Error::usage(format!("{name} holds characters that no key has"))
                .with_help("copy the key again: a line break or a quote may have come with it"));
        }
        let breaker = Breaker::new(patience.deadline);
        Ok(Self {
            base,
            dialect,
            key,
            limiter,
            breaker,
            reached: AtomicBool::new(false),
            has_answered: AtomicBool::new(false),
        })
    }

    /// A word on a key that leaves the machine in clear text. Servers of a cluster often have no certificate and a key of
    /// their own making, so that is the user's to decide; OpenRouter's key is refused such an address.
    pub(super) fn in_clear(&self) -> Option<String> {
        let clear = self.key.is_some() && self.base.scheme() == "http" && !is_loopback(&self.base);
        clear.then(|| {
            let host = self.base.host_str().unwrap_or_default();
            let port = self.base.port_or_known_default().unwrap_or(80);
            format!(
                "warning: ROBORM_API_KEY goes to {} in clear text, for everyone on the way to read; use https, or a tunnel (ssh \
                 -L {port}:localhost:{port} {host}), or unset it where the server asks for none",
                self.name()
            )
        })
    }

    /// An address under the base.
    pub(super) fn url(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        url.set_path(&format!("{}/{path}", self.base.path().trim_end_matches('/')));
        url
    }

    /// Server and path, as the settings record it.
    pub(super) fn name(&self) -> String {
        self.base.as_str().trim_end_matches('/').to_owned()
    }
}

/// A checked base URL.
fn address(text: &str) -> Result<Url> {
    let wrong = |what: &str| {
        Error::usage(format!("base url {what}"))
            .with_help("give it like http://localhost:8000/v1, the version path included")
    };
    let mut url = Url::parse(text.trim()).map_err(|error| wrong(&format!("'{text}' cannot be read: {error}")))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(wrong(&format!("'{text}' is neither http nor https")));
    }
    // Not shown again: it may be a password.
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong("holds a user name or password").with_help("put the key into ROBORM_API_KEY"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(wrong("ends in a query or a fragment"));
    }
    let path = url.path().trim_end_matches('/').to_owned();
    if path.ends_with("/chat/completions") {
        return Err(wrong(&format!("'{text}' ends in /chat/completions, which is appended")));
    }
    url.set_path(&path);
    Ok(url)
}

pub(in crate::reward) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The client that reaches `endpoints`.
pub(super) fn client(endpoints: &[Endpoint], environment: &Environment, patience: &Patience) -> Result<Client> {
    // The one provider of cryptography in the tree; another that the program has installed before is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .user_agent(concat!("roborm/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(patience.connect)
        .read_timeout(patience.read)
        // Redirects are followed by hand, within one server: a key and a study's frames go nowhere else.
        .redirect(Policy::none())
        // One call a connection: where one breaks, one call is lost and not all that share it.
        .http1_only()
        .referer(false);
    if endpoints.iter().all(|endpoint| is_loopback(&endpoint.base)) {
        builder = builder.no_proxy();
    }
    if endpoints.iter().all(|endpoint| endpoint.base.scheme() == "http") {
        // No certificates are needed, and a machine without any can still reach its own servers.
        builder = builder.tls_certs_only(Vec::new());
    } else if let Some(path) = &environment.ca_bundle {
        builder = builder.tls_certs_merge(certificates(path)?);
    }
    builder.build().map_err(|error| {
        Error::service(format!(
            "no client for {}: {}",
            endpoints.first().map_or_else(String::new, Endpoint::name),
            causes(&error)
        ))
        .with_help("check the system's certificates (ca-certificates), SSL_CERT_FILE and ROBORM_CA_BUNDLE")
    })
}

/// The certificates of `ROBORM_CA_BUNDLE`.
pub(in crate::reward) fn certificates(path: &Path) -> Result<Vec<Certificate>> {
    let what = || format!("cannot read ROBORM_CA_BUNDLE {}", path.display());
    let pem = std::fs::read(path).map_err(|error| Error::io(what(), &error))?;
    let certificates =
        Certificate::from_pem_bundle(&pem).map_err(|error| Error::input(format!("{}: {error}", what())))?;
    if certificates.is_empty() {
        return Err(
            Error::input(format!("{}: no certificate in it", what())).with_help("it is a file of PEM certificates")
        );
    }
    Ok(certificates)
}

/// An error with what caused it, in one line.
pub(in crate::reward) fn causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut texts: Vec<String> = Vec::new();
    let mut next = Some(error);
    while let Some(error) = next {
        let text = error.to_string();
        if !texts.iter().any(|before| before.contains(&text)) {
            texts.push(text);
        }
        next = error.source();
    }
    texts.join(": ").replace(['\n', '\r'], " ")
}
