//! What a request asks, checked.

use std::borrow::Cow;

use base64::Engine as _;
use serde::Deserialize;

/// One question as it arrived.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Question {
    /// The model.
    pub(crate) model: String,
    /// blake3 of each image's bytes, in order.
    pub(crate) images: Vec<String>,
    /// What stands after the last "Task: " of the text.
    pub(crate) instruction: String,
    /// The seed, where one is sent.
    pub(crate) seed: Option<u64>,
}

/// Who may serve it.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Preferences {
    #[serde(default)]
    pub(crate) order: Vec<String>,
    #[serde(default)]
    pub(crate) ignore: Vec<String>,
    pub(crate) allow_fallbacks: Option<bool>,
}

#[derive(Deserialize)]
struct Body<'a> {
    model: Option<String>,
    max_tokens: Option<u64>,
    seed: Option<u64>,
    #[serde(borrow, default)]
    messages: Vec<Message<'a>>,
    #[serde(default)]
    provider: Preferences,
}

#[derive(Deserialize)]
struct Message<'a> {
    role: String,
    #[serde(borrow)]
    content: Vec<Part<'a>>,
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(rename = "type")]
    kind: String,
    text: Option<String>,
    #[serde(borrow)]
    image_url: Option<ImageUrl<'a>>,
}

/// Borrowed from the body, which has hundreds of kilobytes of it.
#[derive(Deserialize)]
struct ImageUrl<'a> {
    #[serde(borrow)]
    url: Cow<'a, str>,
}

impl Question {
    /// From a body.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub(crate) fn read(body: &[u8]) -> Result<(Self, Preferences), String> {
        let body: Body<'_> = serde_json::from_slice(body).map_err(|error| format!("body is no request: {error}"))?;
        let model = body.model.ok_or("no model")?;
        if body.max_tokens.is_none_or(|tokens| tokens == 0) {
            return Err("no max_tokens".to_owned());
        }
        let [message] = body.messages.as_slice() else {
            return Err(format!("{} messages", body.messages.len()));
        };
        if message.role != "user" {
            return Err("the message is not the user's".to_owned());
        }
        let parts = &message.content;
        let mut images = Vec::new();
        let mut texts = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            match (part.kind.as_str(), &part.image_url, &part.text) {
                ("image_url", Some(image_url), _) => images.push(image(&image_url.url)?),
                ("text", _, Some(text)) => texts.push((index, text)),
                _ => return Err(format!("part {index} is neither image nor text")),
            }
        }
        let [(at, text)] = texts.as_slice() else { return Err(format!("{} text parts", texts.len())) };
        if *at != 0 && *at + 1 != parts.len() {
            return Err("the text stands between images".to_owned());
        }
        let (_, instruction) = text.rsplit_once("Task: ").ok_or("no task in the text")?;
        let question = Self { model, images, instruction: instruction.to_owned(), seed: body.seed };
        Ok((question, body.provider))
    }

    /// A digest of the whole question.
    pub(crate) fn digest(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for part in
            [&self.model, &self.instruction, &self.seed.unwrap_or_default().to_string()].into_iter().chain(&self.images)
        {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        hasher.finalize().to_hex().to_string()
    }
}

/// The digest of the image in a data URI.
fn image(url: &str) -> Result<String, String> {
    let data = url.strip_prefix("data:image/").ok_or("an image that is no data URI")?;
    let (format, data) = data.split_once(";base64,").ok_or("a data URI that is not in base64")?;
    let bytes = base64::engine::general_purpose::STANDARD
        .decode(data)
        .map_err(|error| format!("an image's base64: {error}"))?;
    let magic: &[u8] = match format {
        "jpeg" => &[0xFF, 0xD8, 0xFF],
        "png" => b"\x89PNG",
        other => return Err(format!("an image of format {other}")),
    };
    if !bytes.starts_with(magic) {
        return Err(format!("an image that is no {format}"));
    }
    Ok(blake3::hash(&bytes).to_hex().to_string())
}
