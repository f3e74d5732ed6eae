//! One send: bytes out, bytes in, and how far it came.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime};

use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, LOCATION, RETRY_AFTER};
use reqwest::{Body, Client, Method, Url};

use super::body::Chunks;
use super::endpoint::{Endpoint, causes};
use super::retry::{rate_limit_reset, retry_after};

/// A reply has some kilobytes; a server that sends without end is cut off.
const LONGEST: usize = 16 << 20;

/// What came back in full.
pub(super) struct Received {
    pub(super) status: u16,
    /// `Retry-After`, or where a call was one too many `X-RateLimit-Reset`.
    pub(super) retry_after: Option<Duration>,
    pub(super) body: Vec<u8>,
    /// From send to last byte.
    pub(super) latency: Duration,
}

/// What went wrong on the way.
pub(super) enum Lost {
    /// The server has not had the whole request: it cannot have billed it.
    Unsent(String),
    /// The server has had the request; the answer did not come, or not to its end.
    Unanswered(String),
    /// The server sends us elsewhere.
    Redirected(String),
}

/// How far an answer came, kept outside of the send so that it outlives a time-out.
#[derive(Default)]
pub(super) struct Progress {
    /// The id that the server gave the call.
    pub(super) id: Option<String>,
}

/// What one send needs.
pub(super) struct Errand<'a> {
    pub(super) client: &'a Client,
    pub(super) endpoint: &'a Endpoint,
    /// For the whole attempt.
    pub(super) timeout: Duration,
}

impl Errand<'_> {
    /// POSTs a body, and again to where a redirect within the same server points.
    pub(super) async fn post(
        &self,
        path: &str,
        body: impl Fn() -> Chunks,
        progress: &mut Progress,
        id_came: &(dyn Fn(&str) + Sync),
    ) -> Result<Received, Lost> {
        let mut url = self.endpoint.url(path);
        for _ in 0..3 {
            let chunks = body();
            let gone = chunks.gone();
            let sent = self.exchange(Method::POST, url.clone(), Some(chunks), progress, id_came);
            let result = match tokio::time::timeout(self.timeout, sent).await {
                Ok(result) => result,
                Err(_) => Err(format!("no complete answer within {} s", self.timeout.as_secs_f64())),
            };
            match result {
                Ok((received, None)) => return Ok(received),
                Ok((_, Some(target))) => url = target,
                Err(why) if why.starts_with(REDIRECTED) => return Err(Lost::Redirected(why)),
                Err(why) if gone.load(Ordering::Acquire) => return Err(Lost::Unanswered(why)),
                Err(why) => return Err(Lost::Unsent(why)),
            }
        }
        Err(Lost::Redirected(format!("{REDIRECTED} in a circle")))
    }

    /// GETs what stands at a path.
    pub(super) async fn get(&self, path: &str, query: &[(&str, &str)]) -> Result<Received, String> {
        let mut url = self.endpoint.url(path);
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        let mut progress = Progress::default();
        let sent = self.exchange(Method::GET, url, None, &mut progress, &|_| {});
        match tokio::time::timeout(self.timeout, sent).await {
            Ok(Ok((received, None))) => Ok(received),
            Ok(Ok((_, Some(target)))) => Err(format!("{REDIRECTED} to {target}")),
            Ok(Err(why)) => Err(why),
            Err(_) => Err(format!("no complete answer within {} s", self.timeout.as_secs_f64())),
        }
    }

    /// One exchange; with a redirect within the server, where to.
    async fn exchange(
        &self,
        method: Method,
        url: Url,
        body: Option<Chunks>,
        progress: &mut Progress,
        id_came: &(dyn Fn(&str) + Sync),
    ) -> Result<(Received, Option<Url>), String> {
        let start = Instant::now();
        let mut request = self.client.request(method, url.clone()).header(ACCEPT, "application/json");
        if let Some(key) = self.endpoint.key.as_ref().and_then(|key| key.header()) {
            request = request.header(AUTHORIZATION, key);
        }
        if self.endpoint.dialect == super::endpoint::Dialect::OpenRouter {
            request = request.header("X-Title", "roborm");
        }
        if let Some(body) = body {
            request = request.header(CONTENT_TYPE, "application/json").body(Body::wrap(body));
        }
        let mut response = request.send().await.map_err(|error| causes(&error.without_url()))?;
        let status = response.status().as_u16();
        let told = |name: &str| header(response.headers(), name);
        let now = SystemTime::now();
        let reset =
            || told("x-ratelimit-reset").filter(|_| status == 429).and_then(|text| rate_limit_reset(&text, now));
        let retry_after = told(RETRY_AFTER.as_str()).and_then(|text| retry_after(&text, now)).or_else(reset);
        if let Some(id) = header(response.headers(), "x-generation-id") {
            id_came(&id);
            progress.id = Some(id);
        }
        let redirect = match status {
            301..=303 | 307 | 308 => Some(target(&url, status, response.headers())?),
            _ => None,
        };
        let mut bytes = Vec::new();
        let cut = |error: reqwest::Error| {
            format!("the connection broke in the middle of the answer ({})", innermost(&error.without_url()))
        };
        while let Some(chunk) = response.chunk().await.map_err(cut)? {
            if bytes.len() + chunk.len() > LONGEST {
                return Err(format!("an answer of more than {} MiB", LONGEST >> 20));
            }
            bytes.extend_from_slice(&chunk);
            if progress.id.is_none()
                && status == 200
                && let Some(id) = early_id(&bytes)
            {
                id_came(&id);
                progress.id = Some(id);
            }
        }
        Ok((Received { status, retry_after, body: bytes, latency: start.elapsed() }, redirect))
    }
}

/// The last of an error's causes: those before it say that there is one.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut error = error;
    while let Some(cause) = error.source() {
        error = cause;
    }
    error.to_string()
}

const REDIRECTED: &str = "the server redirects";

/// Where a redirect points, where the same request can be repeated there: the same server, method kept.
fn target(from: &Url, status: u16, headers: &HeaderMap) -> Result<Url, String> {
    let location = header(headers, LOCATION.as_str()).unwrap_or_default();
    let to = from.join(&location).map_err(|_| format!("{REDIRECTED} to nowhere"))?;
    if to.origin() != from.origin() {
        return Err(format!("{REDIRECTED} to another one, {}: not followed", to.origin().ascii_serialization()));
    }
    if !matches!(status, 307 | 308) {
        return Err(format!("{REDIRECTED} ({status}) to {}", to.path()));
    }
    Ok(to)
}

fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    let value = headers.get(name)?.to_str().ok()?.trim();
    (!value.is_empty()).then(|| value.to_owned())
}

/// The id in the first bytes of an answer, before the answer is complete: with it a reply that is cut off can be looked up.
fn early_id(bytes: &[u8]) -> Option<String> {
    let start = String::from_utf8_lossy(bytes.get(..bytes.len().min(2048))?);
    let after = start.split_once("\"id\"")?.1.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    let (id, _) = after.split_once('"')?;
    let plain = !id.is_empty() && id.len() <= 200 && id.chars().all(|c| c.is_ascii_graphic() && c != '\\');
    plain.then(|| id.to_owned())
}
