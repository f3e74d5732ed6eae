//! Keys, and where they may go.

use std::env;
use std::fmt;
use std::path::PathBuf;

use reqwest::header::HeaderValue;

/// A key. It shows nowhere: not in `Debug`, not in errors, not in the ledger; it leaves as a header alone.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// A key, white space around it taken off; `None` where nothing is left.
    pub fn new(key: impl Into<String>) -> Option<Self> {
        let key = key.into().trim().to_owned();
        (!key.is_empty()).then_some(Self(key))
    }

    /// The `Authorization` header, marked sensitive; `None` where the key holds what a header cannot.
    pub(in crate::reward) fn header(&self) -> Option<HeaderValue> {
        let mut value = HeaderValue::from_str(&format!("Bearer {}", self.0)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// `text` without the key: servers echo what they were sent.
    pub(super) fn redact(&self, text: &str) -> String {
        text.replace(&self.0, "***")
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// What the client takes from its environment.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// `OPENROUTER_API_KEY`: for openrouter.ai and for `openrouter_base_url`, nowhere else.
    pub openrouter_key: Option<Secret>,
    /// `OPENROUTER_BASE_URL`: in place of `https://openrouter.ai/api/v1`.
    pub openrouter_base_url: Option<String>,
    /// `ROBORM_API_KEY`: for all other servers.
    pub other_key: Option<Secret>,
    /// `ROBORM_CA_BUNDLE`: certificates (PEM) to trust beside those of the system; `SSL_CERT_FILE` and `SSL_CERT_DIR` stand
    /// for the system's own.
    pub ca_bundle: Option<PathBuf>,
}

impl Environment {
    /// That of this process; a key that the environment lacks is looked up in the system's keyring.
    pub fn of_process() -> Self {
        let text = |name: &str| env::var(name).ok().filter(|value| !value.trim().is_empty());
        let key = |name: &str| text(name).or_else(|| super::keyring::look_up(name)).and_then(Secret::new);
        Self {
            openrouter_key: key("OPENROUTER_API_KEY"),
            openrouter_base_url: text("OPENROUTER_BASE_URL"),
            other_key: key("ROBORM_API_KEY"),
            ca_bundle: env::var_os("ROBORM_CA_BUNDLE").filter(|value| !value.is_empty()).map(PathBuf::from),
        }
    }
}
